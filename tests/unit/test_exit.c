/* SPDX-License-Identifier: MIT */
/*
 * Leaving boot services on firmware that refuses a few times and whose map
 * grows meanwhile.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "boot/loader/exit.h"

#define STRIDE		48
#define INVALID		0x8000000000000002ULL
#define TOO_SMALL	0x8000000000000005ULL

/* Firmware: each refusal makes the map longer and the key another. */
static struct {
	size_t nr;		/* descriptors */
	size_t grow;		/* more of them at each refusal */
	unsigned int refusals;
	unsigned int nr_get, nr_leave;
	size_t key;
	bool left;
} fw;

static unsigned char room[4 * EXIT_SPARE * STRIDE];

static uint64_t get_map(void *priv, struct exit_map *m)
{
	assert_ptr_equal(priv, &fw);
	assert_false(fw.left);
	fw.nr_get++;
	m->stride = STRIDE;
	if (m->size < fw.nr * STRIDE) {
		m->size = fw.nr * STRIDE;
		return TOO_SMALL;
	}
	m->size = fw.nr * STRIDE;
	m->key = fw.key;
	memset(m->map, 0x55, m->size);
	return 0;
}

static uint64_t leave(void *priv, size_t key)
{
	assert_ptr_equal(priv, &fw);
	assert_false(fw.left);
	fw.nr_leave++;
	if (fw.refusals) {
		fw.refusals--;
		fw.nr += fw.grow;
		fw.key++;
		return INVALID;
	}
	if (key != fw.key)
		return INVALID;
	fw.left = true;
	return 0;
}

static const struct exit_calls calls = { get_map, leave, &fw };

static uint64_t try_with(size_t nr, unsigned int refusals, size_t grow,
			 struct exit_map *m)
{
	memset(&fw, 0, sizeof(fw));
	fw.nr = nr;
	fw.refusals = refusals;
	fw.grow = grow;
	fw.key = 7;
	*m = (struct exit_map){ .map = room,
				.room = exit_room(nr * STRIDE, STRIDE) };
	assert_true(m->room <= sizeof(room));
	return exit_try(&calls, m);
}

static void a_willing_firmware_is_asked_once(void **state)
{
	struct exit_map m;

	(void)state;
	assert_int_equal(try_with(100, 0, 0, &m), 0);
	assert_int_equal(fw.nr_get, 1);
	assert_int_equal(fw.nr_leave, 1);
	assert_int_equal(m.size, 100 * STRIDE);
	assert_int_equal(m.stride, STRIDE);
}

static void refusals_are_followed_by_a_fresh_map(void **state)
{
	struct exit_map m;

	(void)state;
	assert_int_equal(try_with(100, 5, 3, &m), 0);
	assert_int_equal(fw.nr_get, 6);
	assert_int_equal(fw.nr_leave, 6);
	assert_int_equal(m.size, 115 * STRIDE);
}

static void the_sixteenth_try_may_still_be_right(void **state)
{
	struct exit_map m;

	(void)state;
	assert_int_equal(try_with(100, EXIT_TRIES - 1, 1, &m), 0);
	assert_true(fw.left);
}

static void a_firmware_that_never_lets_go_is_given_up(void **state)
{
	struct exit_map m;

	(void)state;
	assert_int_equal(try_with(100, 1000, 0, &m), INVALID);
	assert_int_equal(fw.nr_leave, EXIT_TRIES);
	assert_false(fw.left);
}

static void a_map_that_grows_by_64_each_time_fits(void **state)
{
	struct exit_map m;

	(void)state;
	assert_int_equal(try_with(10, 8, 64, &m), 0);
	assert_int_equal(m.size, (10 + 8 * 64) * STRIDE);
	assert_int_equal(try_with(600, 9, 64, &m), 0);
	assert_int_equal(m.size, (600 + 9 * 64) * STRIDE);
}

static void a_map_that_outgrows_its_room_is_an_error(void **state)
{
	struct exit_map m;

	(void)state;
	assert_int_equal(try_with(10, 1, EXIT_SPARE + 1, &m), TOO_SMALL);
	assert_int_equal(fw.nr_get, EXIT_TRIES);
	assert_int_equal(fw.nr_leave, 1);
}

static void the_room_is_twice_what_is_needed_or_more(void **state)
{
	const size_t spare = EXIT_SPARE * STRIDE;

	(void)state;
	assert_int_equal(exit_room(0, STRIDE), spare);
	assert_int_equal(exit_room(STRIDE, STRIDE), STRIDE + spare);
	assert_int_equal(exit_room(spare, STRIDE), 2 * spare);
	assert_int_equal(exit_room(3 * spare, STRIDE), 6 * spare);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_willing_firmware_is_asked_once),
		cmocka_unit_test(refusals_are_followed_by_a_fresh_map),
		cmocka_unit_test(the_sixteenth_try_may_still_be_right),
		cmocka_unit_test(a_firmware_that_never_lets_go_is_given_up),
		cmocka_unit_test(a_map_that_grows_by_64_each_time_fits),
		cmocka_unit_test(a_map_that_outgrows_its_room_is_an_error),
		cmocka_unit_test(the_room_is_twice_what_is_needed_or_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
