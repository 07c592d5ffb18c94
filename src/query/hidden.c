/* SPDX-License-Identifier: BSD-2-Clause */
/* hidden.c - marks the modules whose frames a question hides: the kernel, or libraries. */
#include "config.h"

#include "query/hidden.h"

#include "base/cleanup.h"
#include "base/part.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

typedef VEC(str_id) path_vec;

static struct part hidden_path(const struct dict *d, str_id id)
{
	return (struct part){ strtab_get(dict_strings(d), id), strtab_len(dict_strings(d), id) };
}

/* The folder of T without its slash at the end; "" of one in the root. */
static struct part hidden_folder(struct part t)
{
	const char *slash = memrchr(t.s, '/', t.len);

	t.len = slash ? (size_t)(slash - t.s) : 0;
	return t;
}

/* Where many programs share their libraries. */
static bool is_shared(struct part t)
{
	static const char *const folders[] = { "", "/usr", "/usr/local", "/lib", "/lib32", "/lib64",
					       "/usr/lib", "/usr/lib32",
					       "/usr/lib64", "/usr/libexec", "/usr/local/lib" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (part_is(t, folders[i]))
			return true;
	return memmem(t.s, t.len, "-linux-", 7) &&
	       (part_is(hidden_folder(t), "/lib") || part_is(hidden_folder(t), "/usr/lib"));
}

/* What a program in the executable EXE brings along is in this folder or below; "" = in none. */
static struct part home_of(struct part exe)
{
	struct part home = hidden_folder(exe);

	if (part_ends(home, "/bin") || part_ends(home, "/sbin"))
		home = hidden_folder(home);
	return is_shared(home) ? (struct part){ "", 0 } : home;
}

static bool belongs_to(struct part path, struct part exe)
{
	const struct part home = home_of(exe);

	if (part_same(path, exe))
		return true;
	return home.len && path.len > home.len && path.s[home.len] == '/' && !memcmp(path.s, home.s, home.len);
}

/* By its name: "libc.so.6", "x.so". */
static bool is_named_so(struct part path)
{
	return part_ends(path, ".so") || memmem(path.s, path.len, ".so.", 4);
}

static bool is_library(const struct dict *d, const struct module *m, const path_vec *exes)
{
	const struct part path = hidden_path(d, m->path);

	if (m->kind != MODULE_FILE)
		return m->kind == MODULE_VDSO;
	if (!path.len)
		return false;
	if (!exes->n)
		return is_named_so(path);
	for (size_t i = 0; i < exes->n; i++)
		if (belongs_to(path, hidden_path(d, exes->v[i])))
			return false;
	return true;
}

/* The executables of all threads, each once: threads of one process come one after the other, mostly. */
static bool find_executables(const struct dict *d, path_vec *ret)
{
	const uint32_t threads = dict_threads(d);
	str_id last = 0;

	for (thread_id id = 0; id < threads; id++) {
		const str_id exe = dict_get_thread(d, id)->exe;
		size_t i = 0;
		str_id *slot;

		if (!strtab_len(dict_strings(d), exe) || (ret->n && exe == last))
			continue;
		last = exe;
		while (i < ret->n && ret->v[i] != exe)
			i++;
		if (i < ret->n)
			continue;
		slot = vec_push(ret);
		if (!slot)
			return false;
		*slot = exe;
	}
	return true;
}

static bool hides_script_view(enum script_view view, const struct module *m)
{
	switch (view) {
	case SCRIPTS_ONLY:
		return m->kind != MODULE_SCRIPT && m->kind != MODULE_NOTE;
	case SCRIPTS_NATIVE:
		return m->kind == MODULE_SCRIPT;
	default:
		return false;
	}
}

bool hidden_init(struct hidden *h, const struct dict *d, const struct query *q)
{
	path_vec exes = { 0 };
	bool ok = true;

	*h = (struct hidden){ .interpreters = q->scripts == SCRIPTS_MERGED };
	if (!q->hide_kernel && !q->hide_libraries && q->scripts == SCRIPTS_MERGED)
		return true;
	h->n = dict_modules(d);
	h->module = calloc(h->n + 1ul, sizeof(*h->module));
	if (!h->module)
		return false;
	if (q->hide_libraries)
		ok = find_executables(d, &exes);
	for (module_id id = 0; ok && id < h->n; id++) {
		const struct module *m = dict_get_module(d, id);

		h->module[id] = hides_script_view(q->scripts, m) ||
				(m->kind == MODULE_KERNEL ? q->hide_kernel
							  : q->hide_libraries && is_library(d, m, &exes));
	}
	vec_free(&exes);
	return ok;
}

void hidden_free(struct hidden *h)
{
	free(h->module);
}
