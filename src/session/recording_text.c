/* SPDX-License-Identifier: BSD-2-Clause */
/* recording_text.c - says in one sentence what became of a recording. */
#include "config.h"

#include "session/recording_text.h"

#include "base/text.h"
#include "base/units.h"

#include <stdio.h>

char *recording_text(const struct recorder_saved *s, const char *otherwise, char *dst, size_t size)
{
	char bytes[UNITS_MAX], time[UNITS_MAX], *const text = dst;

	units_bytes(bytes, s->bytes);
	units_time(time, s->ns);
	if (s->why[0] && size) {
		const size_t n = text_format(dst, size, "%s; ", s->why);

		dst += n;
		size -= n;
	}
	if (s->err.code)
		text_format(dst, size, "%s; %s", s->err.text, otherwise);
	else if (s->kept)
		text_format(dst, size, "the last %s are in %s (%s)", time, s->path, bytes);
	else
		text_format(dst, size, "%s are recorded in %s (%s)", time, s->path, bytes);
	return text;
}
