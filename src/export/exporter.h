/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exporter.h - an export format as one constant structure: its name and extensions, what it reads
 * and counts, the options it takes, and the function that writes it.
 *
 * Each structure stands in the file of its format; EXPORTERS below lists them all. --format, -o
 * FILE.EXTENSION, checks of options, the save menu of the view (key S), man pages and completion
 * read them; there is no other list of formats. A new format is one file and one name in the list.
 *
 * For the generator of man pages, docs/local.mk cuts the structures, without the functions, out of
 * their files. So each begins with "const struct exporter exporter_NAME = {", ends with "};" in the
 * first column, and has each function on a line of its own.
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

/* In the order of --help. The first is the default. */
#define EXPORTERS(X) \
	X(tree) X(folded) X(svg) X(html) X(flat) X(waits) X(locks) X(numa) X(probes) X(memory) X(leaks) X(pprof) \
	X(perf_script) X(perf_data) X(summary) X(speedscope) X(firefox) X(json) X(annotate) X(callgrind) X(recording)

/* How the profile is read. */
enum exporter_reads {
	EXPORT_FACTS,            /* sums, from the snapshot itself */
	EXPORT_TREE,             /* export_view.tree, siblings by falling weight */
	EXPORT_TREE_UNSORTED,    /* the same, siblings unsorted */
	EXPORT_EVENTS,           /* each event by itself: export_view.each_event */
};

/* What part of a profile is written. */
enum exporter_subject {
	EXPORT_COUNTED,          /* the measures of the query */
	EXPORT_WAITS,            /* waits, whatever the query counts: it may leave some out */
	EXPORT_NODES,            /* NUMA nodes: running, waiting and accesses side by side */
	EXPORT_PROBES,           /* probes, all of them side by side */
	EXPORT_MEMORY,           /* memory, whatever the query counts */
	EXPORT_CAPTURE,          /* figures of the whole capture; filters change nothing */
	EXPORT_RECORDING,        /* everything, as a recording: for views without a file; private to the user */
};

/* Options that only some formats take. */
enum exporter_takes {
	EXPORT_TAKES_PERCENT = 1 << 0,   /* --percent-limit */
	EXPORT_TAKES_DEPTH = 1 << 1,     /* --depth */
	EXPORT_TAKES_INVERTED = 1 << 2,  /* --inverted */
	EXPORT_TAKES_AGE = 1 << 4,       /* --older, --min-bytes */
	EXPORT_TAKES_FLAME = 1 << 3,     /* --title, --min-width, --orientation, --no-script */
};

/* Who offers a choice of formats. */
enum exporter_user {
	EXPORT_BY_REPORT,        /* sberf report */
	EXPORT_BY_DIFF,          /* sberf diff: exporter.diff */
	EXPORT_BY_BATCH,         /* sberf top --batch: exporter.batch */
	EXPORT_BY_SAVE,          /* the menu of the view: exporter.save */
};

/* Man pages show these texts behind the name and a colon: no capital, no full stop. */
struct exporter {
	const char *name;                /* of --format */
	/* extensions of output files that choose it, separated by commas; "" = none */
	const char *extensions;
	const char *about;               /* what it is and what it is for */
	enum exporter_reads reads;
	bool opens_code;                         /* it reads functions from their files, by export_view.code */
	enum exporter_subject subject;
	enum group_by group_by;          /* default grouping of the tree */
	measure_mask measures;           /* default measures; 0 = all of wall time */
	bool waits_too;                  /* off-CPU time instead, when the query filters waits */
	uint32_t takes;                  /* mask of enum exporter_takes */
	/*
	 * Writes V to OUT and flushes it. 0, or a negative errno with a sentence. The same view
	 * gives the same bytes.
	 */
	int (*write)(FILE *out, const struct export_view *v, struct err *e);
	/* Writes the difference of two profiles; NULL = not supported. */
	struct {
		const char *about;
		enum group_by group_by;
		measure_mask measures;
		bool of_sides;                   /* it reads diff_view.of alone: the difference may be empty */
		int (*write)(FILE *out, const struct diff_view *v, struct err *e);
	} diff;
	/* Writes a running capture, one document after the other; NULL = not supported. */
	struct {
		const char *name, *about;
	} batch;
	/* Entry in the view's save menu; '\0' = none. */
	struct {
		char letter;
		unsigned int place;              /* from 1 on; the first one has Enter, too */
		const char *word;                /* of the menu: "SVG" */
		const char *help;                /* of the list of keys: "a flame graph (SVG)" */
		/* message after writing: "for go tool pprof and many others" */
		const char *use;
	} save;
};

#define X(name) extern const struct exporter exporter_##name;
EXPORTERS(X)
#undef X

/* The NR-th format offered to USER, counted from 0; NULL = no more. */
const struct exporter *exporter_get(enum exporter_user user, unsigned int nr);
/* The name of X for USER. */
const char *exporter_name(enum exporter_user user, const struct exporter *x);
/* The format called NAME for USER; NULL = none. */
const struct exporter *exporter_named(enum exporter_user user, const char *name);
/* The format that the extension of PATH chooses; NULL when it chooses none. */
const struct exporter *exporter_of_file(enum exporter_user user, const char *path);
/*
 * Writes the names of report's formats that take the options TAKES, "tree, folded and svg", to DST.
 */
const char *exporters_taking(uint32_t takes, char *dst, size_t size);

/*
 * The measures (as query.measures) that X counts when Q does not choose any; OWN: of an import with
 * a measure of its own.
 */
measure_mask exporter_measures(const struct exporter *x, const struct query *q, bool own);
/* Writes V to OUT as X, after building the tree that X reads. As exporter.write(). */
int exporter_write(FILE *out, const struct exporter *x, const struct export_view *v, struct err *e);

#endif
