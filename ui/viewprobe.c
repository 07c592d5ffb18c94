/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewprobe.c - probes that are added while the view runs (key A), and taken off. Placing one may take
 * the kernel a second, so it is only asked for here; what came of it is looked for until it is known.
 * What cannot be placed stays in the prompt, with a sentence.
 */
#include "config.h"

#include "ui/view_private.h"

#include "base/clock.h"
#include "base/text.h"
#include "model/probes.h"

#include <string.h>

#define NEWS_NS (10 * NSEC_PER_SEC)      /* so long answers are looked for often after something was asked for */

static void viewprobe_expect(struct view *v)
{
	v->news_until_ns = v->now_ns + view_refresh_ns(v) + NEWS_NS;
}

void view_probe_begin(struct view *v)
{
	prompt_begin(&v->probe, "");
	v->prompt_error[0] = '\0';
	v->over = MODE_PROBE;
}

static void viewprobe_accept(struct view *v)
{
	struct prompt *p = &v->probe;

	if (v->placing)
		return;
	if (!p->text[strspn(p->text, " ")]) {
		v->over = 0;
		return;
	}
	p->suggested = false;
	v->placing = true;
	viewprobe_expect(v);
	v->session->add_probe(v->session->ctx, p->text);
}

/* Its column stands beside the others, as long as there is room for it. False when there is none. */
static bool viewprobe_add_column(struct view *v, uint32_t probe)
{
	const measure_mask now = v->query.measures ? v->query.measures : MEASURES_WALL;
	const measure_mask next = now | MEASURE_BIT(probes_measure_id(probe));

	if (!measures_fit(next))
		return false;
	v->query.measures = next;
	return true;
}

static void viewprobe_take(struct view *v, const struct session_probe *told)
{
	const bool waited = v->placing && (told->added || told->probe == PROBE_NONE);

	if (waited)
		v->placing = false;
	if (told->probe == PROBE_NONE && waited && v->over == MODE_PROBE) {
		text_format(v->prompt_error, sizeof(v->prompt_error), "%s", told->text);
		return;
	}
	if (waited && v->over == MODE_PROBE) {
		prompt_enter(&v->probe);
		v->over = 0;
	}
	text_format(v->message, sizeof(v->message), "%s", told->text);
	if (told->added && !viewprobe_add_column(v, told->probe))
		text_format(v->message + strlen(v->message), sizeof(v->message) - strlen(v->message),
			    "; the tree has no room for its column");
}

bool view_probe_news(struct view *v)
{
	struct session_probe told;
	bool any = false;

	while (v->session->probe_told && v->session->probe_told(v->session->ctx, &told)) {
		viewprobe_take(v, &told);
		any = true;
	}
	return any;
}

bool view_probe_expects(const struct view *v, uint64_t now_ns)
{
	return now_ns < v->news_until_ns;
}

void view_probe_turn(struct view *v, uint32_t probe)
{
	const struct measure *m = probes_measure(probe);

	if (!m)
		return;
	viewprobe_expect(v);
	if (probes_is_off(probe))
		v->session->add_probe(v->session->ctx, m->name);
	else
		v->session->remove_probe(v->session->ctx, probe);
}

enum reaction view_probe_key(struct view *v, uint32_t key)
{
	struct prompt *p = &v->probe;

	switch (keymap_action(key, MODE_PROBE, view_can(v))) {
	case ACT_ACCEPT:
		v->prompt_error[0] = '\0';
		viewprobe_accept(v);
		return REACT_DRAW;
	case ACT_CANCEL:
		v->over = 0;
		v->placing = false;
		break;
	case ACT_PREV:
		prompt_recall(p, 1);
		break;
	case ACT_NEXT:
		prompt_recall(p, -1);
		break;
	case ACT_ERASE:
		prompt_erase(p, false);
		break;
	case ACT_ERASE_ALL:
		prompt_erase(p, true);
		break;
	default:
		if (key >= KEY_BASE)
			return REACT_NONE;
		/* A suggestion is there to be gone on with: a condition may follow. */
		p->suggested = false;
		prompt_type(p, key);
		break;
	}
	v->prompt_error[0] = '\0';
	return REACT_DRAW;
}
