/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * child.c - fork, a gate, exec. Between fork and exec it makes async-signal-safe calls only: the
 * parent may have threads.
 */
#include "config.h"

#include "engine/child.h"

#include "base/cleanup.h"
#include "engine/guard.h"
#include "system/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN_VARIABLES 3

/* The environment of the command: ours, with the names and the home of the user that it runs as. */
struct environment {
	char **v;                        /* NULL-terminated; the array and OWN are freed, the rest is environ's */
	char *own[OWN_VARIABLES];
};

static const char *const own_names[OWN_VARIABLES] = { "USER", "LOGNAME", "HOME" };

static bool is_own(const char *text)
{
	for (int i = 0; i < OWN_VARIABLES; i++) {
		const size_t n = strlen(own_names[i]);

		if (!strncmp(text, own_names[i], n) && text[n] == '=')
			return true;
	}
	return false;
}

static void environment_free(struct environment *env)
{
	for (int i = 0; i < OWN_VARIABLES; i++)
		free(env->own[i]);
	free(env->v);
}

static bool environment_make(struct environment *env, const struct caller *id)
{
	const char *const values[OWN_VARIABLES] = { id->name, id->name, id->home };
	const bool replace = id->other && id->name[0];
	size_t n = 0, k = 0;

	*env = (struct environment){ 0 };
	while (environ[n])
		n++;
	env->v = calloc(n + OWN_VARIABLES + 1, sizeof(*env->v));
	for (size_t i = 0; env->v && i < n; i++)
		if (!replace || !is_own(environ[i]))
			env->v[k++] = environ[i];
	for (int i = 0; env->v && replace && i < OWN_VARIABLES; i++) {
		if (asprintf(&env->own[i], "%s=%s", own_names[i], values[i]) < 0) {
			env->own[i] = NULL;
			return false;
		}
		env->v[k++] = env->own[i];
	}
	return env->v;
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

/* Handlers end with the exec; what whoever started sberf wants ignored (nohup) stays so. Nothing is blocked. */
static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void run_child(char *const *argv, char **env, bool detached, const struct caller *id,
				int gate, int report)
{
	int code;
	char c;

	unblock_signals();
	if (detached)
		detach_terminal();
	/* A byte lets it go; end of file alone means that sberf is gone or has changed its mind. */
	while ((code = (int)read(gate, &c, 1)) < 0 && errno == EINTR)
		;
	if (code != 1)
		_exit(125);
	if (caller_become(id))
		execvpe(argv[0], argv, env);
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
	if (code == ENOENT && strchr(file, '/') && !access(file, F_OK)) {
		*ret_status = 126;
		return err_set(e, code, "cannot run '%s': the interpreter or loader that it names does not exist",
			       file);
	}
	if (*ret_status == 127)
		return err_set(e, code, "cannot run '%s': there is no such command", file);
	return err_set(e, code, "cannot run '%s': %s", file, strerror(code));
}

/* 0 when PATH can be executed as far as can be told without trying. */
static int child_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, X_OK) ? errno : 0;
}

int child_find(const char *file, char *ret, int *ret_status, struct err *e)
{
	const char *dirs = getenv("PATH");
	int code, worst = ENOENT;

	if (strchr(file, '/')) {
		code = child_executable(file);
		snprintf(ret, PATH_MAX, "%s", file);
		return code ? say_cannot_run(file, code, ret_status, e) : 0;
	}
	if (!dirs)
		dirs = "/bin:/usr/bin";
	for (const char *end; file[0] && dirs; dirs = *end ? end + 1 : NULL) {
		end = strchrnul(dirs, ':');
		if (snprintf(ret, PATH_MAX, "%.*s%s%s", (int)(end - dirs), dirs, end > dirs ? "/" : "./", file) >=
		    PATH_MAX)
			continue;
		code = child_executable(ret);
		if (!code)
			return 0;
		if (code != ENOENT && code != ENOTDIR)
			worst = code;
	}
	return say_cannot_run(file, worst, ret_status, e);
}

int child_check(const char *file, int *ret_status, struct err *e)
{
	char path[PATH_MAX];

	return child_find(file, path, ret_status, e);
}

int child_identity(uid_t *ret_uid, gid_t *ret_gid, struct err *e)
{
	struct caller id;
	const int r = caller_find(&id, e);

	*ret_uid = id.other ? id.uid : getuid();
	*ret_gid = id.other ? id.gid : getgid();
	return r;
}

/* Two pipes: the gate that holds the child back, and its report of a failed exec. */
static int make_pipes(int gate[2], int report[2])
{
	if (pipe2(gate, O_CLOEXEC))
		return -errno;
	if (pipe2(report, O_CLOEXEC)) {
		const int code = errno;

		close(gate[0]);
		close(gate[1]);
		return -code;
	}
	return 0;
}

static int fork_child(char *const *argv, char **env, bool detached, const struct caller *id, struct child *c)
{
	int gate[2], report[2], r = make_pipes(gate, report);
	pid_t pid;

	if (r)
		return r;
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		run_child(argv, env, detached, id, gate[0], report[1]);
	}
	r = pid < 0 ? -errno : 0;
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

int child_start(char *const *argv, bool detached, struct child *c, struct err *e)
{
	struct environment env;
	struct caller id;
	int r = caller_find(&id, e);

	if (r)
		return r;
	r = environment_make(&env, &id) ? fork_child(argv, env.v, detached, &id, c) : -ENOMEM;
	environment_free(&env);
	if (r)
		return err_set(e, -r, "cannot start '%s': %s", argv[0], strerror(-r));
	return detached ? guard_start(c->pid, e) : 0;
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
