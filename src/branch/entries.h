/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entries.h - makes branches of the records of a CPU: arrays of struct perf_branch_entry, as bpf_get_branch_snapshot()
 * and samples of perf_event_open(2) have them, the newest entry first.
 *
 * The programs that take the records are in them, too: the trampoline that called the program, and the helper. Those
 * are known by name, left out and counted. The hardware keeps 8, 16 or 32 entries, so the begin of a call may lack.
 * Where all branches are recorded, two entries that do not belong together are known: the code between them is not
 * straight. There is a gap, as an interrupt or another thread took the records meanwhile.
 *
 * Entries are bytes of the kernel, names are of whoever loaded a module: both are bounded, and nothing of them is
 * trusted. Pure.
 */
#ifndef SBERF_BRANCH_ENTRIES_H
#define SBERF_BRANCH_ENTRIES_H

#include "base/err.h"
#include "branch/branch.h"
#include "branch/show.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDS_MAX 1024u                /* entries of one snapshot */

struct branch_symbol {
	const char *name;        /* "vfs_read", "nft_do_chain [nf_tables]"; valid until the next question */
	uint64_t start, size;
};

struct branch_symbols {
	/* the function that covers ADDRESS; false = none is known, as of a module that is gone */
	bool (*find)(void *ctx, uint64_t address, struct branch_symbol *ret);
	void *ctx;
};

/* Which branches are kept, where the CPU says of what type they are. */
enum branch_kinds {
	RECORDS_ANY,
	RECORDS_CALLS,
	RECORDS_RETURNS,
};

struct branch_records_rules {
	const struct branch_symbols *symbols;
	/* what is older than the last call of this function is left out, if that call is among the records; NULL */
	const char *function;
	uint8_t kinds;           /* enum branch_kinds */
	bool all;                /* the CPU recorded every branch, so that gaps can be known */
};

struct branch_records_figures {
	uint64_t entries;        /* that there were */
	uint64_t unused;         /* of these: without a branch */
	uint64_t own;            /* of what takes the records */
	uint64_t before;         /* from before the call */
	uint64_t other;          /* of another kind, or of a type that is not known */
	uint64_t kept;
	uint64_t gaps;           /* between those */
	uint64_t unnamed;        /* ends of those that are in no known function */
	bool begun;              /* the call of the function is among them */
};

/*
 * Appends to RET the branches that the LEN BYTES stand for, the oldest first, and gaps, all of BRANCH_KERNEL.
 * *FIGURES is added to. 0; -EBADMSG with a sentence when LEN is no number of entries, or too much, and RET as it was;
 * -ENOMEM.
 */
int branch_records_read(const void *bytes, size_t len, const struct branch_records_rules *rules, branch_vec *ret,
			struct branch_records_figures *figures, struct err *e);

/*
 * A branch that was not taken is in no record. That it was met follows from those before and behind it, between which
 * the code is straight, once it is known from other calls that there is a branch. So the branches of all calls are
 * gathered first, and then added to each call that passed them: as BRANCH_PASSED, which leads to where it is from.
 */
typedef VEC(uint64_t) branch_sources;

/* Adds to S where the N branches at B are from. False when out of memory. */
bool branch_sources_add(branch_sources *s, const struct branch *b, size_t n);
/* Sorts S, each once. */
void branch_sources_sort(branch_sources *s);
/* Adds to B what it passed of S, which is sorted. False when out of memory, and B is as it was. */
bool branch_sources_pass(const branch_sources *s, branch_vec *b);

/* Names ADDRESS by S, for struct branch_show. */
void branch_records_place(const struct branch_symbols *s, uint64_t address, struct branch_place *ret);

#endif
