/* SPDX-License-Identifier: BSD-2-Clause */
/* nearest.h - finds, among names that are offered one by one, the one that a misspelt word is most like. */
#ifndef SBERF_PROBE_NEAREST_H
#define SBERF_PROBE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#define NEAREST_MAX 63u          /* longer words and names are like none */

struct nearest {
	const char *word;                /* borrowed */
	size_t len;
	unsigned int apart;              /* only what is nearer is better; at first one wrong letter in three is near */
	char best[NEAREST_MAX + 1];      /* "" = none so far */
};

/* Looks for what is like the LEN bytes at WORD, which must outlive it. */
struct nearest nearest_begin(const char *word, size_t len);

/* Offers NAME; true when it is the best so far, and best is its copy. Time: product of both lengths. */
bool nearest_offer(struct nearest *n, const char *name);

#endif
