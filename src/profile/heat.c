/* SPDX-License-Identifier: BSD-2-Clause */
/* heat.c - see heat.h. */
#include "config.h"

#include "profile/heat.h"

#include <stdlib.h>
#include <string.h>

/* at most so many new ones for one stretch of time: those of a long one are of many seconds */
#define GAP_COLUMNS 64u

static struct heat_column *column_new(uint64_t from_ns, uint64_t to_ns)
{
	struct heat_column *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	atomic_init(&c->refs, 1);
	c->from_ns = from_ns;
	c->to_ns = to_ns;
	return c;
}

static void column_unref(struct heat_column *c)
{
	if (atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) == 1)
		free(c);
}

void heat_free(struct heat *h)
{
	for (size_t i = 0; i < h->columns.n; i++)
		column_unref(h->columns.v[i]);
	vec_free(&h->columns);
}

size_t heat_bytes(const struct heat *h)
{
	return h->columns.n * sizeof(struct heat_column) + h->columns.cap * sizeof(h->columns.v[0]);
}

bool heat_share(struct heat *to, const struct heat *from)
{
	if (!vec_reserve(&to->columns, from->columns.n))
		return false;
	for (size_t i = 0; i < from->columns.n; i++) {
		atomic_fetch_add_explicit(&from->columns.v[i]->refs, 1, memory_order_relaxed);
		to->columns.v[i] = from->columns.v[i];
	}
	to->columns.n = from->columns.n;
	return true;
}

/* The column at AT, to be written to: a copy when others refer to it. NULL when out of memory. */
static struct heat_column *heat_own(struct heat *h, size_t at)
{
	struct heat_column *c = h->columns.v[at], *copy;

	if (atomic_load_explicit(&c->refs, memory_order_acquire) == 1)
		return c;
	copy = column_new(c->from_ns, c->to_ns);
	if (!copy)
		return NULL;
	memcpy(copy->ns, c->ns, sizeof(copy->ns));
	h->columns.v[at] = copy;
	column_unref(c);
	return copy;
}

