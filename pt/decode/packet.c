/* SPDX-License-Identifier: MIT */
/*
 * Trace packets: one at a time from bytes to fields.
 */
#include "pt/decode/packet.h"

#include "lib/err.h"

#define OPC_EXT		0x02	/* first byte of two-byte opcodes */

/* Little-endian number of @n bytes. */
static u64 get_bytes(const u8 *data, unsigned int n)
{
	u64 v = 0;

	while (n-- > 0)
		v = v << 8 | data[n];
	return v;
}

static int finish(struct pt_packet *p, enum pt_packet_type type,
		  unsigned int size, size_t n)
{
	if (n < size)
		return -ENODATA;
	p->type = type;
	p->size = (u8)size;
	return 0;
}

/* ---- IP packets ---- */

/* Payload bytes by IPBytes; 0xff: reserved. */
static const u8 ip_payload[8] = { 0, 2, 4, 6, 6, 0xff, 8, 0xff };

static int decode_ip(struct pt_packet *p, enum pt_packet_type type,
		     const u8 *data, size_t n)
{
	unsigned int len = ip_payload[data[0] >> 5];
	int err;

	if (len == 0xff)
		return -EBADMSG;
	err = finish(p, type, 1 + len, n);
	if (err)
		return err;
	p->ip_bytes = data[0] >> 5;
	p->value = get_bytes(data + 1, len);
	return 0;
}

bool pt_last_ip_update(u64 *last, const struct pt_packet *p)
{
	switch (p->ip_bytes) {
	case 1:
		*last = (*last & ~0xffffULL) | p->value;
		return true;
	case 2:
		*last = (*last & ~0xffffffffULL) | p->value;
		return true;
	case 3:
		*last = (u64)((s64)(p->value << 16) >> 16);
		return true;
	case 4:
		*last = (*last & ~0xffffffffffffULL) | p->value;
		return true;
	case 6:
		*last = p->value;
		return true;
	}
	return false;
}

/* ---- TNT ---- */

/* The highest set bit is the stop bit; results stand below it. */
static int set_tnt(struct pt_packet *p, u64 bits)
{
	if (bits < 2)
		return -EBADMSG;
	p->nr_tnt = (u8)ilog2(bits);
	p->value = bits & ((1ULL << p->nr_tnt) - 1);
	return 0;
}

static int decode_long_tnt(struct pt_packet *p, const u8 *data, size_t n)
{
	int err = finish(p, PT_TNT, 8, n);

	return err ? err : set_tnt(p, get_bytes(data + 2, 6));
}

/* ---- others ---- */

static int decode_mode(struct pt_packet *p, const u8 *data, size_t n)
{
	int err = finish(p, PT_MODE_OTHER, 2, n);

	if (err)
		return err;
	p->value = data[1] & 31;
	if (data[1] >> 5 == 0)
		p->type = PT_MODE_EXEC;
	else if (data[1] >> 5 == 1)
		p->type = PT_MODE_TSX;
	return 0;
}

/* 5 bits, then 7 in each byte whose predecessor said that it goes on. */
static int decode_cyc(struct pt_packet *p, const u8 *data, size_t n)
{
	unsigned int size = 1, shift = 5;
	bool more = data[0] & 4;

	p->value = data[0] >> 3;
	for (; more; size++, shift += 7) {
		if (size >= 10)
			return -EBADMSG;
		if (size >= n)
			return -ENODATA;
		if (shift < 64)
			p->value |= (u64)(data[size] >> 1) << shift;
		more = data[size] & 1;
	}
	return finish(p, PT_CYC, size, n);
}

static int decode_psb(struct pt_packet *p, const u8 *data, size_t n)
{
	for (size_t i = 0; i < n && i < PT_PSB_SIZE; i++)
		if (data[i] != (i & 1 ? 0x82 : 0x02))
			return -EBADMSG;
	return finish(p, PT_PSB, PT_PSB_SIZE, n);
}

static int decode_pip(struct pt_packet *p, const u8 *data, size_t n)
{
	int err = finish(p, PT_PIP, 8, n);

	if (err)
		return err;
	p->nr = data[2] & 1;
	p->value = get_bytes(data + 2, 6) >> 1 << 5;
	return 0;
}

static int decode_ptw(struct pt_packet *p, const u8 *data, size_t n)
{
	unsigned int len = data[1] >> 5 & 3;
	int err;

	if (len > 1)
		return -EBADMSG;
	err = finish(p, PT_PTW, len ? 10 : 6, n);
	if (err)
		return err;
	p->with_fup = data[1] & 0x80;
	p->value = get_bytes(data + 2, len ? 8 : 4);
	return 0;
}

