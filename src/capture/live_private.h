/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_private.h - shared by the files of the live source: live_source.c (streams and their order),
 * live_cpus.c (CPUs that come and go), live_waits.c and others.
 */
#ifndef SBERF_CAPTURE_LIVE_PRIVATE_H
#define SBERF_CAPTURE_LIVE_PRIVATE_H

#include "base/vec.h"
#include "capture/bpf_side.h"
#include "capture/kstacks.h"
#include "capture/rate.h"
#include "capture/remote_stacks.h"
#include "capture/reorder.h"
#include "capture/ring.h"
#include "capture/sampler.h"
#include "capture/sideband.h"
#include "capture/source_ops.h"
#include "symbol/kernel.h"
#include "system/cpus.h"

/* A wait that the last look found under way, and its slot of shared memory. */
struct open_slot {
	pid_t tid;
	uint64_t start_ns, id;
	uint32_t slot;
};

/* One possible CPU. */
struct cpu_slot {
	bool wanted;             /* to be sampled; the side band of every CPU is read */
	bool online;             /* when last looked at */
	int fd;                  /* the sampler, -1 = none */
	int fault_fd[2];         /* perf events for minor and major page faults, -1 = none */
	struct sideband side;
	uint64_t off_since_ns;   /* since when it has not been sampled though it should be, 0 = it is sampled */
	uint64_t throttled_ns;   /* since when the kernel has throttled it, 0 = not throttled */
	uint64_t enabled_ns;     /* sampler_enabled_ns() when no samples came last time, 0 = some came */
};

struct live_source {
	struct source source;
	struct bpf_side *kernel;
	const volatile struct sb_cpu *cpus;      /* of kernel */
	struct cpu_layout layout;
	struct ring **rings;                     /* layout.nr_rings */
	struct cpu_slot *slot;                   /* layout.nr_cpus */
	int epoll_fd, wake_fd;
	int online_fd;                           /* the list of online CPUs, -1 = not open yet */
	enum capture_event event;                /* never EVENT_AUTO */
	bool call_records;                       /* capture_plan.call_records */
	uint64_t breakpoint;                     /* capture_plan.breakpoint */
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
	source_birth_fn *birth;
	void *birth_ctx;
	struct ksyms *ksyms;                     /* read once wakers or tracepoint hits are asked for */
	bool ksyms_tried;
	uint64_t *taken;                         /* the record that the last live_open_stack() returned */
	bool follows_waits;
	uint32_t remote_first, remote_most;      /* bytes of a stack that are read from outside */
	struct remote_stacks *remote;            /* made by the first live_read(), if waits are followed */
	struct source_stats remote_stats;        /* of it, when it has ended */
};

static inline struct live_source *live_of(const struct source *s)
{
	return (struct live_source *)(uintptr_t)s;
}

/* live_source.c */
/* wakes the reader when FD is readable */
int live_watch(struct live_source *s, int fd, struct err *e);
void live_collect_side(struct live_source *s, struct sideband *b);
uint64_t live_missed(const struct live_source *s, uint64_t ns);

/* live_cpus.c */
int live_cpus_open(struct live_source *s, const struct capture_plan *plan, struct err *e);
int live_cpus_watch(struct live_source *s, struct err *e);  /* of the side band only */
int live_cpus_enable(struct live_source *s, bool on, struct err *e);
/* of the samplers only; s->rate is set by the caller */
int live_cpus_set_rate(struct live_source *s, uint32_t freq_hz, struct err *e);
int live_cpus_set_faults(struct live_source *s, bool on, struct err *e);
/* follows CPUs that went offline or came back; cheap to call often */
void live_cpus_check(struct live_source *s);
void live_cpus_close(struct live_source *s);        /* half-opened is fine */

/* live_waits.c, live_sums.c and live_nodes.c: operations (source_ops.h) */
int live_totals(struct source *base, source_total_fn *each, void *ctx, uint64_t *ret_ns, struct err *e);
int live_open_waits(struct source *base, uint64_t min_ns, uint64_t up_to_ns, source_open_fn *each, void *ctx,
		    uint64_t *ret_ns, struct err *e);
enum source_stack live_open_stack(struct source *base, const struct source_open *w, struct raw_event *ret);
bool live_read_further(struct source *base, const struct raw_event *raw);
bool live_stacks_pending(const struct source *base);
void live_set_wait_period(struct source *base, uint64_t ns);
uint64_t live_wait_period(const struct source *base);
void live_set_wakers(struct source *base, bool on);
bool live_turn_sums(struct source *base, uint64_t *ret_ns);
int live_sums(struct source *base, source_sum_fn *each, void *ctx, struct err *e);
bool live_turn_hits(struct source *base, uint64_t *ret_ns);
int live_hits(struct source *base, source_sum_fn *each, void *ctx, struct err *e);
uint64_t live_allocs_seen(const struct source *base);
void live_hits_lost(const struct source *base, uint32_t probe, uint64_t ret[SB_HIT_LOST_NR]);
void live_hits_cost(const struct source *base, uint32_t probe, struct source_hits_cost *ret);
void live_thin_hits(struct source *base, uint32_t probe, uint32_t every);
void live_scale_hits(struct source *base, uint32_t scale);
int live_open_calls(struct source *base, source_open_call_fn *each, void *ctx, struct err *e);
void live_untold(struct source *base, source_untold_fn *each, void *ctx);
void live_spans(struct source *base, source_span_fn *each, void *ctx);
int live_set_faults(struct source *base, bool on, struct err *e);
uint64_t live_balancing_faults(const struct source *base);
int live_homes(struct source *base, source_home_fn *each, void *ctx, struct err *e);
uint32_t live_nodes(const struct source *base);

/* live_waits.c */
/*
 * Reads one run of a BPF iterator from FD to its end: items of SIZE bytes, each followed by as many
 * bytes as MORE (NULL = none) says, LIST_ITEM_MAX at most in all. EACH gets them one by one; a
 * negative errno from it ends the reading. Returns the number of items, or a negative errno.
 */
#define LIST_ITEM_MAX 2048u
typedef int list_fn(void *ctx, const void *item, struct err *e);
typedef size_t list_more_fn(const void *item);           /* bytes */
int live_read_list(int fd, size_t size, list_more_fn *more, list_fn *each, void *ctx, struct err *e);
/*
 * Reads the kernel's symbols, from which wakers and tracepoint hits are told. This takes a tenth of
 * a second, so it is done before sampling: later the rings would overflow meanwhile.
 */
void live_waits_prepare(struct live_source *s);
void live_waits_waker(struct live_source *s, struct raw_event *ev);         /* sets ev->wake.context */
/* removes the tracing frames from its kernel stack */
void live_hit(struct live_source *s, struct raw_event *ev);
void live_waits_close(struct live_source *s);

#endif
