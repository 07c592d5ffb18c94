/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "query/pressure_text.h"

#include "base/text.h"
#include "base/units.h"

#include <stdbool.h>

static const char *const names[META_PRESSURES] = { "CPU", "memory", "I/O" };

/* "CPU 84.1 %, memory 0.0 %, I/O 2.0 %" of those that are known, behind the AT bytes that DST has. How many it has. */
static size_t pressure_text_shares(const double share[META_PRESSURES], char *dst, size_t at)
{
	bool first = true;
	char text[UNITS_MAX];

	for (unsigned int i = 0; i < META_PRESSURES; i++) {
		if (share[i] < 0)
			continue;
		at += text_format(dst + at, PRESSURE_TEXT_MAX - at, "%s %s %s", first ? "" : ",", names[i],
				  units_percent(text, share[i] < 1 ? share[i] : 1));
		first = false;
	}
	return at;
}

char *pressure_text(const struct profile_meta *m, char dst[PRESSURE_TEXT_MAX])
{
	double share[META_PRESSURES];
	bool known = false;
	size_t at;

	dst[0] = '\0';
	if (!m->pressure_of[0])
		return dst;
	at = text_format(dst, PRESSURE_TEXT_MAX, "pressure of %s:", m->pressure_of);
	for (unsigned int i = 0; i < META_PRESSURES; i++) {
		const uint64_t ns = m->pressure_some_ns[i];

		share[i] = ns == META_UNKNOWN || !m->duration_ns ? -1 : (double)ns / (double)m->duration_ns;
		known |= share[i] >= 0;
	}
	if (known)
		at = pressure_text_shares(share, dst, at);
	text_format(dst + at, PRESSURE_TEXT_MAX - at, known ? " of the time" : " %s",
		    m->pressure_said[0] ? m->pressure_said : "not known");
	return dst;
}

char *pressure_text_now(const struct profile_meta *m, char dst[PRESSURE_TEXT_MAX])
{
	double share[META_PRESSURES];
	size_t at;

	dst[0] = '\0';
	if (!m->pressure_of[0] || m->pressure_said[0])
		return dst;
	at = text_format(dst, PRESSURE_TEXT_MAX, "pressure");
	for (unsigned int i = 0; i < META_PRESSURES; i++)
		share[i] = m->pressure_some_ns[i] == META_UNKNOWN ? -1 : (double)m->pressure_now[i] / 10000;
	pressure_text_shares(share, dst, at);
	return dst;
}
