/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfscript.c - the text that `perf script` prints of a recording of its own, which many tools
 * read:
 *
 *	redis-server  1234/1240  [003] 81.104512:   10101010 cpu-clock:
 *		           2a1f0 fsync+0x40 (/usr/lib/x86_64-linux-gnu/libc.so.6)
 *		           51c02 bioProcessBackgroundJobs+0x112 (/usr/bin/redis-server)
 *
 * and an empty line. The event says what the period is time of: cpu-clock, offcpu-blocked,
 * offcpu-runnable, or, of far accesses, far-access. An inlined function is called "(inlined)" in
 * place of its file, as perf does. Addresses are offsets in the file. Every function has an offset
 * behind its name, because readers take one off.
 *
 * A frame has no place for a mark that its code has no unwind table. How many have none stands in
 * comments before the first sample, if any has, as `perf script --header` writes them. Readers go
 * by the first of these lines, and by the empty one behind the last:
 *
 *	# ========
 *	# frames_no_table_percent: 12.34
 *	# ========
 *	#
 *
 * What a frame looks like is made once.
 */
#include "config.h"

#include "export/address_layout.h"
#include "export/events.h"
#include "export/exporter.h"
#include "export/figures.h"
#include "export/frames.h"
#include "export/out.h"
#include "model/perfname.h"
#include "query/label.h"

#include "base/clock.h"
#include "base/strtab.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct script {
	const struct export_view *v;
	struct query q;
	const struct dict *d;
	struct out out;
	struct frame_reader frames;
	struct strtab *texts;
	str_id *frame_text;      /* by frame id: its lines; 0 = not made yet */
	str_id *comm;            /* by thread id; 0 = not made yet */
	VEC(char) lines;         /* of a frame that is being made */
};

#define LINE_BYTES 64u           /* of a line beside its names */

static const char *file_name(const struct script *s, const struct frame_text *t)
{
	const char *path = strtab_get(dict_strings(s->d), t->module->path);

	switch (t->module->kind) {
	case MODULE_KERNEL:
		return "[kernel.kallsyms]";
	case MODULE_VDSO:
		return "[vdso]";
	case MODULE_ANON:
		return "//anon";
	case MODULE_NOTE:
		return "[sberf]";
	default:
		return path[0] ? path : "[unknown]";
	}
}

/* A path may hold "+0x1c (", behind which readers look for the file: the blank becomes "_". */
static void break_offsets(char *file)
{
	for (char *at = file; (at = strstr(at, " ("));) {
		char *digits = at++;

		while (digits > file && isxdigit((unsigned char)digits[-1]))
			digits--;
		if (digits + 1 < at && digits - file >= 3 && !memcmp(digits - 3, "+0x", 3))
			at[-1] = '_';
	}
}

/* Appends a line for the function I of T, that of FRAME. False when out of memory. */
static bool perfscript_add_line(struct script *s, frame_id frame, const struct frame_text *t, unsigned int i)
{
	const struct func *f = frame_func(&s->frames, t, i);
	const uint64_t offset = t->frame->offset, address = t->module->kind == MODULE_KERNEL ? LAYOUT_KERNEL + offset :
			       t->module->kind == MODULE_NOTE ? 0 : offset;
	const uint64_t in = f && f->size && offset >= f->start && offset - f->start < f->size ? offset - f->start : 0;
	const char *name = i + 1 < t->n ? "inlined" : file_name(s, t), *label = frame_label(&s->frames, frame, t, i);
	char file[LABEL_MAX];
	size_t room;

	text_sanitise(file, sizeof(file), name, strlen(name));
	break_offsets(file);
	room = label ? strlen(label) + strlen(file) + LINE_BYTES : 0;
	if (!label || !vec_reserve(&s->lines, room))
		return false;
	s->lines.n += (size_t)snprintf(s->lines.v + s->lines.n, room, "\t%16" PRIx64 " %s+0x%" PRIx64 " (%s)\n",
				       address, label, in, file);
	return true;
}

/* The lines of FRAME; NULL when out of memory. */
static const char *frame_lines(struct script *s, frame_id frame)
{
	str_id *text = &s->frame_text[frame];

	if (!*text) {
		const struct frame_text t = frame_text(&s->frames, frame);

		s->lines.n = 0;
		for (unsigned int i = 0; i < t.n; i++)
			if (!perfscript_add_line(s, frame, &t, i))
				return NULL;
		*text = strtab_add(s->texts, s->lines.v, s->lines.n);
		if (*text == STR_NONE) {
			*text = 0;
			return NULL;
		}
	}
	return strtab_get(s->texts, *text);
}

