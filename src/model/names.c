/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.c - functions are interned like everything in a dictionary; what a frame is called hangs on
 * one atomic pointer.
 *
 * The pointers live in a paged array indexed by frame id, which grows to the highest frame that was
 * named, so frames may be named in any order. A new answer is built in the arena and swung in with
 * a release store; the old one stays where it is, because a reader may be looking at it. A frame is
 * named at most a few times (symbol table, debug information, a JIT map that was read again), so
 * what stays behind is small. Which frames were named is logged in the order in which that
 * happened, so who follows need not look at all.
 */
#include "config.h"

#include "model/names.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/pages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAMES_PER_FRAME_MAX 1000u

typedef _Atomic(const struct frame_names *) slot_t;

struct names {
	struct strtab *strings;
	struct pages funcs;              /* of struct func */
	struct hidx index;               /* of funcs; the writer's alone */
	struct pages slots;              /* of slot_t, by frame id; NULL = not named */
	struct arena arena;              /* every struct frame_names ever set */
	struct pages log;                /* of frame_id: each that was named, in order; how many is the generation */
};

static uint64_t hash_func(const struct func *f)
{
	return hash_2u64(hash_2u64(f->name, (uint64_t)f->module << 8 | f->kind), hash_2u64(f->start, f->size));
}

static uint64_t rehash_func(const void *ctx, uint32_t id)
{
	const struct names *ns = ctx;

	return hash_func(pages_at(&ns->funcs, id));
}

static bool names_same_func(const struct func *a, const struct func *b)
{
	return a->name == b->name && a->module == b->module && a->start == b->start && a->size == b->size &&
		a->kind == b->kind;
}

struct names *names_new(void)
{
	struct names *ns = calloc(1, sizeof(*ns));

	if (!ns)
		return NULL;
	pages_init(&ns->funcs, sizeof(struct func));
	pages_init(&ns->slots, sizeof(slot_t));
	pages_init(&ns->log, sizeof(frame_id));
	ns->strings = strtab_new();
	if (!ns->strings) {
		names_free(ns);
		return NULL;
	}
	return ns;
}

void names_free(struct names *ns)
{
	if (!ns)
		return;
	strtab_free(ns->strings);
	pages_free(&ns->funcs);
	pages_free(&ns->slots);
	pages_free(&ns->log);
	hidx_free(&ns->index);
	arena_reset(&ns->arena);
	free(ns);
}

const struct frame_names *names_get(const struct names *ns, frame_id frame)
{
	slot_t *slot;

	if (frame >= pages_count(&ns->slots))
		return NULL;
	slot = pages_at(&ns->slots, frame);
	return atomic_load_explicit(slot, memory_order_acquire);
}

const struct func *names_func(const struct names *ns, func_id id)
{
	return id < pages_count(&ns->funcs) ? pages_at(&ns->funcs, id) : NULL;
}

const char *names_text(const struct names *ns, str_id id)
{
	return strtab_get(ns->strings, id);
}

bool names_by_place(const struct names *ns, const struct func *f)
{
	const char *text = names_text(ns, f->name);
	char place[24];
	size_t len, tail;

	if (f->kind != FUNC_USER)
		return false;
	len = strlen(text);
	tail = (size_t)snprintf(place, sizeof(place), "+0x%" PRIx64, f->start);
	return len > tail && !strcmp(text + len - tail, place);
}

uint32_t names_funcs(const struct names *ns)
{
	return pages_count(&ns->funcs);
}

uint32_t names_strings(const struct names *ns)
{
	return strtab_count(ns->strings);
}

uint64_t names_generation(const struct names *ns)
{
	return pages_count(&ns->log);
}

frame_id names_changed(const struct names *ns, uint64_t at)
{
	return *(const frame_id *)pages_at(&ns->log, (uint32_t)at);
}

str_id names_add_text(struct names *ns, const char *s, size_t len)
{
	return strtab_add(ns->strings, s, len);
}

func_id names_add_func(struct names *ns, const struct func *f)
{
	const uint64_t h = hash_func(f);
	const uint32_t id = pages_count(&ns->funcs);
	struct func *slot;
	uint32_t have;

	hidx_each(&ns->index, h, have)
		if (names_same_func(pages_at(&ns->funcs, have), f))
			return have;
	slot = pages_reserve(&ns->funcs);
	if (!slot)
		return ID_NONE;
	*slot = *f;
	if (!hidx_add(&ns->index, h, id, rehash_func, ns))
		return ID_NONE;
	pages_commit(&ns->funcs);
	return id;
}

/*
 * The slot of FRAME, made when the array does not reach it yet; NULL when out of memory or FRAME is
 * beyond every dictionary.
 */
static slot_t *names_slot_of(struct names *ns, frame_id frame)
{
	while (pages_count(&ns->slots) <= frame) {
		if (!pages_reserve(&ns->slots))
			return NULL;
		pages_commit(&ns->slots);
	}
	return pages_at(&ns->slots, frame);
}

int names_set(struct names *ns, frame_id frame, const struct name *name, uint16_t n, bool detailed)
{
	struct frame_names *fn;
	frame_id *logged;
	slot_t *slot;

	if (!n || n > NAMES_PER_FRAME_MAX)
		return -EINVAL;
	if (frame >= PAGES_MAX)
		return -ENOMEM;
	fn = arena_alloc(&ns->arena, sizeof(*fn) + n * sizeof(*name));
	slot = names_slot_of(ns, frame);
	logged = pages_reserve(&ns->log);
	if (!fn || !slot || !logged)
		return -ENOMEM;
	fn->n = n;
	fn->detailed = detailed;
	memcpy(fn->name, name, n * sizeof(*name));
	atomic_store_explicit(slot, fn, memory_order_release);
	/* After it is there: who reads of it can have it. */
	*logged = frame;
	pages_commit(&ns->log);
	return 0;
}

size_t names_bytes(const struct names *ns)
{
	return strtab_bytes(ns->strings) + pages_bytes(&ns->funcs) + pages_bytes(&ns->slots) + pages_bytes(&ns->log) +
	       ns->arena.total + hidx_bytes(&ns->index);
}
