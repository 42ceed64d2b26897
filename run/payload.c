/* SPDX-License-Identifier: MIT */
/*
 * Payloads: ring-3 programs as workloads.
 *
 * Loads, runs, ends. The file format is run/elfload.c's, what the program finds
 * at its start run/payload_start.c's, its system calls run/syscall.c's.
 */
#include "run/payload.h"

#include <asm/msr.h>
#include <asm/percpu.h>
#include <asm/user.h>
#include "lib/err.h"
#include "lib/printk.h"
#include "lib/spinlock.h"
#include "lib/string.h"
#include "mm/slab.h"
#include "run/elfload.h"
#include "run/modules.h"
#include "run/payload_start.h"
#include "run/syscall.h"

/* From linker.ld: the kernel's executable segment. */
extern const char __text_start[], __text_end[];

/*
 * The payload that each CPU has between prepare and finish. Owner: that CPU
 * until finish, which runs when nobody decodes any more. CR3 is written last
 * and cleared first: who finds it there may use the address space.
 */
static struct payload_slot {
	u64 cr3;		/* 0: none */
	struct payload *payload;
} slots[NR_CPUS];

struct payload *payload_current(void)
{
	return READ_ONCE(slots[cpu_id()].payload);
}

/* ---- code for the decoder ---- */

static size_t read_kernel_code(u64 ip, u8 *buf, size_t n)
{
	u64 start = (u64)__text_start, end = (u64)__text_end;

	if (ip < start || ip >= end)
		return 0;
	n = min(n, (size_t)(end - ip));
	memcpy(buf, (const void *)ip, n);
	return n;
}

size_t run_read_code(u64 cr3, u64 ip, u8 *buf, size_t n)
{
	struct vm vm = { .cr3 = cr3 & PAGE_MASK };

	if (ip >= USER_MAX)
		return read_kernel_code(ip, buf, n);
	if (!vm.cr3)
		return 0;
	for (unsigned int cpu = 0; cpu < nr_cpus(); cpu++) {
		/* Pairs with the release in publish(): tables are complete. */
		if (smp_load_acquire(&slots[cpu].cr3) == vm.cr3)
			return user_vm_read_code(&vm, ip, buf, n);
	}
	return 0;
}

static int publish(struct payload *payload)
{
	struct payload_slot *slot = &slots[payload->run->cpu];

	if (slot->payload)
		return -EBUSY;
	WRITE_ONCE(slot->payload, payload);
	/* Pairs with the acquire in run_read_code(). */
	smp_store_release(&slot->cr3, payload->uvm.vm.cr3 & PAGE_MASK);
	return 0;
}

static void unpublish(struct payload *payload)
{
	struct payload_slot *slot = &slots[payload->run->cpu];

	if (slot->payload != payload)
		return;
	smp_store_release(&slot->cr3, 0);
	WRITE_ONCE(slot->payload, NULL);
}

/* ---- symbols ---- */

/* Several CPUs may prepare the same file at once. */
static struct spinlock symbols_lock = SPINLOCK_INIT;

static int build_symbols(struct payload_file *file, u64 bias)
{
	long nr = symtab_count(file->data, file->size);
	int err;

	if (nr <= 0)
		return (int)nr;
	file->symtab.sym = kcalloc((size_t)nr, sizeof(struct symbol),
				   GFP_KERNEL);
	if (!file->symtab.sym)
		return -ENOMEM;
	file->symtab.max = (size_t)nr;
	file->symtab.bias = bias;
	err = symtab_build(&file->symtab, file->data, file->size);
	if (err) {
		kfree(file->symtab.sym);
		file->symtab.sym = NULL;
	}
	return err;
}

/* A program without names is still a program: reports show addresses. */
static void name_file(struct payload_file *file, u64 bias)
{
	int err = 0;

	spin_lock(&symbols_lock);
	if (!file->named) {
		file->named = true;
		err = build_symbols(file, bias);
		if (file->symtab.sym)
			symtab_register(&file->symtab);
	}
	spin_unlock(&symbols_lock);
	if (err)
		printk("payload: %s: no symbols: %s\n", file->name,
		       err_name(err));
}

/* ---- faults ---- */

struct fault {
	const char *name;
	int status;		/* 128 + the signal that Linux would send */
};

static const struct fault faults[32] = {
	[0] = { "#DE", 128 + 8 },	/* SIGFPE */
	[1] = { "#DB", 128 + 5 },	/* SIGTRAP */
	[3] = { "#BP", 128 + 5 },
	[4] = { "#OF", 128 + 11 },	/* SIGSEGV */
	[5] = { "#BR", 128 + 11 },
	[6] = { "#UD", 128 + 4 },	/* SIGILL */
	[7] = { "#NM", 128 + 8 },
	[11] = { "#NP", 128 + 7 },	/* SIGBUS */
	[12] = { "#SS", 128 + 7 },
	[13] = { "#GP", 128 + 11 },
	[14] = { "#PF", 128 + 11 },
	[16] = { "#MF", 128 + 8 },
	[17] = { "#AC", 128 + 7 },
	[19] = { "#XM", 128 + 8 },
};

