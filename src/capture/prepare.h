/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prepare.h - what has to be done before BPF programs are loaded: asking, and changing calls in them.
 */
#ifndef SBERF_CAPTURE_PREPARE_H
#define SBERF_CAPTURE_PREPARE_H

#include <stdbool.h>

/*
 * From now on libbpf has the programs of this process changed as this kernel and its lockdown need it, just before it loads them. Of
 * sections "tp_btf/NAME" libbpf does not set the target any more. Again: nothing. 0 or a negative errno.
 */
int prepare_programs(void);

/* Whether the kernel takes a program at its function FUNCTION ("fentry"). Needs the permission to load one. */
bool prepare_may_hook(const char *function);

#endif
