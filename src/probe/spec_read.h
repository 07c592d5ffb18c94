/* SPDX-License-Identifier: BSD-2-Clause */
/* spec_read.h - what the parsers of points and of expressions share. Private to spec*.c. */
#ifndef SBERF_PROBE_SPEC_READ_H
#define SBERF_PROBE_SPEC_READ_H

#include "probe/spec.h"

/* A text that is being read. */
struct spec_reader {
	const char *text; /* all of it */
	const char *at; /* the next character */
	struct err *e;
};

/*
 * Refuses what stands at AT, in the text of R: "probe 'TEXT', character 7: SENTENCE". Returns -EINVAL.
 */
int spec_refuse(const struct spec_reader *r, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Skips blanks. */
void spec_blanks(struct spec_reader *r);

/*
 * Reads an expression up to ENDS ('/' or ')'), which is taken too. KNOWS (enum probe_knows) are the
 * values that may be used in it, KIND names whose they are. 0, or a negative errno with a sentence.
 */
int spec_expr_read(struct spec_reader *r, char ends, unsigned int knows, enum probe_kind kind, struct spec_expr *ret);

/* Appends EXPR to the LEN bytes at DST, which has SIZE bytes; returns the new length, below SIZE. */
size_t spec_expr_write(const struct spec_expr *expr, char *dst, size_t len, size_t size);

/*
 * Which of the N words at WORDS (NULL ones are passed over) is written most like the LEN bytes at
 * WORD: at most one wrong letter in three. NULL when none is near.
 */
const char *spec_nearest(const char *word, size_t len, const char *const *words, size_t n);

#endif
