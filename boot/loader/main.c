/* SPDX-License-Identifier: MIT */
/*
 * The UEFI loader: brings the kernel that it carries into memory and jumps.
 *
 * efi_main() is a plain C function: crt0 of GNU-EFI has turned the firmware's
 * calling convention already (declaring it EFIAPI faults at once).
 */
#include "boot/loader/loader.h"

/* Owner: efi_main(); for die(). */
static EFI_HANDLE this_image;

void die(const CHAR16 *what, EFI_STATUS status)
{
	Print(L"topaz-loader: %s: %r\r\n", what, status);
	if (under_qemu())
		__asm__ volatile("outl %0, %w1" : : "a"(0x11), "Nd"(0xf4));
	uefi_call_wrapper(BS->Exit, 4, this_image, EFI_LOAD_ERROR, 0, NULL);
	for (;;)
		__asm__ volatile("hlt");
}

UINT64 alloc_pages(UINTN nr, UINT64 limit, const CHAR16 *what)
{
	EFI_PHYSICAL_ADDRESS pa = limit ? limit - 1 : 0;
	EFI_STATUS status = uefi_call_wrapper(
		BS->AllocatePages, 4,
		limit ? AllocateMaxAddress : AllocateAnyPages, EfiLoaderData,
		nr, &pa);

	if (EFI_ERROR(status))
		die(what, status);
	SetMem((void *)pa, nr * PAGE_SIZE, 0);
	return pa;
}

static EFI_HANDLE boot_device(EFI_HANDLE image)
{
	EFI_LOADED_IMAGE *loaded = NULL;
	EFI_STATUS status = uefi_call_wrapper(BS->HandleProtocol, 3, image,
					      &LoadedImageProtocol,
					      (void **)&loaded);

	return EFI_ERROR(status) || !loaded ? NULL : loaded->DeviceHandle;
}

static void fill_boot_info(struct boot_info *bi, const struct kernel *kernel)
{
	bi->magic = BOOT_INFO_MAGIC;
	bi->version = BOOT_INFO_VERSION;
	bi->size = sizeof(*bi);
	bi->kernel_base = kernel->base;
	bi->kernel_size = kernel->size;
	bi->rsdp = rsdp_find();
	bi->trampoline = alloc_pages(1, 0x100000, L"AP page below 1 MiB");
	bi->stack_base = alloc_pages(PAGES(BOOT_STACK_SIZE), 0, L"stack");
	framebuffer_find(bi);
	module_add(bi, BOOT_MODULE_KERNEL, L"kernel.elf", kernel->file,
		   kernel->file_size);
}

/*
 * Runs from EfiLoaderCode, which every firmware leaves executable and the new
 * tables map at the same address.
 */
static void __attribute__((noreturn))
jump(UINT64 cr3, UINT64 stack_top, UINT64 entry, UINT64 bi, UINT32 efer)
{
	__asm__ volatile(
		"cli\n\t"
		"cld\n\t"
		"movl $0xc0000080, %%ecx\n\t"
		"rdmsr\n\t"
		"orl %[efer], %%eax\n\t"
		"wrmsr\n\t"
		"movq %%cr0, %%rax\n\t"
		"btsq $16, %%rax\n\t"		/* WP */
		"movq %%rax, %%cr0\n\t"
		"movq %[cr3], %%cr3\n\t"
		"movq %[stack], %%rsp\n\t"
		"xorl %%ebp, %%ebp\n\t"
		"pushq $0\n\t"
		"jmpq *%[entry]"
		: : [cr3] "r"(cr3), [stack] "r"(stack_top), [entry] "r"(entry),
		    [efer] "r"(efer), "D"(bi)
		: "rax", "rcx", "rdx", "memory");
	__builtin_unreachable();
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	struct kernel kernel;
	struct boot_info *bi;

	InitializeLib(image, table);
	this_image = image;
	/* The firmware would reset the machine after five minutes. */
	uefi_call_wrapper(BS->SetWatchdogTimer, 4, 0, 0, 0, NULL);

	kernel_load(&kernel);
	bi = (struct boot_info *)alloc_pages(PAGES(sizeof(*bi)), 0,
					     L"hand-over");
	fill_boot_info(bi, &kernel);
	modules_load(boot_device(image), bi);
	bi->cr3 = paging_build(&kernel);
	Print(L"topaz-loader: kernel at %lx, %d KiB, %d modules\r\n",
	      kernel.base, (int)(kernel.size >> 10), (int)bi->nr_modules);

	exit_boot_services(image, bi);
	jump(bi->cr3, HHDM_BASE + bi->stack_base + BOOT_STACK_SIZE,
	     kernel.entry, HHDM_BASE + (UINT64)bi, cpu_has_nx() ? 0x800 : 0);
}
