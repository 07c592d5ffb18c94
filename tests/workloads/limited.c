// SPDX-License-Identifier: BSD-2-Clause
/*
 * limited.c - a thread that sleeps in a cgroup that has no CPU time left when its timers end: limited DIR MS [moves]
 *
 * In the cgroup DIR, which has a quota, "burner0" uses that up on CPU 0, while "sleeper" sleeps there for 7 ms again
 * and again, and notes how late it comes back: only what is later than 10 ms counts, which no turn of the burner
 * takes. With "moves" there is a burner on CPU 1, too, and a process outside the cgroup sends the sleeper to the other
 * CPU while it sleeps, so that it is woken to another run queue than it left.
 */
#include "truth.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define LATE_NS (10ull * NSEC_PER_MSEC)

static uint64_t end_ns;

static void put_on(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(tid, sizeof(set), &set))
		_exit(2);
}

NOINLINE void burns_quota(void)
{
	while (now_ns() < end_ns)
		burn(10000);
}

static void *burner(void *arg)
{
	const int cpu = (int)(intptr_t)arg;

	prctl(PR_SET_NAME, cpu ? "burner1" : "burner0");
	put_on(0, cpu);
	burns_quota();
	return NULL;
}

NOINLINE void sleeps_until(uint64_t ns)
{
	const struct timespec ts = { .tv_sec = (time_t)(ns / NSEC_PER_SEC), .tv_nsec = (long)(ns % NSEC_PER_SEC) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
}

/* Says to TOLD that it goes to sleep; -1 = to nobody. */
static void sleeper(const char *dir, int burners, int told)
{
	uint64_t late_ns = 0, times = 0;
	pthread_t t[2];
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		_exit(3);
	prctl(PR_SET_NAME, "sleeper");
	for (int i = 0; i < burners; i++)
		if (pthread_create(&t[i], NULL, burner, (void *)(intptr_t)i))
			_exit(4);
	while (now_ns() < end_ns) {
		const uint64_t until = now_ns() + 7 * NSEC_PER_MSEC;
		uint64_t late;

		if (told >= 0 && write(told, "", 1) != 1)
			_exit(5);
		sleeps_until(until);
		late = now_ns() - until;
		late_ns += late > LATE_NS ? late : 0;
		times += late > LATE_NS;
	}
	for (int i = 0; i < burners; i++)
		pthread_join(t[i], NULL);
	printf("truth: late %" PRIu64 " times %" PRIu64 "\n", late_ns, times);
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	const bool moves = argc > 3 && !strcmp(argv[3], "moves");
	int tell[2], status;
	char one;
	pid_t child;

	if (argc < 3)
		return 1;
	end_ns = now_ns() + strtoull(argv[2], NULL, 10) * NSEC_PER_MSEC;
	put_on(0, 0);
	if (pipe(tell))
		return 1;
	child = fork();
	if (!child)
		sleeper(argv[1], moves ? 2 : 1, moves ? tell[1] : -1);
	close(tell[1]);
	for (int cpu = 1; read(tell[0], &one, 1) == 1; cpu = !cpu) {
		sleeps_until(now_ns() + 2 * NSEC_PER_MSEC);
		put_on(child, cpu);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