/* The first column that ends after TIME_NS. */
static size_t column_after(const struct heat *h, uint64_t time_ns)
{
	size_t lo = 0, hi = h->columns.n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (h->columns.v[mid]->to_ns <= time_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Merges the older half of the columns in pairs. */
static void heat_merge_old(struct heat *h)
{
	const size_t half = h->columns.n / 4 * 2;
	size_t out = 0;

	for (size_t i = 0; i < half; i += 2) {
		struct heat_column *a = heat_own(h, i), *b = h->columns.v[i + 1];

		h->columns.v[out++] = h->columns.v[i];
		if (!a) {
			h->columns.v[out++] = b;
			continue;
		}
		a->to_ns = b->to_ns;
		for (unsigned int k = 0; k < TIME_NR; k++)
			for (unsigned int row = 0; row < HEAT_ROWS; row++)
				a->ns[k][row] += b->ns[k][row];
		column_unref(b);
	}
	memmove(&h->columns.v[out], &h->columns.v[half], (h->columns.n - half) * sizeof(h->columns.v[0]));
	h->columns.n -= half - out;
}

/* The seconds from FROM_NS on that a new column takes, of those up to TO_NS that have none. */
static uint64_t column_end(uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t seconds = (to_ns - from_ns - 1) / NSEC_PER_SEC + 1, each = (seconds - 1) / GAP_COLUMNS + 1;

	return each > (UINT64_MAX - from_ns) / NSEC_PER_SEC ? UINT64_MAX : from_ns + each * NSEC_PER_SEC;
}

/*
 * The column that holds FROM_NS, to be written to, made when there is none; what is to be written
 * goes on up to TO_NS. AT is column_after() of FROM_NS. NULL when out of memory.
 */
static struct heat_column *column_for(struct heat *h, size_t at, uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t next = at < h->columns.n ? h->columns.v[at]->from_ns : UINT64_MAX;
	const uint64_t from = from_ns - from_ns % NSEC_PER_SEC;
	struct heat_column *c;
	uint64_t end;

	if (next <= from_ns)
		return heat_own(h, at);
	if (!vec_reserve(&h->columns, 1))
		return NULL;
	end = column_end(from, to_ns < next ? to_ns : next);
	c = column_new(from, end < next ? end : next);
	if (!c)
		return NULL;
	memmove(&h->columns.v[at + 1], &h->columns.v[at], (h->columns.n - at) * sizeof(h->columns.v[0]));
	h->columns.v[at] = c;
	h->columns.n++;
	return c;
}

/* Adds LEVEL, time per time, from FROM_NS to TO_NS, which lie in C. */
static void heat_fill(struct heat_column *c, enum time_kind kind, uint64_t from_ns, uint64_t to_ns, double level)
{
	while (from_ns < to_ns) {
		const uint64_t offset = from_ns % NSEC_PER_SEC, row = offset / HEAT_ROW_NS;
		uint64_t end = from_ns - offset % HEAT_ROW_NS;

		if (!offset && to_ns - from_ns >= NSEC_PER_SEC) {
			const uint64_t seconds = (to_ns - from_ns) / NSEC_PER_SEC;

			for (unsigned int i = 0; i < HEAT_ROWS; i++)
				c->ns[kind][i] += (float)(level * (double)(seconds * HEAT_ROW_NS));
			from_ns += seconds * NSEC_PER_SEC;
			continue;
		}
		end = to_ns - end < HEAT_ROW_NS ? to_ns : end + HEAT_ROW_NS;
		c->ns[kind][row] += (float)(level * (double)(end - from_ns));
		from_ns = end;
	}
}

void heat_add(struct heat *h, enum time_kind kind, uint64_t from_ns, uint64_t to_ns, double ns)
{
	const double level = to_ns > from_ns ? ns / (double)(to_ns - from_ns) : 0;

	while (from_ns < to_ns) {
		struct heat_column *c;
		uint64_t end;

		if (h->columns.n >= HEAT_COLUMNS_MAX)
			heat_merge_old(h);
		c = column_for(h, column_after(h, from_ns), from_ns, to_ns);
		if (!c)
			return;
		end = c->to_ns < to_ns ? c->to_ns : to_ns;
		heat_fill(c, kind, from_ns, end, level);
		from_ns = end;
	}
}

enum time_kind heat_kind(unsigned int event_kind)
{
	return event_kind == EVENT_SAMPLE ? TIME_RUNNING : event_kind == EVENT_RUNNABLE ? TIME_RUNNABLE :
	       event_kind == EVENT_BLOCKED ? TIME_BLOCKED : TIME_NR;
}

/*
 * A wait lies before the moment at which it is told. Waits that it stands for beside itself were counted since the last
 * time that they were told, most often a second: nobody knows when in it they were. All of them before that moment, and
 * beside those of other stacks, would be more threads than there are.
 */
static void heat_wait(struct heat *h, enum time_kind kind, const struct event *ev)
{
	const uint64_t known = ev->count < 2 || ev->wait.own_ns > ev->weight ? ev->weight : ev->wait.own_ns;
	const uint64_t others = ev->weight - known, over = others > NSEC_PER_SEC ? others : NSEC_PER_SEC;
	const uint64_t one = known < ev->time_ns ? known : ev->time_ns, rest = over < ev->time_ns ? over : ev->time_ns;

	if (one)
		heat_add(h, kind, ev->time_ns - one, ev->time_ns, (double)known);
	if (others)
		heat_add(h, kind, ev->time_ns - rest, ev->time_ns, (double)others);
}

void heat_event(struct heat *h, const struct event *ev)
{
	const enum time_kind kind = heat_kind(ev->kind);
	const uint64_t ns = ev->weight < ev->time_ns ? ev->weight : ev->time_ns;

	if (kind == TIME_NR || ev->time_ns > UINT64_MAX / 2)
		return;
	if (!ns)
		heat_add(h, kind, ev->time_ns, ev->time_ns + 1, (double)ev->weight);
	else if (kind == TIME_RUNNING)
		heat_add(h, kind, ev->time_ns - ns / 2, ev->time_ns - ns / 2 + ns, (double)ev->weight);
	else
		heat_wait(h, kind, ev);
}

/* How much of row ROW of C, or of C when it is of many seconds, lies between FROM_NS and TO_NS: 0 to 1. */
static double heat_share_of(const struct heat_column *c, unsigned int row, uint64_t from_ns, uint64_t to_ns)
{
	const bool one = c->to_ns - c->from_ns <= NSEC_PER_SEC;
	const uint64_t from = one ? c->from_ns + row * HEAT_ROW_NS : c->from_ns,
		to = one ? from + HEAT_ROW_NS : c->to_ns;
	const uint64_t a = from_ns > from ? from_ns : from, b = to_ns < to ? to_ns : to;

	return a < b ? (double)(b - a) / (double)(to - from) : 0;
}

void heat_offsets(const struct heat *h, enum time_kind kind, uint64_t from_ns, uint64_t to_ns, double ret[HEAT_ROWS])
{
	memset(ret, 0, HEAT_ROWS * sizeof(ret[0]));
	for (size_t i = column_after(h, from_ns); i < h->columns.n && h->columns.v[i]->from_ns < to_ns; i++) {
		const struct heat_column *c = h->columns.v[i];
		const bool whole = c->from_ns >= from_ns && c->to_ns <= to_ns;

		for (unsigned int row = 0; row < HEAT_ROWS; row++)
			ret[row] += (double)c->ns[kind][row] * (whole ? 1 : heat_share_of(c, row, from_ns, to_ns));
	}
}

void heat_sum(const struct heat *h, uint64_t from_ns, uint64_t to_ns, double ret[TIME_NR])
{
	double row[HEAT_ROWS];

	for (unsigned int k = 0; k < TIME_NR; k++) {
		heat_offsets(h, (enum time_kind)k, from_ns, to_ns, row);
		ret[k] = 0;
		for (unsigned int i = 0; i < HEAT_ROWS; i++)
			ret[k] += row[i];
	}
}
