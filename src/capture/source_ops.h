/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source_ops.h - how to implement a source (capture/source.h): each kind is one table of
 * operations.
 *
 * A kind embeds a struct source as its first member. Operations that may be NULL say here what
 * callers get then; the functions of source.h take care of that. None is called per event: events
 * go to the function that read() is given.
 */
#ifndef SBERF_CAPTURE_SOURCE_OPS_H
#define SBERF_CAPTURE_SOURCE_OPS_H

#include "capture/source.h"

struct source_ops {
	/* Life. */
	int (*prepare)(struct source *s, struct err *e);
	int (*start)(struct source *s, struct err *e);
	void (*stop)(struct source *s);
	void (*finish)(struct source *s);        /* NULL: there is nothing to end */
	void (*free)(struct source *s);          /* also when it was opened only half */

	/* Events, and figures of them. */
	int (*read)(struct source *s, int timeout_ms, bool flush, raw_fn *each, void *ctx, struct err *e);
	bool (*ended)(const struct source *s);   /* NULL: it never ends by itself */
	uint64_t (*seen_ns)(const struct source *s);
	void (*stats)(const struct source *s, struct source_stats *ret);
	uint64_t (*side_lost)(const struct source *s);
	uint64_t (*bpf_ns)(const struct source *s);      /* NULL: not known */
	int (*call_on)(struct source *s, int fd, struct err *e);
	void (*wake)(struct source *s);

	/* Commands. */
	int (*set_rate)(struct source *s, uint32_t freq_hz, struct err *e);      /* NULL: -ENOTSUP */
	int (*set_stack_cap)(struct source *s, uint64_t exe_id, uint32_t bytes); /* NULL: does nothing */
	uint32_t (*first_copy)(const struct source *s);
	int (*set_plan)(struct source *s, pid_t pid, const struct sb_plan *plan);        /* NULL: -ENOTSUP */

	/* NULL: -ENOTSUP. */
	int (*place)(struct source *s, const struct link_places *places, link_failed_fn *failed, void *ctx,
		     struct links **ret, struct err *e);

	/* Both or none; NULL: -ENOTSUP. */
	int (*add_probes)(struct source *s, const struct capture_plan *plan, struct err *e);
	int (*set_growth)(struct source *s, const struct capture_plan *plan, struct err *e);
	void (*remove_probe)(struct source *s, uint32_t probe);

	uint64_t (*pointed)(const struct source *s, source_pointed_fn *each, void *ctx);         /* NULL: 0 */

	/* Unwinding by learned rules; NULL: none. */
	struct rulebook *(*rulebook)(const struct source *s);
	void (*on_stranger)(struct source *s, source_stranger_fn *fn, void *ctx);

	/* NULL: forks are not known before they are delivered. */
	void (*on_birth)(struct source *s, source_birth_fn *fn, void *ctx);

	/* Off-CPU: all of these or none. NULL: waits are not followed. */
	int (*totals)(struct source *s, source_total_fn *each, void *ctx, uint64_t *ret_ns, struct err *e);
	bool (*turn_sums)(struct source *s, uint64_t *ret_ns);
	int (*sums)(struct source *s, source_sum_fn *each, void *ctx, struct err *e);
	/* NULL, or both: hits are not summed. */
	bool (*turn_hits)(struct source *s, uint64_t *ret_ns);
	int (*hits)(struct source *s, source_sum_fn *each, void *ctx, struct err *e);
	/* NULL: it is not known which calls are open */
	int (*open_calls)(struct source *s, source_open_call_fn *each, void *ctx, struct err *e);
	void (*untold)(struct source *s, source_untold_fn *each, void *ctx);     /* NULL: none are left */
	void (*spans)(struct source *s, source_span_fn *each, void *ctx);        /* NULL: there are none */
	uint64_t (*allocs_seen)(const struct source *s);         /* the same */
	void (*hits_lost)(const struct source *s, uint32_t probe, uint64_t ret[SB_HIT_LOST_NR]);         /* NULL: 0 */
	void (*hits_cost)(const struct source *s, uint32_t probe, struct source_hits_cost *ret);         /* NULL: 0 */
	void (*thin_hits)(struct source *s, uint32_t probe, uint32_t every);     /* NULL: does nothing */
	void (*scale_hits)(struct source *s, uint32_t scale);            /* NULL: does nothing */
	int (*open_waits)(struct source *s, uint64_t min_ns, uint64_t up_to_ns, source_open_fn *each, void *ctx,
			  uint64_t *ret_ns, struct err *e);
	enum source_stack (*open_stack)(struct source *s, const struct source_open *w, struct raw_event *ret);
	bool (*read_further)(struct source *s, const struct raw_event *raw);
	bool (*stacks_pending)(const struct source *s);
	void (*set_wait_period)(struct source *s, uint64_t ns);
	uint64_t (*wait_period)(const struct source *s);
	void (*set_wakers)(struct source *s, bool on);

	/*
	 * NUMA: all of these or none. NULL: page faults and homes are unknown, and there is one
	 * node.
	 */
	int (*set_faults)(struct source *s, bool on, struct err *e);
	uint64_t (*balancing_faults)(const struct source *s);
	int (*homes)(struct source *s, source_home_fn *each, void *ctx, struct err *e);
	uint32_t (*nodes)(const struct source *s);

	bool of_now;             /* /proc shows the processes that its events are about */
};

struct rawtee;

struct source {
	const struct source_ops *ops;
	/* source_from_ns(), source_now_ns(): set by source.c, of a replay by itself */
	uint64_t from_ns, now_ns;
	struct rawtee *tee;      /* receives everything that is read; owned by source.c; NULL = none */
	bool further;            /* source_read_further() was true since this was cleared */
	u32_vec tee_pids;        /* processes whose mappings it must write first */
};

#endif
