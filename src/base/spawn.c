/* SPDX-License-Identifier: BSD-2-Clause */
/* spawn.c - posix_spawn(3). */
#include "config.h"

#include "base/spawn.h"

#include "base/cleanup.h"
#include "base/installed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>

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
	int r = posix_spawn_file_actions_init(&files);

	if (r)
		return r;
	r = posix_spawnattr_init(&attr);
	if (!r) {
		r = spawn_plan_files(&files, socket, file);
		r = r ? r : spawn_plan_signals(&attr);
		r = r ? r : posix_spawn(ret, program, &files, &attr, argv, env);
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
	return 0;
}
