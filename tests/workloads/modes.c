/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modes.c - busy in one known way for a given time, then ends.
 *
 *	modes spin|syscall|threads|forks|exec|execthread|altstack|name MS
 *
 *	spin      computes                         syscall   calls getppid() all the time
 *	threads   four threads that compute        forks     children one after the other, each computes for 20 ms
 *	exec      executes itself with spin        execthread  the same, from a second thread
 *	altstack  computes in a signal handler on an alternate stack
 *	name      computes as "caf\xc3\x28\x1b[31m"
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC 1000000000u
#define NSEC_PER_MSEC 1000000u

static uint64_t end_ns;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static void spin_until(uint64_t ns)
{
	volatile uint64_t x = 1;

	do {
		for (int i = 0; i < 10000; i++)
			x = x * 6364136223846793005u + 1442695040888963407u;
	} while (now_ns() < ns);
}

static void spin(void)
{
	spin_until(end_ns);
}

static void syscalls(void)
{
	do {
		for (int i = 0; i < 1000; i++)
			syscall(SYS_getppid);
	} while (now_ns() < end_ns);
}

static void *thread(void *arg)
{
	spin();
	return arg;
}

static void threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, thread, NULL))
			exit(1);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void forks(void)
{
	while (now_ns() < end_ns) {
		pid_t pid = fork();

		if (!pid) {
			spin_until(now_ns() + 20 * NSEC_PER_MSEC);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
}

static void on_signal(int sig)
{
	spin();
}

static void altstack(void)
{
	stack_t ss = { .ss_size = 65536, .ss_sp = malloc(65536) };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	if (!ss.ss_sp || sigaltstack(&ss, NULL) || sigaction(SIGUSR1, &sa, NULL))
		exit(1);
	raise(SIGUSR1);
	free(ss.ss_sp);
}

static void name(void)
{
	prctl(PR_SET_NAME, "caf\xc3\x28\x1b[31m");
	spin();
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "spin", spin },     { "syscall", syscalls },   { "threads", threads },
	{ "forks", forks },   { "altstack", altstack },  { "name", name },
};

/* Ends only when it cannot. */
static void *exec_spin(void *ms)
{
	execl("/proc/self/exe", "modes", "spin", ms, (char *)NULL);
	exit(1);
}

static void exec_from_thread(char *ms)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, exec_spin, ms))
		pthread_join(t, NULL);
	exit(1);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "exec"))
		exec_spin(argv[2]);
	if (!strcmp(argv[1], "execthread"))
		exec_from_thread(argv[2]);
	end_ns = now_ns() + strtoull(argv[2], NULL, 10) * NSEC_PER_MSEC;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].run();
			return 0;
		}
	}
	return 2;
}
