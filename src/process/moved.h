/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * moved.h - recognises text of a file that its process has moved to huge pages at the same address.
 *
 * Programs copy their own text there to have it in fewer entries of the TLB (node --use-largepages,
 * databases, what BOLT makes). The kernel then shows memory without a file, or a file on a
 * hugetlbfs, in the middle of what is mapped of the file. What is there is the file's text if the
 * bytes say so: some tens of pieces of it are compared, all over it. Breakpoints and other patches
 * of the process may be in a few of them.
 */
#ifndef SBERF_PROCESS_MOVED_H
#define SBERF_PROCESS_MOVED_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Memory that may be text of a file, and where else that file is mapped. */
struct moved {
	uint64_t start, end;     /* the memory; end 0 = none */
	uint64_t addr, pgoff;    /* a mapping of the file, now or before: its start, and the offset there */
	bool exec;               /* that one is of the file's text */
};

/*
 * Compares the memory M of PID with the ELF file FD. 0: it is text of the file, from *RET_OFFSET on
 * at M.start; -ESTALE: it is not; another negative errno when that cannot be told. May wait for
 * ever, as the memory of a process may: only threads that may hang call this.
 */
int moved_check(int fd, pid_t pid, const struct moved *m, uint64_t *ret_offset, struct err *e);

#endif
