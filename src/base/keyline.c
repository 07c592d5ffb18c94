/* SPDX-License-Identifier: BSD-2-Clause */
/* keyline.c - see keyline.h. */
#include "config.h"

#include "base/keyline.h"

#include <stdlib.h>
#include <string.h>

static void keyline_add(struct keyline_text *w, const char *s, size_t len)
{
	if (w->failed || !vec_reserve(&w->text, len)) {
		w->failed = true;
		return;
	}
	memcpy(w->text.v + w->text.n, s, len);
	w->text.n += len;
}

void keyline_put(struct keyline_text *w, const struct keyline *l, const void *row)
{
	char value[VALUE_PRINT_MAX];

	keyline_add(w, l->name, strlen(l->name));
	for (size_t i = 0; i < l->nr_keys; i++) {
		keyline_add(w, " ", 1);
		keyline_add(w, l->keys[i].name, strlen(l->keys[i].name));
		keyline_add(w, "=", 1);
		keyline_add(w, value, value_print(&l->keys[i], row, value));
	}
	keyline_add(w, "\n", 1);
}

/* Sets in ROW what the pairs of LINE say. Which keys came: bits of *RET_SEEN. False: one makes no sense. */
static bool keyline_read_pairs(struct part line, const struct keyline *l, void *row, uint32_t *ret_seen)
{
	*ret_seen = 0;
	while (line.len) {
		struct part pair = part_cut(&line, ' ');
		const struct value_key *k = value_key(l->keys, l->nr_keys, part_cut(&pair, '='));

		if (k && !value_read(k, pair, row))
			return false;
		*ret_seen |= k ? UINT32_C(1) << (k - l->keys) : 0;
	}
	return true;
}

enum keyline_read keyline_parse(struct part line, const struct keyline *l, size_t nr, size_t *ret_kind, void *row,
				size_t size)
{
	const struct part what = part_cut(&line, ' ');
	size_t kind = 0;
	uint32_t seen;

	while (kind < nr && !part_is(what, l[kind].name))
		kind++;
	if (kind == nr)
		return KEYLINE_UNKNOWN;
	*ret_kind = kind;
	memset(row, 0, size);
	if (!keyline_read_pairs(line, &l[kind], row, &seen))
		return KEYLINE_REFUSED;
	for (size_t i = 0; i < l[kind].nr_keys; i++)
		if (l[kind].keys[i].rule == VALUE_REQUIRED && !(seen >> i & 1))
			return KEYLINE_REFUSED;
	return KEYLINE_READ;
}
