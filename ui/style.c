/* SPDX-License-Identifier: BSD-2-Clause */
/* style.c - the table behind style.h. */
#include "config.h"

#include "ui/style.h"

static const struct style_info styles[] = {
#define X(id, letter, c256, c16, c8, look, mono) [STYLE_##id] = { letter, c256, c16, c8, look, mono },
	STYLES(X)
#undef X
};

const struct style_info *style_info(unsigned int style)
{
	return &styles[style < STYLE_NR ? style : STYLE_TEXT];
}
