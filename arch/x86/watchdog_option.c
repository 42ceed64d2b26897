/* SPDX-License-Identifier: MIT */
/*
 * The watchdog's bound: the option watchdog=SECONDS, or what fits the machine.
 */
#include <asm/machine.h>
#include <asm/watchdog.h>
#include "lib/cmdline.h"
#include "lib/err.h"
#include "lib/string.h"

void watchdog_init(void)
{
	u64 seconds = machine_is_emulated() ? WATCHDOG_EMULATED_S :
		      WATCHDOG_DEFAULT_S;
	char val[8];
	u64 given;

	if (cmdline_get("watchdog", val, sizeof(val)) != -ENOENT) {
		if (kstrtou64(val, 10, &given) || given > WATCHDOG_MAX_S)
			cmdline_bad("watchdog", val, 0,
				    "seconds up to 86400, 0: none");
		else
			seconds = given;
	}
	watchdog_doing("start-up");
	watchdog_start((unsigned int)seconds);
}
