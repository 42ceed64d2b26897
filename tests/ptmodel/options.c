/* SPDX-License-Identifier: MIT */
/*
 * Options of the command line; see options.h and README.md.
 */
#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct model_options options;

struct name {
	const char *name;
	uint64_t val;
};

static const struct name commands[] = {
	{ "ovf", PTM_INJECT_OVF },
	{ "pmi-skid", PTM_INJECT_PMI_SKID },
	{ "late-error", PTM_INJECT_LATE_ERROR },
	{ "lose-pmi", PTM_INJECT_LOSE_PMI },
	{ "spurious", PTM_INJECT_SPURIOUS },
	{ "nmi", PTM_INJECT_NMI },
	{ "zero-msrs", PTM_INJECT_ZERO_MSRS },
	{ "hold", PTM_INJECT_HOLD },
	{ "cache-topa", PTM_INJECT_CACHE_TOPA },
	{ "restrict", PTM_INJECT_RESTRICT },
	{ "mnt", PTM_INJECT_MNT },
	{ "cbr", PTM_INJECT_CBR },
	{ "tsx", PTM_INJECT_TSX },
	{ "mwait", PTM_INJECT_MWAIT },
	{ "pwre", PTM_INJECT_PWRE },
	{ "exstop", PTM_INJECT_EXSTOP },
	{ "pwrx", PTM_INJECT_PWRX },
	{ "as-event", PTM_INJECT_AS_EVENT },
	{ "non-root", PTM_INJECT_NON_ROOT },
	{ NULL, 0 },
};

static const struct name errata[] = {
	{ "BDM70", PTM_ERRATUM_BDM70 },
	{ "BDM64", PTM_ERRATUM_BDM64 },
	{ "BDM106", PTM_ERRATUM_BDM106 },
	{ "SKD007", PTM_ERRATUM_SKD007 },
	{ "SKD010", PTM_ERRATUM_SKD010 },
	{ "SKD022", PTM_ERRATUM_SKD022 },
	{ "SKL014", PTM_ERRATUM_SKL014 },
	{ "APL11", PTM_ERRATUM_APL11 },
	{ "APL12", PTM_ERRATUM_APL12 },
	{ "SKL168", PTM_ERRATUM_SKL168 },
	{ "SKZ84", PTM_ERRATUM_SKZ84 },
	{ "TGL052", PTM_ERRATUM_TGL052 },
	{ "SKL042", PTM_ERRATUM_SKL042 },
	{ "SKL062", PTM_ERRATUM_SKL062 },
	{ NULL, 0 },
};

