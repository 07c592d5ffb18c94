/* SPDX-License-Identifier: BSD-2-Clause */
/* frameshare.h - counts frames of user code, and those of them that have no unwind table. */
#ifndef SBERF_QUERY_FRAMESHARE_H
#define SBERF_QUERY_FRAMESHARE_H

#include "profile/profile.h"

/* User frames in the stacks of all samples and waits, each stack counted as often as it was met. */
struct frame_share {
	uint64_t frames;
	uint64_t no_table;       /* of these: FRAME_F_NO_TABLE */
};

/* Counts over all of S. 0, or -ENOMEM with *RET unchanged. */
int frame_share_of(const struct snapshot *s, struct frame_share *ret);

#endif
