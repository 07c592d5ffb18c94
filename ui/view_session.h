/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_session.h - a feed with all that shows it: when another target is gone on with, one stage follows the other as a whole, since
 * nothing of a view means anything without the names and snapshots of its feed.
 */
#ifndef SBERF_UI_VIEW_SESSION_H
#define SBERF_UI_VIEW_SESSION_H

#include "session/session.h"
#include "ui/annotator.h"
#include "ui/builder.h"
#include "ui/view.h"

struct view_session {
	struct feed feed;
	struct builder *builder;
	struct annotator *annotator;
	struct view *view;
};

/* Borrows what is behind FEED, and O. */
int view_session_new(const struct feed *feed, const struct ui_options *o, struct view_session **ret, struct err *e);
void view_session_free(struct view_session *st);               /* waits for what is being built; the feed stays; NULL is fine */
/* The same, and leaves the feed, if it can be left: TEXT says what has become of a recording. */
void view_session_leave(struct view_session *st, char *text, size_t size);

DEFINE_AUTO(view_session_free, struct view_session);

#endif
