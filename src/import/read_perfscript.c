/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * read_perfscript.c - reads the text of `perf script` (tools/perf/Documentation/perf-script.txt),
 * as perf and others write it:
 *
 *	my prog  1234/1240  [003] 81.104512:   10101010 cpu-clock:ppp:
 *		    7f2a1f0 inner (inlined)
 *		    7f2a1f0 fsync+0x40 (/usr/lib/x86_64-linux-gnu/libc.so.6)
 *		ffffffff815 do_fault+0x2f3 ([kernel.kallsyms])
 *
 * and an empty line. Which of the fields are there is the choice of whoever called perf: only the
 * thread, the time or the CPU, and the event must be. Frames may stand on the first line (perf
 * script -G). What stands between frames in columns of its own (source lines) is passed over, as
 * are other events than samples (--show-task-events and such). The innermost frame comes first, and
 * what is inlined before the function that it is in.
 *
 * perf says things in between, and other tools write fields of their own: what is none of this is
 * passed over too, and counted, as long as most lines are known. Otherwise it is another kind of
 * text.
 *
 * Which events are read is told by perfevents.h. Periods are time when the event is a clock;
 * otherwise they are kept as they are (meta.unit), or, when there are none, each sample counts one.
 */
#include "config.h"

#include "base/parse.h"
#include "base/text.h"
#include "import/import_state.h"
#include "import/perfevents.h"
#include "import/perfline.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WANTED "text of `perf script`, such as 'app 1234 [000] 5.000001: 10101010 cpu-clock:'"

#define PATIENCE 10000u          /* lines that may be more unknown than known, for the sake of what comes later */

/* A line, for a sentence. */
struct quote {
	uint64_t nr;             /* 0 = none yet */
	char text[3 * QUOTED_MAX + sizeof("...")];
};

/* Lines of samples and their frames, and those that are neither. */
struct tally {
	uint64_t known, unknown;
	struct quote first;      /* of the unknown ones */
	struct quote lacking;    /* of these, the first that would be a sample if it had */
	const char *lacks;       /* ... this field of perf script -F */
};

/* A function that is inlined into the next frame, when that is at the same address. */
struct inlined {
	uint64_t ip;
	size_t at, len;          /* in perfscript.text */
};

struct perfscript {
	struct import_state *r;
	module_id kernel;
	struct perf_events events;
	bool open;               /* a sample is being read: */
	unsigned int kind;       /* ... of enum event_kind; 0 = of an event that is left out */
	thread_id thread;
	uint64_t time_ns, weight;
	VEC(frame_id) frames;    /* innermost first */
	VEC(struct inlined) inlined;     /* innermost first */
	VEC(char) text;          /* names of inlined functions */
	VEC(char) run;           /* room for a text that tells a frame apart */
	uint64_t first_ns, last_ns;      /* of samples; first UINT64_MAX = none yet */
	uint64_t without_stack;  /* samples */
	bool in_header;          /* of perf: "# ========" */
	bool whole;              /* the line given last is a frame with its file */
	struct tally tally;
	uint64_t lost;           /* as PERF_RECORD_LOST says (--show-lost-events) */
};

static bool is_jit(struct part dso)
{
	return part_begins(dso, "/tmp/perf-") || part_begins(dso, "//anon") || part_begins(dso, "[anon") ||
	       part_begins(dso, "jitted-") || memmem(dso.s, dso.len, "/jitted-", strlen("/jitted-"));
}

static module_id read_perfscript_module_of(struct perfscript *p, const struct perf_frame *f)
{
	if (f->kernel)
		return p->kernel;
	if (part_begins(f->dso, "[unknown]"))
		return sink_module(&p->r->sink, MODULE_FILE, "", 0);
	return sink_module(&p->r->sink, is_jit(f->dso) ? MODULE_ANON : MODULE_FILE, f->dso.s, f->dso.len);
}

/* Appends "LEN:NAME;", so that names with a semicolon cannot make two runs one. */
static bool read_perfscript_append(struct perfscript *p, const char *s, size_t len)
{
	char *at;

	if (!vec_reserve(&p->run, len + 24))
		return false;
	at = p->run.v + p->run.n;
	at += sprintf(at, "%zu:", len);
	memcpy(at, s, len);
	at[len] = ';';
	p->run.n = (size_t)(at + len + 1 - p->run.v);
	return true;
}

