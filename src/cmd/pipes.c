/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "cmd/pipes.h"

#include "base/cleanup.h"
#include "record/format.h"
#include "record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COPY_BYTES (256u << 10)

int pipes_stat(const char *path, struct stat *st)
{
	return strcmp(path, "-") ? stat(path, st) : fstat(STDIN_FILENO, st);
}

const char *pipes_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

void pipes_say_waiting(const char *path, const char *command)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISFIFO(st.st_mode))
		fprintf(stderr, "sberf %s: waiting for what is written into the pipe %s\n", command, path);
}

static int pipes_write_all(int fd, const char *from, size_t n)
{
	while (n) {
		const ssize_t k = write(fd, from, n);

		if (k < 0 && errno != EINTR)
			return -errno;
		from += k > 0 ? k : 0;
		n -= k > 0 ? (size_t)k : 0;
	}
	return 0;
}

/* Fills the N bytes at BUF; fewer at the end, negative when reading fails. */
static ssize_t read_full(int fd, char *buf, size_t n)
{
	size_t have = 0;

	while (have < n) {
		const ssize_t k = read(fd, buf + have, n - have);

		if (!k)
			break;
		if (k < 0 && errno != EINTR)
			return -errno;
		have += k > 0 ? (size_t)k : 0;
	}
	return (ssize_t)have;
}

/* Copies FROM to TO; of what is no recording only so much that a reader can tell. */
static int copy_all(int from, int to, const char *path, const char *dir, struct err *e)
{
	AUTO_FREE char *buf = malloc(COPY_BYTES);
	bool known = false;
	ssize_t k;
	int r;

	if (!buf)
		return err_nomem(e, "a recording");
	while ((k = read_full(from, buf, COPY_BYTES)) > 0) {
		r = pipes_write_all(to, buf, (size_t)k);
		if (r < 0)
			return err_set(e, -r, "cannot copy %s to read it twice: %s: %s; name another directory with "
				       "TMPDIR, or a file", path, dir, strerror(-r));
		known |= k >= (ssize_t)RECORD_MAGIC_SIZE && !memcmp(buf, RECORD_MAGIC, RECORD_MAGIC_SIZE);
		if (!known)
			return 0;
	}
	return k < 0 ? err_set(e, (int)-k, "cannot read %s: %s", path, strerror((int)-k)) : 0;
}

const char *pipes_folder(void)
{
	const char *tmpdir = getenv("TMPDIR");

	return tmpdir && tmpdir[0] ? tmpdir : "/var/tmp";
}

/* A copy of FROM, in a file without a name. */
static int copy_aside(int *fd, const char *path, struct err *e)
{
	const char *dir = pipes_folder();
	AUTO_FREE char *name = NULL;
	AUTO_FD int to = -1;
	int r;

	if (asprintf(&name, "%s/sberf.XXXXXX", dir) < 0) {
		name = NULL;
		return err_nomem(e, "the name of a file");
	}
	to = mkostemp(name, O_CLOEXEC);
	if (to < 0)
		return err_set(e, errno, "cannot make a file in %s for a copy of %s: %s; name another "
			       "directory with TMPDIR", dir, path, strerror(errno));
	unlink(name);
	r = copy_all(*fd, to, path, dir, e);
	if (r < 0)
		return r;
	close(*fd);
	*fd = take_fd(&to);
	return 0;
}

int pipes_open_again(const char *path, bool *ret_copied, struct err *e)
{
	const char *name;
	AUTO_FD int fd = recording_open(path, &name, e);
	struct stat st;
	bool once;
	int r = 0;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return err_set(e, errno, "cannot look at %s: %s", name, strerror(errno));
	/* A directory is refused when it is read. */
	once = !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
	if (once)
		r = copy_aside(&fd, name, e);
	if (r < 0)
		return r;
	if (!S_ISDIR(st.st_mode) && lseek(fd, 0, SEEK_SET) < 0)
		return err_set(e, errno, "cannot go back to the beginning of %s: %s", name, strerror(errno));
	if (ret_copied)
		*ret_copied = once;
	return take_fd(&fd);
}

static void say_going_on(int sig)
{
	static const char text[] = "sberf: reading goes on until the writer has ended; Ctrl-C again gives up\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		return;
}

bool pipes_begin_patience(const char *path)
{
	const struct sigaction once = { .sa_handler = say_going_on, .sa_flags = (int)(SA_RESETHAND | SA_RESTART) };
	struct sigaction old;
	struct stat st;

	if (pipes_stat(path, &st) || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return false;
	return !sigaction(SIGINT, NULL, &old) && old.sa_handler == SIG_DFL && !sigaction(SIGINT, &once, NULL);
}

void pipes_end_patience(void)
{
	signal(SIGINT, SIG_DFL);
}
