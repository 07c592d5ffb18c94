/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.h - the state of one stack that is being unwound, shared by the fast path (unwind.c) and the
 * complete evaluator (slow.c).
 */
#ifndef SBERF_UNWIND_WALK_H
#define SBERF_UNWIND_WALK_H

#include "unwind/arch.h"
#include "unwind/rules.h"
#include "unwind/unwind.h"

#include <string.h>

#define WALK_MAPS 8u             /* mappings remembered during one walk */

/* Every register of one frame. */
struct registers {
	uint64_t reg[MACHINE_REGS_MAX];  /* those of the machine */
	uint64_t known;                  /* bit per register */
	uint32_t frame;                  /* which frame of the chain they are of */
	bool exact;                      /* pc is where the frame runs, not a return address */
};

struct walk {
	struct unwinder *u;
	const struct unwind_space *space;
	const struct unwind_input *in;
	struct chain *out;
	const struct machine *machine;   /* of the registers; NULL = none that is known: nothing is walked from them */
	const struct unwind_arch *arch;  /* NULL with it */
	uint64_t pc, sp, bp;             /* bp: of whatever register is the frame pointer */
	uint64_t link;                   /* the link register, where EXACT */
	bool exact;                      /* as in struct registers */
	bool link_known;                 /* LINK is set, and not used up */
	bool sp_unknown;                 /* the frame was come to by frame pointers alone, and sp is somewhere above */
	bool mixed;                      /* some frame took frame pointers or a guess */
	uint64_t lo, hi;                 /* the copied bytes of the stack that sp is on: addresses [lo, hi) */
	const uint8_t *bytes;            /* of address lo */
	bool interrupted;                /* as in struct raw_segment: segments that differ in it are of other stacks */
	uint64_t floor;                  /* nothing of this stack that is needed lies below */
	uint64_t base, top;              /* sp where the walk entered this stack; end of the highest byte read */
	uint64_t used;                   /* bytes_used of stacks already left */
	module_id module;                /* of the frame being left */
	struct registers regs;           /* for the complete evaluator: of some frame at or before the current one */
	unsigned int nr_maps, last_map;
	struct unwind_map map[WALK_MAPS];
};

/* What a step came to. */
enum step {
	STEP_OK,
	STEP_ROOT,               /* there is no caller */
	STEP_CUT,                /* out->cut says why */
};

/* W at frame 0 of IN, with OUT empty. unwind_sample() does no more than call these two; a test compares their steps. */
void walk_begin(struct walk *w, struct unwinder *u, const struct unwind_space *space, const struct unwind_input *in,
		struct chain *out);
/* Adds the frame that W stands at to the chain and goes to its caller. */
enum step walk_frame(struct walk *w);

/* Makes what was copied of the current stack around ADDR the bytes at hand. False when that was not. */
bool walk_turn_to(struct walk *w, uint64_t addr);

/* The eight bytes at ADDR on the current stack; false when they were not copied. */
static inline bool walk_read(struct walk *w, uint64_t addr, uint64_t *ret)
{
	if ((addr - w->lo >= w->hi - w->lo || w->hi - addr < sizeof(*ret)) && !walk_turn_to(w, addr))
		return false;
	memcpy(ret, w->bytes + (addr - w->lo), sizeof(*ret));
	return true;
}

/* SIZE (1 to 8) bytes at ADDR on any copied stack, zero-extended. */
bool walk_read_any(struct walk *w, uint64_t addr, unsigned int size, uint64_t *ret);

/* Ends the walk: out->cut = WHY. */
enum step walk_cut(struct walk *w, enum cut_reason why);
/* Ends the walk at what is being loaded: it may be walked again. */
enum step walk_not_loaded(struct walk *w);
/* Ends the walk because ADDR could not be read. */
enum step walk_fault(struct walk *w, uint64_t addr);

/* What is mapped at PC, remembered during the walk; NULL = nothing executable. */
const struct unwind_map *walk_map(struct walk *w, uint64_t pc);
/*
 * The rule for the place OFFSET of the file in M. Of a remote image it may not be there yet: RULE_BAD, and the chain is
 * loading.
 */
struct rule walk_rule(struct walk *w, const struct unwind_map *m, uint64_t offset);
/* The same asked of IM, without remembering it. */
struct rule walk_learn(struct image *im, uint64_t offset);
/*
 * The rule of the places of IM from VADDR, which has no row in the call-frame information, up to
 * *RET_END (at least one), as far as they have none either. RULE_NONE too where there is one that
 * takes long to find.
 */
struct rule walk_rule_until(struct image *im, uint64_t vaddr, uint64_t *ret_end);
/* What frame-pointer frames and frames without information do: (sp, bp) -> the caller's (pc, sp, bp). */
enum step walk_fp(struct walk *w, uint64_t sp, uint64_t bp, uint64_t ret[3]);

/*
 * Steps from frame out->n - 1, whose pc, sp and bp stand in W, to its caller with every register,
 * asking for the rows of all frames up to there. Sets pc, sp, bp, exact.
 */
enum step slow_step(struct walk *w);

/*
 * Before and after anything is asked of libdw about IM in the course of a walk. False: not now,
 * since files like it take more time than they may have; what is asked for then counts as
 * information that cannot be used.
 */
bool walk_may_ask(const struct unwinder *u, const struct image *im, uint64_t now_ns);
void walk_has_asked(struct unwinder *u, struct image *im, uint64_t began_ns);

#endif
