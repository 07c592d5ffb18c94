/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame.h - what flame graphs are drawn from: frames with their weights, apart from where they came from.
 *
 *	struct flame f;
 *	int r = flame_init(&f, e);
 *	uint32_t main_ = flame_add(&f, 0, flame_label(&f, "main", 4, FLAME_USER));
 *	if (main_ != FLAME_NONE) f.nodes.v[main_].self[TIME_RUNNING] += 1000000;
 *	...
 *	r = flame_svg(out, &f, NULL, e);
 *	flame_free(&f);
 *
 * flame_from_tree() fills it from a call tree; a comparison of two profiles fills it itself, with weights of both.
 */
#ifndef SBERF_EXPORT_FLAME_H
#define SBERF_EXPORT_FLAME_H

#include "base/err.h"
#include "base/hash.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/meta.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a frame is: its hue, and a line of the legend. In files that are written: append only. */
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

/* What tools write where they know no name. A run of these, each of which called but the next, is drawn as one: "[unknown] ×100". */
#define FLAME_UNKNOWN "[unknown]"

/* Text and kind: frames that look the same have the same label. */
struct flame_label {
	str_id text;             /* foreign: drawers sanitise and escape it */
	uint8_t kind;            /* enum flame_kind */
};

struct flame_node {
	uint32_t parent;         /* less than its own index; FLAME_NONE for node 0, the root */
	uint32_t label;
	uint64_t self[TIME_NR];  /* what ends here: running, runnable, blocked. What is no part of wall time is all "running" */
	uint64_t before[TIME_NR];        /* what ended here in the profile that is compared with; see struct flame */
	uint32_t error;          /* of a comparison: by how much the change of its share may be off by chance, in 1/100 of a point */
};

/* A line about the profile as a whole, such as "host" "db3". */
struct flame_fact {
	str_id name, text;
};

/*
 * Siblings need no order and may share a label; drawers put them by falling weight, then by text. Totals are summed by drawers, so
 * that they cannot disagree.
 *
 * A comparison (COMPARED) has two weights of each kind a node: BEFORE, and SELF for after. Frames that appeared or vanished have a zero. Each side
 * is normalised by its WHOLE, widths are the mean of both shares, and colour tells which has grown.
 */
struct flame {
	struct strtab *texts;
	VEC(struct flame_label) labels;
	VEC(struct flame_node) nodes;    /* nodes.v[0] is the root and there after flame_init() */
	VEC(struct flame_fact) facts;
	struct hidx label_index;
	str_id title;                    /* "" = none */
	enum flame_unit unit;
	bool compared;
	uint64_t before_whole, after_whole;      /* what 100 % is on either side of a comparison; 0 = what the nodes add up to */
	str_id before_name, after_name;  /* of the sides, such as file names; "" = "before", "after" */
};

#define FLAME_MIN_WIDTH_DEFAULT 0.5      /* px */

/* How to draw. A NULL pointer, or all zero, is the default everywhere. Nothing here changes what search or zoom report. */
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

/* Facts about what T counts, when that is no time, and leaves out: who is shown the picture may not know. -ENOMEM. */
int flame_filters(struct flame *f, const struct tree *t, struct err *e);

/* What weights are that M counts. */
enum flame_unit flame_unit_of(const struct measure *m);
/* Fills PARTS with what VALUE, of the measures of SET by place, has of what adds up to the total, in numbers of EACH. */
void flame_set_parts(uint64_t parts[TIME_NR], const struct measure_set *set, const uint64_t value[MEASURES_ASKED], uint64_t each);

/* What NODE of T is drawn as. */
enum flame_kind flame_kind_of(const struct tree *t, uint32_t node);
/* Makes *RET, as flame_init() does, from T, and facts from M (NULL = none). -ENOMEM: *RET is empty. */
int flame_from_tree(struct flame *ret, const struct tree *t, const struct profile_meta *m, struct err *e);

/*
 * One self-contained file each, written to OUT and flushed: 0, or a negative errno with a sentence. Every frame is in it, drawn or
 * not. The same graph gives the same bytes.
 */
typedef int flame_drawer(FILE *out, const struct flame *f, const struct flame_options *o, struct err *e);

flame_drawer flame_svg;
/* The same graph beside a table of it, under a content-security policy that allows nothing else. */
flame_drawer flame_html;

/* Draws what V asks for, whose tree is there. */
struct export_view;
int flame_write(FILE *out, const struct export_view *v, flame_drawer *draw, struct err *e);

#endif
