/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scanner.h - lists of processes, away from the keys: a thread that reads /proc again and again while somebody looks.
 *
 * The second list comes soon after the first, since only then it is known who takes how much now; further ones at the pace
 * that is asked for, and never so often that reading takes more than a twentieth of the time. It may hang on a lock of what it reads
 * or on a network that knows the names of users: whoever asks never waits for it, and it is left behind at the end.
 */
#ifndef SBERF_UI_SCANNER_H
#define SBERF_UI_SCANNER_H

#include "base/cleanup.h"
#include "base/err.h"
#include "system/proclist.h"

#include <stdbool.h>
#include <stdint.h>

struct scanner;

/* Reads DIR, "/proc". Idle at first. */
int scanner_new(const char *dir, struct scanner **ret, struct err *e);
void scanner_free(struct scanner *s);            /* NULL is fine; never waits */

/* Reads a list every EVERY_NS from now on; 0 = none any more. */
void scanner_go(struct scanner *s, uint64_t every_ns);

/*
 * True when there is news: a list, of which *RET is a reference that is the caller's, or, when it is NULL, a reason in E why there
 * is none.
 */
bool scanner_take(struct scanner *s, struct proclist **ret, struct err *e);
/* Readable when scanner_take() would be true. */
int scanner_fd(const struct scanner *s);

DEFINE_AUTO(scanner_free, struct scanner);

#endif
