/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import_state.h - the state of one import, which the readers of the formats share. Private to
 * imports.
 */
#ifndef SBERF_IMPORT_IMPORT_STATE_H
#define SBERF_IMPORT_IMPORT_STATE_H

#include "import/lines.h"
#include "import/sink.h"

#define QUOTED_MAX 60            /* bytes of a line that a sentence shows */

struct import_state {
	struct lines lines;
	struct sink sink;
	struct import_report *report;
	const char *event;       /* that is asked for; NULL = none */
	uint64_t rounded;        /* numbers with more digits than can be kept */
	bool cut;                /* the last line was left out: it ends too early */
};

/* Adds a sentence to the note of R's report. */
void import_state_note(struct import_state *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * The line given last, whose beginning is TEXT, is not what WANTED says ("a folded stack such as
 * ..."). When it is the last one and has no end it may have been cut off: 0, and r->cut. Otherwise
 * a negative errno with a sentence.
 */
int import_state_refuse(struct import_state *r, const char *text, const char *wanted, struct err *e);

/* The parts of that. The file is of another kind, as its first line says: a negative errno with a sentence, else 0. */
int import_state_other(struct import_state *r, const char *text, struct err *e);
/* The line given last is no whole one, and others were read: it may have been cut off, which is noted. */
bool import_state_is_cut(struct import_state *r);

/* Readers: all lines into the sink. 0 or a negative errno with a sentence. */
int import_folded(struct import_state *r, struct err *e);
int import_perf_script(struct import_state *r, struct err *e);
int import_heaptrack(struct import_state *r, struct err *e);

#endif
