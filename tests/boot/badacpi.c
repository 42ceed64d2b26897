/* SPDX-License-Identifier: MIT */
/*
 * Firmware whose ACPI tables are bad in all ways that QEMU and OVMF would put
 * right: a root table full of junk; with \topaz\rsdt on the volume an XSDT with
 * a bad check sum, with \topaz\noroot an RSDT with one too.
 */
#include <efi.h>
#include <efilib.h>

#include "tests/boot/next.h"

#define HEADER		36
#define PAGES		16
#define NR_JUNK		300

/* Offsets of the RSDP. */
#define RSDT		16
#define XSDT		24
#define RSDP_SUM	32

static UINT8 *rsdp;
static UINT8 *pool, *xsdt;	/* the next free place; the new root */
static UINTN nr_entries;

static UINT32 get(const UINT8 *p)
{
	UINT32 v;

	CopyMem(&v, p, sizeof(v));
	return v;
}

static void put(UINT8 *p, UINT64 v, UINTN n)
{
	CopyMem(p, &v, n);
}

static void sum(UINT8 *p, UINTN size, UINTN at)
{
	UINT8 total = 0;

	p[at] = 0;
	for (UINTN i = 0; i < size; i++)
		total = (UINT8)(total + p[i]);
	p[at] = (UINT8)-total;
}

static void entry(UINT64 pa)
{
	put(xsdt + HEADER + 8 * nr_entries++, pa, 8);
}

/* A table of @size bytes that says it has @length. */
static UINT8 *table(const char *sig, UINT32 length, UINTN size)
{
	UINT8 *p = pool;

	CopyMem(p, sig, 4);
	put(p + 4, length, 4);
	sum(p, size, 9);
	pool += size + 1;	/* the next one is unaligned */
	entry((UINT64)p);
	return p;
}

static void lengths(void)
{
	table("LEN0", 0, HEADER);
	table("LENA", HEADER - 1, HEADER);
	table("LENB", (1 << 20) + 1, HEADER);
	table("LENC", 0xffffffff, HEADER);
	table("SUMX", 48, 48)[9]++;
	table("\033[2J", 48, 48)[9]++;
}

/* A node of the first MiB, then an entry without length. */
static void srat(void)
{
	UINT8 *p = table("SRAT", 48 + 40 + 16, 48 + 40 + 16);

	p[8] = 3;
	p[48] = 1;
	p[49] = 40;
	put(p + 48 + 16, 1 << 20, 8);
	p[48 + 28] = 1;
	sum(p, 48 + 40 + 16, 9);
}

/* A timer whose registers are where no processor has an address. */
static void hpet(void)
{
	UINT8 *p = table("HPET", 56, 56);

	put(p + 44, 1ULL << 51, 8);
	sum(p, 56, 9);
}

static void addresses(void)
{
	static const UINT64 bad[] = {
		0, 1, 0xfed00000, 0xfee00000, 0xfffffff0, 0x7fffff000,
		1ULL << 45, 1ULL << 51, 1ULL << 52, 1ULL << 63, ~0xfffULL,
		~0ULL,
	};

	for (UINTN i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		entry(bad[i]);
}

static void junk_root(void)
{
	UINT64 old;
	UINT8 *root;

	CopyMem(&old, rsdp + XSDT, sizeof(old));
	root = (UINT8 *)old;
	xsdt = pool;
	CopyMem(xsdt, root, HEADER);
	pool += 4096;
	addresses();
	lengths();
	srat();
	hpet();
	for (UINTN twice = 0; twice < 2; twice++) {
		for (UINTN off = HEADER; off < get(root + 4); off += 8) {
			CopyMem(&old, root + off, sizeof(old));
			entry(old);
		}
	}
	for (UINTN i = 0; i < NR_JUNK; i++)
		entry((UINT64)pool + i);
	put(xsdt + 4, HEADER + 8 * nr_entries, 4);
	sum(xsdt, HEADER + 8 * nr_entries, 9);
	put(rsdp + XSDT, (UINT64)xsdt, 8);
	sum(rsdp, 36, RSDP_SUM);
}

static void spoil(UINT64 root)
{
	((UINT8 *)root)[9]++;
}

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	EFI_GUID acpi = ACPI_20_TABLE_GUID;
	EFI_PHYSICAL_ADDRESS pa = 0xffffffff;
	UINT64 root;
	int noroot;

	InitializeLib(image, system);
	if (EFI_ERROR(LibGetSystemConfigurationTable(&acpi, (void **)&rsdp)) ||
	    EFI_ERROR(uefi_call_wrapper(BS->AllocatePages, 4,
					AllocateMaxAddress,
					EfiACPIReclaimMemory, PAGES, &pa))) {
		Print(L"badacpi: no tables or no memory\r\n");
		return EFI_NOT_FOUND;
	}
	pool = (UINT8 *)pa;
	SetMem(pool, PAGES * 4096, 0);
	noroot = volume_has(image, L"\\topaz\\noroot");
	if (noroot || volume_has(image, L"\\topaz\\rsdt")) {
		CopyMem(&root, rsdp + XSDT, sizeof(root));
		spoil(root);
		if (noroot)
			spoil(get(rsdp + RSDT));
	} else {
		junk_root();
	}
	Print(L"badacpi: ready\r\n");
	return start_next(image);
}
