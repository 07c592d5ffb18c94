/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_export.c - whatever a profile holds, a writer ends with a file that is whole: text without
 * controls, JSON that can be parsed, XML that is well-formed, pages without a script that is not
 * theirs, and no more than what is in the profile can take.
 *
 * Input: the format, options, then a list of texts (length and bytes; 255 repeats what follows
 * until it is about 5 kB long), then what happened: each event says who, where, how long, with
 * stacks that are made of the texts. Of two profiles for comparisons.
 */
#include "config.h"

#include "base/text.h"
#include "export/exporter.h"
#include "model/kind.h"
#include "model/probes.h"
#include "numa/state.h"
#include "record/bytes.h"
#include "record/format.h"
#include "record/metatext.h"
#include "src/export/pprof.pb-c.h"
#include "tests/fuzz/wellformed.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#define TEXTS_MAX 12
#define LONG_TEXT 5000u          /* more than LABEL_MAX; longer ones take most of the time */
#define EVENTS_FUZZ_MAX 300u
#define DEPTH_FUZZ_MAX 24u
#define OUTPUT_BASE (4u << 20)           /* pages have a program in them, JSON tables have their heads */
#define UNPACK_FIRST (64u << 10)
/* for each byte of a name, and each part of an event, in all tables where it is */
#define OUTPUT_FACTOR 100u

/* an exporter of differences; else one that report offers: others go on meaning the same */
#define COMPARES 0x80u

/* The exporter that WHICH stands for. */
static const struct exporter *pick(unsigned int which, bool *ret_compares)
{
	const enum exporter_user user = which & COMPARES ? EXPORT_BY_DIFF : EXPORT_BY_REPORT;
	unsigned int n = 0;

	while (exporter_get(user, n))
		n++;
	*ret_compares = user == EXPORT_BY_DIFF;
	return exporter_get(user, (which & ~COMPARES) % n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
	char *s;
	size_t n;
};

struct side {
	struct profile *p;
	struct names *names;
	struct snapshot *snapshot;
	struct profile_meta meta;
	struct tree *tree;
	VEC(struct event) events;
};

struct input {
	struct cursor in;
	struct text text[TEXTS_MAX];
	size_t texts;
	struct side side[DIFF_SIDES];
	uint64_t cost;                   /* of all that is in it, bytes */
};

static _Noreturn void broken(const char *what, int line)
{
	fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, line, what);
	abort();
}

#define must(what) ((what) ? (void)0 : broken(#what, __LINE__))

/* The next number; 0 at the end. */
static uint64_t number(struct input *i)
{
	uint64_t v;

	return cursor_varint(&i->in, &v) ? v : 0;
}

static uint8_t byte(struct input *i)
{
	return i->in.p < i->in.end ? *i->in.p++ : 0;
}

static struct text read_text(struct input *i)
{
	const uint8_t len = byte(i);
	const size_t part = len == UINT8_MAX ? byte(i) : len, left = (size_t)(i->in.end - i->in.p);
	const size_t have = part < left ? part : left, times = len == UINT8_MAX && have ? LONG_TEXT / have : 1;
	struct text t = { malloc(have * times + 1), have * times };

	must(t.s);
	for (size_t k = 0; k < times && have; k++)
		memcpy(t.s + k * have, i->in.p, have);
	t.s[t.n] = '\0';
	i->in.p += have;
	return t;
}

static const struct text *any_text(struct input *i)
{
	return &i->text[byte(i) % i->texts];
}

static str_id add_text(struct input *i, struct side *s)
{
	const struct text *t = any_text(i);

	i->cost += t->n;
	return strtab_add(dict_strings(profile_dict(s->p)), t->s, t->n);
}

/* As much of a text as fits into a figure of META: readers sanitise it. */
static void meta_of(struct input *i, char *dst, size_t size)
{
	const struct text *t = any_text(i);

	text_sanitise(dst, size, t->s, t->n);
}

