/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * group.c - sorts all threads of a dictionary into the groups that a question asks for: processes,
 * threads, command names, cgroups, NUMA nodes.
 */
#include "config.h"

#include "query/group.h"

#include "query/threadtext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t group_hash_text(const struct dict *d, str_id id)
{
	return hash_bytes(strtab_get(dict_strings(d), id), strtab_len(dict_strings(d), id));
}

static uint64_t group_hash(const struct group *g)
{
	return hash_2u64(hash_2u64(g->id[0], g->id[1]), g->up);
}

static uint64_t group_rehash(const void *ctx, uint32_t id)
{
	const struct groups *g = ctx;

	return group_hash(&g->v.v[id]);
}

/* The group equal to KEY, made when there is none; GROUP_TOP when out of memory. */
static uint32_t group_intern(struct groups *g, const struct group *key)
{
	const uint64_t h = group_hash(key);
	uint32_t id;

	hidx_each(&g->index, h, id) {
		const struct group *have = &g->v.v[id];

		if (have->kind == key->kind && have->id[0] == key->id[0] && have->id[1] == key->id[1] &&
		    have->up == key->up)
			return id;
	}
	if (!vec_reserve(&g->v, 1))
		return GROUP_TOP;
	g->v.v[g->v.n] = *key;
	if (!hidx_add(&g->index, h, (uint32_t)g->v.n, group_rehash, g))
		return GROUP_TOP;
	return (uint32_t)g->v.n++;
}

static uint32_t intern_text(struct groups *g, const struct dict *d, thread_id id, str_id text)
{
	const struct group key = {
		.id = { text },
		.hash = group_hash_text(d, text),
		.up = GROUP_TOP,
		.kind = NODE_GROUP,
		.thread = id,
		.node = NODE_NONE,
	};

	return group_intern(g, &key);
}

/* The process of T; its main thread, under the name it had last, stands for it once that is known. */
static uint32_t intern_process(struct groups *g, const struct dict *d, thread_id id, const struct thread *t)
{
	const struct group key = {
		.id = { (uint32_t)t->pid, (uint64_t)t->host << 32 | t->exe },
		.hash = hash_2u64((uint32_t)t->pid, group_hash_text(d, t->exe)),
		.up = GROUP_TOP,
		.kind = NODE_GROUP,
		.thread = id,
		.node = NODE_NONE,
	};
	const uint32_t group = group_intern(g, &key);

	if (group != GROUP_TOP && t->tid == t->pid)
		g->v.v[group].thread = id;
	return group;
}

/* The thread T whatever it called itself; its last name stands for it. */
static uint32_t intern_thread(struct groups *g, const struct dict *d, thread_id id, const struct thread *t)
{
	struct group key = {
		.id = { (uint32_t)t->tid, t->start_ns },
		.hash = hash_2u64((uint32_t)t->tid, t->start_ns),
		.up = intern_process(g, d, id, t),
		.kind = NODE_GROUP,
		.thread = id,
		.node = NODE_NONE,
	};
	uint32_t group;

	if (key.up == GROUP_TOP)
		return GROUP_TOP;
	group = group_intern(g, &key);
	if (group != GROUP_TOP)
		g->v.v[group].thread = id;
	return group;
}

static uint32_t group_of_thread(struct groups *g, const struct dict *d, enum group_by by, thread_id id)
{
	const struct thread_text *text = thread_text_grouped(by);
	const struct thread *t = dict_get_thread(d, id);

	if (text)
		return intern_text(g, d, id, thread_text_id(text, t));
	return by == GROUP_THREAD ? intern_thread(g, d, id, t) : intern_process(g, d, id, t);
}

/* GROUP with all above it below TOP. */
static uint32_t group_below(struct groups *g, uint32_t group, const struct group *top)
{
	struct group key = *top;

	if (group != GROUP_TOP) {
		key = g->v.v[group];
		key.up = group_below(g, key.up, top);
		key.node = NODE_NONE;
		if (key.up == GROUP_TOP)
			return GROUP_TOP;
	}
	return group_intern(g, &key);
}

uint32_t groups_on_node(struct groups *g, uint32_t group, uint16_t numa)
{
	return group_below(g, group, &(struct group){ .id = { numa }, .hash = numa, .up = GROUP_TOP,
						      .kind = NODE_NUMA, .numa = numa, .node = NODE_NONE });
}

uint32_t groups_in_place(struct groups *g, uint32_t group, uint32_t place)
{
	return group_below(g, group, &(struct group){ .id = { place }, .hash = place, .up = GROUP_TOP,
						      .kind = NODE_SPAN, .numa = place, .node = NODE_NONE });
}

int groups_build(struct groups *g, const struct dict *d, enum group_by by)
{
	const uint32_t threads = dict_threads(d);

	memset(g, 0, sizeof(*g));
	if (by == GROUP_NONE)
		return 0;
	g->of_thread = malloc((threads + 1ul) * sizeof(*g->of_thread));
	for (thread_id id = 0; g->of_thread && id < threads; id++) {
		g->of_thread[id] = group_of_thread(g, d, by, id);
		if (g->of_thread[id] == GROUP_TOP)
			groups_free(g);
	}
	return g->of_thread ? 0 : -ENOMEM;
}

void groups_free(struct groups *g)
{
	vec_free(&g->v);
	hidx_free(&g->index);
	free(g->of_thread);
	g->of_thread = NULL;
}
