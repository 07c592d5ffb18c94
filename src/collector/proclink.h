/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * proclink.h - opens a file that a process executes by what /proc says of the process, also where only sberf-collector
 * may do so.
 */
#ifndef SBERF_COLLECTOR_PROCLINK_H
#define SBERF_COLLECTOR_PROCLINK_H

#include <stdbool.h>

/*
 * Opens PATH, "/proc/PID/map_files/START-END" or "/proc/PID/exe", for reading; or a file of our own,
 * "/proc/self/fd/N"; or any other path as the user may. An fd or a negative errno. May wait for a file system that
 * does not answer.
 */
int proclink_open(const char *path);

/* Is there something at such a PATH? */
bool proclink_is_there(const char *path);

#endif
