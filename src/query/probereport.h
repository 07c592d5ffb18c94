/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probereport.h - the probes that somebody placed, a row each: hits, the time or the sum of their
 * value, how long calls took, and where the longest one was.
 *
 * One more reading of the facts, beside query.h, waits.h and numareport.h. Pure: the same snapshot,
 * names and query give the same list. Hits and totals are exact. Hits that the kernel half has
 * summed come by powers of two of their length, the longest apart, so the histogram and the longest
 * call are exact, too. With --every and --max-rate they are those of the hits that were told: a sample.
 */
#ifndef SBERF_QUERY_PROBEREPORT_H
#define SBERF_QUERY_PROBEREPORT_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/measure.h"
#include "model/names.h"
#include "model/probenotes.h"
#include "model/wait.h"
#include "profile/meta.h"
#include "profile/profile.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_row {
	uint64_t key;                    /* identity that survives refreshes */
	uint32_t probe;                  /* its number (model/probes.h) */
	const struct measure *measure;   /* its name is what was asked for */
	bool timed;                      /* VALUE is the time of its calls, and what follows it is known */
	bool summed;                     /* VALUE is the sum of an expression; else, unless timed, the number of hits */
	uint64_t hits;
	uint64_t others;                 /* of these: others stand for them: --every, --max-rate, a full ring */
	uint64_t value;                  /* in the unit of its measure */
	uint64_t elapsed_ns;             /* the time that was asked for, as far as there are facts: for rates */
	bool estimate;                   /* of hits and value: the probe was not there all the time */
	double longest_ns;               /* the longest call; 0 = there was none */
	stack_id longest_stack;          /* and its stack; STACK_ROOT = it has none */
	thread_id longest_thread;        /* and its thread; ID_NONE */
	uint64_t hist[WAIT_BUCKETS];     /* calls by length (wait_bucket()) */
	/* what is known beside its hits: where it is, which calls have not ended; all 0 = nothing is */
	struct probe_note note;
	bool off;                        /* it was taken off, in this run */
	uint64_t placed_ns;              /* probes_placed_ns() when the list was built */
};

struct probe_report {
	const struct dict *dict;
	const struct names *names;
	struct query query;
	struct probe_row *row;           /* in the order in which they were asked for */
	uint32_t n;
	uint64_t start_ns;               /* of the capture, CLOCK_MONOTONIC: probe_report_bound() */
};

/*
 * Builds the list of what Q asks for: range, nodes, terms about threads and functions, no_inlines.
 * All probes of the capture have a row, hit or not; where it does not say which there were, those that have
 * a number. On success *RET is the caller's; -ENOMEM is the
 * only failure.
 */
int probe_report_build(const struct snapshot *s, const struct names *names, const struct query *q,
		       struct probe_report **ret, struct err *e);
void probe_report_free(struct probe_report *p);  /* NULL is fine */
/*
 * Rates are of NS at most, 0 = no bound: slices are whole seconds, and the first and the last of a
 * short capture are longer than what was seen. META: of the capture; where probe_scale of it is above 1
 * the hits of which some stand for others are an estimate.
 */
void probe_report_bound(struct probe_report *p, uint64_t ns, const struct profile_meta *meta);

/*
 * The time within which PERCENT of the calls of R were over, in ns: from the histogram, so at most a
 * factor of two off. 0 when there were no calls.
 */
uint64_t probe_percentile_ns(const struct probe_row *r, unsigned int percent);

/* The first and the last bucket of R's histogram that is not empty; false when all are. */
bool probe_buckets(const struct probe_row *r, unsigned int *ret_first, unsigned int *ret_last);
/* What BUCKET holds: "128 us to 256 us", "below 1.00 us". Returns DST. */
#define PROBE_BUCKET_MAX 80
char *probe_bucket_label(unsigned int bucket, char dst[PROBE_BUCKET_MAX]);

/*
 * Where R is placed, and why not: "placed at 3 sites in 2 processes, 1 could not be: ...", with BETWEEN in
 * place of the comma; "" when there is nothing to say. Returns DST.
 */
#define PROBE_WORDS_MAX 512
char *probe_places_label(const struct probe_row *r, const char *between, char dst[PROBE_WORDS_MAX]);
/* "3 calls have not returned, the oldest for 1.30 s"; "" when all have. The same. */
char *probe_open_label(const struct probe_row *r, const char *between, char dst[PROBE_WORDS_MAX]);

/* "lost: 3 stacks, 2 hits whose values could not be read"; "" when nothing was. The same. */
char *probe_lost_label(const struct probe_row *r, const char *between, char dst[PROBE_WORDS_MAX]);
/* "timed 41: the first 12.0 ms not seen": of number I of note.unseen. */
char *probe_unseen_label(const struct probe_row *r, uint32_t i, char dst[PROBE_WORDS_MAX]);

/* "from 0.10 s to 12.0 s in place for 14.3 % of the time (--budget)", of number I of note.spell. */
char *probe_spell_label(const struct probe_report *p, const struct probe_row *r, uint32_t i,
			char dst[PROBE_WORDS_MAX]);

/* "arguments most seen, of 1,204 hits that stand for 90,000"; "" when none was looked at. */
char *probe_seen_label(const struct probe_row *r, char dst[PROBE_WORDS_MAX]);
/* "16384 98.1 %, 0 ~1.2 %": of list I of note.seen, with BETWEEN in place of the comma; ~ before an estimate. */
char *probe_values_label(const struct probe_row *r, uint32_t i, const char *between, char dst[PROBE_WORDS_MAX]);

/* The functions of STACK, innermost first: "handle > serve > main" with an arrow between. Returns DST. */
char *probe_stack_label(const struct probe_report *p, stack_id stack, char *dst, size_t size);
/* "timed 4711", "" for ID_NONE; sanitised. Returns DST. */
char *probe_thread_label(const struct probe_report *p, thread_id thread, char *dst, size_t size);

DEFINE_AUTO(probe_report_free, struct probe_report);

#endif
