/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show.h - writes branches, as text for people and as JSON: the branches of a call, oldest first, each as
 * "function+0xoff (file:line) -> function+0xoff (file:line)"; how often each was taken; and where calls part.
 *
 * What an address is called is asked by a function. Its answer may be foreign text: it is sanitised here.
 */
#ifndef SBERF_BRANCH_SHOW_H
#define SBERF_BRANCH_SHOW_H

#include "branch/branch.h"
#include "branch/sums.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PLACE_INLINED_MAX 16u

/* What an address is called. Texts are valid until the next question. */
struct branch_place {
	const char *function;    /* "" = not known */
	bool whole;              /* it is the function as such, or what it returns: OFFSET says nothing */
	uint64_t offset;         /* behind its begin */
	uint32_t n;              /* lines that are known: of the innermost inlined function first, of FUNCTION last */
	struct branch_line {
		const char *name, *file, *dir;   /* dir: what a relative FILE is relative to; "" = not known */
		uint32_t line;
	} at[PLACE_INLINED_MAX];
	uint32_t more;           /* inlined functions for which there was no room, between the last two */
};

#define SHOW_SOURCE_MAX 160u

struct branch_show {
	FILE *out;
	/* Names ADDRESS of SPACE; what is not known of it is "" and 0. */
	void (*name)(void *ctx, uint32_t space, uint64_t address, struct branch_place *ret);
	/* The text of a line of a source file, sanitised, to DST; false = not known. NULL = source is not shown. */
	bool (*source)(void *ctx, const struct branch_line *line, char dst[SHOW_SOURCE_MAX]);
	void *ctx;
	const char *condition;   /* as it was asked for, "retval < 0"; NULL = none */
	bool partial;            /* of a call only some jumps were watched: what is not there may be not known */
	bool json;               /* each value is an object on a line of its own; else text */
};

/* What a parameter or the result leads to: "*file", "{f_mode=29}"; raw bytes. */
struct branch_print {
	const char *what, *value;
};

/* What is known of a call beside its branches. */
struct branch_call_text {
	const char *function;    /* "check" */
	const char *args;        /* "a=7, b=0"; raw bytes */
	const char *result;      /* "-22"; "" = not known */
	uint64_t real_ns;        /* to be added to CLOCK_MONOTONIC, for the time since 1970 */
	bool meets;              /* with a condition: the call does */
	const char *const *frame;        /* of the stack that it was called with, innermost first; raw bytes */
	uint32_t frames;         /* 0 = not asked for */
	const struct branch_print *print;
	uint32_t prints;
};

/*
 * Writes what is printed of TEXT, each on a line behind INDENT columns; and the same as an object, NULL when out of
 * memory.
 */
void branch_show_prints(const struct branch_show *s, const struct branch_call_text *text, int indent);
struct json_t *branch_show_prints_json(const struct branch_call_text *text);

/* Writes the N frames at FRAME, innermost first, each on a line; and the same as a list, NULL when out of memory. */
void branch_show_frames(const struct branch_show *s, const char *const *frame, uint32_t n);
struct json_t *branch_show_frames_json(const char *const *frame, uint32_t n);

/* False where memory is out, as of all that follow. What went wrong with writing is noted in the stream. */
bool branch_show_call(const struct branch_show *s, const struct branch_call *call, const struct branch_call_text *text);

#define SHOW_POWERS 64u

/* Calls of one function, counted. */
struct branch_times {
	uint64_t calls, total_ns, longest_ns;
	uint64_t power[SHOW_POWERS];     /* calls of less than 2^(i+1) ns, and at least 2^i but of the first */
};

void branch_times_add(struct branch_times *t, uint64_t ns);

/* FUNCTION and its times, and then each branch of SUMS with how many calls took it and how often. */
bool branch_show_times(const struct branch_show *s, const char *function, const struct branch_times *t);
bool branch_show_counts(const struct branch_show *s, struct branch_sums *sums);

#define SHOW_PARTS_MAX 8u                /* instructions at which calls part that are shown */

/* Where calls of SUMS that meet the condition part from the others; or why that cannot be said. */
bool branch_show_part(const struct branch_show *s, struct branch_sums *sums);

#endif
