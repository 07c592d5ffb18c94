/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfscript.c - reads the text of `perf script` (tools/perf/Documentation/perf-script.txt), as perf and others write it:
 *
 *	my prog  1234/1240  [003] 81.104512:   10101010 cpu-clock:ppp:
 *		    7f2a1f0 inner (inlined)
 *		    7f2a1f0 fsync+0x40 (/usr/lib/x86_64-linux-gnu/libc.so.6)
 *		ffffffff815 do_fault+0x2f3 ([kernel.kallsyms])
 *
 * and an empty line. Which of the fields are there is the choice of whoever called perf: only the thread, the time or the CPU,
 * and the event must be. Frames may stand on the first line (perf script -G). What stands between frames in columns of its own
 * (source lines) is passed over. The innermost frame comes first, and what is inlined before the function that it is in.
 *
 * Which events are read is told by perfevents.h. Periods are time when the event is a clock; otherwise they are kept as they are
 * (meta.unit), or, when there are none, each sample counts one.
 */
#include "config.h"

#include "base/clock.h"
#include "base/parse.h"
#include "import/perfevents.h"
#include "import/reading.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WANTED "text of `perf script`, such as 'app 1234 [000] 5.000001: 10101010 cpu-clock:'"

/* Bytes of a line. */
struct part {
	const char *s;
	size_t len;
};

/* The first line of a sample. */
struct header {
	struct part comm, event, rest;   /* REST: behind the event */
	uint64_t pid, tid;
	uint64_t time_ns, period;
	bool has_time, has_period;
};

/* A line that is a frame. */
struct frame_line {
	struct part symbol, dso;
	uint64_t ip;
	bool kernel, inlined;
};

/* A function that is inlined into the next frame, when that is at the same address. */
struct inlined {
	uint64_t ip;
	size_t at, len;          /* in perfscript.text */
};

struct perfscript {
	struct reading *r;
	module_id kernel;
	struct perf_events events;
	bool open;               /* a sample is being read: */
	unsigned int kind;       /* ... of enum event_kind; 0 = of an event that is left out */
	thread_id thread;
	uint64_t time_ns, weight_ns;
	VEC(frame_id) frames;    /* innermost first */
	VEC(struct inlined) inlined;     /* innermost first */
	VEC(char) text;          /* names of inlined functions */
	VEC(char) run;           /* room for a text that tells a frame apart */
	uint64_t first_ns, last_ns;      /* of samples; first UINT64_MAX = none yet */
	uint64_t without_stack;  /* samples */
};

static struct part next_token(const char **at, const char *end)
{
	struct part p;

	while (*at < end && isblank((unsigned char)**at))
		++*at;
	p.s = *at;
	while (*at < end && !isblank((unsigned char)**at))
		++*at;
	p.len = (size_t)(*at - p.s);
	return p;
}

static bool parse_number(const char *s, size_t len, uint64_t *ret)
{
	const char *at = s;

	return parse_dec(&at, s + len, ret) && at == s + len;
}

/* "1234" or "1234/1240"; -1 stands for what perf does not know. */
static bool parse_ids(struct part p, struct header *h)
{
	const char *slash = memchr(p.s, '/', p.len);
	const size_t first = slash ? (size_t)(slash - p.s) : p.len;

	if (!parse_number(p.s, first, &h->pid) || h->pid > INT32_MAX)
		return false;
	h->tid = h->pid;
	return !slash || (parse_number(slash + 1, p.len - first - 1, &h->tid) && h->tid <= INT32_MAX);
}

static bool is_cpu(struct part p)
{
	uint64_t cpu;

	return p.len > 2 && p.s[0] == '[' && p.s[p.len - 1] == ']' && parse_number(p.s + 1, p.len - 2, &cpu);
}

/* "5777.475916:", with up to nine decimals. */
static bool parse_stamp(struct part p, uint64_t *ret_ns)
{
	const char *dot = memchr(p.s, '.', p.len);
	uint64_t s, part, scale = NSEC_PER_SEC;
	size_t digits;

	if (!dot || p.s[p.len - 1] != ':')
		return false;
	digits = p.len - 2 - (size_t)(dot - p.s);
	if (!digits || digits > 9 || !parse_number(p.s, (size_t)(dot - p.s), &s) || !parse_number(dot + 1, digits, &part) ||
	    s > UINT32_MAX)
		return false;
	for (size_t i = 0; i < digits; i++)
		scale /= 10;
	*ret_ns = s * NSEC_PER_SEC + part * scale;
	return true;
}

