/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outfile.c - writes a file under a temporary name and renames it when it is complete, so that
 * nobody sees half of it.
 */
#include "config.h"

#include "export/outfile.h"

#include "base/cleanup.h"
#include "base/progress.h"
#include "record/format.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLLOWED_BYTES (256u << 10)

bool outfile_is_recording(const char *path)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char magic[RECORD_MAGIC_SIZE];

	return fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
	       !memcmp(magic, RECORD_MAGIC, RECORD_MAGIC_SIZE);
}

/* Refuses to replace the file behind PATH, a regular one, when it is INPUT or any other recording. */
static int check_output(const char *path, const struct stat *st, const char *input, struct err *e)
{
	struct stat in;

	if (input && !(strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in)) && in.st_dev == st->st_dev &&
	    in.st_ino == st->st_ino)
		return err_set(e, EEXIST, "'%s' is what is being read; choose another file with -o", path);
	if (outfile_is_recording(path))
		return err_set(e, EEXIST, "'%s' is a recording and stays as it is; choose another file with -o", path);
	return 0;
}

static int open_special(struct outfile *o, struct err *e)
{
	o->file = fopen(o->path, "we");
	return o->file ? 0 : err_set(e, errno, "cannot write '%s': %s", o->path, strerror(errno));
}

/* What a signal that ends sberf removes first; NULL = nothing. */
static const char *volatile unfinished;
static const int deadly[] = { SIGINT, SIGTERM, SIGHUP };

/* The disposition is the default one again by then. */
static void remove_unfinished(int sig)
{
	if (unfinished)
		unlink(unfinished);
	raise(sig);
}

/* Signals that somebody handles, or ignores, are his. */
static void watch_signals(const char *beside)
{
	const struct sigaction act = { .sa_handler = remove_unfinished, .sa_flags = (int)SA_RESETHAND };
	struct sigaction old;

	unfinished = beside;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		if (!sigaction(deadly[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(deadly[i], &act, NULL);
}

static void leave_signals(void)
{
	struct sigaction old;

	unfinished = NULL;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		if (!sigaction(deadly[i], NULL, &old) && old.sa_handler == remove_unfinished)
			signal(deadly[i], SIG_DFL);
}

static int outfile_open_beside(struct outfile *o, struct err *e)
{
	int fd, error;

	if (asprintf(&o->beside, "%s.%d.part", o->path, (int)getpid()) < 0) {
		o->beside = NULL;
		return err_nomem(e, "the name of a file");
	}
	fd = open(o->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	o->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (o->file) {
		watch_signals(o->beside);
		return 0;
	}
	error = errno;
	if (fd >= 0) {
		close(fd);
		unlink(o->beside);
	}
	free(o->beside);
	o->beside = NULL;
	return err_set(e, error, "cannot create '%s': %s", o->path, strerror(error));
}

int outfile_open(struct outfile *o, const char *path, const char *input, struct err *e)
{
	struct stat st;
	int r;

	*o = (struct outfile){ 0 };
	if (!path || !strcmp(path, "-")) {
		o->file = stdout;
		return 0;
	}
	o->path = path;
	if (stat(path, &st))
		return outfile_open_beside(o, e);
	if (!S_ISREG(st.st_mode))
		return open_special(o, e);
	r = check_output(path, &st, input, e);
	return r < 0 ? r : outfile_open_beside(o, e);
}

/* The cookie is what is written to, from whose descriptor this takes over. */
static ssize_t write_followed(void *cookie, const char *from, size_t n)
{
	struct outfile *o = cookie;
	size_t done = 0;

	while (done < n) {
		const ssize_t k = write(fileno(o->below), from + done, n - done);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return 0;
		done += (size_t)k;
		o->written += (uint64_t)k;
		progress_at(o->progress, o->written);
	}
	return (ssize_t)n;
}

bool outfile_follow(struct outfile *o, struct progress *p)
{
	struct stat st;
	FILE *f;

	if (!p->on || fstat(fileno(o->file), &st) || !S_ISREG(st.st_mode))
		return false;
	f = fopencookie(o, "w", (cookie_io_functions_t){ .write = write_followed });
	if (!f)
		return false;
	setvbuf(f, NULL, _IOFBF, FOLLOWED_BYTES);
	o->below = o->file;
	o->file = f;
	o->progress = p;
	return true;
}

static int end_following(struct outfile *o, int status, struct err *e)
{
	if (fclose(o->file) && status >= 0)
		status = err_set(e, errno, "cannot write to %s: %s", o->path ? o->path : "standard output",
				 strerror(errno));
	o->file = o->below;
	o->below = NULL;
	return status;
}

/* Standard output stays open. */
static int close_stdout(struct outfile *o, int status, struct err *e)
{
	if (fflush(o->file) && status >= 0)
		status = err_set(e, errno, "cannot write to standard output: %s", strerror(errno));
	o->file = NULL;
	return status == -EPIPE ? 0 : status;
}

int outfile_close(struct outfile *o, int status, struct err *e)
{
	/* Whoever writes knows only that it failed, not where. */
	if (status < 0 && ferror(o->file))
		err_set(e, -status, "cannot write to %s: %s", o->path ? o->path : "standard output", strerror(-status));
	if (o->below)
		status = end_following(o, status, e);
	if (!o->path)
		return close_stdout(o, status, e);
	if (fclose(o->file) && status >= 0)
		status = err_set(e, errno, "cannot write '%s': %s", o->path, strerror(errno));
	o->file = NULL;
	if (o->beside && status >= 0 && rename(o->beside, o->path))
		status = err_set(e, errno, "cannot write '%s': %s", o->path, strerror(errno));
	if (o->beside && status < 0)
		unlink(o->beside);
	if (o->beside)
		leave_signals();
	free(o->beside);
	o->beside = NULL;
	return status;
}
