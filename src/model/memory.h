/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.h - defines the words for where memory is: nodes, what a mapping is for, how an address
 * became known, and why it did not.
 *
 * A *node* is a NUMA node by the kernel's number; numbers may have gaps. An access is *near* when
 * the page lies on the node of the CPU that made it, else *far*. Numbers here are in recordings:
 * append only.
 */
#ifndef SBERF_MODEL_MEMORY_H
#define SBERF_MODEL_MEMORY_H

#include <stdint.h>

#define NODE_UNKNOWN 0xffffu     /* of a page: the kernel did not tell (not there any more, or not yet) */
/* node numbers are below: MAX_NUMNODES of kernels, include/linux/numa.h, is at most this */
#define NODES_MAX 1024u

/*     id, name, what it means */
#define MAPPING_KINDS(X) \
	X(0, UNKNOWN, "unknown", "in no mapping that is known") \
	X(1, HEAP, "heap", "the heap of brk(2)") \
	X(2, STACK, "stack", "the stack of a thread") \
	X(3, ANON, "anon", "private memory without a file") \
	X(4, FILE, "file", "a file") \
	X(5, SHARED, "shared", "shared memory: shm, memfd, or without a name") \
	X(6, HUGE, "huge", "huge pages that were asked for (hugetlbfs)") \
	X(7, KERNEL, "kernel-made", "a page that the kernel made, such as the vDSO")

enum mapping_kind {
#define X(nr, id, name, text) MAPPING_##id = nr,
	MAPPING_KINDS(X)
#undef X
	MAPPING_NR
};

/*
 * Sizes of the memory of a process, in bytes; those from SIZE_MAPPINGS on are what is resident of its
 * mappings of one kind: SIZE_MAPPINGS + enum mapping_kind.
 *     id, name, what it means
 */
#define MEMORY_SIZES(X) \
	X(0, ANON, "anonymous", "resident memory without a file, or that was copied from one") \
	X(1, FILE, "files", "resident memory that shows a file") \
	X(2, SHARED, "shared", "resident memory that is shared: shm, tmpfs") \
	X(3, SWAPPED, "swapped", "anonymous memory that is in swap") \
	X(4, TABLES, "page tables", "what the kernel needs to map it") \
	X(5, PEAK, "peak", "the most that was resident, since its program began") \
	X(6, ADDRESSES, "mapped", "addresses that are mapped")

enum memory_size {
#define X(nr, id, name, text) SIZE_##id = nr,
	MEMORY_SIZES(X)
#undef X
	SIZE_FIGURES,
	SIZE_MAPPINGS = 16,
	SIZE_NR = SIZE_MAPPINGS + MAPPING_NR
};

struct memory_sizes {
	uint64_t bytes[SIZE_NR];         /* by enum memory_size */
	uint32_t known;                  /* which of these are known, as a mask */
};

/* What is resident, of SIZES. */
static inline uint64_t memory_resident(const struct memory_sizes *sizes)
{
	return sizes->bytes[SIZE_ANON] + sizes->bytes[SIZE_FILE] + sizes->bytes[SIZE_SHARED];
}

/* How the address of an access became known; 0 for what is not an access. */
enum access_how {
	/* by the last access before the place that the sample landed on: usually it has stalled */
	ACCESS_BEFORE = 1,
	ACCESS_AT = 2,           /* by the one that it landed on */
	/* by the next one that will touch memory, through registers that nothing changes until then */
	ACCESS_AHEAD = 3,
	ACCESS_HARDWARE = 4,     /* told by the PMU (reserved) */
};

/* Why a sample gave no address. */
#define ACCESS_MISSES(X) \
	X(0, NONE, "none", "it gave one") \
	X(1, KERNEL, "kernel", "it landed in the kernel") \
	X(2, NO_REGS, "no_regs", "there were no registers of this architecture") \
	X(3, NO_CODE, "no_code", "the instructions could not be read, or not in time") \
	X(4, NOT_DECODED, "not_decoded", "where instructions begin could not be told, or one is not known") \
	X(5, NO_ACCESS, "no_access", "no instruction there touches memory but the stack frame") \
	X(6, OVERWRITTEN, "overwritten", "the instruction had changed the registers that its address came from") \
	X(7, SEGMENT, "segment", "the address is relative to a segment whose base is not known") \
	X(8, BACKLOG, "backlog", "sberf did not keep up") \
	X(9, PAGE, "page", "it gave one, but the kernel did not say where its page is") \
	X(10, VECTOR, "vector", "the instruction touches many addresses at once (gather, scatter)")

enum access_miss {
#define X(nr, id, name, text) MISS_##id = nr,
	ACCESS_MISSES(X)
#undef X
	MISS_NR
};

struct memory_word {
	const char *name, *text;
};

/* Never NULL; "other" for numbers out of range (from a newer recording). */
const struct memory_word *mapping_word(unsigned int kind);
const struct memory_word *access_miss_word(unsigned int miss);
/* The same of enum memory_size. */
const struct memory_word *memory_size_word(unsigned int size);

#endif
