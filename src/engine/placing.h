/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placing.h - from probes as they were asked for to what a capture is to place: each gets its
 * number and measure (model/probes.h) and the places that it means.
 */
#ifndef SBERF_ENGINE_PLACING_H
#define SBERF_ENGINE_PLACING_H

#include "base/cleanup.h"
#include "base/err.h"
#include "capture/source.h"
#include "model/measure.h"

#include <stddef.h>

struct placing;

/*
 * The measure of the probe TEXT (sberf-probe(7)), which gets a number if it has none; *RET is its
 * id. -EINVAL or -E2BIG with a sentence for a text that is no probe; -ENOSPC when there are
 * PROBES_MAX.
 */
int placing_measure(const char *text, unsigned int *ret, struct err *e);

/*
 * Looks up the places of the N probes TEXTS. 0; or a negative errno with a sentence that names the
 * probe which cannot be placed. *RET is the caller's.
 */
int placing_new(const char *const *texts, size_t n, struct placing **ret, struct err *e);
void placing_free(struct placing *p);            /* NULL is fine */

/* Sets in PLAN what is to be placed, which is P's: P must outlive it. */
void placing_plan(const struct placing *p, struct capture_plan *plan);

DEFINE_AUTO(placing_free, struct placing);

#endif
