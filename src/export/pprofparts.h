/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pprofparts.h - what the samples of a pprof profile refer to: texts, functions, places and
 * modules. Each is written when it is first used, and numbered by its id in the dictionary. Private
 * to export/pprof.c.
 *
 * A message of this format may be written in parts that are read as one. So each part is a
 * protobuf-c message of its own and goes straight to the compressor; only what was written is
 * remembered. Texts and modules come last, when all are known.
 */
#ifndef SBERF_EXPORT_PPROFPARTS_H
#define SBERF_EXPORT_PPROFPARTS_H

#include "base/strtab.h"
#include "base/vec.h"
#include "export/address_layout.h"
#include "export/frames.h"
#include "export/gzout.h"
#include "src/export/pprof.pb-c.h"

#include <stdbool.h>
#include <stdint.h>

struct pprof_parts {
	ProtobufCBuffer buffer;          /* first: protobuf-c knows only this */
	struct gzout *gz;
	const struct dict *d;
	struct frame_reader frames;
	struct strtab *texts;            /* ids are those of the profile */
	uint32_t modules;                /* that there were at the beginning */
	uint8_t *module_used, *frame_seen;       /* a byte each; frames that were seen are written */
	VEC(uint8_t) func_seen;          /* the same of functions, up to the last that was seen */
	struct span *span;               /* by module */
	VEC(Pprof__Line) lines;          /* of a place */
	VEC(Pprof__Line *) line_list;
	uint64_t extra;                  /* the number of the next place or function that is no frame */
	bool no_memory;                  /* it ran out: what was written is of no use */
};

/*
 * Initialises P; GZ, D, NAMES and Q are borrowed. False when out of memory; call pprof_parts_free()
 * in any case.
 */
bool pprof_parts_init(struct pprof_parts *p, struct gzout *gz, const struct dict *d, const struct names *names,
		      const struct query *q);
void pprof_parts_free(struct pprof_parts *p);    /* zeroed is fine */

/* Writes PART, a few members of the profile. */
void pprof_put(struct pprof_parts *p, const Pprof__Profile *part);

/* The number of the text S, which is clean (base/text.h). */
int64_t pprof_text(struct pprof_parts *p, const char *s);
/* The same of the LEN bytes at S, made clean and at most LABEL_MAX - 1. */
int64_t pprof_foreign(struct pprof_parts *p, const char *s, size_t len);

/* The number of the place that FRAME is, with its functions. */
uint64_t pprof_place(struct pprof_parts *p, frame_id frame);
/* The number of a place of its own with one function: NAME, clean. */
uint64_t pprof_words(struct pprof_parts *p, const char *name);

/* Modules: those of which a place was written. Readers take the first for the program: the file EXE, else any file. */
void pprof_put_modules(struct pprof_parts *p, str_id exe);
void pprof_put_texts(struct pprof_parts *p);

#endif
