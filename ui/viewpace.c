/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * viewpace.c - changes the sampling rate and the pace of refreshes in steps while the capture runs.
 */
#include "config.h"

#include "ui/view_private.h"

#include "base/clock.h"
#include "base/units.h"

#include <stdio.h>

/* Rates that are in step with nothing that ticks 100 or 1,000 times a second. */
static const uint64_t rates[] = { 9, 19, 49, 99, 199, 499, 999, 1999, 4999, 9999 };
static const uint64_t refreshes[] = { 100 * NSEC_PER_MSEC, 200 * NSEC_PER_MSEC, 500 * NSEC_PER_MSEC, NSEC_PER_SEC,
				      2 * NSEC_PER_SEC,
				      5 * NSEC_PER_SEC, 10 * NSEC_PER_SEC, 30 * NSEC_PER_SEC, 60 * NSEC_PER_SEC };

/* The next one of the N steps that is more than NOW, or less; NOW itself when there is none. */
static uint64_t next_step(const uint64_t *step, size_t n, uint64_t now, bool more)
{
	uint64_t found = now;

	for (size_t i = 0; i < n; i++) {
		if (!more && step[i] < now)
			found = step[i];
		if (more && step[i] > now)
			return step[i];
	}
	return found;
}

static void change_rate(struct view *v, bool more)
{
	const uint64_t now = v->asked_hz ? v->asked_hz : v->header.meta.freq_asked;
	const uint64_t hz = next_step(rates, sizeof(rates) / sizeof(rates[0]), now, more);

	if (hz == now) {
		view_say(v, more ? "more samples a second would disturb what is looked at" :
			 "fewer samples a second say nothing");
		return;
	}
	v->asked_hz = (uint32_t)hz;
	v->session->rate(v->session->ctx, v->asked_hz);
	snprintf(v->message, sizeof(v->message), "%u samples a second of each CPU are asked for", v->asked_hz);
}

static void change_refresh(struct view *v, bool longer)
{
	const uint64_t ns = next_step(refreshes, sizeof(refreshes) / sizeof(refreshes[0]), v->refresh_ns, longer);
	char time[UNITS_MAX];

	v->refresh_ns = ns;
	v->session->refresh(v->session->ctx, ns);
	snprintf(v->message, sizeof(v->message), "a refresh every %s", units_time(time, ns));
}

bool view_pace_act(struct view *v, enum action a)
{
	switch (a) {
	case ACT_RATE_UP:
	case ACT_RATE_DOWN:
		change_rate(v, a == ACT_RATE_UP);
		return true;
	case ACT_REFRESH_LESS:
	case ACT_REFRESH_MORE:
		change_refresh(v, a == ACT_REFRESH_LESS);
		return true;
	default:
		return false;
	}
}

uint64_t view_refresh_ns(const struct view *v)
{
	return v->refresh_ns;
}
