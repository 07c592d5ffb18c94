/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame_still.c - the picture for viewers that run no scripts: frames of a thousandth of the whole
 * and more, under a legend of the colours in it. Colours go by NUMA node when the graph is split by
 * these, else by what frames are. Places and widths are shares of whatever width there is; labels
 * are cut for FLAME_WIDTH. The viewer's script removes it.
 */
#include "config.h"

#include "export/flame_plan.h"

#include "base/text.h"
#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE 0.001
#define CHAR_WIDTH 7.3           /* px of a column, a little more than fonts take */
#define PAD 4.0
#define TITLE_COLUMNS 200
#define SHADES 6u                /* as in flame_draw.js */
#define NODE_COLORS 8u           /* as in flame_draw.js */
#define HEAD 64u                 /* px above the first row: title, figures, legend */
#define FOOT 8u                  /* px below the last one */
#define NO_NODE UINT32_MAX

/* Hues of kinds in flame.css as plain colours, for readers that know neither hsl() nor variables. */
static const char *const fills[FLAME_KIND_NR] = {
	[FLAME_ROOT] = "#c8cbd0", [FLAME_GROUP] = "#c4c8d4", [FLAME_NUMA] = "#ccb5e3", [FLAME_USER] = "#f9c79f",
	[FLAME_INLINED] = "#f5e6a3", [FLAME_KERNEL] = "#a7ccf1", [FLAME_JIT] = "#b1e7c7",
	[FLAME_UNRESOLVED] = "#d2ccc6",
	[FLAME_NOTE] = "#dbbdc4", [FLAME_IDLE] = "#c1d4d7",
};

/* The same of nodes, whose hues repeat. */
static const char *const node_fills[NODE_COLORS] = {
	"#a7caf1", "#f9cc9f", "#b1e7c8", "#d9b3e6", "#ece3ac", "#edabc6", "#b0e8e8", "#cce6b3",
};

/* As KIND_NAMES of flame_model.js. */
static const char *const kind_names[FLAME_KIND_NR] = {
	"all", "group", "NUMA node", "user", "inlined", "kernel", "JIT", "no name", "note", "idle",
};

/* One picture under way. */
struct still {
	struct out *o;
	const struct flame_plan *p;
	bool by_node;
	unsigned int rows;       /* how many there are */
	double *next;            /* by depth: where the next frame begins, a share */
	uint32_t *numa;          /* by depth: the node of the frame there now; NO_NODE */
};

/* FNV-1a over UTF-16, as hashText() in flame_model.js, so that the still has the colours of the viewer. */
static uint32_t flame_still_hash_text(const char *text, size_t len, uint32_t seed)
{
	uint32_t h = seed ^ 0x811c9dc5u, cp;

	for (size_t at = 0; at < len;) {
		at += text_decode(text + at, len - at, &cp);
		if (cp > 0xffff) {
			h = (h ^ (0xd800 + ((cp - 0x10000) >> 10))) * 0x01000193u;
			cp = 0xdc00 + ((cp - 0x10000) & 0x3ff);
		}
		h = (h ^ cp) * 0x01000193u;
	}
	return h;
}

static double least_weight(const struct flame_plan *p)
{
	const double by_width = p->o.min_width / FLAME_WIDTH;

	return p->weight[0] * (by_width > LEAST_SHARE ? by_width : LEAST_SHARE);
}

static bool is_drawn(const struct flame_plan *p, uint32_t at)
{
	return p->weight[p->node[at]] > 0 && p->weight[p->node[at]] >= least_weight(p) && !flame_follows(p, at);
}

static unsigned int flame_still_rows_of(const struct flame_plan *p)
{
	unsigned int rows = 1;

	for (uint32_t at = 0; at < p->n; at++)
		if (is_drawn(p, at) && p->row[p->node[at]] >= rows)
			rows = p->row[p->node[at]] + 1;
	return rows;
}

unsigned int flame_still_height(const struct flame_plan *p)
{
	return HEAD + flame_still_rows_of(p) * FLAME_ROW + FOOT;
}

/* What a frame weighs, for people. */
static const char *flame_still_amount(const struct flame *f, double weight, char text[UNITS_MAX])
{
	if (f->unit == FLAME_NS)
		return units_time(text, (uint64_t)weight);
	return f->unit == FLAME_BYTES ? units_bytes(text, (uint64_t)weight) : units_thousands(text, (uint64_t)weight);
}

