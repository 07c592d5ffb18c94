/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * root.h - the file-system roots that processes see, kept open as long as somebody may want a file from them.
 *
 * A root is /proc/PID/root opened with O_PATH: it leads into the mount namespace and the chroot of that process. Children
 * inherit their parent's until they exec, so that the files of a process that lived for a millisecond can be opened after
 * its end. Equal roots share one handle; how many there are is bounded, since a handle is a file descriptor and keeps the
 * mount busy.
 */
#ifndef SBERF_PROCESS_ROOT_H
#define SBERF_PROCESS_ROOT_H

#include <stdatomic.h>
#include <stdint.h>

#define ROOTS_MAX 256u

struct root {
	int fd;                  /* O_PATH */
	uint64_t mnt_ns;         /* inode of the mount namespace */
	uint64_t dev, ino;       /* of the directory */
	atomic_uint refs;        /* handles are dropped by any thread */
};

struct roots {
	struct root *v[ROOTS_MAX];
	uint32_t n;
};

/* The root of the process behind the /proc directory handle DIR, referenced; NULL when it cannot be had. */
struct root *roots_get(struct roots *rs, int dir);

struct root *root_ref(struct root *r);           /* NULL is fine */
void root_unref(struct root *r);                 /* NULL is fine; any thread */

/* Lets go of roots that nobody else holds. */
void roots_trim(struct roots *rs);
void roots_free(struct roots *rs);               /* drops its own references */

#endif
