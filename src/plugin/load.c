/* SPDX-License-Identifier: BSD-2-Clause */
/* load.c - by the descriptor, so that what has been checked is what is loaded. */
#include "config.h"

#include "plugin/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

plugin_entry_fn *plugin_load(int code, struct err *e)
{
	plugin_entry_fn *entry;
	char path[32];
	void *handle;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", code);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *why = dlerror();

		err_set(e, ENOEXEC, "it cannot be loaded: %s", why ? why : "no reason is known");
		return NULL;
	}
	*(void **)&entry = dlsym(handle, "sberf_plugin_entry");
	if (!entry)
		err_set(e, ENOEXEC, "it has no symbol sberf_plugin_entry, so it is no plug-in of sberf");
	return entry;
}
