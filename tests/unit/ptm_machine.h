/* SPDX-License-Identifier: MIT */
/*
 * A machine around the hardware model's engine, for tests that look at packets:
 * a little memory, a processor state that the test sets, and what the trace
 * says, byte by byte.
 *
 * The bytes that a test expects are written out by hand from the SDM's "Packet
 * Definitions".
 */
#ifndef TESTS_UNIT_PTM_MACHINE_H
#define TESTS_UNIT_PTM_MACHINE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tests/ptmodel/engine.h"

#define MACHINE_MEM	(1u << 20)
#define MACHINE_TABLE	0x1000u
#define MACHINE_REGION	0x80000u	/* 512 KiB, closed to itself */
#define MACHINE_NOTES	64

/* Where the code of these tests is, and the WRMSR that starts the trace. */
#define CODE		0x401000u
#define WRMSR_LEN	2u

struct machine {
	struct ptm_cpu cpu;
	struct ptm_state state;		/* what the processor is in */
	uint64_t tsc;
	uint8_t mem[MACHINE_MEM];
	uint8_t trace[1u << 18];
	size_t len;
	struct ptm_note notes[MACHINE_NOTES];	/* the last ones */
	unsigned int nr_notes, nr_pmis;
};

extern struct machine machine;

/* Everything that the SDM has: for the rows, whatever a profile says. */
extern const struct ptm_profile machine_all;

/* Power-on with @profile; ring 0, 64-bit code, CR3 5000H. */
void machine_power_on(const struct ptm_profile *profile);
/* WRMSR at CODE. Return: 0, or -1: #GP. */
int machine_wrmsr(uint32_t msr, uint64_t val);
/* Sets up ToPA, TraceEn and @ctl beside it; forgets the packets of the start. */
void machine_trace(uint64_t ctl);
/* The same, and the first packets are kept. */
void machine_trace_from_start(uint64_t ctl);
/* The same, and the WRMSR is the one in front of @next. */
void machine_trace_at(uint64_t ctl, uint64_t next);

/* The next instruction is 5 bytes behind @from. Returns ptm_branch()'s. */
unsigned int machine_branch(enum ptm_kind kind, uint64_t from, uint64_t to);
unsigned int machine_jcc(bool taken, uint64_t from, uint64_t to);
unsigned int machine_event(enum ptm_event_kind kind, uint64_t from,
			   uint64_t to);
void machine_inject(enum ptm_inject what, uint64_t arg0, uint64_t arg1);

/* The trace since the last call is exactly these bytes. */
void machine_expect(const char *file, int line, const uint8_t *want,
		    size_t len);

#define EXPECT(...) do {						\
	static const uint8_t want_[] = { __VA_ARGS__ };			\
									\
	machine_expect(__FILE__, __LINE__, want_, sizeof(want_));	\
} while (0)

#define EXPECT_NOTHING()	machine_expect(__FILE__, __LINE__, NULL, 0)

/* ---- packets ---- */

#define PSB		0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, \
			0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82
#define PSBEND		0x02, 0x23
#define CBR(ratio)	0x02, 0x03, (ratio), 0
/* CR3 in 43 bits from bit 1 of the payload on; here below 2^20. */
#define PIP(cr3, nr)	0x02, 0x43, ((cr3) >> 5 << 1 | (nr)) & 0xff, \
			((cr3) >> 4) >> 8 & 0xff, ((cr3) >> 4) >> 16, 0, 0, 0
#define MODE_EXEC(bits)	0x99, (bits)
#define MODE_TSX(bits)	0x99, 0x20 | (bits)
#define LOW16(ip)	(ip) & 0xff, (ip) >> 8 & 0xff
#define TIP16(ip)	0x2d, LOW16(ip)
#define PGE16(ip)	0x31, LOW16(ip)
#define PGD16(ip)	0x21, LOW16(ip)
#define FUP16(ip)	0x3d, LOW16(ip)
#define PGD_NO_IP	0x01
/* Whole IPs, of code below 16 MiB: behind OVF. */
#define WHOLE(ip)	LOW16(ip), (ip) >> 16, 0, 0, 0
#define TIP48(ip)	0x6d, WHOLE(ip)
#define PGE48(ip)	0x71, WHOLE(ip)
#define FUP48(ip)	0x7d, WHOLE(ip)
#define OVF		0x02, 0xf3
#define TRACESTOP	0x02, 0x83

#endif /* TESTS_UNIT_PTM_MACHINE_H */
