/* SPDX-License-Identifier: MIT */
/*
 * Formatted text: to a buffer, to a sink, to the console.
 *
 * One formatter that hands characters to a small buffer; the buffer is passed
 * on when it is full, so text of any length needs no memory.
 */
#include "lib/printk.h"

#include "lib/string.h"
#include "lib/symtab.h"

#define PIECE	256	/* bytes that reach the sink together */

struct out {
	char *buf;
	size_t size;		/* room in buf */
	size_t len;
	struct printer *printer;	/* takes full buffers; NULL: cut off */
};

struct spec {
	bool left;
	bool zero;
	bool alt;
	bool plus;
	bool space;
	int width;
	int precision;		/* -1: none given */
	int length;		/* bytes of the integer argument */
};

static void out_flush(struct out *o)
{
	if (o->printer && o->len)
		o->printer->write(o->printer, o->buf, o->len);
	if (o->printer)
		o->len = 0;
}

static void out_char(struct out *o, char c)
{
	if (o->len == o->size)
		out_flush(o);
	if (o->len < o->size)
		o->buf[o->len++] = c;
}

static void out_pad(struct out *o, char c, int n)
{
	for (; n > 0; n--)
		out_char(o, c);
}

static void out_string(struct out *o, const char *s, const struct spec *spec)
{
	size_t max = spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision;
	size_t n;

	if (!s)
		s = "(null)";
	n = strnlen(s, max);
	if (!spec->left)
		out_pad(o, ' ', spec->width - (int)n);
	for (size_t i = 0; i < n; i++)
		out_char(o, s[i]);
	if (spec->left)
		out_pad(o, ' ', spec->width - (int)n);
}

/* Digits of @v, last one first. Return: how many. */
static int digits(char *buf, u64 v, unsigned int base, bool upper)
{
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	int n = 0;

	for (; v; v /= base)
		buf[n++] = set[v % base];
	return n;
}

static void out_number(struct out *o, u64 v, unsigned int base, bool upper,
		       const char *sign, const struct spec *spec)
{
	char buf[24];
	int n = digits(buf, v, base, upper);
	int min_digits = spec->precision < 0 ? 1 : spec->precision;
	const char *prefix = "";
	int fill, zeros;

	if (spec->alt && base == 16 && v)
		prefix = upper ? "0X" : "0x";
	if (spec->alt && base == 8 && min_digits <= n)
		min_digits = n + 1;
	zeros = max(min_digits - n, 0);
	fill = spec->width - n - zeros - (int)strlen(sign) -
	       (int)strlen(prefix);
	if (spec->zero && !spec->left && spec->precision < 0) {
		zeros += max(fill, 0);
		fill = 0;
	}
	if (!spec->left)
		out_pad(o, ' ', fill);
	for (; *sign; sign++)
		out_char(o, *sign);
	for (; *prefix; prefix++)
		out_char(o, *prefix);
	out_pad(o, '0', zeros);
	while (n)
		out_char(o, buf[--n]);
	if (spec->left)
		out_pad(o, ' ', fill);
}

/*
 * symbol+0xoff, or the plain number where there is no symbol. @back: bytes
 * before @addr that the symbol must cover, 1 for a return address: after a
 * call that does not return it is that of the next function.
 */
static void out_symbol(struct out *o, u64 addr, unsigned int back,
		       const struct spec *spec)
{
	const struct symbol *sym = symtab_lookup(addr - back);
	struct spec plain = { .precision = -1 };

	if (!sym) {
		plain.alt = true;
		out_number(o, addr, 16, false, "", &plain);
		return;
	}
	out_string(o, sym->name, spec);
	out_char(o, '+');
	plain.alt = addr != sym->addr;
	if (!plain.alt)
		out_string(o, "0x", &plain);
	out_number(o, addr - sym->addr, 16, false, "", &plain);
}

static const char *parse_flags(const char *fmt, struct spec *spec)
{
	for (;; fmt++) {
		switch (*fmt) {
		case '-':
			spec->left = true;
			break;
		case '0':
			spec->zero = true;
			break;
		case '#':
			spec->alt = true;
			break;
		case '+':
			spec->plus = true;
			break;
		case ' ':
			spec->space = true;
			break;
		default:
			return fmt;
		}
	}
}

static const char *parse_int(const char *fmt, int *n)
{
	for (*n = 0; *fmt >= '0' && *fmt <= '9'; fmt++)
		if (*n < 100000)
			*n = *n * 10 + *fmt - '0';
	return fmt;
}

static const char *parse_length(const char *fmt, struct spec *spec)
{
	spec->length = sizeof(int);
	switch (*fmt) {
	case 'h':
		spec->length = fmt[1] == 'h' ? sizeof(char) : sizeof(short);
		return fmt + (fmt[1] == 'h' ? 2 : 1);
	case 'l':
		spec->length = sizeof(long);
		return fmt + (fmt[1] == 'l' ? 2 : 1);
	case 'z':
	case 't':
	case 'j':
		spec->length = sizeof(long);
		return fmt + 1;
	}
	return fmt;
}

