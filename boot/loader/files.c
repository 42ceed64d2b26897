/* SPDX-License-Identifier: MIT */
/*
 * Files of the boot volume: none is needed, each that is there is handed over.
 */
#include "boot/loader/loader.h"

#define MAX_FILE	(512ULL << 20)
#define MAX_SMALL	4096

static const CHAR16 *skipped(const CHAR16 *name, const CHAR16 *why)
{
	say(L"topaz-loader: %s: %s: left out\r\n", name, why);
	return NULL;
}

void module_add(struct boot_info *bi, UINT64 type, const CHAR16 *name,
		UINT64 base, UINT64 size)
{
	struct boot_module *m;
	UINTN i;

	if (bi->nr_modules == BOOT_MAX_MODULES) {
		skipped(name, L"too many files");
		return;
	}
	m = &bi->module[bi->nr_modules++];
	m->type = type;
	m->base = base;
	m->size = size;
	for (i = 0; name[i] && i < BOOT_MODULE_NAME - 1; i++)
		m->name[i] = name[i] < 128 ? (char)name[i] : '?';
	m->name[i] = '\0';
}

/* Reads the whole file; short reads go on until nothing comes. */
static EFI_STATUS read_all(EFI_FILE_HANDLE file, UINT64 base, UINT64 *size)
{
	UINT64 done = 0;

	while (done < *size) {
		UINTN n = *size - done;
		EFI_STATUS status = uefi_call_wrapper(
			file->Read, 3, file, &n, (void *)(base + done));

		if (EFI_ERROR(status))
			return status;
		if (!n)
			break;
		done += n;
	}
	*size = done;
	return EFI_SUCCESS;
}

/* Some firmware cannot read into memory above 4 GiB. */
static EFI_STATUS file_pages(UINTN nr, UINT64 *base)
{
	if (!EFI_ERROR(try_pages(nr, BELOW_4G, base)))
		return EFI_SUCCESS;
	return try_pages(nr, 0, base);
}

static void load_file(EFI_FILE_HANDLE dir, const CHAR16 *name, UINT64 type,
		      struct boot_info *bi)
{
	EFI_FILE_HANDLE file;
	EFI_FILE_INFO *info;
	EFI_STATUS status;
	UINT64 base, size;

	status = uefi_call_wrapper(dir->Open, 5, dir, &file, (CHAR16 *)name,
				   EFI_FILE_MODE_READ, 0);
	if (EFI_ERROR(status))
		return;		/* not there: nothing was promised */
	info = LibFileInfo(file);
	size = info ? info->FileSize : 0;
	if (info)
		FreePool(info);
	if (!size || size > MAX_FILE)
		skipped(name, size ? L"too large" : L"empty");
	else if (EFI_ERROR(file_pages(PAGES(size), &base)))
		skipped(name, L"no memory for it");
	else if (EFI_ERROR(read_all(file, base, &size)))
		skipped(name, L"cannot be read");
	else
		module_add(bi, type, name, base, size);
	uefi_call_wrapper(file->Close, 1, file);
}

void *file_read(EFI_HANDLE device, const CHAR16 *name, UINTN *size)
{
	EFI_FILE_HANDLE root = device ? LibOpenRoot(device) : NULL;
	EFI_FILE_HANDLE file;
	UINT64 n = MAX_SMALL;
	void *data = NULL;

	if (!root)
		return NULL;
	if (!EFI_ERROR(uefi_call_wrapper(root->Open, 5, root, &file,
					 (CHAR16 *)name, EFI_FILE_MODE_READ,
					 0))) {
		data = AllocatePool(MAX_SMALL);
		if (!data || EFI_ERROR(read_all(file, (UINT64)data, &n))) {
			skipped(name, L"cannot be read");
			n = 0;
		}
		uefi_call_wrapper(file->Close, 1, file);
	}
	uefi_call_wrapper(root->Close, 1, root);
	*size = n;
	return data;
}

/* Every plain file of \topaz, by what its directory says. */
static void load_folder(EFI_FILE_HANDLE root, struct boot_info *bi)
{
	static UINT8 buffer[1024];
	EFI_FILE_INFO *info = (EFI_FILE_INFO *)buffer;
	EFI_FILE_HANDLE dir;
	EFI_STATUS status = uefi_call_wrapper(root->Open, 5, root, &dir,
					      L"\\topaz", EFI_FILE_MODE_READ,
					      0);

	if (EFI_ERROR(status))
		return;
	for (;;) {
		UINTN n = sizeof(buffer);

		status = uefi_call_wrapper(dir->Read, 3, dir, &n, buffer);
		if (EFI_ERROR(status) || !n)
			break;
		if (!(info->Attribute & EFI_FILE_DIRECTORY))
			load_file(dir, info->FileName, BOOT_MODULE_FILE, bi);
	}
	uefi_call_wrapper(dir->Close, 1, dir);
}

void modules_load(EFI_HANDLE device, struct boot_info *bi)
{
	EFI_FILE_HANDLE root = device ? LibOpenRoot(device) : NULL;

	if (!root)
		return;		/* started from the network or a ROM */
	load_file(root, L"topaz.rc", BOOT_MODULE_RC, bi);
	load_folder(root, bi);
	uefi_call_wrapper(root->Close, 1, root);
}
