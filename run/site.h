/* SPDX-License-Identifier: MIT */
/*
 * Branches whose addresses a program knows.
 *
 * A site is one conditional branch that a program executes by site_below() and
 * whose addresses it can name. So the program can say in software how often
 * each edge (from, to) was taken.
 * Whole edges are counted, not "all that comes from here" or "goes there":
 * an interrupt before the branch, or before its target, is an edge of its own
 * from or to the same address.
 *
 * For the kernel, ring-3 programs and host tests alike: no other header.
 */
#ifndef RUN_SITE_H
#define RUN_SITE_H

/* Not inlined, cloned, or specialised: a call of it is a call instruction. */
#define __counted	__attribute__((noipa))

struct site {
	unsigned long long branch;	/* address of the instruction */
	unsigned long long taken;	/* where it jumps to */
	unsigned long long next;	/* the instruction after it */
};

/*
 * Names a site in a C file. Each site is used at exactly one place, else the
 * assembler reports its name as defined twice.
 */
#define DECLARE_SITE(name) \
	extern const struct site name __attribute__((visibility("hidden")))

/*
 * a < b, unsigned, decided by the branch of site @name: next when it is true,
 * taken when it is not.
 */
#define site_below(name, a, b) \
	({ \
		unsigned int site_below_; \
		__asm__ volatile("xorl %[r], %[r]\n\t" \
				 "cmpq %[y], %[x]\n" \
				 "1:\tjae 3f\n" \
				 "2:\tmovl $1, %[r]\n" \
				 "3:\n\t" \
				 ".pushsection .data.site, \"aw\", @progbits\n\t" \
				 ".balign 8\n" \
				 #name ":\t.quad 1b, 3b, 2b\n\t" \
				 ".popsection" \
				 : [r] "=&r"(site_below_) \
				 : [x] "r"((unsigned long long)(a)), \
				   [y] "r"((unsigned long long)(b)) \
				 : "cc"); \
		site_below_ != 0; \
	})

/* How often each way was taken. */
struct site_count {
	unsigned long long taken;
	unsigned long long next;
};

#endif /* RUN_SITE_H */
