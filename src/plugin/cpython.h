/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpython.h - the plug-in for CPython 3.8 and newer: which frames of Python stand behind a call of its
 * interpreter's loop. It is built in.
 */
#ifndef SBERF_PLUGIN_CPYTHON_H
#define SBERF_PLUGIN_CPYTHON_H

#include <sberf/plugin.h>

extern const struct sberf_plugin cpython_plugin;

#endif
