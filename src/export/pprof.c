/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pprof.c - a profile as pprof reads it: protocol buffers in gzip. Samples, what they have values
 * of, and what the profile says of itself; what samples refer to is in pprofparts.h.
 *
 * There is a sample for each stack, thread, node, state and system call, with these as labels of
 * text, and a value for each thing that is asked for and there: samples, time on the CPU, waits,
 * time blocked and runnable; of far accesses how many they are and their time.
 */
#include "config.h"

#include "export/exporter.h"
#include "export/figures.h"
#include "export/label_sums.h"
#include "export/out.h"
#include "export/pprofparts.h"
#include "profile/slice.h"
#include "query/label.h"

#include "base/clock.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX (2 * MEASURES_ASKED)   /* of each measure, and of how many events that was */
#define LABELS_MAX 6
#define NODE_TEXT 16

struct call_text {
	uint32_t call;
	str_id text;
};

struct pprof {
	const struct export_view *v;
	struct query q;
	struct pprof_parts parts;
	struct stack_sums sums;
	str_id *thread_text, *process_text;      /* by thread; "" = not known yet */
	VEC(struct call_text) calls;
	VEC(uint64_t) places;            /* of a sample */
	int value[MEASURES_ASKED];       /* by place of the measure: which value of a sample has it; -1 = none */
	/* the same: which one says how many events that was, which several may share */
	int count[MEASURES_ASKED];
	unsigned int nr_values;
};

/* What there is a value of. */

/* Which value of a sample that is now. */
static int put_value_type(struct pprof *p, const char *name, const char *unit)
{
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *one = &type;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	type.type = pprof_foreign(&p->parts, name, strlen(name));
	type.unit = pprof_text(&p->parts, unit);
	part.n_value_type = 1;
	part.value_type = &one;
	if (p->nr_values == 1)
		part.shown_type = type.type;     /* time, rather than counts */
	pprof_put(&p->parts, &part);
	return (int)p->nr_values++;
}

/* What events of M are called; of an import that has periods of samples they are these. NULL = nothing but M itself. */
static const char *pprof_counted(const struct pprof *p, const struct measure *m)
{
	const struct profile_meta *meta = p->v->meta;

	if (m->unit == UNIT_OWN)
		return meta->event[0] && strcmp(meta->unit, "samples") ? "samples" : NULL;
	return m->events ? m->pprof : m->counted;
}

/* The value of the measure in PLACE, behind that of its events, which an earlier one may have. */
static void put_value_types_of(struct pprof *p, unsigned int place)
{
	const struct measure *m = measure_column(&p->sums.set, place);
	const char *events = pprof_counted(p, m);

	for (unsigned int i = 0; events && i < MEASURES_ASKED && p->count[place] < 0; i++)
		if (p->count[i] >= 0 && !strcmp(events, pprof_counted(p, measure_column(&p->sums.set, i))))
			p->count[place] = p->count[i];
	if (events && p->count[place] < 0)
		p->count[place] = put_value_type(p, events, "count");
	p->value[place] = m->events ? p->count[place] :
		put_value_type(p, m->unit == UNIT_OWN ? p->v->meta->unit : m->pprof, measure_unit_pprof(m->unit));
}

/* What was asked for and is there; else what is expected: the first of it. */
static void put_value_types(struct pprof *p)
{
	const unsigned int lead = p->sums.set.lead, expected = lead & ~1u && !(lead & 1) ? lead : 1;
	const unsigned int places = p->sums.places ? p->sums.places : expected;

	for (unsigned int i = 0; i < MEASURES_ASKED; i++)
		p->value[i] = p->count[i] = -1;
	for (unsigned int i = 0; i < MEASURES_ASKED; i++)
		if (places >> measure_place_shown(i) & 1)
			put_value_types_of(p, measure_place_shown(i));
}

/* Samples. */

static bool pprof_add_place(struct pprof *p, uint64_t id)
{
	uint64_t *at = vec_push(&p->places);

	if (!at) {
		p->parts.no_memory = true;
		return false;
	}
	*at = id;
	return true;
}

/* Fills p->places for STACK. */
static void gather_places(struct pprof *p, stack_id stack)
{
	struct frame_reader *frames = &p->parts.frames;

	p->places.n = 0;
	if (!frames_of(frames, stack))
		p->parts.no_memory = true;
	for (size_t i = 0; i < frames->path.n; i++)
		if (!pprof_add_place(p, pprof_place(&p->parts, frames->path.v[i])))
			return;
}

static const char *state_text(const struct stack_sum *s)
{
	if (s->kind == EVENT_BLOCKED)
		return s->state ? wait_state_name(s->state) : "blocked";
	if (s->kind == EVENT_RUNNABLE)
		return s->state == WAIT_PREEMPTED || s->state == WAIT_THROTTLED ? wait_state_name(s->state) :
			"runnable";
	return "running";
}

