/* SPDX-License-Identifier: BSD-2-Clause */
/* lockstext.h - what the report of locks says besides its rows. */
#ifndef SBERF_EXPORT_LOCKSTEXT_H
#define SBERF_EXPORT_LOCKSTEXT_H

#include "query/locks.h"

#include <stdbool.h>
#include <stdio.h>

#define LOCKSTEXT_HOLDERS 10u    /* that are told of one lock; of the others how many they are */

/* The deadlocks in L, a few lines for each, and an empty one behind them; nothing where there are none. */
void lockstext_deadlocks(FILE *out, const struct locks *l, bool ascii);

#endif
