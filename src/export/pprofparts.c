/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pprofparts.c - writes the texts, functions, locations and mappings of a pprof profile, each when
 * it is first used (pprofparts.h).
 */
#include "config.h"

#include "export/pprofparts.h"

#include "base/text.h"
#include "query/label.h"

#include <stdlib.h>
#include <string.h>

static void pprofparts_append(ProtobufCBuffer *b, size_t len, const uint8_t *data)
{
	struct pprof_parts *p = (struct pprof_parts *)b;

	gzout_write(p->gz, data, len);
}

bool pprof_parts_init(struct pprof_parts *p, struct gzout *gz, const struct dict *d, const struct names *names,
		      const struct query *q)
{
	*p = (struct pprof_parts){
		.buffer = { .append = pprofparts_append }, .gz = gz, .d = d,
			.frames = { .d = d, .names = names, .q = q },
		.texts = strtab_new(),
		.modules = dict_modules(d),
		.frame_seen = calloc(dict_frames(d) + 1ul, 1),
		.extra = UINT32_MAX + 1ull,      /* behind every id */
	};
	p->module_used = calloc(p->modules + 1ul, 1);
	p->span = layout_modules(d);
	return p->texts && p->module_used && p->frame_seen && p->span;
}

void pprof_parts_free(struct pprof_parts *p)
{
	frames_free(&p->frames);
	strtab_free(p->texts);
	free(p->module_used);
	free(p->frame_seen);
	vec_free(&p->func_seen);
	free(p->span);
	vec_free(&p->lines);
	vec_free(&p->line_list);
}

void pprof_put(struct pprof_parts *p, const Pprof__Profile *part)
{
	protobuf_c_message_pack_to_buffer(&part->base, &p->buffer);
}

/* Texts. */

int64_t pprof_text(struct pprof_parts *p, const char *s)
{
	const str_id id = strtab_adds(p->texts, s);

	if (id != STR_NONE)
		return id;
	p->no_memory = true;
	return 0;
}

int64_t pprof_foreign(struct pprof_parts *p, const char *s, size_t len)
{
	char safe[LABEL_MAX];

	text_sanitise(safe, sizeof(safe), s, len);
	return pprof_text(p, safe);
}

void pprof_put_texts(struct pprof_parts *p)
{
	for (str_id id = 0; id < strtab_count(p->texts); id++) {
		char *one = (char *)(uintptr_t)strtab_get(p->texts, id);
		Pprof__Profile part = PPROF__PROFILE__INIT;

		part.n_text = 1;
		part.text = &one;
		pprof_put(p, &part);
	}
}

/* Modules. */

static int64_t pprofparts_file_of(struct pprof_parts *p, const struct module *m)
{
	const struct strtab *st = dict_strings(p->d);

	switch (m->kind) {
	case MODULE_KERNEL:
		return pprof_text(p, "[kernel.kallsyms]");
	case MODULE_VDSO:
		return pprof_text(p, "[vdso]");
	case MODULE_ANON:
		return pprof_text(p, "[anon]");
	default:
		return pprof_foreign(p, strtab_get(st, m->path), strtab_len(st, m->path));
	}
}

static void pprofparts_put_module(struct pprof_parts *p, module_id id)
{
	const struct module *m = dict_get_module(p->d, id);
	const struct span *s = &p->span[id];
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *one = &mapping;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char hex[2 * BUILD_ID_MAX + 1];

	if (!p->module_used[id])
		return;
	label_build_id(m, hex);
	mapping.id = id + 1ull;
	mapping.start = s->base + s->low;
	mapping.end = s->base + s->high;
	mapping.file = pprofparts_file_of(p, m);
	mapping.build_id = pprof_text(p, hex);
	mapping.has_functions = mapping.has_files = mapping.has_lines = true;
	mapping.has_inlined = !p->frames.q->no_inlines;
	part.n_mapping = 1;
	part.mapping = &one;
	pprof_put(p, &part);
}

/* ID_NONE when there is none. */
static module_id main_module(const struct pprof_parts *p, str_id exe)
{
	module_id first = ID_NONE;

	for (module_id id = 0; id < p->modules; id++) {
		const struct module *m = dict_get_module(p->d, id);

		if (!p->module_used[id] || m->kind != MODULE_FILE)
			continue;
		if (m->path == exe)
			return id;
		if (first == ID_NONE)
			first = id;
	}
	return first;
}

