/* SPDX-License-Identifier: BSD-2-Clause */
/* placenames.h - what a place in a module is called: inlined calls, and the function around them. */
#ifndef SBERF_SYMBOL_PLACENAMES_H
#define SBERF_SYMBOL_PLACENAMES_H

#include <stdbool.h>
#include <stdint.h>

#define ANSWER_MAX 128u              /* inlined calls in one place; deeper ones are left out and counted */

struct answer_name {
	char *text;                  /* demangled; NULL when *user already tells the function */
	/* where the caller keeps its number of this function, 0 = none yet; NULL = nowhere */
	uint32_t *user;
	uint64_t start, size;        /* place in the module (dict.h offsets) */
	uint8_t kind;                /* enum func_kind */
	bool by_place;               /* it has lost its name: TEXT is made of its file and START */
	const char *file;            /* "" = unknown; valid until the next question */
	const char *dir;             /* the same: what a relative FILE is relative to, "" = unknown */
	uint32_t line;               /* 0 = unknown */
};

/* Innermost first. A zeroed one is empty. */
struct answer {
	uint16_t n;
	struct answer_name name[ANSWER_MAX];
};

void answer_clear(struct answer *a);

/* Adds a name to ANSWER, demangled unless the caller knows it by *USER; false when out of memory. There is room. */
bool answer_add(struct answer *a, const char *raw, uint32_t *user, uint8_t kind);

/* Why a place in a module, which is known, has no name. */
enum resolver_lack {
	LACK_FILE,                   /* it cannot be opened, or is no ELF file */
	LACK_SYMBOLS,                /* it has none */
	LACK_FUNCTION,               /* none of them covers the place */
	LACK_MAP,                    /* of a run-time compiler, or it does not tell of the place */
	LACK_HIDDEN,                 /* of the kernel, from us */
};

#endif