/* What follows the thread: CPU, flags, time, period, event. */
static bool parse_fields(const char *at, const char *end, struct header *h)
{
	struct part p = next_token(&at, end);
	const bool cpu = p.len && is_cpu(p);

	if (cpu)
		p = next_token(&at, end);
	h->has_time = p.len && parse_stamp(p, &h->time_ns);
	if (!h->has_time && cpu && p.len && p.s[p.len - 1] != ':') {     /* flags stand between CPU and time */
		const char *behind = at;
		const struct part q = next_token(&behind, end);

		h->has_time = q.len && parse_stamp(q, &h->time_ns);
		if (h->has_time)
			at = behind;
	}
	if (!cpu && !h->has_time)
		return false;
	if (h->has_time)
		p = next_token(&at, end);
	h->has_period = p.len && parse_number(p.s, p.len, &h->period);
	if (h->has_period)
		p = next_token(&at, end);
	if (p.len < 2 || p.s[p.len - 1] != ':')
		return false;
	while (p.len > 1 && p.s[p.len - 1] == ':')
		p.len--;
	h->event = p;
	h->rest = (struct part){ .s = at, .len = (size_t)(end - at) };
	return true;
}

/* A name may hold blanks and numbers: the ids of the thread are what CPU or time comes after. */
static bool parse_header(const char *s, size_t len, struct header *ret)
{
	const char *at = s, *end = s + len, *begin;
	struct header h;

	while (at < end && isblank((unsigned char)*at))
		at++;
	begin = at;
	next_token(&at, end);
	while (at < end) {
		const char *comm_end = at;
		const struct part p = next_token(&at, end);

		memset(&h, 0, sizeof(h));
		if (p.len && parse_ids(p, &h) && parse_fields(at, end, &h)) {
			h.comm = (struct part){ .s = begin, .len = (size_t)(comm_end - begin) };
			*ret = h;
			return true;
		}
	}
	return false;
}

/* Where the file begins that stands in parentheses at the end of P; NULL when there is none. */
static const char *file_of(struct part p)
{
	const char deleted[] = " (deleted))";
	size_t at = p.len;

	if (!p.len || p.s[p.len - 1] != ')')
		return NULL;
	if (p.len > strlen(deleted) && !memcmp(p.s + p.len - strlen(deleted), deleted, strlen(deleted)))
		at -= strlen(deleted);
	for (; at > 1; at--)
		if (p.s[at - 1] == '(' && p.s[at - 2] == ' ')
			return p.s + at - 1;
	return p.s[0] == '(' ? p.s : NULL;
}

/* Without "+0x1c". */
static void strip_offset(struct part *p)
{
	size_t at = p->len;

	while (at && isxdigit((unsigned char)p->s[at - 1]))
		at--;
	if (at < p->len && at > 3 && !memcmp(p->s + at - 3, "+0x", 3))
		p->len = at - 3;
}

static bool begins(struct part p, const char *with)
{
	return p.len >= strlen(with) && !memcmp(p.s, with, strlen(with));
}

static bool parse_frame(const char *s, size_t len, struct frame_line *ret)
{
	const char *at = s, *end = s + len, *file;
	struct frame_line f = { .dso = { .s = "" } };    /* searched through, also when there is none */
	uint64_t ip;

	while (at < end && isblank((unsigned char)*at))
		at++;
	if (at == end || !parse_hex(&at, end, &ip) || (at < end && !isblank((unsigned char)*at)))
		return false;
	while (at < end && isblank((unsigned char)*at))
		at++;
	f.symbol = (struct part){ .s = at, .len = (size_t)(end - at) };
	file = file_of(f.symbol);
	if (file) {
		f.dso = (struct part){ .s = file + 1, .len = (size_t)(end - file) - 2 };
		f.symbol.len = (size_t)(file - at);
		f.inlined = f.dso.len == 7 && begins(f.dso, "inlined");
	}
	while (f.symbol.len && isblank((unsigned char)f.symbol.s[f.symbol.len - 1]))
		f.symbol.len--;
	strip_offset(&f.symbol);
	if (!f.symbol.len)
		f.symbol = (struct part){ .s = "[unknown]", .len = strlen("[unknown]") };
	f.ip = ip;
	f.kernel = ip >> 63 || begins(f.dso, "[kernel") || begins(f.dso, "[guest.kernel");
	*ret = f;
	return true;
}

