/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_plugin.h - perf maps and jitdump files (jit.h) as a plug-in, which is built in. */
#ifndef SBERF_SYMBOL_JIT_PLUGIN_H
#define SBERF_SYMBOL_JIT_PLUGIN_H

#include <sberf/plugin.h>

extern const struct sberf_plugin jit_plugin;

#endif
