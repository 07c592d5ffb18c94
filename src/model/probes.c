/* SPDX-License-Identifier: BSD-2-Clause */
/* probes.c - see probes.h. A probe's number is the order of its measure among those that were added. */
#include "config.h"

#include "model/probes.h"

#include "base/clock.h"
#include "base/text.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* All names of one probe, one allocation. */
struct placed {
	struct measure measure;
	char title[PROBES_TEXT_MAX], json[PROBES_TEXT_MAX], head[16], brief[8];
};

static pthread_mutex_t placed_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	const struct placed *placed;
	unsigned int measure;
	struct probe_places places;      /* under placed_lock, like the next */
	struct probe_open open;
	uint32_t own_ns;
	bool asked;
	uint32_t cost_ns;
	char why[PROBE_WHY_MAX];
	uint32_t nr_unseen;
	struct probe_spell spell[PROBE_SPELLS_MAX];
	uint32_t nr_spells;
	struct probe_unseen unseen[PROBE_UNSEEN_MAX];
	_Atomic uint64_t kernel_lost[PROBE_LOSSES], lost[PROBE_LOSSES];
	bool off;
	uint64_t since_ns, before_ns;    /* it was placed, 0 = it is off or nobody said; and for so long before that */
} probe_table[PROBES_MAX];
static _Atomic uint32_t nr_probes;

/* What stands at the head of its column: the name of the function or event, which is the last of its fields. */
static void probes_name_column(struct placed *p)
{
	const char *end = p->title + strcspn(p->title, " "), *at = end;

	while (at > p->title && at[-1] != ':')
		at--;
	text_cut_middle(p->head, sizeof(p->head), at, (size_t)(end - at), 8, true);
	text_cut_middle(p->brief, sizeof(p->brief), at, (size_t)(end - at), 5, true);
}

/* A name that needs no quotes in any format. */
static void probes_name_json(struct placed *p)
{
	size_t n = 0;

	for (const char *s = p->title; *s; s++)
		if (isalnum((unsigned char)*s))
			p->json[n++] = *s;
		else if (n && p->json[n - 1] != '_')
			p->json[n++] = '_';
	while (n && p->json[n - 1] == '_')
		n--;
	p->json[n] = 0;
}

static uint32_t probes_find(const char *text, size_t len, enum measure_unit unit)
{
	const uint32_t n = probes_count();

	for (uint32_t i = 0; i < n; i++) {
		const struct measure *m = &probe_table[i].placed->measure;

		if (m->unit == unit && strlen(m->name) == len && !memcmp(m->name, text, len))
			return i;
	}
	return PROBE_NONE;
}

static uint32_t probes_append(const char *text, size_t len, enum measure_unit unit)
{
	const uint32_t n = probes_count();
	struct placed *p = n < PROBES_MAX ? calloc(1, sizeof(*p)) : NULL;
	unsigned int id;

	if (!p)
		return PROBE_NONE;
	text_sanitise(p->title, sizeof(p->title), text, len);
	probes_name_column(p);
	probes_name_json(p);
	p->measure = (struct measure){
		.name = p->title, .title = p->title, .head = p->head, .brief = p->brief, .json = p->json,
		.about = "a probe", .unit = unit, .style = MEASURE_STYLE_OTHER,
		.kinds = 1u << EVENT_HIT, .probe = n + 1,
		.pprof = p->json, .counted = unit == UNIT_COUNT ? NULL : "hits",
	};
	id = measure_add(&p->measure);
	if (id == MEASURE_NONE) {
		free(p);
		return PROBE_NONE;
	}
	probe_table[n].placed = p;
	probe_table[n].measure = id;
	atomic_store_explicit(&nr_probes, n + 1, memory_order_release);
	return n;
}

uint32_t probes_add(const char *text, size_t len, enum measure_unit unit)
{
	uint32_t r;

	if (!len || len >= PROBES_TEXT_MAX || !text_is_clean(text, len))
		return PROBE_NONE;
	pthread_mutex_lock(&placed_lock);
	r = probes_find(text, len, unit);
	if (r == PROBE_NONE)
		r = probes_append(text, len, unit);
	pthread_mutex_unlock(&placed_lock);
	return r;
}

uint32_t probes_of_file(const char *text, size_t len, const char *unit, size_t unit_len)
{
	static const enum measure_unit units[] = { UNIT_COUNT, UNIT_TIME, UNIT_BYTES };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		const char *ours = measure_unit_name(units[i]);

		if (strlen(ours) == unit_len && !memcmp(ours, unit, unit_len))
			return probes_add(text, len, units[i]);
	}
	return PROBE_NONE;
}

uint32_t probes_count(void)
{
	return atomic_load_explicit(&nr_probes, memory_order_acquire);
}

const struct measure *probes_measure(uint32_t probe)
{
	return probe < probes_count() ? &probe_table[probe].placed->measure : NULL;
}

bool probes_has_calls(uint32_t probe)
{
	static const char *const ways[] = { "call:", "sys:", "span:" };
	const struct measure *m = probes_measure(probe);

	for (size_t i = 0; m && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strncmp(m->name, ways[i], strlen(ways[i])))
			return true;
	return false;
}