static void payload_fault(struct pt_regs *regs, u64 cr2)
{
	static const struct fault other = { "fault", 128 + 11 };
	const struct fault *fault = &other;

	if (regs->vector < ARRAY_SIZE(faults) && faults[regs->vector].name)
		fault = &faults[regs->vector];
	printk("payload: %s (vector %llu, error %llx) at %llx %pS, cr2 %llx, rsp %llx\n",
	       fault->name, (unsigned long long)regs->vector,
	       (unsigned long long)regs->error, (unsigned long long)regs->rip,
	       (void *)regs->rip, (unsigned long long)cr2,
	       (unsigned long long)regs->rsp);
	user_exit(fault->status);
}

/* ---- load, run, end ---- */

static int load(struct payload *payload, const struct payload_file *file)
{
	struct elf_error error = { 0 };
	struct elf_image image;
	int err = elf_check(&image, file->data, file->size, &error);

	if (!err)
		err = elf_load(&image, &payload->uvm, &error);
	if (err == -ENOEXEC)
		printk("payload: %s: ELF file, byte 0x%llx: %s\n", file->name,
		       (unsigned long long)error.offset, error.reason);
	payload->entry = image.entry;
	payload->bias = image.bias;
	return err;
}

static void payload_free(struct payload *payload)
{
	unpublish(payload);
	user_vm_fini(&payload->uvm);
	kfree(payload);
}

int payload_prepare(struct workload_run *run, struct payload_file *file)
{
	struct payload *payload = kzalloc(sizeof(*payload), GFP_KERNEL);
	int err;

	if (!payload)
		return -ENOMEM;
	payload->run = run;
	err = user_vm_init(&payload->uvm);
	if (!err)
		err = load(payload, file);
	if (!err)
		err = payload_start_set(payload);
	if (!err)
		err = publish(payload);
	if (err) {
		payload_free(payload);
		return err;
	}
	name_file(file, payload->bias);
	/* The same handlers each time. */
	syscall_set_handler(payload_syscall);
	user_fault_set_handler(payload_fault);
	run->priv = payload;
	return 0;
}

int payload_run(struct workload_run *run)
{
	struct payload *payload = run->priv;
	int status;

	wrmsr(MSR_FS_BASE, USER_TLS_BASE);
	vm_switch(&payload->uvm.vm);
	status = user_run(payload->entry, payload->rsp, payload->rsp);
	vm_switch(&kernel_vm);
	wrmsr(MSR_FS_BASE, 0);
	if (!status)
		return 0;
	printk("payload: %s on cpu %u: exit status %d\n", run->argv[0],
	       run->cpu, status);
	return -EIO;
}

void payload_finish(struct workload_run *run)
{
	struct payload *payload = run->priv;

	if (payload->unknown_calls)
		printk("payload: cpu %u: %llu unknown system calls\n", run->cpu,
		       (unsigned long long)payload->unknown_calls);
	payload_free(payload);
	run->priv = NULL;
}

/* ---- a file of the boot volume ---- */

/*
 * The last file that ran: its names stay for the reports, until another file
 * takes its addresses. Owner: use_module().
 */
static struct payload_file boot_file;

/* Several CPUs at once, but then with the same module. */
static void use_module(const struct module *module)
{
	spin_lock(&symbols_lock);
	if (boot_file.data != module->data) {
		if (boot_file.symtab.sym)
			symtab_unregister(&boot_file.symtab);
		kfree(boot_file.symtab.sym);
		boot_file = (struct payload_file){
			.name = module->name,
			.data = module->data,
			.size = module->size,
		};
	}
	spin_unlock(&symbols_lock);
}

static int file_prepare(struct workload_run *run)
{
	const struct module *module;

	if (run->argc < 1)
		return -EINVAL;
	module = module_by_name(run->argv[0]);
	if (!module) {
		printk("payload: %s: not on the boot volume\n", run->argv[0]);
		return -ENOENT;
	}
	use_module(module);
	return payload_prepare(run, &boot_file);
}

static const struct workload file_workload = {
	.name = "payload",
	.help = "a static ELF64 program of the boot volume, in ring 3",
	.prepare = file_prepare,
	.run = payload_run,
	.finish = payload_finish,
};

const struct workload *payload_workload(void)
{
	return &file_workload;
}
