/* SPDX-License-Identifier: BSD-2-Clause */
/* intern.c - the memo of paths, and interning of what it does not know. */
#include "config.h"

#include "engine/intern.h"

#include <string.h>

#define AHEAD 8u                 /* places in the memo that are asked for before they are looked at */

bool intern_init(struct intern *it, struct dict *dict, uint64_t text_base)
{
	const struct module kernel = { .kind = MODULE_KERNEL };

	memset(it, 0, sizeof(*it));
	it->dict = dict;
	it->text_base = text_base;
	it->kernel = dict_module(dict, &kernel);
	return it->kernel != ID_NONE;
}

/* A stack to be interned. */
struct way {
	const struct chain *c;
	const struct raw_sample *s;
	uint32_t user, kernel;           /* frames of each side */
};

static struct way way_of(const struct intern *it, const struct chain *c, const struct raw_sample *s, bool user)
{
	struct way w = { c, s, user ? c->n : 0, s->nr_kernel < CHAIN_MAX ? s->nr_kernel : CHAIN_MAX };

	/* What wakes is told with the kernel's stack however few are asked for. */
	if (it->no_callers)
		w.kernel = !w.user && s->nr_kernel;
	return w;
}

/* Frame K from the root of W. */
static struct frame frame_at(const struct intern *it, const struct way *w, uint32_t k)
{
	uint32_t i;

	if (k < w->user)
		return w->c->frame[w->user - 1 - k];
	i = w->kernel - 1 - (k - w->user);
	/* Callers in the kernel are return addresses too, except the innermost. */
	return (struct frame){ .module = it->kernel, .offset = w->s->kernel[i] - (i > 0) - it->text_base };
}

/* A file that was never identified has no module: its frames are places unknown. */
static frame_id intern_add_frame(struct intern *it, const struct frame *f)
{
	frame_id id;

	if (f->module == ID_NONE)
		return dict_note(it->dict, NOTE_UNKNOWN);
	id = dict_frame(it->dict, f->module, f->offset);
	if (f->flags)
		dict_frame_flag(it->dict, id, f->flags);
	return id;
}

/*
 * Two hashes of different kind over the same words. That a frame is one of an interpreter comes to be known
 * later than the frame.
 */
static struct intern_key intern_mix(struct intern_key key, const struct frame *f)
{
	const uint64_t place = f->offset ^ (uint64_t)(f->flags & FRAME_F_INTERPRETER) << 62;

	key.a = (key.a ^ place) * 0x9e3779b97f4a7c15ull + f->module * 0xc2b2ae3d27d4eb4full;
	key.a ^= key.a >> 29;
	key.b = (key.b + f->offset + ((uint64_t)f->module << 40)) * 0xd6e8feb86659fd93ull;
	key.b ^= key.b >> 32;
	return key;
}

static struct intern_slot *intern_slot_of(struct intern *it, const struct intern_key *key)
{
	return &it->memo[key->b & (INTERN_MEMO - 1)];
}

static void make_keys(struct intern *it, const struct way *w, struct intern_key key)
{
	const uint32_t n = w->user + w->kernel;

	for (uint32_t k = 0; k < n; k++) {
		const struct frame f = frame_at(it, w, k);

		key = it->key[k] = intern_mix(key, &f);
		if (n - k <= AHEAD)
			__builtin_prefetch(intern_slot_of(it, &key), 1);
	}
}

/* How many of the N frames at hand, from the root, are remembered; *RET is the stack that the last of them ends. */
static uint32_t intern_recall(struct intern *it, uint32_t n, stack_id *ret)
{
	for (uint32_t k = n; k > 0; k--) {
		const struct intern_key *key = &it->key[k - 1];
		const struct intern_slot *slot = intern_slot_of(it, key);

		if (slot->a == key->a && slot->b == key->b >> 32) {
			*ret = slot->stack;
			return k;
		}
		if (k > AHEAD)
			__builtin_prefetch(intern_slot_of(it, key - AHEAD), 1);
	}
	return 0;
}

/* Looks up the frames of W that are not remembered, from the one after HAD on. */
static void intern_find_frames(struct intern *it, const struct way *w, uint32_t had)
{
	for (uint32_t k = had; k < w->user + w->kernel; k++) {
		const struct frame f = frame_at(it, w, k);

		dict_frame_ahead(it->dict, f.module, f.offset);
	}
	for (uint32_t k = had; k < w->user + w->kernel; k++) {
		const struct frame f = frame_at(it, w, k);

		it->path[k - had] = intern_add_frame(it, &f);
	}
}

static void intern_remember(struct intern *it, uint32_t had, uint32_t n)
{
	for (uint32_t k = had; k < n; k++) {
		const struct intern_key *key = &it->key[k];

		*intern_slot_of(it, key) = (struct intern_slot){ key->a, (uint32_t)(key->b >> 32), it->with[k - had] };
	}
}

stack_id intern_stack(struct intern *it, const struct chain *c, const struct raw_sample *s, bool user)
{
	const struct way w = way_of(it, c, s, user);
	const uint32_t n = w.user + w.kernel, cut = user ? c->cut : CUT_COMPLETE;
	stack_id stack = STACK_ROOT;
	uint32_t had;

	make_keys(it, &w, (struct intern_key){ 1 + cut, cut });
	had = intern_recall(it, n, &stack);
	if (!had && cut != CUT_COMPLETE)
		stack = dict_stack(it->dict, stack, dict_note(it->dict, NOTE_CUT + cut));
	if (stack == ID_NONE)
		return ID_NONE;
	intern_find_frames(it, &w, had);
	stack = dict_path(it->dict, stack, it->path, n - had, it->with);
	if (stack != ID_NONE)
		intern_remember(it, had, n);
	return stack;
}
