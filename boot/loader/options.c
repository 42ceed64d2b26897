/* SPDX-License-Identifier: MIT */
/*
 * Where boot options come from: the boot manager's load options and a file.
 */
#include "boot/loader/loader.h"
#include "boot/loader/cmdline.h"

static void add(struct boot_info *bi, const CHAR16 *from, const void *data,
		UINTN size)
{
	switch (cmdline_add(bi->cmdline, sizeof(bi->cmdline), data, size)) {
	case CMDLINE_NOT_TEXT:
		say(L"topaz-loader: %s: no printable text: left out\r\n",
		    from);
		break;
	case CMDLINE_CUT:
		say(L"topaz-loader: %s: longer than %d characters: cut\r\n",
		    from, BOOT_CMDLINE - 1);
		break;
	case CMDLINE_OK:
		break;
	}
}

void options_find(const EFI_LOADED_IMAGE *self, struct boot_info *bi)
{
	UINTN size = 0;
	void *file;

	add(bi, L"load options", self->LoadOptions, self->LoadOptionsSize);
	cmdline_drop_program(bi->cmdline);
	file = file_read(self->DeviceHandle, L"topaz.cmdline", &size);
	if (!file)
		return;
	add(bi, L"topaz.cmdline", file, size);
	FreePool(file);
}
