/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "system/hostroot.h"

#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

static const char *const processes[] = { "1", "2" }, *const roots[] = { "/proc/1/root", "/proc/2/root" };
static unsigned int which;
static bool elsewhere, hidden, closed;

/* Is the namespace KIND of that process known, and another one than ours? */
static bool hostroot_differs(const char *kind)
{
	char path[32], first[64], own[64];
	ssize_t n, m;

	snprintf(path, sizeof(path), "/proc/%s/ns/%s", processes[which], kind);
	n = readlink(path, first, sizeof(first));
	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	m = readlink(path, own, sizeof(own));
	return n > 0 && m > 0 && (n != m || memcmp(first, own, (size_t)n) != 0);
}

static void hostroot_look(void)
{
	for (which = 0; which < 2 && !elsewhere; which += !elsewhere)
		elsewhere = hostroot_differs("mnt") && !access(roots[which], X_OK);
	which = elsewhere ? which : 0;
	hidden = hostroot_differs("cgroup");
	closed = !elsewhere && access(roots[0], X_OK) && !prctl(PR_CAPBSET_READ, CAP_SYS_PTRACE, 0, 0, 0);
}

static void hostroot_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, hostroot_look);
}

const char *host_root(void)
{
	hostroot_once();
	return elsewhere ? roots[which] : "";
}

const char *host_process(void)
{
	hostroot_once();
	return processes[which];
}

bool host_closed(void)
{
	hostroot_once();
	return closed;
}

bool host_cgroups_hidden(void)
{
	hostroot_once();
	return hidden;
}
