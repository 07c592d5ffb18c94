/* SPDX-License-Identifier: BSD-2-Clause */
/* threads.h - threads under all their names: one that renames itself, or execs, has several ids (dict.h). */
#ifndef SBERF_PROFILE_THREADS_H
#define SBERF_PROFILE_THREADS_H

#include "profile/dict.h"

/*
 * By thread id below N, a count of D: the last id of the same thread, by pid, tid and start time: under the name it had last.
 * To be freed with free(); NULL when out of memory.
 */
thread_id *threads_same(const struct dict *d, uint32_t n);

#endif
