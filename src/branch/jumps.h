/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jumps.h - makes the branches of a call out of where some jumps on a condition led: those at which there are
 * breakpoints, of a BPF program and its sub-programs.
 *
 * From one jump that is watched to the next one there is one way through the code, or there are several, if jumps in
 * between are not watched. One way is told as branches, several are a gap. Sub-programs have frames of their own, by
 * which their jumps are told apart from those of their callers. Pure.
 */
#ifndef SBERF_BRANCH_JUMPS_H
#define SBERF_BRANCH_JUMPS_H

#include "branch/branch.h"
#include "model/probecode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code of one function. */
struct branch_jumps_code {
	const struct probe_code *code;
	const bool *watched;     /* of each block: there is a breakpoint at its last instruction */
};

/* A jump that was watched. */
struct branch_jump {
	uint32_t code, block;    /* which of the functions, and which of its blocks ends with it */
	uint64_t frame;          /* of the function: that of a caller is greater */
	bool taken;
};

/*
 * Appends to RET the branches of a call of CODE[0], one of N, that came to the M JUMPS in their order, and returned.
 * CUT: there were more of them, which are not known: behind them is a gap. *RET_GAPS is added to. False when out of
 * memory, and RET as it was.
 */
bool branch_jumps_follow(const struct branch_jumps_code *code, size_t n, const struct branch_jump *jumps, size_t m,
			 bool cut, branch_vec *ret, uint32_t *ret_gaps);

/*
 * Where the jump on a condition at INSN, SIZE bytes of x86-64 code, leads with the FLAGS of the processor: *RET_TAKEN.
 * False when it is no such jump.
 */
bool branch_jump_taken_x86_64(const uint8_t *insn, size_t size, uint32_t flags, bool *ret_taken);

#endif
