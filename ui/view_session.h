/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_session.h - a session with everything that shows it. When the user changes to another target,
 * one stage replaces the other as a whole, because a view means nothing without the names and
 * snapshots of its session.
 */
#ifndef SBERF_UI_VIEW_SESSION_H
#define SBERF_UI_VIEW_SESSION_H

#include "session/session.h"
#include "ui/annotator.h"
#include "ui/builder.h"
#include "ui/view.h"

struct view_session {
	struct session session;
	struct builder *builder;
	struct annotator *annotator;
	struct view *view;
};

/* Borrows what is behind SESSION, and O. */
int view_session_new(const struct session *session, const struct ui_options *o,
		     struct view_session **ret, struct err *e);
/* waits for a running build; the session stays; NULL is fine */
void view_session_free(struct view_session *st);
/* The same, and leaves the session, if it can be left; TEXT says what became of a recording. */
void view_session_leave(struct view_session *st, char *text, size_t size);

DEFINE_AUTO(view_session_free, struct view_session);

#endif
