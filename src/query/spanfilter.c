/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spanfilter.c - adds up the calls of one probe by class, from the histogram of its hits and from the time
 * that was spent inside of them, and finds what a question asks for in that.
 */
#include "config.h"

#include "query/spanfilter.h"

#include "base/clock.h"
#include "base/parse.h"
#include "base/units.h"
#include "model/probes.h"
#include "profile/slice.h"
#include "query/filter.h"
#include "query/probereport.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The calls of a probe: how many there were in each class, and what was seen inside of them. */
struct span_classes {
	double calls[INSIDE_CLASSES];
	uint64_t ns[INSIDE_CLASSES];             /* spent inside of those whose end was seen */
	uint64_t count[INSIDE_CLASSES];          /* samples and waits */
	uint64_t place_ns[SPAN_PLACES];
	uint64_t open_ns, open_count;            /* of calls whose end was not seen */
	uint64_t all;                            /* calls */
};

static double class_middle_ns(unsigned int class)
{
	const double from = (double)inside_class_from_ns(class), to = (double)inside_class_from_ns(class + 1);

	return class + 1 < INSIDE_CLASSES ? (from + to) / 2 : from;
}

/* Of Q, what facts are filtered by when all of them are looked at, inside and outside. */
static struct query without_spans(const struct query *q)
{
	struct query all = *q;

	query_forget_span(&all);
	all.within = NULL;
	all.nr_within = 0;
	/* How long a call takes does not depend on which stacks are looked at. */
	terms_drop(&all.terms, TERM_FUNCTION, false);
	terms_drop(&all.terms, TERM_FUNCTION, true);
	return all;
}

static void add_inside(struct span_classes *c, const struct span_filter *f, uint64_t inside, const struct fact *x,
		       unsigned int is)
{
	const uint64_t count = is & FACT_COUNTS ? x->count : 0;
	const enum span_place place = span_filter_place(f, inside);
	unsigned int class;

	c->place_ns[place] = add_capped(c->place_ns[place], x->weight);
	if (place != SPAN_PLACE_INSIDE)
		return;
	class = inside_class_of(inside, f->probe);
	if (class >= INSIDE_CLASSES) {
		c->open_ns = add_capped(c->open_ns, x->weight);
		c->open_count += count;
		return;
	}
	c->ns[class] = add_capped(c->ns[class], x->weight);
	c->count[class] += count;
}

/* The time inside and outside. */
static bool read_times(struct span_classes *c, const struct snapshot *s, const struct names *names,
		       const struct query *q)
{
	const struct span_filter place = { .probe = q->span - 1u };
	struct query all = without_spans(q);
	struct asked a = { 0 };
	struct filter f;
	bool ok;

	all.measures = MEASURES_WALL;
	all.states = 0;
	all.nr_calls = 0;
	ok = filter_init(&f, s, names, &all);
	while (ok && filter_next(&f, &a))
		add_inside(c, &place, a.inside, a.fact, a.is);
	filter_free(&f);
	return ok;
}

/* How much of CLASS is in FROM to below TO ns. */
static double class_overlap(unsigned int class, double from, double to)
{
	const double low = fmax((double)inside_class_from_ns(class), from);
	const double high = fmin((double)inside_class_from_ns(class + 1), to);

	return high > low ? high - low : 0;
}

/*
 * Spreads the N calls of a bucket of the histogram, from FROM to below TO ns, over the classes: as the time inside
 * says, and where there is none evenly.
 */
static void spread_calls(struct span_classes *c, uint64_t n, double from, double to)
{
	double weight[INSIDE_CLASSES] = { 0 }, seen = 0, sum = 0;

	for (unsigned int class = 1; class < INSIDE_CLASSES; class++) {
		const double middle = class_middle_ns(class);

		if (middle >= from && middle < to)
			seen += weight[class] = (double)c->ns[class] / middle;
	}
	for (unsigned int class = 1; class < INSIDE_CLASSES; class++)
		sum += weight[class] = seen > 0 ? weight[class] : class_overlap(class, from, to);
	for (unsigned int class = 1; class < INSIDE_CLASSES && sum > 0; class++)
		c->calls[class] += (double)n * weight[class] / sum;
}