static void put_title(struct out *o, const struct flame_plan *p, uint32_t i, const char *text, size_t len)
{
	char weight[UNITS_MAX], share[UNITS_MAX];

	text_cut_middle(p->other, FLAME_TEXT_MAX + 1, text, len, TITLE_COLUMNS, false);
	out_text(o, "<title>");
	flame_escape(o, p->other, strlen(p->other));
	if (!p->f->compared)
		out_format(o, " · %s", flame_still_amount(p->f, p->weight[i], weight));
	out_format(o, " · %s</title>", units_percent(share, p->weight[0] > 0 ? p->weight[i] / p->weight[0] : 0));
}

/* The name of the frame at AT into p->text, with how many are drawn as one; its length. */
static size_t flame_still_put_name(const struct flame_plan *p, uint32_t at)
{
	const size_t len = flame_text(p, p->f->nodes.v[p->node[at]].label, p->text);
	char frames[UNITS_MAX];
	uint32_t n = 1;

	while (at + n < p->n && flame_follows(p, at + n))
		n++;
	return n > 1 ? len + (size_t)sprintf(p->text + len, " \xc3\x97%s", units_thousands(frames, n)) : len;
}

static unsigned int flame_still_kind_of(const struct flame_plan *p, uint32_t i)
{
	const unsigned int kind = p->f->labels.v[p->f->nodes.v[i].label].kind;

	return kind < FLAME_KIND_NR ? kind : FLAME_NOTE;
}

/* The node that the label of node I names, else that of the frame above, at DEPTH - 1. */
static uint32_t numa_of(const struct still *s, uint32_t i, uint32_t depth)
{
	const struct flame_plan *p = s->p;
	unsigned int node;

	if (flame_still_kind_of(p, i) == FLAME_NUMA &&
	    sscanf(strtab_get(p->f->texts, p->f->labels.v[p->f->nodes.v[i].label].text), "%*[^0-9]%u", &node) == 1)
		return node;
	return depth ? s->numa[depth - 1] : NO_NODE;
}

/* The attributes of a fill: by KIND, or by the node NUMA. */
static void put_fill(const struct still *s, unsigned int kind, uint32_t numa, unsigned int shade)
{
	const unsigned int hue = numa % NODE_COLORS;

	if (!s->by_node)
		out_format(s->o, " class=\"f k%u s%u\" fill=\"%s\"", kind, shade, fills[kind]);
	else if (numa == NO_NODE)
		out_format(s->o, " class=\"f n s0\" fill=\"%s\"", fills[FLAME_ROOT]);
	else
		out_format(s->o, " class=\"f n%u s%u\" fill=\"%s\"", hue, shade, node_fills[hue]);
}

/*
 * The frame at the place AT, which begins at s->next[depth], in a row at Y px. A label makes it a
 * picture of its own, which cuts what is too wide after all.
 */
static void flame_still_put_frame(const struct still *s, uint32_t at, unsigned int y)
{
	const struct flame_plan *p = s->p;
	const uint32_t i = p->node[at], label = p->f->nodes.v[i].label, depth = p->depth[at];
	const double share = p->weight[i] / p->weight[0], x = s->next[depth];
	const unsigned int shade = flame_still_hash_text(p->text, flame_text(p, label, p->text), 7) % SHADES;
	const size_t len = flame_still_put_name(p, at);
	const int columns = (int)((share * FLAME_WIDTH - 2 * PAD) / CHAR_WIDTH);
	struct out *o = s->o;

	if (columns < 3) {
		out_format(o, "<rect x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%u\"", x * 100, y, share * 100,
			   FLAME_ROW - 1);
		put_fill(s, flame_still_kind_of(p, i), s->numa[depth], shade);
		out_text(o, ">");
		put_title(o, p, i, p->text, len);
		out_text(o, "</rect>\n");
		return;
	}
	out_format(o, "<svg x=\"%.3f%%\" y=\"%u\" width=\"%.3f%%\" height=\"%u\">", x * 100, y,
		   share * 100, FLAME_ROW - 1);
	put_title(o, p, i, p->text, len);
	out_text(o, "<rect width=\"100%\" height=\"100%\"");
	put_fill(s, flame_still_kind_of(p, i), s->numa[depth], shade);
	out_text(o, "/><text x=\"4\" y=\"13\">");
	text_cut_middle(p->other, FLAME_TEXT_MAX + 1, p->text, len, (size_t)columns, false);
	flame_escape(o, p->other, strlen(p->other));
	out_text(o, "</text></svg>\n");
}

