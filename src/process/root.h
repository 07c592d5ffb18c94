/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * root.h - keeps the file-system roots that processes see open as long as somebody may want a file
 * from them.
 *
 * A root is /proc/PID/root opened with O_PATH: it leads into the mount namespace and the chroot of
 * that process. Children inherit their parent's until they exec, so that the files of a process
 * that lived for a millisecond can be opened after its end. A second handle keeps the namespace
 * itself alive, because with the last process of a namespace all that is mounted in it would go. It
 * also keeps those mounts busy, so it is given up some time after the last process that used the
 * root; what is opened later must be found in another way.
 *
 * Equal roots share their handles; how many there are is bounded. Processes come and go in one
 * thread (the engine), plain references in any.
 */
#ifndef SBERF_PROCESS_ROOT_H
#define SBERF_PROCESS_ROOT_H

#include <stdatomic.h>
#include <stdint.h>

#define ROOTS_MAX 256u

struct root {
	int fd;                  /* O_PATH */
	int ns_fd;               /* keeps the namespace; -1 = given up */
	uint32_t users;          /* processes that have this root */
	uint64_t left_ns;        /* when the last of them went; CLOCK_MONOTONIC */
	uint64_t mnt_ns;         /* inode of the mount namespace */
	uint64_t dev, ino;       /* of the directory */
	atomic_uint refs;        /* handles are dropped by any thread */
};

struct roots {
	struct root *v[ROOTS_MAX];
	uint32_t n;
};

/* The root of the process behind the /proc directory handle DIR, used; NULL when it cannot be had. */
struct root *roots_get(struct roots *rs, int dir);

/* A process begins and ends to use R; NULL is fine. A use is a reference. */
struct root *root_use(struct root *r);
void root_leave(struct root *r);

struct root *root_ref(struct root *r);           /* NULL is fine */
void root_unref(struct root *r);                 /* NULL is fine; any thread */

/* Lets go of roots that nobody holds, and of namespaces that no process has used for a while. */
void roots_trim(struct roots *rs, uint64_t now_ns);
void roots_free(struct roots *rs);               /* drops its own references */

#endif
