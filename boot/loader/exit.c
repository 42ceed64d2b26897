/* SPDX-License-Identifier: MIT */
/*
 * How boot services are left.
 */
#include "boot/loader/exit.h"

size_t exit_room(size_t size, size_t stride)
{
	size_t more = size > EXIT_SPARE * stride ? size : EXIT_SPARE * stride;

	return size + more;
}

uint64_t exit_try(const struct exit_calls *calls, struct exit_map *m)
{
	uint64_t error = 1;

	for (unsigned int i = 0; i < EXIT_TRIES && error; i++) {
		m->size = m->room;
		m->stride = 0;
		error = calls->get_map(calls->priv, m);
		if (!error)
			error = calls->leave(calls->priv, m->key);
	}
	return error;
}
