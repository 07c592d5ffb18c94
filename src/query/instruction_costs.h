/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * instruction_costs.h - what the time of one function goes to, place by place.
 *
 * Whoever asks divides the bytes of the function into *places* (instructions) and these into *groups* (lines). A stack that ends in a
 * place is its self time; one that passes through it counts in its total, once, however often it does. A frame that a call into the
 * kernel left has the address behind the instruction that made it (dict.h), so what the kernel takes there is put down to that one.
 */
#ifndef SBERF_QUERY_INSTRUCTION_COSTS_H
#define SBERF_QUERY_INSTRUCTION_COSTS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

#define INSTRUCTION_COSTS_NONE UINT32_MAX

/* What is asked about; all is borrowed. */
struct instruction_costs_of {
	module_id module;
	uint64_t start;          /* offset in the module */
	uint32_t size;           /* bytes */
	const uint32_t *place;   /* by byte: below places */
	const bool *enters;      /* by place: it goes into the kernel */
	const uint32_t *group;   /* by place: below groups, or INSTRUCTION_COSTS_NONE */
	uint32_t places, groups;
};

struct hit {
	uint64_t self_ns, total_ns;      /* total_ns: with all that is called there */
};

struct instruction_costs {
	struct hit *place, *group;       /* owned: by place, by group */
	struct hit all;                  /* of the function; recursion counts once */
	uint64_t count;                  /* samples and waits in all.self_ns */
	uint64_t asked_ns;               /* what the question is about in all, whatever the function */
};

/*
 * Sums up what Q asks for: its filters count, not how it groups or inverts. With hide_kernel, kernel time is that of who called. On
 * success *RET is the caller's; -ENOMEM with a sentence.
 */
int instruction_costs_build(const struct snapshot *s, const struct names *names, const struct query *q, const struct instruction_costs_of *of, struct instruction_costs **ret,
	       struct err *e);
void instruction_costs_free(struct instruction_costs *h);                  /* NULL is fine */

DEFINE_AUTO(instruction_costs_free, struct instruction_costs);

#endif
