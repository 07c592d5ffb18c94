/* SPDX-License-Identifier: BSD-2-Clause */
/* diffformats.c - the table of what a difference can be written as. */
#include "config.h"

#include "export/diffformats.h"
#include "export/formats.h"

static const struct {
	const char *extension;
	int (*write)(FILE *out, const struct diff_view *v, struct err *e);
} formats[DIFF_FORMAT_NR] = {
#define X(id, name, extension, write) [DIFF_FORMAT_##id] = { extension, write },
	DIFF_FORMATS(X)
#undef X
};

int diff_write(FILE *out, enum diff_format format, const struct diff_view *v, struct err *e)
{
	return formats[format].write(out, v, e);
}

enum diff_format diff_format_of_file(const char *path)
{
	for (enum diff_format f = DIFF_FORMAT_NONE + 1; f < DIFF_FORMAT_NR; f++)
		if (format_ends_in(path, formats[f].extension))
			return f;
	return DIFF_FORMAT_NONE;
}
