/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clocktext.h - parses moments as people and scripts write them.
 *
 *	2026-11-29T15:04:05Z, ...05.250+01:00    a date and time with its zone (RFC 3339)
 *	15:04:05, 15:04                          of the local clock: the next time that it shows this
 *	@1795961045, @1795961045.5               seconds since 1970
 */
#ifndef SBERF_BASE_CLOCKTEXT_H
#define SBERF_BASE_CLOCKTEXT_H

#include "base/err.h"

#include <stdint.h>

/*
 * The moment that TEXT means when it is NOW_NS, to *RET_NS; both are nanoseconds since 1970. 0; -EINVAL with a
 * sentence: it is no moment; -ERANGE: it has passed, or is more than MOST_NS away.
 */
int clocktext_parse(const char *text, uint64_t now_ns, uint64_t most_ns, uint64_t *ret_ns, struct err *e);

#endif
