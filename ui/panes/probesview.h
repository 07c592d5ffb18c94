/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probesview.h - the list of probes as rows that a treeview can show: below a probe that is placed in
 * programs where it is, and below one that takes time a row for each power of two of the histogram,
 * and its longest call, which opens as a call path.
 *
 * Nothing is copied: the number of a row leads to its content.
 */
#ifndef SBERF_UI_PANES_PROBESVIEW_H
#define SBERF_UI_PANES_PROBESVIEW_H

#include "base/cleanup.h"
#include "query/probereport.h"
#include "ui/outline.h"

#include <stddef.h>
#include <stdint.h>

enum probes_level {
	PROBES_LEVEL_PROBE,
	PROBES_LEVEL_OPEN,       /* its calls that have not ended */
	PROBES_LEVEL_PLACES,     /* where it is placed */
	PROBES_LEVEL_UNSEEN,     /* below that: process SUB that ran without it for a time */
	PROBES_LEVEL_SPELL,      /* spell SUB of note.spell */
	PROBES_LEVEL_SEEN,       /* arguments that were looked at */
	PROBES_LEVEL_VALUES,     /* below that: the values of argument SUB */
	PROBES_LEVEL_LOST,       /* what was lost of its hits */
	PROBES_LEVEL_OWN,        /* what is taken off its times */
	PROBES_LEVEL_LONGEST,    /* its longest call */
	PROBES_LEVEL_PLACE,      /* one function of the path of that: the row of the outline tells */
	PROBES_LEVEL_BUCKET,     /* calls of one power of two of length: SUB */
};

struct probes_line {
	uint8_t level;           /* enum probes_level */
	uint8_t sub;
	uint32_t i;              /* row of the report */
};

struct probesview {
	struct probe_report *report;     /* owned, like the others */
	struct probes_line *line;        /* by row; that of the root means nothing */
	struct outline *rows;
};

/* Takes over REPORT, also when out of memory: NULL. To be freed with probesview_free(). */
struct probesview *probesview_new(struct probe_report *report);
void probesview_free(struct probesview *pv);     /* NULL is fine */

/* The probe that row NODE is about. */
const struct probe_row *probesview_probe(const struct probesview *pv, uint32_t node);
/* The stack that row NODE is about; STACK_ROOT = none. */
stack_id probesview_stack(const struct probesview *pv, uint32_t node);
/* What row NODE is called, sanitised. Returns DST. */
char *probesview_label(const struct probesview *pv, uint32_t node, char *dst, size_t size);
/* The same but for the functions at its end, if it has some. Returns DST. */
char *probesview_head(const struct probesview *pv, uint32_t node, char *dst, size_t size);

DEFINE_AUTO(probesview_free, struct probesview);

#endif
