/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * space.c - overlay on a sorted array: find the run of ranges that are touched, replace it by at
 * most three.
 */
#include "config.h"

#include "process/space.h"

#include "base/sorted.h"

#include <string.h>

struct space *space_new(void)
{
	struct space *s = calloc(1, sizeof(*s));

	if (s)
		s->refs = 1;
	return s;
}

struct space *space_ref(struct space *s)
{
	s->refs++;
	return s;
}

void space_free(struct space *s)
{
	if (!s || --s->refs)
		return;
	vec_free(&s->maps);
	free(s);
}

bool space_own(struct space **s)
{
	struct space *copy;

	if ((*s)->refs == 1)
		return true;
	copy = space_new();
	if (!copy)
		return false;
	if (!vec_reserve(&copy->maps, (*s)->maps.n)) {
		space_free(copy);
		return false;
	}
	copy->maps.n = (*s)->maps.n;
	if (copy->maps.n)
		memcpy(copy->maps.v, (*s)->maps.v, copy->maps.n * sizeof(*copy->maps.v));
	space_free(*s);
	*s = copy;
	return true;
}

/* The first mapping that ends behind ADDR. */
static size_t space_first_behind(const struct space *s, uint64_t addr)
{
	return count_upto(s->maps.v, s->maps.n, end, addr);
}

const struct mapping *space_find(const struct space *s, uint64_t addr)
{
	const size_t i = space_first_behind(s, addr);

	return i < s->maps.n && s->maps.v[i].start <= addr ? &s->maps.v[i] : NULL;
}

const struct mapping *space_find_before(const struct space *s, uint64_t addr)
{
	const size_t i = count_upto(s->maps.v, s->maps.n, start, addr);

	return i ? &s->maps.v[i - 1] : NULL;
}

/* The part of OLD from START on. */
static struct mapping tail_of(const struct mapping *old, uint64_t start)
{
	struct mapping m = *old;

	m.pgoff += start - old->start;
	m.start = start;
	return m;
}

static bool anon_neighbours(const struct mapping *a, const struct mapping *b)
{
	return a->backing == BACKING_ANON && b->backing == BACKING_ANON && a->end == b->start;
}

/* Replaces the mappings [FROM, TO) by the N at NEW. */
static bool space_splice(struct space *s, size_t from, size_t to, const struct mapping *new, size_t n)
{
	const size_t behind = s->maps.n - to;

	if (n > to - from) {
		const size_t more = n - (to - from);

		if (s->maps.n + more > SPACE_MAX || !vec_reserve(&s->maps, more))
			return false;
	}
	if (behind)
		memmove(s->maps.v + from + n, s->maps.v + to, behind * sizeof(*new));
	if (n)
		memcpy(s->maps.v + from, new, n * sizeof(*new));
	s->maps.n = from + n + behind;
	return true;
}

bool space_map(struct space *s, const struct mapping *m)
{
	size_t from = space_first_behind(s, m->start), to = from, n = 0;
	struct mapping piece[3], mid = *m;
	bool head, tail;

	if (m->start >= m->end)
		return true;
	while (to < s->maps.n && s->maps.v[to].start < m->end)
		to++;
	head = from < to && s->maps.v[from].start < m->start;
	tail = from < to && s->maps.v[to - 1].end > m->end;
	if (head) {
		piece[n] = s->maps.v[from];
		piece[n++].end = m->start;
	} else if (from && anon_neighbours(&s->maps.v[from - 1], &mid)) {
		piece[n++] = s->maps.v[--from];
	}
	if (m->backing != BACKING_NONE)
		piece[n++] = mid;
	if (tail)
		piece[n++] = tail_of(&s->maps.v[to - 1], m->end);
	else if (to < s->maps.n && n && anon_neighbours(&piece[n - 1], &s->maps.v[to]))
		piece[n++] = s->maps.v[to++];
	for (size_t i = 0; i + 1 < n;) {
		if (!anon_neighbours(&piece[i], &piece[i + 1])) {
			i++;
			continue;
		}
		piece[i].end = piece[i + 1].end;
		memmove(&piece[i + 1], &piece[i + 2], (n - i - 2) * sizeof(*piece));
		n--;
	}
	return space_splice(s, from, to, piece, n);
}

size_t space_bytes(const struct space *s)
{
	return sizeof(*s) + s->maps.cap * sizeof(*s->maps.v);
}
