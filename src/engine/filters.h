/* SPDX-License-Identifier: BSD-2-Clause */
/* filters.h - conditions and sums of probes, as the kernel half evaluates them (bpf/wire.h). Pure. */
#ifndef SBERF_ENGINE_FILTERS_H
#define SBERF_ENGINE_FILTERS_H

#include "base/err.h"
#include "bpf/wire.h"
#include "probe/spec.h"

/* Whether POINT of S has a condition, or is the last one and has a sum. */
bool filter_in_spec(const struct spec *s, uint32_t point);

/*
 * Translates the condition of POINT of S, with the sum if it is the last one, to *RET. 0; -EOPNOTSUPP or -EINVAL
 * with a sentence that says which value is not known there.
 */
int filter_of_spec(const struct spec *s, uint32_t point, struct sb_filter *ret, struct err *e);

#endif
