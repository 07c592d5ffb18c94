/* SPDX-License-Identifier: BSD-2-Clause */
/* prepare.h - adapts BPF programs to the running kernel before they are loaded. */
#ifndef SBERF_CAPTURE_PREPARE_H
#define SBERF_CAPTURE_PREPARE_H

#include <stdbool.h>

/*
 * Registers a libbpf handler for this process that adapts each program to this kernel and its
 * lockdown just before loading it. It also takes over setting the target of "tp_btf/NAME" sections
 * from libbpf. A second call does nothing. Returns 0 or a negative errno.
 */
int prepare_programs(void);

/*
 * Whether the kernel lets a BPF program attach to its function FUNCTION ("fentry"). Needs the
 * permission to load one.
 */
bool prepare_may_hook(const char *function);

#endif
