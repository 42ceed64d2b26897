/* SPDX-License-Identifier: MIT */
/*
 * Frame buffers: every linear one, in the mode that the firmware set.
 *
 * A mode is never set: some firmware reports the lines of another mode
 * afterwards, or scrambles the picture of the panel.
 */
#include "boot/loader/loader.h"

static EFI_GUID gop_guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
/* On the handles that the firmware's own console draws on. */
static EFI_GUID console_guid = {
	0xd3b36f2c, 0xd551, 0x11d4,
	{ 0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d }
};

static UINT32 format_of(EFI_GRAPHICS_PIXEL_FORMAT format)
{
	switch (format) {
	case PixelRedGreenBlueReserved8BitPerColor:
		return BOOT_FB_RGB;
	case PixelBlueGreenRedReserved8BitPerColor:
		return BOOT_FB_BGR;
	case PixelBitMask:
		return BOOT_FB_BITMASK;
	default:
		return BOOT_FB_NONE;	/* PixelBltOnly: there is no buffer */
	}
}

/* Return: 0 when there is nothing to draw on. */
static int describe(EFI_HANDLE handle, struct boot_framebuffer *fb)
{
	EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = NULL;
	EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info;

	if (EFI_ERROR(uefi_call_wrapper(BS->HandleProtocol, 3, handle,
					&gop_guid, (void **)&gop)) ||
	    !gop || !gop->Mode || !gop->Mode->Info)
		return 0;
	info = gop->Mode->Info;
	*fb = (struct boot_framebuffer){
		.base = gop->Mode->FrameBufferBase,
		.size = gop->Mode->FrameBufferSize,
		.width = info->HorizontalResolution,
		.height = info->VerticalResolution,
		.pitch = info->PixelsPerScanLine,
		.format = format_of(info->PixelFormat),
		.mask = { info->PixelInformation.RedMask,
			  info->PixelInformation.GreenMask,
			  info->PixelInformation.BlueMask,
			  info->PixelInformation.ReservedMask },
	};
	return fb->base && fb->width && fb->height &&
	       fb->format != BOOT_FB_NONE;
}

static int is_console(EFI_HANDLE handle)
{
	void *interface;

	return !EFI_ERROR(uefi_call_wrapper(BS->HandleProtocol, 3, handle,
					    &console_guid, &interface));
}

static int is_known(const struct boot_info *bi, UINT64 base)
{
	for (UINT64 i = 0; i < bi->nr_fb; i++)
		if (bi->fb[i].base == base)
			return 1;
	return 0;
}

/*
 * The handles that are the console, or those that are not. Two handles may lead
 * to one buffer, as those of a splitter do: it is taken once.
 */
static void collect(struct boot_info *bi, const EFI_HANDLE *handle, UINTN nr,
		    int console)
{
	for (UINTN i = 0; i < nr; i++) {
		struct boot_framebuffer fb;

		if (is_console(handle[i]) != console ||
		    !describe(handle[i], &fb) || is_known(bi, fb.base))
			continue;
		if (bi->nr_fb == BOOT_MAX_FB) {
			say(L"topaz-loader: more than %d frame buffers\r\n",
			    BOOT_MAX_FB);
			return;
		}
		bi->fb[bi->nr_fb++] = fb;
	}
}

void framebuffers_find(struct boot_info *bi)
{
	EFI_HANDLE *handle = NULL;
	UINTN nr = 0;

	if (EFI_ERROR(uefi_call_wrapper(BS->LocateHandleBuffer, 5, ByProtocol,
					&gop_guid, NULL, &nr, &handle)))
		return;		/* headless: the serial line has to do */
	collect(bi, handle, nr, 1);
	collect(bi, handle, nr, 0);
	FreePool(handle);
}
