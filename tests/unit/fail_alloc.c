/* SPDX-License-Identifier: BSD-2-Clause */
/* fail_alloc.c - counts allocations and fails one. Off outside of a round, so that cmocka's own are left alone. */
#include "config.h"

#include "tests/unit/fail_alloc.h"

#include "tests/unit/cmocka_all.h"

#include <stdlib.h>

static bool active, failed;
static long left;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static bool fails(void)
{
	if (!active || failed)
		return false;
	failed = left-- == 0;
	return failed;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

bool fail_alloc_try(long n, void (*body)(void))
{
	left = n;
	failed = false;
	active = true;
	body();
	active = false;
	return failed;
}

bool fail_alloc_round(long n, bool (*body)(void))
{
	bool ok;

	left = n;
	failed = false;
	active = true;
	ok = body();
	active = false;
	assert_int_equal(ok, !failed);
	return failed;
}
