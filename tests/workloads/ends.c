// SPDX-License-Identifier: BSD-2-Clause
/*
 * ends.c - waits that end with their thread, process or program: ends [S] MODE [COUNT]
 *
 *	leave      threads that nap 20 ms once and exit, one after the other, while three others wait for
 *	           ever; then the process
 *	           ends in the middle of their waits
 *	kill       children that are killed 40 ms into a sleep of a minute
 *	exec       a thread waits for ever while another one executes the program anew, which naps 300 ms
 *	again      executes itself COUNT times; closing many files, the kernel is kept in the middle of it,
 *	           when the old memory is gone
 *	           and the new program is not there yet
 *	reuse      threads that nap 15 and 35 ms in turns and all have the same tid (needs ns_last_pid)
 *	stop       children that stop themselves and are continued 30 ms later
 *
 * A thread that does not outlive its wait cannot measure it, and whoever ends it may be kept from
 * it between the look at the clock and the deed. Such waits are told as two numbers: *off* is from
 * when it was seen to wait until just before it was ended, "most" from when it was about to wait
 * until just after. What it was blocked is in between.
 */
#include "truth.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define LEAVER_MS 20
#define KILL_MS 40
#define EXEC_MS 300
#define STOP_MS 30
#define EXEC_FILES 10000

/* What threads of MODE measured is added up here, one thread at a time. */
static struct truth shared;
static uint64_t count;

/* Of waits that others measure: see above. */
static uint64_t most_ns;

static void tell_both(const struct truth *least)
{
	truth_tell(least);
	printf("truth: %s most %" PRIu64 "\n", least->name, most_ns);
	fflush(stdout);
}

NOINLINE void stays_waiting(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t never = PTHREAD_COND_INITIALIZER;

	pthread_mutex_lock(&mutex);
	for (;;)
		pthread_cond_wait(&never, &mutex);
}

static struct { pid_t tid; uint64_t since; } stayers[3];

NOINLINE void *stayer(void *arg)
{
	size_t i = (size_t)(uintptr_t)arg;

	stayers[i].since = now_ns();
	__atomic_store_n(&stayers[i].tid, gettid(), __ATOMIC_RELEASE);
	stays_waiting();
	return arg;
}

static void start_stayers(size_t n)
{
	for (size_t i = 0; i < n; i++)
		start_thread("stayer", stayer, (void *)(uintptr_t)i);
	for (size_t i = 0; i < n; i++) {
		while (!__atomic_load_n(&stayers[i].tid, __ATOMIC_ACQUIRE))
			sleep_ns(NSEC_PER_MSEC);
		until_asleep(stayers[i].tid);
	}
}

NOINLINE void leaver_naps(void)
{
	sleep_ns(LEAVER_MS * NSEC_PER_MSEC);
	sink++;
}

static void *leaver(void *arg)
{
	truth_begin(&shared);
	leaver_naps();
	truth_end(&shared, 1);
	return arg;
}

static int leave(char **argv)
{
	struct truth stayed = { .name = "stays_waiting", .count = 3 };

	shared.name = "leaver_naps";
	start_stayers(3);
	ready();
	for (uint64_t i = 0; i < count && !time_is_over; i++)
		pthread_join(start_thread("leaver", leaver, NULL), NULL);
	for (int i = 0; i < 3; i++)
		stayed.off += now_ns() - stayers[i].since;
	truth_tell(&shared);
	truth_tell(&stayed);
	_exit(0);
}

NOINLINE void killed_in_sleep(void)
{
	sleep_ns(60ull * NSEC_PER_SEC);
	sink++;
}

