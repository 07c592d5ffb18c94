/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "import/perfevents.h"

#include "base/text.h"
#include "import/import_state.h"
#include "model/event.h"
#include "model/perfname.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NOTE_BYTES 384u

/* How long "cpu-clock" is in "cpu-clock:ppp": without a modifier, which no tracepoint has. */
static size_t plain_len(const char *name, size_t len)
{
	const char *colon = memrchr(name, ':', len);
	const size_t at = colon ? (size_t)(colon - name) : len;

	for (size_t i = at + 1; i < len; i++)
		if (!strchr("ukhIGHpPSDWeb", name[i]))
			return len;
	return at ? at : len;
}

/* The event as it is told: what is no plain text is "samples". */
static void copy_name(char dst[PERF_EVENT_NAME], const char *name, size_t len)
{
	bool sane = len > 0;

	for (size_t i = 0; i < len; i++)
		sane &= isgraph((unsigned char)name[i]) && (unsigned char)name[i] < 0x80;
	if (sane)
		snprintf(dst, PERF_EVENT_NAME, "%.*s", (int)(len < PERF_EVENT_NAME ? len : PERF_EVENT_NAME - 1), name);
	else
		strcpy(dst, "samples");
}

void perf_events_init(struct perf_events *p, const char *wanted)
{
	*p = (struct perf_events){ 0 };
	if (wanted)
		copy_name(p->wanted, wanted, plain_len(wanted, strlen(wanted)));
}

static void leave_out(struct perf_events *p, const char *name)
{
	unsigned int i;

	for (i = 0; i < p->nr_left && strcmp(p->left[i].name, name); i++)
		;
	if (i == PERF_EVENTS_LEFT) {
		p->more++;
		return;
	}
	p->nr_left += i == p->nr_left;
	strcpy(p->left[i].name, name);
	p->left[i].samples++;
}

/* NAME is what samples are read of from now on. */
static void perfevents_choose(struct perf_events *p, const char *name, bool has_period, struct profile_meta *m)
{
	_Static_assert(sizeof(m->event) >= PERF_EVENT_NAME && sizeof(m->unit) >= PERF_EVENT_NAME, "names fit");

	strcpy(p->event, name);
	strcpy(m->event, name);
	if (!p->time)
		strcpy(m->unit, has_period ? name : "samples");
}

/* What a sample of NAME, whose period is time of KIND when that is not 0, is read as; 0 = as nothing. */
static unsigned int perfevents_judge(struct perf_events *p, const char *name, unsigned int kind, bool has_period,
				     struct profile_meta *m)
{
	if (p->wanted[0] && strcmp(p->wanted, name))
		return 0;
	if (!p->begun)
		p->time = kind;
	p->begun = true;
	if (EVENT_IS_WAIT(kind))
		return p->time ? kind : 0;
	if (!p->event[0] && p->time && !kind)
		return 0;
	if (!p->event[0])
		perfevents_choose(p, name, has_period, m);
	return strcmp(p->event, name) ? 0 : p->time ? EVENT_SAMPLE : EVENT_COUNTED;
}

unsigned int perf_events_kind(struct perf_events *p, const char *name, size_t len, bool has_period,
			      struct profile_meta *m)
{
	const size_t plain = plain_len(name, len);
	char own[PERF_EVENT_NAME];
	unsigned int kind;

	copy_name(own, name, plain);
	kind = perfevents_judge(p, own, has_period ? perf_name_kind(own, strlen(own)) : 0, has_period, m);
	if (!kind)
		leave_out(p, own);
	return kind;
}

void perf_events_note(const struct perf_events *p, struct import_state *r)
{
	char text[NOTE_BYTES];
	size_t at = 0;

	for (unsigned int i = 0; i < p->nr_left; i++)
		at += text_format(text + at, sizeof(text) - at, "%s%" PRIu64 "%s of %s", i ? ", " : "",
				  p->left[i].samples,
				  i ? "" : p->left[i].samples == 1 ? " sample" : " samples", p->left[i].name);
	if (p->more)
		text_format(text + at, sizeof(text) - at, ", %" PRIu64 " of further events", p->more);
	if (p->nr_left)
		import_state_note(r, "left out: %s (--event chooses another one)", text);
}
