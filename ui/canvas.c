/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * canvas.c - the grid behind canvas.h.
 *
 * Text is decoded character by character straight from foreign bytes: what text_sanitise() would
 * replace is replaced here by the same rules, because the decoder runs on its output. Overwriting
 * one half of a wide character blanks the other half.
 */
#include "config.h"

#include "ui/canvas.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 256u               /* bytes sanitised at a time */

static int canvas_clamp(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

static const struct cell blank = { .ch = ' ', .style = STYLE_TEXT, .width = 1 };

struct canvas *canvas_new(int w, int h, bool ascii)
{
	struct canvas *cv = calloc(1, sizeof(*cv));

	if (!cv)
		return NULL;
	cv->ascii = ascii;
	if (!canvas_resize(cv, w, h)) {
		free(cv);
		return NULL;
	}
	return cv;
}

void canvas_free(struct canvas *cv)
{
	if (!cv)
		return;
	free(cv->cell);
	free(cv);
}

bool canvas_resize(struct canvas *cv, int w, int h)
{
	struct cell *cell;

	w = canvas_clamp(w, 1, CANVAS_SIDE_MAX);
	h = canvas_clamp(h, 1, CANVAS_SIDE_MAX);
	cell = calloc((size_t)w * (size_t)h, sizeof(*cell));
	if (!cell)
		return false;
	free(cv->cell);
	cv->cell = cell;
	cv->w = cv->stride = w;
	cv->h = h;
	canvas_clear(cv);
	return true;
}

static struct cell *cell_at(const struct canvas *cv, int x, int y)
{
	return &cv->cell[(size_t)y * (size_t)cv->stride + (size_t)x];
}

struct canvas canvas_part(const struct canvas *cv, const struct rect *r)
{
	struct canvas part = { .w = r->w, .h = r->h, .stride = cv->stride, .ascii = cv->ascii,
			       .cell = cell_at(cv, r->x, r->y) };

	canvas_clip(&part, NULL);
	return part;
}

void canvas_clear(struct canvas *cv)
{
	for (int y = 0; y < cv->h; y++) {
		for (int x = 0; x < cv->w; x++)
			*cell_at(cv, x, y) = blank;
	}
	canvas_clip(cv, NULL);
}

void canvas_clip(struct canvas *cv, const struct rect *r)
{
	if (!r) {
		cv->clip = (struct rect){ 0, 0, cv->w, cv->h };
		return;
	}
	cv->clip.x = canvas_clamp(r->x, 0, cv->w);
	cv->clip.y = canvas_clamp(r->y, 0, cv->h);
	cv->clip.w = canvas_clamp(r->w - (cv->clip.x - r->x), 0, cv->w - cv->clip.x);
	cv->clip.h = canvas_clamp(r->h - (cv->clip.y - r->y), 0, cv->h - cv->clip.y);
}

const struct cell *canvas_at(const struct canvas *cv, int x, int y)
{
	return cell_at(cv, x, y);
}

bool cell_same(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->style == b->style && a->width == b->width &&
		!memcmp(a->mark, b->mark, sizeof(a->mark));
}

static bool canvas_inside(const struct canvas *cv, int x, int y)
{
	return x >= cv->clip.x && x < cv->clip.x + cv->clip.w && y >= cv->clip.y && y < cv->clip.y + cv->clip.h;
}

/* The cell at (X, Y), blanked, with the other half of a wide character that stood there; NULL outside the clip. */
static struct cell *take_cell(struct canvas *cv, int x, int y)
{
	struct cell *c;

	if (!canvas_inside(cv, x, y))
		return NULL;
	c = cell_at(cv, x, y);
	if (c->width == 0 && x > 0)
		c[-1].ch = ' ', c[-1].width = 1, memset(c[-1].mark, 0, sizeof(c->mark));
	else if (c->width == 2 && x + 1 < cv->w)
		c[1].ch = ' ', c[1].width = 1;
	*c = blank;
	return c;
}

static uint32_t to_ascii(uint32_t cp)
{
	static const struct {
		uint32_t cp;
		char ascii;
	} map[] = { { 0x00B7, '-' }, { 0x2500, '-' }, { 0x2501, '=' }, { 0x2502, '|' }, { 0x25BE, '-' },
		    { 0x25B8, '+' },
		    { 0x258C, '>' }, { 0x2026, '.' }, { 0x2192, '>' }, { 0x2193, '*' }, { 0x22EF, '.' },
		      { 0x203A, '>' } };

	if (cp >= 0x20 && cp < 0x7F)
		return cp;
	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (map[i].cp == cp)
			return (uint32_t)map[i].ascii;
	}
	return '?';
}

