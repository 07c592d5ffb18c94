/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * identity.c - hashes what a function, a module or a place is, from its names, so that it is known
 * again in every refresh (identity.h).
 */
#include "config.h"

#include "query/identity.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

bool identity_init(struct identity *id, const struct dict *d, const struct names *names)
{
	const size_t funcs = names_funcs(names), modules = dict_modules(d);

	*id = (struct identity){ .d = d, .names = names };
	if (!vec_reserve(&id->func, funcs) || !vec_reserve(&id->module, modules))
		return false;
	if (funcs)
		memset(id->func.v, 0, funcs * sizeof(id->func.v[0]));
	if (modules)
		memset(id->module.v, 0, modules * sizeof(id->module.v[0]));
	id->func.n = funcs;
	id->module.n = modules;
	return true;
}

void identity_free(struct identity *id)
{
	vec_free(&id->func);
	vec_free(&id->module);
}

static uint64_t identity_module_hash(struct identity *id, module_id module)
{
	const struct module *m = dict_get_module(id->d, module);
	const struct strtab *st = dict_strings(id->d);
	uint64_t h;

	if (module < id->module.n && id->module.v[module])
		return id->module.v[module];
	if (!m)
		return 1;
	h = hash_2u64(m->kind, hash_bytes(strtab_get(st, m->path), strtab_len(st, m->path)));
	h = hash_2u64(h, hash_bytes(m->build_id, m->build_id_len));
	h = hash_2u64(hash_2u64(h, m->dev), hash_2u64(m->ino, m->generation));
	h = hash_2u64(h, hash_2u64((uint32_t)m->pid, m->start_ns)) | 1;
	if (module < id->module.n)
		id->module.v[module] = h;
	return h;
}

uint64_t identity_func(struct identity *id, func_id func)
{
	const struct func *f = names_func(id->names, func);
	const char *text;
	uint64_t h;

	if (func < id->func.n && id->func.v[func])
		return id->func.v[func];
	text = names_text(id->names, f->name);
	h = hash_2u64(hash_2u64(hash_bytes(text, strlen(text)), f->kind), identity_module_hash(id, f->module)) | 1;
	if (func < id->func.n)
		id->func.v[func] = h;
	return h;
}

bool identity_same_func(const struct names *names, func_id a, func_id b)
{
	const struct func *fa = names_func(names, a), *fb = names_func(names, b);

	return a == b || (fa->name == fb->name && fa->module == fb->module && fa->kind == fb->kind);
}

uint64_t identity_frame(struct identity *id, frame_id frame)
{
	const struct frame *f = dict_get_frame(id->d, frame);

	return hash_2u64(identity_module_hash(id, f->module), f->offset);
}
