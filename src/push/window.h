/* SPDX-License-Identifier: BSD-2-Clause */
/* window.h - makes the body that is pushed of a window of time: its profiles of pprof, in the envelope of a store. */
#ifndef SBERF_PUSH_WINDOW_H
#define SBERF_PUSH_WINDOW_H

#include "push/pushbody.h"
#include "serve/answer.h"

/*
 * The body for ENGINE, with labels L, of what SOURCE has of the range of M, to *RET and *RET_LEN; free() it. -ENODATA:
 * there is nothing; -ENOMEM. May take as long as it takes to write all stacks of the range.
 */
int push_window(const struct serve_source *source, const struct serve_moment *m, enum push_engine engine,
		const struct push_labels *l, char **ret, size_t *ret_len);

#endif
