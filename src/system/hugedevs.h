/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hugedevs.h - knows the devices of hugetlbfs, so that a mapping of a file with huge pages is
 * recognised.
 */
#ifndef SBERF_SYSTEM_HUGEDEVS_H
#define SBERF_SYSTEM_HUGEDEVS_H

#include "base/vec.h"

#include <stddef.h>
#include <stdint.h>

typedef VEC(uint64_t) dev_vec;

/* Appends the devices behind the kernel's own files of huge pages: of memfd_create(2), shmget(2), mmap(2). */
void hugedevs_of_kernel(dev_vec *ret);
/* Appends those that are mounted where process DIR (proc_open()) lives. */
void hugedevs_of_process(int dir, dev_vec *ret);
/* Appends the device of a line of mountinfo, proc_pid_mountinfo(5), if it is one. The line is not changed. */
void hugedevs_of_line(const char *line, size_t len, dev_vec *ret);

#endif
