/* SPDX-License-Identifier: BSD-2-Clause */
/* which.h - finds the code that belongs to a node of a tree. It is pure. */
#ifndef SBERF_ANNOTATE_WHICH_H
#define SBERF_ANNOTATE_WHICH_H

#include "annotate/listing.h"
#include "query/query.h"

#include <stdbool.h>

/*
 * The function that NODE of T is, or is inlined into, for listing_read(). False: *RET_WHY is a
 * sentence that says why there is none.
 */
bool listing_which(const struct tree *t, uint32_t node, struct listing_of *ret, const char **ret_why);

#endif
