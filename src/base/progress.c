/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/progress.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FIRST_NS (NSEC_PER_SEC / 2)
#define EACH_NS (NSEC_PER_SEC / 5)

void progress_begin(struct progress *p, const char *what, uint64_t total)
{
	*p = (struct progress){ .what = what, .total = total, .on = isatty(STDERR_FILENO) };
	if (!p->on)
		return;
	p->begun_ns = clock_mono_ns();
	p->next_ns = p->begun_ns + FIRST_NS;
}

char *progress_text(char dst[PROGRESS_TEXT_MAX], const struct progress *p, uint64_t done, uint64_t ns)
{
	const double rate = ns ? (double)done / ((double)ns / NSEC_PER_SEC) : 0;
	char percent[UNITS_MAX], have[UNITS_MAX], all[UNITS_MAX], each[UNITS_MAX], left[UNITS_MAX];

	units_bytes(have, done);
	units_bytes(each, (uint64_t)rate);
	if (!p->total || done > p->total)
		text_format(dst, PROGRESS_TEXT_MAX, "%s  %s, %s/s", p->what, have, each);
	else
		text_format(dst, PROGRESS_TEXT_MAX, "%s  %s, %s of %s, %s/s, %s left", p->what,
			    units_percent(percent, (double)done / (double)p->total), have,
			    units_bytes(all, p->total), each,
			    rate > 0 ? units_time(left, (uint64_t)((double)(p->total - done) / rate * NSEC_PER_SEC)) :
			    "?");
	return dst;
}

/*
 * Columns of the terminal, of which the last stays free: a line that went on in the next one could
 * not be drawn over.
 */
static int progress_columns(void)
{
	struct winsize w;

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col > 1 ? w.ws_col - 1 : PROGRESS_TEXT_MAX;
}

void progress_at(struct progress *p, uint64_t done)
{
	char text[PROGRESS_TEXT_MAX];
	uint64_t now;

	if (!p->on)
		return;
	now = clock_mono_ns();
	if (now < p->next_ns)
		return;
	p->next_ns = now + EACH_NS;
	/* \033[K: to the end of the line. */
	fprintf(stderr, "\r%.*s\033[K", progress_columns(),
		progress_text(text, p, p->before + done, now - p->begun_ns));
	p->shown = true;
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

void progress_end(struct progress *p)
{
	progress_clear(p);
	p->on = false;
}
