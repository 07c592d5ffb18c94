/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * target_root.h - opens files under the root that the target sees, which in a container is not our
 * root.
 *
 * ROOT is a handle of that directory (O_PATH), or -1 for our own root.
 */
#ifndef SBERF_SYMBOL_TARGET_ROOT_H
#define SBERF_SYMBOL_TARGET_ROOT_H

#include <stdbool.h>

/*
 * PATH below ROOT for reading, which it does not leave, also by symbolic links; never blocks in
 * open() on a FIFO or terminal. Regular files only; an fd of the caller's, or a negative errno.
 */
int target_root_open(int root, const char *path);

/*
 * From now on OPEN opens files, below the target's root if IN_ROOT: where nothing can be opened (sberf-worker). Roots
 * only tell these two apart then.
 */
typedef int target_root_opener(const char *path, bool in_root);
void target_root_leave_to(target_root_opener *open);

/*
 * Runs FN(CTX) where ROOT is the root: for libraries that open files by their paths. In a thread of
 * its own, which is waited for. 0, or a negative errno when that is not possible (cap_sys_chroot is
 * missing): FN has not run then.
 */
int target_root_run(int root, void (*fn)(void *ctx), void *ctx);

#endif
