/* SPDX-License-Identifier: BSD-2-Clause */
/* import.c - the table of readers, and what all of them say in the end. */
#include "config.h"

#include "import/import.h"

#include "base/progress.h"
#include "base/text.h"
#include "import/import_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int (*const readers[IMPORT_NR])(struct import_state *r, struct err *e) = {
#define X(id, name, read) [IMPORT_##id] = read,
	IMPORT_FORMATS(X)
#undef X
};

measure_mask import_measures(enum import_format format)
{
	return format == IMPORT_HEAPTRACK ? MEASURE_BIT(MEASURE_ALLOCATED) | MEASURE_BIT(MEASURE_IN_USE) : 0;
}

void import_state_note(struct import_state *r, const char *fmt, ...)
{
	char *note = r->report->note;
	const size_t size = sizeof(r->report->note);
	size_t at = strlen(note);
	va_list ap;

	if (at)
		at += text_format(note + at, size - at, "; ");
	va_start(ap, fmt);
	text_vformat(note + at, size - at, fmt, ap);
	va_end(ap);
}

/* What the file is instead, when that can be told by its beginning; else NULL. */
static const char *what_else(const char *text)
{
	if (!strncmp(text, "SBERFDAT", 8))
		return "a recording of sberf: leave --import out";
	if (!strncmp(text, "PERFILE2", 8))
		return "perf's own file: write its text with `perf script` first, and use --import perf-script";
	return NULL;
}

int import_state_other(struct import_state *r, const char *text, struct err *e)
{
	const char *other = r->lines.nr == 1 ? what_else(text) : NULL;

	return other ? err_set(e, EBADMSG, "%s is %s", r->lines.name, other) : 0;
}

bool import_state_is_cut(struct import_state *r)
{
	r->cut |= r->lines.unfinished && (r->sink.stacks || r->lines.cut);
	return r->cut;
}

int import_state_refuse(struct import_state *r, const char *text, const char *wanted, struct err *e)
{
	const int rc = import_state_other(r, text, e);

	if (rc < 0 || import_state_is_cut(r))
		return rc;
	return err_set(e, EBADMSG, "line %" PRIu64 " of %s, '%.*s%s', is not %s", r->lines.nr, r->lines.name,
		       (int)text_whole(text, strnlen(text, QUOTED_MAX)), text,
		       strlen(text) > QUOTED_MAX ? "..." : "", wanted);
}

static void import_write_note(struct import_state *r)
{
	struct profile_stats st;

	profile_stats(r->sink.profile, &st);
	if (r->cut)
		import_state_note(r, "the end was cut off: the last stack is left out");
	else if (r->lines.cut)
		import_state_note(r, "the file ends too early: it was cut off");
	if (r->sink.changed)
		import_state_note(r, "names with bytes that are no text, shown as U+FFFD: %" PRIu64, r->sink.changed);
	if (r->sink.deep)
		import_state_note(r, "stacks without their innermost functions, of more than %u: %" PRIu64,
				  SINK_DEPTH_MAX, r->sink.deep);
	if (r->rounded)
		import_state_note(r, "numbers with decimals, which folded stacks round: %" PRIu64, r->rounded);
	if (st.refused || st.facts_folded)
		import_state_note(r, "memory is full: %" PRIu64 " stacks stand under (other)",
				  st.refused + st.facts_folded);
	if (sink_full(&r->sink))
		import_state_note(r, "memory is full of names: what comes behind line %" PRIu64
				  " is left out", r->lines.nr);
}

static int import_read_all(struct import_state *r, enum import_format format, struct err *e)
{
	int rc = readers[format](r, e);

	if (rc < 0)
		return rc;
	if (!r->sink.stacks && r->event && r->report->note[0])
		return err_set(e, ENODATA, "%s holds no sample of the event '%s'; %s", r->lines.name, r->event,
			       r->report->note);
	if (!r->sink.stacks)
		return err_set(e, ENODATA, "%s holds no stack%s", r->lines.name, r->cut ? " that is whole" : "");
	r->report->lines = r->lines.nr;
	r->report->stacks = r->sink.stacks;
	r->sink.meta->complete = !r->cut && !r->lines.cut;
	import_write_note(r);
	return 0;
}

int import_read(int fd, const char *name, const struct import_options *o, struct profile *p, struct names *names,
		struct profile_meta *meta, struct import_report *report, struct err *e)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	struct import_state r = { .report = report, .event = o->event };
	int rc;

	memset(meta, 0, sizeof(*meta));
	memset(report, 0, sizeof(*report));
	meta->target_state = TARGET_ENDED;
	text_sanitise(meta->target, sizeof(meta->target), base, strlen(base));
	meta->file_bytes = meta->user_cpu_ns = meta->bpf_cpu_ns = meta->engine_cpu_ns = meta->rss_bytes = META_UNKNOWN;
	meta->unread.n = META_UNKNOWN;
	meta->rules_pages = meta->rules = meta->rules_processes = meta->rules_evicted =
		meta->rules_bytes = META_UNKNOWN;
	rc = sink_init(&r.sink, p, names, meta, e);
	if (!rc)
		rc = lines_open(&r.lines, fd, name, o->progress, e);
	if (!rc)
		rc = import_read_all(&r, o->format, e);
	lines_close(&r.lines);
	sink_free(&r.sink);
	return rc;
}

int import_load(int fd, const char *name, const struct import_options *o, struct profile *p, struct names *names,
		struct profile_meta *meta, struct import_report *report, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(e, errno, "cannot look at %s: %s", name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(e, EISDIR, "%s is a directory; name a file", name);
	if (o->progress && S_ISREG(st.st_mode))
		o->progress->total = (uint64_t)st.st_size;
	return import_read(fd, name, o, p, names, meta, report, e);
}
