/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * answer.h - makes the bytes of an answer of a question and a snapshot. Whoever calls it may take as long as it takes
 * to build a call tree.
 */
#ifndef SBERF_SERVE_ANSWER_H
#define SBERF_SERVE_ANSWER_H

#include "base/err.h"
#include "export/export_view.h"
#include "serve/growths.h"
#include "serve/question.h"
#include "session/session.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is served, the same for all questions. All pointers are borrowed. */
struct serve_source {
	const struct names *names;
	struct query query;              /* the filters; its range and grouping are those of the question */
	bool group_given;
	each_event_fn *each_event;       /* as in export_view; called by the thread of answers alone */
	void *events;
	const struct code_access *code;
};

/* What there is at one moment. */
struct serve_moment {
	struct snapshot *snapshot;       /* a reference, owned */
	struct profile_meta meta;
	uint64_t published;              /* number of the snapshot */
	bool ended;                      /* nothing new will come */
	uint64_t from_ns, to_ns;         /* of a pull: CLOCK_MONOTONIC; 0, 0 = everything */
};

/* What SE has now, to *RET; its snapshot is NULL while there is none. Never waits. */
void serve_moment_take(const struct session *se, struct serve_moment *ret);

/* Bytes that several connections send. */
struct serve_bytes {
	_Atomic unsigned int refs;
	size_t len;
	char *data;
	struct flame_mark mark;          /* of an event with the tree: what its reader has then */
};

struct serve_bytes *serve_bytes_ref(struct serve_bytes *b);      /* returns B */
void serve_bytes_unref(struct serve_bytes *b);                   /* NULL is fine */

/*
 * Answers Q, which is no page. Of LIVE it is one event of server-sent events, of SNAPSHOT its data. G, which only LIVE
 * needs, is what streams have of the tree. 0; a negative errno with a sentence: -ENODATA when what Q asks for is not
 * followed, -ENOTSUP when its format needs single events.
 */
int serve_answer(const struct serve_source *src, const struct serve_moment *m, const struct serve_question *q,
		 struct growths *g, struct serve_bytes **ret, struct err *e);

#endif
