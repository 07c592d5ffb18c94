/* SPDX-License-Identifier: BSD-2-Clause */
/* main.c - picks a command, runs it, and turns an error into a sentence and an exit status. */
#include "config.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts(PACKAGE_STRING);
		return 0;
	}
	fputs("usage: sberf --version\n", stderr);
	return 2;
}
