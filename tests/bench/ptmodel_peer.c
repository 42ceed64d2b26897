/* SPDX-License-Identifier: MIT */
/*
 * The plugin that bench-ptmodel holds the model against: one empty callback on
 * the first and on the last instruction of each TB, and nothing else.
 */
#include "tests/ptmodel/qpl.h"

QPL_EXPORT extern int qemu_plugin_version;
int qemu_plugin_version = QPL_ABI;

static void nothing(unsigned int vcpu, void *unused)
{
	(void)vcpu;
	(void)unused;
}

static void translate(struct qemu_plugin_tb *tb, void *unused)
{
	size_t nr = qemu_plugin_tb_n_insns(tb);

	(void)unused;
	qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, 0),
					       nothing, QPL_NO_REGS, NULL);
	qemu_plugin_register_vcpu_insn_exec_cb(
		qemu_plugin_tb_get_insn(tb, nr - 1), nothing, QPL_NO_REGS,
		NULL);
}

QPL_EXPORT int qemu_plugin_install(qpl_id id, const struct qpl_info *info,
				   int argc, char **argv);

int qemu_plugin_install(qpl_id id, const struct qpl_info *info, int argc,
			char **argv)
{
	(void)info;
	(void)argc;
	(void)argv;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate, NULL);
	return 0;
}
