/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * foldpath.c - turns a stack into the functions that a question sees in it, with recursive calls
 * folded into one. foldpath.h has the rule.
 */
#include "config.h"

#include "query/foldpath.h"

static uint64_t foldpath_hash_of(uint64_t identity, bool named)
{
	return hash_2u64(identity, named);
}

static uint64_t foldpath_rehash(const void *ctx, uint32_t id)
{
	const struct fold_path *p = ctx;

	return foldpath_hash_of(p->place.v[id].identity, p->place.v[id].named);
}

/* The place of steps like STEP; a new one is of the end of the path. NULL when out of memory. */
static struct fold_place *foldpath_place_of(struct fold_path *p, const struct fold_step *step)
{
	const bool named = step->name;
	const uint64_t hash = foldpath_hash_of(step->identity, named);
	struct fold_place *slot;
	uint32_t id;

	hidx_each(&p->places, hash, id) {
		slot = &p->place.v[id];
		if (slot->identity == step->identity && slot->named == named)
			return slot;
	}
	slot = vec_push(&p->place);
	if (!slot)
		return NULL;
	*slot = (struct fold_place){ .identity = step->identity, .named = named, .at = (uint32_t)p->step.n };
	if (hidx_add(&p->places, hash, (uint32_t)(p->place.n - 1), foldpath_rehash, p))
		return slot;
	p->place.n--;
	return NULL;
}

/* Goes on to NEXT, or back to where it is already. */
static bool foldpath_go(struct fold_path *p, const struct fold_step *next)
{
	struct fold_place *place = foldpath_place_of(p, next);
	struct fold_step *slot;

	if (!place)
		return false;
	if (place->at < p->step.n) {
		slot = &p->step.v[place->at];
		if (slot->identity == next->identity && !slot->name == !next->name) {
			p->step.n = place->at + 1;
			return true;
		}
	}
	slot = vec_push(&p->step);
	if (!slot)
		return false;
	*slot = *next;
	place->at = (uint32_t)(p->step.n - 1);
	return true;
}

/* Goes on through all that FRAME stands for. */
static bool go_frame(struct fold_path *p, frame_id frame)
{
	const struct dict *d = p->identity->d;
	const struct frame *f = dict_get_frame(d, frame);
	const bool note = dict_get_module(d, f->module)->kind == MODULE_NOTE;
	const struct frame_names *fn;

	if (hidden_frame(p->hidden, f))
		return true;
	fn = note ? NULL : names_get(p->identity->names, frame);
	if (!fn)
		return foldpath_go(p, &(struct fold_step){ .identity = identity_frame(p->identity, frame),
							   .frame = frame });
	for (uint32_t i = p->q->no_inlines ? 1 : fn->n; i-- > 0;) {     /* names are innermost first */
		const uint32_t at = p->q->no_inlines ? fn->n - 1u : i;
		const struct fold_step next = {
			.identity = identity_func(p->identity, fn->name[at].func), .frame = frame,
				.name = &fn->name[at],
			.inlined = at < fn->n - 1u,
		};

		if (!foldpath_go(p, &next))
			return false;
	}
	return true;
}

bool fold_path_of(struct fold_path *p, stack_id stack)
{
	const struct dict *d = p->identity->d;

	p->step.n = p->stack.n = 0;
	for (; stack != STACK_ROOT; stack = dict_get_stack(d, stack)->parent) {
		stack_id *slot = vec_push(&p->stack);

		if (!slot)
			return false;
		*slot = stack;
	}
	for (size_t i = p->stack.n; i-- > 0;)
		if (!go_frame(p, dict_get_stack(d, p->stack.v[i])->frame))
			return false;
	return true;
}

void fold_path_free(struct fold_path *p)
{
	vec_free(&p->step);
	vec_free(&p->stack);
	vec_free(&p->place);
	hidx_free(&p->places);
}
