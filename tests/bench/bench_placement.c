/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_placement.c - what it costs to know where memory is: a page of an access, a survey of a
 * process, its mappings.
 *
 *	bench_placement [MAPPINGS]
 *
 * The target is a child with 256 MB, as many more MAPPINGS of one page each, and a reservation of a
 * terabyte. Figures are CPU time of the thread that asks, since it waits in between on purpose, or
 * the best of five where one thing is called directly.
 */
#include "config.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/parse.h"
#include "numa/placement.h"
#include "numa/procmem.h"
#include "system/procfs.h"

#include <inttypes.h>
#include <numa.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define PAGE 4096u
#define BYTES (256u << 20)
#define QUESTIONS 20000u
#define SURVEYS 20u
#define ROUNDS 5

static void die(const char *what)
{
	fprintf(stderr, "bench_placement: %s\n", what);
	exit(1);
}

/* Where the child of all has its memory; the same in the child. */
static char *memory;

static void make_mappings(uint64_t n)
{
	/* Neighbours of other rights are not merged. */
	for (uint64_t i = 0; i < n; i++) {
		const int prot = i % 2 ? PROT_READ : PROT_READ | PROT_WRITE;

		if (mmap(NULL, PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			die("the kernel allows no more mappings");
	}
}

static pid_t start_target(uint64_t mappings)
{
	int ready[2];
	pid_t pid;
	char c;

	memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || pipe(ready))
		die("no memory");
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		memset(memory, 1, BYTES);
		mmap(NULL, UINT64_C(1) << 40, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		make_mappings(mappings);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (pid < 0 || read(ready[0], &c, 1) != 1)
		die("the target did not start");
	close(ready[0]);
	return pid;
}

static void ignore(void *ctx, const struct page_answer *a)
{
	(void)ctx;
	(void)a;
}

static uint64_t cpu_of(const struct placement *p)
{
	struct placement_figures f;

	placement_figures(p, &f);
	return f.cpu_ns;
}

/* Questions as the engine asks them: scattered over all memory, a few hundred at a time. */
static void bench_questions(struct placement *p, pid_t pid)
{
	uint64_t before, engine = 0, from;
	unsigned int answered = 0;

	placement_ask(p, pid, (uintptr_t)memory, 0, 0);
	while (!placement_poll(p, ignore, NULL))
		poll(NULL, 0, 1);
	before = cpu_of(p);
	for (uint64_t i = 0; i < QUESTIONS;) {
		from = clock_mono_ns();
		for (unsigned int j = 0; j < 500; j++, i++)
			if (!placement_ask(p, pid, (uintptr_t)memory + hash_u64(i) % BYTES, (uintptr_t)&before, i))
				die("a question was refused");
		engine += clock_mono_ns() - from;
		while (answered < i) {
			poll(NULL, 0, 1);
			from = clock_mono_ns();
			answered += placement_poll(p, ignore, NULL);
			engine += clock_mono_ns() - from;
		}
	}
	printf("a page, with its mapping: %" PRIu64 " ns of the thread, %" PRIu64 " ns of the engine\n",
	       (cpu_of(p) - before) / QUESTIONS, engine / QUESTIONS);
}

static void bench_surveys(struct placement *p, pid_t pid)
{
	const uint64_t before = cpu_of(p);
	struct numa_process got;
	uint64_t asked = 0, found = 0;

	for (unsigned int i = 0; i < SURVEYS; i++) {
		placement_survey(p, pid, 0);
		while (!placement_surveyed(p, &got))
			poll(NULL, 0, 1);
		asked += got.asked;
		found += got.found;
		numa_process_clear(&got);
	}
	printf("a survey: %" PRIu64 " us, %" PRIu64 " pages asked for, %" PRIu64 " found\n",
	       (cpu_of(p) - before) / SURVEYS / 1000, asked / SURVEYS, found / SURVEYS);
}

/* What the kernel alone takes. */
static void bench_kernel(pid_t pid)
{
	uint64_t best = UINT64_MAX;
	void *addr[512];
	int status[512];

	for (int round = 0; round < ROUNDS; round++) {
		const uint64_t from = clock_mono_ns();
		uint64_t took;

		for (uint64_t i = 0; i < 512; i++)
			addr[i] = memory + hash_u64(i + 1000 * (uint64_t)round) % BYTES;
		if (numa_move_pages(pid, 512, addr, NULL, status, 0))
			die("the kernel does not tell where pages are");
		took = clock_mono_ns() - from;
		best = took < best ? took : best;
	}
	printf("the kernel alone, 512 pages at a time: %" PRIu64 " ns a page\n", best / 512);
}

static void count(void *ctx, const struct maps_line *m)
{
	areas_add(ctx, m, NULL, 0);
}

static void bench_maps(pid_t pid)
{
	uint64_t best = UINT64_MAX, lines = 0;
	struct areas a = { 0 };

	for (int round = 0; round < ROUNDS; round++) {
		const uint64_t from = clock_mono_ns();
		AUTO_FD int dir = proc_open(pid);
		uint64_t took;

		areas_reset(&a);
		proc_read_maps(dir, count, &a);
		took = clock_mono_ns() - from;
		best = took < best ? took : best;
		lines = a.v.n;
	}
	printf("reading its %" PRIu64 " mappings: %" PRIu64 " us, %zu KB\n", lines, best / 1000,
	       areas_bytes(&a) / 1024);
	areas_free(&a);
}

int main(int argc, char **argv)
{
	static const struct placement_config config = { 0 };
	struct placement *p = NULL;
	struct err e = ERR_INIT;
	uint64_t mappings = 1000;
	pid_t pid;

	if (argc > 1 && parse_u64(argv[1], "mappings", 0, 60000, &mappings, &e))
		die(e.text);
	pid = start_target(mappings);
	if (placement_new(&config, &p, &e))
		die(e.text);
	bench_kernel(pid);
	bench_questions(p, pid);
	bench_maps(pid);
	bench_surveys(p, pid);
	placement_free(p);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
