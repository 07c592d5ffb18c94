/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacktext.h - the frames of one stack as texts, "malloc (libc.so.6)", with what is known of their
 * names at the moment: of a running capture, too, whose names come while it runs.
 */
#ifndef SBERF_QUERY_STACKTEXT_H
#define SBERF_QUERY_STACKTEXT_H

#include "base/vec.h"
#include "model/dict.h"
#include "model/names.h"

#include <stdbool.h>

/* Zeroed, it has no frames. */
struct stacktext {
	VEC(char *) frame;       /* innermost first, inlined ones before the function that they are in; sanitised */
};

/* Puts the frames of STACK into T, in place of what it had. False when out of memory. */
bool stacktext_of(struct stacktext *t, const struct dict *d, const struct names *names, stack_id stack);
void stacktext_free(struct stacktext *t);

#endif
