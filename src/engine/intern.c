/* SPDX-License-Identifier: BSD-2-Clause */
/* intern.c - the memo, and what happens on a miss. */
#include "config.h"

#include "engine/intern.h"

#include "base/hash.h"

#include <string.h>

bool intern_init(struct intern *it, struct dict *dict, uint64_t text_base)
{
	const struct module kernel = { .kind = MODULE_KERNEL };

	memset(it, 0, sizeof(*it));
	it->dict = dict;
	it->text_base = text_base;
	it->kernel = dict_module(dict, &kernel);
	return it->kernel != ID_NONE;
}

/* A file that was never identified has no module: its frames are places unknown. */
static frame_id user_frame(struct intern *it, const struct frame *f)
{
	return f->module == ID_NONE ? dict_note(it->dict, NOTE_UNKNOWN) : dict_frame(it->dict, f->module, f->offset);
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return a->offset == b->offset && a->module == b->module;
}

/*
 * Frames of the user side that C shares with R, the stack that its thread had before, counted from the root; R, which is to be C's, gets
 * the others.
 */
static uint32_t take_over(struct intern_recent *r, const struct chain *c)
{
	const uint32_t had = r->cut == c->cut ? r->n : 0, n = c->n < INTERN_DEPTH ? c->n : INTERN_DEPTH;
	uint32_t shared = 0;

	while (shared < n && shared < had && same_frame(&c->frame[c->n - 1 - shared], &r->frame[shared]))
		shared++;
	for (uint32_t k = shared; k < n; k++)
		r->frame[k] = c->frame[c->n - 1 - k];
	r->cut = c->cut;
	r->n = n;
	return shared;
}

/* The user side on top of STACK. What R, the stack that this thread had before, shares with it is not looked up. */
static stack_id add_user(struct intern *it, struct intern_recent *r, const struct chain *c, stack_id stack)
{
	const uint32_t shared = take_over(r, c), more = c->n - shared;

	for (uint32_t k = 0; k < more; k++)
		it->path[k] = user_frame(it, &c->frame[more - 1 - k]);
	stack = dict_path(it->dict, shared ? r->stack[shared - 1] : stack, it->path, more, it->with);
	for (uint32_t k = shared; k < r->n; k++)
		r->stack[k] = it->with[k - shared];
	/* Without memory there is nothing to share. */
	if (stack == ID_NONE)
		r->n = 0;
	return stack;
}

static stack_id add_kernel(struct intern *it, const struct raw_sample *s, stack_id stack)
{
	const uint32_t n = s->nr_kernel < CHAIN_MAX ? s->nr_kernel : CHAIN_MAX;

	for (uint32_t k = 0, i = n; i-- > 0; k++) {
		/* Callers in the kernel are return addresses too, except the innermost. */
		const uint64_t at = s->kernel[i] - (i > 0) - it->text_base;

		it->path[k] = dict_frame(it->dict, it->kernel, at);
	}
	return dict_path(it->dict, stack, it->path, n, it->with);
}

static stack_id add_stack(struct intern *it, thread_id thread, const struct chain *c, const struct raw_sample *s, bool user)
{
	stack_id stack = STACK_ROOT;

	if (user && c->cut != CUT_COMPLETE)
		stack = dict_stack(it->dict, stack, dict_note(it->dict, NOTE_CUT + c->cut));
	if (user && stack != ID_NONE)
		stack = add_user(it, &it->recent[thread & (INTERN_THREADS - 1)], c, stack);
	return stack == ID_NONE ? ID_NONE : add_kernel(it, s, stack);
}

/* Two hashes of different kind over the same words: a sum of products, and a chain of mixes. */
static inline void mix(struct intern_slot *key, uint64_t word)
{
	key->a = (key->a ^ word) * 0x9e3779b97f4a7c15ull;
	key->a ^= key->a >> 29;
	key->b = (key->b + word) * 0xd6e8feb86659fd93ull;
	key->b ^= key->b >> 32;
}

static struct intern_slot key_of(const struct chain *c, const struct raw_sample *s, bool user)
{
	struct intern_slot key = { .a = 1, .b = (uint64_t)c->n << 32 | s->nr_kernel };

	mix(&key, user ? (uint64_t)c->cut : UINT64_MAX);
	for (uint32_t i = 0; i < c->n; i++) {
		mix(&key, c->frame[i].offset);
		mix(&key, c->frame[i].module);
	}
	for (uint32_t i = 0; i < s->nr_kernel; i++)
		mix(&key, s->kernel[i]);
	return key;
}

stack_id intern_stack(struct intern *it, thread_id thread, const struct chain *c, const struct raw_sample *s, bool user)
{
	struct intern_slot key = key_of(c, s, user);
	struct intern_slot *slot = &it->memo[hash_u64(key.a) & (INTERN_MEMO - 1)];

	if (slot->a == key.a && slot->b == key.b)
		return slot->stack;
	key.stack = add_stack(it, thread, c, s, user);
	if (key.stack != ID_NONE)
		*slot = key;
	return key.stack;
}