static int64_t call_text(struct pprof *p, uint32_t call)
{
	struct call_text *c;
	char name[CALL_NAME_MAX];

	for (size_t i = 0; i < p->calls.n; i++)
		if (p->calls.v[i].call == call)
			return p->calls.v[i].text;
	c = vec_push(&p->calls);
	if (!c) {
		p->parts.no_memory = true;
		return 0;
	}
	call_name(call, p->v->meta->arch, name);
	*c = (struct call_text){ .call = call, .text = (str_id)pprof_foreign(&p->parts, name, strlen(name)) };
	return c->text;
}

static int64_t pprof_thread_text(struct pprof *p, thread_id id)
{
	const struct thread *t = dict_get_thread(p->parts.d, id);
	char label[LABEL_MAX] = "";

	if (!p->thread_text[id]) {
		label_thread(p->parts.d, t, label, sizeof(label));
		p->thread_text[id] = (str_id)pprof_text(&p->parts, label[0] ? label : "[unknown]");
		label[0] = '\0';
		label_process(p->parts.d, t, label, sizeof(label));
		p->process_text[id] = (str_id)pprof_text(&p->parts, label[0] ? label : "[unknown]");
	}
	return p->thread_text[id];
}

struct labels {
	Pprof__Label label[LABELS_MAX], *list[LABELS_MAX];
	unsigned int n;
};

static void add_label(struct pprof *p, struct labels *l, const char *key, int64_t value)
{
	Pprof__Label *label = &l->label[l->n];

	pprof__label__init(label);
	label->key = pprof_text(&p->parts, key);
	label->text = value;
	l->list[l->n++] = label;
}

/*
 * Of the stack that was gathered last. All are texts: readers drop a number that is 0. What an
 * import does not say has none.
 */
static void sum_labels(struct pprof *p, const struct stack_sum *s, struct labels *l)
{
	char node[NODE_TEXT] = "unknown";

	if (s->node < NODES_MAX)
		snprintf(node, sizeof(node), "%u", (unsigned int)s->node);
	l->n = 0;
	add_label(p, l, "thread", pprof_thread_text(p, s->thread));
	add_label(p, l, "process", p->process_text[s->thread]);
	if (p->v->meta->unit[0])
		return;
	add_label(p, l, "node", pprof_text(&p->parts, node));
	add_label(p, l, "state", pprof_text(&p->parts, state_text(s)));
	if (frames_no_table(&p->parts.frames))
		add_label(p, l, "no_table", pprof_text(&p->parts, "yes"));
	if (EVENT_IS_WAIT(s->kind) && s->call != CALL_NONE && s->call != CALL_PREEMPTED && s->call != CALL_NEW)
		add_label(p, l, "syscall", call_text(p, s->call));
}

static void set_value(int64_t *to, int at, uint64_t n)
{
	if (at >= 0)
		to[at] = n < INT64_MAX ? (int64_t)n : INT64_MAX;
}

/* A sample of what is in p->places, which counts in PLACES of the measures asked for. */
static void put_sample(struct pprof *p, unsigned int places, uint64_t count, uint64_t weight, struct labels *l)
{
	int64_t value[VALUES_MAX] = { 0 };
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *one = &sample;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	for (unsigned int place = 0; place < MEASURES_ASKED; place++) {
		if (!(places >> place & 1))
			continue;
		set_value(value, p->count[place], count);
		set_value(value, p->value[place], measure_whole(measure_column(&p->sums.set, place),
								measure_value(&p->sums.set, place, weight, count)));
	}
	sample.n_location_id = p->places.n;
	sample.location_id = p->places.v;
	sample.n_value = p->nr_values;
	sample.value = value;
	sample.n_label = l->n;
	sample.label = l->list;
	part.n_sample = 1;
	part.sample = &one;
	pprof_put(&p->parts, &part);
}

static void put_idle(struct pprof *p)
{
	struct labels l = { .n = 0 };
	char name[LABEL_MAX];

	if (!p->sums.idle_threads || p->v->without_idle)
		return;
	snprintf(name, sizeof(name), "idle: %" PRIu32 " thread%s for events, for work, or sleep%s",
		 p->sums.idle_threads,
		 p->sums.idle_threads == 1 ? " waits" : "s wait", p->sums.idle_threads == 1 ? "s" : "");
	p->places.n = 0;
	if (!pprof_add_place(p, pprof_words(&p->parts, name)))
		return;
	add_label(p, &l, "state", pprof_text(&p->parts, "idle"));
	put_sample(p, 1u << TIME_BLOCKED, p->sums.idle_count, p->sums.idle_ns, &l);
}

static void pprof_put_samples(struct pprof *p)
{
	uint64_t nothing = 0;

	for (size_t i = 0; i < p->sums.v.n && !p->parts.no_memory; i++) {
		const struct stack_sum *s = &p->sums.v.v[i];
		struct labels l;

		gather_places(p, s->stack);
		/* Readers do not count samples without any place. */
		if (!p->places.n) {
			if (!nothing)
				nothing = pprof_words(&p->parts, "[no stack]");
			pprof_add_place(p, nothing);
		}
		sum_labels(p, s, &l);
		put_sample(p, s->places, s->count, s->ns, &l);
	}
	put_idle(p);
}

