/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probed_blocks.h - chooses which basic blocks of a function are probed. A block where a hit is dear needs no probe
 * when those before and behind it say that it was run: when from each block that is probed one way at most leads to
 * each other one, and one at most to a return, by blocks that are not.
 */
#ifndef SBERF_PROBE_PROBED_BLOCKS_H
#define SBERF_PROBE_PROBED_BLOCKS_H

#include "model/probecode.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Sets probed of the N blocks at B, of which the first one is where the function begins; COST_NS are what hits at them
 * cost. RETURNS: returns are told without a probe at them; else all blocks that leave are probed. In a function of more
 * than PROBED_LOOKED_MAX blocks, or with jumps whose targets are not known, only blocks that return may have none.
 * False when out of memory, and all are probed. Pure.
 */
#define PROBED_LOOKED_MAX 256u
bool probed_blocks_choose(struct code_block *b, uint32_t n, const uint32_t *cost_ns, bool returns);

#endif