/* Where a child tells its parent when its wait begins; MAP_FAILED without memory. */
static volatile uint64_t *shared_ns(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static int kill_children(char **argv)
{
	volatile uint64_t *since = shared_ns();

	if (since == MAP_FAILED)
		return 1;
	shared.name = "killed_in_sleep";
	ready();
	for (uint64_t i = 0; i < count && !time_is_over; i++) {
		uint64_t seen;
		pid_t pid;

		*since = 0;
		pid = fork();
		if (!pid) {
			*since = now_ns();
			killed_in_sleep();
			_exit(0);
		}
		while (!*since)
			sched_yield();
		until_asleep(pid);
		seen = now_ns();
		sleep_ns(KILL_MS * NSEC_PER_MSEC);
		shared.off += now_ns() - seen;
		kill(pid, SIGKILL);
		most_ns += now_ns() - *since;
		waitpid(pid, NULL, 0);
		shared.count++;
	}
	tell_both(&shared);
	return 0;
}

NOINLINE void naps_after_exec(void)
{
	sleep_ns(EXEC_MS * NSEC_PER_MSEC);
	sink++;
}

static int after_exec(char **argv)
{
	struct truth stayed = { .name = "stays_waiting", .count = 1 };

	stayed.off = strtoull(argv[3], NULL, 10);
	most_ns = now_ns() - strtoull(argv[4], NULL, 10);
	shared.name = "naps_after_exec";
	truth_begin(&shared);
	naps_after_exec();
	truth_end(&shared, 1);
	tell_both(&stayed);
	truth_tell(&shared);
	return 0;
}

static int exec_anew(char **argv)
{
	char waited[24], since[24];
	uint64_t seen;

	start_stayers(1);
	seen = now_ns();
	ready();
	sleep_ns(EXEC_MS * NSEC_PER_MSEC);
	snprintf(since, sizeof(since), "%" PRIu64, stayers[0].since);
	snprintf(waited, sizeof(waited), "%" PRIu64, now_ns() - seen);
	execl("/proc/self/exe", argv[0], "0", "after_exec", waited, since, (char *)NULL);
	return 1;
}

/* Many files that exec closes, one by one: the kernel looks now and then whether somebody else wants the CPU. */
static void open_files_for_exec(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < EXEC_FILES && open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0; i++)
		;
}

static int exec_again(char **argv)
{
	char left[24];

	if (!count)
		return 0;
	open_files_for_exec();
	snprintf(left, sizeof(left), "%" PRIu64, count - 1);
	execl("/proc/self/exe", argv[0], "0", "again", left, (char *)NULL);
	return 1;
}

static struct { pid_t tid; struct truth t; } lives[2] = {
	{ .t = { .name = "first_life" } }, { .t = { .name = "second_life" } },
};

NOINLINE void first_life(void)
{
	sleep_ns(15 * NSEC_PER_MSEC);
	sink++;
}

NOINLINE void second_life(void)
{
	sleep_ns(35 * NSEC_PER_MSEC);
	sink++;
}

static pid_t wanted_tid;

/* Lives only when it has the tid that is wanted. */
static void *lives_once(void *arg)
{
	size_t i = (size_t)(uintptr_t)arg;

	if (wanted_tid && gettid() != wanted_tid)
		return NULL;
	wanted_tid = gettid();
	truth_begin(&lives[i].t);
	if (i)
		second_life();
	else
		first_life();
	truth_end(&lives[i].t, 1);
	return arg;
}

static void next_tid(pid_t tid)
{
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || dprintf(fd, "%d", tid - 1) < 0)
		exit(77);
	close(fd);
}

static int reuse_tids(char **argv)
{
	ready();
	while (lives[1].t.count < count && !time_is_over) {
		/* Until another program's new process does not get in between. */
		for (size_t i = 0; i < 2; i++) {
			uint64_t before = lives[i].t.count;

			while (lives[i].t.count == before) {
				pthread_t t;

				if (wanted_tid)
					next_tid(wanted_tid);
				if (pthread_create(&t, NULL, lives_once, (void *)(uintptr_t)i))
					return 1;
				pthread_join(t, NULL);
			}
		}
	}
	truth_tell(&lives[0].t);
	truth_tell(&lives[1].t);
	return 0;
}

NOINLINE void stops_itself(void)
{
	raise(SIGSTOP);
	sink++;
}

static int stop_children(char **argv)
{
	volatile uint64_t *since = shared_ns();

	if (since == MAP_FAILED)
		return 1;
	shared.name = "stops_itself";
	ready();
	for (uint64_t i = 0; i < count && !time_is_over; i++) {
		pid_t pid = fork();
		uint64_t seen;

		if (!pid) {
			*since = now_ns();
			stops_itself();
			_exit(0);
		}
		waitpid(pid, NULL, WUNTRACED);
		seen = now_ns();
		sleep_ns(STOP_MS * NSEC_PER_MSEC);
		shared.off += now_ns() - seen;
		kill(pid, SIGCONT);
		most_ns += now_ns() - *since;
		shared.count++;
		waitpid(pid, NULL, 0);
	}
	tell_both(&shared);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(char **argv);
} modes[] = {
	{ "leave", leave },           { "kill", kill_children }, { "exec", exec_anew },
	{ "after_exec", after_exec }, { "reuse", reuse_tids },   { "stop", stop_children },
	{ "again", exec_again },
};

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	tell_after(argc, argv);
	count = argument(argc, argv, 3, 50);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(argv[2], modes[i].name))
			return modes[i].run(argv);
	return 2;
}
