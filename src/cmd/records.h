/* SPDX-License-Identifier: BSD-2-Clause */
/* records.h - which fields the records of a probe have that is about one tracepoint, for lines and values. */
#ifndef SBERF_CMD_RECORDS_H
#define SBERF_CMD_RECORDS_H

#include "probe/spec.h"
#include "trace/hitfields.h"

#include <stdbool.h>

/*
 * The first fields of the tracepoint that S is about, as its format says. False when it is about none, or several, or
 * the format cannot be read.
 */
bool record_of_probe(const struct spec *s, struct hitrecord *ret);

#endif
