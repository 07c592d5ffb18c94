/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * operators.c - the operators new and delete of C++, which are those of the next library that has them. Those of
 * libstdc++ call malloc(), where their blocks are seen. An allocator that has operators of its own (jemalloc,
 * tcmalloc, mimalloc) does not: where they are in the same library as malloc(), blocks are told here, unless a
 * function of ours has seen them, as that of jemalloc calls aligned_alloc().
 *
 * A library of C++ may have been loaded so that only who loaded it sees it. Its operators are not behind ours then,
 * and are asked of the C++ library itself. And a program may call an operator only if there is one, as a weak symbol:
 * with ours there is, so where nobody else has any, they are malloc() and free().
 *
 * What an operator is called with is passed on in its registers, whatever it means. An exception passes these
 * functions, which hold nothing then.
 */
#include "config.h"

#include "preload/tell.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t word;

struct operator {
	const char *symbol;
	void (*call)(void);      /* NULL = it was not looked for yet */
	bool apart;              /* it is in the library of malloc() */
};

typedef void *new_fn(word size, word second, word third);
typedef void delete_fn(word p, word second, word third);

/* SYMBOL of a C++ library that is loaded, wherever it can be seen from. */
static void *of_library(const char *symbol)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++.so.1", "libc++abi.so.1" };
	void *at = NULL;

	for (size_t i = 0; !at && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		at = library ? dlsym(library, symbol) : NULL;
		if (library)
			dlclose(library);
	}
	return at;
}

static bool is_of_malloc(const void *at)
{
	const void *plain = next_malloc();
	Dl_info of, of_plain;

	return plain && dladdr(at, &of) && dladdr(plain, &of_plain) && of.dli_fbase == of_plain.dli_fbase;
}

static void *plain_new(word size, word second, word third)
{
	(void)second;
	(void)third;
	return malloc(size);
}

static void *plain_aligned_new(word size, word align, word third)
{
	(void)third;
	return aligned_alloc(align, size);
}

static void plain_delete(word p, word second, word third)
{
	(void)second;
	(void)third;
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): it came as a word */
	free((void *)p);
}

/* What stands for operator SYMBOL where no library has any. */
static void *plain_operator(const char *symbol)
{
	new_fn *made = strstr(symbol, "align_val_t") ? plain_aligned_new : plain_new;
	delete_fn *deleted = plain_delete;
	void *at;

	memcpy(&at, strncmp(symbol, "_Zd", 3) ? (void *)&made : (void *)&deleted, sizeof(at));
	return at;
}

__attribute__((noinline)) static void operator_find(struct operator *o)
{
	struct sampler_thread *thread = &sampler_own;
	const int64_t left = thread->left;
	void (*call)(void);
	void *at;

	/* What is allocated for that is none of the program's. */
	thread->inside++;
	at = dlsym(RTLD_NEXT, o->symbol);
	at = at ? at : of_library(o->symbol);
	thread->inside--;
	thread->left = left;
	o->apart = at && is_of_malloc(at);
	at = at ? at : plain_operator(o->symbol);
	memcpy(&call, &at, sizeof(call));
	__atomic_store_n(&o->call, call, __ATOMIC_RELEASE);
}

static inline void (*operator_ready(struct operator *o))(void)
{
	if (__builtin_expect(!__atomic_load_n(&o->call, __ATOMIC_ACQUIRE), 0))
		operator_find(o);
	return o->call;
}

#define OPERATOR_NEW(name) \
	void *name(word size, word second, word third); \
	EXPORT void *name(word size, word second, word third) \
	{ \
		static struct operator own = { #name, NULL, false }; \
		new_fn *call = (new_fn *)operator_ready(&own); \
		int64_t left; \
		void *p; \
		if (LIKELY(!own.apart)) \
			return call(size, second, third); \
		left = sampler_mark_call(); \
		p = call(size, second, third); \
		if (!sampler_has_seen(left)) \
			ALLOCATED(p, size); \
		return p; \
	}

#define OPERATOR_DELETE(name) \
	void name(word p, word second, word third); \
	EXPORT void name(word p, word second, word third) \
	{ \
		static struct operator own = { #name, NULL, false }; \
		delete_fn *call = (delete_fn *)operator_ready(&own); \
		if (own.apart && sampler_may_know((const void *)p)) \
			tell_freed(p, sampler_is_temporary(p)); \
		call(p, second, third); \
	}

OPERATOR_NEW(_Znwm)
OPERATOR_NEW(_Znam)
OPERATOR_NEW(_ZnwmRKSt9nothrow_t)
OPERATOR_NEW(_ZnamRKSt9nothrow_t)
OPERATOR_NEW(_ZnwmSt11align_val_t)
OPERATOR_NEW(_ZnamSt11align_val_t)
OPERATOR_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t)
OPERATOR_NEW(_ZnamSt11align_val_tRKSt9nothrow_t)
OPERATOR_DELETE(_ZdlPv)
OPERATOR_DELETE(_ZdaPv)
OPERATOR_DELETE(_ZdlPvm)
OPERATOR_DELETE(_ZdaPvm)
OPERATOR_DELETE(_ZdlPvRKSt9nothrow_t)
OPERATOR_DELETE(_ZdaPvRKSt9nothrow_t)
OPERATOR_DELETE(_ZdlPvSt11align_val_t)
OPERATOR_DELETE(_ZdaPvSt11align_val_t)
OPERATOR_DELETE(_ZdlPvmSt11align_val_t)
OPERATOR_DELETE(_ZdaPvmSt11align_val_t)
OPERATOR_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t)
OPERATOR_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t)
