/* SPDX-License-Identifier: BSD-2-Clause */
/* recording_text.h - what has become of a recording, as a sentence: for the screen and for standard error. */
#ifndef SBERF_SESSION_RECORDING_TEXT_H
#define SBERF_SESSION_RECORDING_TEXT_H

#include "record/recording.h"

#include <stddef.h>

#define RECORDING_TEXT_MAX (768 + ERR_TEXT_MAX)

/*
 * "the last 4m57 are in sberf-1.sberf (3.1 MB)", "12.3 s are recorded in sberf-2.sberf (340 kB)",
 * or why it failed with what goes on all the same behind it: "...; OTHERWISE". In front of it
 * stands what it was written for by itself. SIZE bytes at DST,
 * which it returns.
 */
char *recording_text(const struct recorder_saved *s, const char *otherwise, char *dst, size_t size);

#endif
