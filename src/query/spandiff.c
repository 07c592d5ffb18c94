/* SPDX-License-Identifier: BSD-2-Clause */
/* spandiff.c - see spandiff.h. */
#include "config.h"

#include "query/spandiff.h"

#include "base/units.h"
#include "model/probes.h"

#include <errno.h>
#include <stdio.h>

void span_compare(struct query *q, uint32_t probe)
{
	q->span = (uint8_t)(probe + 1);
	q->span_where = SPAN_INSIDE;
	q->by_span = false;
	if (!q->span_from.ns && !q->span_from.percent)
		q->span_from.percent = SPAN_SLOW_PERCENT;
	q->span_to = (struct span_limit){ 0 };
	if (span_is_compared(q))
		return;
	q->span_than_from.percent = SPAN_MEDIAN_FROM_PERCENT;
	q->span_than_to.percent = SPAN_MEDIAN_TO_PERCENT;
}

/* The calls of one side have to be others than those of the other side. */
static int check_sides(const struct span_sides *s, struct err *e)
{
	const struct span_figures *slow = &s->figures[DIFF_AFTER], *than = &s->figures[DIFF_BEFORE];
	const struct measure *m = probes_measure(s->query[DIFF_AFTER].span - 1u);
	char from[UNITS_MAX], to[UNITS_MAX], least[UNITS_MAX];

	if (!slow->calls)
		return err_set(e, ENODATA, "%s has no calls that could be compared", m ? m->name : "the probe");
	if (slow->from < than->to)
		return err_set(e, ERANGE, "the slow calls, of %s and more, are among those that they would be compared "
			       "with, of %s to %s: ask for slower ones with --span-above, or limit the others with "
			       "--span-below", units_time(least, slow->from_ns), units_time(from, than->from_ns),
			       units_time(to, than->to_ns));
	for (int side = 0; side < DIFF_SIDES; side++)
		if (!s->figures[side].asked && !s->figures[side].counted)
			return err_set(e, ENODATA, "no call of %s took %s %s", m ? m->name : "the probe",
				       side == DIFF_AFTER ? "as long as" : "less than",
				       units_time(least, side == DIFF_AFTER ? slow->from_ns : than->to_ns));
	return 0;
}

int span_sides(const struct snapshot *s, const struct names *names, const struct query *q, struct span_sides *ret,
	       struct err *e)
{
	struct span_sides r = { .query = { *q, *q } };

	r.query[DIFF_BEFORE].span_from = q->span_than_from;
	r.query[DIFF_BEFORE].span_to = q->span_than_to;
	for (int side = 0; side < DIFF_SIDES; side++) {
		struct query *of = &r.query[side];

		of->span_than_from = of->span_than_to = (struct span_limit){ 0 };
		if (span_figures(s, names, of, &r.figures[side], e) < 0)
			return -ENOMEM;
		r.calls[side] = r.figures[side].asked ? r.figures[side].asked : 1;
	}
	*ret = r;
	return check_sides(ret, e);
}

const char *span_side_name(const struct query *q, int side)
{
	return side == DIFF_AFTER ? "slow" : q->span_than_from.percent || q->span_than_from.ns ? "median" : "fast";
}

char *span_side_text(const struct span_sides *s, int side, char *dst, size_t size)
{
	char limits[SPAN_LIMITS_MAX], asked[UNITS_MAX], calls[UNITS_MAX];

	span_limits_text(&s->query[side], &s->figures[side], limits, sizeof(limits));
	snprintf(dst, size, "%s: %s of %s", limits, units_thousands(asked, s->figures[side].asked),
		 units_thousands(calls, s->figures[side].calls));
	return dst;
}
