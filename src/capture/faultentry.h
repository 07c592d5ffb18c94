/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faultentry.h - finds the return address by which a thread in a page fault is recognised.
 *
 * A thread that came from user mode has its user registers at the end of its kernel stack, and they
 * do not say which exception brought it there. The word below them does: the entry code of each
 * exception calls a handler, and that word is the handler's return address. The address for page
 * faults is found by causing one fault and looking. (/proc/kallsyms would tell too, but only
 * privileged readers, and after some tens of milliseconds.)
 */
#ifndef SBERF_CAPTURE_FAULTENTRY_H
#define SBERF_CAPTURE_FAULTENTRY_H

#include <stdint.h>

/*
 * The return address; 0 when this kernel does not let us see it: it is locked down, or permits no
 * BPF programs or perf events.
 */
uint64_t fault_entry_return(void);

#endif