void pprof_put_modules(struct pprof_parts *p, str_id exe)
{
	const module_id first = main_module(p, exe);

	if (first != ID_NONE)
		pprofparts_put_module(p, first);
	for (module_id id = 0; id < p->modules; id++)
		if (id != first)
			pprofparts_put_module(p, id);
}

/* Functions and places. A named function has its id plus one; what has no name, a number behind those, as its place. */

static void pprofparts_put_function(struct pprof_parts *p, uint64_t id, int64_t name, int64_t file)
{
	Pprof__Function function = PPROF__FUNCTION__INIT, *one = &function;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	function.id = id;
	function.name = function.system_name = name;
	function.file = file;
	part.n_function = 1;
	part.function = &one;
	pprof_put(p, &part);
}

/*
 * Marks the function ID as written. False: it was, or there is no memory. While something runs, names of more functions
 * come than there were at the beginning.
 */
static bool pprofparts_first(struct pprof_parts *p, uint64_t id)
{
	const size_t known = p->func_seen.n;

	if (id >= known) {
		if (!vec_reserve(&p->func_seen, id + 1 - known)) {
			p->no_memory = true;
			return false;
		}
		memset(p->func_seen.v + known, 0, id + 1 - known);
		p->func_seen.n = id + 1;
	}
	if (p->func_seen.v[id])
		return false;
	p->func_seen.v[id] = 1;
	return true;
}

/* The number of what the function I of T, that of FRAME, is. It has one file, that of the first line seen of it. */
static uint64_t pprofparts_function_of(struct pprof_parts *p, frame_id frame,
				       const struct frame_text *t, unsigned int i)
{
	const struct func *f = frame_func(&p->frames, t, i);
	const uint64_t id = f ? t->name[i].func + 1ull : p->extra++;
	const char *file, *label;

	if (f && !pprofparts_first(p, id))
		return id;
	label = frame_label(&p->frames, frame, t, i);
	if (!label) {
		p->no_memory = true;
		return id;
	}
	file = f ? names_text(p->frames.names, t->name[i].file) : "";
	pprofparts_put_function(p, id, pprof_text(p, label), pprof_foreign(p, file, strlen(file)));
	return id;
}

/* Writes the LINES of a place. */
static void pprofparts_put_place(struct pprof_parts *p, uint64_t id, module_id module, uint64_t address)
{
	Pprof__Location location = PPROF__LOCATION__INIT, *one = &location;
	Pprof__Profile part = PPROF__PROFILE__INIT;

	if (!vec_reserve(&p->line_list, p->lines.n)) {
		p->no_memory = true;
		return;
	}
	for (size_t i = 0; i < p->lines.n; i++)
		p->line_list.v[i] = &p->lines.v[i];
	location.id = id;
	location.mapping_id = module == ID_NONE ? 0 : module + 1ull;
	location.address = address;
	location.n_line = p->lines.n;
	location.line = p->line_list.v;
	part.n_location = 1;
	part.location = &one;
	pprof_put(p, &part);
}

static void pprofparts_add_line(struct pprof_parts *p, uint64_t function, int64_t line)
{
	Pprof__Line *at = vec_push(&p->lines);

	if (!at) {
		p->no_memory = true;
		return;
	}
	pprof__line__init(at);
	at->function_id = function;
	at->line = line;
}

uint64_t pprof_place(struct pprof_parts *p, frame_id frame)
{
	const struct frame_text t = frame_text(&p->frames, frame);
	const bool note = t.module->kind == MODULE_NOTE;

	if (p->frame_seen[frame])
		return frame + 1ull;
	p->frame_seen[frame] = 1;
	p->lines.n = 0;
	for (unsigned int i = 0; i < t.n; i++)
		pprofparts_add_line(p, pprofparts_function_of(p, frame, &t, i), t.name ? t.name[i].line : 0);
	p->module_used[t.frame->module] |= !note;
	pprofparts_put_place(p, frame + 1ull, note ? ID_NONE : t.frame->module, layout_address(p->span, p->d, frame));
	return frame + 1ull;
}

uint64_t pprof_words(struct pprof_parts *p, const char *name)
{
	const uint64_t id = p->extra++;

	pprofparts_put_function(p, id, pprof_text(p, name), 0);
	p->lines.n = 0;
	pprofparts_add_line(p, id, 0);
	pprofparts_put_place(p, id, ID_NONE, 0);
	return id;
}
