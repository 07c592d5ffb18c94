/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * made.h - unwinds code that a run-time compiler made and described in its jitdump file.
 *
 * Each function there may come with call-frame information of its own (JIT_CODE_UNWINDING_INFO).
 * All of it becomes rows when the file is read, in a thread that may wait for a disk. Afterwards
 * only addresses and rules are left, and no handle of libdw. Where functions overlap, the latest
 * one counts, even when it comes without unwind information: then unwinding follows frame pointers
 * as usual.
 */
#ifndef SBERF_UNWIND_MADE_H
#define SBERF_UNWIND_MADE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "unwind/rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct made_code;

/*
 * Reads the jitdump file at FD (borrowed). *RET is NULL when it says of no function how to unwind
 * it. -ENOEXEC when it is no jitdump file, or of another machine.
 */
int made_code_read(int fd, struct made_code **ret, struct err *e);
/* The same from LEN bytes at DATA. */
int made_code_parse(const void *data, size_t len, struct made_code **ret, struct err *e);
void made_code_free(struct made_code *m);        /* NULL is fine */

/*
 * The rule of the instruction at ADDR; false when nothing is known of how to unwind it. RULE_BAD:
 * what is said cannot be used.
 */
bool made_code_rule(const struct made_code *m, uint64_t addr, struct rule *ret);

size_t made_code_refused(const struct made_code *m);     /* records that make no sense or go beyond a limit */
size_t made_code_bytes(const struct made_code *m);

DEFINE_AUTO(made_code_free, struct made_code);

#endif