static u64 unsigned_arg(va_list *ap, int length)
{
	if (length == 8)
		return va_arg(*ap, u64);
	if (length == 4)
		return va_arg(*ap, unsigned int);
	return va_arg(*ap, unsigned int) & (length == 2 ? 0xffffu : 0xffu);
}

static s64 signed_arg(va_list *ap, int length)
{
	if (length == 8)
		return va_arg(*ap, s64);
	if (length == 4)
		return va_arg(*ap, int);
	if (length == 2)
		return (s16)va_arg(*ap, int);
	return (s8)va_arg(*ap, int);
}

static void out_signed(struct out *o, s64 v, const struct spec *spec)
{
	const char *sign = spec->plus ? "+" : spec->space ? " " : "";

	if (v < 0)
		out_number(o, 0 - (u64)v, 10, false, "-", spec);
	else
		out_number(o, (u64)v, 10, false, sign, spec);
}

/* One conversion. Return: behind it. */
static const char *convert(struct out *o, const char *fmt, struct spec *spec,
			   va_list *ap)
{
	char c[2] = { *fmt, '\0' };

	switch (*fmt) {
	case 'd':
	case 'i':
		out_signed(o, signed_arg(ap, spec->length), spec);
		break;
	case 'u':
		out_number(o, unsigned_arg(ap, spec->length), 10, false, "",
			   spec);
		break;
	case 'o':
		out_number(o, unsigned_arg(ap, spec->length), 8, false, "",
			   spec);
		break;
	case 'x':
	case 'X':
		out_number(o, unsigned_arg(ap, spec->length), 16, *fmt == 'X',
			   "", spec);
		break;
	case 'c':
		c[0] = (char)va_arg(*ap, int);
		spec->precision = -1;
		if (!spec->left)
			out_pad(o, ' ', spec->width - 1);
		out_char(o, c[0]);
		if (spec->left)
			out_pad(o, ' ', spec->width - 1);
		break;
	case 's':
		out_string(o, va_arg(*ap, const char *), spec);
		break;
	case 'p':
		if (fmt[1] == 'S' || fmt[1] == 'B') {
			out_symbol(o, va_arg(*ap, u64), fmt[1] == 'B', spec);
			return fmt + 2;
		}
		spec->alt = true;
		out_number(o, va_arg(*ap, u64), 16, false, "", spec);
		break;
	case '\0':
		return fmt;
	default:
		out_char(o, *fmt);
	}
	return fmt + 1;
}

static void format(struct out *o, const char *fmt, va_list *ap)
{
	while (*fmt) {
		struct spec spec = { .precision = -1 };

		if (*fmt != '%') {
			out_char(o, *fmt++);
			continue;
		}
		fmt = parse_flags(fmt + 1, &spec);
		if (*fmt == '*') {
			spec.width = va_arg(*ap, int);
			fmt++;
		} else {
			fmt = parse_int(fmt, &spec.width);
		}
		if (spec.width < 0) {
			spec.left = true;
			spec.width = -spec.width;
		}
		if (*fmt == '.' && fmt[1] == '*') {
			spec.precision = va_arg(*ap, int);
			fmt += 2;
		} else if (*fmt == '.') {
			fmt = parse_int(fmt + 1, &spec.precision);
		}
		fmt = parse_length(fmt, &spec);
		fmt = convert(o, fmt, &spec, ap);
	}
}

int vscnprintf(char *buf, size_t size, const char *fmt, va_list ap)
{
	struct out o = { .buf = buf, .size = size ? size - 1 : 0 };
	va_list args;

	va_copy(args, ap);
	format(&o, fmt, &args);
	va_end(args);
	if (size)
		buf[o.len] = '\0';
	return (int)o.len;
}

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vscnprintf(buf, size, fmt, ap);
	va_end(ap);
	return n;
}

void vpr_to(struct printer *p, const char *fmt, va_list ap)
{
	char piece[PIECE];
	struct out o = { .buf = piece, .size = sizeof(piece), .printer = p };
	va_list args;

	va_copy(args, ap);
	format(&o, fmt, &args);
	va_end(args);
	out_flush(&o);
}

void pr_to(struct printer *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vpr_to(p, fmt, ap);
	va_end(ap);
}

/* Owner: printk_set_sink(). */
static void (*console_sink)(const char *s, size_t n);
/* Owner: console_write(). Bytes printed before there was a sink. */
static unsigned long dropped;

static void console_write(struct printer *p, const char *s, size_t n)
{
	(void)p;
	if (console_sink)
		console_sink(s, n);
	else
		dropped += n;
}

struct printer console_printer = { .write = console_write };

void printk_set_sink(void (*write)(const char *s, size_t n))
{
	console_sink = write;
}

unsigned long printk_dropped(void)
{
	return dropped;
}

void printk(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vpr_to(&console_printer, fmt, ap);
	va_end(ap);
}
