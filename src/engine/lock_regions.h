/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock_regions.h - what memory a lock is in that is no variable: the heap, a stack, memory without a file, or memory
 * that several processes share.
 *
 * By /proc/PID/maps, which is read when an address is asked for that is in no region known so far, once a second and
 * process at most. For one thread, the engine.
 */
#ifndef SBERF_ENGINE_LOCK_REGIONS_H
#define SBERF_ENGINE_LOCK_REGIONS_H

#include "base/keyed.h"
#include "base/vec.h"
#include "model/dict.h"

#include <stdint.h>
#include <sys/types.h>

struct lock_region {
	uint64_t start, end;
	enum note_kind note;
};

struct lock_regions_of {
	uint64_t pid;
	uint64_t read_ns;        /* when */
	VEC(struct lock_region) region;          /* by address */
};

struct lock_regions {
	KEYED(struct lock_regions_of) of;
};

void lock_regions_free(struct lock_regions *r);  /* also of a zeroed one */
/* The note that says what memory of the process PID is at ADDRESS; 0 = that is not known. NOW_NS: CLOCK_MONOTONIC. */
uint64_t lock_regions_at(struct lock_regions *r, pid_t pid, uint64_t address, uint64_t now_ns);

#endif
