/* SPDX-License-Identifier: BSD-2-Clause */
/* keys.h - a view driven as a person does: keys written as text, refreshes one at a time, no thread and no clock. */
#ifndef SBERF_TESTS_UNIT_KEYS_H
#define SBERF_TESTS_UNIT_KEYS_H

#include "tests/unit/madesession.h"
#include "ui/view.h"

struct driver {
	struct made_session *session;
	struct view *view;
	struct canvas *canvas;
	uint64_t now_ns;
};

void driver_init(struct driver *d, struct made_session *session, int w, int h, bool ascii);
/* The same with OPTIONS, which are borrowed. */
void driver_init_with(struct driver *d, struct made_session *session, const struct ui_options *options, int w, int h);
void driver_free(struct driver *d);

/* One refresh: figures, and a tree when the view wants one; then draws. */
void driver_refresh(struct driver *d);
/*
 * Presses keys, each followed by a refresh. Characters stand for themselves, "<Up>" and the like
 * for keys without one: Up Down Left Right PgUp PgDn Home End Enter Esc BS Tab BackTab F1 ^L ^U
 * Unknown, "<Lt>" for "<".
 */
void driver_press(struct driver *d, const char *keys);
void driver_resize(struct driver *d, int w, int h);
/* The treeview in focus. */
const struct treeview *view_tree(const struct view *v);
/* True when P, a pane with more than a call tree, is in focus and shows something. */
bool driver_shows(const struct driver *d, enum pane_id p);

#endif
