/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame_data.c - a flame graph as text for the viewer, of a few bytes a frame.
 *
 *	{"v":1, "title":..., "unit":"ns", "parts":[0,2], "compared":false, ..., "labels":"...", "tree":"..."}
 *
 * A *number* is digits of five bits, lowest first, in the alphabet of base64url; every digit but
 * the last has 32 added.
 *
 * labels: in order of text, one a line: how many UTF-16 units it has in common with the line
 * before, its kind, the rest of the text. tree: nodes in pre-order. First a number that is (how
 * many levels up from the node before its parent is) << columns, with a bit for each column that is
 * not zero; then the label; then what ends here in these columns. Columns are parts; in a
 * comparison those after, those before, and the error of the change.
 */
#include "config.h"

#include "export/flame_plan.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

void flame_put_number(FILE *out, uint64_t v)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

	for (; v >= 32; v >>= 5)
		putc_unlocked(digits[32 + (v & 31)], out);
	putc_unlocked(digits[v], out);
}

void flame_put_text(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		const char c = text[i], next = i + 1 < len ? text[i + 1] : '/';

		if (c == '"' || c == '\\')
			putc_unlocked('\\', out);
		if (c == '<' && (next == '/' || next == '!'))
			fputs("\\u003c", out);
		else if (c == '>' && (!i || text[i - 1] == ']'))
			fputs("\\u003e", out);
		else
			putc_unlocked(c, out);
	}
}

static void flame_data_put_string(struct out *o, const char *text)
{
	out_text(o, "\"");
	flame_put_text(o->file, text, strlen(text));
	out_text(o, "\"");
}

/* Bytes that A and B begin with alike, whole characters only; *RET_UNITS is the same in UTF-16. */
static size_t flame_data_common(const char *a, const char *b, size_t *ret_units)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	while (n && ((b[n] & 0xc0) == 0x80 || (a[n] & 0xc0) == 0x80))
		n--;
	*ret_units = 0;
	for (size_t i = 0; i < n; i++)
		*ret_units += ((b[i] & 0xc0) != 0x80) + ((b[i] & 0xf8) == 0xf0);
	return n;
}

void flame_put_label(struct out *o, const char *last, const char *text, size_t len, uint32_t kind)
{
	size_t units, same = flame_data_common(last, text, &units);

	flame_put_number(o->file, units);
	flame_put_number(o->file, kind);
	flame_put_text(o->file, text + same, len - same);
	fputs("\\n", o->file);
}

static void put_labels(struct out *o, const struct flame_plan *p)
{
	char *now = p->text, *last = p->other;

	last[0] = '\0';
	for (size_t i = 0; i < p->f->labels.n; i++) {
		char *swap = last;

		flame_put_label(o, last, now, flame_text(p, p->label_at[i], now),
				p->f->labels.v[p->label_at[i]].kind);
		last = now;
		now = swap;
	}
}

static void flame_data_put_node(FILE *out, const struct flame_plan *p, const struct flame_node *n, uint32_t up)
{
	uint64_t v[2 * TIME_NR + 1], mask = 0;
	unsigned int columns = 0;

	for (unsigned int k = 0; k < p->parts; k++)
		v[columns++] = n->self[p->part[k]];
	for (unsigned int k = 0; p->f->compared && k < p->parts; k++)
		v[columns++] = n->before[p->part[k]];
	if (p->f->compared)
		v[columns++] = n->error;
	for (unsigned int c = 0; c < columns; c++)
		mask |= (uint64_t)(v[c] > 0) << c;
	flame_put_number(out, (uint64_t)up << columns | mask);
	flame_put_number(out, p->rank[n->label]);
	for (unsigned int c = 0; c < columns; c++)
		if (v[c])
			flame_put_number(out, v[c]);
}

static void put_tree(struct out *o, const struct flame_plan *p)
{
	for (uint32_t at = 0, depth = 0; at < p->n; at++) {
		const uint32_t up = at ? depth + 1 - p->depth[at] : 0;

		flame_data_put_node(o->file, p, &p->f->nodes.v[p->node[at]], up);
		depth = p->depth[at];
	}
}

static void put_facts(struct out *o, const struct flame_plan *p)
{
	for (size_t i = 0; i < p->f->facts.n; i++) {
		out_text(o, i ? ",[" : "[");
		flame_data_put_string(o, flame_clean(p, p->f->facts.v[i].name, ""));
		out_text(o, ",");
		flame_data_put_string(o, flame_clean(p, p->f->facts.v[i].text, ""));
		out_text(o, "]");
	}
}

const char *flame_unit_name(enum flame_unit unit)
{
	static const char *const units[] = { [FLAME_NS] = "ns", [FLAME_COUNT] = "count", [FLAME_BYTES] = "bytes" };

	return units[unit];
}

void flame_data(struct out *o, const struct flame_plan *p)
{
	const struct flame *f = p->f;

	out_text(o, "{\"v\":1,\"title\":");
	flame_data_put_string(o, flame_clean(p, f->title, ""));
	out_text(o, ",\"facts\":[");
	put_facts(o, p);
	out_format(o, "],\"unit\":\"%s\",\"parts\":[", flame_unit_name(f->unit));
	for (unsigned int k = 0; k < p->parts; k++)
		out_format(o, "%s%u", k ? "," : "", p->part[k]);
	out_format(o, "],\"compared\":%s,\"whole\":[%" PRIu64 ",%" PRIu64 "],\"sides\":[",
		   f->compared ? "true" : "false", f->before_whole, f->after_whole);
	flame_data_put_string(o, flame_clean(p, f->before_name, "before"));
	out_text(o, ",");
	flame_data_put_string(o, flame_clean(p, f->after_name, "after"));
	out_format(o, "],\"upwards\":%s,\"minWidth\":%g,\"nrLabels\":%zu,\"nrNodes\":%" PRIu32 ",\n\"labels\":\"",
		   p->o.upwards ? "true" : "false", p->o.min_width, f->labels.n, p->n);
	put_labels(o, p);
	out_text(o, "\",\n\"tree\":\"");
	put_tree(o, p);
	out_text(o, "\"}\n");
}

int flame_viewer_data(FILE *out, const struct flame *f, const struct flame_options *how, struct err *e)
{
	struct out o = { .file = out };
	struct flame_plan p;
	int r = flame_plan(&p, f, how, e);

	if (r >= 0) {
		flame_data(&o, &p);
		r = out_end(&o, e);
	}
	flame_plan_free(&p);
	return r;
}
