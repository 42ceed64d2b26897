/* SPDX-License-Identifier: MIT */
/*
 * Programs in memory: what elf_load() lays out of a checked file, and that no
 * damage to a file leads it or elf_check() astray.
 *
 * The address space is a list of ranges here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/collect.h"
#include "tests/unit/elf_file.h"

/* Bytes of a range that are kept; more of it is only checked. */
#define KEPT	(16u << 10)

struct range {
	u64 va;
	u64 size;
	unsigned int prot;
	u8 bytes[KEPT];
};

static struct range range[ELF_MAX_SEGMENTS];
static unsigned int nr_ranges, fail_alloc_at;
static u64 nr_writes;
static struct user_vm uvm;

int user_vm_alloc(struct user_vm *vm, u64 va, u64 size, unsigned int prot)
{
	struct range *r = &range[nr_ranges];

	assert_ptr_equal(vm, &uvm);
	if (nr_ranges + 1 == fail_alloc_at)
		return -ENOMEM;
	assert_true(nr_ranges < ELF_MAX_SEGMENTS);
	assert_true(size >= 1);
	nr_ranges++;
	r->va = va & PAGE_MASK;
	r->size = round_up_u64(va + size, PAGE_SIZE) - r->va;
	r->prot = prot;
	memset(r->bytes, 0, sizeof(r->bytes));
	return 0;
}

static struct range *range_at(u64 va, u64 n)
{
	for (unsigned int i = 0; i < nr_ranges; i++)
		if (va - range[i].va < range[i].size &&
		    n <= range[i].size - (va - range[i].va))
			return &range[i];
	return NULL;
}

int user_vm_write(const struct user_vm *vm, u64 va, const void *src, size_t n)
{
	struct range *r = range_at(va, n);
	const volatile u8 *from = src;

	assert_ptr_equal(vm, &uvm);
	if (!n)
		return 0;
	if (!r)
		return -EFAULT;
	nr_writes++;
	for (size_t i = 0; i < n; i++) {
		u8 byte = from[i];

		if (va - r->va + i < KEPT)
			r->bytes[va - r->va + i] = byte;
	}
	return 0;
}

static int load(void)
{
	nr_ranges = 0;
	nr_writes = 0;
	return elf_load(&image, &uvm, &error);
}

static const u8 *bytes_at(u64 va)
{
	struct range *r = range_at(va, 1);

	assert_non_null(r);
	return r->bytes + (va - r->va);
}

static u64 u64_at(u64 va)
{
	u64 value;

	memcpy(&value, bytes_at(va), sizeof(value));
	return value;
}

/* ---- good files ---- */

static void segments_are_laid_out_with_zeroes_behind_them(void **state)
{
	static const u8 zero[BSS_SIZE];
	u64 data = EXEC_BASE + DATA_AT + DATA_SHIFT;

	(void)state;
	file_start(ET_EXEC);
	assert_int_equal(check(), 0);
	assert_int_equal(load(), 0);
	assert_int_equal(nr_ranges, 2);
	assert_int_equal(range[0].prot, PROT_READ | PROT_EXEC);
	assert_int_equal(range[1].prot, PROT_READ | PROT_WRITE);
	assert_memory_equal(bytes_at(EXEC_BASE), file.text, TEXT_SIZE);
	assert_memory_equal(bytes_at(EXEC_BASE + TEXT_SIZE), zero,
			    PAGE_SIZE - TEXT_SIZE);
	assert_memory_equal(bytes_at(EXEC_BASE + DATA_AT), zero, DATA_SHIFT);
	assert_memory_equal(bytes_at(data), file.data, DATA_SIZE);
	assert_memory_equal(bytes_at(data + DATA_SIZE), zero, BSS_SIZE);
}

static void relative_relocations_get_the_bias(void **state)
{
	u64 data = USER_LOAD_BIAS + IN_DATA(data);

	(void)state;
	file_start(ET_DYN);
	file.rela[2].r_addend = -8;
	assert_int_equal(check(), 0);
	assert_int_equal(load(), 0);
	assert_int_equal(u64_at(data), file.data[0]);
	assert_int_equal(u64_at(data + 8), USER_LOAD_BIAS);
	assert_int_equal(u64_at(data + 16), USER_LOAD_BIAS + 16);
	assert_int_equal(u64_at(data + 24), USER_LOAD_BIAS - 8);
}

static void a_relocation_may_lie_in_bss_up_to_its_last_byte(void **state)
{
	u64 end = DATA_AT + DATA_SHIFT + DATA_SIZE + BSS_SIZE;

	(void)state;
	file_start(ET_DYN);
	file.rela[1].r_offset = end - 8;
	assert_int_equal(check(), 0);
	assert_int_equal(load(), 0);
	assert_int_equal(u64_at(USER_LOAD_BIAS + end - 8),
			 USER_LOAD_BIAS + 16);
}

/* ---- files and machines that do not do ---- */

static void other_relocations_are_refused_where_they_stand(void **state)
{
	static const u64 info[] = {
		0, 1, 6, 7, 9, 37, R_X86_64_RELATIVE | 1ULL << 32, ~0ULL,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(info); i++) {
		unsigned int at = i % NR_RELA;

		file_start(ET_DYN);
		file.rela[at].r_info = info[i];
		assert_int_equal(check(), 0);
		assert_int_equal(load(), -ENOEXEC);
		assert_int_equal(error.offset,
				 offsetof(struct file, rela[at].r_info));
		assert_non_null(strstr(error.reason, "R_X86_64_RELATIVE"));
	}
}

