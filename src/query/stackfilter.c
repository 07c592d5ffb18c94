/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stackfilter.c - decides which stacks match the function terms of a question. Frames that the
 * question hides (the kernel, libraries, inlined functions) cannot match.
 */
#include "config.h"

#include "query/stackfilter.h"

#include "query/label.h"

#include <stdlib.h>

#define KNOWN (1u << 31)         /* beside the bits of terms */

_Static_assert(TERMS_MAX < 31, "a bit for each term, and one more");

static uint32_t stackfilter_match(struct stack_filter *f, const char *text)
{
	uint32_t r = KNOWN;

	for (uint32_t i = 0; i < f->q->terms.n; i++) {
		if ((f->wanted | f->barred) >> i & 1 && pattern_in(&f->pattern[i], text))
			r |= 1u << i;
	}
	return r;
}

static uint32_t match_func(struct stack_filter *f, func_id id)
{
	const struct func *func = names_func(f->names, id);

	if (!func)
		return KNOWN;
	if (func->name >= f->texts)
		return stackfilter_match(f, names_text(f->names, func->name));
	if (!f->text[func->name])
		f->text[func->name] = stackfilter_match(f, names_text(f->names, func->name));
	return f->text[func->name];
}

static uint32_t match_frame(struct stack_filter *f, frame_id frame)
{
	const struct frame *place = dict_get_frame(f->d, frame);
	const struct module *m = dict_get_module(f->d, place->module);
	const struct frame_names *fn = m->kind == MODULE_NOTE ? NULL : names_get(f->names, frame);
	char label[LABEL_MAX];
	uint32_t r = KNOWN;

	if (hidden_frame(&f->hidden, place))
		return KNOWN;
	if (!fn) {
		label_place(f->d, frame, label, sizeof(label));
		return stackfilter_match(f, label);
	}
	for (uint32_t i = f->q->no_inlines ? fn->n - 1u : 0; i < fn->n; i++)
		r |= match_func(f, fn->name[i].func);
	return r;
}

static uint32_t match_frame_once(struct stack_filter *f, frame_id frame)
{
	if (!f->frame[frame])
		f->frame[frame] = match_frame(f, frame);
	return f->frame[frame];
}

/* The first of the patterns that gave up; TERMS_MAX = none. */
uint32_t stack_filter_gave_up(const struct stack_filter *f)
{
	uint32_t i = 0;

	while (i < TERMS_MAX && !f->pattern[i].gave_up)
		i++;
	return i;
}

/* Callers have smaller numbers than what they call. */
static void match_stacks(struct stack_filter *f)
{
	f->stack[STACK_ROOT] = KNOWN;
	for (stack_id id = STACK_ROOT + 1; id < f->stacks; id++) {
		const struct stack *s = dict_get_stack(f->d, id);

		f->stack[id] = f->stack[s->parent] | match_frame_once(f, s->frame);
	}
}

bool stack_filter_init(struct stack_filter *f, const struct dict *d, const struct names *names, const struct query *q)
{
	bool ok = true;

	/* Stacks are counted first: what they are made of exists by then. */
	*f = (struct stack_filter){ .d = d, .names = names, .q = q, .stacks = dict_stacks(d),
				    .texts = names_strings(names) };
	for (uint32_t i = 0; i < q->terms.n; i++) {
		const struct filter_term *t = &q->terms.v[i];

		if (t->what != TERM_FUNCTION)
			continue;
		*(t->not ? &f->barred : &f->wanted) |= 1u << i;
		ok &= pattern_init(&f->pattern[i], t->text);
	}
	if (!(f->wanted | f->barred))
		return true;
	f->text = calloc(f->texts + 1ul, sizeof(*f->text));
	f->frame = calloc(dict_frames(d) + 1ul, sizeof(*f->frame));
	f->stack = malloc(f->stacks * sizeof(*f->stack));
	if (!ok || !hidden_init(&f->hidden, d, q) || !f->text || !f->frame || !f->stack)
		return false;
	match_stacks(f);
	f->gave_up = stack_filter_gave_up(f) < TERMS_MAX;
	return true;
}

void stack_filter_free(struct stack_filter *f)
{
	for (uint32_t i = 0; i < TERMS_MAX; i++)
		pattern_free(&f->pattern[i]);
	free(f->text);
	free(f->frame);
	free(f->stack);
	hidden_free(&f->hidden);
}

bool stack_filter_has(struct stack_filter *f, stack_id stack)
{
	uint32_t r = KNOWN;

	/* A recording that has grown since may have further stacks. */
	for (; stack >= f->stacks; stack = dict_get_stack(f->d, stack)->parent)
		r |= match_frame(f, dict_get_stack(f->d, stack)->frame);
	r |= f->stack[stack];
	return !f->gave_up && (r & (f->wanted | f->barred)) == f->wanted;
}

uint32_t stack_filter_found(const struct stack_filter *f)
{
	uint32_t r = 0;

	for (stack_id id = 0; f->stack && id < f->stacks; id++)
		r |= f->stack[id];
	return r & ~KNOWN;
}
