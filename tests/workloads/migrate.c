// SPDX-License-Identifier: BSD-2-Clause
/*
 * migrate.c - a thread that goes from NUMA node to NUMA node: migrate [S] [MOVES] [MS] [HOME AWAY]
 * ["wait"]
 *
 * "mover" begins on the first node with CPUs, and MOVES times (20) binds itself to the next one in
 * goes_to(). After each move it sleeps MS ms (10) in rests(). With MS 0 it never waits: it
 * computes, HOME ms of CPU time on the first node, AWAY ms on others (1 and 1). "stayer" computes
 * on the first node all along. main never leaves it either, once it is there, and its policy for
 * memory is to interleave.
 *
 * With "wait" main and mover are on that node before "ready", and then wait for SIGUSR1; when mover
 * has moved it says "moved" and stays where it is until the program is ended, and stayer sleeps
 * most of the time. Else the program ends with it.
 *
 * Both count what getcpu(2) says: 0 where there is one node. main counts what happens to it between
 * its begin and "ready".
 *
 *	truth: main moves 0
 *	truth: mover moves 40
 *	truth: mover ran node 0 1234567 ns
 */
#include "truth.h"

#include <numa.h>
#include <numaif.h>

#define NODES_MAX 64
#define TICK_NS (10 * NSEC_PER_MSEC)
#define MSEC 1000000u            /* for burn(): about one */

struct walk {
	uint64_t moves;
	uint64_t ran_ns[NODES_MAX];      /* by place in node[] */
	unsigned int last;               /* node where it was last seen */
};

static int node[NODES_MAX];      /* those with CPUs */
static int nr_nodes;
static uint64_t moves, rest_ms, home_ms, away_ms;
static bool waits;
static int stop;

static unsigned int node_now(void)
{
	unsigned int cpu, now;

	if (getcpu(&cpu, &now))
		exit(1);
	return now;
}

static void look(struct walk *w)
{
	const unsigned int now = node_now();

	w->moves += now != w->last;
	w->last = now;
}

NOINLINE void goes_to(int where)
{
	if (numa_run_on_node(where))
		exit(1);
	sink++;
}

NOINLINE void computes(uint64_t ns)
{
	const uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		burn(20);
	sink++;
}

NOINLINE void rests(bool away)
{
	if (rest_ms)
		sleep_ns(rest_ms * NSEC_PER_MSEC);
	else
		computes((away ? away_ms : home_ms) * NSEC_PER_MSEC);
	sink++;
}

static void stays_here(void)
{
	/* Any thread may get the signal. */
	while (!time_is_over)
		sleep_ns(TICK_NS);
}

static void *mover(void *arg)
{
	static const char word[] = "moved\n";
	struct walk *w = arg;
	uint64_t before = 0;
	sigset_t go;
	int sig;

	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	w->last = node_now();
	if (waits && sigwait(&go, &sig))
		exit(1);
	for (uint64_t i = 0; i <= moves && !time_is_over; i++) {
		const int at = (int)(i % (uint64_t)nr_nodes);

		if (i)
			goes_to(node[at]);
		look(w);
		rests(at);
		look(w);
		w->ran_ns[at] += clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
		before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	}
	if (waits && write(STDOUT_FILENO, word, sizeof(word) - 1) > 0)
		stays_here();
	return NULL;
}

NOINLINE void stays(void)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		burn(MSEC);
		if (waits)
			sleep_ns(TICK_NS);
	}
}

static void *stayer(void *arg)
{
	stays();
	return arg;
}

static void find_nodes(void)
{
	struct bitmask *cpus = numa_allocate_cpumask();

	for (int i = 0; i <= numa_max_node() && nr_nodes < NODES_MAX; i++)
		if (!numa_node_to_cpus(i, cpus) && numa_bitmask_weight(cpus))
			node[nr_nodes++] = i;
	numa_free_cpumask(cpus);
}

static void tell(const struct walk *own, const struct walk *movers)
{
	printf("truth: main moves %" PRIu64 "\n", own->moves);
	printf("truth: mover moves %" PRIu64 "\n", movers->moves);
	for (int i = 0; i < nr_nodes; i++)
		printf("truth: mover ran node %d %" PRIu64 " ns\n", node[i], movers->ran_ns[i]);
}

int main(int argc, char **argv)
{
	static struct walk own, movers;
	pthread_t thread[2];
	sigset_t go;

	if (numa_available() < 0)
		return 77;
	own.last = node_now();
	tell_after(argc, argv);
	moves = argument(argc, argv, 2, 20);
	rest_ms = argument(argc, argv, 3, 10);
	home_ms = argument(argc, argv, 4, 1);
	away_ms = argument(argc, argv, 5, 1);
	waits = argc > 6 && !strcmp(argv[6], "wait");
	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &go, NULL);
	find_nodes();
	/* Before the threads: what they inherit is one node, so the first move is theirs. */
	goes_to(node[0]);
	look(&own);
	numa_set_interleave_mask(numa_all_nodes_ptr);
	thread[0] = start_thread("mover", mover, &movers);
	thread[1] = start_thread("stayer", stayer, NULL);
	ready();
	pthread_join(thread[0], NULL);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread[1], NULL);
	tell(&own, &movers);
	return 0;
}