/* The frame of F with what is inlined into it; ID_NONE when out of memory. */
static frame_id make_frame(struct perfscript *p, const struct perf_frame *f)
{
	const uint8_t kind = f->kernel ? FUNC_KERNEL : is_jit(f->dso) ? FUNC_JIT : FUNC_USER;
	struct sink_name name[SINK_RUN_MAX] = { { .text = f->symbol.s, .len = f->symbol.len, .kind = kind } };
	const module_id module = read_perfscript_module_of(p, f);
	size_t n = 1;
	bool ok;

	if (module == ID_NONE)
		return ID_NONE;
	if (!p->inlined.n && !memchr(f->symbol.s, ';', f->symbol.len))
		return sink_frame(&p->r->sink, module, f->symbol.s, f->symbol.len, name, 1);
	p->run.n = 0;
	ok = read_perfscript_append(p, f->symbol.s, f->symbol.len);
	for (size_t i = p->inlined.n; ok && i-- > 0 && n < SINK_RUN_MAX;) {
		const struct inlined *in = &p->inlined.v[i];

		name[n++] = (struct sink_name){ .text = p->text.v + in->at, .len = in->len,
						.kind = f->kernel ? FUNC_KERNEL : FUNC_USER };
		ok = read_perfscript_append(p, p->text.v + in->at, in->len);
	}
	return ok ? sink_frame(&p->r->sink, module, p->run.v, p->run.n, name, n) : ID_NONE;
}

static bool keep_inlined(struct perfscript *p, const struct perf_frame *f)
{
	struct inlined *in;

	if (!vec_reserve(&p->text, f->symbol.len))
		return false;
	in = vec_push(&p->inlined);
	if (!in)
		return false;
	*in = (struct inlined){ .ip = f->ip, .at = p->text.n, .len = f->symbol.len };
	memcpy(p->text.v + p->text.n, f->symbol.s, f->symbol.len);
	p->text.n += f->symbol.len;
	return true;
}

/* Adds the frame of F, with what is inlined into it. */
static int read_perfscript_add_frame(struct perfscript *p, const struct perf_frame *f, struct err *e)
{
	const frame_id frame = make_frame(p, f);
	frame_id *slot;

	p->inlined.n = p->text.n = 0;
	if (frame == ID_NONE)
		return err_nomem(e, "the names of an import");
	if (p->frames.n >= SINK_DEPTH_MAX)
		return 0;
	slot = vec_push(&p->frames);
	if (!slot)
		return err_nomem(e, "the stack of a sample");
	*slot = frame;
	return 0;
}

/*
 * What is called inlined, but into nothing at its address, is a function by itself: perf says so of
 * second names of one. It is in the file of F, which comes next.
 */
static int end_inlined(struct perfscript *p, const struct perf_frame *f, struct err *e)
{
	struct perf_frame own = *f;

	p->inlined.n--;
	own.symbol = (struct part){ p->text.v + p->inlined.v[p->inlined.n].at, p->inlined.v[p->inlined.n].len };
	return read_perfscript_add_frame(p, &own, e);
}

static int take_frame(struct perfscript *p, const struct perf_frame *f, struct err *e)
{
	if (p->inlined.n && p->inlined.v[p->inlined.n - 1].ip != f->ip) {
		int r = end_inlined(p, f, e);

		if (r < 0)
			return r;
	}
	if (!f->inlined)
		return read_perfscript_add_frame(p, f, e);
	return p->inlined.n >= SINK_RUN_MAX || keep_inlined(p, f) ? 0 : err_nomem(e, "the names of an import");
}

/* Adds the sample that has been read. */
static int end_sample(struct perfscript *p, struct err *e)
{
	struct sink *s = &p->r->sink;
	stack_id stack = STACK_ROOT;

	if (!p->open || !p->kind) {
		p->open = false;
		return 0;
	}
	p->open = false;
	if (p->inlined.n) {
		const struct perf_frame nothing = { .dso = { "", 0 } };
		int r = end_inlined(p, &nothing, e);

		if (r < 0)
			return r;
	}
	p->without_stack += !p->frames.n;
	for (size_t i = p->frames.n; stack != ID_NONE && i-- > 0;)
		stack = dict_stack(s->dict, stack, p->frames.v[i]);
	if (!sink_weighs(s, p->weight))
		return err_set(e, EOVERFLOW, "the periods of %s add up to more than can be counted, at line %" PRIu64,
			       p->r->lines.name, p->r->lines.nr);
	return sink_add(s, p->kind, p->time_ns, p->thread, stack, p->weight, 1, e);
}

