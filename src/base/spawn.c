/* SPDX-License-Identifier: BSD-2-Clause */
/* spawn.c - posix_spawn(3), and what became of it by its clock (clock_getcpuclockid(3)) and /proc. */
#include "config.h"

#include "base/spawn.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/installed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define COUNTED_MAX 64u                  /* processes at a time; further ones are not counted */
/* What works for sberf is known to the kernel half by its name, from birth: as SB_HELPER_PREFIX of bpf/wire.h. */
#define BORN_AS "sberf-spawn"
#define FREE_FD 16                       /* descriptors from here on are none of those that the program gets */

/* What the child does between fork and exec; SOCKET and FILE are FREE_FD or above. */
static int spawn_plan_files(posix_spawn_file_actions_t *files, int socket, int file)
{
	int r = 0;

	for (int fd = 0; fd < 3 && !r; fd++)
		r = posix_spawn_file_actions_addopen(files, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
	r = r ? r : posix_spawn_file_actions_adddup2(files, socket, SPAWN_SOCKET);
	return r || file < 0 ? r : posix_spawn_file_actions_adddup2(files, file, SPAWN_FILE);
}

static int spawn_plan_signals(posix_spawnattr_t *attr)
{
	sigset_t all, none;
	int r;

	sigfillset(&all);
	sigemptyset(&none);
	r = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	r = r ? r : posix_spawnattr_setsigmask(attr, &none);
	return r ? r : posix_spawnattr_setsigdefault(attr, &all);
}

static int spawn_run(const char *program, char *const *argv, int socket, int file, pid_t *ret)
{
	char *const env[] = { NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	char name[16] = "";
	int r = posix_spawn_file_actions_init(&files);

	if (r)
		return r;
	r = posix_spawnattr_init(&attr);
	if (!r) {
		r = spawn_plan_files(&files, socket, file);
		r = r ? r : spawn_plan_signals(&attr);
		prctl(PR_GET_NAME, name);
		prctl(PR_SET_NAME, BORN_AS);
		r = r ? r : posix_spawn(ret, program, &files, &attr, argv, env);
		prctl(PR_SET_NAME, name);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	return r;
}

int spawn_start(char *const *argv, int file, pid_t *ret_pid, int *ret_socket, struct err *e)
{
	AUTO_FD int given = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, FREE_FD);
	AUTO_FD int near = -1;
	AUTO_FD int far = -1;
	char program[PATH_MAX];
	int pair[2], r;

	if (!installed_find(argv[0], program))
		return err_set(e, ENOENT, "%s is neither beside sberf nor in %s: install it", argv[0], installed_dir());
	if ((file >= 0 && given < 0) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_set(e, errno, "cannot start %s: %s", argv[0], strerror(errno));
	near = pair[0];
	far = fcntl(pair[1], F_DUPFD_CLOEXEC, FREE_FD);
	close(pair[1]);
	r = far < 0 ? errno : spawn_run(program, argv, far, given, ret_pid);
	if (r)
		return err_set(e, r, "cannot start %s: %s", program, strerror(r));
	*ret_socket = take_fd(&near);
	spawn_count(*ret_pid);
	return 0;
}

/* ---- what they take ---- */

static struct {
	pthread_mutex_t lock;
	struct {
		pid_t pid;               /* 0 = free */
		uint64_t took_ns;        /* when it was last looked at */
		uint64_t others_ns;      /* see spawn_says() */
	} of[COUNTED_MAX];
	uint64_t ended_ns;
} spawned = { .lock = PTHREAD_MUTEX_INITIALIZER };

uint64_t spawn_clock_ns(pid_t pid)
{
	clockid_t clock;
	struct timespec t;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

/* What the processes took that PID started and has reaped: fields 16 and 17 of proc_pid_stat(5), 0 = it has ended. */
static uint64_t spawn_reaped_ns(pid_t pid)
{
	const long ticks = sysconf(_SC_CLK_TCK);
	unsigned long user, system;
	char path[40], line[1024], *at;
	AUTO_FILE FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	at = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	if (!at || ticks <= 0 ||
	    sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
		return 0;
	return (user + system) * (NSEC_PER_SEC / (uint64_t)ticks);
}

/* Looks at the process at I. With the lock. */
static uint64_t spawn_look(uint32_t i)
{
	const pid_t pid = spawned.of[i].pid;
	const uint64_t took_ns = spawn_clock_ns(pid) + spawn_reaped_ns(pid) + spawned.of[i].others_ns;

	if (took_ns > spawned.of[i].took_ns)
		spawned.of[i].took_ns = took_ns;
	return spawned.of[i].took_ns;
}

/* Where PID is; COUNTED_MAX = nowhere. With the lock. */
static uint32_t spawn_index(pid_t pid)
{
	uint32_t i = 0;

	while (i < COUNTED_MAX && spawned.of[i].pid != pid)
		i++;
	return i;
}

void spawn_count(pid_t pid)
{
	uint32_t i;

	pthread_mutex_lock(&spawned.lock);
	i = spawn_index(0);
	if (i < COUNTED_MAX) {
		spawned.of[i].pid = pid;
		spawned.of[i].took_ns = spawned.of[i].others_ns = 0;
	}
	pthread_mutex_unlock(&spawned.lock);
}

void spawn_says(pid_t pid, uint64_t others_ns)
{
	uint32_t i;

	pthread_mutex_lock(&spawned.lock);
	i = pid > 0 ? spawn_index(pid) : COUNTED_MAX;
	if (i < COUNTED_MAX)
		spawned.of[i].others_ns = others_ns;
	pthread_mutex_unlock(&spawned.lock);
}

void spawn_ends(pid_t pid)
{
	uint32_t i;

	if (pid <= 0)
		return;
	pthread_mutex_lock(&spawned.lock);
	i = spawn_index(pid);
	if (i < COUNTED_MAX) {
		spawned.ended_ns += spawn_look(i);
		spawned.of[i].pid = 0;
	}
	pthread_mutex_unlock(&spawned.lock);
}

uint64_t spawn_cpu_ns(void)
{
	uint64_t sum;

	pthread_mutex_lock(&spawned.lock);
	sum = spawned.ended_ns;
	for (uint32_t i = 0; i < COUNTED_MAX; i++)
		sum += spawned.of[i].pid ? spawn_look(i) : 0;
	pthread_mutex_unlock(&spawned.lock);
	return sum;
}
