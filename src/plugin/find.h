/* SPDX-License-Identifier: BSD-2-Clause */
/* find.h - opens files of plug-ins, and lists the folder that they are installed in. */
#ifndef SBERF_PLUGIN_FIND_H
#define SBERF_PLUGIN_FIND_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>

#define PLUGIN_FILE_MAX (64u << 20)      /* bytes */

/*
 * A copy in memory of the regular file PATH, so that what has been looked at is what is loaded, whatever
 * becomes of the file. With SAFE nobody but root (or who runs sberf) may be able to change the file: else
 * -EPERM. An fd or a negative errno.
 */
int plugin_file_open(const char *path, bool safe, struct err *e);

/*
 * Calls EACH for every *.so of the folder in which plug-ins are installed, by name. Nothing when there is no
 * such folder; -EPERM when anybody but root can write to it.
 */
int plugin_folder_each(void (*each)(void *ctx, const char *path), void *ctx, struct err *e);
/* The folder; false: there is none. */
bool plugin_folder(char ret[PATH_MAX]);

#endif
