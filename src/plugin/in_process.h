/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * in_process.h - runs a plug-in inside of sberf: those that are built in, and others when the user asks for
 * it. Nothing protects sberf from it.
 */
#ifndef SBERF_PLUGIN_IN_PROCESS_H
#define SBERF_PLUGIN_IN_PROCESS_H

#include "plugin/call.h"

struct in_process;

/* ENTRY is what its entry has returned. *RET_HELLO says what it is. */
int in_process_new(const struct sberf_plugin *entry, struct in_process **ret, struct plugin_hello *ret_hello,
		   struct err *e);
/* The same of the shared library that is open at CODE. */
int in_process_load(int code, struct in_process **ret, struct plugin_hello *ret_hello, struct err *e);
void in_process_free(struct in_process *in);             /* NULL is fine */

/* Makes the call C: the plug-in's result. A result that makes no sense is a fault: a sentence in *FAULT, and -EIO. */
int in_process_call(struct in_process *in, const struct plugin_call *c, struct err *fault);

#endif
