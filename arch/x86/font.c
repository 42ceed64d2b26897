/* SPDX-License-Identifier: MIT */
/*
 * The consoles' font as a table.
 */
#include "arch/x86/font.h"

const u8 font[FONT_GLYPHS][FONT_HEIGHT] = {
#include "font.inc"
};
