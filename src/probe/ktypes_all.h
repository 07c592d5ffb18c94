/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ktypes_all.h - the types of the running kernel and of its modules, each read when a function of it is asked about:
 * modules have BTF of their own, which builds on that of the kernel.
 */
#ifndef SBERF_PROBE_KTYPES_ALL_H
#define SBERF_PROBE_KTYPES_ALL_H

#include "base/err.h"
#include "base/vec.h"
#include "probe/ktypes.h"

struct ktypes_of_module;

/* All zero = nothing has been asked yet. One thread at a time. */
struct ktypes_all {
	struct ktypes *kernel;
	VEC(struct ktypes_of_module) module;
};

/*
 * The types that SYMBOL is of, "f" or "f [module]", to *RET, which lives as long as A. 0; -ENOENT with a sentence when
 * the kernel says nothing of them, also of a module that is not loaded, or -ENOMEM.
 */
int ktypes_all_of(struct ktypes_all *a, const char *symbol, struct ktypes **ret, struct err *e);
void ktypes_all_free(struct ktypes_all *a);

#endif
