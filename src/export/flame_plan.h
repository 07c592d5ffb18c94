/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame_plan.h - a flame graph in the order in which it is drawn and written. Private to drawers.
 */
#ifndef SBERF_EXPORT_FLAME_PLAN_H
#define SBERF_EXPORT_FLAME_PLAN_H

#include "export/flame.h"
#include "export/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FLAME_WIDTH 1200u        /* px of the static picture, which a page may stretch */
#define FLAME_ROW 18u            /* px, as in flame_draw.js */
#define FLAME_TEXT_MAX (64u << 10)       /* bytes of a name that are kept, sanitised */

struct flame_plan {
	const struct flame *f;
	struct flame_options o;  /* defaults filled in */
	uint32_t n;
	uint32_t *node;          /* nodes of F in pre-order, siblings by falling weight, then text */
	uint32_t *depth;         /* by place in node[]; the root has 0 */
	uint32_t deepest;
	uint32_t *row;           /* by node of F: depth in a picture, where a run of "[unknown]" is one box */
	double *weight;          /* by node of F, with all below; in comparisons the mean of both shares */
	uint32_t *label_at;      /* labels of F in order of text */
	uint32_t *rank;          /* by label: where it is in label_at[] */
	uint8_t part[TIME_NR];   /* kinds of time that occur */
	unsigned int parts;      /* how many of them; at least one */
	char *text;              /* FLAME_TEXT_MAX + 1 bytes to build names in, */
	char *other;             /* and another such buffer */
};

/* Plans F; O may be NULL. 0 or -ENOMEM; call flame_plan_free() in any case. */
int flame_plan(struct flame_plan *p, const struct flame *f, const struct flame_options *o, struct err *e);
void flame_plan_free(struct flame_plan *p);

/*
 * Writes the sanitised text of LABEL to DST, which has FLAME_TEXT_MAX + 1 bytes; returns its
 * length.
 */
size_t flame_text(const struct flame_plan *p, uint32_t label, char *dst);
/*
 * The sanitised TEXT, one of F's, or OTHERWISE when that is ""; valid while p->text is unchanged.
 */
const char *flame_clean(const struct flame_plan *p, str_id text, const char *otherwise);

/*
 * Whether the frame at place AT is drawn together with its caller: both are "[unknown]", and it is
 * all there is below that caller. Like foldRuns() of flame_model.js.
 */
bool flame_follows(const struct flame_plan *p, uint32_t at);

/*
 * Writes the data that flame_model.js reads: a JSON object that can end neither a CDATA section nor
 * an HTML script.
 */
void flame_data(struct out *o, const struct flame_plan *p);

/* Its parts, which flame_growth.c writes, too. A number, in digits of five bits: */
void flame_put_number(FILE *out, uint64_t v);
/*
 * LEN bytes of sanitised TEXT inside a JSON string. What could end a script (</ <!) or a CDATA
 * section (]]>) never stands there unescaped, also when it starts or ends outside of TEXT.
 */
void flame_put_text(FILE *out, const char *text, size_t len);
/* A label of KIND: a line of what its sanitised TEXT, of LEN bytes, has beyond that of the one before, LAST. */
void flame_put_label(struct out *o, const char *last, const char *text, size_t len, uint32_t kind);
/* "ns", "count", "bytes". */
const char *flame_unit_name(enum flame_unit unit);

/*
 * Writes the picture without scripts, as SVG elements, under a title. REMEDY tells how to see more,
 * "open ..." (not with no_script).
 */
void flame_still(struct out *o, const struct flame_plan *p, const char *remedy);
/* The height of that picture in px. */
unsigned int flame_still_height(const struct flame_plan *p);

/* Writes LEN bytes of sanitised TEXT with & < > " ' escaped, for XML and HTML alike. */
void flame_escape(struct out *o, const char *text, size_t len);

/*
 * The viewer: style, a script for the beginning, one for the end of an SVG or of a page with a
 * table; and the hashes that the content-security policy of that page names.
 */
extern const char flame_style[], flame_script_first[], flame_script_svg[], flame_script_html[];
extern const char flame_style_hash[], flame_script_first_hash[], flame_script_html_hash[];

#endif
