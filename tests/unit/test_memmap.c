/* SPDX-License-Identifier: MIT */
/*
 * The loader's conversion of the firmware's memory map: maps as they should be
 * and as they were seen, and random ones against a model page by page.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/efi_map.h"

#define KIB		1024ULL
#define MIB		(1024 * KIB)
#define WB		0xfULL
#define SP		0x40000ULL
#define NV		0x8000ULL
#define RUNTIME		(1ULL << 63)
#define MAX_ENTRIES	4096
#define STRIDE		48		/* as most firmware has it */

static unsigned char raw[MAX_ENTRIES * 64];
static size_t stride, nr;
static struct memmap m;

static void put(uint32_t type, uint64_t base, uint64_t pages, uint64_t attr)
{
	struct memmap_descriptor d = { .type = type, .pad = 0xdeadbeef,
				       .base = base, .virt = ~0ULL,
				       .nr_pages = pages, .attr = attr };

	assert_true((nr + 1) * stride <= sizeof(raw));
	memset(raw + nr * stride, 0xee, stride);
	memcpy(raw + nr++ * stride, &d, sizeof(d));
}

static void put_at(uint32_t type, uint64_t base, uint64_t end)
{
	put(type, base, (end - base) / 4096, WB);
}

static void convert_in(size_t room)
{
	efi_map_init(&m, raw, nr * stride, stride, room);
	memmap_convert(&m);
	assert_null(efi_map_fault(&m));
}

static void convert(void)
{
	convert_in(nr);
}

static void expect(size_t i, uint64_t base, uint64_t end, uint64_t type)
{
	assert_true(i < m.nr_mem);
	assert_int_equal(m.mem[i].base, base);
	assert_int_equal(m.mem[i].size, end - base);
	assert_int_equal(m.mem[i].type, type);
}

static int setup(void **state)
{
	(void)state;
	stride = STRIDE;
	nr = 0;
	memset(&m, 0, sizeof(m));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	efi_map_fini(&m);
	return 0;
}

static void types_become_what_the_kernel_tells_apart(void **state)
{
	static const uint64_t want[] = {
		BOOT_MEM_RESERVED, BOOT_MEM_LOADER, BOOT_MEM_LOADER,
		BOOT_MEM_USABLE, BOOT_MEM_USABLE, BOOT_MEM_RUNTIME,
		BOOT_MEM_RUNTIME, BOOT_MEM_USABLE, BOOT_MEM_RESERVED,
		BOOT_MEM_ACPI, BOOT_MEM_NVS, BOOT_MEM_MMIO, BOOT_MEM_MMIO,
		BOOT_MEM_RESERVED, BOOT_MEM_RESERVED, BOOT_MEM_RESERVED,
		BOOT_MEM_RESERVED,
	};

	(void)state;
	for (uint32_t i = 0; i < 17; i++)
		put(i, MIB * (i + 1), 1, WB);
	put(0x6fffffff, 100 * MIB, 1, WB);
	put(0x70000000, 101 * MIB, 1, WB);
	put(0xffffffff, 102 * MIB, 1, WB);
	convert();
	assert_int_equal(m.nr_mem, 20);
	for (uint32_t i = 0; i < 17; i++)
		expect(i, MIB * (i + 1), MIB * (i + 1) + 4096, want[i]);
	for (uint32_t i = 17; i < 20; i++)
		assert_int_equal(m.mem[i].type, BOOT_MEM_RESERVED);
	assert_int_equal(m.skipped, 0);
	assert_int_equal(m.overlaps, 0);
}

static void memory_that_is_not_plain_ram_is_reserved(void **state)
{
	(void)state;
	put(7, 1 * MIB, 1, WB | SP);
	put(7, 2 * MIB, 1, WB & ~8ULL);
	put(7, 3 * MIB, 1, WB | NV);
	put(3, 4 * MIB, 1, 0);
	put(14, 6 * MIB, 1, WB | NV);
	put(15, 7 * MIB, 1, WB);
	convert();
	assert_int_equal(m.nr_mem, 6);
	for (size_t i = 0; i < m.nr_mem; i++)
		assert_int_equal(m.mem[i].type, BOOT_MEM_RESERVED);
}

