/* SPDX-License-Identifier: BSD-2-Clause */
/* keys.c - see keys.h. */
#include "config.h"

#include "tests/unit/keys.h"

#include "base/clock.h"
#include "base/text.h"
#include "tests/unit/cmocka_all.h"
#include "ui/view_private.h"

#include <stdlib.h>
#include <string.h>

static const struct ui_options options = { .refresh_ns = NSEC_PER_SEC, .title = "sberf top" };

static void init(struct driver *d, struct made_session *session, const struct ui_options *o, int w, int h, bool ascii)
{
	*d = (struct driver){ .session = session, .view = view_new(&session->session, o),
			      .canvas = canvas_new(w, h, ascii), .now_ns = MADE_START_NS };
	assert_non_null(d->view);
	assert_non_null(d->canvas);
	driver_refresh(d);
}

void driver_init(struct driver *d, struct made_session *session, int w, int h, bool ascii)
{
	init(d, session, &options, w, h, ascii);
}

void driver_init_with(struct driver *d, struct made_session *session, const struct ui_options *o, int w, int h)
{
	init(d, session, o, w, h, false);
}

void driver_free(struct driver *d)
{
	view_free(d->view);
	canvas_free(d->canvas);
}

void driver_refresh(struct driver *d)
{
	struct build_job job;

	d->now_ns += NSEC_PER_SEC;
	view_tick(d->view, d->now_ns);
	while (view_job(d->view, d->now_ns, &job))
		view_give(d->view, build_now(d->session->m.names, &job), d->now_ns);
	view_draw(d->view, d->canvas);
}

static uint32_t named_key(const char *name, size_t len)
{
	static const struct {
		const char *name;
		uint32_t key;
	} names[] = { { "Up", UI_KEY_UP }, { "Down", UI_KEY_DOWN }, { "Left", UI_KEY_LEFT }, { "Right", UI_KEY_RIGHT },
		      { "PgUp", UI_KEY_PGUP }, { "PgDn", UI_KEY_PGDN }, { "Home", UI_KEY_HOME }, { "End", UI_KEY_END },
		      { "Enter", UI_KEY_ENTER }, { "Esc", UI_KEY_ESC }, { "BS", UI_KEY_BACKSPACE }, { "F1", UI_KEY_F1 },
		      { "^L", UI_KEY_CTRL('l') }, { "^U", UI_KEY_CTRL('u') },
		      { "Tab", UI_KEY_TAB }, { "BackTab", UI_KEY_BACKTAB }, { "Unknown", UI_KEY_UNKNOWN },
		        { "Lt", '<' } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i].name) == len && !memcmp(names[i].name, name, len))
			return names[i].key;
	}
	fail_msg("no key called %.*s", (int)len, name);
	return 0;
}

void driver_press(struct driver *d, const char *keys)
{
	while (*keys) {
		const char *end = *keys == '<' ? strchr(keys, '>') : NULL;
		uint32_t key;

		if (end) {
			key = named_key(keys + 1, (size_t)(end - keys - 1));
			keys = end + 1;
		} else {
			keys += text_decode(keys, strlen(keys), &key);
		}
		view_key(d->view, key);
		driver_refresh(d);
	}
}

void driver_resize(struct driver *d, int w, int h)
{
	assert_true(canvas_resize(d->canvas, w, h));
	view_draw(d->view, d->canvas);
}

const struct treeview *view_tree(const struct view *v)
{
	return v->pane[v->focus].tv;
}

bool driver_shows(const struct driver *d, enum pane_id p)
{
	return view_panes(d->view).focus == p && view_tree(d->view)->model;
}
