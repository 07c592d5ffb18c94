/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_profile.c - what the store and its queries cost, with 100,000 stacks of 25 frames and 2,000
 * threads:
 *
 *	bench_profile [STACKS [THREADS]]
 *
 * Each figure is the best of five, since other programs can only make it slower. What waits cost is
 * measured after all else, with half as many waits added, each in its two parts, in a few calls and
 * of all lengths, and woken by 100 threads.
 */
#include "config.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/parse.h"
#include "export/exporter.h"
#include "profile/profile.h"
#include "query/query.h"
#include "query/waits.h"
#include "tests/unit/big.h"

#include <stdio.h>
#include <stdlib.h>

#define SECONDS 600u
#define ROUNDS 5

struct bench {
	struct profile *p;
	struct names *names;
	struct big big;
	uint64_t samples, pause_ns;      /* the longest that an event which begins a slice took */
};

static void die(const char *what)
{
	fprintf(stderr, "bench_profile: %s\n", what);
	exit(1);
}

static void add(struct bench *b, const struct event *ev)
{
	static uint64_t second;
	const bool begins = ev->time_ns / NSEC_PER_SEC != second;
	const uint64_t from = begins ? clock_mono_ns() : 0;

	if (profile_add(b->p, ev) < 0)
		die("an event was refused");
	if (begins && clock_mono_ns() - from > b->pause_ns)
		b->pause_ns = clock_mono_ns() - from;
	second = ev->time_ns / NSEC_PER_SEC;
}

/* Every stack comes up, half of the samples fall on few. Returns ns per event. */
static double fill(struct bench *b)
{
	const uint64_t from = clock_mono_ns();
	struct event ev;

	b->samples = 20ull * b->big.stacks;
	for (uint64_t n = 0; n < b->samples; n++) {
		big_sample(&b->big, big_pick(&b->big, n), n, n * (SECONDS * NSEC_PER_SEC / b->samples), &ev);
		add(b, &ev);
	}
	return (double)(clock_mono_ns() - from) / (double)b->samples;
}

static double fill_waits(struct bench *b)
{
	const uint64_t from = clock_mono_ns(), waits = b->samples / 2;
	struct event blocked, runnable;

	for (uint64_t n = 0; n < waits; n++) {
		big_wait(&b->big, big_pick(&b->big, n), n, (SECONDS + n * SECONDS / waits) * NSEC_PER_SEC,
			 &blocked, &runnable);
		add(b, &blocked);
		add(b, &runnable);
	}
	return (double)(clock_mono_ns() - from) / 2 / (double)waits;
}

static double time_snapshot(struct bench *b)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		const uint64_t from = clock_mono_ns();
		struct snapshot *s = profile_snapshot(b->p);
		const uint64_t took = clock_mono_ns() - from;

		if (!s)
			die("out of memory");
		snapshot_unref(s);
		best = took < best ? took : best;
	}
	return (double)best / 1e3;
}

static void time_tree(struct bench *b, const struct snapshot *s, const char *what, struct query q)
{
	uint64_t build = UINT64_MAX, fold = UINT64_MAX;
	struct err e = ERR_INIT;
	FILE *null = fopen("/dev/null", "w");
	uint32_t nodes = 0;

	if (!null)
		die("cannot open /dev/null");
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t from = clock_mono_ns(), took;
		AUTO(tree_free) struct tree *t = NULL;

		if (tree_build(s, b->names, &q, &t, &e) < 0)
			die(e.text);
		took = clock_mono_ns() - from;
		build = took < build ? took : build;
		nodes = t->n;
		from = clock_mono_ns();
		if (exporter_folded.write(null, &(struct export_view){ .tree = t }, &e) < 0)
			die(e.text);
		took = clock_mono_ns() - from;
		fold = took < fold ? took : fold;
	}
	fclose(null);
	printf("tree_build %-22s %7.1f ms, %7u nodes; folded %7.1f ms\n", what, (double)build / 1e6, nodes,
	       (double)fold / 1e6);
}

