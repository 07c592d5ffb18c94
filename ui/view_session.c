/* SPDX-License-Identifier: BSD-2-Clause */
/* view_session.c - see view_session.h. */
#include "config.h"

#include "ui/view_session.h"

#include <stdlib.h>

int view_session_new(const struct feed *feed, const struct ui_options *o, struct view_session **ret, struct err *e)
{
	AUTO(view_session_free) struct view_session *st = calloc(1, sizeof(*st));
	int r;

	if (!st)
		return err_nomem(e, "the view");
	st->feed = *feed;
	r = builder_new(st->feed.names, &st->builder, e);
	if (!r)
		r = annotator_new(&st->feed.code, st->feed.names, &st->annotator, e);
	if (r)
		return r;
	st->view = view_new(&st->feed, o);
	if (!st->view)
		return err_nomem(e, "the view");
	*ret = take_ptr(st);
	return 0;
}

void view_session_free(struct view_session *st)
{
	if (!st)
		return;
	annotator_free(st->annotator);
	builder_free(st->builder);       /* it reads what the view's questions point at */
	view_free(st->view);
	free(st);
}

void view_session_leave(struct view_session *st, char *text, size_t size)
{
	const struct feed feed = st->feed;

	view_session_free(st);
	if (feed.leave)
		feed.leave(feed.owner, text, size);
}
