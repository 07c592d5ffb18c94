/* SPDX-License-Identifier: BSD-2-Clause */
/* probevalues.c - see probevalues.h. */
#include "config.h"

#include "model/probevalues.h"

#include "base/text.h"
#include "model/probes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* While they are counted: in no order. */
struct counting {
	char name[sizeof(((struct probe_values *)0)->name)];
	uint64_t total;
	uint32_t n;
	struct probe_value v[PROBE_VALUES_KEPT];
};

struct counting_probe {
	uint64_t looked, looked_for;
	struct counting list[PROBE_LISTS_MAX];   /* by number of the argument; without a name there is none */
};

static pthread_mutex_t values_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	struct counting_probe *c;        /* NULL = nothing was looked at */
	struct {
		struct probe_param p;
		bool noted;
	} param[PROBE_LISTS_MAX];
} values_table[PROBES_MAX];

/* What is counted of PROBE; NULL when out of memory. The lock is held. */
static struct counting_probe *probevalues_of(uint32_t probe)
{
	if (probe < PROBES_MAX && !values_table[probe].c)
		values_table[probe].c = calloc(1, sizeof(struct counting_probe));
	return probe < PROBES_MAX ? values_table[probe].c : NULL;
}

void probe_values_look(uint32_t probe, uint64_t count)
{
	struct counting_probe *c;

	pthread_mutex_lock(&values_lock);
	c = probevalues_of(probe);
	if (c) {
		c->looked++;
		c->looked_for += count;
	}
	pthread_mutex_unlock(&values_lock);
}

static void probevalues_count(struct counting *l, const char *text, uint64_t count)
{
	uint32_t least = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		if (!strcmp(l->v[i].text, text)) {
			l->v[i].count += count;
			return;
		}
		if (l->v[i].count < l->v[least].count)
			least = i;
	}
	if (l->n < PROBE_VALUES_KEPT) {
		least = l->n++;
		l->v[least] = (struct probe_value){ .count = 0 };
	}
	l->v[least].error = l->v[least].count;
	l->v[least].count += count;
	text_format(l->v[least].text, sizeof(l->v[least].text), "%s", text);
}

void probe_values_see(uint32_t probe, unsigned int at, const char *name, const char *text, uint64_t count)
{
	char clean[PROBE_VALUE_TEXT_MAX];
	struct counting_probe *c;

	text_sanitise(clean, sizeof(clean), text, strlen(text));
	pthread_mutex_lock(&values_lock);
	c = at < PROBE_LISTS_MAX && *name ? probevalues_of(probe) : NULL;
	if (c) {
		if (!c->list[at].name[0])
			text_sanitise(c->list[at].name, sizeof(c->list[at].name), name, strlen(name));
		c->list[at].total += count;
		probevalues_count(&c->list[at], clean, count);
	}
	pthread_mutex_unlock(&values_lock);
}

void probe_values_add(struct probe_values *l, const struct probe_value *value)
{
	struct probe_value add = *value;
	uint32_t at = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		if (strcmp(l->v[i].text, add.text))
			continue;
		add.count += l->v[i].count;
		add.error += l->v[i].error;
		memmove(&l->v[i], &l->v[i + 1], (l->n - i - 1) * sizeof(l->v[0]));
		l->n--;
		break;
	}
	while (at < l->n && l->v[at].count >= add.count)
		at++;
	if (at == PROBE_VALUES_MAX)
		return;
	l->n -= l->n == PROBE_VALUES_MAX;
	memmove(&l->v[at + 1], &l->v[at], (l->n - at) * sizeof(l->v[0]));
	l->v[at] = add;
	l->n++;
}

void probe_values_get(uint32_t probe, struct probe_seen *ret)
{
	const struct counting_probe *c;

	memset(ret, 0, sizeof(*ret));
	pthread_mutex_lock(&values_lock);
	c = probe < PROBES_MAX ? values_table[probe].c : NULL;
	if (c) {
		ret->looked = c->looked;
		ret->looked_for = c->looked_for;
	}
	for (uint32_t i = 0; c && i < PROBE_LISTS_MAX; i++) {
		struct probe_values *l = &ret->list[ret->n];

		if (!c->list[i].name[0])
			continue;
		ret->n++;
		memcpy(l->name, c->list[i].name, sizeof(l->name));
		l->total = c->list[i].total;
		for (uint32_t k = 0; k < c->list[i].n; k++)
			probe_values_add(l, &c->list[i].v[k]);
	}
	pthread_mutex_unlock(&values_lock);
}

