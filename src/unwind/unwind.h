/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind.h - turns registers and copied stack bytes into a stack of frames.
 *
 * Call-frame information comes from libdw. The row of a pc is asked for once and kept as a small
 * rule keyed by (module, offset); walking with rules costs nanoseconds. What the rule cannot
 * express goes to a slow, complete evaluator. Everything is single-threaded and pure: the same
 * registers, bytes and mappings give the same chain.
 */
#ifndef SBERF_UNWIND_UNWIND_H
#define SBERF_UNWIND_UNWIND_H

#include "model/dict.h"
#include "model/method.h"
#include "model/raw.h"
#include "model/reasons.h"
#include "unwind/image.h"
#include "unwind/made.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
/*
 * An old name of MAP_ANONYMOUS: as a macro it would silently stand in for the state below. Included
 * first, it stays away.
 */
#undef MAP_ANON

#define CHAIN_MAX 4096u          /* frames at most: a 64 KB stack of 16-byte frames */

enum map_state {
	MAP_READY,               /* image is set */
	MAP_ANON,                /* executable memory without a file: what MADE says, else frame pointers */
	MAP_LOADING,             /* try again later */
	MAP_NO_FILE,             /* its file cannot be read */
	MAP_SPECIAL,             /* a kernel-made page without unwind information ([vsyscall]) */
	/* that of [uprobes], which begins with what return probes put in place of return addresses */
	MAP_PROBES,
};

/* Answer to "what is mapped at this address". */
struct unwind_map {
	uint64_t start, end;     /* of the mapping */
	/* file offset of start; of MAP_ANON start itself: places in such memory are addresses */
	uint64_t pgoff;
	module_id module;
	enum map_state state;
	/* MAP_ANON: what its compiler says of unwinding, NULL = nothing; valid as long as IMAGE */
	const struct made_code *made;
	struct image *image;     /* MAP_READY; stays valid during the call of unwind_sample() */
};

/* The place of ADDR, which is in M: its offset in the file, or ADDR itself in memory without one. */
static inline uint64_t unwind_place(const struct unwind_map *m, uint64_t addr)
{
	return addr - m->start + m->pgoff;
}

/* The address space of one process at one moment. */
struct unwind_space {
	/* False when nothing executable is mapped at PC. */
	bool (*find)(void *ctx, uint64_t pc, struct unwind_map *ret);
	/*
	 * All that is executable and MAP_READY, or MAP_ANON, by address, to RET: at most MAX, whose
	 * number it returns. LOAD: files that are not loaded yet are asked for. NULL: only find()
	 * is to be had.
	 */
	size_t (*list)(void *ctx, struct unwind_map *ret, size_t max, bool load);
	void *ctx;
};

struct chain {
	uint32_t n;                      /* frames, innermost first */
	enum cut_reason cut;             /* CUT_COMPLETE, or why the walk ended early */
	module_id cut_module;            /* where it ended; ID_NONE = in no module */
	enum unwind_method method;
	uint32_t bytes_used;             /* distance from sp to the highest byte read: what a copy must hold */
	uint64_t fault;                  /* of a cut in the stack: the address whose word was missing */
	/* the kernel half walked by rules of something else: CUT_STALE, or only up to where it stopped */
	bool stale;
	bool loading;                    /* ended at a module that is still being loaded: may be retried */
	/*
	 * Offsets as dict.h says: lookup places, not return addresses. The sigreturn code under a
	 * signal handler and the end of a ucontext's stack are named by their own first byte: no
	 * call left these return addresses.
	 */
	struct frame frame[CHAIN_MAX];
};

struct unwinder;

struct unwinder *unwinder_new(void);             /* NULL when out of memory */
/* From now on only what unwind tables say is believed: other code is cut as CUT_NO_CFI. Before the first walk. */
void unwinder_use_tables_only(struct unwinder *u);
/* From now on every frame is left by its frame pointer, whatever tables say. Before the first walk. */
void unwinder_use_frame_pointers_only(struct unwinder *u);
/* From now on only the innermost frame is told, as a whole stack. Before the first walk. */
void unwinder_use_no_callers(struct unwinder *u);
void unwinder_free(struct unwinder *u);          /* NULL is fine; before the images that it has seen */

/*
 * Walks what IN has in SPACE. Never fails: what cannot be walked is cut with a reason. ret->n may be 0 (kernel
 * thread, no registers). RET is the caller's and large: keep one.
 */
void unwind_sample(struct unwinder *u, const struct unwind_space *space, const struct unwind_input *in,
		   struct chain *ret);

/* Figures since unwinder_new(). */
struct unwind_stats {
	uint64_t samples, frames;
	uint64_t rule_hits, rule_misses;         /* frames walked by a known rule; rows asked of libdw */
	uint64_t slow_frames;                    /* frames that took the complete evaluator */
	uint64_t fp_frames;                      /* frames that took frame pointers */
	size_t bytes;                            /* memory of the rules */
};
void unwinder_stats(const struct unwinder *u, struct unwind_stats *ret);

DEFINE_AUTO(unwinder_free, struct unwinder);

#endif
