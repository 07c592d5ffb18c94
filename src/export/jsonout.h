/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jsonout.h - writes JSON as it comes: large arrays and objects piece by piece, each piece by
 * libjansson. For exporters; commands make single values by it.
 *
 *	struct jsonout j = { .o.file = out };
 *	jsonout_begin(&j, NULL, '{');
 *	jsonout_put(&j, "name", jsonout_string(text));
 *	jsonout_begin(&j, "rows", '[');
 *	jsonout_put(&j, NULL, json_pack("{s:I}", "n", 1ll));
 *	jsonout_end(&j, ']');
 *	jsonout_end(&j, '}');
 *	return jsonout_finish(&j, "the profile", e);
 *
 * So only one piece is in memory. The first failure, of writing or of memory, is remembered, and
 * nothing is written after it. Each item of a streamed array is on a line of its own, for tools
 * that work by lines.
 */
#ifndef SBERF_EXPORT_JSONOUT_H
#define SBERF_EXPORT_JSONOUT_H

#include "export/out.h"
#include "model/measure.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct jsonout {
	struct out o;
	bool begun;
	bool more;               /* something stands before in what is being written */
	bool no_memory;
};

/*
 * Opens an object ('{') or an array ('[') as an item of the one that is open: under KEY if that is
 * an object, else KEY is NULL.
 */
void jsonout_begin(struct jsonout *j, const char *key, char open);
void jsonout_end(struct jsonout *j, char close);

/* Writes PIECE, taken over, as the next item; NULL notes a lack of memory. */
void jsonout_put(struct jsonout *j, const char *key, json_t *piece);

/* Sets KEY of OBJECT (NULL is fine) to VALUE, taken over; NULL notes a lack of memory. */
void jsonout_set(struct jsonout *j, json_t *object, const char *key, json_t *value);
/* The same for a number, unless it is 0. */
void jsonout_set_some(struct jsonout *j, json_t *object, const char *key, uint64_t v);

/* Appends VALUE, taken over, to ARRAY (NULL is fine); NULL notes a lack of memory. */
void jsonout_append(struct jsonout *j, json_t *array, json_t *value);

/* V as a number; values beyond signed 64 bits become the largest one. NULL when out of memory. */
json_t *jsonout_u64(uint64_t v);
/* VALUE of M as a number of its units. */
json_t *jsonout_amount(const struct measure *m, uint64_t value);
/* The LEN bytes at TEXT, sanitised (base/text.h), so valid UTF-8. */
json_t *jsonout_text(const char *text, size_t len);
/* The same for a NUL-terminated TEXT. */
json_t *jsonout_string(const char *text);

/*
 * Ends the text with a newline and flushes. 0, or a negative errno with a sentence; WHAT names what
 * was written, for -ENOMEM.
 */
int jsonout_finish(struct jsonout *j, const char *what, struct err *e);

#endif