__attribute__((format(printf, 1, 2)))
static int refuse(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("ptmodel: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	return -1;
}

/* ---- parts of a value ---- */

static const struct name *find(const struct name *names, const char *name,
			       const char *what)
{
	const struct name *n;

	for (n = names; n->name; n++)
		if (!strcmp(n->name, name))
			return n;
	fprintf(stderr, "ptmodel: no %s %s; there are:", what, name);
	for (n = names; n->name; n++)
		fprintf(stderr, " %s", n->name);
	fputc('\n', stderr);
	return NULL;
}

static int number(uint64_t *val, const char *text, uint64_t max)
{
	char *end;

	*val = strtoull(text, &end, 0);
	if (end == text || *end || *text == '-' || *val > max)
		return refuse("%s: not a number from 0 to %llu", text,
			      (unsigned long long)max);
	return 0;
}

/* "A:B:C" behind a first part; as many as there are. */
static int numbers(uint64_t *vals, unsigned int max, char *text)
{
	char *part, *rest = text;
	unsigned int nr = 0;

	while ((part = strsep(&rest, ":"))) {
		if (nr == max)
			return refuse("%s: one number too many", part);
		if (number(&vals[nr++], part, UINT64_MAX))
			return -1;
	}
	return 0;
}

/* ---- the options ---- */

static int set_directory(const char **dir, const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return refuse("%s is no directory", path);
	*dir = strdup(path);
	return 0;
}

static int set_switch(bool *what, const char *name, const char *val)
{
	if (strcmp(val, "on") && strcmp(val, "off"))
		return refuse("%s=%s: on or off", name, val);
	*what = !strcmp(val, "on");
	return 0;
}

static int add_profile(char *name)
{
	const struct ptm_profile *profile;
	char *times = strchr(name, '*');
	uint64_t nr = 1;

	if (times)
		*times++ = 0;
	if (times && number(&nr, times, NR_VCPUS))
		return -1;
	profile = ptm_profile_find(name);
	if (!profile)
		return refuse("no profile %s; there are: %s", name,
			      ptm_profile_names());
	for (; nr; nr--) {
		if (options.nr_profiles == NR_VCPUS)
			return refuse("at most %d profiles", NR_VCPUS);
		options.profiles[options.nr_profiles++] = profile;
	}
	return 0;
}

static int set_profiles(char *val)
{
	char *part;

	options.nr_profiles = 0;
	while ((part = strsep(&val, "+")))
		if (add_profile(part))
			return -1;
	return options.nr_profiles ? 0 : refuse("no profile at all");
}

static int set_errata(char *val)
{
	const struct name *name;
	char *part;

	while ((part = strsep(&val, "+"))) {
		name = find(errata, part, "erratum");
		if (!name)
			return -1;
		options.errata |= name->val;
	}
	return 0;
}

/* NAME[:ARG0[:ARG1[:ARG2]]][@CPU] */
static int add_injection(char *val, int max_cpus)
{
	struct injection *inj = &options.injections[options.nr_injections];
	const struct name *name;
	char *cpu, *args;
	uint64_t nr;

	if (options.nr_injections == MAX_INJECTIONS)
		return refuse("at most %d times inject=", MAX_INJECTIONS);
	inj->text = strdup(val);
	cpu = strchr(val, '@');
	if (cpu)
		*cpu++ = 0;
	args = strchr(val, ':');
	if (args)
		*args++ = 0;
	name = find(commands, val, "injection");
	if (!name || (args && numbers(inj->arg, 3, args)))
		return -1;
	if (cpu && number(&nr, cpu, max_cpus - 1))
		return -1;
	inj->what = name->val;
	inj->cpu = cpu ? (int)nr : ALL_CPUS;
	options.nr_injections++;
	return 0;
}

static int set_at_reset(char *val)
{
	uint64_t vals[3] = { 0, 0, 0x7f };

	if (numbers(vals, 3, val))
		return -1;
	options.at_reset = (struct at_reset){
		.wanted = true, .ctl = vals[0], .base = vals[1],
		.mask = vals[2],
	};
	return 0;
}

static int set_reset(const char *val)
{
	if (strcmp(val, "warm") && strcmp(val, "cold"))
		return refuse("reset=%s: warm or cold", val);
	options.reset = strcmp(val, "warm") ? PTM_RESET_COLD : PTM_RESET_WARM;
	return 0;
}

static int set_option(char *arg, int max_cpus)
{
	char *val = strchr(arg, '=');

	if (!val)
		val = arg + strlen(arg);
	else
		*val++ = 0;
	if (!strcmp(arg, "profile"))
		return set_profiles(val);
	if (!strcmp(arg, "truth"))
		return set_directory(&options.truth_dir, val);
	if (!strcmp(arg, "trace"))
		return set_directory(&options.trace_dir, val);
	if (!strcmp(arg, "insns"))
		return set_switch(&options.insns, arg, val);
	if (!strcmp(arg, "verbose"))
		return set_switch(&options.verbose, arg, val);
	if (!strcmp(arg, "errata"))
		return set_errata(val);
	if (!strcmp(arg, "inject"))
		return add_injection(val, max_cpus);
	if (!strcmp(arg, "at-reset"))
		return set_at_reset(val);
	if (!strcmp(arg, "reset"))
		return set_reset(val);
	if (!strcmp(arg, "code")) {
		options.code_file = strdup(val);
		return 0;
	}
	return refuse("no option %s; there are: profile truth trace code insns "
		      "verbose errata inject at-reset reset probe", arg);
}

static void default_code_file(void)
{
	char *path;

	if (options.code_file || !options.trace_dir)
		return;
	if (asprintf(&path, "%s/code.img", options.trace_dir) < 0)
		abort();
	options.code_file = path;
}

bool options_have(uint32_t bit)
{
	unsigned int i;

	for (i = 0; i < options.nr_profiles; i++)
		if (options.profiles[i]->leaf14_0[1] & bit)
			return true;
	return false;
}

int options_parse(int argc, char **argv, int max_cpus)
{
	int i;

	options.profiles[0] = ptm_profile_find("skylake");
	options.nr_profiles = 1;
	options.reset = PTM_RESET_WARM;
	for (i = 0; i < argc; i++)
		if (set_option(argv[i], max_cpus))
			return -1;
	default_code_file();
	return 0;
}