unsigned int probes_measure_id(uint32_t probe)
{
	return probe < probes_count() ? probe_table[probe].measure : MEASURE_NONE;
}

void probes_note_places(uint32_t probe, const struct probe_places *more)
{
	struct probe_places *p;

	if (probe >= probes_count())
		return;
	pthread_mutex_lock(&placed_lock);
	p = &probe_table[probe].places;
	p->sites += more->sites;
	p->processes += more->processes;
	p->failed += more->failed;
	p->inlined += more->inlined;
	p->unseen_ns = p->unseen_ns < more->unseen_ns ? more->unseen_ns : p->unseen_ns;
	pthread_mutex_unlock(&placed_lock);
}

void probes_note_own(uint32_t probe, uint32_t ns)
{
	if (probe >= probes_count())
		return;
	pthread_mutex_lock(&placed_lock);
	probe_table[probe].own_ns = probe_table[probe].own_ns < ns ? ns : probe_table[probe].own_ns;
	pthread_mutex_unlock(&placed_lock);
}

uint32_t probes_own_ns(uint32_t probe)
{
	uint32_t r = 0;

	if (probe >= probes_count())
		return r;
	pthread_mutex_lock(&placed_lock);
	r = probe_table[probe].own_ns;
	pthread_mutex_unlock(&placed_lock);
	return r;
}

struct probe_places probes_places(uint32_t probe)
{
	struct probe_places r = { 0 };

	if (probe >= probes_count())
		return r;
	pthread_mutex_lock(&placed_lock);
	r = probe_table[probe].places;
	pthread_mutex_unlock(&placed_lock);
	return r;
}

void probes_set_off(uint32_t probe, bool on)
{
	if (probe >= probes_count())
		return;
	pthread_mutex_lock(&placed_lock);
	probe_table[probe].off = on;
	if (!on && !probe_table[probe].since_ns) {
		probe_table[probe].since_ns = clock_mono_ns();
	} else if (on) {
		if (probe_table[probe].since_ns)
			probe_table[probe].before_ns += clock_mono_ns() - probe_table[probe].since_ns;
		probe_table[probe].since_ns = 0;
		probe_table[probe].places = (struct probe_places){ 0 };
		probe_table[probe].open = (struct probe_open){ 0 };
	}
	pthread_mutex_unlock(&placed_lock);
}

bool probes_is_off(uint32_t probe)
{
	bool off;

	if (probe >= probes_count())
		return false;
	pthread_mutex_lock(&placed_lock);
	off = probe_table[probe].off;
	pthread_mutex_unlock(&placed_lock);
	return off;
}

uint64_t probes_placed_ns(uint32_t probe)
{
	uint64_t since, before;

	if (probe >= probes_count())
		return UINT64_MAX;
	pthread_mutex_lock(&placed_lock);
	since = probe_table[probe].since_ns;
	before = probe_table[probe].before_ns;
	pthread_mutex_unlock(&placed_lock);
	if (!since && !before)
		return UINT64_MAX;
	return before + (since ? clock_mono_ns() - since : 0);
}

void probes_set_open(uint32_t probe, struct probe_open now)
{
	if (probe >= probes_count())
		return;
	pthread_mutex_lock(&placed_lock);
	if (!probe_table[probe].off)
		probe_table[probe].open = now;
	pthread_mutex_unlock(&placed_lock);
}

struct probe_open probes_open(uint32_t probe)
{
	struct probe_open r = { 0 };

	if (probe >= probes_count())
		return r;
	pthread_mutex_lock(&placed_lock);
	r = probe_table[probe].open;
	pthread_mutex_unlock(&placed_lock);
	return r;
}

void probes_ask(uint32_t probe)
{
	if (probe >= probes_count())
		return;
	pthread_mutex_lock(&placed_lock);
	probe_table[probe].asked = true;
	pthread_mutex_unlock(&placed_lock);
}

bool probes_asked(uint32_t probe)
{
	bool r;

	if (probe >= probes_count())
		return false;
	pthread_mutex_lock(&placed_lock);
	r = probe_table[probe].asked;
	pthread_mutex_unlock(&placed_lock);
	return r;
}

void probes_note_cost(uint32_t probe, uint32_t ns)
{
	if (probe >= probes_count())
		return;
	pthread_mutex_lock(&placed_lock);
	if (probe_table[probe].cost_ns < ns)
		probe_table[probe].cost_ns = ns;
	pthread_mutex_unlock(&placed_lock);
}

void probes_set_cost(uint32_t probe, uint32_t ns)
{
	if (probe >= probes_count())
		return;
	pthread_mutex_lock(&placed_lock);
	probe_table[probe].cost_ns = ns;
	pthread_mutex_unlock(&placed_lock);
}

uint32_t probes_cost_ns(uint32_t probe)
{
	uint32_t r;

	if (probe >= probes_count())
		return 0;
	pthread_mutex_lock(&placed_lock);
	r = probe_table[probe].cost_ns;
	pthread_mutex_unlock(&placed_lock);
	return r;
}

