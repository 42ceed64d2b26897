/* SPDX-License-Identifier: MIT */
/*
 * Translation: what the plugin plants into the guest's code. QEMU's callbacks.
 */
#ifndef TESTS_PTMODEL_TRANSLATE_H
#define TESTS_PTMODEL_TRANSLATE_H

struct qemu_plugin_tb;
struct vcpu;

/* This thread is @v's: its registers tell the mode of what it translates. */
void translate_for(struct vcpu *v);
void translate_cb(struct qemu_plugin_tb *tb, void *unused);
/* All TBs are gone, and so are the records of their code. */
void translate_flush_cb(void *unused);

#endif /* TESTS_PTMODEL_TRANSLATE_H */
