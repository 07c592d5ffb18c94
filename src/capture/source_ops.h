/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source_ops.h - what is behind a source (capture/source.h): one table of operations for each kind.
 * For those who are one.
 *
 * A kind embeds a struct source as its first member. Operations that may be NULL say what is so
 * then; the functions of source.h know. None is called for each event: events come by the function
 * that read() is given.
 */
#ifndef SBERF_CAPTURE_SOURCE_OPS_H
#define SBERF_CAPTURE_SOURCE_OPS_H

#include "capture/source.h"

struct source_ops {
	/* Life. */
	int (*prepare)(struct source *s, struct err *e);
	int (*start)(struct source *s, struct err *e);
	void (*stop)(struct source *s);
	void (*free)(struct source *s);          /* of one that is half open, too */

	/* Events, and figures of them. */
	int (*read)(struct source *s, int timeout_ms, bool flush, raw_fn *each, void *ctx, struct err *e);
	bool (*ended)(const struct source *s);   /* NULL: it never does by itself */
	uint64_t (*seen_ns)(const struct source *s);
	void (*stats)(const struct source *s, struct source_stats *ret);
	uint64_t (*side_lost)(const struct source *s);
	uint64_t (*bpf_ns)(const struct source *s);      /* NULL: not known */
	int (*call_on)(struct source *s, int fd, struct err *e);
	void (*wake)(struct source *s);

	/* Commands. */
	int (*set_rate)(struct source *s, uint32_t freq_hz, struct err *e);      /* NULL: -ENOTSUP */
	int (*set_stack_cap)(struct source *s, uint64_t exe_id, uint32_t bytes); /* NULL: nothing happens */
	uint32_t (*first_copy)(const struct source *s);

	/* Walks by learned rules. NULL: there are none. */
	struct rulebook *(*rulebook)(const struct source *s);
	void (*on_stranger)(struct source *s, source_stranger_fn *fn, void *ctx);

	/* Off the CPU: all of them or none. NULL: waits are not followed. */
	int (*totals)(struct source *s, source_total_fn *each, void *ctx, uint64_t *ret_ns, struct err *e);
	bool (*turn_sums)(struct source *s, uint64_t *ret_ns);
	int (*sums)(struct source *s, source_sum_fn *each, void *ctx, struct err *e);
	int (*open_waits)(struct source *s, uint64_t min_ns, uint64_t up_to_ns, source_open_fn *each, void *ctx,
			  uint64_t *ret_ns, struct err *e);
	bool (*open_stack)(struct source *s, const struct source_open *w, struct raw_event *ret);
	void (*set_wait_period)(struct source *s, uint64_t ns);
	uint64_t (*wait_period)(const struct source *s);
	void (*set_wakers)(struct source *s, bool on);

	/*
	 * Nodes: all of them or none. NULL: page faults and homes are not known, and there is one
	 * node.
	 */
	int (*set_faults)(struct source *s, bool on, struct err *e);
	uint64_t (*balancing_faults)(const struct source *s);
	int (*homes)(struct source *s, source_home_fn *each, void *ctx, struct err *e);
	uint32_t (*nodes)(const struct source *s);

	bool of_now;             /* /proc shows the processes that it tells of */
};

struct rawtee;

struct source {
	const struct source_ops *ops;
	struct rawtee *tee;      /* gets all that is read; source.c's; NULL = nobody does */
	u32_vec tee_pids;        /* processes that it is to know from the beginning */
};

#endif