/* MNT and EVD: 8 bytes behind a third byte. */
static int decode_3_8(struct pt_packet *p, enum pt_packet_type type,
		      const u8 *data, size_t n)
{
	int err = finish(p, type, 11, n);

	if (n > 2 && type == PT_MNT && data[2] != 0x88)
		return -EBADMSG;
	if (!err)
		p->value = get_bytes(data + 3, 8);
	return err;
}

static int decode_cfe(struct pt_packet *p, const u8 *data, size_t n)
{
	int err = finish(p, PT_CFE, 4, n);

	if (err)
		return err;
	p->with_fup = data[2] & 0x80;
	p->value = data[2] & 31;
	return 0;
}

/* Two-byte opcodes whose payload only has a length here. */
static const struct {
	u8 opcode;
	u8 type;
	u8 size;
	bool with_fup;
} plain[] = {
	{ 0xc8, PT_VMCS, 7, false },
	{ 0x73, PT_TMA, 7, false },
	{ 0x03, PT_CBR, 4, false },
	{ 0x23, PT_PSBEND, 2, false },
	{ 0xf3, PT_OVF, 2, false },
	{ 0x83, PT_TRACESTOP, 2, false },
	{ 0x62, PT_EXSTOP, 2, false },
	{ 0xe2, PT_EXSTOP, 2, true },
	{ 0xc2, PT_MWAIT, 10, false },
	{ 0x22, PT_PWRE, 4, false },
	{ 0xa2, PT_PWRX, 7, false },
	{ 0x63, PT_BBP, 3, false },
	{ 0x33, PT_BEP, 2, false },
	{ 0xb3, PT_BEP, 2, true },
};

static int decode_plain(struct pt_packet *p, const u8 *data, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		int err;

		if (plain[i].opcode != data[1])
			continue;
		err = finish(p, plain[i].type, plain[i].size, n);
		if (err)
			return err;
		p->with_fup = plain[i].with_fup;
		p->value = get_bytes(data + 2, plain[i].size - 2);
		return 0;
	}
	return -EBADMSG;
}

static int decode_ext(struct pt_packet *p, const u8 *data, size_t n)
{
	if (n < 2)
		return -ENODATA;
	switch (data[1]) {
	case 0x82:
		return decode_psb(p, data, n);
	case 0xa3:
		return decode_long_tnt(p, data, n);
	case 0x43:
		return decode_pip(p, data, n);
	case 0xc3:
		return decode_3_8(p, PT_MNT, data, n);
	case 0x53:
		return decode_3_8(p, PT_EVD, data, n);
	case 0x13:
		return decode_cfe(p, data, n);
	}
	if ((data[1] & 0x1f) == 0x12)
		return decode_ptw(p, data, n);
	return decode_plain(p, data, n);
}

/* TSC, MTC, BIP: @len bytes behind the first. */
static int decode_payload(struct pt_packet *p, enum pt_packet_type type,
			  const u8 *data, size_t n, unsigned int len)
{
	int err = finish(p, type, 1 + len, n);

	if (!err)
		p->value = get_bytes(data + 1, len);
	return err;
}

static int decode_odd(struct pt_packet *p, const u8 *data, size_t n)
{
	switch (data[0] & 0x1f) {
	case 0x0d:
		return decode_ip(p, PT_TIP, data, n);
	case 0x11:
		return decode_ip(p, PT_TIP_PGE, data, n);
	case 0x01:
		return decode_ip(p, PT_TIP_PGD, data, n);
	case 0x1d:
		return decode_ip(p, PT_FUP, data, n);
	}
	if ((data[0] & 3) == 3)
		return decode_cyc(p, data, n);
	switch (data[0]) {
	case 0x99:
		return decode_mode(p, data, n);
	case 0x19:
		return decode_payload(p, PT_TSC, data, n, 7);
	case 0x59:
		return decode_payload(p, PT_MTC, data, n, 1);
	}
	return -EBADMSG;
}

int pt_packet_decode(struct pt_packet *p, const u8 *data, size_t n,
		     unsigned int in_block)
{
	int err;

	if (!n)
		return -ENODATA;
	p->ip_bytes = 0;
	p->nr_tnt = 0;
	p->with_fup = false;
	p->nr = false;
	p->value = 0;
	if (in_block & 1 && (data[0] & 7) == 4)
		return decode_payload(p, PT_BIP, data, n,
				      in_block & 2 ? 4 : 8);
	if (data[0] == 0)
		return finish(p, PT_PAD, 1, n);
	if (data[0] == OPC_EXT)
		return decode_ext(p, data, n);
	if (data[0] & 1)
		return decode_odd(p, data, n);
	err = finish(p, PT_TNT, 1, n);
	return err ? err : set_tnt(p, data[0] >> 1);
}
