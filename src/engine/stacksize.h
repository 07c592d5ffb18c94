/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacksize.h - how many bytes of stack are worth copying, learnt per executable.
 *
 * A copy that is too small cuts stacks; one that is too large costs time and ring space on every sample. Executables differ and
 * processes may live 100 ms, so what is learnt belongs to the executable (exe_id of bpf/wire.h). The size doubles at the first
 * stack that did not fit, up to SB_STACK_MAX, and shrinks to twice the deepest stack seen once a long run of stacks would
 * have fitted into half; an executable that was cut after shrinking does not shrink again.
 */
#ifndef SBERF_ENGINE_STACKSIZE_H
#define SBERF_ENGINE_STACKSIZE_H

#include <stdbool.h>
#include <stdint.h>

#define STACKSIZE_EXES 1024u             /* executables remembered; the least recently seen of a set gives way */
#define STACKSIZE_RUN 512u               /* stacks without a cut before it shrinks */

struct stacksize_exe {
	uint64_t exe_id;                 /* 0 = free */
	uint64_t used_at;                /* clock of the table when last seen */
	uint32_t cap;                    /* bytes copied now */
	uint32_t deepest;                /* bytes needed by the deepest stack of this run */
	uint32_t run;                    /* stacks since the last change */
	bool shrunk, settled;            /* shrunk once; was cut after that */
};

struct stacksize {
	uint32_t first;                  /* cap of an executable not seen before */
	uint64_t clock;
	struct stacksize_exe exe[STACKSIZE_EXES];
};

/* FIRST: bytes copied at first, SB_STACK_MIN to SB_STACK_MAX. */
void stacksize_init(struct stacksize *t, uint32_t first);

/*
 * One stack of EXE_ID (0 is ignored) needed NEEDED bytes, or was CUT because the copy ended. Returns the number of bytes to
 * copy from now on when that has changed, else 0.
 */
uint32_t stacksize_learn(struct stacksize *t, uint64_t exe_id, uint32_t needed, bool cut);

/* Bytes copied now for EXE_ID. */
uint32_t stacksize_cap(struct stacksize *t, uint64_t exe_id);

#endif