static bool is_jit(struct part dso)
{
	return begins(dso, "/tmp/perf-") || begins(dso, "//anon") || begins(dso, "[anon") || begins(dso, "jitted-") ||
	       memmem(dso.s, dso.len, "/jitted-", strlen("/jitted-"));
}

static module_id module_of(struct perfscript *p, const struct frame_line *f)
{
	if (f->kernel)
		return p->kernel;
	if (begins(f->dso, "[unknown]"))
		return sink_module(&p->r->sink, MODULE_FILE, "", 0);
	return sink_module(&p->r->sink, is_jit(f->dso) ? MODULE_ANON : MODULE_FILE, f->dso.s, f->dso.len);
}

static bool append(struct perfscript *p, const char *s, size_t len)
{
	if (!vec_reserve(&p->run, len + 1))
		return false;
	memcpy(p->run.v + p->run.n, s, len);
	p->run.n += len;
	p->run.v[p->run.n++] = ';';
	return true;
}

/* The frame of F with what is inlined into it; ID_NONE when out of memory. */
static frame_id make_frame(struct perfscript *p, const struct frame_line *f)
{
	const uint8_t kind = f->kernel ? FUNC_KERNEL : is_jit(f->dso) ? FUNC_JIT : FUNC_USER;
	struct sink_name name[SINK_RUN_MAX] = { { .text = f->symbol.s, .len = f->symbol.len, .kind = kind } };
	const module_id module = module_of(p, f);
	size_t n = 1;
	bool ok;

	if (module == ID_NONE)
		return ID_NONE;
	if (!p->inlined.n)
		return sink_frame(&p->r->sink, module, f->symbol.s, f->symbol.len, name, 1);
	p->run.n = 0;
	ok = append(p, f->symbol.s, f->symbol.len);
	for (size_t i = p->inlined.n; ok && i-- > 0 && n < SINK_RUN_MAX;) {
		const struct inlined *in = &p->inlined.v[i];

		name[n++] = (struct sink_name){ .text = p->text.v + in->at, .len = in->len, .kind = f->kernel ? FUNC_KERNEL : FUNC_USER };
		ok = append(p, p->text.v + in->at, in->len);
	}
	ok = ok && append(p, "_[i]", 4);
	return ok ? sink_frame(&p->r->sink, module, p->run.v, p->run.n, name, n) : ID_NONE;
}

static bool keep_inlined(struct perfscript *p, const struct frame_line *f)
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
static int add_frame(struct perfscript *p, const struct frame_line *f, struct err *e)
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
 * What is called inlined, but into nothing at its address, is a function by itself: perf says so of second names of one. It is
 * in the file of F, which comes next.
 */
static int end_inlined(struct perfscript *p, const struct frame_line *f, struct err *e)
{
	struct frame_line own = *f;

	p->inlined.n--;
	own.symbol = (struct part){ p->text.v + p->inlined.v[p->inlined.n].at, p->inlined.v[p->inlined.n].len };
	return add_frame(p, &own, e);
}

static int take_frame(struct perfscript *p, const struct frame_line *f, struct err *e)
{
	if (p->inlined.n && p->inlined.v[p->inlined.n - 1].ip != f->ip) {
		int r = end_inlined(p, f, e);

		if (r < 0)
			return r;
	}
	if (!f->inlined)
		return add_frame(p, f, e);
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
		const struct frame_line nothing = { .dso = { "", 0 } };
		int r = end_inlined(p, &nothing, e);

		if (r < 0)
			return r;
	}
	p->without_stack += !p->frames.n;
	for (size_t i = p->frames.n; stack != ID_NONE && i-- > 0;)
		stack = dict_stack(s->dict, stack, p->frames.v[i]);
	if (!sink_weighs(s, p->weight_ns))
		return err_set(e, EOVERFLOW, "the periods of %s add up to more than can be counted, at line %" PRIu64, p->r->lines.name,
			       p->r->lines.nr);
	return sink_add(s, p->kind, p->time_ns, p->thread, stack, p->weight_ns, 1, e);
}

