/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * image_worker.h - has sberf-worker, a process without privileges, read the files that unwinding needs: headers,
 * call-frame information, Go's tables, code that is looked through.
 *
 * There is one such worker for the whole of sberf, beside the one for names (symbol/names_worker.h), which may be at a
 * file for seconds. An image that it has read is used like any other one. What is not known yet of a place is asked for
 * and awaited for a moment; a stack that needs more than that may be unwound again later. The worker is started when
 * it is first needed, and again when it has ended; then it gets the files anew, of which sberf keeps descriptors. A
 * file at which it ended twice is left alone. Any thread may open files; one thread unwinds.
 */
#ifndef SBERF_UNWIND_IMAGE_WORKER_H
#define SBERF_UNWIND_IMAGE_WORKER_H

#include "base/err.h"
#include "model/unread.h"
#include "unwind/image.h"

#include <stdbool.h>
#include <stdint.h>

/* From now on image_worker_is_used(), until as many calls of image_worker_end(). */
void image_worker_use(void);
/* The same with the worker at the other end of SOCKET, which becomes this module's, and no other: for tests. */
void image_worker_use_socket(int socket);
bool image_worker_is_used(void);
/* Ends a use, and with the last one the worker. No image that it has read is asked about any more. */
void image_worker_end(void);

/* As image_open(). PATH is for people. Waits until the worker has read it. */
int image_worker_open(int fd, const char *path, struct image **ret, struct err *e);

/* Since the first image_worker_use(). */
struct image_worker_figures {
	uint64_t images;         /* files that it has read */
	uint64_t asked, late;    /* questions about places; those that were not answered at once */
	uint64_t waited_ns;      /* for answers, in all */
	uint64_t ended, left;    /* times that it ended and was started again; files that are left alone */
	struct unread unread;    /* these */
};
void image_worker_figures(struct image_worker_figures *ret);

#endif
