/* SPDX-License-Identifier: MIT */
/*
 * Says whether strict firmware would start this UEFI program.
 *
 * usage: pecheck FILE.efi	status 0: right; 1: one line says what is wrong
 */
#include <stdio.h>
#include <stdlib.h>

#include "tools/pe.h"

#define MAX_FILE	(128u << 20)

int main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
	const char *fault;
	void *bytes;
	size_t size;

	if (!in) {
		fputs("usage: pecheck FILE.efi (a file that can be read)\n",
		      stderr);
		return 2;
	}
	bytes = malloc(MAX_FILE);
	if (!bytes) {
		fputs("pecheck: no memory\n", stderr);
		return 1;
	}
	size = fread(bytes, 1, MAX_FILE, in);
	fclose(in);
	fault = pe_check(bytes, size);
	free(bytes);
	if (fault)
		fprintf(stderr, "pecheck: %s: %s\n", argv[1], fault);
	return fault ? 1 : 0;
}
