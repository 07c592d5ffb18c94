/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strtab.h - interns strings: equal text has one id and one address.
 *
 * Ids count up from 0, and id 0 is always "". Strings are bytes, not NUL-free text: lengths are
 * kept. A returned pointer is NUL-terminated and stays valid until strtab_free(). One thread adds;
 * any thread may read an id it was handed through a release/acquire pair (strings never move).
 */
#ifndef SBERF_BASE_STRTAB_H
#define SBERF_BASE_STRTAB_H

#include "base/cleanup.h"

#include <stddef.h>
#include <stdint.h>

typedef uint32_t str_id;
#define STR_NONE UINT32_MAX

struct strtab;

/* An empty table that holds only ""; NULL when out of memory. */
struct strtab *strtab_new(void);
void strtab_free(struct strtab *t);                                 /* NULL is fine */

/* The id of the LEN bytes at S, added when new; STR_NONE when out of memory. */
str_id strtab_add(struct strtab *t, const char *s, size_t len);
/* The same for a NUL-terminated S. */
str_id strtab_adds(struct strtab *t, const char *s);

/* The text of ID; "" for an id that was never handed out. */
const char *strtab_get(const struct strtab *t, str_id id);
/* Its length in bytes; 0 for an id that was never handed out. */
size_t strtab_len(const struct strtab *t, str_id id);
/* How many ids exist: 0 <= id < count. */
uint32_t strtab_count(const struct strtab *t);
/* Bytes of memory held. */
size_t strtab_bytes(const struct strtab *t);

DEFINE_AUTO(strtab_free, struct strtab);

#endif
