/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame.h - the model of a flame graph: frames with weights, independent of their source.
 *
 *	struct flame f;
 *	int r = flame_init(&f, e);
 *	uint32_t main_ = flame_add(&f, 0, flame_label(&f, "main", 4, FLAME_USER));
 *	if (main_ != FLAME_NONE) f.nodes.v[main_].self[TIME_RUNNING] += 1000000;
 *	...
 *	r = flame_svg(out, &f, NULL, e);
 *	flame_free(&f);
 *
 * flame.c fills it from a call tree; a comparison of two profiles fills it itself, with
 * weights of both.
 */
#ifndef SBERF_EXPORT_FLAME_H
#define SBERF_EXPORT_FLAME_H

#include "base/err.h"
#include "base/keyed.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/meta.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The kind of a frame: its hue, and a line of the legend. Written to files: append only. */
enum flame_kind {
	FLAME_ROOT,              /* the whole */
	FLAME_GROUP,             /* a process, thread, cgroup */
	FLAME_NUMA,              /* a NUMA node that everything below belongs to; its text has its number: "node 1" */
	FLAME_USER,              /* a function */
	FLAME_INLINED,           /* an inlined copy of one, not of the kernel */
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_UNRESOLVED,        /* a place without a name */
	FLAME_NOTE,              /* "[cut: ...]", "(other)" */
	FLAME_IDLE,              /* waits of threads that have nothing to do, folded */
	FLAME_KIND_NR,
};

enum flame_unit {
	FLAME_NS,                /* weights are nanoseconds */
	FLAME_COUNT,             /* weights are counts: samples, events */
	FLAME_BYTES,
};

#define FLAME_NONE UINT32_MAX

/*
 * The label that tools write for unknown names. A run of such frames, each the only callee of the
 * one before, is drawn as one: "[unknown] ×100".
 */
#define FLAME_UNKNOWN "[unknown]"

/* Text and kind. Frames that look the same share a label. */
struct flame_label {
	str_id text;             /* foreign: drawers sanitise and escape it */
	uint32_t kind;           /* enum flame_kind */
};

struct flame_node {
	uint32_t parent;         /* less than its own index; FLAME_NONE for node 0, the root */
	uint32_t label;
	/* what ends here: running, runnable, blocked. What is not wall time counts as running */
	uint64_t self[TIME_NR];
	uint64_t before[TIME_NR];        /* the same in the profile compared with; see struct flame */
	/* of a comparison: how far the change of its share may be off by chance, in 1/100 of a point */
	uint32_t error;
};

/* A line about the profile as a whole, such as "host" "db3". */
struct flame_fact {
	str_id name, text;
};

/*
 * Siblings may be in any order and may share a label; drawers sort them by falling weight, then by
 * text. Drawers also sum totals, so that totals always agree with the parts.
 *
 * A comparison (COMPARED) has two weights of each kind per node: BEFORE, and SELF for after; frames
 * that appeared or vanished have a zero. Each side is normalised by its WHOLE, widths are the mean
 * of both shares, and colours show which side has grown.
 */
struct flame {
	struct strtab *texts;
	KEYED(struct flame_label) labels;
	VEC(struct flame_node) nodes;    /* nodes.v[0] is the root and there after flame_init() */
	VEC(struct flame_fact) facts;
	str_id title;                    /* "" = none */
	enum flame_unit unit;
	bool compared;
	/* the 100 % of either side of a comparison; 0 = the sum of the nodes */
	uint64_t before_whole, after_whole;
	str_id before_name, after_name;  /* of the sides, such as file names; "" = "before", "after" */
};

#define FLAME_MIN_WIDTH_DEFAULT 0.5      /* px */

/*
 * How to draw. A NULL pointer, or all zero, means the defaults. None of this changes what search or
 * zoom report.
 */
struct flame_options {
	double min_width;        /* px; narrower frames are drawn as one hatched box; 0 = FLAME_MIN_WIDTH_DEFAULT */
	bool upwards;            /* root at the bottom (flame), not on top (icicle) */
	bool no_script;          /* the static picture only */
};

/* An empty graph with a root labelled "all". -ENOMEM; then it is as after flame_free(). */
int flame_init(struct flame *f, struct err *e);
void flame_free(struct flame *f);                /* a zeroed one is fine; leaves one */

/* The label of the LEN bytes at TEXT, any bytes, made when new; FLAME_NONE when out of memory. */
uint32_t flame_label(struct flame *f, const char *text, size_t len, enum flame_kind kind);
/* A new frame under PARENT, without weight. FLAME_NONE when LABEL is, or out of memory. */
uint32_t flame_add(struct flame *f, uint32_t parent, uint32_t label);
/* Sets the title, or adds a fact; both are foreign text. -ENOMEM. */
int flame_title(struct flame *f, const char *title, struct err *e);
int flame_fact(struct flame *f, const char *name, const char *text, struct err *e);

/*
 * Adds facts about what T counts, when that is not time, and what it leaves out, for readers who
 * see only the picture. 0 or -ENOMEM.
 */
int flame_filters(struct flame *f, const struct tree *t, struct err *e);

/* The unit of weights of the measure M. */
enum flame_unit flame_unit_of(const struct measure *m);
/*
 * Fills PARTS with those parts of VALUE (the measures of SET by place) that add up to the total, in
 * units of EACH.
 */
void flame_set_parts(uint64_t parts[TIME_NR], const struct measure_set *set,
		     const uint64_t value[MEASURES_ASKED], uint64_t each);

/* The kind as which NODE of T is drawn. */
enum flame_kind flame_kind_of(const struct tree *t, uint32_t node);

/*
 * Writes one self-contained file to OUT and flushes it. 0, or a negative errno with a sentence.
 * Every frame is in the file, drawn or not. The same graph gives the same bytes.
 */
typedef int flame_drawer(FILE *out, const struct flame *f, const struct flame_options *o, struct err *e);

flame_drawer flame_svg;
/*
 * The same graph beside a table of it, as a page whose content-security policy allows nothing else.
 */
flame_drawer flame_html;
/* Its data alone, for the viewer (flame_model.js), as a JSON object and a newline. */
flame_drawer flame_viewer_data;

/* Draws the tree of V. */
struct export_view;
int flame_write(FILE *out, const struct export_view *v, flame_drawer *draw, struct err *e);
/* The graph that it draws, to *RET, the caller's. 0, or -ENOMEM with *RET empty. */
int flame_of(struct flame *ret, const struct export_view *v, struct err *e);

#endif