struct probe_values *probe_seen_list(struct probe_seen *s, const char *name)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!strcmp(s->list[i].name, name))
			return &s->list[i];
	if (s->n == PROBE_LISTS_MAX || !*name)
		return NULL;
	text_format(s->list[s->n].name, sizeof(s->list[s->n].name), "%s", name);
	return &s->list[s->n++];
}

void probe_seen_add(struct probe_seen *dst, const struct probe_seen *src)
{
	dst->looked += src->looked;
	dst->looked_for += src->looked_for;
	for (uint32_t i = 0; i < src->n; i++) {
		struct probe_values *l = probe_seen_list(dst, src->list[i].name);

		if (!l)
			continue;
		l->total += src->list[i].total;
		for (uint32_t k = 0; k < src->list[i].n; k++)
			probe_values_add(l, &src->list[i].v[k]);
	}
}

static uint64_t probevalues_less(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

static void probevalues_since(struct probe_values *now, const struct probe_values *then)
{
	const struct probe_values all = *now;

	now->total = probevalues_less(now->total, then->total);
	now->n = 0;
	for (uint32_t i = 0; i < all.n; i++) {
		struct probe_value v = all.v[i];

		for (uint32_t k = 0; k < then->n; k++)
			if (!strcmp(then->v[k].text, v.text)) {
				v.count = probevalues_less(v.count, then->v[k].count);
				v.error = probevalues_less(v.error, then->v[k].error);
			}
		if (v.count)
			probe_values_add(now, &v);
	}
}

void probe_seen_since(struct probe_seen *now, const struct probe_seen *then)
{
	now->looked = probevalues_less(now->looked, then->looked);
	now->looked_for = probevalues_less(now->looked_for, then->looked_for);
	for (uint32_t i = 0; i < now->n; i++)
		for (uint32_t k = 0; k < then->n; k++)
			if (!strcmp(now->list[i].name, then->list[k].name))
				probevalues_since(&now->list[i], &then->list[k]);
}

void probe_param_note(uint32_t probe, unsigned int at, const struct probe_param *p)
{
	static const struct probe_param none = { .name = "" };
	struct probe_param *have;

	if (probe >= PROBES_MAX || at >= PROBE_LISTS_MAX)
		return;
	pthread_mutex_lock(&values_lock);
	have = &values_table[probe].param[at].p;
	if (!values_table[probe].param[at].noted)
		*have = p ? *p : none;
	else if (!p || strcmp(have->name, p->name) || have->size != p->size || have->is_signed != p->is_signed ||
		 have->is_pointer != p->is_pointer)
		*have = none;
	values_table[probe].param[at].noted = true;
	pthread_mutex_unlock(&values_lock);
}

struct probe_param probe_param_get(uint32_t probe, unsigned int at)
{
	struct probe_param r = { .name = "" };

	if (probe >= PROBES_MAX || at >= PROBE_LISTS_MAX)
		return r;
	pthread_mutex_lock(&values_lock);
	r = values_table[probe].param[at].p;
	pthread_mutex_unlock(&values_lock);
	return r;
}

static struct {
	struct probe_print p;
	bool noted;
} prints_table[PROBES_MAX][PROBE_PRINTS_MAX];

void probe_print_note(uint32_t probe, unsigned int at, const struct probe_print *p)
{
	if (probe >= PROBES_MAX || at >= PROBE_PRINTS_MAX)
		return;
	pthread_mutex_lock(&values_lock);
	if (!prints_table[probe][at].noted)
		prints_table[probe][at].p = *p;
	else if (memcmp(&prints_table[probe][at].p, p, sizeof(*p)))
		prints_table[probe][at].p.known = false;
	prints_table[probe][at].noted = true;
	pthread_mutex_unlock(&values_lock);
}

struct probe_print probe_print_get(uint32_t probe, unsigned int at)
{
	struct probe_print r = { .known = false };

	if (probe >= PROBES_MAX || at >= PROBE_PRINTS_MAX)
		return r;
	pthread_mutex_lock(&values_lock);
	r = prints_table[probe][at].p;
	pthread_mutex_unlock(&values_lock);
	return r;
}
