/* SPDX-License-Identifier: BSD-2-Clause */
/* style.c - the table of colours and attributes for each style and each kind of terminal. */
#include "config.h"

#include "ui/style.h"

#include <stdlib.h>
#include <string.h>

static const struct style_info styles[] = {
#define X(id, letter, c256, dark, any, look, mono) [STYLE_##id] = { letter, c256, dark, any, look, mono },
	STYLES(X)
#undef X
};

const struct style_info *style_info(unsigned int style)
{
	return &styles[style < STYLE_NR ? style : STYLE_TEXT];
}

int style_colour(unsigned int style, int colours, bool dark)
{
	const struct style_info *s = style_info(style);
	const int of16 = dark ? s->dark16 : s->any16;

	if (colours >= 256)
		return s->colour256;
	return of16 < colours ? of16 : COLOUR_NONE;
}

unsigned int style_look(unsigned int style, int colours, bool dark)
{
	const struct style_info *s = style_info(style);
	const bool coloured = s->colour256 == COLOUR_NONE || style_colour(style, colours, dark) != COLOUR_NONE;

	return colours && coloured ? s->look : s->look_mono;
}

void style_rgb(int colour, unsigned char ret[3])
{
	static const unsigned char step[6] = { 0, 0x5f, 0x87, 0xaf, 0xd7, 0xff };
	const unsigned int i = colour >= 16 && colour < 256 ? (unsigned int)colour - 16 : 0;
	const unsigned int grey = i < 216 ? 0 : 8 + 10 * (i - 216);

	ret[0] = (unsigned char)(grey ? grey : step[i / 36]);
	ret[1] = (unsigned char)(grey ? grey : step[i / 6 % 6]);
	ret[2] = (unsigned char)(grey ? grey : step[i % 6]);
}

bool style_on_dark(const char *said, const char *colorfgbg, const char *term)
{
	const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
	char *end;
	long background;

	if (said && (!strcmp(said, "dark") || !strcmp(said, "light")))
		return *said == 'd';
	if (last) {
		background = strtol(last + 1, &end, 10);
		if (end != last + 1 && !*end)
			return (background >= 0 && background <= 6) || background == 8;
	}
	return term && !strncmp(term, "linux", 5);       /* the console of the kernel */
}
