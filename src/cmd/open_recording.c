/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "cmd/open_recording.h"

#include "base/clock.h"
#include "base/progress.h"
#include "cmd/pipes.h"
#include "import/import.h"
#include "query/timerange.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>


const char *open_recording_path(const char *input)
{
	return input ? input : RECORDING_USUAL;
}

/* Opens PATH, and gives up what is not needed any more. The descriptor is L's. */
static int open_recording_file(struct open_recording *l, const char *path, struct err *e)
{
	const char *name;
	const int fd = l->twice ? pipes_open_again(path, NULL, e) : recording_open(path, &name, e);

	if (fd < 0)
		return fd;
	l->opened = fd + 1;
	if (l->keeps && sandbox_reading(l->keeps, e))
		return -e->code;
	return fd;
}

static int open_own(struct open_recording *l, const char *path, const struct options *o, struct err *e)
{
	struct progress progress;
	const struct load_options lo = { .min_block_ns = o->min_block_ns, .progress = &progress };
	char what[64];
	bool patient;
	int fd, r;

	l->min_block_ns = o->min_block_ns;
	patient = pipes_begin_patience(path);
	snprintf(what, sizeof(what), "sberf %s: reading", o->command_name);
	progress_begin(&progress, what, 0);
	fd = open_recording_file(l, path, e);
	r = fd < 0 ? fd : recording_load_fd(fd, pipes_name(path), l->profile, l->names, &l->meta, &l->report, &lo, e);
	progress_end(&progress);
	if (patient)
		pipes_end_patience();
	if (r < 0)
		return r;
	l->meta.lost.n[LOST_DAMAGED] += l->report.damaged_blocks;
	if (l->report.note[0])
		fprintf(stderr, "sberf %s: %s: %s\n", o->command_name, pipes_name(path), l->report.note);
	return 0;
}

static int open_import(struct open_recording *l, const char *path, const struct options *o, struct err *e)
{
	struct import_report report;
	struct progress progress;
	const struct import_options io = { .format = o->import, .event = o->imported_event, .progress = &progress };
	const bool patient = pipes_begin_patience(path);
	char what[64];
	int fd, r;

	snprintf(what, sizeof(what), "sberf %s: reading", o->command_name);
	progress_begin(&progress, what, 0);
	fd = open_recording_file(l, path, e);
	r = fd < 0 ? fd : import_load(fd, pipes_name(path), &io, l->profile, l->names, &l->meta, &report, e);
	progress_end(&progress);
	if (patient)
		pipes_end_patience();
	if (r < 0)
		return r;
	if (report.note[0])
		fprintf(stderr, "sberf %s: %s: %s\n", o->command_name, pipes_name(path), report.note);
	return 0;
}

int open_recording(struct open_recording *l, const char *path, const struct options *o, struct err *e)
{
	/* Time is told by slices: these stay short where it matters, at the price of memory. */
	const bool fine = o->time || l->fine;
	const struct profile_limits limits = {
		.bytes = o->import || fine ? IMPORT_PROFILE_BYTES : 0, .slice_ns = fine ? TIME_SLICE_NS : 0,
		.keep_fine_ns = fine ? UINT64_MAX / 4 : 0,
	};
	struct profile_stats ps;
	struct stat st;
	int r;

	pipes_say_waiting(path, o->command_name);
	l->profile = profile_new(&limits);
	l->names = names_new();
	if (!l->profile || !l->names)
		return err_nomem(e, "the profile");
	r = o->import ? open_import(l, path, o, e) : open_own(l, path, o, e);
	if (r < 0)
		return r;
	if (!pipes_stat(path, &st) && S_ISREG(st.st_mode))
		l->meta.file_bytes = (uint64_t)st.st_size;
	profile_stats(l->profile, &ps);
	l->meta.refused += ps.refused;
	l->meta.folded = ps.facts_folded;
	l->snapshot = profile_snapshot(l->profile);
	return l->snapshot ? 0 : err_nomem(e, "the profile");
}

void open_recording_free(struct open_recording *l)
{
	snapshot_unref(l->snapshot);
	names_free(l->names);
	profile_free(l->profile);
	if (l->opened)
		close(l->opened - 1);
}

struct second_pass {
	event_fn *fn;
	void (*hit)(void *ctx, const struct told_hit *h);
	void *ctx;
	int r;                   /* what FN returned; not called again once it is not 0 */
};

static void pass_on(void *ctx, const struct event *ev)
{
	struct second_pass *p = ctx;

	if (!p->r)
		p->r = p->fn(p->ctx, ev);
}

static void pass_on_hit(void *ctx, const struct told_hit *h)
{
	struct second_pass *p = ctx;

	if (!p->r)
		p->hit(p->ctx, h);
}

int open_recording_events(void *source, event_fn *fn, void *ctx, struct err *e)
{
	const struct open_recording *l = source;
	AUTO(profile_free) struct profile *profile = profile_new(NULL);
	AUTO(names_free) struct names *names = names_new();
	AUTO_FREE struct profile_meta *meta = malloc(sizeof(*meta));
	struct second_pass pass = { .fn = fn, .hit = l->hit, .ctx = ctx };
	struct progress progress = { .what = NULL };
	const struct load_options lo = {
		.min_block_ns = l->min_block_ns, .each = pass_on, .hit = l->hit ? pass_on_hit : NULL, .ctx = &pass,
		.progress = &progress,
	};
	struct load_report report;
	int r;

	if (!profile || !names || !meta)
		return err_nomem(e, "the profile");
	if (lseek(l->opened - 1, 0, SEEK_SET) < 0)
		return err_set(e, errno, "cannot go back to the beginning of the recording: %s", strerror(errno));
	if (l->writing) {
		progress_begin(&progress, l->writing->what, 0);
		l->writing->on = false;
	}
	r = recording_load_fd(l->opened - 1, "the recording, read again,", profile, names, meta, &report, &lo, e);
	progress_end(&progress);
	if (l->writing)
		l->writing->on = true;
	return r < 0 ? r : pass.r;
}
