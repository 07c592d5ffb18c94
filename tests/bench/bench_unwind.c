/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_unwind.c - what a frame costs:
 *
 *	bench_unwind [-n CAPTURES] PROGRAM [ARGS]
 *
 * Takes raw captures of PROGRAM (2,000, one a millisecond, 32 KB of stack) and walks them: once
 * with nothing known (first), again and again over all of them, so that their bytes are never in
 * the caches (cold), and each one many times (hot). cold and hot are the best of five rounds.
 */
#include "config.h"

#include "base/clock.h"
#include "tests/unwind/target.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CAP (32u << 10)
#define ROUNDS 5
#define HOT_REPEAT 200
#define FLUSH_BYTES (64u << 20)          /* more than the last-level cache of most machines */

/*
 * The mappings of a capture, packed and sorted as /proc has them, so that looking one up costs what
 * it costs in sberf.
 */
struct sample {
	struct fixture fx;
	struct unwind_map *map;
};

typedef VEC(struct sample) sample_vec;

static struct chain chain;

static bool find(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	struct sample *s = ctx;
	size_t lo = 0, hi = s->fx.maps.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->map[mid].end <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == s->fx.maps.n || pc < s->map[lo].start)
		return false;
	*ret = s->map[lo];
	return true;
}

static bool pack_maps(struct sample *s)
{
	s->map = malloc(s->fx.maps.n * sizeof(*s->map));
	for (size_t i = 0; s->map && i < s->fx.maps.n; i++)
		s->map[i] = s->fx.maps.v[i].map;
	return s->map;
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	return pid;
}

static void take_captures(pid_t pid, size_t n, struct target_files *files, sample_vec *all)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	if (ptrace(PTRACE_SEIZE, pid, 0, 0) < 0)
		return;
	while (all->n < n) {
		struct sample *s;

		nanosleep(&ms, NULL);
		s = target_stop(pid) && vec_reserve(all, 1) ? &all->v[all->n] : NULL;
		if (!s || !target_capture(pid, pid, CAP, files, NULL, &s->fx) || !pack_maps(s))
			return;
		all->n++;
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
}

struct count {
	uint64_t ns, frames, used, cut[CUT_NR];
};

static void walk(struct unwinder *u, struct sample *s, unsigned int repeat, struct count *c)
{
	struct unwind_space space = { .find = find, .ctx = s };

	for (unsigned int i = 0; i < repeat; i++)
		unwind_sample(u, &space, &s->fx.input, &chain);
	c->frames += (uint64_t)chain.n * repeat;
	c->cut[chain.cut]++;
	c->used += chain.bytes_used;
}

static struct count walk_all(struct unwinder *u, sample_vec *all, unsigned int repeat)
{
	uint64_t start = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	struct count c = { 0 };

	for (size_t i = 0; i < all->n; i++)
		walk(u, &all->v[i], repeat, &c);
	c.ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
	return c;
}

/* Puts something else into the caches. */
static void flush_caches(void)
{
	static volatile uint8_t junk[FLUSH_BYTES];

	for (size_t i = 0; i < FLUSH_BYTES; i += 64)
		junk[i]++;
}

static struct count best(struct unwinder *u, sample_vec *all, unsigned int repeat)
{
	struct count b = { 0 };

	for (int i = 0; i < ROUNDS; i++) {
		struct count c;

		flush_caches();
		c = walk_all(u, all, repeat);
		if (b.ns == 0 || c.ns < b.ns)
			b = c;
	}
	return b;
}

static void print(const char *name, const struct count *c)
{
	printf("%s_ns_per_frame: %.1f (%llu frames)\n", name, c->frames ? (double)c->ns / (double)c->frames : 0,
	       (unsigned long long)c->frames);
}

static void report(struct unwinder *u, sample_vec *all)
{
	struct count first = walk_all(u, all, 1), cold = best(u, all, 1), hot = best(u, all, HOT_REPEAT);
	struct unwind_stats st;

	unwinder_stats(u, &st);
	printf("captures: %zu\n", all->n);
	for (int i = 0; i < CUT_NR; i++)
		if (first.cut[i])
			printf("%s: %llu\n", cut_info((unsigned int)i)->name, (unsigned long long)first.cut[i]);
	printf("frames_per_capture: %.1f\n", (double)first.frames / (double)all->n);
	printf("stack_bytes_used: %llu\n", (unsigned long long)(first.used / all->n));
	print("first", &first);
	print("cold", &cold);
	print("hot", &hot);
	printf("rules_learnt: %llu\nslow_frames: %llu\nrule_bytes: %zu\n", (unsigned long long)st.rule_misses,
	       (unsigned long long)st.slow_frames, st.bytes);
}

int main(int argc, char **argv)
{
	struct target_files files = { 0 };
	struct unwinder *u = unwinder_new();
	sample_vec all = { 0 };
	size_t n = 2000;
	pid_t pid;
	int c;

	while ((c = getopt(argc, argv, "+n:")) != -1) {
		if (c != 'n')
			return 2;
		n = strtoul(optarg, NULL, 10);
	}
	if (optind == argc || !u)
		return 2;
	pid = start(argv + optind);
	take_captures(pid, n, &files, &all);
	kill(pid, SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	if (all.n)
		report(u, &all);
	for (size_t i = 0; i < all.n; i++) {
		fixture_free(&all.v[i].fx);
		free(all.v[i].map);
	}
	unwinder_free(u);
	target_files_free(&files);
	vec_free(&all);
	return all.n == 0;
}
