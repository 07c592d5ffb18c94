/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * codeplaces.h - finds by debug information (DWARF) where the code of a source line begins, and where functions are
 * inlined.
 */
#ifndef SBERF_SYMBOL_CODEPLACES_H
#define SBERF_SYMBOL_CODEPLACES_H

#include "base/err.h"
#include "base/vec.h"
#include "symbol/params.h"

#include <stdbool.h>
#include <stdint.h>

#define CODE_PLACES_MAX 10000u

struct code_place {
	uint64_t vaddr;
	uint64_t scope;          /* of the function or inlined call that it is in, equal for those of one */
	bool inlined;            /* in a call that was inlined */
	const char *in;          /* the function around it, or into which it was inlined; "" = not known; D's */
};

typedef VEC(struct code_place) code_places;

/*
 * Appends where the code of LINE of the source file FILE begins, which is the end of its path: once in each function,
 * and in each call of one that was inlined. 0; -ENOENT with a sentence when D knows no such file, or no code of that
 * line, with the next line that has some; -E2BIG, -ENOMEM. Free with vec_free().
 */
int code_places_of_line(struct params *d, const char *file, uint64_t line, code_places *ret, struct err *e);

/*
 * The same of calls that were inlined of functions which IS says to be meant, by linkage name, or plain name where that
 * is not known. That there are none is no error.
 */
typedef bool code_places_is(void *ctx, const char *name);
int code_places_inlined(struct params *d, code_places_is *is, void *ctx, code_places *ret, struct err *e);

/*
 * Where the functions begin that are in units of source files like GLOB (base/wildcard.h): their paths are like it from
 * some folder on, "net/core/" and a wildcard. Each place has its name; what was inlined everywhere has none. 0; -E2BIG
 * with a sentence beyond CODE_SOURCE_PLACES_MAX, -ENOMEM. That there are none is no error.
 */
#define CODE_SOURCE_PLACES_MAX 100000u
int code_places_of_sources(struct params *d, const char *glob, code_places *ret, struct err *e);

#endif
