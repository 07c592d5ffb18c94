/* SPDX-License-Identifier: BSD-2-Clause */
/* which.c - see which.h. */
#include "config.h"

#include "annotate/which.h"

#include "base/strtab.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define UNSIZED 256u             /* bytes of a function whose size is not known */

/* The function itself in which FRAME is; NULL = not known. */
static const struct func *func_of_frame(const struct tree *t, frame_id frame)
{
	const struct frame_names *fn = frame == ID_NONE ? NULL : names_get(t->names, frame);

	return fn ? names_func(t->names, fn->name[fn->n - 1].func) : NULL;
}

/* The function that NODE of T is, or is inlined into; NULL: *WHY says why there is none to show. */
static const struct func *which_func_of(const struct tree *t, uint32_t node, const char **why)
{
	const struct tree_node *n = &t->node[node];
	const struct func *f = NULL;

	if (n->kind == NODE_FUNC)
		f = func_of_frame(t, n->place);
	if (n->kind == NODE_FUNC && !f && !n->inlined)
		f = names_func(t->names, n->func);
	if (n->kind != NODE_FUNC && n->kind != NODE_ADDR)
		*why = "this line is no function: go to one and press a there";
	else if (!f)
		*why = "it is not known to which function this belongs, so there is no code to show";
	else if (f->kind == FUNC_KERNEL)
		*why = "the code of the kernel is not shown: sberf does not read it (/proc/kcore)";
	else if (f->kind == FUNC_SCRIPT)
		*why = "this is a function of an interpreted language, which has no code of the CPU to show";
	else if (f->kind == FUNC_NOTE || (!f->start && !f->size))
		*why = "only a name is known of this, and no address, so there is no code to show";
	else
		return f;
	return NULL;
}

/* What is to be read of F, which NODE of T is, or is inlined into. */
static void which_describe(struct listing_of *of, const struct tree *t, uint32_t node, const struct func *f)
{
	const struct module *m = dict_get_module(t->dict, f->module);
	const struct tree_node *n = &t->node[node];
	const struct func *inlined = n->inlined ? names_func(t->names, n->func) : NULL;
	const char *name = inlined ? names_text(t->names, inlined->name) : "";

	*of = (struct listing_of){ .module = f->module, .kind = (uint8_t)m->kind, .start = f->start,
				   .size = f->size ? f->size : UNSIZED };
	snprintf(of->path, sizeof(of->path), "%s", strtab_get(dict_strings(t->dict), m->path));
	text_sanitise(of->inlined, sizeof(of->inlined), name, strlen(name));
	text_sanitise(of->name, sizeof(of->name), names_text(t->names, f->name), strlen(names_text(t->names, f->name)));
}

bool listing_which(const struct tree *t, uint32_t node, struct listing_of *ret, const char **ret_why)
{
	const struct func *f = which_func_of(t, node, ret_why);

	if (f)
		which_describe(ret, t, node, f);
	return f;
}
