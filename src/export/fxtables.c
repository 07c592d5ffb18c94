/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fxtables.c - builds and writes the tables of one thread of a Firefox profile: texts, resources,
 * functions, frames and stacks. A row is two words, which are also its key; what they mean is
 * listed below.
 */
#include "config.h"

#include "export/fxtables.h"

#include <stdlib.h>
#include <string.h>

/*
 * What the two words of a row are:
 *	resource  module
 *	func      name (a text), resource + 1 << 32 | file (a text; 0 = not known)
 *	frame     func, category << 40 | line << 16 | inline depth
 *	stack     prefix + 1 << 32, frame
 */
#define LINE_BITS 24
#define DEPTH_BITS 16
#define RESOURCE_LIBRARY 1

/* The row (A, B), made when there is none; FX_NONE when out of memory. */
static uint32_t fxtables_row_of(struct fx_rows *rows, uint64_t a, uint64_t b)
{
	const struct fx_row want = { a, b };

	return keyed_get_whole(&rows->v, &want);
}

bool fx_tables_init(struct fx_tables *t, struct frame_reader *reader)
{
	*t = (struct fx_tables){ .reader = reader, .texts = strtab_new() };
	return t->texts;
}

void fx_tables_free(struct fx_tables *t)
{
	strtab_free(t->texts);
	keyed_free(&t->resources.v);
	keyed_free(&t->funcs.v);
	keyed_free(&t->frames.v);
	keyed_free(&t->stacks.v);
	keyed_free(&t->known);
}

static enum fx_category category_of(const struct frame_text *text, const struct func *f)
{
	if (f)
		return f->kind == FUNC_KERNEL ? FX_KERNEL : f->kind == FUNC_JIT ? FX_JIT : f->kind == FUNC_NOTE ?
			FX_OTHER : FX_USER;
	switch (text->module->kind) {
	case MODULE_KERNEL:
		return FX_KERNEL;
	case MODULE_ANON:
		return FX_JIT;
	case MODULE_NOTE:
		return FX_OTHER;
	default:
		return FX_USER;
	}
}

/* The function called TEXT, of RESOURCE (FX_NONE = none) and the source FILE. */
static uint32_t fxtables_func_row(struct fx_tables *t, const char *text, size_t len, uint32_t resource,
				  const char *file)
{
	const str_id name = strtab_add(t->texts, text, len), source = strtab_adds(t->texts, file);

	if (name == STR_NONE || source == STR_NONE)
		return FX_NONE;
	return fxtables_row_of(&t->funcs, name, (uint64_t)(resource + 1) << 32 | source);
}

static uint32_t frame_row(struct fx_tables *t, uint32_t func, enum fx_category category, uint32_t depth, uint32_t line)
{
	const uint64_t short_line = line < 1u << LINE_BITS ? line : 0, short_depth = depth < 1u << DEPTH_BITS ?
		depth : UINT16_MAX;

	return func == FX_NONE ? FX_NONE
			       : fxtables_row_of(&t->frames, func,
						 (uint64_t)category << (LINE_BITS + DEPTH_BITS) |
						 short_line << DEPTH_BITS |
							 short_depth);
}

/* The row of the function I of FRAME above the stack AT; FX_NONE when out of memory. */
static uint32_t push_name(struct fx_tables *t, uint32_t at, frame_id frame,
			  const struct frame_text *text, unsigned int i, enum fx_category category)
{
	const struct name *name = text->name ? &text->name[i] : NULL;
	const char *label = frame_label(t->reader, frame, text, i);
	uint32_t resource = FX_NONE, row;

	if (!label)
		return FX_NONE;
	if (text->module->kind != MODULE_NOTE) {
		resource = fxtables_row_of(&t->resources, text->frame->module, 0);
		if (resource == FX_NONE)
			return FX_NONE;
	}
	row = fxtables_func_row(t, label, strlen(label), resource,
				name ? names_text(t->reader->names, name->file) : "");
	row = frame_row(t, row, category ? category : category_of(text, frame_func(t->reader, text, i)),
			text->n - 1 - i, name ? name->line : 0);
	return row == FX_NONE ? FX_NONE : fxtables_row_of(&t->stacks, (uint64_t)(at + 1) << 32, row);
}

