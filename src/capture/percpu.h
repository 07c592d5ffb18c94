/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * percpu.h - finds variables that the kernel has once for each CPU.
 *
 * A pointer to such a variable becomes an address by adding what the CPU has in this_cpu_off, itself such a
 * variable. BPF programs get its address from the kernel only where that was built with CONFIG_KALLSYMS_ALL. But
 * they see the address of one of them, the run queue of their CPU, and the kernel's BTF says how far apart any
 * two are.
 */
#ifndef SBERF_CAPTURE_PERCPU_H
#define SBERF_CAPTURE_PERCPU_H

#include <stdint.h>

struct btf;

/*
 * How many bytes behind the run queue of a CPU its this_cpu_off is, and its number, by the BTF of the running
 * kernel. Both are 0 when it does not say.
 */
void percpu_distances(int64_t *ret_off, int64_t *ret_number);
/* The same by BTF. */
void percpu_distances_of(const struct btf *btf, int64_t *ret_off, int64_t *ret_number);

#endif
