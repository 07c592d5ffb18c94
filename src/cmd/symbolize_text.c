/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize_text.c - build-ids and files of functions as text. */
#include "config.h"

#include "cmd/symbolize_text.h"

#include "base/parse.h"
#include "cmd/clean.h"

void symbolize_read_id(const char *text, size_t len, uint8_t *ret)
{
	for (size_t i = 0; i < len; i++) {
		const char *at = text + 2 * i;
		uint64_t byte = 0;

		parse_hex(&at, at + 2, &byte);
		ret[i] = (uint8_t)byte;
	}
}

void symbolize_print_file(FILE *f, const struct sberf_function *fn)
{
	if (fn->file[0] && fn->file[0] != '/' && fn->directory[0]) {
		print_clean(f, fn->directory);
		fputc('/', f);
	}
	print_clean(f, fn->file);
}