/* Time of which there is no stack at all, and which would else be nothing that runs. */
static bool no_stack(struct fx_tables *t, enum fx_category category, uint32_t *ret)
{
	static const char text[] = "[no stack]";
	const uint32_t frame = frame_row(t, fxtables_func_row(t, text, strlen(text), FX_NONE, ""), category, 0, 0);

	*ret = frame == FX_NONE ? FX_NONE : fxtables_row_of(&t->stacks, 0, frame);
	return *ret != FX_NONE;
}

static bool make_stack(struct fx_tables *t, stack_id stack, enum fx_category category, uint32_t *ret)
{
	struct frame_reader *r = t->reader;
	uint32_t at = FX_NONE;

	if (!frames_of(r, stack))
		return false;
	if (!r->path.n)
		return no_stack(t, category, ret);
	for (size_t i = r->path.n; i-- > 0;) {
		const struct frame_text text = frame_text(r, r->path.v[i]);

		for (unsigned int k = text.n; k-- > 0;) {
			at = push_name(t, at, r->path.v[i], &text, k, i || k ? FX_OTHER : category);
			if (at == FX_NONE)
				return false;
		}
	}
	*ret = at;
	return true;
}

bool fx_stack(struct fx_tables *t, stack_id stack, enum fx_category category, uint32_t *ret)
{
	const struct fx_known want = { .stack = stack, .category = category };
	const size_t known = t->known.n;
	const uint32_t id = keyed_get(&t->known, &want, row);

	if (id == HIDX_NONE || (id == known && !make_stack(t, stack, category, &t->known.v[id].row)))
		return false;
	*ret = t->known.v[id].row;
	return true;
}

/* One column of ROWS: what VALUE says of each; FX_NONE is written as null. */
static void put_column(struct jsonout *j, const char *name, const struct fx_rows *rows,
		       uint32_t (*value)(const struct fx_row *r))
{
	jsonout_begin(j, name, '[');
	for (size_t i = 0; i < rows->v.n; i++) {
		const uint32_t v = value(&rows->v.v[i]);

		jsonout_put(j, NULL, v == FX_NONE ? json_null() : json_integer(v));
	}
	jsonout_end(j, ']');
}

static uint32_t fxtables_nothing(const struct fx_row *r)
{
	return FX_NONE;
}

static uint32_t fxtables_zero(const struct fx_row *r)
{
	return 0;
}

static uint32_t first_word(const struct fx_row *r)
{
	return (uint32_t)r->a;
}

static uint32_t stack_prefix(const struct fx_row *r)
{
	return (uint32_t)(r->a >> 32) - 1;
}

static uint32_t stack_frame(const struct fx_row *r)
{
	return (uint32_t)r->b;
}

static uint32_t frame_category(const struct fx_row *r)
{
	return (uint32_t)(r->b >> (LINE_BITS + DEPTH_BITS));
}

static uint32_t frame_depth(const struct fx_row *r)
{
	return (uint32_t)(r->b & ((1u << DEPTH_BITS) - 1));
}

static uint32_t frame_line(const struct fx_row *r)
{
	const uint32_t line = (uint32_t)(r->b >> DEPTH_BITS & ((1u << LINE_BITS) - 1));

	return line ? line : FX_NONE;
}

static uint32_t func_file(const struct fx_row *r)
{
	return (uint32_t)r->b ? (uint32_t)r->b : FX_NONE;
}

static void fxtables_put_length(struct jsonout *j, const struct fx_rows *rows)
{
	jsonout_put(j, "length", json_integer((json_int_t)rows->v.n));
	jsonout_end(j, '}');
}

static void fxtables_put_frames(const struct fx_tables *t, struct jsonout *j)
{
	jsonout_begin(j, "frameTable", '{');
	jsonout_begin(j, "address", '[');
	for (size_t i = 0; i < t->frames.v.n; i++)
		jsonout_put(j, NULL, json_integer(-1));
	jsonout_end(j, ']');
	put_column(j, "inlineDepth", &t->frames, frame_depth);
	put_column(j, "category", &t->frames, frame_category);
	put_column(j, "subcategory", &t->frames, fxtables_zero);
	put_column(j, "func", &t->frames, first_word);
	put_column(j, "nativeSymbol", &t->frames, fxtables_nothing);
	put_column(j, "innerWindowID", &t->frames, fxtables_zero);
	put_column(j, "line", &t->frames, frame_line);
	put_column(j, "column", &t->frames, fxtables_nothing);
	fxtables_put_length(j, &t->frames);
}

