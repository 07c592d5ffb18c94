/* SPDX-License-Identifier: BSD-2-Clause */
/* image_serving.h - in sberf-worker: reads files for unwinding, and answers questions about their places. */
#ifndef SBERF_WORKER_IMAGE_SERVING_H
#define SBERF_WORKER_IMAGE_SERVING_H

/* Gives everything else up and serves SOCKET until nobody is there any more. An exit status. */
int image_serving_run(int socket);

#endif
