/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pusher.h - sends what a session captures to a profile store, ten seconds at a time: a thread of its own, for which
 * nobody waits.
 *
 * A window is the time on the CPU and the time off it. Each one is pushed once, whole slices of it, beginning where the
 * one before ended. The first one is shorter, by chance, so that hosts which began together do not push together. A
 * store that does not answer, or says 429, 502, 503 or 504, is asked again: after what it says (Retry-After), or after
 * a second, then two, up to a minute. What it refuses otherwise is dropped. Windows wait in memory: 64 MiB and an hour
 * at most, then the oldest one is dropped. All of that is counted.
 */
#ifndef SBERF_PUSH_PUSHER_H
#define SBERF_PUSH_PUSHER_H

#include "base/err.h"
#include "push/pushbody.h"
#include "push/pushurl.h"
#include "serve/answer.h"
#include "session/session.h"

#include <stdint.h>

struct pusher_config {
	const struct session *session;   /* borrowed, as all pointers in SOURCE are */
	struct serve_source source;
	struct push_url url;
	struct push_labels labels;
	const char *ca;                  /* certificates to trust over https; NULL = those of the system; borrowed */
	const char *headers;             /* more headers, each with its CRLF; "" = none; borrowed */
	const char *command;             /* who speaks: "agent" */
};

/* What became of windows. */
struct pusher_figures {
	uint64_t pushed, bytes;          /* accepted, and how much that was */
	uint64_t again;                  /* attempts that failed and were repeated */
	uint64_t refused;                /* windows that the store does not take */
	uint64_t dropped;                /* for want of room or as they were too old, or as the capture ended */
};

struct pusher;

/* Starts the thread. 0, or a negative errno with a sentence. */
int pusher_new(const struct pusher_config *c, struct pusher **ret, struct err *e);
/* Pushes what is left, for two seconds at most, ends the thread, and tells what became of all. NULL is fine. */
void pusher_free(struct pusher *p, struct pusher_figures *ret);

/*
 * Reads headers from the file PATH, "NAME: VALUE" on each line, to *RET, which is the caller's to free. A negative
 * errno with a sentence: everybody can read it, or a line is no header.
 */
int push_headers_read(const char *path, char **ret, struct err *e);

#endif