static void make_meta(struct input *i, struct side *s)
{
	struct profile_meta *m = &s->meta;
	const uint8_t what = byte(i);

	meta_init(m);
	meta_of(i, m->cmdline, sizeof(m->cmdline));
	meta_of(i, m->target, sizeof(m->target));
	meta_of(i, m->host, sizeof(m->host));
	meta_of(i, m->kernel, sizeof(m->kernel));
	if (what & 1)
		meta_of(i, m->unit, sizeof(m->unit));
	if (what & 2)
		snprintf(m->arch, sizeof(m->arch), "x86_64");
	m->off_cpu = what & 4;
	m->wakers = what & 8;
	m->start_real_ns = number(i);
	m->start_mono_ns = number(i);
	m->duration_ns = number(i);
	m->samples = m->user_samples = number(i);
	m->oncpu_ns = number(i);
	m->lost.n[byte(i) % LOST_NR] = number(i);
	m->wait_period_ns = number(i);
}

static void name_frame(struct input *i, struct side *s, frame_id frame, module_id module, uint8_t what)
{
	struct name name[3];
	const uint16_t n = (uint16_t)(1 + what % 3);

	for (uint16_t k = 0; k < n; k++) {
		const struct text *t = any_text(i), *file = any_text(i);
		const struct func f = {
			.name = names_add_text(s->names, t->s, t->n), .module = module, .kind = what >> 2 & 3,
			.start = byte(i), .size = byte(i),
		};

		name[k] = (struct name){ names_add_func(s->names, &f),
					 names_add_text(s->names, file->s, file->n), byte(i) };
		i->cost += t->n + file->n;
	}
	must(!names_set(s->names, frame, name, n, what & 0x80));
}

static frame_id make_frame(struct input *i, struct side *s)
{
	struct dict *d = profile_dict(s->p);
	const uint8_t what = byte(i);
	struct module m = { .kind = (enum module_kind)(1 + what % 5), .ino = what >> 6 };
	module_id module;
	frame_id frame;

	i->cost += 64;
	if (m.kind == MODULE_NOTE)
		return dict_note(d, byte(i));
	m.path = add_text(i, s);
	if (m.kind == MODULE_ANON)
		m.pid = byte(i);
	if (what & 0x20)
		m.build_id[0] = m.build_id_len = 1 + what % BUILD_ID_MAX;
	module = dict_module(d, &m);
	frame = dict_frame(d, module, number(i));
	must(frame != ID_NONE);
	if (!(what & 0x10) && !names_get(s->names, frame))
		name_frame(i, s, frame, module, byte(i));
	return frame;
}

static stack_id make_stack(struct input *i, struct side *s)
{
	const unsigned int depth = byte(i) % DEPTH_FUZZ_MAX;
	stack_id stack = STACK_ROOT;

	for (unsigned int k = 0; k < depth && stack != ID_NONE; k++)
		stack = dict_stack(profile_dict(s->p), stack, make_frame(i, s));
	must(stack != ID_NONE);
	return stack;
}

static thread_id make_thread(struct input *i, struct side *s)
{
	struct thread t = { .pid = byte(i), .tid = (pid_t)(number(i) & INT_MAX), .start_ns = byte(i) };
	thread_id id;

	t.comm = add_text(i, s);
	t.exe = add_text(i, s);
	t.cgroup = add_text(i, s);
	id = dict_thread(profile_dict(s->p), &t);
	must(id != ID_NONE);
	return id;
}

static void fill_wait(struct input *i, struct side *s, struct event *ev)
{
	ev->wait.call = (uint32_t)number(i) & CALL_MAX;
	ev->wait.state = byte(i);
	ev->wait.context = byte(i);
	ev->wait.own_ns = number(i) & (WEIGHT_MAX - 1);
	ev->wait.waker = ID_NONE;
	if (ev->wait.context & 1) {
		ev->wait.waker = make_thread(i, s);
		ev->wait.waker_stack = make_stack(i, s);
	}
}

static void fill_place(struct input *i, struct event *ev)
{
	ev->place.file = ID_NONE;
	ev->place.node = (uint16_t)number(i);
	if (ev->place.node >= NODES_MAX)
		ev->place.node = NODE_UNKNOWN;
	ev->place.mapping = byte(i);
	ev->place.how = byte(i);
}

