/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script_host.h - what a plug-in that runs inside of sberf may ask of one process: its memory, what it has
 * mapped to execute, its symbols (struct sberf_host). Nothing in the process is changed or stopped.
 */
#ifndef SBERF_ENGINE_SCRIPT_HOST_H
#define SBERF_ENGINE_SCRIPT_HOST_H

#include <sberf/plugin.h>

#include "base/cleanup.h"

#include <sys/types.h>

struct script_host;

/* A host for PID; NULL when out of memory, or its mappings cannot be read. One thread at a time may use it. */
struct script_host *script_host_new(pid_t pid);
void script_host_free(struct script_host *h);    /* NULL is fine; also what plug-ins have allocated by it */

const struct sberf_host *script_host_of(const struct script_host *h);
const struct sberf_process *script_host_process(const struct script_host *h);
/* The last sentence of the plug-in; "" = it has said nothing. */
const char *script_host_said(const struct script_host *h);

/* A call of the plug-in begins: it may read so much again. */
void script_host_begin(struct script_host *h);

DEFINE_AUTO(script_host_free, struct script_host);

#endif
