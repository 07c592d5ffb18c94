/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exporter.h - a format that a profile can be written in, as one constant structure: what it is called and chosen by, what it reads and
 * counts, which options it takes, and the function that writes it.
 *
 * Each stands in the file of its format, and the list of all of them is EXPORTERS below. --format, -o FILE.EXTENSION, the checks of
 * options, the menu of the view (key S), man pages and completion read them: nothing else lists formats. A new format is a file and a
 * name in the list.
 *
 * docs/local.mk cuts the structures out of their files, without the functions, for the program that makes man pages: each begins with
 * "const struct exporter exporter_NAME = {", ends with "};" in the first column, and has each function on a line of its own.
 */
#ifndef SBERF_EXPORT_EXPORTER_H
#define SBERF_EXPORT_EXPORTER_H

#include "base/err.h"
#include "export/diff_view.h"
#include "export/export_view.h"
#include "model/measure.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* In the order in which --help names them. The first is what is written when nothing says otherwise. */
#define EXPORTERS(X) \
	X(tree) X(folded) X(svg) X(html) X(flat) X(waits) X(numa) X(pprof) X(perf_script) X(perf_data) X(summary) X(speedscope) X(firefox) \
	X(json) X(annotate) X(callgrind) X(recording)

/* What a profile is read as. */
enum exporter_reads {
	EXPORT_FACTS,            /* sums, from the snapshot itself */
	EXPORT_TREE,             /* export_view.tree, siblings by falling weight */
	EXPORT_TREE_UNSORTED,    /* the same, in no order */
	EXPORT_EVENTS,           /* each event by itself: export_view.each_event */
};

/* What is written of a profile. */
enum exporter_subject {
	EXPORT_COUNTED,          /* what the query counts */
	EXPORT_WAITS,            /* waits, whatever it counts: it may leave some out */
	EXPORT_NODES,            /* NUMA nodes: running, waiting and accesses side by side */
	EXPORT_CAPTURE,          /* figures of the whole capture; filters change nothing */
	EXPORT_RECORDING,        /* everything, to be read again: for the view, which has no file yet; private to whoever made it */
};

/* Options that only some formats have a use for. */
enum exporter_takes {
	EXPORT_TAKES_PERCENT = 1 << 0,   /* --percent-limit */
	EXPORT_TAKES_DEPTH = 1 << 1,     /* --depth */
	EXPORT_TAKES_INVERTED = 1 << 2,  /* --inverted */
	EXPORT_TAKES_FLAME = 1 << 3,     /* --title, --min-width, --orientation, --no-script */
};

/* Who offers formats to choose from. */
enum exporter_user {
	EXPORT_BY_REPORT,        /* sberf report */
	EXPORT_BY_DIFF,          /* sberf diff: exporter.diff */
	EXPORT_BY_BATCH,         /* sberf top --batch: exporter.batch */
	EXPORT_BY_SAVE,          /* the menu of the view: exporter.save */
};

/* Texts of NAME stand behind its name and a colon in man pages: without a capital and a full stop. */
struct exporter {
	const char *name;                /* of --format */
	const char *extensions;          /* an output file that ends in "." and one of these has it; commas between them, "" = none */
	const char *about;               /* what it is and for whom */
	enum exporter_reads reads;
	enum exporter_subject subject;
	enum group_by group_by;          /* of the tree, unless asked for */
	uint32_t measures;               /* what is counted, unless asked for; 0 = all of wall time */
	bool waits_too;                  /* time off the CPU instead, where the query chooses waits */
	uint32_t takes;                  /* mask of enum exporter_takes */
	/* Writes V to OUT and flushes it: 0, or a negative errno with a sentence. The same view gives the same bytes. */
	int (*write)(FILE *out, const struct export_view *v, struct err *e);
	/* The difference of two profiles; NULL = there is none. */
	struct {
		const char *about;
		enum group_by group_by;
		uint32_t measures;
		int (*write)(FILE *out, const struct diff_view *v, struct err *e);
	} diff;
	/* One document after the other, of a capture that goes on; NULL = it is not for that. */
	struct {
		const char *name, *about;
	} batch;
	/* In the menu of the view; '\0' = it is not there. */
	struct {
		char letter;
		unsigned int place;              /* from 1 on; the first one has Enter, too */
		const char *word;                /* of the menu: "SVG" */
		const char *help;                /* of the list of keys: "a flame graph (SVG)" */
		const char *use;                 /* said when it was written: "for go tool pprof and many others" */
	} save;
};

#define X(name) extern const struct exporter exporter_##name;
EXPORTERS(X)
#undef X

/* Number NR of those that USER offers, in its order; NULL = there are no more. */
const struct exporter *exporter_get(enum exporter_user user, unsigned int nr);
/* What X is called there. */
const char *exporter_name(enum exporter_user user, const struct exporter *x);
/* The one that is called NAME there; NULL = none. */
const struct exporter *exporter_named(enum exporter_user user, const char *name);
/* The one that a file called PATH is to have by its extension; NULL when it says nothing. */
const struct exporter *exporter_of_file(enum exporter_user user, const char *path);
/* The names of those that report offers and that take TAKES, "tree, folded and svg", in DST. */
const char *exporters_taking(uint32_t takes, char *dst, size_t size);

/* What X counts for Q, as query.measures, when Q does not say it; of an import, which counts one thing, when OWN. */
uint32_t exporter_measures(const struct exporter *x, const struct query *q, bool own);
/* Writes V to OUT as X, with the tree that it reads. As exporter.write(). */
int exporter_write(FILE *out, const struct exporter *x, const struct export_view *v, struct err *e);

#endif
