/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hitfields.h - what the arguments of a hit mean, by their names, where these do not stand in
 * registers: of a page fault, and of a signal.
 */
#ifndef SBERF_TRACE_HITFIELDS_H
#define SBERF_TRACE_HITFIELDS_H

#include "trace/hit.h"

#include <stdbool.h>

#define HITFIELDS_MAX 6u
#define HITFIELD_BYTES 512u

struct hitfields {
	char text[HITFIELD_BYTES + 64];          /* "SIGTERM, sleep/4711": as in a line. Raw bytes */
	unsigned int n;
	struct {
		const char *key;         /* "to_pid" */
		bool number;             /* value is a decimal number */
		char value[HITFIELD_BYTES];
	} field[HITFIELDS_MAX];
};

/*
 * Of the page fault H, where MAPPED says what the address is of now; NULL = not known. What the kernel
 * half said of it then comes first; of a file it has no path, which MAPPED gives if it is that file.
 * What is too long is cut.
 */
void hitfields_of_fault(const struct hit *h, const char *mapped, struct hitfields *ret);

/* Of the signal H (SB_SIGNAL_* in bpf/wire.h). */
void hitfields_of_signal(const struct hit *h, struct hitfields *ret);

#endif
