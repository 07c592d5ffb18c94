/* SPDX-License-Identifier: BSD-2-Clause */
/* frameshare.h - how many frames of user code there are, and how many of them have no unwind table. */
#ifndef SBERF_QUERY_FRAMESHARE_H
#define SBERF_QUERY_FRAMESHARE_H

#include "profile/profile.h"

/* Frames of user code in the stacks of all samples and waits, each stack as often as it was met. */
struct frame_share {
	uint64_t frames;
	uint64_t no_table;       /* of these: FRAME_F_NO_TABLE */
};

/* Over all of S. -ENOMEM: *RET is as before. */
int frame_share_of(const struct snapshot *s, struct frame_share *ret);

#endif
