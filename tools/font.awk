# SPDX-License-Identifier: MIT
#
# usage: awk -f font.awk font.txt > font.inc
#
# A font drawn as text into the initialisers of a C table: one glyph a line,
# one byte a row, the leftmost pixel in the highest bit. Input that is not a
# font of the characters 20..7f in order ends it with a line and status 1.

function fail(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what | "cat >&2"
	failed = 1
	exit 1
}

function row_value(drawn, bit, i) {
	bit = 0
	for (i = 1; i <= 8; i++)
		bit = bit * 2 + (substr(drawn, i, 1) == "#")
	return bit
}

function end_band(i) {
	for (i = 1; i <= nr; i++)
		printf "\t{%s },\t/* %s */\n", glyph[i], code[i]
}

BEGIN { row = 16; next_code = 32 }

/^;/ || /^$/ { next }

$1 == "chars" {
	if (row != 16)
		fail("the glyphs above have " row " rows, not 16")
	nr = NF - 1
	for (i = 1; i <= nr; i++) {
		code[i] = $(i + 1)
		glyph[i] = ""
		if (code[i] != sprintf("%02x", next_code++))
			fail("character " code[i] " is out of order")
	}
	row = 0
	next
}

{
	if (row == 16)
		fail("a row that belongs to no glyph")
	if (NF != nr)
		fail(NF " rows for " nr " glyphs")
	for (i = 1; i <= nr; i++) {
		if ($i !~ /^[.#]+$/ || length($i) != 8)
			fail("\"" $i "\" is not 8 of '.' and '#'")
		glyph[i] = glyph[i] sprintf("%s 0x%02x", row ? "," : "",
					    row_value($i))
	}
	if (++row == 16)
		end_band()
}

END {
	if (failed)
		exit 1
	if (row != 16 || next_code != 128)
		fail("the font ends before character 7f is whole")
}