static void a_region_for_run_time_is_never_usable(void **state)
{
	(void)state;
	put(7, 1 * MIB, 1, WB | RUNTIME);
	put(4, 2 * MIB, 1, WB | RUNTIME);
	convert();
	expect(0, 1 * MIB, 1 * MIB + 4096, BOOT_MEM_RUNTIME);
	expect(1, 2 * MIB, 2 * MIB + 4096, BOOT_MEM_RUNTIME);
}

static void the_step_is_what_the_firmware_says(void **state)
{
	static const size_t strides[] = { 40, 41, 48, 56, 64 };

	(void)state;
	for (size_t i = 0; i < sizeof(strides) / sizeof(strides[0]); i++) {
		nr = 0;
		stride = strides[i];
		put_at(7, 1 * MIB, 2 * MIB);
		put_at(1, 2 * MIB, 3 * MIB);
		put_at(7, 3 * MIB, 9 * MIB);
		convert();
		assert_int_equal(m.nr_mem, 3);
		expect(2, 3 * MIB, 9 * MIB, BOOT_MEM_USABLE);
		efi_map_fini(&m);
	}
	memset(&m, 0, sizeof(m));
}

static void a_step_that_is_too_small_gives_no_map(void **state)
{
	(void)state;
	put_at(7, 1 * MIB, 2 * MIB);
	for (stride = 0; stride < 40; stride++) {
		efi_map_init(&m, raw, 48, stride, 1);
		memmap_convert(&m);
		assert_int_equal(m.nr_mem, 0);
		assert_int_equal(m.skipped, 1);
		efi_map_fini(&m);
	}
	memset(&m, 0, sizeof(m));
}

static void a_cut_last_entry_is_not_read(void **state)
{
	(void)state;
	put_at(7, 1 * MIB, 2 * MIB);
	put_at(7, 4 * MIB, 5 * MIB);
	efi_map_init(&m, raw, 2 * STRIDE - 1, STRIDE, 2);
	memmap_convert(&m);
	assert_int_equal(m.nr_mem, 1);
}

static void an_empty_map_gives_none(void **state)
{
	(void)state;
	convert();
	assert_int_equal(m.nr_mem, 0);
	assert_int_equal(m.skipped, 0);
}

static void an_unsorted_map_is_sorted_and_merged(void **state)
{
	(void)state;
	put_at(7, 8 * MIB, 16 * MIB);
	put_at(3, 4 * MIB, 8 * MIB);
	put_at(9, 16 * MIB, 17 * MIB);
	put_at(4, 1 * MIB, 4 * MIB);
	put_at(7, 17 * MIB, 18 * MIB);
	convert();
	assert_int_equal(m.nr_mem, 3);
	expect(0, 1 * MIB, 16 * MIB, BOOT_MEM_USABLE);
	expect(1, 16 * MIB, 17 * MIB, BOOT_MEM_ACPI);
	expect(2, 17 * MIB, 18 * MIB, BOOT_MEM_USABLE);
	assert_int_equal(m.overlaps, 0);
}

static void malformed_entries_are_counted_and_left_out(void **state)
{
	(void)state;
	put(7, 1 * MIB, 0, WB);
	put(7, 1 * MIB + 7, 4, WB);
	put(0, 2 * MIB, ~0ULL, WB);
	put(7, 2 * MIB, 1ULL << 52, WB);
	put(7, ~0ULL << 12, 1, WB);
	put(7, ~0ULL << 12, 2, WB);
	put(7, 1ULL << 52, 1, WB);
	put(7, (1ULL << 52) - 4096, 2, WB);
	put_at(7, 4 * MIB, 5 * MIB);
	convert();
	assert_int_equal(m.nr_mem, 1);
	expect(0, 4 * MIB, 5 * MIB, BOOT_MEM_USABLE);
	assert_int_equal(m.skipped, 8);
}

