/* SPDX-License-Identifier: MIT */
/*
 * What Intel PT can do on each CPU, in words.
 */
#include "pt/caps.h"

#include <asm/percpu.h>
#include "lib/string.h"

void pt_caps_encodings(u16 mask, char *buf, size_t size)
{
	const char *sep = "";
	size_t len = 0;
	unsigned int n;

	if (!mask) {
		scnprintf(buf, size, "none");
		return;
	}
	for (n = 0; n < 16; n++) {
		if (!(mask >> n & 1))
			continue;
		len += (size_t)scnprintf(buf + len, size - len, "%s%u", sep, n);
		sep = " ";
	}
}

static const char *core_kind_name(u8 kind)
{
	switch (kind) {
	case 0x20:
		return " Atom";
	case 0x40:
		return " Core";
	default:
		return "";
	}
}

static const char *topa_name(const struct pt_caps *caps)
{
	if (!caps->topa_output)
		return "no ToPA";
	return caps->topa_multiple_entries ? "ToPA" : "single-entry ToPA";
}

/* The capabilities that are a yes or no, by the packets' own names. */
static void print_flags(const struct pt_caps *caps, struct printer *out)
{
	const struct {
		bool set;
		const char *name;
	} flags[] = {
		{ caps->single_range_output, "single-range" },
		{ caps->cr3_filtering, "CR3-filter" },
		{ caps->ip_filtering, "IP-filter" },
		{ caps->psb_cyc, "PSB/CYC" },
		{ caps->mtc, "MTC" },
		{ caps->ptwrite, "PTWRITE" },
		{ caps->power_event_trace, "power-events" },
		{ caps->event_trace, "event-trace" },
		{ caps->tnt_disable, "TNT-disable" },
		{ caps->psb_pmi_preserve, "PSB/PMI-preserve" },
		{ caps->output_subsys, "trace-transport" },
		{ caps->payloads_lip, "LIP" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (flags[i].set)
			pr_to(out, " %s", flags[i].name);
}

static void print_line(unsigned int cpu, struct printer *out)
{
	const struct pt_caps *caps = pt_caps_of(cpu);

	pr_to(out, "cpu %u: family %x model %02x stepping %x%s: ", cpu,
	      caps->family, caps->model, caps->stepping,
	      core_kind_name(caps->core_kind));
	if (!caps->present) {
		pr_to(out, "no Intel PT\n");
		return;
	}
	pr_to(out, "%s", topa_name(caps));
	print_flags(caps, out);
	pr_to(out, "\n");
}

static void print_output(const struct pt_caps *caps, struct printer *out)
{
	pr_to(out, "  output            %s%s%s\n", topa_name(caps),
	      caps->topa_output && caps->topa_multiple_entries ?
	      ", many regions per table" : "",
	      caps->single_range_output ? ", single range" : "");
	pr_to(out, "  address ranges    %u\n", caps->num_address_ranges);
	pr_to(out, "  IP payloads       %s\n",
	      caps->payloads_lip ? "linear (CS base added)" : "RIP");
	pr_to(out, "  physical address  %u bits\n", caps->phys_bits);
}

static void print_encodings(const struct pt_caps *caps, struct printer *out)
{
	char list[48];

	pt_caps_encodings(caps->psb_periods, list, sizeof(list));
	pr_to(out, "  PSBFreq           %s (a PSB each 2 KiB << n)\n", list);
	pt_caps_encodings(caps->cycle_thresholds, list, sizeof(list));
	pr_to(out, "  CycThresh         %s (1 << (n - 1) cycles)\n", list);
	pt_caps_encodings(caps->mtc_periods, list, sizeof(list));
	pr_to(out, "  MTCFreq           %s (1 << n crystal ticks)\n", list);
}

static void print_clock(const struct pt_caps *caps, struct printer *out)
{
	if (!caps->tsc_num)
		return;
	pr_to(out, "  TSC / crystal     %u / %u", caps->tsc_num, caps->tsc_den);
	if (caps->crystal_hz)
		pr_to(out, ", crystal %u Hz", caps->crystal_hz);
	pr_to(out, "\n");
}

static bool caps_equal(unsigned int a, unsigned int b)
{
	return !memcmp(pt_caps_of(a), pt_caps_of(b), sizeof(struct pt_caps));
}

/* The first CPU that is equal to @cpu stands for its set. */
static bool leads_its_set(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < cpu; i++)
		if (caps_equal(i, cpu))
			return false;
	return true;
}

static void print_set(unsigned int first, struct printer *out)
{
	unsigned int cpu;

	pr_to(out, "Intel PT of cpu");
	for (cpu = first; cpu < nr_cpus(); cpu++)
		if (caps_equal(first, cpu))
			pr_to(out, " %u", cpu);
	pr_to(out, ":\n");
}

void pt_caps_print(struct printer *out)
{
	const struct pt_caps *caps;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus(); cpu++)
		print_line(cpu, out);
	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		caps = pt_caps_of(cpu);
		if (!caps->present || !leads_its_set(cpu))
			continue;
		print_set(cpu, out);
		print_output(caps, out);
		print_encodings(caps, out);
		print_clock(caps, out);
	}
}
