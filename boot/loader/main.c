/* SPDX-License-Identifier: MIT */
/*
 * The UEFI loader: brings the kernel that it carries into memory and jumps.
 *
 * efi_main() is a plain C function: crt0 of GNU-EFI has turned the firmware's
 * calling convention already (declaring it EFIAPI faults at once).
 */
#include "boot/loader/loader.h"

#define CR4_LA57	(1ULL << 12)

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

/* Return: EFI_SUCCESS and cleared pages, or why there are none. */
static EFI_STATUS try_pages(UINTN nr, UINT64 limit, UINT64 *pages)
{
	EFI_PHYSICAL_ADDRESS pa = limit ? limit - 1 : 0;
	EFI_STATUS status = uefi_call_wrapper(
		BS->AllocatePages, 4,
		limit ? AllocateMaxAddress : AllocateAnyPages, EfiLoaderData,
		nr, &pa);

	if (EFI_ERROR(status))
		return status;
	SetMem((void *)pa, nr * PAGE_SIZE, 0);
	*pages = pa;
	return EFI_SUCCESS;
}

UINT64 alloc_pages(UINTN nr, UINT64 limit, const CHAR16 *what)
{
	UINT64 pages = 0;
	EFI_STATUS status = try_pages(nr, limit, &pages);

	if (EFI_ERROR(status))
		die(what, status);
	return pages;
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
	/* 0 where the firmware keeps all of it: one CPU has to do then. */
	if (EFI_ERROR(try_pages(1, 0x100000, &bi->trampoline)))
		bi->trampoline = 0;
	bi->stack_base = alloc_pages(PAGES(BOOT_STACK_SIZE), 1ULL << 32,
				     L"stack");
	bi->efi_reset = reset_find();
	framebuffers_find(bi);
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

/* What jump() relies on: it runs on under the new tables. */
static void check_machine(void)
{
	UINT64 cr4;

	__asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
	if (cr4 & CR4_LA57)
		die(L"the firmware pages with 5 levels", EFI_UNSUPPORTED);
	if ((UINT64)jump >= 1ULL << 32)
		die(L"the firmware loaded this above 4 GiB", EFI_UNSUPPORTED);
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
	check_machine();

	kernel_load(&kernel);
	bi = (struct boot_info *)alloc_pages(PAGES(sizeof(*bi)), 0,
					     L"hand-over");
	fill_boot_info(bi, &kernel);
	options_find(image, bi);
	modules_load(boot_device(image), bi);
	bi->cr3 = paging_build(&kernel);
	Print(L"topaz-loader: kernel at %lx, %d KiB, %d modules\r\n",
	      kernel.base, (int)(kernel.size >> 10), (int)bi->nr_modules);

	exit_boot_services(image, bi);
	jump(bi->cr3, HHDM_BASE + bi->stack_base + BOOT_STACK_SIZE,
	     kernel.entry, HHDM_BASE + (UINT64)bi, cpu_has_nx() ? 0x800 : 0);
}
