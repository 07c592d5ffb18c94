/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allocate.c - the functions of malloc(3), which call those of the next library that has them and tell of
 * blocks that are sampled (sampled.h), by static probes (note.h): otel_memory:alloc(address, bytes, bytes
 * that it stands for) when there is a block, otel_memory:free(address) before it is gone. The probes are in
 * the functions themselves, so that stacks begin with these.
 *
 * Nothing here allocates, locks or prints. Until the functions are looked up, which the first call does, each
 * of them is one that looks them up.
 */
#include "config.h"

#include "preload/early.h"
#include "preload/tell.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

void *malloc(size_t size);
void *calloc(size_t times, size_t size);
void *realloc(void *old, size_t size);
void *reallocarray(void *old, size_t times, size_t size);
int posix_memalign(void **ret, size_t align, size_t size);
void *aligned_alloc(size_t align, size_t size);
void *memalign(size_t align, size_t size);
void *valloc(size_t size);
void *pvalloc(size_t size);
void free(void *p);

static void *first_malloc(size_t size);
static void *first_calloc(size_t times, size_t size);
static void *first_realloc(void *old, size_t size);
static int first_posix_memalign(void **ret, size_t align, size_t size);
static void *first_aligned_alloc(size_t align, size_t size);
static void *first_memalign(size_t align, size_t size);
static void *first_valloc(size_t size);
static void *first_pvalloc(size_t size);
static void first_free(void *p);

/* Those of the next library. */
static struct {
	void *(*malloc)(size_t size);
	void *(*calloc)(size_t times, size_t size);
	void *(*realloc)(void *old, size_t size);
	int (*posix_memalign)(void **ret, size_t align, size_t size);
	void *(*aligned_alloc)(size_t align, size_t size);
	void *(*memalign)(size_t align, size_t size);
	void *(*valloc)(size_t size);
	void *(*pvalloc)(size_t size);
	void (*free)(void *p);
} next = {
	first_malloc, first_calloc, first_realloc, first_posix_memalign, first_aligned_alloc, first_memalign,
	first_valloc, first_pvalloc, first_free,
};

static bool looking;             /* they are being looked up */
static bool found;

/* Sets *WHERE to the next function NAME, if there is one. */
static void find_next(void *where, const char *name)
{
	void *at = dlsym(RTLD_NEXT, name);

	if (at)
		memcpy(where, &at, sizeof(at));
}

/* Looks them up. False while somebody does. */
static bool find_all(void)
{
	if (__atomic_load_n(&found, __ATOMIC_ACQUIRE))
		return true;
	if (__atomic_exchange_n(&looking, true, __ATOMIC_ACQUIRE))
		return false;
	find_next(&next.calloc, "calloc");
	find_next(&next.realloc, "realloc");
	find_next(&next.posix_memalign, "posix_memalign");
	find_next(&next.aligned_alloc, "aligned_alloc");
	find_next(&next.memalign, "memalign");
	find_next(&next.valloc, "valloc");
	find_next(&next.pvalloc, "pvalloc");
	find_next(&next.free, "free");
	find_next(&next.malloc, "malloc");
	__atomic_store_n(&found, true, __ATOMIC_RELEASE);
	return true;
}

static void *early(size_t size, size_t align)
{
	void *p = early_allocate(size, align);

	if (p)
		sampler_mark(p);
	return p;
}

/* There is no such function in any library. */
static void *missing(void)
{
	errno = ENOSYS;
	return NULL;
}

static void *first_malloc(size_t size)
{
	if (!find_all())
		return early(size, 0);
	return next.malloc != first_malloc ? next.malloc(size) : missing();
}

static void *first_calloc(size_t times, size_t size)
{
	if (!find_all())
		return times && size > SIZE_MAX / times ? NULL : early(times * size, 0);
	return next.calloc != first_calloc ? next.calloc(times, size) : missing();
}

static void *first_realloc(void *old, size_t size)
{
	if (!find_all())
		return old ? missing() : early(size, 0);
	return next.realloc != first_realloc ? next.realloc(old, size) : missing();
}

static int first_posix_memalign(void **ret, size_t align, size_t size)
{
	if (find_all())
		return next.posix_memalign != first_posix_memalign ? next.posix_memalign(ret, align, size) : ENOSYS;
	*ret = early(size, align);
	return *ret ? 0 : ENOMEM;
}

