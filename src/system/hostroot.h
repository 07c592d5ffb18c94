/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostroot.h - where the files of the host are when sberf runs in a container that has the host's pid namespace: in
 * mount namespaces of its own it sees others, but /proc/1/root leads to those of the host; or /proc/2/root, of the
 * first thread of the kernel, where the first process may not be looked into.
 */
#ifndef SBERF_SYSTEM_HOSTROOT_H
#define SBERF_SYSTEM_HOSTROOT_H

#include <stdbool.h>

/*
 * "/proc/1/root", or "/proc/2/root", when sberf is in another mount namespace than that process, which it may look
 * into (CAP_SYS_PTRACE); else "". Found out once, by the first call.
 */
const char *host_root(void);
/* Which process that is of: "1" or "2". */
const char *host_process(void);

/* Whether that cannot be known: sberf can never look into these processes (CAP_SYS_PTRACE), as in a container. */
bool host_closed(void);

/* Whether the cgroup namespace is another one than that of this process; then paths in /proc are not whole. */
bool host_cgroups_hidden(void);

#endif