void probes_note_why(uint32_t probe, const char *why)
{
	if (probe >= probes_count())
		return;
	pthread_mutex_lock(&placed_lock);
	text_sanitise(probe_table[probe].why, sizeof(probe_table[probe].why), why, strlen(why));
	pthread_mutex_unlock(&placed_lock);
}

char *probes_why(uint32_t probe, char dst[PROBE_WHY_MAX])
{
	dst[0] = '\0';
	if (probe >= probes_count())
		return dst;
	pthread_mutex_lock(&placed_lock);
	memcpy(dst, probe_table[probe].why, PROBE_WHY_MAX);
	pthread_mutex_unlock(&placed_lock);
	return dst;
}

void probes_set_lost(uint32_t probe, enum probe_loss kind, uint64_t n)
{
	if (probe < probes_count())
		atomic_store_explicit(&probe_table[probe].kernel_lost[kind], n, memory_order_relaxed);
}

void probes_lose(uint32_t probe, enum probe_loss kind, uint64_t n)
{
	if (probe < probes_count())
		atomic_fetch_add_explicit(&probe_table[probe].lost[kind], n, memory_order_relaxed);
}

uint64_t probes_lost(uint32_t probe, enum probe_loss kind)
{
	if (probe >= probes_count())
		return 0;
	return atomic_load_explicit(&probe_table[probe].kernel_lost[kind], memory_order_relaxed) +
	       atomic_load_explicit(&probe_table[probe].lost[kind], memory_order_relaxed);
}

void probe_unseen_add(struct probe_unseen list[PROBE_UNSEEN_MAX], uint32_t *nr, const struct probe_unseen *one)
{
	struct probe_unseen add = *one;
	uint32_t at = 0;

	/* What is known of the same process goes, if it is no longer. */
	for (uint32_t i = 0; i < *nr; i++) {
		if (list[i].pid != add.pid)
			continue;
		if (list[i].ns >= add.ns)
			return;
		memmove(&list[i], &list[i + 1], (*nr - i - 1) * sizeof(*list));
		--*nr;
		break;
	}
	while (at < *nr && list[at].ns >= add.ns)
		at++;
	if (at == PROBE_UNSEEN_MAX)
		return;
	*nr -= *nr == PROBE_UNSEEN_MAX;
	memmove(&list[at + 1], &list[at], (*nr - at) * sizeof(*list));
	list[at] = add;
	++*nr;
}

void probes_note_unseen(uint32_t probe, const struct probe_unseen *one)
{
	if (probe >= probes_count())
		return;
	pthread_mutex_lock(&placed_lock);
	probe_unseen_add(probe_table[probe].unseen, &probe_table[probe].nr_unseen, one);
	pthread_mutex_unlock(&placed_lock);
}

uint32_t probes_unseen(uint32_t probe, struct probe_unseen ret[PROBE_UNSEEN_MAX])
{
	uint32_t n = 0;

	if (probe >= probes_count())
		return 0;
	pthread_mutex_lock(&placed_lock);
	n = probe_table[probe].nr_unseen;
	memcpy(ret, probe_table[probe].unseen, n * sizeof(*ret));
	pthread_mutex_unlock(&placed_lock);
	return n;
}

void probe_spell_add(struct probe_spell list[PROBE_SPELLS_MAX], uint32_t *nr, const struct probe_spell *one)
{
	uint32_t at = *nr;

	while (at && list[at - 1].from_ns > one->from_ns)
		at--;
	if (at && list[at - 1].from_ns == one->from_ns) {
		if (list[at - 1].to_ns < one->to_ns)
			list[at - 1] = *one;
		return;
	}
	if (*nr == PROBE_SPELLS_MAX) {
		/* Between them it was in place. */
		list[1].on_ns += list[0].on_ns;
		list[1].on_ns += list[1].from_ns > list[0].to_ns ? list[1].from_ns - list[0].to_ns : 0;
		list[1].from_ns = list[0].from_ns;
		memmove(&list[0], &list[1], (PROBE_SPELLS_MAX - 1) * sizeof(*list));
		--*nr;
		at -= at > 0;
	}
	memmove(&list[at + 1], &list[at], (*nr - at) * sizeof(*list));
	list[at] = *one;
	++*nr;
}

void probes_note_spell(uint32_t probe, const struct probe_spell *now)
{
	if (probe >= probes_count())
		return;
	pthread_mutex_lock(&placed_lock);
	probe_spell_add(probe_table[probe].spell, &probe_table[probe].nr_spells, now);
	pthread_mutex_unlock(&placed_lock);
}

uint32_t probes_spells(uint32_t probe, struct probe_spell ret[PROBE_SPELLS_MAX])
{
	uint32_t n = 0;

	if (probe >= probes_count())
		return 0;
	pthread_mutex_lock(&placed_lock);
	n = probe_table[probe].nr_spells;
	memcpy(ret, probe_table[probe].spell, n * sizeof(*ret));
	pthread_mutex_unlock(&placed_lock);
	return n;
}
