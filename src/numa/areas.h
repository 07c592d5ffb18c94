/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * areas.h - holds all mappings of one process and what each is for, so that an address can be
 * classified: heap, stack, file, ...
 *
 * The kernel names the heap and the first thread's stack; the stacks of other threads are memory
 * like any other to it. One is known by two things together: a stack pointer was seen in it, and a
 * guard that nothing may touch lies right below, as threads libraries make it. The kernel may have
 * merged it with memory above it, so no more than a usual stack is taken for one.
 *
 * Pure: what /proc says is handed in.
 */
#ifndef SBERF_NUMA_AREAS_H
#define SBERF_NUMA_AREAS_H

#include "base/vec.h"
#include "model/memory.h"
#include "system/maps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AREAS_MAX 262144u        /* mappings of one process; vm.max_map_count is 65,530 unless raised */
#define STACKS_MAX 4096u         /* of one process that are remembered */
#define STACK_USUAL (8u << 20)   /* bytes of a thread's stack unless it asks for another size: RLIMIT_STACK */

struct area {
	uint64_t start, end;
	uint64_t stack_end;      /* it is a stack up to here; 0 = it is none */
	uint64_t dev, ino;       /* of its file, also of one in memory (/dev/shm, memfd); 0 = none */
	uint32_t path;           /* where the path of that begins in areas.text */
	uint8_t kind;            /* enum mapping_kind by its name alone */
	bool none;               /* nothing may touch it: a guard, or a reservation */
	bool guarded;            /* private writable memory with a guard right below: it may be a stack */
};

/* A stack that was recognised: by where it begins, which does not change. */
struct stack_seen {
	uint64_t start, end;
};

struct areas {
	VEC(struct area) v;      /* by address */
	VEC(char) text;          /* paths, each with a NUL */
	VEC(struct stack_seen) stacks;   /* by start; outlives areas_reset() */
};

/* Forgets mappings and keeps the stacks. */
void areas_reset(struct areas *a);
void areas_free(struct areas *a);                /* zeroed is fine */

/*
 * Appends the next line of maps. DEVS are the NR_DEVS devices of hugetlbfs. What lies before the end of the last one is
 * left out. False when out of memory or over AREAS_MAX.
 */
bool areas_add(struct areas *a, const struct maps_line *m, const uint64_t *devs, size_t nr_devs);

/* What the mapping M is for, by its name; huge pages that were asked for count as a file. */
enum mapping_kind areas_kind_named(const struct maps_line *m);

/* The mapping that covers ADDR, NULL when none does; valid until the areas change. */
const struct area *areas_find(const struct areas *a, uint64_t addr);
/* What ADDR is in, AREA being the mapping that covers it or NULL. */
enum mapping_kind area_kind(const struct area *area, uint64_t addr);
/* The path of its file, "" when it has none; valid until the areas change. */
const char *area_path(const struct areas *a, const struct area *area);

/* A thread's stack pointer was SP: the mapping is a stack from now on if it can be one. */
void areas_saw_stack(struct areas *a, uint64_t sp);

size_t areas_bytes(const struct areas *a);

#endif
