/* SPDX-License-Identifier: MIT */
/*
 * The memory and CPUs that host tests play with.
 */
#include "tests/unit/host_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <asm/page.h>
#include <asm/percpu.h>
#include "mm/page.h"

unsigned char *host_memory;
phys_addr_t host_phys_base;
_Thread_local unsigned int host_cpu;
unsigned int host_nr_cpus = 1;
int host_cpu_node[NR_CPUS];
static size_t reserved;		/* bytes of host_memory_reserve() */

void host_memory_init(size_t size, phys_addr_t base)
{
	size_t align = (size_t)PAGE_SIZE << MAX_ORDER;

	host_memory = aligned_alloc(align, round_up_u64(size, align));
	if (!host_memory)
		abort();
	memset(host_memory, 0xa5, size);
	host_phys_base = base;
}

void host_memory_reserve(size_t size, phys_addr_t base)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		abort();
	host_memory = mem;
	host_phys_base = base;
	reserved = size;
}

void host_memory_fini(void)
{
	if (reserved)
		munmap(host_memory, reserved);
	else
		free(host_memory);
	host_memory = NULL;
	reserved = 0;
}

void host_pages_init(size_t size, phys_addr_t base)
{
	struct mem_range range = { .base = base, .size = size };

	host_memory_init(size, base);
	if (page_init(&range, 1))
		abort();
}

int host_pages_group_setup(void **state)
{
	(void)state;
	host_pages_init(HOST_GROUP_MEMORY, 0x100000000ULL);
	return 0;
}

int host_pages_group_teardown(void **state)
{
	(void)state;
	host_memory_fini();
	return 0;
}
