/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * figures.h - the figures of a profile under their published names: the lines of --format summary
 * and the members of JSON. Private to exporters.
 */
#ifndef SBERF_EXPORT_FIGURES_H
#define SBERF_EXPORT_FIGURES_H

#include "base/err.h"
#include "model/names.h"
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

/* Gets one figure, valid during the call. */
typedef void figure_fn(void *ctx, const struct figure *f);

/*
 * Calls FN for all figures, in the order in which they were published: new ones come last among
 * their kind, and none is changed or removed. 0; -ENOMEM is the only failure.
 */
int figures_each(const struct profile_meta *m, const struct snapshot *s, const struct names *names, figure_fn *fn,
		 void *ctx, struct err *e);

#endif