/* The executable of the thread that weighs most; "" when there is none. */
static str_id main_exe(const struct pprof *p)
{
	const struct dict *d = p->parts.d;
	AUTO_FREE uint64_t *ns = calloc(dict_threads(d) + 1ul, sizeof(*ns));
	thread_id most = 0;

	for (size_t i = 0; ns && i < p->sums.v.n; i++) {
		const struct stack_sum *s = &p->sums.v.v[i];

		ns[s->thread] = add_capped(ns[s->thread], s->places & p->sums.set.lead ?
					   measure_total(&p->sums.set, s->ns, s->count) : 0);
		if (ns[s->thread] > ns[most])
			most = s->thread;
	}
	return p->sums.v.n ? dict_get_thread(d, most)->exe : 0;
}

/* What the profile says of itself. */

static void put_comment(struct pprof *p, const char *what, const char *value)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char line[LABEL_MAX];
	int64_t comment;

	text_format(line, sizeof(line), "%s: %s", what, value);
	comment = pprof_foreign(&p->parts, line, strlen(line));
	part.n_comment = 1;
	part.comment = &comment;
	pprof_put(&p->parts, &part);
}

/* Where, when and how it was recorded, and what is missing in it, by the names of --format summary. */
static void pprof_put_figure(void *ctx, const struct figure *f)
{
	static const char *const missing[] = { "lost_", "cut_", "offcpu_cut_" };
	char value[32];

	if (f->type == FIGURE_TEXT)
		put_comment(ctx, f->name, f->text);
	if (f->type == FIGURE_FLAG && !strcmp(f->name, "complete") && !f->v)
		put_comment(ctx, f->name, "no: the recording was cut off");
	if (f->type == FIGURE_FIXED && f->v && !strcmp(f->name, FIGURE_NO_TABLE)) {
		snprintf(value, sizeof(value), "%" PRIu64 ".%02" PRIu64, f->v / 100, f->v % 100);
		put_comment(ctx, f->name, value);
	}
	snprintf(value, sizeof(value), "%" PRIu64, f->v);
	for (size_t i = 0; f->type == FIGURE_NUMBER && f->v && i < sizeof(missing) / sizeof(missing[0]); i++)
		if (!strncmp(f->name, missing[i], strlen(missing[i])))
			put_comment(ctx, f->name, value);
}

static void pprof_put_times(struct pprof *p)
{
	const struct profile_meta *m = p->v->meta;
	const uint32_t hz = m->freq_asked ? m->freq_asked : m->freq_got;
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	type.type = m->unit[0] ? pprof_foreign(&p->parts, m->unit, strlen(m->unit)) : pprof_text(&p->parts, "cpu");
	type.unit = pprof_text(&p->parts, m->unit[0] ? "count" : "nanoseconds");
	part.time_ns = (int64_t)m->start_real_ns;
	part.duration_ns = (int64_t)m->duration_ns;
	part.period_type = &type;
	part.period = hz ? (int64_t)(NSEC_PER_SEC / hz) : 0;
	pprof_put(&p->parts, &part);
}

static int pprof_put_all(struct pprof *p, struct gzout *gz, struct err *e)
{
	const struct dict *d = snapshot_dict(p->v->snapshot);
	int r = stack_sums_build(&p->sums, p->v, &p->q, e);

	if (r < 0)
		return r;
	p->thread_text = calloc(dict_threads(d) + 1ul, sizeof(*p->thread_text));
	p->process_text = calloc(dict_threads(d) + 1ul, sizeof(*p->process_text));
	if (!pprof_parts_init(&p->parts, gz, d, p->v->names, &p->q) || !p->thread_text || !p->process_text)
		return err_nomem(e, "the profile");
	put_value_types(p);
	pprof_put_times(p);
	r = figures_each(p->v->meta, p->v->snapshot, p->v->names, pprof_put_figure, p, e);
	if (r < 0)
		return r;
	pprof_put_samples(p);
	pprof_put_modules(&p->parts, main_exe(p));
	pprof_put_texts(&p->parts);
	return p->parts.no_memory ? err_nomem(e, "the profile") : 0;
}

static int pprof_write(FILE *out, const struct export_view *v, struct err *e)
{
	struct pprof p = { .v = v, .q = v->query };
	struct gzout *gz;
	int r = out_binary(out, "pprof", e);

	if (r < 0)
		return r;
	gz = gzout_open(out);
	r = gz ? pprof_put_all(&p, gz, e) : err_nomem(e, "the profile");
	stack_sums_free(&p.sums);
	pprof_parts_free(&p.parts);
	free(p.thread_text);
	free(p.process_text);
	vec_free(&p.calls);
	vec_free(&p.places);
	return gzout_close(gz, r, e);
}

const struct exporter exporter_pprof = {
	.name = "pprof", .extensions = "pb.gz,pprof",
	.about = "what `go tool pprof` and many others read: compressed, with one value each for samples, time on the "
		"CPU, waits, blocked time and runnable time, labels for thread, process, node, state and system "
		"call, modules with build-ids, and inlined calls. What is imported and is not time is a count",
	.write = pprof_write,
	.save = { .letter = 'p', .place = 3, .word = "pprof", .help = "for pprof",
		  .use = "for go tool pprof and many others" },
};