static bool read_calls(struct span_classes *c, const struct snapshot *s, const struct names *names,
		       const struct query *q)
{
	const struct query all = without_spans(q);
	AUTO(probe_report_free) struct probe_report *p = NULL;
	const struct probe_row *row;

	if (probe_report_build(s, names, &all, &p, NULL) < 0)
		return false;
	if (q->span > p->n)
		return true;
	row = &p->row[q->span - 1];
	for (unsigned int b = 0; b < WAIT_BUCKETS; b++) {
		double to = b + 1 < WAIT_BUCKETS ? (double)wait_bucket_from_ns(b + 1) : 1e18;

		if (!row->hist[b])
			continue;
		c->all += row->hist[b];
		/* The longest class with something in it ends with the longest call. */
		if (row->longest_ns >= (double)wait_bucket_from_ns(b) && row->longest_ns < to)
			to = row->longest_ns * 1.04;
		spread_calls(c, row->hist[b], (double)wait_bucket_from_ns(b), to);
	}
	return true;
}

static bool read_classes(struct span_classes *c, const struct snapshot *s, const struct names *names,
			 const struct query *q)
{
	return read_times(c, s, names, q) && read_calls(c, s, names, q);
}

int span_limit_parse(const char *text, struct span_limit *ret, struct err *e)
{
	const char *at = text + strspn(text, "<>= ");
	unsigned long percent;
	char *end;
	int r;

	*ret = (struct span_limit){ 0 };
	if (*at == 'p' || *at == 'P') {
		percent = strtoul(at + 1, &end, 10);
		if (at[1] < '0' || at[1] > '9' || *end || !percent || percent > 100)
			return err_set(e, EINVAL, "'%s' is no percentile: p1 to p100", text);
		ret->percent = (uint8_t)percent;
		return 0;
	}
	r = parse_time(at, "length", 1, 3600 * NSEC_PER_SEC, &ret->ns, NULL);
	return r < 0 ? err_set(e, EINVAL, "'%s' is no length of a call: write 10ms, or p99 for a percentile", text) : 0;
}

/* The first class of which more than a half is at NS or above. */
static unsigned int class_from(uint64_t ns)
{
	const unsigned int class = inside_class(ns);

	return (double)ns > class_middle_ns(class) && class + 1 < INSIDE_CLASSES ? class + 1 : class;
}

static bool limits(const struct span_limit *l)
{
	return l->ns || l->percent;
}

static bool is_limited(const struct query *q)
{
	return limits(&q->span_from) || limits(&q->span_to);
}

/*
 * The class that the slowest of the calls begin with, of which PERCENT are faster. What is in one class stays
 * together: it is left out where those above it are nearer, in proportion, to what is wanted.
 */
static unsigned int percentile_class(const struct span_classes *c, unsigned int percent)
{
	double all = 0, above = 0, wanted;

	for (unsigned int class = 1; class < INSIDE_CLASSES; class++)
		all += c->calls[class];
	wanted = all * (100 - percent) / 100;
	for (unsigned int class = INSIDE_CLASSES; class-- > 1;) {
		const double with = above + c->calls[class];

		if (with > 0 && with >= wanted)
			return above * with >= wanted * wanted && above > 0 ? class + 1 : class;
		above = with;
	}
	return 1;
}

static unsigned int limit_class(const struct span_classes *c, const struct span_limit *l)
{
	return l->percent ? percentile_class(c, l->percent) : class_from(l->ns);
}

/* What L means in ns, where CLASS is that of it; 0 = nothing is limited. */
static uint64_t limit_ns(const struct span_limit *l, unsigned int class)
{
	return l->percent ? inside_class_from_ns(class) : l->ns;
}

static void set_limits(struct span_filter *f, const struct span_classes *c, const struct query *q)
{
	f->from = limits(&q->span_from) ? limit_class(c, &q->span_from) : 1;
	f->to = limits(&q->span_to) ? limit_class(c, &q->span_to) : INSIDE_CLASSES;
	/* Calls of one length only have one class for all percentiles. */
	if (f->to <= f->from)
		f->to = f->from + 1;
}

bool span_filter_init(struct span_filter *f, const struct snapshot *s, const struct names *names,
		      const struct query *q)
{
	struct span_classes c = { 0 };

	*f = (struct span_filter){ .probe = q->span ? q->span - 1u : PROBE_NONE, .where = q->span_where,
				   .to = INSIDE_CLASSES };
	if (!q->span || !is_limited(q))
		return true;
	f->where = SPAN_INSIDE;
	if ((q->span_from.percent || q->span_to.percent) && !read_classes(&c, s, names, q))
		return false;
	set_limits(f, &c, q);
	return true;
}

enum span_place span_filter_place(const struct span_filter *f, uint64_t inside)
{
	if (inside == INSIDE_NOT_KNOWN)
		return SPAN_PLACE_NOT_KNOWN;
	return inside_class_of(inside, f->probe) ? SPAN_PLACE_INSIDE : SPAN_PLACE_OUTSIDE;
}

