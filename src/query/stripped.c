/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stripped.c - finds the functions on all stacks of a snapshot that have no names, and counts them
 * by file. A stack has the frames of its parent and one more, and parents come first: one pass over
 * the facts marks stacks, one over the stacks from the back marks their callers and frames.
 */
#include "config.h"

#include "query/stripped.h"

#include "base/order.h"
#include "model/event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Marks in FRAME each frame on the stacks of samples and waits. False when out of memory. */
static bool stripped_mark_frames(const struct snapshot *s, const struct dict *d, uint8_t *frame, uint32_t frames)
{
	const uint32_t n = dict_stacks(d);
	AUTO_FREE uint8_t *stack = calloc(n + 1ul, 1);
	struct slice_view v = { 0 };

	if (!stack)
		return false;
	while (snapshot_next(s, &v))
		for (size_t i = 0; i < v.n; i++)
			if ((v.fact[i].kind == EVENT_SAMPLE || EVENT_IS_WAIT(v.fact[i].kind)) && v.fact[i].stack < n)
				stack[v.fact[i].stack] = 1;
	for (stack_id id = n; id-- > STACK_ROOT + 1;) {
		const struct stack *at = stack[id] ? dict_get_stack(d, id) : NULL;

		if (!at)
			continue;
		stack[at->parent] = 1;
		if (at->frame < frames)
			frame[at->frame] = 1;
	}
	return true;
}

/* Functions and files that there were at the beginning: names and dictionaries may grow meanwhile. */
struct counting {
	const struct dict *d;
	const struct names *names;
	uint32_t funcs, modules;
	uint8_t *seen;           /* by function */
	struct stripped_file *file;      /* by module */
};

/* Counts the function that FRAME is in, once. */
static void stripped_count(struct counting *c, frame_id frame)
{
	const struct frame_names *fn = names_get(c->names, frame);
	const func_id id = fn ? fn->name[fn->n - 1].func : c->funcs;
	const struct func *f = id < c->funcs && !c->seen[id] ? names_func(c->names, id) : NULL;

	if (!f || f->module >= c->modules || dict_get_module(c->d, f->module)->kind != MODULE_FILE)
		return;
	c->seen[id] = 1;
	c->file[f->module].functions++;
	c->file[f->module].nameless += names_by_place(c->names, f);
}

static int stripped_compare(const void *va, const void *vb)
{
	const struct stripped_file *a = va, *b = vb;

	return a->nameless != b->nameless ? compare_numbers(b->nameless, a->nameless) :
		compare_numbers(a->module, b->module);
}

int stripped_files(const struct snapshot *s, const struct names *names, stripped_vec *ret)
{
	const struct dict *d = snapshot_dict(s);
	const uint32_t frames = dict_frames(d);
	struct counting c = { .d = d, .names = names, .funcs = names_funcs(names), .modules = dict_modules(d) };
	AUTO_FREE uint8_t *frame = calloc(frames + 1ul, 1), *seen = calloc(c.funcs + 1ul, 1);
	AUTO_FREE struct stripped_file *file = calloc(c.modules + 1ul, sizeof(*file));
	uint32_t n = 0;

	if (!frame || !seen || !file || !stripped_mark_frames(s, d, frame, frames))
		return -ENOMEM;
	c.seen = seen;
	c.file = file;
	for (frame_id id = 0; id < frames; id++)
		if (frame[id])
			stripped_count(&c, id);
	for (module_id id = 0; id < c.modules; id++) {
		file[id].module = id;
		if (file[id].nameless)
			file[n++] = file[id];
	}
	if (!vec_reserve(ret, n))
		return -ENOMEM;
	if (n) {
		qsort(file, n, sizeof(*file), stripped_compare);
		memcpy(ret->v + ret->n, file, n * sizeof(*file));
	}
	ret->n += n;
	return 0;
}