static void time_waits(struct bench *b, const struct snapshot *s, const char *what, struct query q)
{
	uint64_t best = UINT64_MAX;
	struct err e = ERR_INIT;
	uint32_t rows = 0;

	for (int i = 0; i < ROUNDS; i++) {
		const uint64_t from = clock_mono_ns();
		AUTO(waits_free) struct waits *w = NULL;
		uint64_t took;

		if (waits_build(s, b->names, &q, &w, &e) < 0)
			die(e.text);
		took = clock_mono_ns() - from;
		best = took < best ? took : best;
		rows = w->n;
	}
	printf("waits_build %-21s %7.1f ms, %7u rows\n", what, (double)best / 1e6, rows);
}

static void with_waits(struct bench *b)
{
	const double add_ns = fill_waits(b);
	struct snapshot *s = profile_snapshot(b->p);
	struct profile_stats st;

	if (!s)
		die("out of memory");
	profile_stats(b->p, &st);
	printf("waits: profile_add %.0f ns an event; facts %.1f MB in %zu slices, dictionaries %.1f MB (%u kinds of "
	       "waits)\n", add_ns,
	       (double)st.fact_bytes / 1e6, snapshot_slices(s), (double)st.dict_bytes / 1e6,
	       dict_waits(profile_dict(b->p)));
	time_tree(b, s, "of everything", (struct query){ .arch = "x86_64" });
	time_tree(b, s, "without idling", (struct query){ .arch = "x86_64", .fold_idle = true });
	time_waits(b, s, "of everything", (struct query){ .arch = "x86_64" });
	time_waits(b, s, "of the last minute", (struct query){ .arch = "x86_64",
							       .from_ns = (2 * SECONDS - 60) * NSEC_PER_SEC });
	snapshot_unref(s);
}

int main(int argc, char **argv)
{
	struct bench b = { .p = profile_new(NULL), .names = names_new() };
	uint64_t stacks = BIG_STACKS, threads = BIG_THREADS;
	struct err e = ERR_INIT;
	struct snapshot *s;
	struct profile_stats st;
	double add_ns;

	if ((argc > 1 && parse_u64(argv[1], "stacks", 1, 10000000, &stacks, &e) < 0) ||
	    (argc > 2 && parse_u64(argv[2], "threads", 1, 1000000, &threads, &e) < 0))
		die(e.text);
	if (!b.p || !b.names || !big_init(&b.big, profile_dict(b.p), b.names, (uint32_t)stacks, (uint32_t)threads))
		die("out of memory");
	add_ns = fill(&b);
	profile_stats(b.p, &st);
	s = profile_snapshot(b.p);
	if (!s)
		die("out of memory");
	printf("profile: %u stacks of %u frames (%u trie nodes), %u threads, %llu samples in %u s\n",
	       b.big.stacks, BIG_DEPTH,
	       dict_stacks(profile_dict(b.p)), b.big.threads, (unsigned long long)b.samples, SECONDS);
	printf("a fact takes %zu bytes; facts %.1f MB in %zu slices, dictionaries %.1f MB\n", sizeof(struct fact),
	       (double)st.fact_bytes / 1e6, snapshot_slices(s), (double)st.dict_bytes / 1e6);
	printf("profile_add %.0f ns an event, ageing included, %.1f ms at the longest; profile_snapshot "
	       "%.0f us\n", add_ns, (double)b.pause_ns / 1e6, time_snapshot(&b));
	time_tree(&b, s, "of everything", (struct query){ 0 });
	time_tree(&b, s, "by process", (struct query){ .group_by = GROUP_PROCESS });
	time_tree(&b, s, "by thread", (struct query){ .group_by = GROUP_THREAD });
	time_tree(&b, s, "of the last minute", (struct query){ .from_ns = (SECONDS - 60) * NSEC_PER_SEC });
	time_tree(&b, s, "inverted", (struct query){ .inverted = true });
	snapshot_unref(s);
	with_waits(&b);
	big_free(&b.big);
	names_free(b.names);
	profile_free(b.p);
	return 0;
}
