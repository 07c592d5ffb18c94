/* SPDX-License-Identifier: BSD-2-Clause */
/* load.h - loads the shared library of a plug-in into this process. */
#ifndef SBERF_PLUGIN_LOAD_H
#define SBERF_PLUGIN_LOAD_H

#include <sberf/plugin.h>

#include "base/err.h"

typedef const struct sberf_plugin *plugin_entry_fn(uint32_t host_abi);

/* The entry of the library that is open at CODE (borrowed); it stays loaded. NULL with a sentence: there is none. */
plugin_entry_fn *plugin_load(int code, struct err *e);

#endif
