/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unseen.h - counts processes of the target into which no library can be put by LD_PRELOAD, so that nobody tells what
 * they allocate: of programs that the command executes, which are linked statically, setuid and so on.
 */
#ifndef SBERF_ENGINE_UNSEEN_H
#define SBERF_ENGINE_UNSEEN_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct unseen;

struct unseen *unseen_new(void);                 /* NULL when there is no memory */
void unseen_free(struct unseen *u);              /* NULL is fine */

/* A process begins the program in PATH. Returns whether unseen_look() has something to do. Any thread. */
bool unseen_begun(struct unseen *u, const char *path);
/* Reads the programs that have been begun since the last call. One thread at a time. */
void unseen_look(struct unseen *u);
/* How many processes cannot be seen; any thread. Into *RET_WHY, if there are some, why the first one. */
uint32_t unseen_count(struct unseen *u, struct err *ret_why);

DEFINE_AUTO(unseen_free, struct unseen);

#endif
