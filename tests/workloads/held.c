// SPDX-License-Identifier: BSD-2-Clause
/*
 * held.c - children that spin in user mode are held there for MS: held MS [V1 [V2]]. "stopped" is
 * stopped by a signal, "traced" by its debugger; with a cgroup of the freezer of version 1,
 * "frozen" is, and "napper", which sleeps; with one of version 2, "frozen2" is. "missing" touches a
 * page that nobody brings. Each is held from some moment before `most` until some moment after
 * `least` ns.
 */
#include "truth.h"

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

struct child {
	const char *name, *dir;
	void (*does)(void);
	bool (*hold)(const struct child *c, bool held);
	bool (*is_held)(const struct child *c);
	pid_t pid;
	volatile uint64_t *turns;        /* that it has spun */
	uint64_t asked_ns, held_ns;
};

static volatile uint64_t *my_turns;

NOINLINE void spins_here(void)
{
	for (;;) {
		burn(1000);
		++*my_turns;
	}
}

NOINLINE void naps_here(void)
{
	struct timespec ts = { .tv_sec = 1000 };

	++*my_turns;
	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

NOINLINE void touches_here(void)
{
	volatile char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { (uintptr_t)p, 4096 }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	const int fd = (int)syscall(SYS_userfaultfd, 0);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg))
		_exit(0);
	++*my_turns;
	*p = 1;
}

static bool put(const char *dir, const char *file, const char *text)
{
	char path[512];
	int fd;
	bool done;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return done;
}

static bool says(const char *dir, const char *file, const char *word)
{
	char path[512], text[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return strstr(text, word);
}

/* The state letter of the child. */
static bool is_in(const struct child *c, const char *state)
{
	char dir[32];

	snprintf(dir, sizeof(dir), "/proc/%d", c->pid);
	return says(dir, "stat", state);
}

static bool stop(const struct child *c, bool held)
{
	return !kill(c->pid, held ? SIGSTOP : SIGCONT);
}

static bool is_stopped(const struct child *c)
{
	return is_in(c, ") T ");
}

static bool trace(const struct child *c, bool held)
{
	return held ? !ptrace(PTRACE_SEIZE, c->pid, NULL, NULL) && !ptrace(PTRACE_INTERRUPT, c->pid, NULL, NULL)
		    : !ptrace(PTRACE_DETACH, c->pid, NULL, NULL);
}

static bool is_traced(const struct child *c)
{
	return waitpid(c->pid, NULL, __WALL | WNOHANG) == c->pid;
}

static bool freeze_v1(const struct child *c, bool held)
{
	return put(c->dir, "freezer.state", held ? "FROZEN" : "THAWED");
}

static bool is_frozen_v1(const struct child *c)
{
	return says(c->dir, "freezer.state", "FROZEN");
}

static bool freeze_v2(const struct child *c, bool held)
{
	return put(c->dir, "cgroup.freeze", held ? "1" : "0");
}

static bool is_frozen_v2(const struct child *c)
{
	return says(c->dir, "cgroup.events", "frozen 1");
}

static bool nothing(const struct child *c, bool held)
{
	return true;
}

static bool is_asleep(const struct child *c)
{
	return is_in(c, ") S ") || is_in(c, ") D ");
}

static void start(struct child *c)
{
	char pid[16];

	c->turns = mmap(NULL, sizeof(*c->turns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	c->pid = fork();
	if (!c->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		my_turns = c->turns;
		name_thread(c->name);
		c->does();
		_exit(0);
	}
	snprintf(pid, sizeof(pid), "%d", c->pid);
	if (c->dir && !put(c->dir, "cgroup.procs", pid))
		exit(1);
	while (!*c->turns && waitpid(c->pid, NULL, WNOHANG) == 0)
		sleep_ns(NSEC_PER_MSEC);
}

int main(int argc, char **argv)
{
	const char *v1 = argc > 2 ? argv[2] : "", *v2 = argc > 3 ? argv[3] : "";
	struct child all[] = {
		{ .name = "stopped", .dir = NULL, .does = spins_here, .hold = stop, .is_held = is_stopped },
		{ .name = "traced", .dir = NULL, .does = spins_here, .hold = trace, .is_held = is_traced },
		{ .name = "missing", .dir = NULL, .does = touches_here, .hold = nothing, .is_held = is_asleep },
		{ .name = "frozen2", .dir = v2, .does = spins_here, .hold = freeze_v2, .is_held = is_frozen_v2 },
		{ .name = "frozen", .dir = v1, .does = spins_here, .hold = freeze_v1, .is_held = is_frozen_v1 },
		{ .name = "napper", .dir = v1, .does = naps_here, .hold = freeze_v1, .is_held = is_frozen_v1 },
	};
	const size_t n = sizeof(all) / sizeof(all[0]);

	ready();
	for (size_t i = 0; i < n; i++)
		if (!all[i].dir || all[i].dir[0])
			start(&all[i]);
	for (size_t i = 0; i < n; i++) {
		all[i].asked_ns = now_ns();
		if (all[i].pid && !all[i].hold(&all[i], true))
			return 1;
	}
	for (size_t i = 0; i < n; i++) {
		while (all[i].pid && !all[i].is_held(&all[i]) && !is_in(&all[i], ") Z "))
			sleep_ns(NSEC_PER_MSEC);
		all[i].held_ns = now_ns();
	}
	sleep_ns(argument(argc, argv, 1, 1000) * NSEC_PER_MSEC);
	for (size_t i = 0; i < n; i++) {
		const uint64_t end_ns = now_ns();

		if (!all[i].pid || !all[i].hold(&all[i], false))
			continue;
		printf("truth: %s least %" PRIu64 " most %" PRIu64 " end\n", all[i].name, end_ns - all[i].held_ns,
		       now_ns() - all[i].asked_ns);
	}
	fflush(stdout);
	/* Who was let go is killed when it has run: what it was held for has ended as it does for others. */
	for (size_t i = 0; i < n; i++) {
		const uint64_t had = all[i].pid && all[i].does == spins_here ? *all[i].turns : 0;

		while (all[i].pid && all[i].does == spins_here && *all[i].turns == had)
			sleep_ns(NSEC_PER_MSEC);
	}
	for (size_t i = 0; i < n; i++) {
		if (all[i].pid)
			kill(all[i].pid, SIGKILL);
		if (all[i].pid)
			waitpid(all[i].pid, NULL, 0);
	}
	return 0;
}
