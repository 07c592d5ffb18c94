/* SPDX-License-Identifier: BSD-2-Clause */
/* stacktext.c - see stacktext.h. */
#include "config.h"

#include "query/stacktext.h"

#include "base/text.h"
#include "query/label.h"

#include <stdlib.h>
#include <string.h>

#define FRAME_TEXT_MAX 1024u

static void stacktext_clear(struct stacktext *t)
{
	for (size_t i = 0; i < t->frame.n; i++)
		free(t->frame.v[i]);
	t->frame.n = 0;
}

void stacktext_free(struct stacktext *t)
{
	stacktext_clear(t);
	vec_free(&t->frame);
}

static bool stacktext_add(struct stacktext *t, const char *name, const char *file)
{
	char **slot = vec_push(&t->frame);
	const size_t size = strlen(name) + strlen(file) + sizeof(" ()");

	if (!slot)
		return false;
	*slot = malloc(size);
	if (!*slot) {
		t->frame.n--;
		return false;
	}
	text_format(*slot, size, *file ? "%s (%s)" : "%s%s", name, file);
	return true;
}

/* The file that FRAME is in; "" where its name says all. */
static void stacktext_file(const struct dict *d, const struct frame *frame, char dst[FRAME_TEXT_MAX])
{
	const struct module *m = dict_get_module(d, frame->module);

	dst[0] = '\0';
	if (m->kind == MODULE_KERNEL)
		text_format(dst, FRAME_TEXT_MAX, "kernel");
	else if (m->kind != MODULE_NOTE && m->kind != MODULE_ANON)
		label_file(d, m->path, dst, FRAME_TEXT_MAX);
}

static bool stacktext_frame(struct stacktext *t, const struct dict *d, const struct names *names, frame_id id)
{
	const struct frame_names *known = names_get(names, id);
	char name[FRAME_TEXT_MAX], file[FRAME_TEXT_MAX];

	stacktext_file(d, dict_get_frame(d, id), file);
	for (unsigned int i = 0; known && i < known->n; i++) {
		const char *text = names_text(names, names_func(names, known->name[i].func)->name);

		label_put(name, sizeof(name), 0, text, strlen(text));
		if (!stacktext_add(t, name, i + 1 < known->n ? "inlined" : file))
			return false;
	}
	if (known)
		return true;
	label_place(d, id, name, sizeof(name));
	return stacktext_add(t, name, "");
}

bool stacktext_of(struct stacktext *t, const struct dict *d, const struct names *names, stack_id stack)
{
	stacktext_clear(t);
	while (stack != STACK_ROOT && stack != ID_NONE) {
		const struct stack *s = dict_get_stack(d, stack);

		if (!stacktext_frame(t, d, names, s->frame))
			return false;
		stack = s->parent;
	}
	return true;
}
