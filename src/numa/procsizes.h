/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * procsizes.h - how large the memory of a process is, as /proc/PID says: as a whole, and by kind of mapping.
 *
 * The first takes no lock of the process, and some 20 us. The second has the kernel walk all page tables of
 * the process, under the lock that mmap(2) takes: some milliseconds for each gigabyte that is resident. So
 * who asks for it bounds how often.
 */
#ifndef SBERF_NUMA_PROCSIZES_H
#define SBERF_NUMA_PROCSIZES_H

#include "model/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the text of /proc/PID/status into RET. False when it has no such sizes: a kernel thread, or one that ends. */
bool memory_sizes_parse(const char *text, struct memory_sizes *ret);
/* The same of the process with the directory DIR (proc_open() of system/procfs.h). */
bool memory_sizes_read(int dir, struct memory_sizes *ret);

/*
 * Reads /proc/PID/smaps of DIR: what is resident by kind of mapping, into RET, where all else stays as it is.
 * False when it may not be read, or the process has ended.
 */
bool memory_sizes_read_mappings(int dir, struct memory_sizes *ret);

/* For tests: a line of LEN bytes of smaps, which it may change; *KIND is that of the mapping that was last told. */
void memory_sizes_line(struct memory_sizes *to, unsigned int *kind, char *line, size_t len);

#endif