static void *first_aligned_alloc(size_t align, size_t size)
{
	if (!find_all())
		return early(size, align);
	return next.aligned_alloc != first_aligned_alloc ? next.aligned_alloc(align, size) : missing();
}

static void *first_memalign(size_t align, size_t size)
{
	if (!find_all())
		return early(size, align);
	return next.memalign != first_memalign ? next.memalign(align, size) : missing();
}

static void *first_valloc(size_t size)
{
	if (!find_all())
		return early(size, (size_t)getpagesize());
	return next.valloc != first_valloc ? next.valloc(size) : missing();
}

static void *first_pvalloc(size_t size)
{
	if (!find_all())
		return early(size, (size_t)getpagesize());
	return next.pvalloc != first_pvalloc ? next.pvalloc(size) : missing();
}

/* What cannot be freed now stays. */
static void first_free(void *p)
{
	if (find_all() && next.free != first_free)
		next.free(p);
}

__attribute__((constructor(101))) static void begin(int argc, char **argv, char **environment)
{
	(void)find_all();
	sampler_begin(environment);
}

EXPORT void *malloc(size_t size)
{
	void *p = next.malloc(size);

	ALLOCATED(p, size);
	return p;
}

EXPORT void *calloc(size_t times, size_t size)
{
	void *p = next.calloc(times, size);

	ALLOCATED(p, times * size);
	return p;
}

const void *next_malloc(void)
{
	const void *at = NULL;

	if (find_all())
		memcpy(&at, &next.malloc, sizeof(at));
	return at;
}

__attribute__((noinline)) void tell_freed(uintptr_t p, bool temporary)
{
	if (sampler_drop(p))
		TELL_FREED(p, temporary);
}

EXPORT void free(void *p)
{
	if (sampler_may_know(p)) {
		if (early_is(p))
			return;
		tell_freed((uintptr_t)p, sampler_is_temporary((uintptr_t)p));
	}
	next.free(p);
}

/* OLD, which is early memory, becomes a block. */
static void *grow_early(const void *old, size_t size)
{
	const size_t had = early_rest(old);
	void *p = next.malloc(size);

	if (p)
		memcpy(p, old, size < had ? size : had);
	return p;
}

/* Where there is no memory for another one, the block stays what it was. */
static inline void *resize(void *old, size_t size)
{
	const uintptr_t at = (uintptr_t)old;
	const bool known = sampler_may_know(old);
	void *p;

	if (known && early_is(old))
		return grow_early(old, size);
	p = next.realloc(old, size);
	if (known && (p || !size))
		tell_freed(at, false);
	return p;
}

EXPORT void *realloc(void *old, size_t size)
{
	void *p = resize(old, size);

	ALLOCATED(p, size);
	return p;
}

/* That of glibc calls realloc(), which would be this one. */
EXPORT void *reallocarray(void *old, size_t times, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(times, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	p = resize(old, bytes);
	ALLOCATED(p, bytes);
	return p;
}

/* Calls CALL, which may allocate by a function of this library: what that counts does not. */
#define APART(call) \
	do { \
		struct sampler_thread *own_ = &sampler_own; \
		const int64_t left_ = own_->left; \
		own_->inside++; \
		call; \
		own_->inside--; \
		own_->left = left_; \
	} while (0)

EXPORT int posix_memalign(void **ret, size_t align, size_t size)
{
	void *p;
	int r;

	APART(r = next.posix_memalign(ret, align, size));
	p = r ? NULL : *ret;
	ALLOCATED(p, size);
	return r;
}

EXPORT void *aligned_alloc(size_t align, size_t size)
{
	void *p;

	APART(p = next.aligned_alloc(align, size));
	ALLOCATED(p, size);
	return p;
}

EXPORT void *memalign(size_t align, size_t size)
{
	void *p;

	APART(p = next.memalign(align, size));
	ALLOCATED(p, size);
	return p;
}

EXPORT void *valloc(size_t size)
{
	void *p;

	APART(p = next.valloc(size));
	ALLOCATED(p, size);
	return p;
}

EXPORT void *pvalloc(size_t size)
{
	void *p;

	APART(p = next.pvalloc(size));
	ALLOCATED(p, size);
	return p;
}
