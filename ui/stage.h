/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stage.h - a feed with all that shows it: when another target is gone on with, one stage follows the other as a whole, since
 * nothing of a view means anything without the names and snapshots of its feed.
 */
#ifndef SBERF_UI_STAGE_H
#define SBERF_UI_STAGE_H

#include "ui/annotator.h"
#include "ui/builder.h"
#include "ui/feed.h"
#include "ui/view.h"

struct stage {
	struct feed feed;
	struct builder *builder;
	struct annotator *annotator;
	struct view *view;
};

/* Borrows what is behind FEED, and O. */
int stage_new(const struct feed *feed, const struct ui_options *o, struct stage **ret, struct err *e);
void stage_free(struct stage *st);               /* waits for what is being built; the feed stays; NULL is fine */
/* The same, and leaves the feed, if it can be left: TEXT says what has become of a recording. */
void stage_leave(struct stage *st, char *text, size_t size);

DEFINE_AUTO(stage_free, struct stage);

#endif
