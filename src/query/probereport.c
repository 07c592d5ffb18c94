/* SPDX-License-Identifier: BSD-2-Clause */
/* probereport.c - from facts of hits to a row for each probe, in one pass. */
#include "config.h"

#include "query/probereport.h"

#include "base/hash.h"
#include "base/text.h"
#include "profile/carried.h"
#include "profile/slice.h"
#include "query/filter.h"
#include "query/label.h"
#include "query/stack_signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does the probe TEXT add up an expression? What is measured stands last in it. */
static bool probereport_is_sum(const char *text)
{
	const size_t len = strlen(text);
	const char *at = strrchr(text, ' ');

	/* An expression may have blanks, a condition before it a text with anything. */
	if (!len || text[len - 1] != ')' || (at && (!strcmp(at, " count()") || !strcmp(at, " time()"))))
		return false;
	return strstr(text, " sum(");
}

static void probereport_begin_row(struct probe_row *r, uint32_t probe)
{
	const struct measure *m = probes_measure(probe);

	*r = (struct probe_row){
		.key = hash_u64(probe + 1), .probe = probe, .measure = m, .timed = m->unit == UNIT_TIME,
		.summed = m->unit != UNIT_TIME && probereport_is_sum(m->name), .longest_stack = STACK_ROOT,
		.longest_thread = ID_NONE, .note = { .probe = probe },
		.off = probes_is_off(probe), .placed_ns = probes_placed_ns(probe),
	};
}

/* Where memory was short it is not known any more how long each call took: then they are as long as their average. */
static unsigned int probereport_bucket(const struct fact *f, uint64_t carried)
{
	const uint64_t bucket = carried >> HIT_BUCKET_AT;

	if (!bucket)
		return wait_bucket(f->count ? f->weight / f->count : f->weight);
	return bucket < WAIT_BUCKETS ? (unsigned int)bucket : WAIT_BUCKETS - 1;
}

static void probereport_fill(struct probe_row *r, const struct fact *f, uint64_t carried)
{
	r->hits += f->count;
	r->value = add_capped(r->value, f->weight);
	r->others += carried & HIT_OTHERS ? f->count : 0;
	if (!r->timed || carried & HIT_OTHERS)
		return;
	r->hist[probereport_bucket(f, carried)] += f->count;
	if (r->longest_ns >= (double)f->longest_ns)
		return;
	r->longest_ns = (double)f->longest_ns;
	r->longest_stack = f->stack;
	r->longest_thread = f->thread;
}

/* The time from the first to the last slice that is asked for. */
static uint64_t probereport_elapsed(const struct filter *f)
{
	uint64_t from = UINT64_MAX, to = 0;
	struct slice_view v = { 0 };

	while (snapshot_next(f->s, &v)) {
		if (!filter_slice(f, &v))
			continue;
		from = v.from_ns < from ? v.from_ns : from;
		to = v.to_ns > to ? v.to_ns : to;
	}
	return to > from ? to - from : 0;
}

static bool probereport_fill_rows(struct probe_report *p, const struct snapshot *s, const struct query *q)
{
	struct filter f;
	struct asked a = { 0 };
	const bool ok = filter_init(&f, s, p->names, q);
	uint64_t elapsed;

	f.kinds = 1u << EVENT_HIT;
	f.choosy = 0;
	while (ok && filter_next(&f, &a)) {
		const uint64_t carried = dict_get_argument(p->dict, a.fact->argument);

		/* A probe that was placed just now has no row yet. */
		if ((uint32_t)carried < p->n)
			probereport_fill(&p->row[(uint32_t)carried], a.fact, carried);
	}
	elapsed = ok ? probereport_elapsed(&f) : 0;
	for (uint32_t i = 0; i < p->n; i++)
		p->row[i].elapsed_ns = elapsed;
	filter_free(&f);
	return ok;
}

/* Sets what S knows of its probes, and leaves out those that are none of its own. */
static void probereport_know(struct probe_report *p, const struct probe_notes *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct probe_note *note = probe_notes_of(s, i);

		if (!note && !p->row[i].hits)
			continue;
		if (note)
			p->row[i].note = *note;
		p->row[n++] = p->row[i];
	}
	p->n = n;
}

int probe_report_build(const struct snapshot *s, const struct names *names, const struct query *q,
		       struct probe_report **ret, struct err *e)
{
	AUTO(probe_report_free) struct probe_report *p = calloc(1, sizeof(*p));
	struct query asked = filter_whatever_counts(q);
	const uint32_t n = probes_count();

	/* Hits of a probe are its calls, and not inside of them. */
	query_forget_span(&asked);
	if (p)
		*p = (struct probe_report){ .dict = snapshot_dict(s), .names = names, .query = *q,
					    .row = calloc(n + 1ul, sizeof(*p->row)) };
	if (!p || !p->row)
		return err_nomem(e, "the list of probes");
	for (; p->n < n; p->n++)
		probereport_begin_row(&p->row[p->n], p->n);
	if (!probereport_fill_rows(p, s, &asked))
		return err_nomem(e, "the list of probes");
	if (snapshot_probes(s))
		probereport_know(p, snapshot_probes(s));
	*ret = take_ptr(p);
	return 0;
}

