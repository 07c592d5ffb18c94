/* SPDX-License-Identifier: BSD-2-Clause */
/* pressure_figures.h - the pressure of the cgroup that the target is, or of the container that it is in. */
#ifndef SBERF_ENGINE_PRESSURE_FIGURES_H
#define SBERF_ENGINE_PRESSURE_FIGURES_H

#include "base/cleanup.h"
#include "capture/source.h"
#include "profile/meta.h"

struct pressure_figures;

/* For the target of PLAN. NULL: it is in no cgroup of its own, or there is no memory. */
struct pressure_figures *pressure_figures_new(const struct capture_plan *plan);
void pressure_figures_free(struct pressure_figures *p);  /* NULL is fine */
DEFINE_AUTO(pressure_figures_free, struct pressure_figures);

/* It counts from now on; P may be NULL. */
void pressure_figures_begin(struct pressure_figures *p);
/*
 * What there was since it began, to M; reads files at most once a second. At the end LAST is set, and nothing changes
 * any more. P may be NULL.
 */
void pressure_figures_measure(struct pressure_figures *p, bool last, struct profile_meta *m);

#endif
