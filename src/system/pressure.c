/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "system/pressure.h"

#include "base/clock.h"
#include "base/parse.h"
#include "system/procfs.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The number of microseconds behind "total=" of the line that begins with WORD, in nanoseconds. */
static uint64_t pressure_total(const char *text, const char *word)
{
	const char *line = strstr(text, word), *total = line ? strstr(line, " total=") : NULL, *end;
	uint64_t us;

	if (!total || total > line + strcspn(line + 1, "\n") + 1)
		return PRESSURE_UNKNOWN;
	total += strlen(" total=");
	end = total + strcspn(total, "\n");
	return parse_dec(&total, end, &us) && total == end && us < PRESSURE_UNKNOWN / NSEC_PER_USEC ?
		us * NSEC_PER_USEC : PRESSURE_UNKNOWN;
}

bool pressure_parse(const char *text, struct pressure *ret)
{
	unsigned int percent, hundredths;

	*ret = (struct pressure){ .some_ns = PRESSURE_UNKNOWN, .full_ns = PRESSURE_UNKNOWN };
	if (sscanf(text, "some avg10=%3u.%2u ", &percent, &hundredths) != 2 || percent > 100)
		return false;
	ret->some_ns = pressure_total(text, "some ");
	ret->full_ns = pressure_total(text, "\nfull ");
	ret->now = 100ul * percent + hundredths;
	return ret->some_ns != PRESSURE_UNKNOWN;
}

int pressure_read(int cgroup, struct pressure ret[PRESSURE_NR])
{
	static const char *const files[PRESSURE_NR] = { "cpu.pressure", "memory.pressure", "io.pressure" };
	int r = -ENOENT;

	for (unsigned int i = 0; i < PRESSURE_NR; i++) {
		char text[256];
		const ssize_t n = proc_read_text(cgroup, files[i], text, sizeof(text));

		if (pressure_parse(n < 0 ? "" : text, &ret[i]))
			r = 0;
		else if (r)
			r = n < 0 ? (int)n : -EBADMSG;
	}
	return r;
}
