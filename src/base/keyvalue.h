/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keyvalue.h - fields of a struct as "key=value", written and read by one table.
 *
 * A row of the table says where a field is, what kind of value it has and within which bounds, so
 * that a new field is a row and no code. What separates pairs, and what becomes of a pair that is
 * refused, is up to the format: lines with many pairs in base/keyline.h and src/numa/statetext.c, a
 * pair a line in src/record/metatext.c.
 */
#ifndef SBERF_BASE_KEYVALUE_H
#define SBERF_BASE_KEYVALUE_H

#include "base/part.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUE_TEXT_MAX 1024u     /* bytes of the longest field of text */
#define VALUE_PRINT_MAX (3 * VALUE_TEXT_MAX + 1)

enum value_kind {
	VALUE_TEXT,              /* char[], sanitised in both directions */
	/* char[], of which blanks, "%" and control characters are written as %XX; sanitised when it is read */
	VALUE_ESCAPED,
	VALUE_UNSIGNED,          /* a number of 1, 2, 4 or 8 bytes, or a bool */
	VALUE_OR_UNKNOWN,        /* 8 bytes, of which UINT64_MAX is the word "unknown" */
	VALUE_SIGNED,            /* int32_t */
	VALUE_PART,              /* struct part: where the value is when it is read; written as nothing */
};

enum value_rule {
	VALUE_OPTIONAL,
	VALUE_REQUIRED,          /* for the caller to look at */
	VALUE_WRITTEN,           /* written, and refused when it is read */
};

struct value_key {
	const char *name;
	enum value_kind kind;
	size_t at, size;         /* VALUE_AT() */
	int64_t min;             /* of numbers, inclusive */
	uint64_t max;
	enum value_rule rule;
};

/* Where MEMBER of TYPE is, and how long. */
#define VALUE_AT(type, member) offsetof(type, member), sizeof(((type *)0)->member)

/* The row of KEYS, which are NR, that is called NAME; NULL = none. */
const struct value_key *value_key(const struct value_key *keys, size_t nr, struct part name);

/* Writes the value of K in ROW, a struct of its table, to DST with a NUL. Returns its length. */
size_t value_print(const struct value_key *k, const void *row, char dst[VALUE_PRINT_MAX]);

/* Sets the field of K in ROW. False, and ROW as it was: VALUE is not of its kind or out of its bounds. */
bool value_read(const struct value_key *k, struct part value, void *row);

#endif
