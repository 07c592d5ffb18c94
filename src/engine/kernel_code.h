/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_code.h - the code of functions of the running kernel: their basic blocks, and which functions they call. What
 * a kernel's image file has is not what runs: it is read from memory (symbol/kcore.h), and told apart by the kernel's
 * own table of symbols.
 */
#ifndef SBERF_ENGINE_KERNEL_CODE_H
#define SBERF_ENGINE_KERNEL_CODE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/probecode.h"

#include <stdbool.h>
#include <stdint.h>

#define KERNEL_CODE_PATH "[kernel]"      /* probe_code.path of a function of the kernel, */
#define KERNEL_GRAPH_PATH "[kernel]/calls"       /* and of one whose entry and return are probed, */
#define KERNEL_POINTED_PATH KERNEL_GRAPH_PATH "/pointed"         /* since it was called by a pointer, or below that */

struct kernel_code;

/* 0; a negative errno with a sentence when memory or symbols of the kernel cannot be read. *RET is the caller's. */
int kernel_code_open(struct kernel_code **ret, struct err *e);
void kernel_code_free(struct kernel_code *k);    /* NULL is fine */

/*
 * Appends the basic blocks of the function that begins at ADDRESS to RET, with those probed that have to be.
 * *RETURNS: the function jumps to others that return in its place, so its return is to be told by its caller. 0;
 * -EOPNOTSUPP, -E2BIG or -EBUSY with a clause that says why not, "it ...", the last one after seconds in which probes
 * of somebody else stood there; -ENOMEM.
 */
int kernel_code_blocks(const struct kernel_code *k, uint64_t address, code_blocks *ret, bool *returns, struct err *e);

#define KERNEL_GRAPH_MAX 512u            /* functions */

/* A function that is called below another one. */
struct kernel_callee {
	uint64_t address;
	uint32_t depth;          /* of calls at least; 0 = it is where a graph begins */
	uint32_t loads, returned;        /* what is read where a graph begins with it, and ends; for the caller */
	char name[128];          /* "f", */
	char symbol[192];        /* or "f [module]" */
};

typedef VEC(struct kernel_callee) kernel_callees;

/* An instruction that calls, or jumps at the end, to where a register says. */
struct kernel_pointer {
	uint64_t address;
	uint64_t start, end;     /* of the function that has it */
	uint32_t depth;          /* of that function */
	uint8_t reg;             /* by DWARF number */
};

typedef VEC(struct kernel_pointer) kernel_pointers;

/*
 * Appends the function that begins at ADDRESS to RET, which is called AT so many calls deep, and then those that it
 * calls, and these, up to DEPTH calls deep: each that is not in RET yet, those of fewer calls first, KERNEL_GRAPH_MAX
 * in all at most. Left out are functions that are called by everything and fail by nothing, such as locks and copying,
 * those that the kernel lets nobody trace, and what compilers have put in. Where calls by pointers lead is not known:
 * the instructions are appended to POINTERS. *DROPPED: how many found no room. 0; -ENOENT when no function begins
 * there, -EOPNOTSUPP when it is called AT more than 0 calls deep, and is to be left out, -ENOMEM.
 */
int kernel_code_graph(const struct kernel_code *k, uint64_t address, uint32_t at, uint32_t depth, kernel_callees *ret,
		      kernel_pointers *pointers, uint32_t *dropped, struct err *e);

/* The name of what is at ADDRESS, "f", "f+0x10", or "0x..." where that is not known, to DST. */
void kernel_code_name(const struct kernel_code *k, uint64_t address, char *dst, size_t size);

/*
 * Whether the kernel lets a function called NAME, "f" or "f [module]", be traced together with others; of an older
 * kernel, which does not say that, whether it may be tried.
 */
bool kernel_code_traceable(const struct kernel_code *k, const char *name);

DEFINE_AUTO(kernel_code_free, struct kernel_code);

#endif
