/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sberf_plain.bpf.c - the same programs for kernels that have bpf_rdonly_cast(): see plain(). An
 * object of its own, because libbpf before 1.2 looks for a function that the kernel lacks among
 * those of its modules, and fails where that takes CAP_SYS_ADMIN.
 */
#define SBERF_PLAIN_READS
#include "sberf.bpf.c"
