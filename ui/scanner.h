/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scanner.h - a thread that lists processes from /proc again and again while they are shown, so
 * that keys never wait.
 *
 * The second list follows soon after the first, because present CPU use is known only then; later
 * ones at the requested pace, but never so often that reading takes more than a twentieth of the
 * time. The thread may hang on a lock of what it reads, or on a network that knows user names; the
 * caller never waits for it, and abandons it at the end.
 */
#ifndef SBERF_UI_SCANNER_H
#define SBERF_UI_SCANNER_H

#include "base/cleanup.h"
#include "base/err.h"
#include "system/proclist.h"

#include <stdbool.h>
#include <stdint.h>

struct scanner;

/*
 * Starts the thread, idle at first. DIR is "/proc". On success *RET is the caller's; else a
 * negative errno with a sentence.
 */
int scanner_new(const char *dir, struct scanner **ret, struct err *e);
void scanner_free(struct scanner *s);            /* NULL is fine; never waits */

/* Reads a list every EVERY_NS from now on; 0 = stop. */
void scanner_go(struct scanner *s, uint64_t every_ns);

/*
 * True when there is news: a list, whose reference in *RET is the caller's, or, with *RET NULL, a
 * sentence in E why there is none.
 */
bool scanner_take(struct scanner *s, struct proclist **ret, struct err *e);
/* A descriptor that is readable when scanner_take() would return true. */
int scanner_fd(const struct scanner *s);

DEFINE_AUTO(scanner_free, struct scanner);

#endif
