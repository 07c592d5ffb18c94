/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads.h - threads under all their names: one that renames itself, or execs, has several ids
 * (dict.h).
 */
#ifndef SBERF_QUERY_THREADS_H
#define SBERF_QUERY_THREADS_H

#include "profile/profile.h"

/*
 * For each thread id below N (a size of the dictionary of S), the id under which the same thread
 * (pid, tid and start time) was seen last: in the latest slice with facts of it, the id with most
 * of them. (The order of ids does not tell: events of a recording are not in the order of their
 * names.) To be freed with free(); NULL when out of memory.
 */
thread_id *threads_same(const struct snapshot *s, uint32_t n);

#endif
