/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * link.h - probes in the code of programs: many of them by one link, where libbpf 1.1 knows only
 * links of one; and taken off behind one's back.
 *
 * Since Linux 6.6 one link can hold any number of places of one file ("uprobe multi"; who it is for
 * is kept right since 6.10), and since 6.13 it can have a program run at the entry of a function
 * and, when that says so, at its return ("session"). Before, each place is a perf event with a link
 * of its own. What the kernel can is found out by trying. That decides the type that a program is
 * loaded as, so it is asked first: link_way_of(), link_prepare(), load, links_attach().
 *
 * Taking probes off costs the kernel milliseconds by many at once and 0.1 s each one by one, so a
 * thread does it: links_drop().
 */
#ifndef SBERF_CAPTURE_LINK_H
#define SBERF_CAPTURE_LINK_H

#include "base/cleanup.h"
#include "base/err.h"

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What runs a program at probes. */
enum link_kind {
	LINK_ENTRY,              /* at the place itself */
	LINK_RETURN,             /* when the function that begins there returns */
	LINK_SESSION,            /* at both, if the first run, at the entry, returns 0 */
};

/* How the probes of a kind are held. */
enum link_way {
	LINK_NOT,                /* this kernel cannot: sessions alone */
	LINK_MANY,               /* all by one link */
	LINK_SINGLE,             /* each by its own */
};

#define LINK_PLACES_MAX 10000u   /* of one set */

/* Places of one file. Borrowed while a function runs that gets it. */
struct link_places {
	enum link_kind kind;
	const char *path;        /* of the file, as this process sees it */
	pid_t pid;               /* whom it is for: a process; 0 = everybody */
	uint32_t n;
	const uint64_t *offset;          /* in the file, of each */
	/* Offset in the file of the counter that says somebody looks, of each; 0 = none. NULL = none has one. */
	const uint64_t *semaphore;
	const uint64_t *cookie;          /* bpf_get_attach_cookie(), of each; NULL = 0 */
	const char *const *name;         /* for errors, of each; NULL = their offsets do */
};

/* How probes of KIND are held here. It is tried once; any thread may call. */
enum link_way link_way_of(enum link_kind kind);

/*
 * Makes PROG one that can be attached to probes of KIND in WAY; before it is loaded. 0 or a
 * negative errno.
 */
int link_prepare(struct bpf_program *prog, enum link_kind kind, enum link_way way);

struct links;

/*
 * Has PROG, which was prepared for it, run at all of PLACES. Those that cannot be had do not keep
 * the others from it: FAILED (NULL is fine) is told of each, with a sentence that names it. *RET is
 * NULL when there are none at all. Returns how many there are, or a negative errno when that says
 * nothing of a place: no memory, no such file.
 */
typedef void link_failed_fn(void *ctx, uint32_t place, const struct err *e);
int links_attach(const struct bpf_program *prog, enum link_way way, const struct link_places *places,
		 link_failed_fn *failed, void *ctx, struct links **ret, struct err *e);

/* Takes them off, before it returns. NULL is fine. */
void links_free(struct links *l);

/*
 * Takes them off from a thread, and returns at once; their program must not be waited for, but may
 * be closed. Where there can be no thread it is links_free().
 */
void links_drop(struct links *l);

/*
 * Waits until all that was dropped is off, TIMEOUT_NS at most. Returns how many sets are not. The
 * end of the process waits for those.
 */
uint32_t links_dropping(uint64_t timeout_ns);

DEFINE_AUTO(links_free, struct links);

#endif