bool span_filter_has(const struct span_filter *f, uint64_t inside)
{
	const enum span_place place = span_filter_place(f, inside);
	unsigned int class;

	if (f->probe == PROBE_NONE || f->where == SPAN_ALL)
		return true;
	if (f->where == SPAN_OUTSIDE || place != SPAN_PLACE_INSIDE)
		return place == (f->where == SPAN_OUTSIDE ? SPAN_PLACE_OUTSIDE : SPAN_PLACE_INSIDE);
	if (f->from <= 1 && f->to == INSIDE_CLASSES)
		return true;
	class = inside_class_of(inside, f->probe);
	/* What lasted long enough by then is long enough; what is shorter may have become longer. */
	if (class & INSIDE_SO_FAR)
		return f->to == INSIDE_CLASSES && (class & ~INSIDE_SO_FAR) >= f->from;
	return class >= f->from && class < f->to;
}

int span_figures(const struct snapshot *s, const struct names *names, const struct query *q,
		 struct span_figures *ret, struct err *e)
{
	struct span_classes c = { 0 };
	struct span_filter f = { 0 };
	double asked = 0;

	*ret = (struct span_figures){ 0 };
	if (!read_classes(&c, s, names, q))
		return err_nomem(e, "the calls of a probe");
	set_limits(&f, &c, q);
	ret->calls = c.all;
	ret->from = f.from;
	ret->to = f.to;
	ret->from_ns = limit_ns(&q->span_from, f.from);
	ret->to_ns = limit_ns(&q->span_to, f.to);
	ret->counted = is_limited(q) ? 0 : c.open_count;
	ret->open_ns = c.open_ns;
	for (unsigned int place = 0; place < SPAN_PLACES; place++)
		ret->ns[place] = c.place_ns[place];
	for (unsigned int class = f.from; class < f.to; class++) {
		asked += c.calls[class];
		ret->counted += c.count[class];
	}
	ret->asked = (uint64_t)(asked + 0.5);
	return 0;
}

char *span_place_label(const struct query *q, enum span_place place, char *dst, size_t size)
{
	const struct measure *m = q->span ? probes_measure(q->span - 1u) : NULL;

	if (place == SPAN_PLACE_OUTSIDE)
		snprintf(dst, size, "outside");
	else if (place == SPAN_PLACE_INSIDE)
		snprintf(dst, size, "inside %s", m ? m->name : "");
	else
		snprintf(dst, size, "not known: the probe was not in place");
	return dst;
}

char *span_limits_text(const struct query *q, const struct span_figures *f, char *dst, size_t size)
{
	char from[UNITS_MAX], to[UNITS_MAX], percent[32] = "";

	dst[0] = '\0';
	if (!is_limited(q))
		return dst;
	units_time(from, f->from_ns);
	units_time(to, f->to_ns);
	if (q->span_from.percent && q->span_to.percent)
		snprintf(percent, sizeof(percent), " (p%u to p%u)", q->span_from.percent, q->span_to.percent);
	else if (q->span_from.percent || q->span_to.percent)
		snprintf(percent, sizeof(percent), " (p%u)", q->span_from.percent | q->span_to.percent);
	if (f->to_ns && f->from_ns)
		snprintf(dst, size, "calls of %s to %s%s", from, to, percent);
	else if (f->to_ns)
		snprintf(dst, size, "calls of less than %s%s", to, percent);
	else
		snprintf(dst, size, "calls of %s and more%s", from, percent);
	return dst;
}

char *span_text(const struct query *q, const struct span_figures *f, char *dst, size_t size)
{
	const struct measure *m = probes_measure(q->span - 1u);
	char limits[SPAN_LIMITS_MAX], asked[UNITS_MAX], calls[UNITS_MAX], counted[UNITS_MAX];
	const char *few = f->counted < SPAN_FEW ? ": too few to tell much" : "";

	span_limits_text(q, f, limits, sizeof(limits));
	units_thousands(asked, f->asked);
	units_thousands(calls, f->calls);
	units_thousands(counted, f->counted);
	if (q->span_where == SPAN_OUTSIDE)
		snprintf(dst, size, "outside %s: %s calls", m ? m->name : "", calls);
	else if (limits[0])
		snprintf(dst, size, "inside %s, %s: %s of %s calls, %s samples and waits%s", m ? m->name : "", limits,
			 asked, calls, counted, few);
	else
		snprintf(dst, size, "%s%s: %s calls, %s samples and waits inside%s",
			 q->span_where == SPAN_INSIDE ? "inside " : "", m ? m->name : "", calls, counted, few);
	return dst;
}
