/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_functions.h - the functions of the kernel and its modules that a probe "kprobe:..." means. */
#ifndef SBERF_PROBE_KERNEL_FUNCTIONS_H
#define SBERF_PROBE_KERNEL_FUNCTIONS_H

#include "base/err.h"
#include "base/vec.h"
#include "probe/spec.h"

#include <stdint.h>
#include <stdlib.h>

#define KALLSYMS_PATH "/proc/kallsyms"

struct kernel_function {
	char name[SPEC_NAME_MAX];        /* of its symbol, without its module, which is: */
	char module[SPEC_PROVIDER_MAX];  /* "" = none */
	uint64_t address;                /* 0 = the kernel does not show addresses */
};

typedef VEC(struct kernel_function) kernel_functions;

#define KERNEL_SYMBOL_MAX (SPEC_NAME_MAX + SPEC_PROVIDER_MAX + 3)
/* F as "f", or "f [module]", into DST, which is returned. */
char *kernel_function_symbol(const struct kernel_function *f, char dst[KERNEL_SYMBOL_MAX]);

/*
 * Appends the functions in the file PATH, which is like /proc/kallsyms, that P, of kind
 * PROBE_KPROBE, means, in their order there; those of one name are all meant. Which functions a source
 * file has is asked of the kernel's debug information (symbol/kernel_debug.h); without it, that is -ENOENT,
 * too. A copy of a function
 * that the compiler made for some callers ("f.isra.0", "f.constprop.0") is the function. BPF
 * programs, and what the compiler puts in front of functions ("__pfx_f"), are none. Returns how
 * many; -ENOENT with a sentence when there is none, with the nearest name; -EINVAL, -ENOMEM, or why
 * PATH cannot be read. Free with vec_free().
 */
int find_kernel_functions(const char *path, const struct spec_point *p, kernel_functions *ret, struct err *e);

#endif
