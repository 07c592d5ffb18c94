/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.c - `sberf report`: a recording as a tree, as folded stacks, as figures; on a terminal, in the terminal view.
 *
 * A file is written beside its final name and renamed, so that a report that fails leaves no half of one behind. A report is
 * never written over a recording: it holds less than what it was made from.
 */
#include "config.h"

#include "base/cleanup.h"
#include "cmd/feed.h"
#include "cmd/filter.h"
#include "cmd/options.h"
#include "export/export.h"
#include "record/format.h"
#include "record/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct loaded {
	struct profile *profile;
	struct names *names;
	struct profile_meta meta;
	struct load_report report;
	struct snapshot *snapshot;
};

static void loaded_free(struct loaded *l)
{
	snapshot_unref(l->snapshot);
	names_free(l->names);
	profile_free(l->profile);
}

/* Opening a named pipe waits until somebody opens it for writing. */
static void say_waiting(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISFIFO(st.st_mode))
		fprintf(stderr, "sberf report: waiting for what is written into the pipe %s\n", path);
}

static int load(struct loaded *l, const char *path, const struct options *o, struct err *e)
{
	const struct load_options lo = { .min_block_ns = o->min_block_ns };
	struct profile_stats ps;
	struct stat st;
	int r;

	say_waiting(path);
	l->profile = profile_new(NULL);
	l->names = names_new();
	if (!l->profile || !l->names)
		return err_nomem(e, "the profile");
	r = recording_load(path, l->profile, l->names, &l->meta, &l->report, &lo, e);
	if (r < 0)
		return r;
	if (l->report.note[0])
		fprintf(stderr, "sberf report: %s: %s\n", path, l->report.note);
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		l->meta.file_bytes = (uint64_t)st.st_size;
	profile_stats(l->profile, &ps);
	l->meta.refused += ps.refused;
	l->meta.folded = ps.facts_folded;
	l->meta.lost.n[LOST_DAMAGED] += l->report.damaged_blocks;
	l->snapshot = profile_snapshot(l->profile);
	return l->snapshot ? 0 : err_nomem(e, "the profile");
}

static int write_waits(FILE *f, const struct loaded *l, const struct query *q, bool ascii, struct err *e)
{
	const struct waits_text_options how = { .ascii = ascii };
	AUTO(waits_free) struct waits *w = NULL;
	int r = waits_build(l->snapshot, l->names, q, &w, e);

	return r < 0 ? r : export_waits(f, w, &how, e);
}

static int write_tree(FILE *f, const struct loaded *l, const struct query *q, enum opt_format format, bool ascii, struct err *e)
{
	const struct tree_text_options how = { .ascii = ascii };
	AUTO(tree_free) struct tree *t = NULL;
	int r = tree_build(l->snapshot, l->names, q, &t, e);

	if (r < 0)
		return r;
	return format == FORMAT_FOLDED ? export_folded(f, t, e) : export_tree(f, t, &how, e);
}

/* What is asked for is about waits, and nobody followed any. */
static void say_no_waits(const struct loaded *l, const struct options *o, enum opt_format format)
{
	const bool asked = format == FORMAT_WAITS || o->states || o->syscalls || (o->kinds && !(o->kinds & KINDS_ON_CPU));

	if (asked && !l->meta.off_cpu)
		fputs("sberf report: there are no waits in this recording: it was made without them\n", stderr);
}

static int write_format(FILE *f, const struct loaded *l, const struct options *o, enum opt_format format, struct err *e)
{
	struct query q;
	int r = filter_query(o, l->meta.arch, &q, e);

	if (r < 0)
		return r;
	say_no_waits(l, o, format);
	if (format == FORMAT_SUMMARY)
		return export_summary(f, &l->meta, l->snapshot, e);
	if (format == FORMAT_WAITS)
		return write_waits(f, l, &q, o->ascii, e);
	if (!q.kinds && format == FORMAT_FOLDED)
		q.kinds = q.states || q.nr_calls ? KINDS_OFF_CPU : KINDS_ON_CPU;
	q.max_nodes = UINT32_MAX;
	q.group_by = o->group_given ? o->group_by : format == FORMAT_FOLDED ? GROUP_COMM : GROUP_PROCESS;
	return write_tree(f, l, &q, format, o->ascii, e);
}

