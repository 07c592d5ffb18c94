/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * figures.h - the figures of a profile, under published names: what --format summary has a line for, and JSON a member. Private to
 * exporters.
 */
#ifndef SBERF_EXPORT_FIGURES_H
#define SBERF_EXPORT_FIGURES_H

#include "base/err.h"
#include "profile/meta.h"
#include "profile/profile.h"

#include <stdint.h>

enum figure_type {
	FIGURE_UNKNOWN,          /* not known */
	FIGURE_NUMBER,           /* v */
	FIGURE_FIXED,            /* v / 10^digits */
	FIGURE_FLAG,             /* v: yes or no */
	FIGURE_TEXT,             /* text */
};

struct figure {
	const char *name;
	enum figure_type type;
	uint64_t v;
	unsigned int digits;
	const char *text;        /* sanitised */
};

#define FIGURE_NO_TABLE "frames_no_table_percent"

/* Gets one figure, which lives for the call. */
typedef void figure_fn(void *ctx, const struct figure *f);

/*
 * Hands all of them to FN, in the order in which they were published: new ones come at the end of their kind, none changes or
 * goes. -ENOMEM is the only failure.
 */
int figures_each(const struct profile_meta *m, const struct snapshot *s, figure_fn *fn, void *ctx, struct err *e);

#endif
