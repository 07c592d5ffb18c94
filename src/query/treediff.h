/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * treediff.h - two call trees as one, with what each path and function took before and after.
 *
 * What is the same on both sides:
 *   - a function by its place, in a file that has the same build-id on both sides; so one that has
 *     a name on one side only, as the debug file was there, finds its other half;
 *   - else by its demangled name, in files of the same name (app, libc.so.6), inlined or not;
 *   - what then is left over on one side, by its name alone, without what compilers add for clones
 *     ("f.isra.0", "f() [clone .cold]"): a function that moved to another file, and all of a
 *     program that has another name now;
 *   - code without names in files that are not the same: all of a file as one;
 *   - groups by what they are called, without pids and tids: processes of one name are one. Two
 *     that have more than half of the time, each of its side, are the same whatever they are
 *     called.
 *
 * A *share* is 1.0 for what the normalisation says: the total of its side, the wall time of its
 * side (so four busy threads have 4.0), without any the total before on both sides, or, of calls of
 * a probe, what such a call after took on average. A *change* is the share after less the share
 * before. Sampling makes shares differ by chance, so each change
 * comes with its error (diff_judge()). Pure: the same trees give the same.
 */
#ifndef SBERF_QUERY_TREEDIFF_H
#define SBERF_QUERY_TREEDIFF_H

#include "base/cleanup.h"
#include "base/err.h"
#include "query/query.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

enum diff_norm {
	DIFF_BY_TOTAL,
	DIFF_BY_WALL,
	DIFF_BY_NONE,
	DIFF_BY_CALL,            /* 1.0 is what a call after took on average (query/spandiff.h) */
};

/*
 * One figure on both sides: what it is in all, of each measure (in its place of tree.set), and its
 * tree_node.squares.
 */
struct diff_pair {
	uint64_t ns[DIFF_SIDES];
	uint64_t value[DIFF_SIDES][MEASURES_ASKED];
	double squares[DIFF_SIDES];
};

struct diff_node {
	uint32_t parent;         /* NODE_NONE = none */
	uint32_t what;           /* what it is: the same number is the same function or group; for diff_label() */
	uint32_t first_child, next_sibling;     /* NODE_NONE = none; children by falling MOST, then by what they took */
	uint32_t nr_children;
	uint16_t depth;          /* root = 0 */
	uint8_t kind;            /* enum node_kind */
	uint8_t inlined;         /* wherever it is in this place */
	struct diff_pair self, total;
	double most;             /* the largest change, whatever its sign, here or below */
};

struct diff {
	const struct tree *tree[DIFF_SIDES];     /* borrowed */
	enum diff_norm norm;
	double unit[DIFF_SIDES];         /* ns that are a share of 1.0; 0 = there is nothing */
	uint64_t calls[DIFF_SIDES];      /* DIFF_BY_CALL: that both sides are about; else 1 */
	struct diff_node *node;          /* node[0] is the root; parents before children */
	uint32_t n;
	/* there is something of more than the first measure on either side (tree_is_parted()) */
	bool parted;
	struct matches *matches;
};

/*
 * *RET: whether a place of one build has inlined calls on one side only, because debug information
 * was there when that side was recorded and not when the other was. Then trees are to be compared
 * without them (query.no_inlines). -ENOMEM.
 */
int diff_inlines_differ(const struct dict *const dict[DIFF_SIDES], const struct names *const names[DIFF_SIDES],
			bool *ret, struct err *e);

/*
 * Compares BEFORE and AFTER, made by the same query, which must outlive the difference. WHOLE: how
 * long each side was recorded, ns, for DIFF_BY_WALL; how many calls it is about, for DIFF_BY_CALL.
 * On success *RET is the caller's. -ENOMEM is the only failure.
 */
int diff_build(const struct tree *before, const struct tree *after, enum diff_norm norm,
	       const uint64_t whole[DIFF_SIDES], struct diff **ret, struct err *e);
void diff_free(struct diff *d);                  /* NULL is fine */

/*
 * Sets units and calls of D by its normalisation, for diff_judge() without trees. ALL: the totals of both
 * sides; WHOLE: as for diff_build().
 */
void diff_set_units(struct diff *d, const uint64_t all[DIFF_SIDES], const uint64_t whole[DIFF_SIDES]);