static int write_stdout(const struct loaded *l, const struct options *o, enum opt_format format, struct err *e)
{
	int r = write_format(stdout, l, o, format, e);

	if (r >= 0 && fflush(stdout))
		r = err_set(e, errno, "cannot write the report: %s", strerror(errno));
	/* A reader that has seen enough (`| head`) is not an error. */
	return r == -EPIPE ? 0 : r;
}

/* Writes to F, which is called NAME, and closes it. */
static int write_and_close(FILE *f, const char *name, const struct loaded *l, const struct options *o, enum opt_format format,
			   struct err *e)
{
	int r = write_format(f, l, o, format, e);

	if (fclose(f) && r >= 0)
		r = err_set(e, errno, "cannot write '%s': %s", name, strerror(errno));
	return r;
}

/* A device or a pipe is written to; renaming onto it would put a file in its place. */
static int write_special(const struct loaded *l, const struct options *o, enum opt_format format, struct err *e)
{
	FILE *f = fopen(o->output, "we");

	if (!f)
		return err_set(e, errno, "cannot write '%s': %s", o->output, strerror(errno));
	return write_and_close(f, o->output, l, o, format, e);
}

static bool is_recording(const char *path)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char magic[RECORD_MAGIC_SIZE];

	return fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
	       !memcmp(magic, RECORD_MAGIC, RECORD_MAGIC_SIZE);
}

/* Refuses to replace the file behind OUT, a regular one, when it is INPUT or any other recording. */
static int check_output(const char *out, const struct stat *st, const char *input, struct err *e)
{
	struct stat in;

	if (!stat(input, &in) && in.st_dev == st->st_dev && in.st_ino == st->st_ino)
		return err_set(e, EEXIST, "'%s' is the recording that is read; choose another file with -o", out);
	if (is_recording(out))
		return err_set(e, EEXIST, "'%s' is a recording and stays as it is; choose another file with -o", out);
	return 0;
}

static int write_file(const struct loaded *l, const struct options *o, enum opt_format format, const char *input,
		      struct err *e)
{
	char beside[PATH_MAX];
	struct stat st;
	FILE *f;
	int fd, r;

	if (!stat(o->output, &st)) {
		if (!S_ISREG(st.st_mode))
			return write_special(l, o, format, e);
		r = check_output(o->output, &st, input, e);
		if (r < 0)
			return r;
	}
	if (snprintf(beside, sizeof(beside), "%s.%d.part", o->output, (int)getpid()) >= (int)sizeof(beside))
		return err_set(e, ENAMETOOLONG, "cannot write '%s': the name is too long", o->output);
	fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		return err_set(e, errno, "cannot create '%s': %s", o->output, strerror(errno));
	r = write_and_close(f, o->output, l, o, format, e);
	if (r >= 0 && rename(beside, o->output))
		r = err_set(e, errno, "cannot write '%s': %s", o->output, strerror(errno));
	if (r < 0)
		unlink(beside);
	return r;
}

static int show(struct loaded *l, const struct options *o, struct err *e)
{
	struct ui_options ui = {
		.refresh_ns = o->refresh_ns, .ascii = o->ascii, .no_color = o->no_color, .title = "sberf report",
		.min_block_ns = o->min_block_ns,
	};
	struct still still = { .snapshot = l->snapshot, .meta = l->meta, .names = l->names };
	const struct feed feed = feed_from_still(&still);
	int r = filter_query(o, l->meta.arch, &ui.filter, e);

	return r < 0 ? r : ui_run(&feed, &ui, -1, e);
}

/* "-" is standard input. */
static const char *input_path(const struct options *o)
{
	if (!o->input)
		return "sberf.data";
	return strcmp(o->input, "-") ? o->input : "/dev/stdin";
}

int cmd_report(const struct options *o, struct err *e)
{
	struct loaded l = { 0 };
	enum opt_format format = o->format ? o->format : FORMAT_TREE;
	const char *input = input_path(o);
	int r = load(&l, input, o, e);

	if (r >= 0 && o->output && strcmp(o->output, "-"))
		r = write_file(&l, o, format, input, e);
	else if (r >= 0 && !o->format && !o->output && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		r = show(&l, o, e);
	else if (r >= 0)
		r = write_stdout(&l, o, format, e);
	loaded_free(&l);
	return r;
}
