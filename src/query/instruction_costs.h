/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * instruction_costs.h - distributes the time of one function over its instructions.
 *
 * The caller divides the bytes of the function into *places* (instructions) and these into *groups*
 * (lines). A stack that ends in a place is its self time; one that passes through it adds to its
 * total, once, however often it passes. A frame that a system call left has the address behind the
 * instruction that made the call (dict.h), so the kernel's time is attributed to that instruction.
 */
#ifndef SBERF_QUERY_INSTRUCTION_COSTS_H
#define SBERF_QUERY_INSTRUCTION_COSTS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

#define INSTRUCTION_COSTS_NONE UINT32_MAX

/* The function asked about; all pointers are borrowed. */
struct instruction_costs_of {
	module_id module;
	uint64_t start;          /* offset in the module */
	uint32_t size;           /* bytes */
	const uint32_t *place;   /* by byte: below places */
	const bool *enters;      /* by place: it enters the kernel */
	const uint32_t *group;   /* by place: below groups, or INSTRUCTION_COSTS_NONE */
	uint32_t places, groups;
};

struct hit {
	uint64_t self_ns, total_ns;      /* total_ns: with everything called there */
};

struct instruction_costs {
	struct hit *place, *group;       /* owned: by place, by group */
	struct hit all;                  /* of the function; recursion counts once */
	uint64_t count;                  /* samples and waits in all.self_ns */
	uint64_t asked_ns;               /* time that the query asks for in all functions */
};

/*
 * Sums what Q asks for: its filters count, its grouping and inversion do not. With hide_kernel,
 * kernel time belongs to the caller. On success *RET is the caller's; -ENOMEM with a sentence.
 */
int instruction_costs_build(const struct snapshot *s, const struct names *names, const struct query *q,
	       const struct instruction_costs_of *of, struct instruction_costs **ret, struct err *e);
void instruction_costs_free(struct instruction_costs *h);                  /* NULL is fine */

DEFINE_AUTO(instruction_costs_free, struct instruction_costs);

#endif