static void relocations_outside_of_the_segments_are_refused(void **state)
{
	u64 end = DATA_AT + DATA_SHIFT + DATA_SIZE + BSS_SIZE;
	u64 offset[] = {
		TEXT_SIZE - 7, TEXT_SIZE, DATA_AT, DATA_AT + DATA_SHIFT - 1,
		end - 7, end, ~0ULL, 0 - USER_LOAD_BIAS, 0 - 4ULL,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(offset); i++) {
		file_start(ET_DYN);
		file.rela[1].r_offset = offset[i];
		assert_int_equal(check(), 0);
		assert_int_equal(load(), -ENOEXEC);
		assert_int_equal(error.offset, offsetof(struct file, rela[1]));
		assert_non_null(strstr(error.reason, "outside"));
	}
}

static void an_address_space_without_room_is_passed_on(void **state)
{
	(void)state;
	file_start(ET_DYN);
	assert_int_equal(check(), 0);
	for (fail_alloc_at = 1; fail_alloc_at <= 2; fail_alloc_at++) {
		assert_int_equal(load(), -ENOMEM);
		assert_int_equal(nr_ranges, fail_alloc_at - 1);
		assert_int_equal(nr_writes, fail_alloc_at - 1);
	}
	fail_alloc_at = 0;
	assert_int_equal(load(), 0);
}

/* ---- random damage ---- */

static const u64 nasty[] = {
	0, 1, 7, 8, 0xfff, 0x1000, EXEC_BASE, USER_LOAD_BIAS, USER_LOAD_MAX,
	ELF_MAX_MEMORY, sizeof(struct file), 1ULL << 31, 1ULL << 32,
	1ULL << 47, 1ULL << 63, ~0ULL - USER_LOAD_BIAS, ~0ULL - 0xfff, ~0ULL,
};

/* Where damage matters: header, used program headers, dynamic section. */
static size_t random_place(u64 *seed)
{
	u64 r = random_u64(seed);
	size_t head = PHDR(NR_USED + 1, p_type);
	size_t tail = offsetof(struct file, dyn);
	size_t pos = (r >> 8) % (head + sizeof(file) - tail);

	return pos < head ? pos : pos - head + tail;
}

static void damage_once(u64 *seed)
{
	size_t pos = random_place(seed);
	u64 r = random_u64(seed), value = nasty[(r >> 8) % ARRAY_SIZE(nasty)];
	static const unsigned int size[] = { 1, 2, 4, 8 };
	unsigned int n = size[r >> 4 & 3];

	if (r & 1)
		value += (r >> 32) % 64 - 32;
	if (r & 2)
		((u8 *)&file)[pos] ^= (u8)(1u << (r >> 5 & 7));
	else
		memcpy((u8 *)&file + pos / n * n, &value, n);
}

/* What the loader relies on in an image that passed. */
static void expect_sound(size_t size)
{
	u64 end = 0, total = 0;
	bool entry_in_code = false;

	assert_true(image.nr_segments <= ELF_MAX_SEGMENTS);
	for (unsigned int i = 0; i < image.nr_segments; i++) {
		const struct elf_segment *s = &image.segment[i];

		assert_true((s->va & PAGE_MASK) >= end);
		assert_true(s->va >= USER_LOAD_MIN);
		assert_true(s->memsz && s->memsz <= ELF_MAX_MEMORY);
		assert_true(s->va + s->memsz <= USER_LOAD_MAX);
		assert_true(s->filesz <= s->memsz && s->offset <= size &&
			    s->filesz <= size - s->offset);
		assert_true((s->prot & (PROT_WRITE | PROT_EXEC)) !=
			    (PROT_WRITE | PROT_EXEC));
		entry_in_code |= s->prot & PROT_EXEC && image.entry >= s->va &&
				 image.entry < s->va + s->memsz;
		end = round_up_u64(s->va + s->memsz, PAGE_SIZE);
		total += s->memsz;
	}
	assert_true(entry_in_code);
	assert_true(total <= ELF_MAX_MEMORY);
	assert_true(image.nr_rela <= size / sizeof(struct elf64_rela));
}

static void no_damage_leads_the_loader_astray(void **state)
{
	unsigned int nr_good = 0, nr_loaded = 0;
	u64 seed = 7;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		size_t size = sizeof(file);
		u64 r = random_u64(&seed);
		int err;

		file_start(r & 1 ? ET_DYN : ET_EXEC);
		for (u64 n = r >> 8 & 3; n < 4; n++)
			damage_once(&seed);
		if ((r >> 16) % 8 == 0)
			size = (r >> 24) % (size + 1);
		err = check_bytes(size);
		assert_true(err == 0 || (err == -ENOEXEC && error.reason));
		if (err)
			continue;
		nr_good++;
		expect_sound(size);
		err = load();
		assert_true(err == 0 || (err == -ENOEXEC && error.reason));
		nr_loaded += !err;
	}
	/* Else the damage is too coarse to get far. */
	assert_true(nr_good > 2000 && nr_good < 18000);
	assert_true(nr_loaded > 1000 && nr_loaded < nr_good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_laid_out_with_zeroes_behind_them),
		cmocka_unit_test(relative_relocations_get_the_bias),
		cmocka_unit_test(a_relocation_may_lie_in_bss_up_to_its_last_byte),
		cmocka_unit_test(other_relocations_are_refused_where_they_stand),
		cmocka_unit_test(relocations_outside_of_the_segments_are_refused),
		cmocka_unit_test(an_address_space_without_room_is_passed_on),
		cmocka_unit_test(no_damage_leads_the_loader_astray),
	};

	return cmocka_run_group_tests(tests, NULL, free_copy);
}
