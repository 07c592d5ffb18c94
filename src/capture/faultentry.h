/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faultentry.h - by what a thread in a page fault is told from one that came into the kernel in another way.
 *
 * The kernel has the registers of a thread that came from user mode at the end of its stack, and they do not say which exception it was.
 * The word below them does: each exception's code at the gate calls a handler, which returns to its own place there. Which place
 * that is for page faults is seen by having one. (/proc/kallsyms would tell, too, to who may read it, after some tens of milliseconds.)
 */
#ifndef SBERF_CAPTURE_FAULTENTRY_H
#define SBERF_CAPTURE_FAULTENTRY_H

#include <stdint.h>

/* That place; 0 when this kernel does not let us see it (it is locked down, or permits no BPF programs or events). */
uint64_t fault_entry_return(void);

#endif