static void put_cp(struct canvas *cv, int x, int y, enum style style, uint32_t cp, int width)
{
	struct cell *c = take_cell(cv, x, y), *right = NULL;

	if (width == 2)
		right = take_cell(cv, x + 1, y);
	if (!c || (width == 2 && !right))
		return;
	c->style = (uint8_t)style;
	if (cv->ascii) {
		c->ch = to_ascii(cp);
		if (right)
			right->ch = c->ch, right->style = c->style;
		return;
	}
	c->ch = cp;
	c->width = (uint8_t)width;
	if (right)
		*right = (struct cell){ .style = (uint8_t)style };
}

/* Adds a combining mark to the character that ends before column X. */
static void put_mark(struct canvas *cv, int x, int y, uint32_t cp)
{
	struct cell *c;

	if (cv->ascii || !canvas_inside(cv, x - 1, y))
		return;
	c = cell_at(cv, x - 1, y);
	if (!c->width && x > 1)
		c--;
	for (unsigned int i = 0; i < CELL_MARKS; i++) {
		if (!c->mark[i]) {
			c->mark[i] = cp;
			return;
		}
	}
}

/* Draws clean text; returns false when the columns are used up. */
static bool put_clean(struct canvas *cv, int *x, int end, int y, enum style style, const char *s, size_t len)
{
	for (size_t at = 0; at < len;) {
		uint32_t cp;
		int w;

		at += text_decode(s + at, len - at, &cp);
		w = text_cp_width(cp);
		if (w > end - *x)
			return false;
		if (w)
			put_cp(cv, *x, y, style, cp, w);
		else
			put_mark(cv, *x, y, cp);
		*x += w;
	}
	return true;
}

/* How much of S to sanitise next: at most CHUNK bytes, not ending inside a character. */
static size_t canvas_chunk(const char *s, size_t len)
{
	size_t n = len;

	if (n <= CHUNK)
		return n;
	n = CHUNK;
	while (n > CHUNK - 4 && ((unsigned char)s[n] & 0xC0) == 0x80)
		n--;
	return n;
}

int canvas_text(struct canvas *cv, int x, int y, int cols, enum style style, const char *s, size_t len)
{
	const int end = x + canvas_clamp(cols, 0, CANVAS_SIDE_MAX);
	int at = x;

	for (size_t done = 0; done < len;) {
		char clean[3 * CHUNK + 1];
		const size_t n = canvas_chunk(s + done, len - done);
		const size_t got = text_sanitise(clean, sizeof(clean), s + done, n);

		if (!put_clean(cv, &at, end, y, style, clean, got))
			break;
		done += n;
	}
	return at - x;
}

int canvas_text_cut(struct canvas *cv, int x, int y, int cols, enum style style, const char *s, size_t len)
{
	AUTO_FREE char *clean = NULL, *fit = NULL;
	size_t n;

	if (cols <= 0)
		return 0;
	clean = malloc(3 * len + 1);
	if (!clean)
		return canvas_text(cv, x, y, cols, style, s, len);
	n = text_sanitise(clean, 3 * len + 1, s, len);
	if (text_width(clean, n) <= (size_t)cols)
		return canvas_text(cv, x, y, cols, style, clean, n);
	fit = malloc(n + 4);
	if (!fit)
		return canvas_text(cv, x, y, cols, style, clean, n);
	text_cut_middle(fit, n + 4, clean, n, (size_t)cols, cv->ascii);
	return canvas_text(cv, x, y, cols, style, fit, strlen(fit));
}

int canvas_put(struct canvas *cv, int x, int y, enum style style, const char *s)
{
	return canvas_text(cv, x, y, CANVAS_SIDE_MAX, style, s, strlen(s));
}

int canvas_printf(struct canvas *cv, int x, int y, enum style style, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	text_vformat(text, sizeof(text), fmt, ap);
	va_end(ap);
	return canvas_put(cv, x, y, style, text);
}

void canvas_fill(struct canvas *cv, int x, int y, int n, enum style style, uint32_t ch)
{
	for (int i = 0; i < canvas_clamp(n, 0, CANVAS_SIDE_MAX); i++)
		put_cp(cv, x + i, y, style, ch, 1);
}

void canvas_restyle(struct canvas *cv, int x, int y, int n, enum style style)
{
	for (int i = x; i < x + canvas_clamp(n, 0, CANVAS_SIDE_MAX); i++) {
		struct cell *c;

		if (!canvas_inside(cv, i, y))
			continue;
		c = cell_at(cv, i, y);
		c->style = style == STYLE_CURSOR && c->style == STYLE_MATCH ? STYLE_CURSOR_MATCH : (uint8_t)style;
	}
}

