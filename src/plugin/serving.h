/* SPDX-License-Identifier: BSD-2-Clause */
/* serving.h - in sberf-worker: loads a plug-in, gives everything else up, and does what sberf asks. */
#ifndef SBERF_PLUGIN_SERVING_H
#define SBERF_PLUGIN_SERVING_H

#include "base/err.h"
#include "plugin/built_in.h"

/* Loads the plug-in that is open at CODE and serves SOCKET until nobody is there any more. An exit status. */
int serving_run(int socket, int code);

/* The same of a plug-in that this program has. */
int serving_run_built_in(int socket, const struct plugin_built_in *which);

/* The same of ENTRY, which is loaded already; a sentence in E, if there is one, says why there is none. */
int serving_loop(int socket, const struct sberf_plugin *entry, struct err *e);

#endif