void probe_report_free(struct probe_report *p)
{
	if (!p)
		return;
	free(p->row);
	free(p);
}

void probe_report_bound(struct probe_report *p, uint64_t ns, const struct profile_meta *meta)
{
	p->start_ns = meta->start_mono_ns;
	for (uint32_t i = 0; i < p->n; i++) {
		struct probe_row *r = &p->row[i];

		if (ns && r->elapsed_ns > ns)
			r->elapsed_ns = ns;
		/* One that was added later is counted from then on. */
		if (r->elapsed_ns > r->placed_ns && r->placed_ns)
			r->elapsed_ns = r->placed_ns;
		r->estimate = meta->probe_scale > 1 && r->others;
	}
}

uint64_t probe_percentile_ns(const struct probe_row *r, unsigned int percent)
{
	uint64_t all = 0, before = 0;
	double want;

	for (unsigned int b = 0; b < WAIT_BUCKETS; b++)
		all += r->hist[b];
	want = (double)all * percent / 100;
	for (unsigned int b = 0; b < WAIT_BUCKETS; b++) {
		const double from = (double)wait_bucket_from_ns(b);
		double to = b + 1 < WAIT_BUCKETS ? (double)wait_bucket_from_ns(b + 1) : r->longest_ns;

		if (!r->hist[b] || (double)(before + r->hist[b]) < want) {
			before += r->hist[b];
			continue;
		}
		/* Within a bucket lengths are taken to be spread evenly. */
		to = to < r->longest_ns ? to : r->longest_ns;
		return (uint64_t)(to <= from ? from :
				  from + (to - from) * (want - (double)before) / (double)r->hist[b]);
	}
	return 0;
}

bool probe_buckets(const struct probe_row *r, unsigned int *ret_first, unsigned int *ret_last)
{
	bool any = false;

	for (unsigned int b = 0; b < WAIT_BUCKETS; b++) {
		if (!r->hist[b])
			continue;
		*ret_first = any ? *ret_first : b;
		*ret_last = b;
		any = true;
	}
	return any;
}

char *probe_bucket_label(unsigned int bucket, char dst[PROBE_BUCKET_MAX])
{
	char from[UNITS_MAX], to[UNITS_MAX];

	units_time(from, wait_bucket_from_ns(bucket));
	if (bucket + 1 >= WAIT_BUCKETS) {
		snprintf(dst, PROBE_BUCKET_MAX, "%s and more", from);
		return dst;
	}
	units_time(to, wait_bucket_from_ns(bucket + 1));
	if (bucket)
		snprintf(dst, PROBE_BUCKET_MAX, "%s to %s", from, to);
	else
		snprintf(dst, PROBE_BUCKET_MAX, "below %s", to);
	return dst;
}

char *probe_places_label(const struct probe_row *r, const char *between, char dst[PROBE_WORDS_MAX])
{
	const struct probe_places *p = &r->note.places;
	char text[UNITS_MAX];
	size_t n = 0;

	dst[0] = '\0';
	if (p->sites)
		n = text_format(dst, PROBE_WORDS_MAX, "placed at %u site%s in %u process%s", p->sites,
				p->sites == 1 ? "" : "s", p->processes, p->processes == 1 ? "" : "es");
	if (p->inlined)
		n += text_format(dst + n, PROBE_WORDS_MAX - n, ", %u of them where it is inlined", p->inlined);
	if (p->failed)
		n += text_format(dst + n, PROBE_WORDS_MAX - n, "%s%u could not be", n ? between : "", p->failed);
	if (!p->sites && !p->failed && r->note.why[0])
		n += text_format(dst + n, PROBE_WORDS_MAX - n, "placed nowhere");
	if ((!p->sites || p->failed) && r->note.why[0])
		n += text_format(dst + n, PROBE_WORDS_MAX - n, ": %s", r->note.why);
	if (r->note.nr_unseen)
		text_format(dst + n, PROBE_WORDS_MAX - n, "%s%u ran without it for up to %s", n ? between : "",
			    r->note.nr_unseen, units_time(text, r->note.unseen[0].ns));
	else if (p->unseen_ns)
		text_format(dst + n, PROBE_WORDS_MAX - n, "%sone ran %s without it", n ? between : "",
			    units_time(text, p->unseen_ns));
	return dst;
}

