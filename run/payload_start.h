/* SPDX-License-Identifier: MIT */
/*
 * What a ring-3 program finds when it starts: stack, thread area, input.
 */
#ifndef RUN_PAYLOAD_START_H
#define RUN_PAYLOAD_START_H

#include "lib/compiler.h"

struct payload;

/**
 * payload_start_set() - map and fill what a program finds at its start
 * @payload:	its user_vm holds the segments; rsp is set
 *
 * Context: thread, on the CPU that will run it.
 * Return: 0; -E2BIG when the arguments do not fit; user_vm_alloc()'s errors.
 */
int __must_check payload_start_set(struct payload *payload);

#endif /* RUN_PAYLOAD_START_H */
