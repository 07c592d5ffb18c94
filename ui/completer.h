/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * completer.h - a thread that looks up in which ways the text of a probe can go on, once. It may read
 * large files: whoever asks never waits for it, and lets it go.
 */
#ifndef SBERF_UI_COMPLETER_H
#define SBERF_UI_COMPLETER_H

#include "base/cleanup.h"
#include "session/session.h"

struct completer;

/* Begins to look for ways in which TYPED, of a probe in S, can go on; NULL when that is not possible. */
struct completer *completer_ask(const struct session *s, const char *typed);
/* What was found, valid as long as C; NULL = it is still being looked for. *RET_TYPED is what that is about. */
const struct completions *completer_found(struct completer *c, const char **ret_typed);
void completer_free(struct completer *c);        /* NULL is fine; never waits */

DEFINE_AUTO(completer_free, struct completer);

#endif
