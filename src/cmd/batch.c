/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batch.c - writes the documents of `sberf top -b`. Each covers everything seen so far and stands
 * by itself, like a screen of the view.
 *
 * Text has the header of the view, on a page of fixed width, and below it the tree as reports print
 * it. JSON is what reports write.
 */
#include "config.h"

#include "cmd/batch.h"

#include "base/clock.h"
#include "base/locale.h"
#include "cmd/filter_options.h"
#include "cmd/launch.h"
#include "cmd/record_split.h"
#include "cmd/signals.h"
#include "export/exporter.h"
#include "ui/header.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define POLL_NS (100 * NSEC_PER_MSEC)    /* how late the end may be seen */
#define PAGE_COLS 100
#define PAGE_ROWS 64                     /* of which a quarter may be losses */
#define PERCENT_LIMIT 1.0                /* of the text, when nothing is said */

struct batch {
	const struct options *o;
	struct query query;
	struct launch launch;
	FILE *out;
	struct canvas *page;
	struct header header;
	struct profile *none;            /* what there is before anything was seen */
	unsigned int printed;
};

/* The latest snapshot, or one of nothing; NULL when out of memory. */
static struct snapshot *batch_take_snapshot(struct batch *b)
{
	struct snapshot *s = engine_snapshot(b->launch.engine);

	if (s)
		return s;
	if (!b->none)
		b->none = profile_new(NULL);
	return b->none ? profile_snapshot(b->none) : NULL;
}

/* The lines of the header, as they stand in the view, of a page of PAGE_ROWS rows. */
static int print_header(struct batch *b, const struct snapshot *s, struct err *e)
{
	const struct profile_meta *m = &b->header.meta;
	const int lines = header_lines(&b->header, b->page->w, PAGE_ROWS);
	AUTO_FREE char *text = NULL;
	const char *end;

	history_of(s, m->start_mono_ns, m->start_mono_ns + m->duration_ns, &b->header.history);
	if (frame_share_of(s, &b->header.frames) < 0)
		return err_nomem(e, "the header");
	canvas_clear(b->page);
	header_draw(&b->header, b->page, 0, lines);
	text = canvas_dump(b->page);
	if (!text)
		return err_nomem(e, "the header");
	end = text;
	for (int i = 0; i < lines; i++)
		end += strcspn(end, "\n") + 1;
	fprintf(b->out, "%s%.*s\n", b->printed ? "\n" : "", (int)(end - text), text);
	return 0;
}

/* Idle waits are one line, unless there is nothing else. */
static int batch_build_tree(const struct batch *b, const struct snapshot *s, struct tree **ret, struct err *e)
{
	struct query q = b->query;
	int r;

	q.group_by = GROUP_PROCESS;
	q.fold_idle = !query_only_inside(&q);
	q.max_nodes = UINT32_MAX;
	r = tree_build(s, engine_names(b->launch.engine), &q, ret, e);
	if (r < 0 || !(*ret)->idle_ns || (*ret)->idle_ns < (*ret)->node[0].total_ns)
		return r;
	tree_free(take_ptr(*ret));
	q.fold_idle = false;
	return tree_build(s, engine_names(b->launch.engine), &q, ret, e);
}

static int print_nothing(struct batch *b, const struct snapshot *s, struct err *e)
{
	char text[HEADER_TEXT], why[ERR_TEXT_MAX];
	const int r = filter_options_why_nothing(b->o, &b->query, s, engine_names(b->launch.engine), why,
						 sizeof(why), e);

	if (r < 0)
		return r;
	fprintf(b->out, "%s\n", header_waiting(&b->header, text, sizeof(text)));
	if (r > 0)
		fprintf(b->out, "Filtered: %s.\n", why);
	return fflush(b->out) ? err_set(e, errno, "cannot write: %s", strerror(errno)) : 0;
}

static int print_text(struct batch *b, const struct snapshot *s, struct err *e)
{
	struct export_view v = {
		.meta = &b->header.meta, .min_percent = b->o->percent_given ? b->o->percent_limit : PERCENT_LIMIT,
			.max_depth = b->o->depth,
		.ascii = b->page->ascii,
	};
	AUTO(tree_free) struct tree *t = NULL;
	int r = print_header(b, s, e);

	if (r >= 0)
		r = batch_build_tree(b, s, &t, e);
	if (r < 0)
		return r;
	v.tree = t;
	return t->node[0].total_ns ? exporter_tree.write(b->out, &v, e) : print_nothing(b, s, e);
}

/* For programs: all of it. */
static int print_whole(struct batch *b, const struct snapshot *s, struct err *e)
{
	const struct export_live live = { .document = b->printed + 1 };
	const struct export_view v = {
		.snapshot = s, .names = engine_names(b->launch.engine), .meta = &b->header.meta, .query = b->query,
		.live = &live,
	};

	return exporter_write(b->out, b->o->format, &v, e);
}

