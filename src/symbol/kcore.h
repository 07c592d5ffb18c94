/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kcore.h - reads the code of the running kernel, of its modules and of BPF programs as it is now, with everything that
 * the kernel has changed in it since it started: from /proc/kcore, an ELF file whose segments are the kernel's memory.
 *
 * To read it takes CAP_SYS_RAWIO and a kernel that is not locked down to confidentiality.
 */
#ifndef SBERF_SYMBOL_KCORE_H
#define SBERF_SYMBOL_KCORE_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KCORE_PATH "/proc/kcore"

struct kcore;

/*
 * Opens PATH, KCORE_PATH or a file like it. 0; a negative errno with a sentence: it is not there, cannot be read, or is
 * no ELF file of this machine. *RET is the caller's.
 */
int kcore_open(const char *path, struct kcore **ret, struct err *e);
void kcore_free(struct kcore *k);                /* NULL is fine */

/* Reads the SIZE bytes at ADDRESS to TO. False when not all of them can be read; TO may have changed then. */
bool kcore_read(const struct kcore *k, uint64_t address, void *to, size_t size);

DEFINE_AUTO(kcore_free, struct kcore);

#endif
