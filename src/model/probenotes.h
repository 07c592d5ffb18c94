/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probenotes.h - what is known at one moment of the probes of a capture, beside their hits: which there
 * are, where they are placed, why they are not, which calls have not ended, what was lost.
 *
 * A state never changes once it is shared. Live captures make one of what model/probes.h knows of this
 * run; recordings carry it as text (docs/recording-format.md, PROBES). So both show the same.
 */
#ifndef SBERF_MODEL_PROBESTATE_H
#define SBERF_MODEL_PROBESTATE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/probes.h"
#include "model/probevalues.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of one probe. */
struct probe_note {
	uint32_t probe;          /* its number here */
	uint32_t cost_ns;        /* of a hit, at its dearest place; 0 = not known */
	uint32_t own_ns;         /* taken off its times, as they are its own; 0 = nothing is known of that */
	struct probe_places places;
	struct probe_open open;
	uint64_t lost[PROBE_LOSSES];
	uint32_t nr_unseen;      /* processes that ran without it for some time, as far as they are kept: */
	struct probe_unseen unseen[PROBE_UNSEEN_MAX];    /* the longest times first */
	uint32_t nr_spells;      /* times in which it was not always in place, as far as they are kept: */
	struct probe_spell spell[PROBE_SPELLS_MAX];      /* the first one first */
	struct probe_seen seen;  /* values of its arguments */
	char why[PROBE_WHY_MAX]; /* why it has no place, or why some are missing; "" = nothing is known of that */
};

struct probe_notes {
	uint64_t time_ns;        /* CLOCK_MONOTONIC */
	VEC(struct probe_note) probe;    /* each once, in the order of their numbers */
	/* private: */
	_Atomic uint32_t refs;
};

struct probe_notes *probe_notes_new(void);       /* empty, with one reference; NULL when out of memory */
struct probe_notes *probe_notes_ref(struct probe_notes *s);      /* NULL is fine; any thread */
void probe_notes_unref(struct probe_notes *s);   /* NULL is fine; any thread */

/* What this run knows of all probes that are asked for (probes_ask()), at TIME_NS. NULL when out of memory. */
struct probe_notes *probe_notes_now(uint64_t time_ns);

/* What S knows of PROBE; NULL = it is not in it. */
const struct probe_note *probe_notes_of(const struct probe_notes *s, uint32_t probe);

/*
 * Adds what SRC knows to DST, which nobody shares yet. SAME: they are of one boot of one machine, so what
 * both tell of the present is told by the later one. False when out of memory.
 */
bool probe_notes_add(struct probe_notes *dst, const struct probe_notes *src, bool same);

/*
 * What S has counted since THEN, which is an earlier state of the same capture: that of a part of it, which
 * begins there. What is true of the present stays. NULL when out of memory.
 */
struct probe_notes *probe_notes_since(const struct probe_notes *s, const struct probe_notes *then);

/*
 * As lines of text, "key=value ...". Returns a string to be freed with free(), *RET_LEN its length; NULL
 * when out of memory.
 */
char *probe_notes_write(const struct probe_notes *s, size_t *ret_len);
/*
 * Reads it back: probes get numbers here (probes_add()), those for which there is none are left out.
 * Unknown lines and keys are left out; what is absent is 0. -EBADMSG for what makes no sense. On
 * success *RET has one reference.
 */
int probe_notes_parse(const char *text, size_t len, struct probe_notes **ret, struct err *e);

DEFINE_AUTO(probe_notes_unref, struct probe_notes);

#endif
