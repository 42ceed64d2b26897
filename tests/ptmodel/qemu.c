/* SPDX-License-Identifier: MIT */
/*
 * The plugin: its start and end; what happens between is in translate.c and in
 * the callbacks that it plants.
 */
#include "translate.h"
#include "vcpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

QPL_EXPORT extern int qemu_plugin_version;
int qemu_plugin_version = QPL_ABI;

atomic_bool exiting;

static void vcpu_init_cb(unsigned int vcpu, void *unused)
{
	(void)unused;
	if (vcpu >= NR_VCPUS) {
		fprintf(stderr, "ptmodel: at most %d vCPUs\n", NR_VCPUS);
		exit(1);
	}
	vcpu_init(&vcpus[vcpu], vcpu);
	translate_for(&vcpus[vcpu]);
}

static void exit_cb(void *unused)
{
	unsigned int i;

	(void)unused;
	/*
	 * Other vCPU threads may still run. Code that is translated looks at
	 * the word "active", which stays 0 from here on; the time is for the
	 * one callback that each may be in.
	 */
	atomic_store(&exiting, true);
	for (i = 0; i < NR_VCPUS; i++)
		if (vcpus[i].reg_bytes)
			vcpu_words(&vcpus[i])->active = 0;
	usleep(20000);
	for (i = 0; i < NR_VCPUS; i++)
		if (vcpus[i].reg_bytes)
			truth_end(&vcpus[i].truth, vcpus[i].pt.capture_traced);
	if (options.code_file && code_image_write(options.code_file))
		fprintf(stderr, "ptmodel: %s: %s\n", options.code_file,
			strerror(errno));
	if (code_image_changed() && options.verbose)
		fprintf(stderr, "ptmodel: traced code has changed (%lu bytes): "
			"the code image has its last version, .truth has each\n",
			code_image_changed());
}

QPL_EXPORT int qemu_plugin_install(qpl_id id, const struct qpl_info *info,
				   int argc, char **argv);

int qemu_plugin_install(qpl_id id, const struct qpl_info *info, int argc,
			char **argv)
{
	if (argc == 1 && !strcmp(argv[0], "probe=on")) {
		printf("ptmodel: QEMU offers plugin ABI %d to %d\n",
		       info->version.min, info->version.cur);
		fflush(stdout);
		_exit(0);
	}
	if (strcmp(info->target_name, "x86_64") || !info->system_emulation) {
		fprintf(stderr, "ptmodel: for qemu-system-x86_64 only\n");
		return -1;
	}
	if (options_parse(argc, argv, info->system.max_vcpus))
		return -1;
	vcpu_words_init();
	qemu_plugin_register_vcpu_init_cb(id, vcpu_init_cb, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate_cb, NULL);
	qemu_plugin_register_vcpu_discon_cb(id, QPL_DISCON_INTERRUPT |
					    QPL_DISCON_EXCEPTION,
					    follow_discon, NULL);
	qemu_plugin_register_flush_cb(id, translate_flush_cb, NULL);
	qemu_plugin_register_atexit_cb(id, exit_cb, NULL);
	return 0;
}
