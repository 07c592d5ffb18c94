/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * header.h - the lines at the top of the screen: the target and its state, the quality of the
 * figures, and sberf's own cost.
 *
 * The header consists of *items* of one statement each. Where they do not fit they are first
 * shortened, then dropped by importance. Losses and a target that has ended rank above everything
 * but the target's name. Estimated figures carry `~`.
 */
#ifndef SBERF_UI_HEADER_H
#define SBERF_UI_HEADER_H

#include "profile/meta.h"
#include "query/frameshare.h"
#include "query/standstill.h"
#include "session/session.h"
#include "ui/canvas.h"
#include "ui/history.h"

#include <stdbool.h>

struct header {
	struct profile_meta meta;        /* the figures of now */
	struct history history;          /* from a snapshot */
	struct frame_share frames;       /* the same */
	struct pulse pulse;              /* last seconds from the figures, where waits are followed */
	struct standstill standstill;    /* threads that may be waiting for each other */
	bool known;                      /* meta was filled */
	bool paused;                     /* the view is frozen */
	bool baseline;                   /* the view compares with a baseline ... */
	uint64_t baseline_ns;            /* ... that was marked so long ago */
	char range[80];                  /* the range of time shown, in words; "" = all */
	char filter[160], filter_brief[32];      /* active filters, "" = none; sanitised */
	struct recording_status recording;       /* what is recorded beside */
	bool ended;                      /* the capture has ended: the figures are its last */
	double own_cores;                /* CPUs that sberf itself uses, negative = not known yet */
	uint64_t base_duration_ns, base_cpu_ns;  /* where own_cores is measured from */
	bool thin;                       /* so many samples were lost recently that CPU figures are too low */
	uint64_t thin_duration_ns, thin_samples, thin_lost;      /* where thin is measured from */
};

/* Takes newer figures. A zeroed header is empty. */
void header_update(struct header *h, const struct profile_meta *meta);

/* The number of lines that it needs on a screen of W columns and ROWS rows. */
int header_lines(const struct header *h, int w, int rows);
/* Draws into the lines from Y on, as many as header_lines() said. */
void header_draw(const struct header *h, struct canvas *cv, int y, int lines);

#define HEADER_TEXT 400

/* "running", "exited with status 3", "killed by SIGSEGV", ... Returns DST. */
char *header_state(const struct profile_meta *m, char *dst, size_t size);
/* Says in one sentence what the screen waits for while there is no tree. Returns DST. */
char *header_waiting(const struct header *h, char *dst, size_t size);

#endif
