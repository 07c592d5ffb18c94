/* SPDX-License-Identifier: BSD-2-Clause */
/* placenames.c - see placenames.h. */
#include "config.h"

#include "symbol/placenames.h"

#include "symbol/demangle.h"

#include <stdlib.h>

void answer_clear(struct answer *a)
{
	for (uint16_t i = 0; i < a->n; i++)
		free(a->name[i].text);
	a->n = 0;
}

bool answer_add(struct answer *a, const char *raw, uint32_t *user, uint8_t kind)
{
	char *text = NULL;

	if (!user || !*user) {
		text = demangle_symbol(raw);
		if (!text)
			return false;
	}
	a->name[a->n++] = (struct answer_name){ .text = text, .user = user, .kind = kind, .file = "", .dir = "" };
	return true;
}
