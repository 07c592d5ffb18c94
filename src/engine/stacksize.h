/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacksize.h - learns for each executable how many bytes of stack to copy.
 *
 * Too small a copy cuts stacks; too large a copy costs time and ring space with every sample.
 * Executables differ, and processes may live 100 ms only, so the size belongs to the executable
 * (exe_id of bpf/wire.h). It doubles at the first stack that did not fit, up to SB_STACK_MAX. It
 * shrinks to twice the deepest stack seen once a long run of stacks would have fitted into half. An
 * executable whose stacks were cut after shrinking does not shrink again.
 */
#ifndef SBERF_ENGINE_STACKSIZE_H
#define SBERF_ENGINE_STACKSIZE_H

#include <stdbool.h>
#include <stdint.h>

/* executables remembered; in a set the least recently seen gives way */
#define STACKSIZE_EXES 1024u
#define STACKSIZE_RUN 512u               /* uncut stacks before it shrinks */

struct stacksize_exe {
	uint64_t exe_id;                 /* 0 = free */
	uint64_t used_at;                /* clock of the table when last seen */
	uint32_t cap;                    /* bytes copied now */
	uint32_t deepest;                /* bytes needed by the deepest stack of this run */
	uint32_t run;                    /* stacks since the last change */
	bool shrunk, settled;            /* has shrunk once; was cut after that */
};

struct stacksize {
	uint32_t first;                  /* cap of an executable not seen before */
	uint64_t clock;
	struct stacksize_exe exe[STACKSIZE_EXES];
};

/* Initialises T. FIRST is the size of a first copy in bytes, SB_STACK_MIN to SB_STACK_MAX. */
void stacksize_init(struct stacksize *t, uint32_t first);

/*
 * Takes one stack of EXE_ID (0 is ignored): it needed NEEDED bytes, or was CUT because the copy
 * ended. Returns the new size in bytes when it has changed, else 0.
 */
uint32_t stacksize_learn(struct stacksize *t, uint64_t exe_id, uint32_t needed, bool cut);

/* The present size in bytes for EXE_ID. */
uint32_t stacksize_cap(struct stacksize *t, uint64_t exe_id);

#endif
