/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placing.h - from probes as they were asked for to what is to be placed: each gets its number and
 * measure (model/probes.h), and the places that it means, of the kernel at once and of a program
 * when it is there.
 */
#ifndef SBERF_ENGINE_PLACING_H
#define SBERF_ENGINE_PLACING_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/link.h"
#include "capture/source.h"
#include "model/measure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct placing;
struct pointers;

/* of a probe that will be placed when there is a process for it */
#define PLACING_ABSENT "no process has it yet"

/*
 * The measure of the probe TEXT (sberf-probe(7)), which gets a number if it has none; *RET is its
 * id. -EINVAL or -E2BIG with a sentence for a text that is no probe; -ENOSPC when there are
 * PROBES_MAX.
 */
int placing_measure(const char *text, unsigned int *ret, struct err *e);

/* What is told with each hit beside its arguments: texts as `sberf branches --print` has them. Borrowed. */
struct placing_prints {
	const char *const *expr;
	size_t n;                /* up to PLACING_PRINTS_MAX */
};
#define PLACING_PRINTS_MAX 4u

/*
 * Reads the N probes TEXTS, and looks up system calls. PRINTS: what is told with hits of functions; NULL = nothing. 0;
 * or a negative errno with a sentence that names the probe which cannot be placed. *RET is the caller's. Afterwards it
 * does not change, and any thread may read it.
 */
int placing_new(const char *const *texts, size_t n, const struct placing_prints *prints, struct placing **ret,
		struct err *e);
void placing_free(struct placing *p);            /* NULL is fine */

/*
 * The same of one probe more, TEXT, beside those of FIRST, which has to outlive *RET: they share where
 * named values are, so one thread at a time may make or look for either. TRIES: it is only to be seen
 * whether it can be placed, by this and placing_check(): it gets no number, and borrows TEXT.
 */
int placing_more(const struct placing *first, const char *text, bool tries, struct placing **ret, struct err *e);

/* What a hit of PROBE costs that is only counted, in ns, when it is in the kernel (probe/catalog.h); 0 = it is not. */
uint32_t placing_kernel_ns(const struct placing *p, uint32_t probe);
/* Whether PROBE is one of system calls, from entry to return. */
bool placing_is_call(const struct placing *p, uint32_t probe);

/* The calls by pointers in its call graphs, which it owns, for the one thread that follows them; NULL = none. */
struct pointers *placing_pointers(const struct placing *p);

/* The numbers of its probes, as a mask. */
uint64_t placing_probes(const struct placing *p);

/*
 * Whether P can be placed beside THERE, of which the probes in the mask OFF are not placed: 0, or -EEXIST
 * with a sentence that names the one which is in the way.
 */
int placing_fits(const struct placing *p, const struct placing *there, uint64_t off, struct err *e);

/* Sets in PLAN what is to be placed, which is P's: P must outlive it. */
void placing_plan(const struct placing *p, struct capture_plan *plan);

/*
 * Functions that allocate memory (probe/allocators.h) are placed, too: blocks are sampled by INTERVAL bytes
 * (model/allocation.h), and with FREES followed to their ends. TOLD: instead of these, the static probes
 * otel_memory:alloc and otel_memory:free of programs that sample by themselves. Before anybody else reads P.
 */
void placing_memory(struct placing *p, uint32_t interval, bool frees, bool told);

/*
 * The same functions alone, into *RET, the caller's, with the allocators that placing_allocator() named for FIRST,
 * which must outlive it. 0, or -ENOMEM.
 */
int placing_blocks(const struct placing *first, uint32_t interval, bool frees, struct placing **ret, struct err *e);
/* Whether static probes of programs that sample their memory by themselves are. */
bool placing_follows_told(const struct placing *p);
/* Whether functions that allocate memory are placed by P. */
bool placing_follows_blocks(const struct placing *p);

/*
 * The function that TEXT names is one of them, too: "FILE:FUNCTION=malloc". TEXT must outlive P. -EINVAL with a
 * sentence when it names none. Before anybody else reads P.
 */
int placing_allocator(struct placing *p, const char *text, struct err *e);

/* Whether some of the probes are places in programs. */
bool placing_in_programs(const struct placing *p);
/* The first probe of P that is in programs, as it was asked for; "" = there is none. */
const char *placing_first(const struct placing *p);
/* Is some of it in the kernel? */
bool placing_in_kernel(const struct placing *p);

/*
 * Whether a file that a process has mapped as PATH may have places of some probe, or the program of one that is called
 * COMM; either may be NULL.
 */
bool placing_is_about(const struct placing *p, const char *path, const char *comm);

/* A file that a process executes, as the kernel tells it apart. */
struct placing_file {
	uint32_t maj, min;
	uint64_t ino;
};

/* What is done with a process: CTX is for both. */
struct placing_visitor {
	/* whether F is to be looked into, of a process that is called as a probe says (OWN); NULL = every file is */
	bool (*wants)(void *ctx, const struct placing_file *f, bool own);
	/*
	 * the places in F of one probe after the other, set by set, borrowed during the call; their pid is that of the
	 * process. Functions that are followed to their return come twice: their entries, their returns
	 */
	void (*place)(void *ctx, const struct placing_file *f, const struct link_places *places);
	/* the places are probed in every process that has the file: what would harm any of them is not placed */
	bool everywhere;
	/* why a probe, by its number, has no place in a file that is called so, or not all; may be NULL */
	void (*missed)(void *ctx, uint32_t probe, const char *why);
	/*
	 * F is not mapped any more, as the process executes another program by now: what was told of it may have come
	 * to nothing, and that program may have F again; may be NULL
	 */
	void (*gone)(void *ctx, const struct placing_file *f);
	void *ctx;
};

/*
 * Looks up, in the files that PID executes now, the places of the probes in programs, and tells V
 * of them, file by file. One thread at a time may look or check. Reads files, which may take long.
 * Returns how many places there were; E says why there are none of a probe. A negative errno with a
 * sentence when the process cannot be looked at.
 */
int placing_look(const struct placing *p, pid_t pid, const struct placing_visitor *v, struct err *e);

/*
 * Whether exceptions may pass functions of PID now, by the libraries that it executes: their return addresses must not
 * be replaced then. False when it cannot be looked at.
 */
bool placing_unwinds(pid_t pid);

/*
 * Whether each probe in programs has a place in one of the processes PIDS; -ENOENT with a sentence
 * that names the first that has none. RET_ABSENT: processes may come that have what is probed, and PIDS
 * may have ended meanwhile; so probes of files that none of these executes become a mask, by their
 * numbers, and are no error. NULL = they are one, too.
 */
int placing_check(const struct placing *p, const uint32_t *pids, size_t n, uint64_t *ret_absent, struct err *e);

DEFINE_AUTO(placing_free, struct placing);

#endif
