/* SPDX-License-Identifier: BSD-2-Clause */
/* stage.c - see stage.h. */
#include "config.h"

#include "ui/stage.h"

#include <stdlib.h>

int stage_new(const struct feed *feed, const struct ui_options *o, struct stage **ret, struct err *e)
{
	AUTO(stage_free) struct stage *st = calloc(1, sizeof(*st));
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

void stage_free(struct stage *st)
{
	if (!st)
		return;
	annotator_free(st->annotator);
	builder_free(st->builder);       /* it reads what the view's questions point at */
	view_free(st->view);
	free(st);
}

void stage_leave(struct stage *st, char *text, size_t size)
{
	const struct feed feed = st->feed;

	stage_free(st);
	if (feed.leave)
		feed.leave(feed.owner, text, size);
}
