/* SPDX-License-Identifier: MIT */
/*
 * Consoles: the log in RAM, and the list of those who show it.
 *
 * Knows no device: drivers register themselves.
 */
#include "arch/x86/console.h"

#include <asm/irqflags.h>
#include <asm/machine.h>
#include "lib/spinlock.h"
#include "lib/string.h"

/* Owner of all: sink() and console_register(), under the lock. */
static struct spinlock lock = SPINLOCK_INIT;
static struct console *consoles;
static char log_text[CONSOLE_LOG];
static u64 log_end;		/* bytes since the start of the run */
static bool panicking;

struct guard {
	unsigned long flags;
	bool locked;
};

/* A panic may come from within the lock, or stop who holds it. */
static struct guard console_lock(void)
{
	struct guard g = { .flags = local_irq_save(), .locked = true };

	if (READ_ONCE(panicking))
		g.locked = spin_trylock(&lock);
	else
		spin_lock(&lock);
	return g;
}

static void console_unlock(struct guard g)
{
	if (g.locked)
		spin_unlock(&lock);
	local_irq_restore(g.flags);
}

/* ---- log ---- */

static u64 log_start(void)
{
	return log_end > CONSOLE_LOG ? log_end - CONSOLE_LOG : 0;
}

static void log_add(const char *text, size_t n)
{
	while (n) {
		size_t at = log_end % CONSOLE_LOG;
		size_t len = min(n, CONSOLE_LOG - at);

		memcpy(log_text + at, text, len);
		log_end += len;
		text += len;
		n -= len;
	}
}

/* The bytes from @pos on that lie side by side. */
static size_t log_piece(u64 pos, const char **text)
{
	size_t at = pos % CONSOLE_LOG;

	*text = log_text + at;
	return (size_t)min(log_end - pos, (u64)(CONSOLE_LOG - at));
}

size_t console_log_read(u64 *pos, char *buf, size_t size)
{
	struct guard g = console_lock();
	const char *text;
	size_t n;

	*pos = max(*pos, log_start());
	*pos = min(*pos, log_end);
	n = min(log_piece(*pos, &text), size);
	memcpy(buf, text, n);
	*pos += n;
	console_unlock(g);
	return n;
}

/* ---- consoles ---- */

static void play_log(struct console *con)
{
	u64 pos = log_start();
	char line[64];
	const char *text;
	size_t n;

	if (pos) {
		n = (size_t)scnprintf(line, sizeof(line),
				      "[the first %llu bytes are lost]\n",
				      (unsigned long long)pos);
		con->write(con, line, n);
	}
	for (; pos < log_end; pos += n) {
		n = log_piece(pos, &text);
		con->write(con, text, n);
	}
}

void console_register(struct console *con)
{
	struct guard g = console_lock();
	struct console **last = &consoles;

	while (*last && *last != con)
		last = &(*last)->next;
	if (!*last) {
		play_log(con);
		con->next = NULL;
		/* consoles_show() walks the list without the lock. */
		smp_store_release(last, con);
	}
	console_unlock(g);
}

static void sink(const char *text, size_t n)
{
	struct guard g = console_lock();

	log_add(text, n);
	for (struct console *con = consoles; con; con = con->next)
		con->write(con, text, n);
	console_unlock(g);
}

void console_panic(void)
{
	WRITE_ONCE(panicking, true);
}

void console_init(void)
{
	printk_set_sink(sink);
}

/* ---- what is shown of them ---- */

/* No lock: what is printed takes it. Nothing ever leaves the list. */
void consoles_show(struct printer *out)
{
	u64 kept = log_end - log_start();

	for (struct console *con = smp_load_acquire(&consoles); con;
	     con = smp_load_acquire(&con->next))
		pr_to(out, "%s: %s%s%llu bytes dropped\n", con->name,
		      con->detail, *con->detail ? ", " : "",
		      (unsigned long long)con->nr_dropped);
	pr_to(out, "log: %llu bytes kept, %llu dropped\n",
	      (unsigned long long)kept, (unsigned long long)log_start());
}

void consoles_show_dropped(struct printer *out)
{
	for (struct console *con = smp_load_acquire(&consoles); con;
	     con = smp_load_acquire(&con->next))
		if (con->nr_dropped)
			pr_to(out, "console %s: %llu bytes dropped\n",
			      con->name, (unsigned long long)con->nr_dropped);
}
