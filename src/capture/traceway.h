/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traceway.h - measures how long the kernel's way is to a BPF program at a place in the kernel, and back: by a
 * program that does nothing, at a place that this thread passes itself.
 */
#ifndef SBERF_CAPTURE_TRACEWAY_H
#define SBERF_CAPTURE_TRACEWAY_H

#include "capture/source.h"

#include <stdint.h>

/* How long one of TRACEWAY_ROUNDS takes that PASS does, in ns: in the best of ten goes, as others run beside it. */
#define TRACEWAY_ROUNDS 100u
uint64_t traceway_time(void (*pass)(void));

/*
 * What it takes in ns where places of the kind HOW are probed; 0 = that cannot be measured here. It takes some
 * milliseconds, in which the program is run for others that pass that place, too.
 */
uint32_t traceway_measure(enum capture_trace_how how);

#endif
