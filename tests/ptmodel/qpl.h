/* SPDX-License-Identifier: MIT */
/*
 * The TCG plugin ABI, version 7 (QEMU 11.1): declarations of what we use.
 *
 * Written from the ABI, so that no QEMU or GLib header is needed to build.
 * QEMU resolves the symbols when it loads the plugin. Names of functions are
 * QEMU's own and cannot be chosen.
 */
#ifndef TESTS_PTMODEL_QPL_H
#define TESTS_PTMODEL_QPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QPL_ABI		7
#define QPL_EXPORT	__attribute__((visibility("default")))

typedef uint64_t qpl_id;

/* GLib's arrays: these two members are their public layout. */
typedef struct {
	uint8_t *data;
	unsigned int len;
} GByteArray;

typedef struct {
	char *data;
	unsigned int len;
} GArray;

struct qpl_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;
struct qemu_plugin_register;

/* A 64-bit word in each vCPU's part of a scoreboard; passed by value. */
struct qpl_u64 {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

struct qpl_reg {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
	bool is_readonly;
};

enum qpl_regs {
	QPL_NO_REGS,
	QPL_R_REGS,
	QPL_RW_REGS,
	QPL_RW_REGS_PC,		/* may call qemu_plugin_set_pc() */
};

enum qpl_discon {
	QPL_DISCON_INTERRUPT = 1,
	QPL_DISCON_EXCEPTION = 2,
};

enum qpl_cond {
	QPL_COND_NE = 3,
};

enum qpl_mem_rw {
	QPL_MEM_R = 1,
};

/* What a memory access moved; the type is the logarithm of its bytes. */
struct qpl_mem_value {
	int type;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		struct {
			uint64_t low, high;
		} u128;
	} data;
};

enum qpl_op {
	QPL_OP_STORE_U64 = 1,
};

typedef void (*qpl_udata_cb)(void *udata);
typedef void (*qpl_vcpu_cb)(unsigned int vcpu, void *udata);
typedef void (*qpl_tb_cb)(struct qemu_plugin_tb *tb, void *udata);
typedef void (*qpl_mem_cb)(unsigned int vcpu, uint32_t info, uint64_t vaddr,
			   void *udata);
typedef void (*qpl_discon_cb)(unsigned int vcpu, int type, uint64_t from,
			      uint64_t to, void *udata);

/*
 * Weak: a QEMU that lacks some of these must come as far as comparing the
 * ABI's version, whose message tests/ptmodel/probe-abi reads.
 */
#pragma weak g_byte_array_new
#pragma weak g_byte_array_set_size
#pragma weak qemu_plugin_register_vcpu_init_cb
#pragma weak qemu_plugin_register_vcpu_tb_trans_cb
#pragma weak qemu_plugin_register_vcpu_discon_cb
#pragma weak qemu_plugin_register_flush_cb
#pragma weak qemu_plugin_register_atexit_cb
#pragma weak qemu_plugin_register_vcpu_insn_exec_cb
#pragma weak qemu_plugin_register_vcpu_insn_exec_cond_cb
#pragma weak qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu
#pragma weak qemu_plugin_register_vcpu_mem_cb
#pragma weak qemu_plugin_mem_get_value
#pragma weak qemu_plugin_tb_n_insns
#pragma weak qemu_plugin_tb_get_insn
#pragma weak qemu_plugin_insn_data
#pragma weak qemu_plugin_insn_size
#pragma weak qemu_plugin_insn_vaddr
#pragma weak qemu_plugin_get_registers
#pragma weak qemu_plugin_read_register
#pragma weak qemu_plugin_write_register
#pragma weak qemu_plugin_read_memory_hwaddr
#pragma weak qemu_plugin_write_memory_hwaddr
#pragma weak qemu_plugin_read_memory_vaddr
#pragma weak qemu_plugin_write_memory_vaddr
#pragma weak qemu_plugin_set_pc
#pragma weak qemu_plugin_scoreboard_new
#pragma weak qemu_plugin_scoreboard_find
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned int len);

void qemu_plugin_register_vcpu_init_cb(qpl_id id, qpl_vcpu_cb cb, void *udata);
void qemu_plugin_register_vcpu_tb_trans_cb(qpl_id id, qpl_tb_cb cb,
					   void *udata);
void qemu_plugin_register_vcpu_discon_cb(qpl_id id, int type, qpl_discon_cb cb,
					 void *udata);
void qemu_plugin_register_flush_cb(qpl_id id, qpl_udata_cb cb, void *udata);
void qemu_plugin_register_atexit_cb(qpl_id id, qpl_udata_cb cb, void *udata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qpl_vcpu_cb cb, int regs,
					    void *udata);
void qemu_plugin_register_vcpu_insn_exec_cond_cb(struct qemu_plugin_insn *insn,
						 qpl_vcpu_cb cb, int regs,
						 int cond, struct qpl_u64 word,
						 uint64_t imm, void *udata);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
	struct qemu_plugin_insn *insn, int op, struct qpl_u64 word,
	uint64_t imm);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      qpl_mem_cb cb, int regs, int rw,
				      void *udata);
struct qpl_mem_value qemu_plugin_mem_get_value(uint32_t info);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(
	const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *buf,
			     size_t len);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

GArray *qemu_plugin_get_registers(void);
bool qemu_plugin_read_register(struct qemu_plugin_register *reg,
			       GByteArray *value);
bool qemu_plugin_write_register(struct qemu_plugin_register *reg,
				GByteArray *value);
int qemu_plugin_read_memory_hwaddr(uint64_t pa, GByteArray *data, size_t len);
int qemu_plugin_write_memory_hwaddr(uint64_t pa, GByteArray *data);
bool qemu_plugin_read_memory_vaddr(uint64_t va, GByteArray *data, size_t len);
bool qemu_plugin_write_memory_vaddr(uint64_t va, GByteArray *data);
void qemu_plugin_set_pc(uint64_t pc) __attribute__((noreturn));

struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score,
				  unsigned int vcpu);

#endif /* TESTS_PTMODEL_QPL_H */
