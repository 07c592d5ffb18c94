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
#define KERNEL_GRAPH_PATH "[kernel]/calls"       /* and of one whose entry and return are probed */

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
	uint32_t loads;          /* what is read where a graph begins with it; for the caller */
	char name[128];          /* "f", */
	char symbol[192];        /* or "f [module]" */
};

typedef VEC(struct kernel_callee) kernel_callees;

/*
 * Appends the function that begins at ADDRESS to RET, and then those that it calls, and these, DEPTH calls deep: each
 * once, those of fewer calls first, KERNEL_GRAPH_MAX at most. Calls by pointers are not known. Left out are functions
 * that are called by everything and fail by nothing, such as locks and copying, those that the kernel lets nobody
 * trace, and what compilers have put in. *DROPPED: how many found no room. 0, or -ENOMEM.
 */
int kernel_code_graph(const struct kernel_code *k, uint64_t address, uint32_t depth, kernel_callees *ret,
		      uint32_t *dropped, struct err *e);

/*
 * Whether the kernel lets a function called NAME, "f" or "f [module]", be traced together with others; of an older
 * kernel, which does not say that, whether it may be tried.
 */
bool kernel_code_traceable(const struct kernel_code *k, const char *name);

DEFINE_AUTO(kernel_code_free, struct kernel_code);

#endif
