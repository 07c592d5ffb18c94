/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import.h - reads what other tools wrote into a profile, so that every view and every format works
 * on it.
 *
 * A text has no addresses: a frame is told by its name and module alone. Its numbers are kept as
 * they are: when they are no time, meta.unit says what they count, and 1,000 "ns" of weight are one
 * of them. So folded stacks that are read and written again are the same text.
 *
 * Reading is done in one pass over lines, so pipes will do, and a compressed file is read as what
 * is in it. Foreign text is sanitised, which is counted; what finds no room in bounded memory
 * stands under "(other)" or is left out, which is counted as well.
 */
#ifndef SBERF_IMPORT_IMPORT_H
#define SBERF_IMPORT_IMPORT_H

#include "base/err.h"
#include "model/measure.h"
#include "model/names.h"
#include "profile/meta.h"
#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

/* X(ID, NAME, READ): IMPORT_ID is chosen by --import NAME, and read by READ. */
#define IMPORT_FORMATS(X) \
	X(FOLDED, "folded", import_folded) \
	X(PERF_SCRIPT, "perf-script", import_perf_script) \
	X(HEAPTRACK, "heaptrack", import_heaptrack)

enum import_format {
	IMPORT_NONE,             /* a recording of sberf */
#define X(id, name, read) IMPORT_##id,
	IMPORT_FORMATS(X)
#undef X
	IMPORT_NR,
};

/* What an import of FORMAT is about, which a question that asks for nothing in particular gets; 0: as everywhere. */
measure_mask import_measures(enum import_format format);

/* The memory that a profile for imports may hold: many times what the largest files met in the wild need. */
#define IMPORT_PROFILE_BYTES ((size_t)768 << 20)
/* Names have no limit of their own: reading ends when they take more. */
#define IMPORT_NAMES_BYTES ((size_t)384 << 20)

struct progress;

struct import_report {
	uint64_t lines;          /* read */
	uint64_t stacks;         /* lines or samples that went into the profile */
	char note[1024];         /* sentences about what was changed or left out, "" = nothing */
};

struct import_options {
	enum import_format format;       /* not IMPORT_NONE */
	/* of a text of `perf script`: the only one that is read; NULL: as import/perfevents.h says */
	const char *event;
	struct progress *progress;       /* told how far reading has come; begun and ended by the caller; may be NULL */
};

/*
 * Reads the open file FD, called NAME in sentences, which stays open and holds what O says, into P and NAMES, both
 * fresh; P should have the limit above. Fills META. A negative errno with a sentence that names the line
 * when it is not what the format has, and for a file with no stack at all. A last line that was cut
 * off is left out with a note.
 */
int import_load(int fd, const char *name, const struct import_options *o, struct profile *p, struct names *names,
		struct profile_meta *meta, struct import_report *report, struct err *e);

/* The same without looking what FD is. */
int import_read(int fd, const char *name, const struct import_options *o, struct profile *p, struct names *names,
		struct profile_meta *meta, struct import_report *report, struct err *e);

#endif
