/* SPDX-License-Identifier: BSD-2-Clause */
/* probecode.c - see probecode.h. What was noted stays as it is, so readers keep pointers into it. */
#include "config.h"

#include "model/probecode.h"

#include "model/probes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t code_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	VEC(struct probe_code) code;
} code_table[PROBES_MAX];

static bool code_is_same(const struct probe_code *a, const struct probe_code *b)
{
	if (a->n != b->n || a->start != b->start || a->returns != b->returns ||
	    strcmp(a->path, b->path) || strcmp(a->symbol, b->symbol))
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->block[i].vaddr != b->block[i].vaddr || a->block[i].size != b->block[i].size ||
		    a->block[i].target != b->block[i].target || a->block[i].end != b->block[i].end)
			return false;
	return true;
}

static void code_clear(const struct probe_code *c)
{
	free((void *)(uintptr_t)c->path);
	free((void *)(uintptr_t)c->symbol);
	free((void *)(uintptr_t)c->name);
	free((void *)(uintptr_t)c->block);
}

/* A copy of CODE; false when out of memory. */
static bool code_copy(const struct probe_code *code, struct probe_code *ret)
{
	struct code_block *block = calloc(code->n, sizeof(*block));

	*ret = *code;
	ret->path = strdup(code->path);
	ret->symbol = strdup(code->symbol);
	ret->name = strdup(code->name);
	ret->block = block;
	if (!ret->path || !ret->symbol || !ret->name || !block) {
		code_clear(ret);
		return false;
	}
	memcpy(block, code->block, code->n * sizeof(*block));
	return true;
}

/* The lock is held. */
static uint32_t code_note_locked(uint32_t probe, const struct probe_code *code)
{
	const size_t n = code_table[probe].code.n;
	struct probe_code *at, copy;
	uint32_t first = 0;

	for (size_t i = 0; i < n; i++) {
		at = &code_table[probe].code.v[i];
		if (code_is_same(at, code))
			return at->first;
		first = at->first + at->n;
	}
	if (code->n > CODE_NUMBERS_MAX - first || !code_copy(code, &copy))
		return CODE_NUMBERS_MAX;
	at = vec_push(&code_table[probe].code);
	if (!at) {
		code_clear(&copy);
		return CODE_NUMBERS_MAX;
	}
	*at = copy;
	at->first = first;
	at->probe = probe;
	return first;
}

uint32_t probe_code_note(uint32_t probe, const struct probe_code *code)
{
	uint32_t first;

	if (probe >= PROBES_MAX || !code->n || code->n > CODE_BLOCKS_MAX)
		return CODE_NUMBERS_MAX;
	pthread_mutex_lock(&code_lock);
	first = code_note_locked(probe, code);
	pthread_mutex_unlock(&code_lock);
	return first;
}

bool probe_code_get(uint32_t probe, uint32_t nr, struct probe_code *ret)
{
	bool found;

	if (probe >= PROBES_MAX)
		return false;
	pthread_mutex_lock(&code_lock);
	found = nr < code_table[probe].code.n;
	if (found)
		*ret = code_table[probe].code.v[nr];
	pthread_mutex_unlock(&code_lock);
	return found;
}

bool probe_code_find(uint32_t probe, uint32_t number, struct probe_code *ret)
{
	for (uint32_t i = 0; probe_code_get(probe, i, ret); i++)
		if (number - ret->first < ret->n)
			return true;
	return false;
}
