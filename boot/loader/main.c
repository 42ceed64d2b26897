/* SPDX-License-Identifier: MIT */
/*
 * The UEFI loader: brings the kernel that it carries into memory and jumps.
 *
 * The firmware calls efi_start(); it has applied the relocations.
 */
#include "boot/loader/loader.h"

EFI_HANDLE this_image;

static EFI_LOADED_IMAGE *loaded_image(void)
{
	EFI_LOADED_IMAGE *loaded = NULL;
	EFI_STATUS status = uefi_call_wrapper(BS->HandleProtocol, 3,
					      this_image, &LoadedImageProtocol,
					      (void **)&loaded);

	if (EFI_ERROR(status) || !loaded)
		die(L"the firmware does not say what it loaded", status);
	return loaded;
}

static void fill_boot_info(struct boot_info *bi, const struct kernel *kernel)
{
	bi->magic = BOOT_INFO_MAGIC;
	bi->version = BOOT_INFO_VERSION;
	bi->size = sizeof(*bi);
	bi->kernel_base = kernel->base;
	bi->kernel_size = kernel->size;
	bi->rsdp = rsdp_find();
	bi->stack_base = alloc_pages(PAGES(BOOT_STACK_SIZE), BELOW_4G,
				     L"stack");
	bi->efi_reset = reset_find();
	framebuffers_find(bi);
	module_add(bi, BOOT_MODULE_KERNEL, L"kernel.elf", kernel->file,
		   kernel->file_size);
}

static void prepare_switch(struct switch_args *args,
			   const struct boot_info *bi, UINT64 entry)
{
	*args = (struct switch_args){
		.cr3 = bi->cr3,
		.stack = HHDM_BASE + bi->stack_base + BOOT_STACK_SIZE,
		.entry = entry,
		.bi = HHDM_BASE + (UINT64)bi,
		.efer = cpu_has_nx() ? 0x800 : 0,
	};
	if (!cpu_has_la57_on())
		return;
	args->cr3_5 = paging_root_5(bi->cr3);
	args->low = alloc_pages(1, BELOW_4G, L"code below 4 GiB");
}

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	EFI_LOADED_IMAGE *self;
	struct switch_args args;
	struct kernel kernel;
	struct boot_info *bi;
	UINT64 trampoline;

	/* The firmware would reset the machine after five minutes. */
	uefi_call_wrapper(table->BootServices->SetWatchdogTimer, 4, 0, 0, 0,
			  NULL);
	InitializeLib(image, table);
	this_image = image;
	trampoline = trampoline_alloc();
	self = loaded_image();

	kernel_load(&kernel);
	bi = (struct boot_info *)alloc_pages(PAGES(sizeof(*bi)), 0,
					     L"hand-over");
	bi->trampoline = trampoline;
	fill_boot_info(bi, &kernel);
	options_find(self, bi);
	modules_load(self->DeviceHandle, bi);
	map_take();
	bi->cr3 = paging_build(&kernel, self);
	prepare_switch(&args, bi, kernel.entry);
	if (!trampoline)
		say(L"topaz-loader: no memory below 640 KiB: one CPU\r\n");
	if (args.cr3_5)
		say(L"topaz-loader: leaving 5-level paging\r\n");
	say(L"topaz-loader: kernel at %lx, %d KiB, %d modules\r\n",
	    kernel.base, (int)(kernel.size >> 10), (int)bi->nr_modules);

	leave_firmware(bi);
	switch_to_kernel(&args);
}
