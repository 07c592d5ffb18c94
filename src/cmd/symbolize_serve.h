/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize_serve.h - `sberf symbolize --serve`: names by build-id and offset, for others (lib/remote.h). */
#ifndef SBERF_CMD_SYMBOLIZE_SERVE_H
#define SBERF_CMD_SYMBOLIZE_SERVE_H

#include "base/err.h"

#include <sberf/symbolize.h>

/*
 * Answers at the socket PATH, which is made for this user and his group and removed at the end, until a signal
 * ends it. DETAILS: with inlined calls and lines. 0, or a negative errno with a sentence.
 */
int symbolize_serve(struct sberf *s, const char *path, bool details, struct err *e);

#endif
