/* SPDX-License-Identifier: MIT */
/*
 * Workload "user", the ring-3 part: counts primes by a sieve and reduced
 * fractions by Euclid's algorithm, with a system call now and then.
 *
 * Exit status 0 when both numbers are right; reports its own counts.
 */
#include "run/site.h"
#include "run/topaz.h"

#define SIEVE_SIZE	250000u
#define NR_PRIMES	22044u		/* below it */
#define FRACTION_MAX	250u
#define NR_REDUCED	38047u		/* a/b, 1 <= a, b <= FRACTION_MAX */
#define PRIMES_PER_CALL	16u

TZ_START;

static struct {
	unsigned char composite[SIEVE_SIZE];
	uint64_t primes;		/* calls of on_prime() */
	uint64_t gcd_calls;
	uint64_t info_calls;		/* SYSCALLs of ask_info() */
	struct site_count composite_site;
	struct site_count euclid_site;
} work;

DECLARE_SITE(user_composite);
DECLARE_SITE(user_euclid);
DECLARE_SITE(user_syscall);

/* A system call at a known address. Return: what it gave. */
static __counted long ask_info(void)
{
	long ret;

	work.info_calls++;
	__asm__ volatile("1:\tsyscall\n\t"
			 ".pushsection .data.site, \"aw\", @progbits\n\t"
			 ".balign 8\n"
			 "user_syscall:\t.quad 1b, 0, 0\n\t"
			 ".popsection"
			 : "=a"(ret) : "a"(TZ_CALL_BASE + TZ_OP_INFO)
			 : "rcx", "r11", "memory");
	return ret;
}

/* Return: 0, or 1 when a call did not give what the first one gave. */
static __counted int on_prime(const struct tz_info *info)
{
	work.primes++;
	if (work.primes % PRIMES_PER_CALL)
		return 0;
	return ask_info() != (long)info;
}

static int sieve(const struct tz_info *info)
{
	int wrong = 0;

	for (uint32_t n = 2; n < SIEVE_SIZE; n++) {
		if (!site_below(user_composite, work.composite[n], 1)) {
			work.composite_site.taken++;
			continue;
		}
		work.composite_site.next++;
		wrong |= on_prime(info);
		for (uint64_t m = (uint64_t)n * n; m < SIEVE_SIZE; m += n)
			work.composite[m] = 1;
	}
	return wrong;
}

static __counted uint32_t gcd(uint32_t a, uint32_t b)
{
	work.gcd_calls++;
	/* b < 1: done */
	if (site_below(user_euclid, b, 1)) {
		work.euclid_site.next++;
		return a;
	}
	work.euclid_site.taken++;
	return gcd(b, a % b);
}

static uint32_t reduced_fractions(void)
{
	uint32_t nr = 0;

	for (uint32_t a = 1; a <= FRACTION_MAX; a++)
		for (uint32_t b = 1; b <= FRACTION_MAX; b++)
			nr += gcd(a, b) == 1;
	return nr;
}

static void report(enum tz_count_kind kind, const char *name, uint64_t from,
		   uint64_t to, uint64_t n)
{
	struct tz_count count = { .kind = kind, .from = from, .to = to,
				  .count = n };
	unsigned int i;

	for (i = 0; name[i] && i < sizeof(count.name) - 1; i++)
		count.name[i] = name[i];
	if (tz_count(&count))
		tz_exit(3);
}

static void report_site(const char *name, const struct site *site,
			const struct site_count *count)
{
	report(TZ_COUNT_EDGE, name, site->branch, site->taken, count->taken);
	report(TZ_COUNT_EDGE, name, site->branch, site->next, count->next);
}

static void report_calls(const char *name, uint64_t function, uint64_t n)
{
	report(TZ_COUNT_CALLS, name, 0, function, n);
}

void tz_main(int argc, char **argv)
{
	const struct tz_info *info = tz_info();
	uint32_t reduced;
	int wrong;

	(void)argc;
	(void)argv;
	if (!info || info->abi != TZ_ABI)
		tz_exit(2);
	wrong = sieve(info);
	reduced = reduced_fractions();

	report_calls("calls of on_prime", (uint64_t)on_prime, work.primes);
	report_calls("calls of gcd", (uint64_t)gcd, work.gcd_calls);
	report_site("test for a composite", &user_composite,
		    &work.composite_site);
	report_site("test for the end of gcd", &user_euclid,
		    &work.euclid_site);
	report(TZ_COUNT_EDGE, "SYSCALLs of ask_info", user_syscall.branch,
	       info->syscall_entry, work.info_calls);
	tz_exit(wrong || work.primes != NR_PRIMES || reduced != NR_REDUCED);
}
