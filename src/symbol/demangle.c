/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle.c - libiberty, fenced in.
 *
 * Its demanglers for C++ and Rust hand out text piece by piece to a callback and hold no memory
 * meanwhile, so leaving them from the callback by longjmp is how an explosion ("substitutions of
 * substitutions") is stopped at DEMANGLE_OUT_MAX. Their own recursion limit refuses C++ names of
 * 1,024 characters, which templates do reach; names up to DEMANGLE_IN_MAX are let through without
 * it, because recursion is bounded by the length and the caller's stack is known to be large
 * enough.
 */
#include "config.h"

#include "symbol/demangle.h"

#include "base/cleanup.h"

#ifdef HAVE_LIBIBERTY_DEMANGLE_H
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

/* libiberty's recursion limit does not refuse names up to here by their length alone */
#define LIMITED_LEN 1000u
#define D_REFS_MAX 24u

struct sink {
	char *text;
	size_t len, cap;
	jmp_buf give_up;
};

static void demangle_put(const char *s, size_t len, void *ctx)
{
	struct sink *k = ctx;

	if (len > DEMANGLE_OUT_MAX - k->len)
		longjmp(k->give_up, 1);
	if (k->len + len + 1 > k->cap) {
		const size_t cap = 2 * (k->len + len + 1);
		char *more = realloc(k->text, cap);

		if (!more)
			longjmp(k->give_up, 1);
		k->text = more;
		k->cap = cap;
	}
	memcpy(k->text + k->len, s, len);
	k->len += len;
	k->text[k->len] = '\0';
}

typedef int stream_fn(const char *mangled, int options, demangle_callbackref callback, void *ctx);

static char *demangle_run(stream_fn *fn, const char *name, size_t len)
{
	const int options = DMGL_PARAMS | DMGL_ANSI | (len > LIMITED_LEN ? DMGL_NO_RECURSE_LIMIT : 0);
	struct sink *k = calloc(1, sizeof(*k));
	char *text = NULL;

	if (!k)
		return NULL;
	if (!setjmp(k->give_up) && fn(name, options, demangle_put, k) && k->len)
		text = take_ptr(k->text);
	free(k->text);
	free(k);
	return text;
}

/*
 * D: the demangler builds its whole answer itself. What makes it long is a back reference ("Q...")
 * to something with back references; K of them repeat a name at most e^(K/e) times, so few of them
 * keep it within megabytes.
 */
static char *run_d(const char *name, size_t len)
{
	char *text = NULL;
	unsigned int refs = 0;

	for (const char *q = strchr(name, 'Q'); q; q = strchr(q + 1, 'Q'))
		refs++;
	if (len <= LIMITED_LEN && refs <= D_REFS_MAX)
		text = dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);

	if (text && strlen(text) > DEMANGLE_OUT_MAX) {
		free(text);
		return NULL;
	}
	return text;
}

char *demangle(const char *name)
{
	const size_t len = strnlen(name, DEMANGLE_IN_MAX + 1);
	char *text = NULL;

	if (len > DEMANGLE_IN_MAX || name[0] != '_')
		return NULL;
	if (name[1] == 'R' || !strncmp(name, "_ZN", 3))
		text = demangle_run(rust_demangle_callback, name, len);
	if (!text && name[1] == 'Z')
		text = demangle_run(cplus_demangle_v3_callback, name, len);
	if (!text && name[1] == 'D')
		text = run_d(name, len);
	return text;
}

char *demangle_symbol(const char *name)
{
	const size_t len = strlen(name), stub = sizeof("@plt") - 1;
	const bool plt = len > stub && !strcmp(name + len - stub, "@plt");
	AUTO_FREE char *mangled = plt ? strndup(name, len - stub) : NULL, *plain = NULL;
	char *joined;

	if (plt && !mangled)
		return NULL;
	plain = demangle(plt ? mangled : name);
	if (!plain)
		return strdup(name);
	if (!plt)
		return take_ptr(plain);
	return asprintf(&joined, "%s@plt", plain) < 0 ? NULL : joined;
}
