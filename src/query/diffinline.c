/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diffinline.c - finds out whether debug information gave both sides of a comparison the same
 * inlined calls. Places of one build that were sampled on both sides tell: they have the same
 * calls, unless one side had no debug information.
 */
#include "config.h"

#include "query/treediff.h"

#include "base/hash.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* A place in a file, and what one side knows of it. */
struct place {
	const struct module *module;
	uint64_t offset;
	bool inlined;
};

struct places {
	VEC(struct place) v;
	struct hidx index;
};

static uint64_t diffinline_place_hash(const struct place *p)
{
	return hash_2u64(hash_bytes(p->module->build_id, p->module->build_id_len), p->offset);
}

static uint64_t place_rehash(const void *ctx, uint32_t id)
{
	const struct places *p = ctx;

	return diffinline_place_hash(&p->v.v[id]);
}

static bool same_place(const struct place *a, const struct place *b)
{
	return a->offset == b->offset && a->module->build_id_len == b->module->build_id_len &&
	       !memcmp(a->module->build_id, b->module->build_id, a->module->build_id_len);
}

/* The place of FRAME, when its build is known. */
static bool known_place(const struct dict *d, const struct names *names, frame_id frame, struct place *ret)
{
	const struct frame *f = dict_get_frame(d, frame);
	const struct frame_names *fn = names_get(names, frame);

	ret->module = f ? dict_get_module(d, f->module) : NULL;
	if (!ret->module || !ret->module->build_id_len)
		return false;
	ret->offset = f->offset;
	ret->inlined = fn && fn->n > 1;
	return true;
}

static bool diffinline_add(struct places *p, const struct place *place)
{
	if (!vec_reserve(&p->v, 1))
		return false;
	p->v.v[p->v.n] = *place;
	if (!hidx_add(&p->index, diffinline_place_hash(place), (uint32_t)p->v.n, place_rehash, p))
		return false;
	p->v.n++;
	return true;
}

static bool diffinline_differs(const struct places *p, const struct place *place)
{
	const uint64_t h = diffinline_place_hash(place);
	uint32_t id;

	hidx_each(&p->index, h, id)
		if (same_place(&p->v.v[id], place))
			return p->v.v[id].inlined != place->inlined;
	return false;
}

int diff_inlines_differ(const struct dict *const dict[DIFF_SIDES], const struct names *const names[DIFF_SIDES],
			bool *ret, struct err *e)
{
	struct places places = { 0 };
	struct place place;
	bool ok = true, found = false;

	for (frame_id i = 0; ok && i < dict_frames(dict[DIFF_BEFORE]); i++)
		if (known_place(dict[DIFF_BEFORE], names[DIFF_BEFORE], i, &place))
			ok = diffinline_add(&places, &place);
	for (frame_id i = 0; ok && !found && i < dict_frames(dict[DIFF_AFTER]); i++)
		found = known_place(dict[DIFF_AFTER], names[DIFF_AFTER], i, &place) &&
			diffinline_differs(&places, &place);
	vec_free(&places.v);
	hidx_free(&places.index);
	if (!ok)
		return err_nomem(e, "the places of both recordings");
	*ret = found;
	return 0;
}
