/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fail_alloc.h - makes one allocation of the code under test fail, to prove that every failure is survived.
 *
 *	for (long n = 0; fail_alloc_round(n, try_it); n++)
 *		;
 *
 * Works by linking with $(wrap_alloc): malloc, calloc and realloc of every object of the test program come here.
 */
#ifndef SBERF_TESTS_UNIT_FAIL_ALLOC_H
#define SBERF_TESTS_UNIT_FAIL_ALLOC_H

#include <stdbool.h>

/*
 * Runs BODY with its allocation number N (from 0) failing. BODY returns true when it succeeded and
 * cleans up either way. True when an allocation failed, so that a further round makes sense; false
 * when BODY made no more than N allocations. Fails the test when BODY reports success although an
 * allocation failed, or failure although none did.
 */
bool fail_alloc_round(long n, bool (*body)(void));

/* The same for a BODY that may get by without what it did not get, and checks for itself that all is well. */
bool fail_alloc_try(long n, void (*body)(void));

#endif
