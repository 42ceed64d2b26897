/* SPDX-License-Identifier: MIT */
/*
 * What the firmware knows of the machine: ACPI, frame buffer, processor.
 */
#include "boot/loader/loader.h"

static void cpuid(UINT32 leaf, UINT32 *a, UINT32 *b, UINT32 *c, UINT32 *d)
{
	__asm__ volatile("cpuid" : "=a"(*a), "=b"(*b), "=c"(*c), "=d"(*d)
			 : "a"(leaf), "c"(0));
}

int cpu_has_nx(void)
{
	UINT32 a, b, c, d;

	cpuid(0x80000000, &a, &b, &c, &d);
	if (a < 0x80000001)
		return 0;
	cpuid(0x80000001, &a, &b, &c, &d);
	return d >> 20 & 1;
}

/* The exit port means something else on a real board. */
int under_qemu(void)
{
	UINT32 a, sig[3], d;

	cpuid(1, &a, &sig[0], &sig[1], &d);
	if (!(sig[1] >> 31))
		return 0;
	cpuid(0x40000000, &a, &sig[0], &sig[1], &sig[2]);
	return !CompareMem(sig, "TCGTCGTCGTCG", 12) ||
	       !CompareMem(sig, "KVMKVMKVM\0\0\0", 12);
}

UINT64 rsdp_find(void)
{
	EFI_GUID acpi2 = ACPI_20_TABLE_GUID;
	EFI_GUID acpi1 = ACPI_TABLE_GUID;
	void *rsdp = NULL;

	if (EFI_ERROR(LibGetSystemConfigurationTable(&acpi2, &rsdp)))
		LibGetSystemConfigurationTable(&acpi1, &rsdp);
	return (UINT64)rsdp;
}

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
		return BOOT_FB_NONE;
	}
}

void framebuffer_find(struct boot_info *bi)
{
	EFI_GUID guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
	EFI_GRAPHICS_OUTPUT_PROTOCOL *gop = NULL;
	EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info;

	if (EFI_ERROR(LibLocateProtocol(&guid, (void **)&gop)) || !gop ||
	    !gop->Mode || !gop->Mode->Info)
		return;
	info = gop->Mode->Info;
	bi->fb = (struct boot_framebuffer){
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
	if (bi->fb.format == BOOT_FB_NONE)
		bi->fb.base = 0;
}
