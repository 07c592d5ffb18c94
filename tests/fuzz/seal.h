/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seal.h - checksums that fit what was mutated, so that it reaches what lies behind them; and
 * recordings in memory, to be read.
 */
#ifndef SBERF_TESTS_FUZZ_SEAL_H
#define SBERF_TESTS_FUZZ_SEAL_H

#include "record/bytes.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Puts right the checksum of the header of the recording in the N bytes at P, and of blocks as long
 * as one follows another.
 */
void seal_recording(uint8_t *p, size_t n);

/* An input_fn whose CTX is a struct cursor. */
ssize_t seal_read(void *ctx, void *dst, size_t n);

#endif