static void flame_still_put_head(const struct still *s, const char *remedy)
{
	const char *title = flame_clean(s->p, s->p->f->title, "flame graph");
	char frames[UNITS_MAX];

	out_text(s->o, "<text x=\"8\" y=\"18\" class=\"title\" font-weight=\"bold\">");
	flame_escape(s->o, title, strlen(title));
	out_format(s->o, "</text>\n<text x=\"8\" y=\"35\">%s frames, of which those of 0.1 %% and more are drawn",
		   units_thousands(frames, s->p->n));
	if (!s->p->o.no_script)
		out_format(s->o, "; %s to see, zoom and search all of them", remedy);
	out_text(s->o, "</text>\n");
}

/* One colour of the legend at *X px, which moves on. */
static void put_swatch(const struct still *s, unsigned int kind, uint32_t numa, const char *text, double *x)
{
	out_format(s->o, "<rect x=\"%.0f\" y=\"%u\" width=\"12\" height=\"12\"", *x, HEAD - 19);
	put_fill(s, kind, numa, 0);
	out_format(s->o, "/><text x=\"%.0f\" y=\"%u\">%s</text>\n", *x + 17, HEAD - 9, text);
	*x += 17 + CHAR_WIDTH * (double)strlen(text) + 16;
}

/* What is drawn of each colour. Hues of nodes repeat, so there are no more nodes in a legend than hues. */
static void put_legend(struct still *s)
{
	const struct flame_plan *p = s->p;
	bool kinds[FLAME_KIND_NR] = { false }, nodes[NODE_COLORS] = { false };
	double x = 8;

	for (uint32_t at = 0; at < p->n; at++) {
		const uint32_t numa = s->numa[p->depth[at]] = numa_of(s, p->node[at], p->depth[at]);

		kinds[flame_still_kind_of(p, p->node[at])] |= is_drawn(p, at);
		if (numa < NODE_COLORS)
			nodes[numa] |= is_drawn(p, at);
	}
	for (unsigned int k = 0; k < FLAME_KIND_NR && !s->by_node; k++)
		if (kinds[k])
			put_swatch(s, k, NO_NODE, kind_names[k], &x);
	for (unsigned int n = 0; n < NODE_COLORS && s->by_node; n++) {
		char text[16];

		snprintf(text, sizeof(text), "node %u", n);
		if (nodes[n])
			put_swatch(s, FLAME_NUMA, n, text, &x);
	}
}

static void flame_still_put_frames(struct still *s)
{
	const struct flame_plan *p = s->p;

	for (uint32_t at = 0; at < p->n; at++) {
		const uint32_t i = p->node[at], depth = p->depth[at], row = p->row[i];

		s->next[depth + 1] = s->next[depth];
		s->numa[depth] = numa_of(s, i, depth);
		if (is_drawn(p, at))
			flame_still_put_frame(s, at, HEAD + FLAME_ROW * (p->o.upwards ? s->rows - 1 - row : row));
		s->next[depth] += p->weight[0] > 0 ? p->weight[i] / p->weight[0] : 0;
	}
}

void flame_still(struct out *o, const struct flame_plan *p, const char *remedy)
{
	AUTO_FREE double *next = calloc(p->deepest + 2ul, sizeof(*next));
	AUTO_FREE uint32_t *numa = calloc(p->deepest + 1ul, sizeof(*numa));
	struct still s = { .o = o, .p = p, .rows = flame_still_rows_of(p), .next = next, .numa = numa };

	if (!next || !numa) {
		o->error = o->error ? o->error : ENOMEM;
		return;
	}
	for (size_t i = 0; i < p->f->labels.n; i++)
		s.by_node |= p->f->labels.v[i].kind == FLAME_NUMA;
	flame_still_put_head(&s, remedy);
	put_legend(&s);
	flame_still_put_frames(&s);
}
