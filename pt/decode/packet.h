/* SPDX-License-Identifier: MIT */
/*
 * Trace packets: one at a time from bytes to fields.
 *
 * Knows nothing of the traced code. Source: SDM "Trace Packets and Data Types".
 */
#ifndef PT_DECODE_PACKET_H
#define PT_DECODE_PACKET_H

#include "lib/compiler.h"

#define PT_PACKET_MAX	32	/* no packet is longer */
#define PT_PSB_SIZE	16

enum pt_packet_type {
	PT_PAD,
	PT_TNT,			/* short and long */
	PT_TIP,
	PT_TIP_PGE,
	PT_TIP_PGD,
	PT_FUP,
	PT_MODE_EXEC,
	PT_MODE_TSX,
	PT_MODE_OTHER,
	PT_PIP,
	PT_VMCS,
	PT_TSC,
	PT_MTC,
	PT_TMA,
	PT_CYC,
	PT_CBR,
	PT_PSB,
	PT_PSBEND,
	PT_OVF,
	PT_TRACESTOP,
	PT_MNT,
	PT_PTW,
	PT_EXSTOP,
	PT_MWAIT,
	PT_PWRE,
	PT_PWRX,
	PT_BBP,
	PT_BIP,
	PT_BEP,
	PT_CFE,
	PT_EVD,
};

struct pt_packet {
	enum pt_packet_type type;
	u8 size;
	u8 ip_bytes;		/* TIP*, FUP: field IPBytes, 0 for no IP */
	u8 nr_tnt;		/* TNT: results */
	bool with_fup;		/* PTW, EXSTOP, BEP, CFE: a FUP is theirs */
	bool nr;		/* PIP: VMX non-root */
	u64 value;		/* TIP*, FUP: IP as sent; TNT: results, the oldest
				   in the highest bit; PIP: CR3; MODE, CFE: the
				   field; EVD: what follows its type; else
				   payload */
};

/**
 * pt_packet_decode() - the packet at the start of some bytes
 * @p:		result; undefined on error
 * @data:	bytes of the stream
 * @n:		how many there are
 * @in_block:	between BBP and BEP, where BIP packets occur: bit 0 set; bit 1:
 *		its items have 4 bytes (else 8)
 *
 * Context: any. Return: 0; -ENODATA when the packet goes on behind @n bytes;
 * -EBADMSG for an unknown or malformed packet.
 */
int __must_check pt_packet_decode(struct pt_packet *p, const u8 *data, size_t n,
				  unsigned int in_block);

/**
 * pt_last_ip_update() - decompress an IP by the last one
 * @last:	last IP of the stream; updated unless the packet has none
 *
 * Return: true when the packet had an IP.
 */
bool pt_last_ip_update(u64 *last, const struct pt_packet *p);

#endif /* PT_DECODE_PACKET_H */
