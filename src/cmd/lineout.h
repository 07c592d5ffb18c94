/* SPDX-License-Identifier: BSD-2-Clause */
/* lineout.h - where commands write that print lines while something happens. */
#ifndef SBERF_CMD_LINEOUT_H
#define SBERF_CMD_LINEOUT_H

#include "base/err.h"
#include "cmd/options.h"

#include <stdio.h>

/*
 * Opens for O, of "sberf COMMAND", the file of -o, or standard output, which is for lines alone: a command behind --
 * then writes to standard error, and that is said. 0, or a negative errno with a sentence; *RET is the caller's.
 */
int lineout_open(const struct options *o, FILE **ret, struct err *e);

/* What a function returns whose result is R, when writing to where O says has failed with CODE, 0 = it has not. */
int lineout_result(const struct options *o, int r, int code, struct err *e);

#endif
