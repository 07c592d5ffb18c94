/* SPDX-License-Identifier: BSD-2-Clause */
/* child.c - fork, a gate, exec. Between fork and exec only async-signal-safe calls: the parent may have threads. */
#include "config.h"

#include "engine/child.h"

#include "base/cleanup.h"
#include "base/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GROUPS_MAX 256

/* Who the child becomes; looked up before the fork, because getpwuid() is not safe after it. */
struct identity {
	bool change;
	uid_t uid;
	gid_t gid;
	int nr_groups;
	gid_t groups[GROUPS_MAX];
};

static int find_identity(struct identity *id, struct err *e)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	const struct passwd *pw;
	uint64_t u, g;
	int r;

	memset(id, 0, sizeof(*id));
	if (geteuid() != 0 || !uid || !gid)
		return 0;
	r = parse_u64(uid, "SUDO_UID", 0, UINT32_MAX - 1, &u, e);
	if (!r)
		r = parse_u64(gid, "SUDO_GID", 0, UINT32_MAX - 1, &g, e);
	if (r)
		return r;
	id->change = u != 0;
	id->uid = (uid_t)u;
	id->gid = (gid_t)g;
	id->groups[0] = id->gid;
	id->nr_groups = 1;
	pw = getpwuid(id->uid);
	if (pw) {
		int n = GROUPS_MAX;

		if (getgrouplist(pw->pw_name, id->gid, id->groups, &n) >= 0)
			id->nr_groups = n;
	}
	return 0;
}

static bool become(const struct identity *id)
{
	return !id->change || (!setgroups((size_t)id->nr_groups, id->groups) && !setgid(id->gid) && !setuid(id->uid));
}

static void detach_terminal(void)
{
	const int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		if (isatty(fd))
			dup2(null, fd);
	if (null > 2)
		close(null);
}

/* Signals that sberf handles or ignores go back to their defaults, and nothing is blocked. */
static void reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void run_child(char *const *argv, bool detached, const struct identity *id, int gate, int report)
{
	int code;
	char c;

	reset_signals();
	if (detached)
		detach_terminal();
	/* A byte lets it go; end of file alone means that sberf is gone or has changed its mind. */
	while ((code = (int)read(gate, &c, 1)) < 0 && errno == EINTR)
		;
	if (code != 1)
		_exit(125);
	if (become(id))
		execvp(argv[0], argv);
	code = errno ? errno : EPERM;
	if (write(report, &code, sizeof(code)) < 0)
		_exit(125);
	_exit(126);
}

static int exec_status(int code)
{
	return code == ENOENT || code == ENOTDIR ? 127 : 126;
}

static int say_cannot_run(const char *file, int code, int *ret_status, struct err *e)
{
	*ret_status = exec_status(code);
	if (*ret_status == 127)
		return err_set(e, code, "cannot run '%s': there is no such command", file);
	return err_set(e, code, "cannot run '%s': %s", file, strerror(code));
}

/* 0 when PATH can be executed as far as can be told without trying. */
static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) ? errno : 0;
}

int child_check(const char *file, int *ret_status, struct err *e)
{
	const char *dirs = getenv("PATH");
	char path[PATH_MAX];
	int code, worst = ENOENT;

	if (strchr(file, '/')) {
		code = executable(file);
		return code ? say_cannot_run(file, code, ret_status, e) : 0;
	}
	if (!dirs)
		dirs = "/bin:/usr/bin";
	for (const char *end; file[0] && dirs; dirs = *end ? end + 1 : NULL) {
		end = strchrnul(dirs, ':');
		if (snprintf(path, sizeof(path), "%.*s%s%s", (int)(end - dirs), dirs, end > dirs ? "/" : "./", file) >=
		    (int)sizeof(path))
			continue;
		code = executable(path);
		if (!code)
			return 0;
		if (code != ENOENT && code != ENOTDIR)
			worst = code;
	}
	return say_cannot_run(file, worst, ret_status, e);
}

int child_start(char *const *argv, bool detached, struct child *c, struct err *e)
{
	struct identity id;
	int gate[2], report[2];
	pid_t pid;
	int r = find_identity(&id, e);

	if (r)
		return r;
	if (pipe2(gate, O_CLOEXEC))
		return err_set(e, errno, "cannot start '%s': %s", argv[0], strerror(errno));
	if (pipe2(report, O_CLOEXEC)) {
		r = err_set(e, errno, "cannot start '%s': %s", argv[0], strerror(errno));
		close(gate[0]);
		close(gate[1]);
		return r;
	}
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		run_child(argv, detached, &id, gate[0], report[1]);
	}
	r = pid < 0 ? err_set(e, errno, "cannot start '%s': %s", argv[0], strerror(errno)) : 0;
	close(gate[0]);
	close(report[1]);
	if (r) {
		close(gate[1]);
		close(report[0]);
		return r;
	}
	*c = (struct child){ .pid = pid, .gate = gate[1], .report = report[0], .file = argv[0] };
	return 0;
}

int child_go(struct child *c, int *ret_status, struct err *e)
{
	int code = 0;
	ssize_t n;

	if (write(c->gate, "g", 1) != 1)
		return err_set(e, errno, "the command ended before it was started");
	close(take_fd(&c->gate));
	do {
		n = read(c->report, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	close(take_fd(&c->report));
	if (n != (ssize_t)sizeof(code))
		return 0;
	waitpid(c->pid, NULL, 0);
	c->pid = 0;
	return say_cannot_run(c->file, code, ret_status, e);
}

void child_abandon(struct child *c)
{
	if (c->gate >= 0) {
		close(take_fd(&c->gate));
		if (c->pid > 0)
			waitpid(c->pid, NULL, 0);
	}
	if (c->report >= 0)
		close(take_fd(&c->report));
	c->pid = 0;
}
