/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * header.h - the lines on top: what is observed, how it is doing, how good the figures are, and what sberf itself costs.
 *
 * Made of *items* that each say one thing. Where they do not fit they first shorten, then leave in order of importance; a loss
 * that happened and a target that ended outrank everything but the target's name. Figures that are estimated carry `~`.
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
	struct pulse pulse;              /* where waits are followed: from the figures themselves */
	struct standstill standstill;    /* threads that may be waiting for each other */
	bool known;                      /* meta was filled */
	bool paused;                     /* the view is frozen */
	bool baseline;                   /* what comes is compared with what was ... */
	uint64_t baseline_ns;            /* ... so long ago and earlier */
	char range[80];                  /* the time that is shown, in words; "" = all */
	char filter[160], filter_brief[32];      /* what the view is filtered by, "" = nothing; sanitised */
	struct feed_recording recording; /* what is recorded beside */
	bool ended;                      /* nothing new will come: the figures are not of now */
	double own_cores;                /* sberf's CPU time per time, negative = not known yet */
	uint64_t base_duration_ns, base_cpu_ns;  /* where own_cores is measured from */
	bool thin;                       /* so many samples were lost lately that cores are too low */
	uint64_t thin_duration_ns, thin_samples, thin_lost;      /* where thin is measured from */
};

/* A zeroed header is empty. Takes over newer figures. */
void header_update(struct header *h, const struct profile_meta *meta);

/* Lines that it wants on a screen of W x H. */
int header_lines(const struct header *h, int w, int rows);
/* Draws into the lines from Y on, as many as header_lines() said. */
void header_draw(const struct header *h, struct canvas *cv, int y, int lines);

#define HEADER_TEXT 400

/* "running", "exited with status 3", "killed by SIGSEGV", ... Returns DST. */
char *header_state(const struct profile_meta *m, char *dst, size_t size);
/* What the screen waits for while there is no tree; one sentence. Returns DST. */
char *header_waiting(const struct header *h, char *dst, size_t size);

#endif
