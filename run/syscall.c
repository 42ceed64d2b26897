/* SPDX-License-Identifier: MIT */
/*
 * System calls of ring-3 programs: the ABI of run/topaz.h.
 *
 * Arguments are hostile: memory is read by copy_from_user() in bounded pieces,
 * numbers are checked, text is cleaned before it goes to a terminal.
 */
#include "run/syscall.h"

#include <asm/paging.h>
#include <asm/user.h>
#include "lib/err.h"
#include "lib/printk.h"
#include "lib/spinlock.h"
#include "lib/string.h"
#include "run/count.h"
#include "run/payload.h"
#include "run/topaz.h"

#define PRINT_PIECE	192u
#define PRINT_MAX	(64u << 10)

static_assert((int)TZ_COUNT_CALLS == COUNT_CALLS &&
	      (int)TZ_COUNT_EDGE == COUNT_EDGE &&
	      (int)TZ_COUNT_INTO == COUNT_INTO &&
	      (int)TZ_COUNT_OUT_OF == COUNT_OUT_OF, "kinds of the ABI");

static bool user_range_ok(u64 uaddr, u64 n)
{
	return uaddr < USER_MAX && n <= USER_MAX - uaddr;
}

/* Anything but line ends, tabs and printable ASCII becomes '?'. */
static void clean_text(char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		if ((c < ' ' && c != '\n' && c != '\t') || c > '~')
			text[i] = '?';
	}
}

/* Bytes up to the last line end, all @n where there is none. */
static size_t up_to_line_end(const char *text, size_t n)
{
	for (size_t i = n; i; i--)
		if (text[i - 1] == '\n')
			return i;
	return n;
}

/* Prints the first piece of @n bytes. Return: its size, 0 when unreadable. */
static size_t print_piece(u64 uaddr, size_t n)
{
	char text[PRINT_PIECE + 1];
	size_t part = min(n, (size_t)PRINT_PIECE);

	if (!user_range_ok(uaddr, part) || copy_from_user(text, uaddr, part))
		return 0;
	if (part < n)
		part = up_to_line_end(text, part);
	clean_text(text, part);
	text[part] = '\0';
	printk("%s", text);
	return part;
}

static long sys_print(u64 uaddr, u64 n)
{
	size_t done = 0;

	n = min(n, (u64)PRINT_MAX);
	while (done < n) {
		size_t part = print_piece(uaddr + done, n - done);

		if (!part)
			return done ? (long)done : -EFAULT;
		done += part;
	}
	return (long)done;
}

/*
 * Names of counts live on after the payload. Owner: intern_name(); a name is
 * kept for ever, so the table is bounded.
 */
static char names[64][sizeof(((struct tz_count *)0)->name)];
static unsigned int nr_names;
static struct spinlock names_lock = SPINLOCK_INIT;

static const char *intern_name(const char *name)
{
	const char *found = NULL;

	spin_lock(&names_lock);
	for (unsigned int i = 0; i < nr_names && !found; i++)
		if (!strcmp(names[i], name))
			found = names[i];
	if (!found && nr_names < ARRAY_SIZE(names)) {
		memcpy(names[nr_names], name, sizeof(names[0]));
		found = names[nr_names++];
	}
	spin_unlock(&names_lock);
	return found ? found : "a count of the payload";
}

static long sys_count(struct payload *payload, u64 uaddr)
{
	struct workload_count count;
	struct tz_count from_user;

	if (!user_range_ok(uaddr, sizeof(from_user)) ||
	    copy_from_user(&from_user, uaddr, sizeof(from_user)))
		return -EFAULT;
	if (from_user.kind > TZ_COUNT_OUT_OF)
		return -EINVAL;
	from_user.name[sizeof(from_user.name) - 1] = '\0';
	clean_text(from_user.name, strlen(from_user.name));
	count = (struct workload_count){
		.kind = (enum workload_count_kind)from_user.kind,
		.name = intern_name(from_user.name),
		.from = from_user.from,
		.to = from_user.to,
		.count = from_user.count,
	};
	return workload_count_add(payload->run, &count);
}

static long sys_unknown(struct payload *payload, u64 nr)
{
	payload->unknown_calls++;
	for (unsigned int i = 0; i < payload->nr_unknown; i++)
		if (payload->unknown[i] == nr)
			return -ENOSYS;
	if (payload->nr_unknown == PAYLOAD_MAX_UNKNOWN)
		return -ENOSYS;
	payload->unknown[payload->nr_unknown++] = nr;
	printk("payload: unknown system call %llu (0x%llx)\n",
	       (unsigned long long)nr, (unsigned long long)nr);
	return -ENOSYS;
}

long payload_syscall(u64 nr, const u64 args[6])
{
	struct payload *payload = payload_current();

	if (!payload)
		return -ENOSYS;
	switch (nr) {
	case TZ_CALL_BASE + TZ_OP_PRINT:
		return sys_print(args[0], args[1]);
	case TZ_CALL_BASE + TZ_OP_EXIT:
		user_exit((int)args[0]);
	case TZ_CALL_BASE + TZ_OP_INFO:
		return (long)USER_INFO_BASE;
	case TZ_CALL_BASE + TZ_OP_COUNT:
		return sys_count(payload, args[0]);
	}
	return sys_unknown(payload, nr);
}
