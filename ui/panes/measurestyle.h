/* SPDX-License-Identifier: BSD-2-Clause */
/* measurestyle.h - the hue of a measure (model/measure.h) on the screen. */
#ifndef SBERF_UI_PANES_MEASURESTYLE_H
#define SBERF_UI_PANES_MEASURESTYLE_H

#include "model/measure.h"
#include "ui/style.h"

/* The style of the column of M. */
static inline enum style measure_style(const struct measure *m)
{
	static const enum style styles[] = {
		[MEASURE_STYLE_RUNNING] = STYLE_RUNNING, [MEASURE_STYLE_RUNNABLE] = STYLE_RUNNABLE,
		[MEASURE_STYLE_BLOCKED] = STYLE_BLOCKED, [MEASURE_STYLE_FAR] = STYLE_FAR,
		[MEASURE_STYLE_OTHER] = STYLE_TEXT,
	};

	return styles[m->style];
}

#endif
