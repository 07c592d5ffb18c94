/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapping_reader.h - reads by kind of mapping what is resident of a process (memory_sizes_read_mappings()), in
 * a thread of its own: it takes the lock of the process's address space, which somebody else may hold for long.
 *
 * One process at a time. When that does not answer, nothing else is read, until it does. One thread calls.
 */
#ifndef SBERF_NUMA_MAPPING_READER_H
#define SBERF_NUMA_MAPPING_READER_H

#include "base/cleanup.h"
#include "numa/procsizes.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping_reader;

/* What is returned is the caller's; NULL when out of memory or of threads. */
struct mapping_reader *mapping_reader_new(void);
/* NULL is fine. Does not wait: a thread that hangs ends when it can. */
void mapping_reader_free(struct mapping_reader *r);

/* Asks for the process PID. False: another one is being read. */
bool mapping_reader_ask(struct mapping_reader *r, pid_t pid);

struct mapping_answer {
	pid_t pid;
	bool ok;                 /* else it has ended, or may not be read */
	struct memory_sizes sizes;       /* those of mappings alone */
	uint64_t took_ns;
};

/* What was asked for, once; false when there is no answer yet. Never waits. */
bool mapping_reader_poll(struct mapping_reader *r, struct mapping_answer *ret);

DEFINE_AUTO(mapping_reader_free, struct mapping_reader);

#endif
