/* SPDX-License-Identifier: MIT */
/*
 * The loader's lines, and its ends.
 *
 * Of ConOut only OutputString is called: modes and cursor are the firmware's,
 * and may be those of a serial line that the kernel drives later.
 */
#include "boot/loader/loader.h"

#define LINE	160

#define COM1		0x3f8
#define COM_LSR		5
#define LSR_THRE	0x20
#define WAIT		100000		/* port reads of about 1 us each */

void say(const CHAR16 *format, ...)
{
	static CHAR16 line[LINE];
	va_list args;

	if (!ST->ConOut)
		return;
	va_start(args, format);
	UnicodeVSPrint(line, sizeof(line), format, args);
	va_end(args);
	uefi_call_wrapper(ST->ConOut->OutputString, 2, ST->ConOut, line);
}

static void __attribute__((noreturn)) halt(void)
{
	for (;;)
		__asm__ volatile("cli; hlt");
}

static void outb(UINT16 port, UINT8 value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static UINT8 inb(UINT16 port)
{
	UINT8 value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

/* In QEMU the test sees it; the port means something else on a board. */
static void qemu_failed(void)
{
	if (under_qemu())
		__asm__ volatile("outl %0, %w1" : : "a"(0x11), "Nd"(0xf4));
}

/* As the firmware left the port, if there is one. */
static void serial_put(const char *s)
{
	for (; *s; s++) {
		for (UINTN i = 0; i < WAIT; i++)
			if (inb(COM1 + COM_LSR) & LSR_THRE)
				break;
		outb(COM1, (UINT8)*s);
	}
}

void die(const CHAR16 *what, EFI_STATUS status)
{
	say(L"topaz-loader: %s: %r\r\n", what, status);
	qemu_failed();
	uefi_call_wrapper(BS->Exit, 4, this_image, EFI_LOAD_ERROR, 0, NULL);
	halt();
}

void die_alone(const char *what)
{
	serial_put("\r\ntopaz-loader: ");
	serial_put(what);
	serial_put(": reset\r\n");
	qemu_failed();
	if (RT && RT->ResetSystem)
		uefi_call_wrapper(RT->ResetSystem, 4, EfiResetCold,
				  EFI_LOAD_ERROR, 0, NULL);
	halt();
}
