/* SPDX-License-Identifier: BSD-2-Clause */
/* retryafter.h - what a Retry-After says: seconds, or a date as HTTP has them (RFC 9110, section 5.6.7). Pure. */
#ifndef SBERF_PUSH_RETRYAFTER_H
#define SBERF_PUSH_RETRYAFTER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How long to wait from REAL_NS (CLOCK_REALTIME) on, by TEXT: to *RET, an hour at most, 0 for what is over. False: it
 * says nothing, or is NULL.
 */
bool retry_after(const char *text, uint64_t real_ns, uint64_t *ret);

#endif