/* What the reader of a recording lets through. */
static void add_event(struct input *i)
{
	struct event ev = { .cut_module = ID_NONE };
	const uint8_t what = byte(i);
	struct side *s = &i->side[what >> 7];

	ev.kind = 1 + what % (EVENT_KINDS - 1);
	ev.cut = byte(i);
	ev.method = byte(i);
	ev.flags = byte(i);
	ev.node = (uint16_t)number(i);
	ev.cpu = (uint32_t)number(i);
	ev.time_ns = number(i) & (TIME_MAX - 1);
	ev.weight = number(i) & (WEIGHT_MAX - 1);
	ev.count = (uint32_t)number(i);
	ev.thread = make_thread(i, s);
	ev.stack = make_stack(i, s);
	if (EVENT_IS_WAIT(ev.kind))
		fill_wait(i, s, &ev);
	if (kind_carries(ev.kind) == CARRIES_PLACE)
		fill_place(i, &ev);
	if (kind_carries(ev.kind) == CARRIES_PROBE)
		ev.argument = probes_add("sys:read", strlen("sys:read"), UNIT_TIME);
	i->cost += 256;
	must(!profile_add(s->p, &ev));
	*vec_push(&s->events) = ev;
}

/* A text may be a state of nodes. */
static void make_numa(struct input *i, struct side *s)
{
	AUTO(numa_state_unref) struct numa_state *state = NULL;
	const struct text *t = any_text(i);

	if (!numa_state_parse(t->s, t->n, &state, NULL))
		profile_numa(s->p, state);
	i->cost += t->n;
}

static void read_profiles(struct input *i)
{
	const struct profile_limits limits = { .bytes = 64u << 20 };

	i->texts = 1 + byte(i) % TEXTS_MAX;
	for (size_t k = 0; k < i->texts; k++)
		i->text[k] = read_text(i);
	for (int k = 0; k < DIFF_SIDES; k++) {
		struct side *s = &i->side[k];

		s->p = profile_new(&limits);
		s->names = names_new();
		must(s->p && s->names);
		make_meta(i, s);
		make_numa(i, s);
	}
	for (unsigned int n = 0; n < EVENTS_FUZZ_MAX && i->in.p < i->in.end; n++)
		add_event(i);
	for (int k = 0; k < DIFF_SIDES; k++)
		must((i->side[k].snapshot = profile_snapshot(i->side[k].p)));
}

static int each_event(void *source, event_fn *fn, void *ctx, struct err *e)
{
	const struct side *s = source;
	int r = 0;

	for (size_t k = 0; k < s->events.n && !r; k++)
		r = fn(ctx, &s->events.v[k]);
	return r;
}

static struct query make_query(uint8_t what, uint8_t more)
{
	return (struct query){
		.group_by = what % (GROUP_CGROUP + 1), .inverted = what & 8, .hide_kernel = what & 16,
			.by_node = what & 32,
		.no_inlines = what & 64, .measures = what & 128 ? MEASURES_FAR : 0, .fold_idle = more & 1,
	};
}

/* The N bytes at P without gzip, at most BOUND of them, of which most outputs have few. */
static uint8_t *unpack(const uint8_t *p, size_t n, uint64_t bound, size_t *ret_n)
{
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)p, .avail_in = (uInt)n };
	uint8_t *raw = NULL;
	size_t room = 0;
	int r = Z_OK;

	must(inflateInit2(&z, 16 + MAX_WBITS) == Z_OK);
	while (r == Z_OK && room < bound) {
		const size_t more = room ? room : UNPACK_FIRST;

		raw = realloc(raw, room + more);
		must(raw);
		z.next_out = raw + room;
		z.avail_out = (uInt)more;
		room += more;
		r = inflate(&z, Z_NO_FLUSH);
	}
	must(r == Z_STREAM_END && !z.avail_in && z.total_out <= bound);
	*ret_n = z.total_out;
	inflateEnd(&z);
	return raw;
}

static void check_gzip(const uint8_t *p, size_t n, uint64_t bound)
{
	size_t raw_n;
	AUTO_FREE uint8_t *raw = unpack(p, n, bound, &raw_n);
	Pprof__Profile *profile = pprof__profile__unpack(NULL, raw_n, raw);

	must(profile && profile->n_text && !profile->text[0][0]);
	pprof__profile__free_unpacked(profile, NULL);
}

static void check_json(const char *p, size_t n)
{
	json_error_t e;
	json_t *json = json_loadb(p, n, JSON_REJECT_DUPLICATES, &e);

	must(json);
	json_decref(json);
}

