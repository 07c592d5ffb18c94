/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frameshare.c - counts how many frames of user code have no unwind table. A stack has the frames
 * of its parent and one more, and parents come first: one pass over the stacks, then one over the
 * facts.
 */
#include "config.h"

#include "query/frameshare.h"

#include "model/event.h"

#include <errno.h>
#include <stdlib.h>

static bool is_user_code(const struct dict *d, frame_id frame)
{
	const struct frame *f = dict_get_frame(d, frame);
	const struct module *m = f ? dict_get_module(d, f->module) : NULL;

	return m && m->kind != MODULE_KERNEL && m->kind != MODULE_NOTE && m->kind != MODULE_SCRIPT;
}

/* How many frames each of the N stacks of D has, to COUNT. False when out of memory. */
static bool count_frames(const struct dict *d, struct frame_share *count, uint32_t n)
{
	const uint32_t frames = dict_frames(d);
	AUTO_FREE struct frame_share *of_frame = calloc(frames + 1ul, sizeof(*of_frame));

	if (!of_frame)
		return false;
	for (frame_id id = 0; id < frames; id++) {
		of_frame[id].frames = is_user_code(d, id);
		of_frame[id].no_table = of_frame[id].frames && dict_frame_flags(d, id) & FRAME_F_NO_TABLE;
	}
	for (stack_id id = STACK_ROOT + 1; id < n; id++) {
		const struct stack *s = dict_get_stack(d, id);
		const struct frame_share *f = &of_frame[s->frame < frames ? s->frame : frames];

		count[id].frames = count[s->parent].frames + f->frames;
		count[id].no_table = count[s->parent].no_table + f->no_table;
	}
	return true;
}

static void frameshare_add_slice(const struct dict *d, const struct slice_view *v, const struct frame_share *count,
				 uint32_t n, struct frame_share *sum)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct fact *f = &v->fact[i];
		stack_id stack = f->stack;

		(void)dict_inside(d, &stack);
		if ((f->kind != EVENT_SAMPLE && !EVENT_IS_WAIT(f->kind)) || stack >= n)
			continue;
		sum->frames += f->count * count[stack].frames;
		sum->no_table += f->count * count[stack].no_table;
	}
}

int frame_share_of(const struct snapshot *s, struct frame_share *ret)
{
	const struct dict *d = snapshot_dict(s);
	const uint32_t n = dict_stacks(d);
	AUTO_FREE struct frame_share *count = calloc(n, sizeof(*count));
	struct frame_share sum = { 0 };
	struct slice_view v = { 0 };

	if (!count || !count_frames(d, count, n))
		return -ENOMEM;
	while (snapshot_next(s, &v))
		frameshare_add_slice(d, &v, count, n, &sum);
	*ret = sum;
	return 0;
}
