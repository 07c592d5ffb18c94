/* SPDX-License-Identifier: BSD-2-Clause */
/* skim_x86_64.h - steps over instructions of x86-64. */
#ifndef SBERF_SYMBOL_SKIM_X86_64_H
#define SBERF_SYMBOL_SKIM_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many bytes the instruction at CODE (LEN > 0 bytes) has; 0 = there is none, or not all of it.
 * *RET_JUMPS: it jumps, perhaps on a condition, to *RET_TARGET, from its first byte on.
 */
size_t skim_x86_64(const uint8_t *code, size_t len, bool *ret_jumps, int32_t *ret_target);

#endif
