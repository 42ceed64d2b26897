/* SPDX-License-Identifier: MIT */
/*
 * How boot services are left: the order of calls and the number of tries.
 * Knows nothing of EFI's headers: also a host program.
 */
#ifndef BOOT_LOADER_EXIT_H
#define BOOT_LOADER_EXIT_H

#include <stddef.h>
#include <stdint.h>

#define EXIT_TRIES	16
#define EXIT_SPARE	512	/* entries */

/* One memory map in memory that was taken before. */
struct exit_map {
	void *map;
	size_t room;			/* bytes */
	size_t size;			/* what the last call gave */
	size_t stride;
	size_t key;
};

/* The firmware's two calls. Return: 0, or the firmware's error. */
struct exit_calls {
	uint64_t (*get_map)(void *priv, struct exit_map *m);
	uint64_t (*leave)(void *priv, size_t key);
	void *priv;
};

/**
 * exit_room() - how large the memory map may become
 * @size:	what the firmware says that it needs
 * @stride:	DescriptorSize
 *
 * Taking memory adds entries, and so does ExitBootServices itself on some
 * firmware, 64 at a time: as much again, and EXIT_SPARE entries at least.
 *
 * Return: bytes.
 */
size_t exit_room(size_t size, size_t stride);

/**
 * exit_try() - take the memory map and leave boot services
 * @calls:	the two calls; no other is made
 * @m:		@map and @room are given
 *
 * A key may be stale, since the first try lets the firmware's own drivers
 * stop: map and key are asked for again, into the same memory.
 *
 * Context: boot; no firmware call may follow a success, and none but
 *	    ResetSystem a failure.
 * Return: 0, or the error of the last of EXIT_TRIES tries.
 */
uint64_t exit_try(const struct exit_calls *calls, struct exit_map *m);

#endif /* BOOT_LOADER_EXIT_H */