static void the_last_page_of_all_can_be_there(void **state)
{
	(void)state;
	put(11, (1ULL << 52) - 4096, 1, 1);
	convert();
	expect(0, (1ULL << 52) - 4096, 1ULL << 52, BOOT_MEM_MMIO);
}

static void the_more_restrictive_type_wins(void **state)
{
	(void)state;
	put_at(7, 1 * MIB, 16 * MIB);
	put_at(0, 4 * MIB, 5 * MIB);		/* inside */
	put_at(6, 15 * MIB, 18 * MIB);		/* across the end */
	put_at(7, 17 * MIB, 20 * MIB);		/* across its end */
	convert();
	assert_int_equal(m.nr_mem, 5);
	expect(0, 1 * MIB, 4 * MIB, BOOT_MEM_USABLE);
	expect(1, 4 * MIB, 5 * MIB, BOOT_MEM_RESERVED);
	expect(2, 5 * MIB, 15 * MIB, BOOT_MEM_USABLE);
	expect(3, 15 * MIB, 18 * MIB, BOOT_MEM_RUNTIME);
	expect(4, 18 * MIB, 20 * MIB, BOOT_MEM_USABLE);
	assert_int_equal(m.overlaps, 3);
}

static void what_a_loader_was_given_stays_its_own(void **state)
{
	(void)state;
	put_at(0, 1 * MIB, 16 * MIB);
	put(2, 4 * MIB, 256, WB | SP);
	put_at(11, 4 * MIB, 5 * MIB);
	convert();
	assert_int_equal(m.nr_mem, 3);
	expect(1, 4 * MIB, 5 * MIB, BOOT_MEM_LOADER);
}

static void duplicates_are_one_entry(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++)
		put_at(7, 1 * MIB, 2 * MIB);
	put_at(11, 1 * MIB, 2 * MIB);
	convert();
	assert_int_equal(m.nr_mem, 1);
	expect(0, 1 * MIB, 2 * MIB, BOOT_MEM_MMIO);
	assert_int_equal(m.overlaps, 4);
}

static void page_0_is_never_usable(void **state)
{
	(void)state;
	put_at(7, 0, 640 * KIB);
	convert();
	assert_int_equal(m.nr_mem, 1);
	expect(0, 4096, 640 * KIB, BOOT_MEM_USABLE);
	efi_map_fini(&m);

	nr = 0;
	put(7, 0, 1, WB);
	put_at(3, 4096, 8192);
	convert();
	expect(0, 4096, 8192, BOOT_MEM_USABLE);
	assert_int_equal(m.skipped, 0);
}

static void thousands_of_entries_are_taken(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 3000; i++)	/* every second page is free */
		put(i * 7 % 3000 % 2 ? 0 : 7, MIB + i * 7 % 3000 * 4096, 1, WB);
	convert();
	assert_int_equal(m.nr_mem, 3000);
	assert_int_equal(m.skipped, 0);
	assert_int_equal(m.overlaps, 0);
}

static void nested_entries_give_twice_as_many_ranges(void **state)
{
	(void)state;
	put_at(7, 1 * MIB, 1000 * MIB);
	for (uint64_t i = 1; i < 400; i++)
		put_at(0, 2 * i * MIB, (2 * i + 1) * MIB);
	convert();
	assert_int_equal(m.nr_mem, 799);
	assert_int_equal(m.overlaps, 399);
}

static void entries_beyond_the_room_are_counted(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 10; i++)
		put(7, 2 * i * MIB, 1, WB);
	convert_in(7);
	assert_int_equal(m.nr_mem, 7);
	assert_int_equal(m.skipped, 3);
}

