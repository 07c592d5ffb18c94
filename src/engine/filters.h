/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filters.h - conditions and sums of probes, as the kernel half evaluates them (bpf/wire.h). Names in
 * them become numbered values, which are looked up for each place (loads.h). Pure.
 */
#ifndef SBERF_ENGINE_FILTERS_H
#define SBERF_ENGINE_FILTERS_H

#include "base/err.h"
#include "bpf/wire.h"
#include "probe/spec.h"

#include <stdbool.h>

/* Whether POINT of S has a condition, or is the last one and has a sum. */
bool filter_in_spec(const struct spec *s, uint32_t point);

/* The named values of a condition and a sum: name I is the value of input SB_INPUT_LOAD + I. */
struct filter_names {
	uint32_t n;
	char name[SB_LOADS][SPEC_POOL_MAX];      /* as in the probe: "prev_pid", "args[1]" */
	/* the value is whether the string there is TEXT, not what is there */
	bool compared[SB_LOADS];
	char text[SB_LOADS][SB_LOAD_TEXT_BYTES];
};

/*
 * Translates the condition of POINT of S, with the sum if it is the last one, to *RET, and says which
 * names it has in *RET_NAMES. 0; -EOPNOTSUPP, -EINVAL or -E2BIG with a sentence that says which value is not known
 * there, or what is too much.
 */
int filter_of_spec(const struct spec *s, uint32_t point, struct sb_filter *ret, struct filter_names *ret_names,
		   struct err *e);

#endif