static int read_frame(struct perfscript *p, const struct perf_frame *f, struct err *e)
{
	p->whole = f->whole;
	return take_frame(p, f, e);
}

/* "PERF_RECORD_LOST lost 25" */
static void count_lost(struct perfscript *p, const struct perf_header *h)
{
	const char *at = memmem(h->rest.s, h->rest.len, "lost ", 5), *end = h->rest.s + h->rest.len;
	uint64_t n;

	if (!at || !part_begins(h->event, "PERF_RECORD_LOST"))
		return;
	at += 5;
	if (parse_dec(&at, end, &n) && n < UINT64_MAX - p->lost)
		p->lost += n;
}

static int begin_sample(struct perfscript *p, const struct perf_header *h, struct err *e)
{
	struct perf_frame f;

	p->open = true;
	p->frames.n = p->inlined.n = p->text.n = 0;
	p->whole = false;
	if (h->record)
		count_lost(p, h);
	p->kind = h->record ? 0 :
		  perf_events_kind(&p->events, h->event.s, h->event.len, h->has_period, p->r->sink.meta);
	if (!p->kind)
		return 0;
	if (!p->events.time && h->has_period && h->period > UINT64_MAX / sink_one())
		return err_set(e, EOVERFLOW, "the period at line %" PRIu64 " of %s is too large", p->r->lines.nr,
			       p->r->lines.name);
	p->weight = !h->has_period ? sink_one() : p->events.time ? h->period : h->period * sink_one();
	p->time_ns = h->time_ns;
	if (h->has_time) {
		p->first_ns = h->time_ns < p->first_ns ? h->time_ns : p->first_ns;
		p->last_ns = h->time_ns > p->last_ns ? h->time_ns : p->last_ns;
	}
	p->thread = sink_thread(&p->r->sink, (pid_t)h->pid, (pid_t)h->tid, h->comm.s, h->comm.len);
	return perf_line_frame(h->rest.s, h->rest.len, &f) ? read_frame(p, &f, e) : 0;
}

static void read_perfscript_quote(struct quote *q, uint64_t nr, const char *s, size_t len)
{
	const size_t shown = len > QUOTED_MAX ? text_whole(s, QUOTED_MAX) : len;

	q->nr = nr;
	strcpy(q->text + text_sanitise(q->text, sizeof(q->text) - strlen("..."), s, shown), shown < len ? "..." : "");
}

static void count_unknown(struct perfscript *p, const char *s, size_t len)
{
	struct tally *t = &p->tally;

	if (!t->unknown++)
		read_perfscript_quote(&t->first, p->r->lines.nr, s, len);
	if (!t->lacks)
		t->lacks = perf_line_lacks(s, len);
	if (t->lacks && !t->lacking.nr)
		read_perfscript_quote(&t->lacking, p->r->lines.nr, s, len);
}

static int read_perfscript_refuse(const struct perfscript *p, struct err *e)
{
	const struct tally *t = &p->tally;
	const char *name = p->r->lines.name;

	if (t->lacks)
		return err_set(e, EBADMSG, "line %" PRIu64
			       " of %s, '%s', has %s: write the text with `perf script -F +%s`", t->lacking.nr,
			       name, t->lacking.text, !strcmp(t->lacks, "time") ? "neither a time nor a CPU" :
			       !strcmp(t->lacks, "tid") ? "no number of a thread" : "no event", t->lacks);
	return err_set(e, EBADMSG, "line %" PRIu64 " of %s, '%s', is not " WANTED, t->first.nr, name, t->first.text);
}

/* The line is neither a sample nor a part of one. */
static int pass_over(struct perfscript *p, const char *s, size_t len, struct err *e)
{
	const int r = import_state_other(p->r, s, e);

	if (r < 0 || import_state_is_cut(p->r))
		return r;
	count_unknown(p, s, len);
	return p->tally.unknown > p->tally.known + PATIENCE ? read_perfscript_refuse(p, e) : 0;
}

