/* SPDX-License-Identifier: BSD-2-Clause */
/* filters.h - conditions and sums of probes, as the kernel half evaluates them (bpf/wire.h). Pure. */
#ifndef SBERF_ENGINE_FILTERS_H
#define SBERF_ENGINE_FILTERS_H

#include "base/err.h"
#include "bpf/wire.h"
#include "probe/spec.h"

/* Whether S has a condition or a sum. */
bool filter_in_spec(const struct spec *s);

/*
 * Translates the condition and the sum of S, which is no span, to *RET. 0; -EOPNOTSUPP or -EINVAL
 * with a sentence that says which value is not known there.
 */
int filter_of_spec(const struct spec *s, struct sb_filter *ret, struct err *e);

#endif
