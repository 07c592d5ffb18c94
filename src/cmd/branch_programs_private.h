/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_programs_private.h - what the parts of branch_programs.h share: what is followed (branch_programs_find.c), the
 * jumps that breakpoints tell of (branch_programs_jumps.c), and the calls (branch_programs.c).
 */
#ifndef SBERF_CMD_BRANCH_PROGRAMS_PRIVATE_H
#define SBERF_CMD_BRANCH_PROGRAMS_PRIVATE_H

#include "cmd/branch_programs.h"

#include "base/vec.h"
#include "branch/entries.h"
#include "capture/bpfcalls.h"
#include "engine/loads.h"
#include "model/probecode.h"
#include "probe/ktypes_all.h"
#include "symbol/kernel.h"
#include "system/bpfcode.h"

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

/* A function that is followed as a part of a call. */
struct program_part {
	struct probe_code code;
	const struct bpfcode_function *function;
	bool *watched;           /* of each block */
};

/* What was asked for: calls of the first part, in which the other ones may be called. */
struct program_followed {
	struct branch_wish *wish;
	struct bpfcode *code;    /* NULL = a function of the kernel */
	char name[BPF_PROG_NAME_MAX];
	char symbol[2 * BPF_PROG_NAME_MAX];      /* as the kernel's symbols have it */
	const struct bpfcode_function *function;
	VEC(struct program_part) part;
	struct sb_filter filter;
	struct ktypes *types;    /* of its program; NULL = it says nothing of them, or it is the kernel's */
	struct sb_loads loads;   /* what is read of its calls */
	unsigned int packet_at;  /* which argument is the length of a packet; BRANCH_ARGS = none */
};

/* A jump on a condition, at which a breakpoint may stand. */
struct program_jump {
	uint64_t address;
	const uint8_t *insn;
	uint32_t size;
};

struct branch_programs {
	const struct options *o;
	struct branch_names *names;
	struct branch_prints *prints;    /* NULL = nothing is to be shown beside arguments and results */
	struct ktypes_all types; /* of the kernel */
	struct branch_programs_ops ops;
	bool records;
	struct bpfcalls *calls;
	struct ksyms *syms;
	struct branch_symbols symbols;
	VEC(struct program_followed) followed;
	struct bpfcalls_function asked[BPFCALLS_FUNCTIONS_MAX];  /* of those that are followed */
	VEC(struct program_jump) jump;
	uint32_t each;           /* breakpoints of a CPU */
	uint32_t set;            /* which jumps are watched, from 1 on; the first one of set S is (S - 1) * each */
	uint64_t set_ns;         /* when the first call was told of it */
	uint64_t set_calls;      /* calls that were told of it */
	VEC(bool) met;           /* of each set: some call was */
	uint64_t look_ns, look_hits;     /* when it was last looked at what hits cost, and how many there were */
	uint64_t off_until_ns;   /* 0 = breakpoints are in place */
	uint64_t told, gaps;
	struct branch_records_figures figures;
	branch_sources sources;
	VEC(struct branch_call) held;    /* calls with records */
	struct err why;          /* why there are no breakpoints */
};

/*
 * Whether the end of calls is to be told by a breakpoint, if it can be: where stacks are taken of them, past what waits
 * for a return the kernel cannot unwind.
 */
static inline bool branch_programs_break_ends(const struct branch_programs *p)
{
	return !p->records && !p->o->branch_entry && (p->o->branch_stacks || p->o->branch_record);
}

/* ---- branch_programs_find.c ---- */

/* Finds what W asks for, and reads and decodes its code; what is to be traced of it to *RET. */
int branch_programs_find_one(struct branch_programs *p, struct branch_wish *w, struct bpfcalls_function *ret,
			     struct err *e);

/* The types with which F is looked at, to *RET. 0, or a negative errno with a sentence. */
int branch_programs_typed(struct branch_programs *p, const struct program_followed *f, struct load_program *ret,
			  struct err *e);

/* ---- branch_programs_jumps.c ---- */

/* Gathers the jumps on a condition of all that is followed. 0, or -ENOMEM. */
int branch_programs_gather_jumps(struct branch_programs *p, struct err *e);
/* How many sets of jumps take turns; 0 = none is watched. */
uint32_t branch_programs_sets(const struct branch_programs *p);
/* The first jump of SET, and how many are in it. */
size_t branch_programs_set(const struct branch_programs *p, uint32_t set, uint32_t *ret_n);
/* Has breakpoints watch SET. */
void branch_programs_watch(struct branch_programs *p, uint32_t set);
/* A call was told of SET. */
void branch_programs_note_set(struct branch_programs *p, uint32_t set);
/* Moves breakpoints when it is time to, or takes them off when they cost more than the budget. */
void branch_programs_take_turns(struct branch_programs *p);
/* The branches of the call C of F, by its breakpoints. False when out of memory. */
bool branch_programs_follow(struct branch_programs *p, const struct program_followed *f, const struct sb_bpf_call *c,
		     struct branch_call *ret);

#endif
