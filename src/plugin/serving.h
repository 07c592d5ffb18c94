/* SPDX-License-Identifier: BSD-2-Clause */
/* serving.h - in sberf-worker: loads a plug-in, gives everything else up, and does what sberf asks. */
#ifndef SBERF_PLUGIN_SERVING_H
#define SBERF_PLUGIN_SERVING_H

#include <sberf/plugin.h>

#include "base/err.h"

/* Loads the plug-in that is open at CODE and serves SOCKET until nobody is there any more. An exit status. */
int serving_run(int socket, int code);

/* The same of the plug-in NAME, if that is one that this program has; else 2. */
int serving_run_built_in(int socket, const char *name);

/* The same of ENTRY, which is loaded already; a sentence in E, if there is one, says why there is none. */
int serving_loop(int socket, const struct sberf_plugin *entry, struct err *e);

#endif
