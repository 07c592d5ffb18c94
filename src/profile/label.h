/* SPDX-License-Identifier: BSD-2-Clause */
/* label.h - words that several labels are made of. Private to queries. DST always ends in NUL; SIZE is at least 1. */
#ifndef SBERF_PROFILE_LABEL_H
#define SBERF_PROFILE_LABEL_H

#include "profile/dict.h"

#include <stddef.h>

/* Appends TEXT, sanitised, to DST, of which AT bytes are in use, as much as fits. Returns the new length. */
size_t label_put(char *dst, size_t size, size_t at, const char *text, size_t len);
/* "libc.so.6+0x2a1f0", "[cut: ...]" */
void label_place(const struct dict *d, frame_id id, char *dst, size_t size);
/* "redis-server 1234": the name of the main thread when THREAD is that, else of the executable. */
void label_process(const struct dict *d, const struct thread *thread, char *dst, size_t size);
/* "bio_aof 1236". Returns the length. */
size_t label_thread(const struct dict *d, const struct thread *thread, char *dst, size_t size);

#endif
