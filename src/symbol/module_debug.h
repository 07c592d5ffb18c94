/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * module_debug.h - finds the debug information of a module of the kernel that is loaded: its file, as distributions
 * pack it apart (Debian: /usr/lib/debug/lib/modules/RELEASE/kernel/.../NAME.ko) or a build leaves it, with its sections
 * put to where they are in memory (relocated.h). Whether a file is that of the module is told by its build-id.
 */
#ifndef SBERF_SYMBOL_MODULE_DEBUG_H
#define SBERF_SYMBOL_MODULE_DEBUG_H

#include "base/err.h"

#include <stdbool.h>

#define MODULES_PATH "/sys/module"       /* what the kernel says of its modules */

struct module_debug_where {
	const char *modules;     /* MODULES_PATH, or a directory like that */
	const char *release;     /* of the kernel, as uname -r has it */
	const char *symfs;       /* a directory that comes first; NULL = none */
	bool fetch;              /* ask the servers of DEBUGINFOD_URLS, too */
};

/*
 * A file in memory with the debug information of MODULE, whose virtual addresses are those of the kernel: *RET_FD,
 * which is the caller's. 0; -ENOENT with a sentence when there is none, or one of another build; -EPERM when the kernel
 * hides where the module is; as relocated_open() when it cannot be read.
 */
int module_debug_open(const char *module, const struct module_debug_where *where, int *ret_fd, struct err *e);

#endif
