/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * link.h - attaches a BPF program to probes in the code of programs: to many places at once, which
 * libbpf 1.1 cannot, and detaches them in the background.
 *
 * Since Linux 6.6 one link can hold any number of places of one file ("uprobe multi"; its filter by
 * process is right since 6.10). Since 6.13 it can run a program at the entry of a function and, if
 * that run asks for it, at its return ("session"). Older kernels need a perf event and a link for
 * each place. What the kernel can do is found out by trying. The answer decides as which type a
 * program is loaded, so the order is: link_way_of(), link_prepare(), load, links_attach().
 *
 * Detaching costs the kernel milliseconds for a link of many places, but 0.1 s for each single
 * link. So links_drop() leaves it to a thread.
 */
#ifndef SBERF_CAPTURE_LINK_H
#define SBERF_CAPTURE_LINK_H

#include "base/cleanup.h"
#include "base/err.h"

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Where a program runs. */
enum link_kind {
	LINK_ENTRY,              /* at the place itself */
	LINK_RETURN,             /* when the function that begins there returns */
	LINK_SESSION,            /* at both, if its run at the entry returns 0 */
};

/* What places are of, for who chooses the program. */
enum link_of {
	LINK_OF_MOMENTS,         /* each hit is all that there is */
	LINK_OF_BEGINS,          /* functions that are followed to their end begin there */
	LINK_OF_ENDS,            /* and end: LINK_RETURN at their begin, or LINK_ENTRY where they are left */
	LINK_OF_ALLOCS,          /* functions that allocate memory: LINK_SESSION, or LINK_ENTRY ... */
	LINK_OF_ALLOC_ENDS,      /* ... and LINK_RETURN */
	LINK_OF_GO_ALLOCS,       /* a function of Go's runtime that allocates it */
	LINK_OF_FREES,           /* functions that free it */
	LINK_OF_TOLD_ALLOCS,     /* places where a program tells of a block that it has sampled */
	LINK_OF_TOLD_FREES,      /* and that it frees such a one */
};

/* How the probes of a kind are attached. */
enum link_way {
	LINK_NOT,                /* this kernel cannot (possible for sessions only) */
	LINK_MANY,               /* one link for all places */
	LINK_SINGLE,             /* one link for each place */
};

#define LINK_PLACES_MAX 10000u   /* in one set */

struct sb_loads;

/* Places of one file. Borrowed during the call. */
struct link_places {
	enum link_kind kind;
	enum link_of of;
	const char *path;        /* of the file, as this process sees it */
	pid_t pid;               /* the process that is probed; 0 = every process */
	uint32_t n;
	const uint64_t *offset;          /* n offsets in the file */
	/*
	 * For each place the file offset of its counter of observers (a USDT semaphore), 0 = none.
	 * NULL = no place has one.
	 */
	const uint64_t *semaphore;
	const uint64_t *cookie;          /* n values of bpf_get_attach_cookie(); NULL = 0 */
	const uint32_t *cost_ns;         /* n times that a hit takes the target; 0 = not known. NULL = of no place */
	/*
	 * Where named values of filters are (struct sb_loads of bpf/wire.h), by the number in cookies, for who
	 * chooses the program; NULL = no cookie has one. It must outlive links that are put back.
	 */
	const struct sb_loads *loads;
	const char *const *name;         /* n names for error messages; NULL = offsets are shown */
};

/*
 * How probes of KIND are attached on this kernel. Tried once and remembered; any thread may call.
 */
enum link_way link_way_of(enum link_kind kind);

/* Who attaches for this process has tried it: what it found. Before anybody asks. */
void links_can(bool many, bool session);

/*
 * Prepares PROG, which is not loaded yet, to be attached to probes of KIND in WAY. 0 or a negative
 * errno.
 */
int link_prepare(struct bpf_program *prog, enum link_kind kind, enum link_way way);

struct links;

/*
 * Attaches PROG, prepared by link_prepare(), to all PLACES. One that fails does not stop the
 * others: FAILED (NULL is fine) gets its index and a sentence that names it. *RET, owned by the
 * caller, is NULL when no place was attached. Returns the number of places attached, or a negative
 * errno for a failure of the whole: no memory, no such file.
 */
typedef void link_failed_fn(void *ctx, uint32_t place, const struct err *e);
int links_attach(const struct bpf_program *prog, enum link_way way, const struct link_places *places,
		 link_failed_fn *failed, void *ctx, struct links **ret, struct err *e);

/* The sentence that is told of place I of P, which fails with ERROR, a negative errno; of all. Returns ERROR. */
int link_explain_place(const struct link_places *p, uint32_t i, int error, struct err *e);
int link_explain(const struct link_places *p, int error, struct err *e);

/*
 * A set with room for N sets that another process has attached, and one more for it: DROP is called once with CTX and
 * its number, by whoever detaches it. NULL when there is no memory.
 */
typedef void link_drop_fn(void *ctx, uint64_t number);
struct links *links_elsewhere(uint32_t n, link_drop_fn *drop, void *ctx);
void links_add_elsewhere(struct links *l, uint64_t number);

/*
 * A set with room for N links that are made elsewhere, and one more for it: the descriptor FD. NULL
 * when there is no memory.
 */
struct links *links_new(uint32_t n);
void links_add(struct links *l, int fd);

/* Detaches all places of L before it returns. NULL is fine. */
void links_free(struct links *l);

/*
 * Lets a thread detach the places of L, and returns at once. Their program may be closed meanwhile.
 * Acts as links_free() when no thread can be made.
 */
void links_drop(struct links *l);

/*
 * Waits up to TIMEOUT_NS until all dropped links are detached. Returns how many sets are not; the
 * end of the process waits for those.
 */
uint32_t links_dropping(uint64_t timeout_ns);

/*
 * For the end of this process, when nothing else is to be done: if dropped links are still attached,
 * another process takes them over, which does nothing else, and ends when they are off. Where each
 * place has a link of its own, that takes the kernel 0.1 s for each, which nobody has to wait for then.
 */
void links_leave(void);

DEFINE_AUTO(links_free, struct links);

#endif
