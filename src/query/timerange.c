/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timerange.c - see timerange.h. A slice belongs to the range in which it begins, so that adjacent
 * ranges share nothing and miss nothing.
 */
#include "config.h"

#include "query/timerange.h"

#include "base/clock.h"
#include "base/parse.h"
#include "query/timeview.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define POINT_MAX 32u            /* characters of an end of a range */
#define WANTED "it must be FROM,TO, such as 10s,20s or 50%%,60%%"     /* in formats */

static int parse_point(const char *text, size_t len, double otherwise, struct time_point *ret, struct err *e)
{
	char point[POINT_MAX];

	*ret = (struct time_point){ .percent = true, .share = otherwise };
	if (!len)
		return 0;
	if (len >= sizeof(point))
		return err_set(e, EINVAL, "time range '%.40s' is too long: " WANTED, text);
	snprintf(point, sizeof(point), "%.*s", (int)len, text);
	ret->percent = point[len - 1] == '%';
	if (ret->percent)
		return parse_percent(point, "time range", 0, 100, &ret->share, e);
	return parse_time(point, "time range", 0, 366ull * 24 * 3600 * NSEC_PER_SEC, &ret->ns, e);
}

int time_range_parse(const char *text, struct time_range *ret, struct err *e)
{
	const char *comma = strchr(text, ',');
	struct time_range range;
	int r;

	if (!comma || !strcmp(text, ","))
		return err_set(e, EINVAL, "time range '%s' has no beginning and end: " WANTED, text);
	r = parse_point(text, (size_t)(comma - text), 0, &range.from, e);
	if (r >= 0)
		r = parse_point(comma + 1, strlen(comma + 1), 100, &range.to, e);
	if (r < 0)
		return r;
	if (range.from.percent == range.to.percent &&
	    (range.from.percent ? range.from.share >= range.to.share : range.from.ns >= range.to.ns))
		return err_set(e, EINVAL, "time range '%s' ends before it begins: " WANTED, text);
	*ret = range;
	return 0;
}

/* Where P is, in the clock of M; the end of all is later than anything. */
static uint64_t point_at(const struct time_point *p, const struct profile_meta *m)
{
	if (p->percent && p->share >= 100)
		return UINT64_MAX;
	return m->start_mono_ns + (p->percent ? (uint64_t)((double)m->duration_ns * p->share / 100) : p->ns);
}

static uint64_t timerange_since(uint64_t ns, const struct profile_meta *m)
{
	return ns > m->start_mono_ns ? ns - m->start_mono_ns : 0;
}

bool time_range_apply(const struct time_range *r, const struct snapshot *s, const struct profile_meta *m,
		      struct query *q, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	const bool first = r->from.percent ? r->from.share <= 0 : !r->from.ns;
	const uint64_t from = first ? 0 : point_at(&r->from, m), to = point_at(&r->to, m);
	struct slice_view v = { 0 };
	bool any = false;

	q->from_ns = q->to_ns = UINT64_MAX;
	while (snapshot_next(s, &v)) {
		if (!v.n || v.from_ns < from || v.from_ns >= to)
			continue;
		if (!any)
			q->from_ns = v.from_ns;
		if (!any || v.to_ns > q->to_ns)
			q->to_ns = v.to_ns;
		any = true;
	}
	*ret_from_ns = timerange_since(any ? q->from_ns : from, m);
	*ret_to_ns = timerange_since(any ? q->to_ns : to, m);
	return any;
}

bool time_range_show(const struct time_range *r, const struct snapshot *s, const struct profile_meta *m,
		     struct query *q, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	uint64_t from = point_at(&r->from, m), to = point_at(&r->to, m);
	struct time_range out = { 0 };

	if (time_range_apply(r, s, m, q, ret_from_ns, ret_to_ns))
		return true;
	if (!timeview_round_out(s, &from, &to))
		return false;
	out.from.ns = timerange_since(from, m);
	out.to.ns = timerange_since(to, m);
	return time_range_apply(&out, s, m, q, ret_from_ns, ret_to_ns);
}
