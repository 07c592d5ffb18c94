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

static stack_id add_stack(struct intern *it, const struct chain *c, const struct raw_sample *s, bool user)
{
	stack_id stack = STACK_ROOT;

	if (user && c->cut != CUT_COMPLETE)
		stack = dict_stack(it->dict, stack, dict_note(it->dict, NOTE_CUT + c->cut));
	for (uint32_t i = c->n; i-- > 0;)
		stack = dict_stack(it->dict, stack, user_frame(it, &c->frame[i]));
	for (uint32_t i = s->nr_kernel; i-- > 0;) {
		/* Callers in the kernel are return addresses too, except the innermost. */
		const uint64_t at = s->kernel[i] - (i > 0) - it->text_base;

		stack = dict_stack(it->dict, stack, dict_frame(it->dict, it->kernel, at));
	}
	return stack;
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

stack_id intern_stack(struct intern *it, const struct chain *c, const struct raw_sample *s, bool user)
{
	struct intern_slot key = key_of(c, s, user);
	struct intern_slot *slot = &it->memo[hash_u64(key.a) & (INTERN_MEMO - 1)];

	if (slot->a == key.a && slot->b == key.b)
		return slot->stack;
	key.stack = add_stack(it, c, s, user);
	if (key.stack != ID_NONE)
		*slot = key;
	return key.stack;
}
