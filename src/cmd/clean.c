/* SPDX-License-Identifier: BSD-2-Clause */
/* clean.c - prints foreign text. */
#include "config.h"

#include "cmd/clean.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <string.h>

void print_clean(FILE *f, const char *s)
{
	const size_t len = strlen(s);
	AUTO_FREE char *clean = malloc(3 * len + 1);

	if (!clean)
		return;
	text_sanitise(clean, 3 * len + 1, s, len);
	fputs(clean, f);
}
