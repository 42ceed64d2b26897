/* SPDX-License-Identifier: MIT */
/*
 * Proof of the rights in the kernel's page tables: by reading all of them, as
 * the processor does, not by trusting who wrote them.
 */
#ifndef X86_PAGE_CHECK_H
#define X86_PAGE_CHECK_H

#include <asm/paging.h>
#include "lib/compiler.h"

struct page_check {
	u64 nr_entries;		/* that map something */
	u64 mapped_bytes;
	u64 exec_bytes;
	u64 nr_bad;
	u64 bad_va;		/* the first of them */
	const char *bad;	/* what is wrong with it; NULL: nothing is */
};

/**
 * page_check_rights() - walk all tables of the kernel
 * @vm:		kernel_vm
 * @text_start:	the one range that may be executable
 * @text_end:	behind it
 * @check:	filled in
 *
 * Bad is an entry that is writable and executable, executable outside of the
 * text, open to ring 3, or in the lower half, which is ring 3's alone. Rights
 * are those of all levels together: SDM "Determination of Access Rights".
 *
 * Context: any in which the tables do not change.
 */
void page_check_rights(const struct vm *vm, u64 text_start, u64 text_end,
		       struct page_check *check);

#endif /* X86_PAGE_CHECK_H */