static void runs_of_ram_join_what_only_differs_in_type(void **state)
{
	struct boot_mem run;
	size_t i = 0;

	(void)state;
	put_at(7, 1 * MIB, 4 * MIB);
	put_at(2, 4 * MIB, 5 * MIB);
	put_at(9, 5 * MIB, 6 * MIB);
	put_at(0, 6 * MIB, 7 * MIB);
	put_at(10, 7 * MIB, 8 * MIB);
	put_at(7, 9 * MIB, 10 * MIB);
	put_at(11, 10 * MIB, 11 * MIB);
	convert();
	assert_true(memmap_next_ram(m.mem, m.nr_mem, &i, &run));
	assert_int_equal(run.base, 1 * MIB);
	assert_int_equal(run.size, 5 * MIB);
	assert_true(memmap_next_ram(m.mem, m.nr_mem, &i, &run));
	assert_int_equal(run.base, 7 * MIB);
	assert_int_equal(run.size, 1 * MIB);
	assert_true(memmap_next_ram(m.mem, m.nr_mem, &i, &run));
	assert_int_equal(run.base, 9 * MIB);
	assert_int_equal(run.size, 1 * MIB);
	assert_false(memmap_next_ram(m.mem, m.nr_mem, &i, &run));
}

/* What a page is by all entries: see enum boot_mem_type. */
static uint64_t model[256];

static void model_add(uint32_t type, uint64_t page, uint64_t pages)
{
	static const uint64_t types[] = {
		BOOT_MEM_RESERVED, BOOT_MEM_LOADER, BOOT_MEM_LOADER,
		BOOT_MEM_USABLE, BOOT_MEM_USABLE, BOOT_MEM_RUNTIME,
		BOOT_MEM_RUNTIME, BOOT_MEM_USABLE, BOOT_MEM_RESERVED,
		BOOT_MEM_ACPI, BOOT_MEM_NVS, BOOT_MEM_MMIO,
	};

	for (; pages--; page++)
		if (model[page] != BOOT_MEM_LOADER &&
		    (types[type] > model[page] ||
		     types[type] == BOOT_MEM_LOADER))
			model[page] = types[type];
	if (model[0] == BOOT_MEM_USABLE)
		model[0] = 0;
}

static void random_maps_are_what_a_page_model_says(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 2000; round++) {
		size_t entries = (size_t)rand() % 24;

		nr = 0;
		memset(model, 0, sizeof(model));
		for (size_t i = 0; i < entries; i++) {
			uint32_t type = (uint32_t)rand() % 12;
			uint64_t page = (uint64_t)rand() % 240;
			uint64_t pages = (uint64_t)rand() % 16;

			put(type, page * 4096, pages, WB);
			model_add(type, page, pages);
		}
		convert();
		for (uint64_t page = 0; page < 256; page++)
			assert_int_equal(efi_map_type_at(&m, page * 4096),
					 model[page]);
		efi_map_fini(&m);
	}
	memset(&m, 0, sizeof(m));
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(types_become_what_the_kernel_tells_apart),
		TEST(memory_that_is_not_plain_ram_is_reserved),
		TEST(a_region_for_run_time_is_never_usable),
		TEST(the_step_is_what_the_firmware_says),
		TEST(a_step_that_is_too_small_gives_no_map),
		TEST(a_cut_last_entry_is_not_read),
		TEST(an_empty_map_gives_none),
		TEST(an_unsorted_map_is_sorted_and_merged),
		TEST(malformed_entries_are_counted_and_left_out),
		TEST(the_last_page_of_all_can_be_there),
		TEST(the_more_restrictive_type_wins),
		TEST(what_a_loader_was_given_stays_its_own),
		TEST(duplicates_are_one_entry),
		TEST(page_0_is_never_usable),
		TEST(thousands_of_entries_are_taken),
		TEST(nested_entries_give_twice_as_many_ranges),
		TEST(entries_beyond_the_room_are_counted),
		TEST(runs_of_ram_join_what_only_differs_in_type),
		TEST(random_maps_are_what_a_page_model_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
