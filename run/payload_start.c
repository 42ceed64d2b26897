/* SPDX-License-Identifier: MIT */
/*
 * What a ring-3 program finds when it starts: stack, thread area, input.
 *
 * The stack is the System V ABI's for AMD64, "Process Initialization":
 *
 *	top	strings of argv
 *		AT_NULL, AT_PAGESZ
 *		0	(no environment)
 *		0
 *		argv[0..argc-1]
 *	rsp ──►	argc	16-byte aligned
 */
#include "run/payload_start.h"

#include <asm/msr.h>
#include <asm/tsc.h>
#include "lib/err.h"
#include "lib/string.h"
#include "run/modules.h"
#include "run/payload.h"
#include "run/topaz.h"

#define AT_NULL		0
#define AT_PAGESZ	6
#define MAX_ARGS	32
#define MAX_STRINGS	2048u

/* Offset of the stack protector's canary from FS.base: the ABI's TCB. */
#define TLS_CANARY	0x28

/* The words from RSP up. */
struct start_words {
	u64 word[MAX_ARGS + 8];
	unsigned int nr;
};

static void push(struct start_words *words, u64 value)
{
	words->word[words->nr++] = value;
}

/* Copies argv's strings below *top. Return: 0, -E2BIG, -EFAULT. */
static int put_strings(struct payload *payload, struct start_words *words,
		       u64 *top)
{
	const struct workload_run *run = payload->run;
	size_t total = 0;

	for (int i = 0; i < run->argc; i++) {
		size_t n = strlen(run->argv[i]) + 1;

		total += n;
		if (total > MAX_STRINGS)
			return -E2BIG;
		*top -= n;
		if (user_vm_write(&payload->uvm, *top, run->argv[i], n))
			return -EFAULT;
		push(words, *top);
	}
	return 0;
}

static int set_stack(struct payload *payload)
{
	struct start_words words = { .nr = 0 };
	u64 top = USER_STACK_TOP;
	int err;

	if (payload->run->argc > MAX_ARGS)
		return -E2BIG;
	err = user_vm_alloc(&payload->uvm, USER_STACK_TOP - USER_STACK_SIZE,
			    USER_STACK_SIZE, PROT_READ | PROT_WRITE);
	if (err)
		return err;
	push(&words, (u64)payload->run->argc);
	err = put_strings(payload, &words, &top);
	if (err)
		return err;
	push(&words, 0);
	push(&words, 0);
	push(&words, AT_PAGESZ);
	push(&words, PAGE_SIZE);
	push(&words, AT_NULL);
	push(&words, 0);
	payload->rsp = (top - words.nr * sizeof(u64)) & ~15ULL;
	return user_vm_write(&payload->uvm, payload->rsp, words.word,
			     words.nr * sizeof(u64));
}

/* The ABI's thread control block, as far as a program without libc has one. */
static int set_thread_area(struct payload *payload)
{
	/* A zero byte in it stops string functions; another one each run. */
	u64 canary = (rdtsc() * 0x9e3779b97f4a7c15ULL) & ~0xffULL;
	u64 self = USER_TLS_BASE;
	int err = user_vm_alloc(&payload->uvm, USER_TLS_BASE, PAGE_SIZE,
				PROT_READ | PROT_WRITE);

	if (!err)
		err = user_vm_write(&payload->uvm, USER_TLS_BASE, &self,
				    sizeof(self));
	if (!err)
		err = user_vm_write(&payload->uvm, USER_TLS_BASE + TLS_CANARY,
				    &canary, sizeof(canary));
	return err;
}

static int set_input(struct payload *payload, struct tz_info *info)
{
	const struct module *input = module_by_name("input.txt");

	if (!input || !input->size)
		return 0;
	info->input = USER_INPUT_BASE;
	info->input_size = input->size;
	return user_vm_map_file(&payload->uvm, USER_INPUT_BASE, input->pa,
				input->size);
}

int payload_start_set(struct payload *payload)
{
	struct tz_info info = {
		.abi = TZ_ABI,
		.tsc_hz = tsc_hz(),
		.cpu = payload->run->cpu,
		.syscall_entry = rdmsr(MSR_LSTAR),
	};
	int err = set_stack(payload);

	if (!err)
		err = set_thread_area(payload);
	if (!err)
		err = set_input(payload, &info);
	if (!err)
		err = user_vm_alloc(&payload->uvm, USER_INFO_BASE, sizeof(info),
				    PROT_READ);
	return err ? err : user_vm_write(&payload->uvm, USER_INFO_BASE, &info,
					 sizeof(info));
}
