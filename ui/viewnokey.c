/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewnokey.c - says why a key does nothing where it was pressed. Most often it belongs to another
 * pane, and silence would look as if the key had been lost.
 */
#include "config.h"

#include "ui/view_private.h"

#include <stdio.h>
#include <string.h>

/* The row of KEY in the keys of P; NULL = it has none. */
static const struct binding *binding_in(const struct view *v, uint32_t key, enum pane_id p)
{
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t i = 0; i < n; i++) {
		if ((b[i].key[0] == key || b[i].key[1] == key || b[i].key[2] == key) &&
		    binding_valid(&b[i], pane_info(p)->mode, view_can(v)))
			return &b[i];
	}
	return NULL;
}

/* The key that shows P. */
static const char *toggle_of(enum pane_id p)
{
	size_t n;
	const struct binding *b = keymap(&n);

	for (size_t i = 0; i < n; i++) {
		if (b[i].action == pane_info(p)->toggle)
			return b[i].shown;
	}
	return "";
}

static bool say_where(struct view *v, uint32_t key, bool open)
{
	for (enum pane_id p = 0; p < PANES; p++) {
		const struct binding *b = p != v->focus && view_is_open(v, p) == open ? binding_in(v, key, p) : NULL;

		if (!b)
			continue;
		/* Of several names of keys that do the same, a letter stands for itself. */
		if (key > 0x20 && key < 0x7F)
			snprintf(v->message, sizeof(v->message), "%c", (int)key);
		else
			snprintf(v->message, sizeof(v->message), "%.*s", (int)strcspn(b->shown, " "), b->shown);
		snprintf(v->message + strlen(v->message), sizeof(v->message) - strlen(v->message),
			 " works in %s, not in %s: %s %s",
			 pane_info(p)->name, pane_info(v->focus)->name, open ? "Tab" : toggle_of(p),
			 open ? "leads there" : "shows it");
		return true;
	}
	return false;
}

enum reaction view_no_key(struct view *v, uint32_t key)
{
	if (key == UI_KEY_UNKNOWN)
		return REACT_NONE;       /* what terminals send of their own accord */
	if (v->annot.view.shown || !(say_where(v, key, true) || say_where(v, key, false)))
		view_say(v, "that key does nothing here: ? lists those that do");
	return REACT_DRAW;
}
