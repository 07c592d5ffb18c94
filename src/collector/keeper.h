/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * keeper.h - the outside of sberf-collector: takes requests and has them served (grant.h) by a process of its
 * own, which may hang.
 *
 * Whoever is watched decides where its files are, and a file system that does not answer (FUSE) keeps whoever
 * opens a file waiting for ever. So that process has a limit; when it exceeds it, it is killed and replaced, and
 * what it was asked about is left alone for a while.
 */
#ifndef SBERF_COLLECTOR_KEEPER_H
#define SBERF_COLLECTOR_KEEPER_H

#include "collector/grant.h"

#define KEEPER_LIMIT_MS 1000u            /* for one request, by default ... */
#define KEEPER_BUSY_MS 10000u            /* ... also while it only waits for a CPU */
#define KEEPER_SHUN_S 60u                /* how long a process is left alone after a request about it hung */
#define KEEPER_HUNG_MAX 4u               /* no more requests are served when so many do not even end when killed */

/*
 * Answers what comes by SOCKET, each within LIMIT_MS, until nobody is there any more. 0: that; 1: what came was no
 * request; or a negative errno.
 */
int keeper_run(int socket, uint32_t limit_ms, const struct grant *s);

#endif
