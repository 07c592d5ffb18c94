/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pointers.h - functions of the kernel that are called by pointers, in call graphs: what "file->f_op->read" leads to is
 * in no code. So the instructions that call where a register says are probed, too, and each function to which one of
 * them leads, within a call that is followed, is followed itself from then on, with what it calls.
 */
#ifndef SBERF_ENGINE_POINTERS_H
#define SBERF_ENGINE_POINTERS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/vec.h"
#include "capture/source.h"
#include "engine/kernel_code.h"
#include "engine/pointed.h"

#include <stdbool.h>
#include <stdint.h>

#define POINTERS_MAX 64u                 /* instructions that are probed: each takes the kernel some milliseconds */

typedef VEC(struct capture_trace) traces_vec;

struct pointers;

/* NULL when out of memory. K outlives *RET. */
struct pointers *pointers_new(const struct kernel_code *k);
void pointers_free(struct pointers *p);          /* NULL is fine */

/*
 * The functions ALL make a graph of PROBE, DEPTH calls deep, and SITES are the calls by pointers in them: appends where
 * these are to RET. 0, or -ENOMEM.
 */
int pointers_graph(struct pointers *p, uint32_t probe, uint32_t depth, const kernel_callees *all,
		   const kernel_pointers *sites, traces_vec *ret, struct err *e);

/*
 * Follows what has been called by pointers since the last call: places it by S, which may take tenths of a second. What
 * cannot be placed is counted. One thread at a time.
 */
void pointers_turn(struct pointers *p, struct source *s);
/* Reads the last counts of S; nothing is placed any more. */
void pointers_end(struct pointers *p, const struct source *s);
/* What came of it by the last of both. */
void pointers_figures(const struct pointers *p, struct pointed_figures *ret);

/*
 * Gives the N functions ALL, of PROBE, numbers in PATH, each as if it was one basic block (model/probecode.h), and
 * appends their returns and entries to RET: a call is followed only once its end can be seen. TRIES: they get no
 * number. 0; -E2BIG with a sentence when there is no room for numbers, TEXT being what asked for them; -ENOMEM.
 */
int pointers_place_called(uint32_t probe, const char *path, const struct kernel_callee *all, size_t n, bool tries,
			  const char *text, traces_vec *ret, struct err *e);

DEFINE_AUTO(pointers_free, struct pointers);

#endif