static void fxtables_put_funcs(const struct fx_tables *t, struct jsonout *j)
{
	jsonout_begin(j, "funcTable", '{');
	for (unsigned int i = 0; i < 2; i++) {
		jsonout_begin(j, i ? "relevantForJS" : "isJS", '[');
		for (size_t k = 0; k < t->funcs.v.n; k++)
			jsonout_put(j, NULL, json_false());
		jsonout_end(j, ']');
	}
	put_column(j, "name", &t->funcs, first_word);
	jsonout_begin(j, "resource", '[');
	for (size_t i = 0; i < t->funcs.v.n; i++)
		jsonout_put(j, NULL, json_integer((json_int_t)(t->funcs.v.v[i].b >> 32) - 1));
	jsonout_end(j, ']');
	put_column(j, "fileName", &t->funcs, func_file);
	put_column(j, "lineNumber", &t->funcs, fxtables_nothing);
	put_column(j, "columnNumber", &t->funcs, fxtables_nothing);
	fxtables_put_length(j, &t->funcs);
}

/* The names of resources stand behind the other texts. */
static void put_resources(const struct fx_tables *t, const uint32_t *lib, struct jsonout *j)
{
	const uint32_t first = strtab_count(t->texts);

	jsonout_begin(j, "resourceTable", '{');
	jsonout_begin(j, "lib", '[');
	for (size_t i = 0; i < t->resources.v.n; i++) {
		const uint32_t at = lib[t->resources.v.v[i].a];

		jsonout_put(j, NULL, at == FX_NONE ? json_null() : json_integer(at));
	}
	jsonout_end(j, ']');
	jsonout_begin(j, "name", '[');
	for (size_t i = 0; i < t->resources.v.n; i++)
		jsonout_put(j, NULL, json_integer((json_int_t)(first + i)));
	jsonout_end(j, ']');
	put_column(j, "host", &t->resources, fxtables_nothing);
	jsonout_begin(j, "type", '[');
	for (size_t i = 0; i < t->resources.v.n; i++)
		jsonout_put(j, NULL, json_integer(RESOURCE_LIBRARY));
	jsonout_end(j, ']');
	fxtables_put_length(j, &t->resources);
}

static json_t *module_name(const struct dict *d, module_id id)
{
	const struct module *m = dict_get_module(d, id);
	const char *path = strtab_get(dict_strings(d), m->path), *slash = strrchr(path, '/');

	if (m->kind == MODULE_KERNEL)
		return json_string("[kernel]");
	if (m->kind == MODULE_ANON)
		return json_string("[anon]");
	return jsonout_string(slash && slash[1] ? slash + 1 : path[0] ? path : m->kind == MODULE_VDSO ?
			      "[vdso]" : "[unknown]");
}

static void put_texts(const struct fx_tables *t, struct jsonout *j)
{
	jsonout_begin(j, "stringArray", '[');
	for (str_id id = 0; id < strtab_count(t->texts); id++)
		jsonout_put(j, NULL, jsonout_text(strtab_get(t->texts, id), strtab_len(t->texts, id)));
	for (size_t i = 0; i < t->resources.v.n; i++)
		jsonout_put(j, NULL, module_name(t->reader->d, (module_id)t->resources.v.v[i].a));
	jsonout_end(j, ']');
}

void fx_tables_put(const struct fx_tables *t, const uint32_t *lib, struct jsonout *j)
{
	jsonout_begin(j, "stackTable", '{');
	put_column(j, "prefix", &t->stacks, stack_prefix);
	put_column(j, "frame", &t->stacks, stack_frame);
	fxtables_put_length(j, &t->stacks);
	fxtables_put_frames(t, j);
	fxtables_put_funcs(t, j);
	put_resources(t, lib, j);
	jsonout_put(j, "nativeSymbols", json_pack("{s:[], s:[], s:[], s:[], s:i}", "libIndex", "address", "name",
						  "functionSize", "length", 0));
	put_texts(t, j);
}
