/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sideband.h - mmap, comm, fork and exit records of everything that runs on one CPU.
 *
 * A perf event that counts nothing (`dummy`) makes the kernel write these records; this is also the
 * reader of its buffer. Other events of the same CPU can report their throttling here.
 */
#ifndef SBERF_CAPTURE_SIDEBAND_H
#define SBERF_CAPTURE_SIDEBAND_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct sideband {
	int fd;                          /* -1 = closed */
	void *map;                       /* control page and data */
	size_t data_bytes;               /* power of two */
};

#define SIDEBAND_INIT { .fd = -1 }
/* within the memory that any user may lock (kernel.perf_event_mlock_kb) */
#define SIDEBAND_DATA_BYTES (256u * 1024)
/* tried first: when many programs start, 1 MB comes per second and CPU */
#define SIDEBAND_MORE_BYTES (2u * 1024 * 1024)
/* limit for all CPUs together, unless that is less than the smallest */
#define SIDEBAND_ALL_BYTES (64u * 1024 * 1024)

/* A record of LEN bytes at DATA (8-byte aligned), valid during the call. */
typedef void sideband_fn(void *ctx, const void *data, size_t len);

/* Opens the event for CPU, disabled: a file, the caller's, or a negative errno; -ENODEV: the CPU is offline. */
int sideband_event(uint32_t cpu, struct err *e);
/*
 * Maps the buffer of that event, EVENT, which is taken. *B must be closed; it is unchanged on failure. The buffer is
 * smaller than SIDEBAND_DATA_BYTES when the limit on locked memory demands it.
 */
int sideband_open(struct sideband *b, int event, uint32_t cpu, struct err *e);
int sideband_enable(struct sideband *b, bool on);        /* 0 or a negative errno */

/*
 * Calls FN for each record written up to now. Returns the number of records, or -EBADMSG when the
 * rest had to be skipped.
 */
int sideband_read(struct sideband *b, sideband_fn *fn, void *ctx);

void sideband_close(struct sideband *b);         /* closed is fine */

#endif
