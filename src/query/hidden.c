/* SPDX-License-Identifier: BSD-2-Clause */
/* hidden.c - marks the modules whose frames a question hides: the kernel, or libraries. */
#include "config.h"

#include "query/hidden.h"

#include "base/cleanup.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

typedef VEC(str_id) path_vec;

struct text {
	const char *s;
	size_t n;
};

static struct text hidden_text_of(const struct dict *d, str_id id)
{
	return (struct text){ strtab_get(dict_strings(d), id), strtab_len(dict_strings(d), id) };
}

/* The folder of T without its slash at the end; "" of one in the root. */
static struct text hidden_folder(struct text t)
{
	const char *slash = memrchr(t.s, '/', t.n);

	t.n = slash ? (size_t)(slash - t.s) : 0;
	return t;
}

static bool hidden_is(struct text t, const char *what)
{
	return strlen(what) == t.n && !memcmp(t.s, what, t.n);
}

static bool hidden_ends_in(struct text t, const char *what)
{
	const size_t n = strlen(what);

	return t.n >= n && !memcmp(t.s + t.n - n, what, n);
}

/* Where many programs share their libraries. */
static bool is_shared(struct text t)
{
	static const char *const folders[] = { "", "/usr", "/usr/local", "/lib", "/lib32", "/lib64",
					       "/usr/lib", "/usr/lib32",
					       "/usr/lib64", "/usr/libexec", "/usr/local/lib" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (hidden_is(t, folders[i]))
			return true;
	return memmem(t.s, t.n, "-linux-", 7) &&
	       (hidden_is(hidden_folder(t), "/lib") || hidden_is(hidden_folder(t), "/usr/lib"));
}

/* What a program in the executable EXE brings along is in this folder or below; "" = in none. */
static struct text home_of(struct text exe)
{
	struct text home = hidden_folder(exe);

	if (hidden_ends_in(home, "/bin") || hidden_ends_in(home, "/sbin"))
		home = hidden_folder(home);
	return is_shared(home) ? (struct text){ "", 0 } : home;
}

static bool belongs_to(struct text path, struct text exe)
{
	const struct text home = home_of(exe);

	if (path.n == exe.n && !memcmp(path.s, exe.s, exe.n))
		return true;
	return home.n && path.n > home.n && path.s[home.n] == '/' && !memcmp(path.s, home.s, home.n);
}

/* By its name: "libc.so.6", "x.so". */
static bool is_named_so(struct text path)
{
	return hidden_ends_in(path, ".so") || memmem(path.s, path.n, ".so.", 4);
}

static bool is_library(const struct dict *d, const struct module *m, const path_vec *exes)
{
	const struct text path = hidden_text_of(d, m->path);

	if (m->kind != MODULE_FILE)
		return m->kind == MODULE_VDSO;
	if (!path.n)
		return false;
	if (!exes->n)
		return is_named_so(path);
	for (size_t i = 0; i < exes->n; i++)
		if (belongs_to(path, hidden_text_of(d, exes->v[i])))
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

bool hidden_init(struct hidden *h, const struct dict *d, const struct query *q)
{
	path_vec exes = { 0 };
	bool ok = true;

	*h = (struct hidden){ 0 };
	if (!q->hide_kernel && !q->hide_libraries)
		return true;
	h->n = dict_modules(d);
	h->module = calloc(h->n + 1ul, sizeof(*h->module));
	if (!h->module)
		return false;
	if (q->hide_libraries)
		ok = find_executables(d, &exes);
	for (module_id id = 0; ok && id < h->n; id++) {
		const struct module *m = dict_get_module(d, id);

		h->module[id] = m->kind == MODULE_KERNEL ? q->hide_kernel : q->hide_libraries &&
			is_library(d, m, &exes);
	}
	vec_free(&exes);
	return ok;
}

void hidden_free(struct hidden *h)
{
	free(h->module);
}