/* Whether a line that begins with "#" is a comment: names of threads may begin so too. */
static bool is_comment(struct perfscript *p, const char *s, size_t len)
{
	const char ruler[] = "# ========";
	struct perf_header h;

	if (s[0] != '#') {
		p->in_header = false;
		return false;
	}
	if (len == strlen(ruler) && !memcmp(s, ruler, len)) {
		p->in_header = !p->in_header;
		return true;
	}
	return p->in_header || !perf_line_header(s, len, &h);
}

static int read_perfscript_take_line(struct perfscript *p, const char *s, size_t len, struct err *e)
{
	const bool indented = len && isblank((unsigned char)s[0]);
	struct perf_frame f;
	struct perf_header h;
	bool header;
	int r;

	p->whole = false;
	if (!len)
		return end_sample(p, e);
	if (is_comment(p, s, len))
		return 0;
	/*
	 * perf puts a tab before frames, and none before samples. With blanks it is a sample if it
	 * can be: a program may be called "cafe".
	 */
	header = !(p->open && s[0] == '\t') && perf_line_header(s, len, &h);
	if (header || (p->open && indented && perf_line_frame(s, len, &f)))
		p->tally.known++;
	else
		return p->open && indented ? 0 : pass_over(p, s, len, e);         /* another column */
	if (!header)
		return p->kind ? read_frame(p, &f, e) : 0;
	r = end_sample(p, e);
	return r < 0 ? r : begin_sample(p, &h, e);
}

/*
 * The last sample. The file may end in it, which then had further frames, unless its last line has
 * all that a frame has.
 */
static int end_text(struct perfscript *p, struct err *e)
{
	struct import_state *r = p->r;

	if (p->open && p->kind && (r->lines.cut || (r->lines.unfinished && !p->whole))) {
		r->cut = true;
		return 0;
	}
	if (p->open && p->kind && r->lines.unfinished)
		import_state_note(r, "the last line has no end: the last stack is read as far as it goes");
	return end_sample(p, e);
}

static int read_perfscript_take_lines(struct perfscript *p, struct err *e)
{
	struct import_state *r = p->r;
	size_t len;
	char *s;
	int rc;

	while ((rc = lines_next(&r->lines, &s, &len, e)) > 0 && !sink_full(&r->sink)) {
		rc = read_perfscript_take_line(p, s, len, e);
		if (rc < 0)
			return rc;
	}
	if (rc < 0)
		return rc;
	if (p->tally.unknown && p->tally.unknown >= p->tally.known)
		return read_perfscript_refuse(p, e);
	return end_text(p, e);
}

static void write_notes(const struct perfscript *p)
{
	const struct tally *t = &p->tally;

	perf_events_note(&p->events, p->r);
	if (p->without_stack)
		import_state_note(p->r, "samples without a stack: %" PRIu64, p->without_stack);
	if (t->unknown)
		import_state_note(p->r, "lines that are no text of `perf script`, passed over: %" PRIu64
			     " (the first is line %" PRIu64 ", '%s')", t->unknown, t->first.nr, t->first.text);
	if (p->lost)
		import_state_note(p->r, "perf says that it lost samples or events: %" PRIu64, p->lost);
}

int import_perf_script(struct import_state *r, struct err *e)
{
	struct perfscript p = { .r = r, .kernel = sink_module(&r->sink, MODULE_KERNEL, "", 0), .first_ns = UINT64_MAX };
	struct profile_meta *m = r->sink.meta;
	int rc;

	perf_events_init(&p.events, r->event);
	rc = p.kernel == ID_NONE ? err_nomem(e, "the profile of an import") : read_perfscript_take_lines(&p, e);
	if (rc >= 0 && p.first_ns != UINT64_MAX) {
		m->start_mono_ns = p.first_ns;
		m->duration_ns = p.last_ns - p.first_ns;
	}
	if (rc >= 0)
		write_notes(&p);
	vec_free(&p.frames);
	vec_free(&p.inlined);
	vec_free(&p.text);
	vec_free(&p.run);
	return rc;
}
