/* SPDX-License-Identifier: BSD-2-Clause */
/* menu.c - asks a question whose answer is one key, on one line of the screen. */
#include "config.h"

#include "ui/menu.h"

#include "base/text.h"
#include "ui/text_builder.h"

#include <string.h>

/* One thing to choose. It is PAIRED with the one before when what is said of it goes for both. */
static void put_choice(struct text_builder *w, const struct binding *b, enum menu_form form, bool paired, bool on)
{
	const bool brief = form < MENU_LETTERS && b->brief[0], tight = form == MENU_LEAST && w->n &&
		w->dst[w->n - 1] == '*';

	text_builder_put(w, "%s%.*s%s%s%s", tight ? "" : form == MENU_FULL && !paired ? "  " : " ",
			 (int)strcspn(b->shown, " "), b->shown, brief ? " " : "", brief ? b->brief : "", on ? "*" : "");
}

char *menu_prompt(enum ui_mode mode, unsigned int can, bool keys, const char *const begin[MENU_FORMS], menu_on_fn *on,
		  const void *ctx, int cols, char *dst, size_t size)
{
	size_t n;
	const struct binding *b = keymap(&n);

	for (unsigned int form = 0; form < MENU_FORMS; form++) {
		struct text_builder w = text_builder_in(dst, size);

		text_builder_put(&w, "%s", begin[form]);
		for (size_t i = 0; (keys || form != MENU_FULL) && i < n; i++) {
			if (binding_valid(&b[i], mode, can))
				put_choice(&w, &b[i], (enum menu_form)form, i && !b[i - 1].brief[0],
					   on && on(ctx, b[i].action));
		}
		if (text_width(dst, w.n) <= (size_t)(cols > 0 ? cols : 0))
			break;
	}
	return dst;
}
