/* SPDX-License-Identifier: BSD-2-Clause */
/* branch_listing.h - the instructions of a function, with how often each of its branches was taken. */
#ifndef SBERF_CMD_BRANCH_LISTING_H
#define SBERF_CMD_BRANCH_LISTING_H

#include "base/err.h"
#include "branch/show.h"
#include "branch/sums.h"
#include "model/probecode.h"

/*
 * Writes the instructions of CODE, of whose branches SUMS has the counts, as SHOW says, with source lines above those
 * that begin one. 0, or a negative errno with a sentence when its file cannot be read.
 */
int branch_listing(const struct branch_show *show, const struct probe_code *code, struct branch_sums *sums,
		   struct err *e);

#endif
