/* SPDX-License-Identifier: BSD-2-Clause */
/* out.c - writes text and numbers to a file and remembers the first failure. */
#include "config.h"

#include "export/out.h"

#include "base/text.h"
#include "query/query.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define BAR_COLUMNS 40u          /* of the longest bar */

static void out_fail(struct out *o)
{
	o->error = errno ? errno : EIO;
}

void out_text(struct out *o, const char *s)
{
	if (!o->error && fputs(s, o->file) < 0)
		out_fail(o);
}

void out_format(struct out *o, const char *fmt, ...)
{
	va_list ap;

	if (o->error)
		return;
	va_start(ap, fmt);
	if (vfprintf(o->file, fmt, ap) < 0)
		out_fail(o);
	va_end(ap);
}

void out_guess(struct out *o, int width, uint64_t ns, uint64_t doubt_ns, const char *text)
{
	out_format(o, "%*s%s", width - (int)strlen(text), doubt_ns > ns / 2 ? "~" : "", text);
}

void out_figure(struct out *o, int width, const struct list_figure *figure)
{
	char text[UNITS_MAX];

	list_figure_text(figure, text);
	out_format(o, "%*s%s", width - (int)strlen(text), figure->doubt ? "~" : "", text);
}

void out_label(struct out *o, char *label, bool ascii)
{
	static const char between[] = "\xe2\x80\xba";

	for (char *at = label; ascii && (at = strstr(at, between)); at++) {
		*at = '>';
		memmove(at + 1, at + sizeof(between) - 1, strlen(at + sizeof(between) - 1) + 1);
	}
	out_text(o, label);
}

/* Bytes of the first part of TEXT, which has BETWEEN between its parts. */
static size_t part_len(const char *text, const char *between)
{
	const char *end = strstr(text, between);

	return end ? (size_t)(end - text) : strlen(text);
}

/* Bytes of as many whole parts of TEXT as go into COLS columns; 0 when not even one does. */
static size_t parts_len(const char *text, const char *between, size_t cols)
{
	size_t fit = 0, len = part_len(text, between);

	while (len > fit && text_width(text, len) <= cols) {
		fit = len;
		if (text[fit])
			len = fit + strlen(between) + part_len(text + fit + strlen(between), between);
	}
	return fit;
}

void out_fit(struct out *o, const char *text, size_t len, size_t cols, bool ascii)
{
	char dst[LABEL_MAX + 4];

	text_cut_middle(dst, sizeof(dst), text, len, cols, ascii);
	out_label(o, dst, ascii);
}

void out_parts(struct out *o, const char *text, const struct out_place *p)
{
	const size_t room = p->to - p->from, gap = strlen(p->between);

	for (unsigned int line = p->lines; text_width(text, strlen(text)) > room; line--) {
		const size_t cols = room - text_width(p->between, gap) - (line > 1 ? 0 : 3);
		const size_t fit = parts_len(text, p->between, cols), len = fit ? fit : part_len(text, p->between);

		out_fit(o, text, len, cols, p->ascii);
		if (!text[len])
			return;
		out_fit(o, p->between, line > 1 ? gap - 1 : gap, room, p->ascii);
		if (line <= 1) {
			out_text(o, p->ascii ? "..." : "…");
			return;
		}
		out_format(o, "\n%*s", (int)p->from, "");
		text += len + gap;
	}
	out_fit(o, text, strlen(text), room, p->ascii);
}

void out_bar(struct out *o, uint64_t part, uint64_t whole, bool ascii)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	const unsigned int steps = ascii ? 1 : 8;
	unsigned int n = whole ? (unsigned int)((double)part / (double)whole * BAR_COLUMNS * steps) : 0;

	n = n ? n : part > 0;
	for (unsigned int i = 0; i < n / steps; i++)
		out_text(o, ascii ? "#" : "█");
	out_text(o, ascii ? "" : eighths[n % steps]);
}

int out_binary(FILE *file, const char *format, struct err *e)
{
	if (isatty(fileno(file)))
		return err_set(e, EINVAL, "%s is not for reading on a terminal: name a file with -o", format);
	return 0;
}

int out_end(struct out *o, struct err *e)
{
	if (!o->error && (fflush(o->file) || ferror(o->file)))
		out_fail(o);
	if (!o->error)
		return 0;
	return err_set(e, o->error, "the output cannot be written: %s", strerror(o->error));
}
