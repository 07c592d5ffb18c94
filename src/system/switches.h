/* SPDX-License-Identifier: BSD-2-Clause */
/* switches.h - how often the CPUs of this machine have gone from one thread to another. */
#ifndef SBERF_SYSTEM_SWITCHES_H
#define SBERF_SYSTEM_SWITCHES_H

#include <stdint.h>

/* Since it was started, on all CPUs, idle threads included ("ctxt" of /proc/stat); 0 = nobody can tell. */
uint64_t system_switches(void);

#endif