static void check_format(const struct exporter *x, const char *p, size_t n, uint64_t bound)
{
	if (x == &exporter_svg)
		must(xml_wellformed(p, n));
	else if (x == &exporter_html)
		must(html_own_scripts(p, n));
	else if (x == &exporter_pprof)
		check_gzip((const uint8_t *)p, n, bound);
	else if (x == &exporter_perf_data)
		must(n > 8 && !memcmp(p, "PERFILE2", 8));
	else if (x == &exporter_speedscope || x == &exporter_firefox || x == &exporter_json)
		check_json(p, n);
	else
		must(lines_clean(p, n));
	if (x == &exporter_folded)
		must(lines_end_in_number(p, n));
}

static void check_diff(const struct exporter *x, const char *p, size_t n)
{
	if (x == &exporter_svg)
		must(xml_wellformed(p, n));
	else if (x == &exporter_html)
		must(html_own_scripts(p, n));
	else
		must(lines_clean(p, n));
}

static int write_diff(struct input *i, FILE *out, const struct exporter *x, struct query q, uint8_t more, struct err *e)
{
	const uint64_t wall_ns[DIFF_SIDES] = { i->side[0].meta.duration_ns, i->side[1].meta.duration_ns };
	AUTO(diff_free) struct diff *diff = NULL;
	const enum diff_norm norm = more & 8 && wall_ns[0] && wall_ns[1] ?
		(more & 64 ? DIFF_BY_CALL : DIFF_BY_WALL) : DIFF_BY_TOTAL;
	struct diff_view v = {
		.name = { i->text[0].s, i->text[i->texts - 1].s }, .head = { "before", "after" }, .ascii = more & 2,
			.title = more & 4 ? i->text[0].s : NULL,
		.flame = { .upwards = more & 16, .no_script = more & 32 },
	};
	int r = 0;

	q.inverted = false;
	q.max_nodes = UINT32_MAX;
	for (int k = 0; k < DIFF_SIDES && !r; k++) {
		v.wall_ns[k] = wall_ns[k];
		r = tree_build(i->side[k].snapshot, i->side[k].names, &q, &i->side[k].tree, e);
	}
	r = r < 0 ? r : diff_build(i->side[0].tree, i->side[1].tree, norm, wall_ns, &diff, e);
	v.diff = diff;
	return r < 0 ? r : x->diff.write(out, &v, e);
}

static int write_format(struct input *i, FILE *out, const struct exporter *x, const struct query *q,
			uint8_t more, struct err *e)
{
	const struct side *s = &i->side[0];
	const struct export_view v = {
		.snapshot = s->snapshot, .names = s->names, .meta = &s->meta, .query = *q, .group_given = more & 1,
			.ascii = more & 2,
		.title = more & 4 ? i->text[0].s : NULL, .source = &i->side[0],
		.each_event = more & 8 && x->reads != EXPORT_EVENTS ? NULL : each_event,
		.flame = { .upwards = more & 16, .no_script = more & 32 }, .min_percent = more & 64 ? 10 : 0,
		.max_depth = more & 128 ? 3 : 0,
	};

	return exporter_write(out, x, &v, e);
}

static void input_free(struct input *i)
{
	for (size_t k = 0; k < i->texts; k++)
		free(i->text[k].s);
	for (int k = 0; k < DIFF_SIDES; k++) {
		tree_free(i->side[k].tree);
		snapshot_unref(i->side[k].snapshot);
		names_free(i->side[k].names);
		profile_free(i->side[k].p);
		vec_free(&i->side[k].events);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input i = { .in = { data, data + size } };
	bool compares;
	const struct exporter *x = pick(byte(&i), &compares);
	const uint8_t what = byte(&i), more = byte(&i);
	const struct query q = make_query(what, more);
	struct err e = ERR_INIT;
	char *text = NULL;
	uint64_t bound;
	size_t n = 0;
	FILE *out;
	int r;

	read_profiles(&i);
	bound = OUTPUT_BASE + OUTPUT_FACTOR * i.cost;
	out = open_memstream(&text, &n);
	must(out);
	if (compares)
		r = write_diff(&i, out, x, q, more, &e);
	else
		r = write_format(&i, out, x, &q, more, &e);
	must(!fclose(out));
	must((r == 0) == (e.code == 0) && r <= 0 && (!r || e.text[0]));
	must(n <= bound);
	if (!r && compares)
		check_diff(x, text, n);
	else if (!r)
		check_format(x, text, n, bound);
	free(text);
	input_free(&i);
	return 0;
}
