/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frames.c - reads the frames of a stack with their names, for formats that write stacks one by
 * one.
 */
#include "config.h"

#include "export/frames.h"

#include "base/text.h"
#include "query/label.h"

#include <stdlib.h>
#include <string.h>

struct frame_text frame_text(const struct frame_reader *r, frame_id frame)
{
	struct frame_text t = { .frame = dict_get_frame(r->d, frame) };
	const struct frame_names *fn;

	t.module = dict_get_module(r->d, t.frame->module);
	if (hidden_frame(&r->hidden, t.frame))
		return t;
	fn = t.module->kind == MODULE_NOTE ? NULL : names_get(r->names, frame);
	t.n = fn && !r->q->no_inlines ? fn->n : 1;
	t.name = fn ? &fn->name[fn->n - t.n] : NULL;
	return t;
}

bool frames_of(struct frame_reader *r, stack_id stack)
{
	if (!r->hiding && !hidden_init(&r->hidden, r->d, r->q))
		return false;
	for (frame_id id = 0; !r->hiding && !r->no_tables && id < dict_frames(r->d); id++)
		r->no_tables = dict_frame_flags(r->d, id) & FRAME_F_NO_TABLE;
	r->hiding = true;
	r->path.n = 0;
	while (stack != STACK_ROOT) {
		const struct stack *s = dict_get_stack(r->d, stack);

		stack = s->parent;
		if (!frame_text(r, s->frame).n)
			continue;
		if (!vec_reserve(&r->path, 1))
			return false;
		r->path.v[r->path.n++] = s->frame;
	}
	return true;
}

bool frames_no_table(const struct frame_reader *r)
{
	for (size_t i = 0; r->no_tables && i < r->path.n; i++)
		if (dict_frame_flags(r->d, r->path.v[i]) & FRAME_F_NO_TABLE)
			return true;
	return false;
}

void frames_free(struct frame_reader *r)
{
	vec_free(&r->path);
	hidden_free(&r->hidden);
	r->hidden = (struct hidden){ 0 };
	free(r->label);
	r->label = NULL;
}

const struct func *frame_func(const struct frame_reader *r, const struct frame_text *t, unsigned int i)
{
	return t->name ? names_func(r->names, t->name[i].func) : NULL;
}

const char *frame_label(struct frame_reader *r, frame_id frame, const struct frame_text *t, unsigned int i)
{
	const struct func *f = frame_func(r, t, i);
	const char *text = f ? names_text(r->names, f->name) : "";

	if (!r->label)
		r->label = malloc(NAME_BYTES_MAX + 1);
	if (!r->label)
		return NULL;
	r->label[0] = '\0';
	if (f)
		label_put(r->label, NAME_BYTES_MAX + 1, 0, text, strlen(text));
	else
		label_place(r->d, frame, r->label, NAME_BYTES_MAX + 1);
	return r->label[0] ? r->label : strcpy(r->label, "[unknown]");
}