static int print_document(struct batch *b, bool ended, struct err *e)
{
	AUTO(snapshot_unref) struct snapshot *s = batch_take_snapshot(b);
	struct profile_meta meta;
	int r;

	if (!s)
		return err_nomem(e, "the profile");
	engine_status(b->launch.engine, &meta);
	b->header.ended = ended;
	header_update(&b->header, &meta);
	b->query.arch = b->header.meta.arch;
	r = b->o->format && b->o->format != &exporter_tree ? print_whole(b, s, e) : print_text(b, s, e);
	b->printed++;
	return r;
}

/* Whoever read standard output does so no more. */
static bool reader_gone(const struct batch *b)
{
	struct pollfd p = { .fd = fileno(b->out) };

	return poll(&p, 1, 0) > 0 && p.revents & POLLERR;
}

enum next { NEXT_DOCUMENT, NEXT_LAST, NEXT_NONE };

/* Waits for the time of the next document, DUE_NS, or what comes before it. */
static enum next wait_for_next(const struct batch *b, const sigset_t *set, uint64_t due_ns)
{
	const struct timespec now = { 0 };

	for (;;) {
		const uint64_t time = clock_mono_ns(), left = due_ns > time ? due_ns - time : 1;

		if (engine_wait(b->launch.engine, left < POLL_NS ? left : POLL_NS))
			return NEXT_LAST;
		if (signals_take(&b->launch, set, &now) || reader_gone(b))
			return NEXT_NONE;
		if (clock_mono_ns() >= due_ns)
			return NEXT_DOCUMENT;
	}
}

static int print_all(struct batch *b, const sigset_t *set, struct err *e)
{
	uint64_t due_ns = clock_mono_ns();
	int r = 0;

	while (r >= 0 && (!b->o->iterations || b->printed < b->o->iterations)) {
		enum next next;

		due_ns += b->o->refresh_ns;
		next = wait_for_next(b, set, due_ns);
		if (next == NEXT_NONE)
			break;
		r = print_document(b, next == NEXT_LAST, e);
		if (next == NEXT_LAST)
			break;
		if (due_ns < clock_mono_ns())
			due_ns = clock_mono_ns();        /* what could not be kept up with is left out */
	}
	return r == -EPIPE ? 0 : r;
}

/* Standard output is for documents alone: a command writes to standard error. */
static int batch_take_stdout(struct batch *b, struct err *e)
{
	const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	b->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!b->out || (b->o->target == OPT_TARGET_COMMAND && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)) {
		const int code = errno;

		if (fd >= 0 && !b->out)
			close(fd);
		return err_set(e, code, "cannot use standard output: %s", strerror(code));
	}
	if (b->o->target == OPT_TARGET_COMMAND)
		fputs("sberf top: standard output is for documents; that of the command goes to standard error\n",
		      stderr);
	return 0;
}

static int batch_prepare(struct batch *b, struct err *e)
{
	const bool utf8 = locale_use();
	int r = batch_take_stdout(b, e);

	if (r < 0)
		return r;
	b->page = canvas_new(PAGE_COLS, PAGE_ROWS, b->o->ascii || !utf8);
	if (!b->page)
		return err_nomem(e, "the header");
	/* A document is no older than half of the time between two. */
	b->launch.config.refresh_ns = b->o->refresh_ns / 2 < NSEC_PER_SEC ? b->o->refresh_ns / 2 : NSEC_PER_SEC;
	return launch_open(&b->launch, b->o, true, e);
}

int batch_run(const struct options *o, const struct query *filter, struct err *e)
{
	struct batch b = { .o = o, .query = *filter, .launch = LAUNCH_INIT };
	struct profile_meta m;
	sigset_t set;
	int r = batch_prepare(&b, e);

	if (r >= 0) {
		signals_block(&set, false);
		r = launch_start(&b.launch, e);
		if (r >= 0 && o->wait && !b.launch.config.plan.ids.n)
			fprintf(stderr, "sberf top: waiting for a process called '%s'\n", b.launch.target_text);
		if (r >= 0 && b.launch.note[0])
			fprintf(stderr, "sberf top: %s\n", b.launch.note);
		if (r >= 0)
			r = print_all(&b, &set, e);
		launch_end_command(&b.launch);
		if (r >= 0) {
			engine_status(b.launch.engine, &m);
			split_say("top", &m);
			r = engine_result(b.launch.engine, e);
		}
	}
	launch_close(&b.launch);
	profile_free(b.none);
	canvas_free(b.page);
	if (b.out && fclose(b.out) && r >= 0 && errno != EPIPE)
		r = err_set(e, errno, "cannot write to standard output: %s", strerror(errno));
	return launch_exit(&b.launch, r);
}