/*
 * What WHAT is called, sanitised, at most LABEL_MAX bytes with the NUL: as tree_label() says,
 * groups without pids and tids; "[no symbol in app]" for what has no names in files that differ;
 * "old → new" for groups of two names. Returns DST.
 */
char *diff_label(const struct diff *d, uint32_t what, char *dst, size_t dst_size);
/* The node that WHAT is called by, in tree[*RET_SIDE]. */
uint32_t diff_named(const struct diff *d, uint32_t what, int *ret_side);
/* The suffix of node I for folded stacks, as tree_suffix(). */
const char *diff_suffix(const struct diff *d, uint32_t i);

/* Adds FROM to TO. */
void diff_add(struct diff_pair *to, const struct diff_pair *from);

/*
 * What P has of the measure in PLACE as a figure of its own. Its squares are estimated: as if each
 * measure had as much of them as it has of the whole.
 */
struct diff_pair diff_part(const struct diff_pair *p, unsigned int place);

/* NS of SIDE as a share. */
static inline double diff_share(const struct diff *d, int side, uint64_t ns)
{
	return d->unit[side] > 0 ? (double)ns / d->unit[side] : 0;
}

/* NS of SIDE as a text shows it: all of it, or of calls what one took on average. */
static inline uint64_t diff_amount(const struct diff *d, int side, uint64_t ns)
{
	return d->calls[side] > 1 ? (ns + d->calls[side] / 2) / d->calls[side] : ns;
}

/* NS of before, scaled so that both sides are of the same whole: that of after. */
uint64_t diff_scaled(const struct diff *d, uint64_t ns);

struct diff_change {
	double before, after;    /* shares */
	double change;           /* after - before */
	double sigma;            /* standard error of CHANGE, from sampling alone */
};

#define DIFF_Z 1.96              /* standard errors within which 95 % of changes by chance are */

/*
 * P, with the standard error of its change: of the difference of two proportions, each from samples
 * of unequal weight (linearised ratio; W. Cochran, Sampling Techniques, 3rd ed. 1977, 6.3), with
 * one sample added for and one against on each side, without which few samples look more certain
 * than they are (A. Agresti, B. Caffo, The American Statistician 54 (2000) 280-288). On a side
 * whose total is N, with the sum S of squared weights, of which t and s are in P, and w a weight
 * typical for P:
 *	p = (t + w) / (N + 2w)        v = ((1 - p)^2 (s + w^2) + p^2 (S - s + w^2)) / (N + 2w)^2
 * With n equal samples, of which x are in P, v is q (1 - q) / (n + 2) with q = (x + 1) / (n + 2).
 * Totals of sides are not estimates, so without normalisation v grows by the square of their share.
 * Of calls the number is known, and what they took is not: there v is (s + w^2) / u^2, where u is
 * what a share of 1.0 is.
 * Runs of one program differ for other reasons too: those are not in it.
 */
struct diff_change diff_judge(const struct diff *d, const struct diff_pair *p);

/* C is no more than what sampling alone makes differ in 95 % of cases. No difference at all is not noise. */
static inline bool diff_is_noise(const struct diff_change *c)
{
	return c->change != 0 && fabs(c->change) <= DIFF_Z * c->sigma;
}

/* A function, wherever it is in the tree. */
struct diff_func {
	uint32_t what;           /* for diff_label() */
	uint8_t kind;            /* NODE_FUNC or NODE_ADDR */
	struct diff_pair self;
	struct diff_pair total;  /* with all that it calls; once where it calls itself */
};

/*
 * The functions of D, by falling change of self or total, whichever is larger. *RET is to be freed
 * with free(). -ENOMEM. D must not come from inverted trees.
 */
int diff_functions(const struct diff *d, struct diff_func **ret, size_t *ret_n, struct err *e);

/* The function that grew most, for a gate. */
struct diff_growth {
	const struct diff_func *func;    /* NULL = none grew by that much */
	bool self;                       /* its own share grew so; else that with what it calls */
	struct diff_change change;
};

/*
 * The one of the N functions at F whose share, self or total, grew most beyond chance and LEAST (a
 * share). A function is to blame for what it took itself, if that is nearly as much as another grew
 * by what it calls. "Beyond chance" takes into account that so many functions are compared (C.
 * Bonferroni): that any is found when nothing changed has a probability of 1 % at most.
 */
struct diff_growth diff_grown(const struct diff *d, const struct diff_func *f, size_t n, double least);

DEFINE_AUTO(diff_free, struct diff);

#endif