char *probe_lost_label(const struct probe_row *r, const char *between, char dst[PROBE_WORDS_MAX])
{
	static const char *const what[PROBE_LOSSES][2] = {
		[PROBE_LOST_STACK] = { "stack", "stacks" },
		[PROBE_LOST_VALUE] = { "hit, of which a value could not be read",
				       "hits, of which a value could not be read" },
		[PROBE_LOST_HIT] = { "hit for want of room", "hits for want of room" },
		[PROBE_LOST_RECORD] = { "hit that is not recorded", "hits that are not recorded" },
	};
	char text[UNITS_MAX];
	size_t n = 0;

	dst[0] = '\0';
	for (unsigned int kind = 0; kind < PROBE_LOSSES; kind++)
		if (r->note.lost[kind])
			n += text_format(dst + n, PROBE_WORDS_MAX - n, "%s%s %s", n ? between : "lost: ",
					 units_thousands(text, r->note.lost[kind]), what[kind][r->note.lost[kind] > 1]);
	return dst;
}

char *probe_unseen_label(const struct probe_row *r, uint32_t i, char dst[PROBE_WORDS_MAX])
{
	const struct probe_unseen *u = &r->note.unseen[i];
	char text[UNITS_MAX];

	text_format(dst, PROBE_WORDS_MAX, "%s%spid %u: first %s not seen", u->comm, *u->comm ? ", " : "", u->pid,
		    units_time(text, u->ns));
	return dst;
}

char *probe_spell_label(const struct probe_report *p, const struct probe_row *r, uint32_t i, char dst[PROBE_WORDS_MAX])
{
	const struct probe_spell *s = &r->note.spell[i];
	const uint64_t from = s->from_ns > p->start_ns ? s->from_ns - p->start_ns : 0;
	char begin[UNITS_MAX], end[UNITS_MAX], part[UNITS_MAX];
	size_t n;

	n = text_format(dst, PROBE_WORDS_MAX, "from %s to %s ", units_time(begin, from),
			units_time(end, from + (s->to_ns - s->from_ns)));
	if (s->on_ns)
		text_format(dst + n, PROBE_WORDS_MAX - n, "in place for %s of the time (--budget)",
			    units_percent(part, (double)s->on_ns / (double)(s->to_ns - s->from_ns)));
	else
		text_format(dst + n, PROBE_WORDS_MAX - n, "it was off");
	return dst;
}

char *probe_seen_label(const struct probe_row *r, char dst[PROBE_WORDS_MAX])
{
	const struct probe_seen *s = &r->note.seen;
	char looked[UNITS_MAX], all[UNITS_MAX];

	dst[0] = '\0';
	if (s->n && s->looked == s->looked_for)
		text_format(dst, PROBE_WORDS_MAX, "arguments most seen, of %s%s hit%s", s->looked == 1 ? "" : "all ",
			    units_thousands(all, s->looked), s->looked == 1 ? "" : "s");
	else if (s->n)
		text_format(dst, PROBE_WORDS_MAX, "arguments most seen, of %s hits that stand for %s",
			    units_thousands(looked, s->looked), units_thousands(all, s->looked_for));
	return dst;
}

char *probe_values_label(const struct probe_row *r, uint32_t i, const char *between, char dst[PROBE_WORDS_MAX])
{
	const struct probe_values *l = &r->note.seen.list[i];
	const bool sampled = r->note.seen.looked < r->note.seen.looked_for;
	char share[UNITS_MAX];
	size_t n = 0;

	dst[0] = '\0';
	for (uint32_t k = 0; k < l->n && l->total; k++) {
		/* What stands in place of many others is no value that was seen often. */
		if (l->v[k].error > l->v[k].count / 2)
			continue;
		units_percent(share, (double)l->v[k].count / (double)l->total);
		n += text_format(dst + n, PROBE_WORDS_MAX - n, "%s%s %s%s", n ? between : "", l->v[k].text,
				 (sampled || l->v[k].error) && share[0] != '<' ? "~" : "", share);
	}
	if (!n)
		text_format(dst, PROBE_WORDS_MAX, "many different values");
	return dst;
}

char *probe_open_label(const struct probe_row *r, const char *between, char dst[PROBE_WORDS_MAX])
{
	const struct probe_open *o = &r->note.open;
	char text[UNITS_MAX];

	dst[0] = '\0';
	if (o->calls)
		text_format(dst, PROBE_WORDS_MAX, "%u call%s not returned%sthe oldest for %s", o->calls,
			    o->calls == 1 ? " has" : "s have", between, units_time(text, o->oldest_ns));
	return dst;
}

char *probe_stack_label(const struct probe_report *p, stack_id stack, char *dst, size_t size)
{
	const struct stack_signature r = { .d = p->dict, .names = p->names, .no_inlines = p->query.no_inlines };

	return stack_signature_text(&r, stack, dst, size);
}

char *probe_thread_label(const struct probe_report *p, thread_id thread, char *dst, size_t size)
{
	const struct thread *t = thread == ID_NONE ? NULL : dict_get_thread(p->dict, thread);

	dst[0] = '\0';
	if (t)
		label_thread(p->dict, t, dst, size);
	return dst;
}
