/* SPDX-License-Identifier: MIT */
/*
 * Checksum and names of the truth file's format; see truth_format.h.
 */
#include "truth_format.h"

/* Half a byte at a time: blocks are few, since loops take no room. */
uint32_t truth_crc(const uint8_t *bytes, size_t len)
{
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	uint32_t crc = ~0U;

	for (; len; len--, bytes++) {
		crc = crc >> 4 ^ table[(crc ^ *bytes) & 15];
		crc = crc >> 4 ^ table[(crc ^ *bytes >> 4) & 15];
	}
	return ~crc;
}

const char *truth_what_name(enum truth_what what)
{
	static const char *const names[TRUTH_NR_WHATS] = {
		[TRUTH_JCC_NOT_TAKEN] = "jcc-not", [TRUTH_JCC_TAKEN] = "jcc",
		[TRUTH_JMP] = "jmp", [TRUTH_CALL] = "call",
		[TRUTH_IJMP] = "ijmp", [TRUTH_ICALL] = "icall",
		[TRUTH_RET] = "ret", [TRUTH_FAR] = "far",
		[TRUTH_IRET] = "iret", [TRUTH_MOV_CR3] = "mov-cr3",
		[TRUTH_INTR] = "intr", [TRUTH_FAULT] = "fault",
		[TRUTH_SWINT] = "swint", [TRUTH_SMI] = "smi",
		[TRUTH_RSM] = "rsm", [TRUTH_INIT] = "init",
		[TRUTH_SIPI] = "sipi", [TRUTH_VMENTRY] = "vmentry",
		[TRUTH_VMEXIT] = "vmexit",
		[TRUTH_VMEXIT_INTR] = "vmexit-intr",
		[TRUTH_XABORT] = "xabort", [TRUTH_SHUTDOWN] = "shutdown",
		[TRUTH_SENTER] = "senter", [TRUTH_VMXON] = "vmxon",
		[TRUTH_UINTR] = "uintr", [TRUTH_UIRET] = "uiret",
	};

	return what < TRUTH_NR_WHATS ? names[what] : "?";
}

const char *truth_note_name(enum truth_note_kind kind)
{
	static const char *const names[TRUTH_NR_NOTES] = {
		[TRUTH_ENABLED] = "enabled", [TRUTH_DISABLED] = "disabled",
		[TRUTH_OVF_BEGIN] = "ovf-begin", [TRUTH_OVF_END] = "ovf-end",
		[TRUTH_TRACESTOP] = "tracestop", [TRUTH_STOPPED] = "stopped",
		[TRUTH_ERROR] = "error", [TRUTH_PSB] = "psb",
		[TRUTH_PIP] = "pip", [TRUTH_MODE_EXEC] = "mode-exec",
		[TRUTH_TSX] = "tsx", [TRUTH_PTW] = "ptw", [TRUTH_CBR] = "cbr",
		[TRUTH_MNT] = "mnt", [TRUTH_MWAIT] = "mwait",
		[TRUTH_PWRE] = "pwre", [TRUTH_EXSTOP] = "exstop",
		[TRUTH_PWRX] = "pwrx", [TRUTH_CFE] = "cfe",
		[TRUTH_EVD] = "evd",
	};

	return kind < TRUTH_NR_NOTES ? names[kind] : "?";
}