/* What THREAD is called; as perf does it, ":TID" when it has no name. NULL when out of memory. */
static const char *comm_text(struct script *s, thread_id id)
{
	const struct thread *t = dict_get_thread(s->d, id);
	char text[LABEL_MAX] = "";

	if (!s->comm[id]) {
		label_put(text, sizeof(text), 0, strtab_get(dict_strings(s->d), t->comm),
			  strtab_len(dict_strings(s->d), t->comm));
		if (!text[0])
			snprintf(text, sizeof(text), ":%d", (int)t->tid);
		s->comm[id] = strtab_adds(s->texts, text);
		if (s->comm[id] == STR_NONE) {
			s->comm[id] = 0;
			return NULL;
		}
	}
	return strtab_get(s->texts, s->comm[id]);
}

static int perfscript_write_event(void *ctx, const struct event *ev, unsigned int is)
{
	struct script *s = ctx;
	const struct thread *t = dict_get_thread(s->d, ev->thread);
	const char *comm = comm_text(s, ev->thread);

	if (!comm || !frames_of(&s->frames, ev->stack))
		return -ENOMEM;
	out_format(&s->out, "%s" PERF_SAMPLE_FORMAT "\n", comm, (int)t->pid, (int)t->tid, ev->cpu,
		   (uint64_t)(ev->time_ns / NSEC_PER_SEC), (uint64_t)(ev->time_ns % NSEC_PER_SEC / 1000), ev->weight,
		   perf_name(ev->kind));
	if (is & FACT_IDLE && s->q.fold_idle) {
		out_format(&s->out, "\t%16x idle+0x0 ([sberf])\n", 0);
		s->frames.path.n = 0;
	}
	for (size_t i = 0; i < s->frames.path.n; i++) {
		const char *lines = frame_lines(s, s->frames.path.v[i]);

		if (!lines)
			return -ENOMEM;
		out_text(&s->out, lines);
	}
	out_text(&s->out, "\n");
	return s->out.error ? -s->out.error : 0;
}

static void put_no_table(void *ctx, const struct figure *f)
{
	struct out *o = ctx;

	if (f->type == FIGURE_FIXED && f->v && !strcmp(f->name, FIGURE_NO_TABLE))
		out_format(o, "# ========\n# %s: %" PRIu64 ".%02" PRIu64 "\n# ========\n#\n\n", f->name,
			   f->v / 100, f->v % 100);
}

static int perfscript_write(FILE *out, const struct export_view *v, struct err *e)
{
	const struct dict *d = snapshot_dict(v->snapshot);
	struct script s = {
		.v = v, .q = v->query, .d = d, .out = { .file = out }, .texts = strtab_new(),
		.frames = { .d = d, .names = v->names },
		.frame_text = calloc(dict_frames(d) + 1ul, sizeof(*s.frame_text)),
		.comm = calloc(dict_threads(d) + 1ul, sizeof(*s.comm)),
	};
	int r;

	s.frames.q = &s.q;
	r = -ENOMEM;
	if (s.texts && s.frame_text && s.comm)
		r = figures_each(v->meta, v->snapshot, v->names, put_no_table, &s.out, e);
	if (r >= 0)
		r = events_each(v, &s.q, perfscript_write_event, &s, e);
	if (r == -ENOMEM)
		r = err_nomem(e, "the samples");
	if (!r || s.out.error)
		r = out_end(&s.out, e);
	strtab_free(s.texts);
	free(s.frame_text);
	free(s.comm);
	frames_free(&s.frames);
	vec_free(&s.lines);
	return r;
}

const struct exporter exporter_perf_script = {
	.name = "perf-script", .extensions = "perf",
	.about = "what `perf script` prints: a paragraph for each sample (cpu-clock) and each part of a wait "
		"(offcpu-blocked, offcpu-runnable), with its length in nanoseconds; most tools read one event of it, "
		"stackcollapse-perf.pl that of --event-filter. It reads the recording twice, so it first copies one "
		"from a pipe into a file in $TMPDIR",
	.reads = EXPORT_EVENTS,
	.write = perfscript_write,
};
