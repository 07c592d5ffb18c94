/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * label.h - building blocks of labels. Private to queries. DST always ends in NUL; SIZE is at least
 * 1.
 */
#ifndef SBERF_QUERY_LABEL_H
#define SBERF_QUERY_LABEL_H

#include "model/dict.h"
#include "query/query.h"

#include <stddef.h>

/*
 * Appends TEXT (LEN bytes), sanitised, to DST behind its AT used bytes, as far as it fits. Returns
 * the new length.
 */
size_t label_put(char *dst, size_t size, size_t at, const char *text, size_t len);
/* "libc.so.6+0x2a1f0", "[cut: ...]" */
void label_place(const struct dict *d, frame_id id, char *dst, size_t size);
/* "libc.so.6" of a path; "[unknown]" when it is empty. */
void label_file(const struct dict *d, str_id path, char *dst, size_t size);
/*
 * "redis-server 1234", or "redis-server 1234 (1 inside)" of one that has another number in a pid namespace of its own,
 * as in a container: the name of the main thread when THREAD is that, else of the executable.
 */
void label_process(const struct dict *d, const struct thread *thread, char *dst, size_t size);
/* "bio_aof 1236". Returns the length. */
size_t label_thread(const struct dict *d, const struct thread *thread, char *dst, size_t size);
/* The name of the group NODE of T without pid and tid: "redis-server", "bio_aof". */
void label_kin(const struct tree *t, uint32_t node, char *dst, size_t size);
/* The build-id of M in hexadecimal, "" when it has none. */
void label_build_id(const struct module *m, char dst[2 * BUILD_ID_MAX + 1]);
/* "node 3" for NUMA, "unknown node" for an impossible number. */
void label_numa(uint32_t node, char *dst, size_t size);

#endif
