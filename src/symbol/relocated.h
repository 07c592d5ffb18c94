/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relocated.h - makes of a relocatable file (ET_REL), as modules of the kernel are, a file that everybody can read who
 * reads executables: its sections have the addresses at which they are in memory, its debug information and symbols
 * refer to these, and program headers say where they are.
 *
 * What it takes is what compilers make for debug information: absolute relocations of 32 and 64 bits.
 */
#ifndef SBERF_SYMBOL_RELOCATED_H
#define SBERF_SYMBOL_RELOCATED_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct relocated_section {
	char name[64];           /* ".text" */
	uint64_t address;        /* not 0 */
};

/*
 * The same of the file at FD, borrowed, with the N sections at S where they are said to be, into a file in memory,
 * *RET_FD, which is the caller's. Sections that are not there have no addresses, nor have what is in them. 0; -ENOEXEC
 * with a sentence when it is no such file, -EBADMSG for what is damaged, -EOPNOTSUPP for relocations of another kind
 * and compression that is not known here, -EFBIG, -ENOMEM.
 */
int relocated_open(int fd, const struct relocated_section *s, size_t n, int *ret_fd, struct err *e);

#endif
