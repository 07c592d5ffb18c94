/* SPDX-License-Identifier: BSD-2-Clause */
/* stackgraft.c - see stackgraft.h. */
#include "config.h"

#include "query/stackgraft.h"

#include <stdlib.h>
#include <string.h>

bool stackgraft_init(struct stackgraft *g, struct dict *d, struct names *names)
{
	const struct module notes = { .kind = MODULE_FILE, .path = strtab_adds(dict_strings(d), "[holders]") };

	*g = (struct stackgraft){ .d = d, .names = names };
	g->notes = notes.path == STR_NONE ? ID_NONE : dict_module(d, &notes);
	return g->notes != ID_NONE;
}

void stackgraft_free(struct stackgraft *g)
{
	vec_free(&g->path);
}

static stack_id stackgraft_add(struct stackgraft *g, stack_id at, frame_id frame)
{
	const stack_id r = frame == ID_NONE ? ID_NONE : dict_stack(g->d, at, frame);

	g->failed |= r == ID_NONE;
	return r == ID_NONE ? at : r;
}

stack_id stackgraft_note(struct stackgraft *g, stack_id at, const char *text)
{
	const struct func f = { .name = names_add_text(g->names, text, strlen(text)), .module = g->notes,
				.kind = FUNC_NOTE };
	const struct name name = { .func = names_add_func(g->names, &f) };
	const frame_id frame = f.name == STR_NONE || name.func == ID_NONE ? ID_NONE :
		dict_frame(g->d, g->notes, name.func);

	if (frame != ID_NONE && !names_get(g->names, frame) && names_set(g->names, frame, &name, 1, true)) {
		g->failed = true;
		return at;
	}
	return stackgraft_add(g, at, frame);
}

stack_id stackgraft_stack(struct stackgraft *g, stack_id at, stack_id stack)
{
	g->path.n = 0;
	for (; stack != STACK_ROOT; stack = dict_get_stack(g->d, stack)->parent) {
		frame_id *slot = vec_push(&g->path);

		if (!slot) {
			g->failed = true;
			return at;
		}
		*slot = dict_get_stack(g->d, stack)->frame;
	}
	for (size_t i = g->path.n; i--;)
		at = stackgraft_add(g, at, g->path.v[i]);
	return at;
}
