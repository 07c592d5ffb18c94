/* SPDX-License-Identifier: BSD-2-Clause */
/* numalabel.c - builds the texts for functions, call paths and mappings in the view by node. */
#include "config.h"

#include "query/label.h"
#include "query/numareport_private.h"

#include <stdio.h>
#include <string.h>

char *numa_func_label(const struct numa_view *v, uint32_t i, char *dst, size_t size)
{
	const struct numa_func_row *r = &v->func[i];
	const struct func *f = r->func == ID_NONE ? NULL : names_func(v->names, r->func);
	const char *text = f ? names_text(v->names, f->name) : "";
	frame_id frame;
	func_id func;

	if (!size)
		return dst;
	dst[0] = '\0';
	if (f)
		label_put(dst, size, 0, text, strlen(text));
	else if (r->nr_paths && numa_innermost(v->dict, v->names, &v->query,
					       v->path[r->first_path].stack, &func, &frame))
		label_place(v->dict, frame, dst, size);
	if (!dst[0])
		label_put(dst, size, 0, "[unknown]", strlen("[unknown]"));
	return dst;
}

char *numa_path_label(const struct numa_view *v, stack_id stack, char *dst, size_t size)
{
	const struct stack_signature r = { .d = v->dict, .names = v->names, .no_inlines = v->query.no_inlines,
					   .touches = true };

	return stack_signature_text(&r, stack, dst, size);
}

char *numa_mapping_label(const struct numa_view *v, const struct numa_mapping_row *r, char *dst, size_t size)
{
	const struct module *m = r->file == ID_NONE ? NULL : dict_get_module(v->dict, r->file);
	const char *word = mapping_word(r->mapping)->name;
	size_t at;

	if (!size)
		return dst;
	snprintf(dst, size, "%s%s", word, m ? " " : "");
	at = strlen(dst);
	if (m)
		label_file(v->dict, module_shown_path(m), dst + at, size - at);
	return dst;
}
