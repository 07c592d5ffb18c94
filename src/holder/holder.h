/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * holder.h - the part of sberf-collector that loads and attaches: it makes of a plan the kernel half of a capture,
 * hands out what sberf maps and reads of it, and keeps it as long as sberf is there (capture/hold.h).
 */
#ifndef SBERF_HOLDER_HOLDER_H
#define SBERF_HOLDER_HOLDER_H

#include <sys/types.h>

/* What takes more privileges than are kept: call it before they are given up. */
void holder_begin(void);

/*
 * Takes a plan from SOCKET, loads it for the process OWN, which is sberf and is never sampled, gives up the system
 * calls that answers do not take, and answers until nobody is there any more. An exit status.
 */
int holder_run(int socket, pid_t own);

#endif