static double fraction_of(double f)
{
	return f > 0 ? f < 1 ? f : 1 : 0;        /* NaN becomes 0 */
}

/* How much of the column from FROM to TO lies between START and END; all in eighths. */
static double canvas_overlap(double start, double end, double from, double to)
{
	const double a = start > from ? start : from, b = end < to ? end : to;

	return b > a ? b - a : 0;
}

/* The style of column I: that of the part which fills most of it. */
static enum style canvas_column_style(const struct bar_part *part, int parts, int cols, int i)
{
	enum style style = parts ? part[0].style : STYLE_TEXT;
	double start = 0, most = 0;

	for (int p = 0; p < parts; p++) {
		const double end = start + fraction_of(part[p].fraction) * cols,
			here = canvas_overlap(start, end, i, i + 1);

		if (here > most) {
			most = here;
			style = part[p].style;
		}
		start = end;
	}
	return style;
}

void canvas_bars(struct canvas *cv, int x, int y, int cols, const struct bar_part *part, int parts)
{
	double sum = 0;
	int eighths;

	cols = canvas_clamp(cols, 0, CANVAS_SIDE_MAX);
	for (int p = 0; p < parts; p++)
		sum += fraction_of(part[p].fraction);
	eighths = (int)(fraction_of(sum) * cols * 8 + 0.5);
	for (int i = 0; i < cols && i * 8 < eighths; i++) {
		const int fill = eighths - i * 8;
		const enum style style = canvas_column_style(part, parts, cols, i);

		if (!cv->ascii)
			canvas_fill(cv, x + i, y, 1, style, fill >= 8 ? 0x2588u : 0x2590u - (uint32_t)fill);
		else if (fill >= 4)
			canvas_fill(cv, x + i, y, 1, style, '#');
	}
}

void canvas_bar(struct canvas *cv, int x, int y, int cols, enum style style, double fraction)
{
	const struct bar_part part = { style, fraction };

	canvas_bars(cv, x, y, cols, &part, 1);
}

void canvas_spark(struct canvas *cv, int x, int y, enum style style, double fraction)
{
	static const char ascii[] = " .:-=+*#";
	const double f = fraction_of(fraction);

	if (cv->ascii)
		put_cp(cv, x, y, style, (uint32_t)ascii[(int)(f * 7 + 0.5)], 1);
	else
		put_cp(cv, x, y, style, 0x2581u + (uint32_t)(f * 7 + 0.5), 1);
}

static size_t canvas_encode(char *dst, uint32_t cp)
{
	if (cp < 0x80) {
		dst[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		dst[0] = (char)(0xC0 | cp >> 6);
		dst[1] = (char)(0x80 | (cp & 0x3F));
		return 2;
	}
	if (cp < 0x10000) {
		dst[0] = (char)(0xE0 | cp >> 12);
		dst[1] = (char)(0x80 | (cp >> 6 & 0x3F));
		dst[2] = (char)(0x80 | (cp & 0x3F));
		return 3;
	}
	dst[0] = (char)(0xF0 | cp >> 18);
	dst[1] = (char)(0x80 | (cp >> 12 & 0x3F));
	dst[2] = (char)(0x80 | (cp >> 6 & 0x3F));
	dst[3] = (char)(0x80 | (cp & 0x3F));
	return 4;
}

static size_t dump_cell(char *dst, const struct cell *c, bool styles)
{
	size_t n = 0;

	if (styles) {
		dst[0] = style_info(c->style)->letter;
		return 1;
	}
	if (!c->width)
		return 0;
	n += canvas_encode(dst, c->ch);
	for (unsigned int i = 0; i < CELL_MARKS && c->mark[i]; i++)
		n += canvas_encode(dst + n, c->mark[i]);
	return n;
}

static char *canvas_dump_text(const struct canvas *cv, bool styles)
{
	char *text = malloc((size_t)cv->h * ((size_t)cv->w * 4 * (1 + CELL_MARKS) + 1) + 1);
	size_t n = 0;

	if (!text)
		return NULL;
	for (int y = 0; y < cv->h; y++) {
		const size_t start = n;

		for (int x = 0; x < cv->w; x++)
			n += dump_cell(text + n, canvas_at(cv, x, y), styles);
		while (n > start && text[n - 1] == ' ')
			n--;
		text[n++] = '\n';
	}
	text[n] = '\0';
	return text;
}

char *canvas_dump(const struct canvas *cv)
{
	return canvas_dump_text(cv, false);
}

char *canvas_dump_styles(const struct canvas *cv)
{
	return canvas_dump_text(cv, true);
}
