/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * installed.h - finds what is installed with sberf and is no program to be started by people: beside sberf
 * in a build directory, in the same place beside a sberf that was moved with its libraries, else where
 * it was installed. Never by the environment or the current directory.
 */
#ifndef SBERF_BASE_INSTALLED_H
#define SBERF_BASE_INSTALLED_H

#include <limits.h>
#include <stdbool.h>

/* The path of NAME, a file or a folder that can be read, to RET; false: there is none. */
bool installed_find(const char *name, char ret[PATH_MAX]);
/* The last of the places, for sentences. Static. */
const char *installed_dir(void);

#endif
