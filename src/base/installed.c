/* SPDX-License-Identifier: BSD-2-Clause */
/* installed.c - the places, in their order. */
#include "config.h"

#include "base/installed.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool installed_find(const char *name, char ret[PATH_MAX])
{
	static const char *const beside[] = { "", "../lib/sberf/" };
	char own[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *end;

	own[n > 0 ? n : 0] = '\0';
	end = strrchr(own, '/');
	if (end)
		end[1] = '\0';
	for (size_t i = 0; end && i < sizeof(beside) / sizeof(*beside); i++)
		if (snprintf(ret, PATH_MAX, "%s%s%s", own, beside[i], name) < PATH_MAX && !access(ret, R_OK))
			return true;
	return snprintf(ret, PATH_MAX, "%s/%s", MEMORY_DIR, name) < PATH_MAX && !access(ret, R_OK);
}

const char *installed_dir(void)
{
	return MEMORY_DIR;
}
