/* SPDX-License-Identifier: BSD-2-Clause */
/* xz.h - unpacks one foreign xz stream in memory, within limits. */
#ifndef SBERF_SYMBOL_XZ_H
#define SBERF_SYMBOL_XZ_H

#include <stddef.h>
#include <stdint.h>

/*
 * What the LEN bytes at DATA unpack to, malloc'ed, with its length; NULL when damaged, longer than
 * MAX, or out of memory.
 */
uint8_t *xz_unpack(const uint8_t *data, size_t len, size_t max, size_t *ret_len);

#endif
