/* SPDX-License-Identifier: BSD-2-Clause */
/* caller.c - sudo(8) says it in the environment. */
#include "config.h"

#include "system/caller.h"

#include "base/parse.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number that sudo left in variable NAME. */
static int caller_sudo_id(const char *name, uint64_t *ret, struct err *e)
{
	const char *text = getenv(name);

	if (!text)
		return err_set(e, EINVAL, "%s is not set although sudo's other variable is: the command would run as "
			       "root; set both or none", name);
	return parse_u64(text, name, 0, UINT32_MAX - 1, ret, e);
}

int caller_find(struct caller *ret, struct err *e)
{
	const struct passwd *pw;
	uint64_t uid, gid;
	int n = CALLER_GROUPS_MAX, r;

	memset(ret, 0, sizeof(*ret));
	if (geteuid() != 0 || (!getenv("SUDO_UID") && !getenv("SUDO_GID")))
		return 0;
	r = caller_sudo_id("SUDO_UID", &uid, e);
	if (!r)
		r = caller_sudo_id("SUDO_GID", &gid, e);
	if (r)
		return r;
	ret->other = uid != 0;
	ret->uid = (uid_t)uid;
	ret->gid = (gid_t)gid;
	ret->groups[0] = ret->gid;
	ret->nr_groups = 1;
	pw = getpwuid(ret->uid);
	if (!pw)
		return 0;
	if (getgrouplist(pw->pw_name, ret->gid, ret->groups, &n) >= 0)
		ret->nr_groups = n;
	snprintf(ret->name, sizeof(ret->name), "%s", pw->pw_name);
	snprintf(ret->home, sizeof(ret->home), "%s", pw->pw_dir);
	return 0;
}

bool caller_become(const struct caller *c)
{
	return !c->other || (!setgroups((size_t)c->nr_groups, c->groups) && !setgid(c->gid) && !setuid(c->uid));
}
