/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * madecode.h - a function with code, made by hand: "work" of /usr/bin/app, at MADECODE_START in the
 * file, 12 instructions of 4 bytes, two of them of the inlined "mix", one a call, one into the
 * kernel. And the time that is spent in it.
 */
#ifndef SBERF_TESTS_UNIT_MADECODE_H
#define SBERF_TESTS_UNIT_MADECODE_H

#include "annotate/listing.h"
#include "tests/unit/madesession.h"

#define MADECODE_START 0x1000u
#define MADECODE_INSNS 12u

/* The frame of byte AT of it, named. INLINED: that of an instruction of "mix". */
frame_id madecode_frame(struct made *m, uint32_t at, bool inlined);
/*
 * Adds N samples of 10 ms at SECOND under "main" at the bytes of AT, outermost first, MADECODE_END
 * behind the last, and below them CALLEE, as made_stack() has it; "" = none.
 */
#define MADECODE_END UINT32_MAX
void madecode_add(struct made_session *f, unsigned int second, const uint32_t *at, const char *callee, unsigned int n);
/* Some of everything. */
void madecode_fill(struct made_session *f);

enum madecode_source {
	MADECODE_FOUND,
	MADECODE_NOT_FOUND,
	MADECODE_NO_LINES,
	MADECODE_NO_CODE,
	MADECODE_HOSTILE,                /* found; names and text from hell */
};
/* What reading OF would give. */
struct listing *madecode_listing(const struct listing_of *of, enum madecode_source source);

#endif
