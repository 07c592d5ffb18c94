/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_private.h - what live_source.c (streams, order), live_cpus.c (CPUs that come and go),
 * live_waits.c and others of the live source share.
 */
#ifndef SBERF_CAPTURE_LIVE_PRIVATE_H
#define SBERF_CAPTURE_LIVE_PRIVATE_H

#include "base/vec.h"
#include "capture/bpf_side.h"
#include "capture/kstacks.h"
#include "capture/rate.h"
#include "capture/reorder.h"
#include "capture/ring.h"
#include "capture/sampler.h"
#include "capture/sideband.h"
#include "capture/source_ops.h"
#include "symbol/kernel.h"
#include "system/cpus.h"

/* A wait that the last look found under way, with a slot. */
struct open_slot {
	pid_t tid;
	uint64_t start_ns, id;
	uint32_t slot;
};

/* One possible CPU. */
struct cpu_slot {
	bool wanted;             /* to be sampled; the side band is read from all */
	bool online;             /* when last looked at */
	int fd;                  /* the sampler, -1 = none */
	int fault_fd[2];         /* those of page faults, minor and major, -1 = none */
	struct sideband side;
	uint64_t off_since_ns;   /* since when it is not sampled though it should be, 0 = it is */
	uint64_t throttled_ns;   /* since when the kernel holds it back, 0 = it does not */
	uint64_t enabled_ns;     /* sampler_enabled_ns() when it was last found silent, 0 = it was not */
};

struct live_source {
	struct source source;
	struct bpf_side *kernel;
	const volatile struct sb_cpu *cpus;      /* of kernel */
	struct cpu_layout layout;
	struct ring **rings;                     /* layout.nr_rings */
	struct cpu_slot *slot;                   /* layout.nr_cpus */
	int epoll_fd, wake_fd;
	int online_fd;                           /* the list of CPUs that are online, -1 = not open yet */
	enum capture_event event;                /* never EVENT_AUTO */
	struct rate rate;
	bool running;
	bool faults;                             /* page faults are sampled */
	uint64_t checked_ns;                     /* when CPUs were last looked at */
	struct reorder order;
	size_t copied_bytes;                     /* of side-band records in order */
	uint64_t watermark_ns;
	uint64_t delivered;                      /* samples */
	uint64_t gaps, gaps_ns;                  /* between samples of one busy CPU */
	struct losses lost;                      /* those counted on this side */
	VEC(struct open_slot) open;              /* of the last live_open_waits() */
	struct kstacks kstacks;                  /* of waits under way */
	source_stranger_fn *stranger;
	void *stranger_ctx;
	struct ksyms *ksyms;                     /* once wakers, or hits of tracepoints, are asked for */
	bool ksyms_tried;
	uint64_t *taken;                         /* the record that live_open_stack() took last */
};

static inline struct live_source *live_of(const struct source *s)
{
	return (struct live_source *)(uintptr_t)s;
}

/* live_source.c */
int live_watch(struct live_source *s, int fd, struct err *e);               /* when it is readable there is something to collect */
void live_collect_side(struct live_source *s, struct sideband *b);
uint64_t live_missed(const struct live_source *s, uint64_t ns);

/* live_cpus.c */
int live_cpus_open(struct live_source *s, const struct capture_plan *plan, struct err *e);
int live_cpus_watch(struct live_source *s, struct err *e);  /* the side band alone */
int live_cpus_enable(struct live_source *s, bool on, struct err *e);
int live_cpus_set_rate(struct live_source *s, uint32_t freq_hz, struct err *e);      /* of the samplers; s->rate is the caller's to change */
int live_cpus_set_faults(struct live_source *s, bool on, struct err *e);
void live_cpus_check(struct live_source *s);        /* follows CPUs that came or went; cheap when called often */
void live_cpus_close(struct live_source *s);        /* half-opened is fine */

/* live_waits.c, live_sums.c and live_nodes.c: operations (source_ops.h) */
int live_totals(struct source *base, source_total_fn *each, void *ctx, uint64_t *ret_ns, struct err *e);
int live_open_waits(struct source *base, uint64_t min_ns, uint64_t up_to_ns, source_open_fn *each, void *ctx, uint64_t *ret_ns,
		    struct err *e);
bool live_open_stack(struct source *base, const struct source_open *w, struct raw_event *ret);
void live_set_wait_period(struct source *base, uint64_t ns);
uint64_t live_wait_period(const struct source *base);
void live_set_wakers(struct source *base, bool on);
bool live_turn_sums(struct source *base, uint64_t *ret_ns);
int live_sums(struct source *base, source_sum_fn *each, void *ctx, struct err *e);
int live_set_faults(struct source *base, bool on, struct err *e);
uint64_t live_balancing_faults(const struct source *base);
int live_homes(struct source *base, source_home_fn *each, void *ctx, struct err *e);
uint32_t live_nodes(const struct source *base);

/* live_waits.c */
/*
 * Reads what one run of an iterator lists, structures of SIZE bytes, and behind each what MORE
 * (NULL = nothing) says, LIST_ITEM_MAX at most, up to the end of FD: EACH gets them one by one and
 * ends it with a negative errno. Returns how many, or a negative errno.
 */
#define LIST_ITEM_MAX 2048u
typedef int list_fn(void *ctx, const void *item, struct err *e);
typedef size_t list_more_fn(const void *item);           /* bytes */
int live_read_list(int fd, size_t size, list_more_fn *more, list_fn *each, void *ctx, struct err *e);
/*
 * Reads what tells who wakes and who looks on, all of the kernel's symbols: a tenth of a second,
 * for which nobody would empty the rings later.
 */
void live_waits_prepare(struct live_source *s);
void live_waits_waker(struct live_source *s, struct raw_event *ev);         /* sets ev->wake.context */
void live_hit(struct live_source *s, struct raw_event *ev);              /* takes what looks on from its kernel stack */
void live_waits_close(struct live_source *s);

#endif