static int begin_sample(struct perfscript *p, const struct header *h, struct err *e)
{
	struct frame_line f;

	p->open = true;
	p->frames.n = p->inlined.n = p->text.n = 0;
	p->kind = begins(h->event, "PERF_RECORD_") ? 0 :
		  perf_events_kind(&p->events, h->event.s, h->event.len, h->has_period, p->r->sink.meta);
	if (!p->kind)
		return 0;
	if (h->has_period && h->period > UINT64_MAX / META_UNIT_NS)
		return err_set(e, EOVERFLOW, "the period at line %" PRIu64 " of %s is too large", p->r->lines.nr, p->r->lines.name);
	p->weight_ns = !h->has_period ? META_UNIT_NS : p->events.time ? h->period : h->period * META_UNIT_NS;
	p->time_ns = h->time_ns;
	if (h->has_time) {
		p->first_ns = h->time_ns < p->first_ns ? h->time_ns : p->first_ns;
		p->last_ns = h->time_ns > p->last_ns ? h->time_ns : p->last_ns;
	}
	p->thread = sink_thread(&p->r->sink, (pid_t)h->pid, (pid_t)h->tid, h->comm.s, h->comm.len);
	return parse_frame(h->rest.s, h->rest.len, &f) ? take_frame(p, &f, e) : 0;
}

static int take_line(struct perfscript *p, const char *s, size_t len, struct err *e)
{
	const bool blank = len && isblank((unsigned char)s[0]);
	struct frame_line f;
	struct header h;
	int r;

	if (!len || s[0] == '#')
		return len ? 0 : end_sample(p, e);
	/* A program may be called "cafe": then the number of its thread follows. */
	if (p->open && blank && parse_frame(s, len, &f) && !(isdigit((unsigned char)f.symbol.s[0]) && parse_header(s, len, &h)))
		return p->kind ? take_frame(p, &f, e) : 0;
	if (parse_header(s, len, &h)) {
		r = end_sample(p, e);
		return r < 0 ? r : begin_sample(p, &h, e);
	}
	if (p->open && blank)            /* another column */
		return 0;
	return reading_refuse(p->r, s, WANTED, e);
}

static int take_lines(struct perfscript *p, struct err *e)
{
	struct reading *r = p->r;
	size_t len;
	char *s;
	int rc;

	while ((rc = lines_next(&r->lines, &s, &len, e)) > 0 && !sink_full(&r->sink)) {
		rc = take_line(p, s, len, e);
		if (rc < 0)
			return rc;
	}
	if (rc < 0)
		return rc;
	/* A sample in which the file ends may have had further frames. */
	if (p->open && (r->lines.unfinished || r->lines.cut)) {
		r->cut = true;
		return 0;
	}
	return end_sample(p, e);
}

int import_perf_script(struct reading *r, struct err *e)
{
	struct perfscript p = { .r = r, .kernel = sink_module(&r->sink, MODULE_KERNEL, "", 0), .first_ns = UINT64_MAX };
	struct profile_meta *m = r->sink.meta;
	int rc;

	perf_events_init(&p.events, r->event);
	rc = p.kernel == ID_NONE ? err_nomem(e, "the profile of an import") : take_lines(&p, e);
	if (rc >= 0 && p.first_ns != UINT64_MAX) {
		m->start_mono_ns = p.first_ns;
		m->duration_ns = p.last_ns - p.first_ns;
	}
	if (rc >= 0)
		perf_events_note(&p.events, r);
	if (rc >= 0 && p.without_stack)
		reading_note(r, "samples without a stack: %" PRIu64, p.without_stack);
	vec_free(&p.frames);
	vec_free(&p.inlined);
	vec_free(&p.text);
	vec_free(&p.run);
	return rc;
}
