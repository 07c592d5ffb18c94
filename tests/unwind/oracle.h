/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * oracle.h - an independent unwinder on the same registers and bytes: libdwfl's, which keeps all
 * registers and asks for the row of every frame afresh.
 */
#ifndef SBERF_TESTS_UNWIND_ORACLE_H
#define SBERF_TESTS_UNWIND_ORACLE_H

#include "tests/unwind/fixture.h"

#include <elfutils/libdwfl.h>

#define ORACLE_MAX 5000

struct oracle_chain {
	unsigned int n;
	uint64_t lookup[ORACLE_MAX];     /* pc, or pc - 1 for callers */
	bool signal[ORACLE_MAX];         /* the frame was interrupted: exact pc */
};

/* The modules of the stopped process PID as libdwfl sees them; NULL when it cannot. Free with dwfl_end(). */
Dwfl *oracle_open(pid_t pid);
/* Walks FX. */
void oracle_walk(Dwfl *dwfl, pid_t pid, const struct fixture *fx, struct oracle_chain *ret);
/* Function at ADDR by the symbol table of its file, "?" when there is none. */
const char *oracle_name(Dwfl *dwfl, uint64_t addr);

#endif
