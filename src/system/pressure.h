/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pressure.h - how much of the time threads of a cgroup v2 wait for CPUs, memory or I/O: the pressure stall
 * information that the kernel keeps of each cgroup (Documentation/accounting/psi.rst of Linux).
 */
#ifndef SBERF_SYSTEM_PRESSURE_H
#define SBERF_SYSTEM_PRESSURE_H

#include <stdbool.h>
#include <stdint.h>

#define PRESSURE_UNKNOWN UINT64_MAX

enum pressure_kind { PRESSURE_CPU, PRESSURE_MEMORY, PRESSURE_IO, PRESSURE_NR };

/* Of one kind. Times are since the cgroup was made. */
struct pressure {
	uint64_t some_ns;        /* some thread waited; PRESSURE_UNKNOWN = the kernel does not say */
	uint64_t full_ns;        /* no thread ran, since all waited */
	uint64_t now;            /* some thread waited: share of the last 10 s, in hundredths of a percent */
};

/* Reads the text of one such file. False, and everything unknown, when it is none. */
bool pressure_parse(const char *text, struct pressure *ret);

/*
 * Reads all kinds of the cgroup whose directory CGROUP is. 0, or a negative errno when there is none of them: -ENOENT
 * where the kernel keeps none of this cgroup, -EOPNOTSUPP where it was started with psi=0. What cannot be read of
 * only some kinds is unknown.
 */
int pressure_read(int cgroup, struct pressure ret[PRESSURE_NR]);

#endif
