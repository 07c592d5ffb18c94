/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * caller.h - who called sberf: under sudo the user who called that (SUDO_UID, SUDO_GID), with that user's
 * groups.
 */
#ifndef SBERF_SYSTEM_CALLER_H
#define SBERF_SYSTEM_CALLER_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define CALLER_GROUPS_MAX 256

struct caller {
	bool other;              /* it is not the user that sberf runs as: what follows is set */
	uid_t uid;
	gid_t gid;
	int nr_groups;
	gid_t groups[CALLER_GROUPS_MAX];
	char name[256], home[PATH_MAX];  /* "" = not known */
};

/* 0, or a negative errno with a sentence when sudo's variables make no sense. It reads files. */
int caller_find(struct caller *ret, struct err *e);

/*
 * This process, with all its threads, becomes C, if that is another user: with all its capabilities. False, with errno,
 * when it may not. It may stand between fork and exec of a process with one thread.
 */
bool caller_become(const struct caller *c);

#endif
