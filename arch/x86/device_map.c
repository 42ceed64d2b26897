/* SPDX-License-Identifier: MIT */
/*
 * Registers at addresses that firmware names: checked, then mapped.
 */
#include "arch/x86/device_map.h"

#include <asm/page.h>
#include <asm/paging.h>

/* Owner: device_map_init(). */
static const struct boot_info *hand_over;

void device_map_init(const struct boot_info *bi)
{
	hand_over = bi;
}

static bool meets_ram(phys_addr_t pa, size_t size)
{
	const struct boot_mem *mem = phys_to_virt(hand_over->mem);

	for (u64 i = 0; i < hand_over->nr_mem; i++)
		if (boot_mem_is_ram(mem[i].type) &&
		    pa < mem[i].base + mem[i].size && mem[i].base < pa + size)
			return true;
	return false;
}

void *device_map(phys_addr_t pa, size_t size)
{
	if (!pa || !size || pa + size < pa || !hand_over || !kernel_vm.cr3)
		return NULL;
	return meets_ram(pa, size) ? NULL : ioremap(pa, size);
}
