/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keyline.h - lines "what key=value key=value ...", each kind of line by a table of keys
 * (base/keyvalue.h). Readers leave out lines and keys that they do not know.
 */
#ifndef SBERF_BASE_KEYLINE_H
#define SBERF_BASE_KEYLINE_H

#include "base/keyvalue.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

#define KEYLINE_KEYS_MAX 32u     /* of one kind of line */

/* A kind of line: the first word, and the keys behind it. */
struct keyline {
	const char *name;
	const struct value_key *keys;
	size_t nr_keys;
};

/* Lines that are being written. A zeroed one is empty; text.v is the caller's. */
struct keyline_text {
	VEC(char) text;
	bool failed;             /* out of memory; nothing is added any more */
};

/* Adds a line of the kind L from ROW, a struct of its table. */
void keyline_put(struct keyline_text *w, const struct keyline *l, const void *row);

enum keyline_read {
	KEYLINE_UNKNOWN,         /* LINE is of no kind that is known */
	KEYLINE_READ,
	KEYLINE_REFUSED,         /* a value makes no sense, or a required key is missing */
};

/*
 * Reads LINE, which has no newline, as one of the NR kinds at L. *RET_KIND: which. ROW has room for
 * the largest of their structs, SIZE bytes: what the line leaves out is 0.
 */
enum keyline_read keyline_parse(struct part line, const struct keyline *l, size_t nr, size_t *ret_kind, void *row,
				size_t size);

#endif
