/* SPDX-License-Identifier: BSD-2-Clause */
/* probenotes.c - a state's life, and what is made of two. */
#include "config.h"

#include "model/probenotes.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct probe_notes *probe_notes_new(void)
{
	struct probe_notes *s = calloc(1, sizeof(*s));

	if (s)
		atomic_init(&s->refs, 1);
	return s;
}

struct probe_notes *probe_notes_ref(struct probe_notes *s)
{
	if (s)
		atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void probe_notes_unref(struct probe_notes *s)
{
	if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
		return;
	vec_free(&s->probe);
	free(s);
}

struct probe_notes *probe_notes_now(uint64_t time_ns)
{
	AUTO(probe_notes_unref) struct probe_notes *s = probe_notes_new();
	const uint32_t n = probes_count();

	if (!s || !vec_reserve(&s->probe, n))
		return NULL;
	s->time_ns = time_ns;
	for (uint32_t i = 0; i < n; i++) {
		struct probe_note *note = &s->probe.v[s->probe.n];

		if (!probes_asked(i))
			continue;
		*note = (struct probe_note){ .probe = i, .cost_ns = probes_cost_ns(i),
					     .own_ns = probes_own_ns(i), .places = probes_places(i),
					     .open = probes_open(i) };
		probes_why(i, note->why);
		probe_values_get(i, &note->seen);
		note->nr_unseen = probes_unseen(i, note->unseen);
		note->nr_spells = probes_spells(i, note->spell);
		for (unsigned int kind = 0; kind < PROBE_LOSSES; kind++)
			note->lost[kind] = probes_lost(i, kind);
		s->probe.n++;
	}
	return take_ptr(s);
}

const struct probe_note *probe_notes_of(const struct probe_notes *s, uint32_t probe)
{
	for (size_t i = 0; i < s->probe.n; i++)
		if (s->probe.v[i].probe == probe)
			return &s->probe.v[i];
	return NULL;
}

/* That of PROBE, which is added where S has none; NULL when out of memory. */
static struct probe_note *probenotes_have(struct probe_notes *s, uint32_t probe)
{
	size_t at = 0;

	while (at < s->probe.n && s->probe.v[at].probe < probe)
		at++;
	if (at < s->probe.n && s->probe.v[at].probe == probe)
		return &s->probe.v[at];
	if (!vec_reserve(&s->probe, 1))
		return NULL;
	memmove(&s->probe.v[at + 1], &s->probe.v[at], (s->probe.n - at) * sizeof(*s->probe.v));
	s->probe.n++;
	s->probe.v[at] = (struct probe_note){ .probe = probe };
	return &s->probe.v[at];
}

static uint32_t probenotes_larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Places of one machine are the same ones, perhaps more; those of another one are others. */
static uint32_t probenotes_both(uint32_t a, uint32_t b, bool same)
{
	return same ? probenotes_larger(a, b) : a < UINT32_MAX - b ? a + b : UINT32_MAX;
}

static void probenotes_add_note(struct probe_note *dst, const struct probe_note *src, bool same, bool later)
{
	struct probe_places *p = &dst->places;

	dst->cost_ns = probenotes_larger(dst->cost_ns, src->cost_ns);
	dst->own_ns = probenotes_larger(dst->own_ns, src->own_ns);
	p->sites = probenotes_both(p->sites, src->places.sites, same);
	p->processes = probenotes_both(p->processes, src->places.processes, same);
	p->inlined = probenotes_both(p->inlined, src->places.inlined, same);
	p->failed = probenotes_both(p->failed, src->places.failed, same);
	p->unseen_ns = p->unseen_ns > src->places.unseen_ns ? p->unseen_ns : src->places.unseen_ns;
	for (unsigned int kind = 0; kind < PROBE_LOSSES; kind++)
		dst->lost[kind] += src->lost[kind];
	probe_seen_add(&dst->seen, &src->seen);
	for (uint32_t i = 0; i < src->nr_unseen; i++)
		probe_unseen_add(dst->unseen, &dst->nr_unseen, &src->unseen[i]);
	/* Of another machine they are times of another clock. */
	for (uint32_t i = 0; same && i < src->nr_spells; i++)
		probe_spell_add(dst->spell, &dst->nr_spells, &src->spell[i]);
	if (same && later)
		dst->open = src->open;
	if (!same) {
		dst->open.calls = probenotes_both(dst->open.calls, src->open.calls, false);
		dst->open.oldest_ns = dst->open.oldest_ns > src->open.oldest_ns ? dst->open.oldest_ns :
			src->open.oldest_ns;
	}
	if (!dst->why[0])
		memcpy(dst->why, src->why, sizeof(dst->why));
}

bool probe_notes_add(struct probe_notes *dst, const struct probe_notes *src, bool same)
{
	const bool later = src->time_ns >= dst->time_ns;

	for (size_t i = 0; i < src->probe.n; i++) {
		const bool is_new = !probe_notes_of(dst, src->probe.v[i].probe);
		struct probe_note *note = probenotes_have(dst, src->probe.v[i].probe);

		if (!note)
			return false;
		probenotes_add_note(note, &src->probe.v[i], same, later || is_new);
	}
	dst->time_ns = later ? src->time_ns : dst->time_ns;
	return true;
}

/* What came of the spells of S since NS, of which BEFORE knew by then. */
static void probenotes_spells_since(struct probe_note *s, const struct probe_note *before, uint64_t ns)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nr_spells; i++) {
		struct probe_spell one = s->spell[i];

		if (one.to_ns <= ns)
			continue;
		for (uint32_t k = 0; k < before->nr_spells; k++)
			if (before->spell[k].from_ns == one.from_ns)
				one.on_ns -= before->spell[k].on_ns < one.on_ns ? before->spell[k].on_ns : one.on_ns;
		one.from_ns = one.from_ns > ns ? one.from_ns : ns;
		s->spell[n++] = one;
	}
	s->nr_spells = n;
}

struct probe_notes *probe_notes_since(const struct probe_notes *s, const struct probe_notes *then)
{
	AUTO(probe_notes_unref) struct probe_notes *r = probe_notes_new();

	if (!r || !vec_reserve(&r->probe, s->probe.n))
		return NULL;
	r->time_ns = s->time_ns;
	r->probe.n = s->probe.n;
	for (size_t i = 0; i < s->probe.n; i++) {
		const struct probe_note *before = probe_notes_of(then, s->probe.v[i].probe);

		r->probe.v[i] = s->probe.v[i];
		for (unsigned int kind = 0; before && kind < PROBE_LOSSES; kind++)
			r->probe.v[i].lost[kind] -= before->lost[kind];
		if (!before)
			continue;
		probe_seen_since(&r->probe.v[i].seen, &before->seen);
		probenotes_spells_since(&r->probe.v[i], before, then->time_ns);
	}
	return take_ptr(r);
}
