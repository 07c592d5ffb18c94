/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.c - what AddressSanitizer does in fuzz programs unless ASAN_OPTIONS says otherwise.
 *
 * Freed memory is kept from being used again up to 256 MiB as a rule, which a program that makes a
 * few MiB in each of thousands of runs pays for with page faults and cold caches; 16 MiB are
 * several runs. Of where memory came from, the innermost six frames are kept.
 */
#include "config.h"

const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=16:malloc_context_size=6";
}
