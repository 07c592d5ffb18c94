/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waitchain.h - prints chains of waits as sentences: "a waits for mutex l (0x10), held by b, which
 * waits for mutex m (0x20), held by a".
 */
#ifndef SBERF_EXPORT_WAITCHAIN_H
#define SBERF_EXPORT_WAITCHAIN_H

#include "model/waitgraph.h"

#include <stdio.h>

struct waitchain {
	const struct waitgraph_wait *wait;       /* linked */
	size_t n;
	/* Prints what the thread is called, without blanks around it. */
	void (*thread)(void *ctx, FILE *f, uint32_t tid);
	/* Prints what WAIT is for and, where nobody is known to hold it, what is known instead. */
	void (*what)(void *ctx, FILE *f, size_t wait);
	/* What stands between that and the holder: ", held by ". */
	const char *(*by)(void *ctx, size_t wait);
	/* Prints, behind "which ", what the thread TID does that holds something and waits for no lock. */
	void (*holder)(void *ctx, FILE *f, uint32_t tid);
	void *ctx;
};

/* Prints the chain from FIRST on and a newline to F. One that leads into a cycle ends where the cycle is complete. */
void waitchain_print(const struct waitchain *c, FILE *f, size_t first);

/* "deadlock of N threads:" and its chain, for each cycle. Returns how many there are. */
size_t waitchain_print_cycles(const struct waitchain *c, FILE *f);

#endif
