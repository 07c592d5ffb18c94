/* SPDX-License-Identifier: BSD-2-Clause */
/* names_serving.h - in sberf-worker: reads files of code and says names of places in them (symbol/names_message.h). */
#ifndef SBERF_WORKER_NAMES_SERVING_H
#define SBERF_WORKER_NAMES_SERVING_H

/* Gives everything else up and serves SOCKET until nobody is there any more. An exit status. */
int names_serving_run(int socket);

#endif
