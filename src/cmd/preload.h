/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload.h - gives a command the library that samples its memory (src/preload), through the environment
 * that it inherits from sberf.
 */
#ifndef SBERF_CMD_PRELOAD_H
#define SBERF_CMD_PRELOAD_H

#include "base/err.h"

#include <stdint.h>

/*
 * From now on a child that executes COMMAND, looked up as execvp() does, loads the library and samples by
 * INTERVAL bytes. Nothing is done for a program that samples by itself. 0, or a negative errno with a sentence
 * that says why it cannot be. Call preload_end() in any case.
 */
int preload_begin(const char *command, uint32_t interval, struct err *e);
/* The environment is as it was. */
void preload_end(void);

#endif
