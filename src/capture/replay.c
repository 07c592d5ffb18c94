/* SPDX-License-Identifier: BSD-2-Clause */
/* replay.c - see replay.h. */
#include "config.h"

#include "capture/replay.h"

#include "base/text.h"
#include "capture/rawfile.h"
#include "capture/features.h"
#include "capture/source_ops.h"

#include <errno.h>
#include <string.h>

struct replay {
	struct source source;
	struct rawfile *file;
	struct rawfile_head head;
	char event[64];                  /* of head, sanitised */
	struct features features;        /* none */
	bool ended;
	uint64_t seen_ns, samples;
	struct losses lost;              /* as far as the file says */
};

static struct replay *replay_of(const struct source *s)
{
	return (struct replay *)(uintptr_t)s;
}

static int replay_prepare(struct source *s, struct err *e)
{
	(void)s;
	(void)e;
	return 0;
}

static void replay_stop(struct source *s)
{
	(void)s;
}

/* One reading of the source that was captured. */
static int replay_read(struct source *s, int timeout_ms, bool flush, raw_fn *each, void *ctx, struct err *e)
{
	struct replay *r = replay_of(s);
	struct raw_event ev;
	int n = 0, what;

	(void)timeout_ms;
	(void)flush;
	while (!r->ended && (what = rawfile_next(r->file, &ev, &r->seen_ns, &r->lost, e)) != RAWFILE_TURN) {
		if (what < 0) {
			r->ended = true;
			return what;
		}
		if (what == RAWFILE_END) {
			r->ended = true;
			break;
		}
		r->samples += ev.kind == RAW_SAMPLE;
		each(ctx, &ev);
		n++;
	}
	return n;
}

static bool replay_ended(const struct source *s)
{
	return replay_of(s)->ended;
}

static uint64_t replay_seen_ns(const struct source *s)
{
	return replay_of(s)->seen_ns;
}

static void replay_stats(const struct source *s, struct source_stats *ret)
{
	const struct replay *r = replay_of(s);

	*ret = (struct source_stats){ .lost = r->lost,
				      .samples = r->samples,
				      .freq_hz = r->head.freq_hz,
				      .event = r->event,
				      .features = &r->features };
}

static uint64_t replay_side_lost(const struct source *s)
{
	return replay_of(s)->lost.n[LOST_SIDE_BAND];
}

static uint32_t replay_first_copy(const struct source *s)
{
	return replay_of(s)->head.stack_bytes;
}

/* It never waits. */
static int replay_call_on(struct source *s, int fd, struct err *e)
{
	(void)s;
	(void)fd;
	(void)e;
	return 0;
}

static void replay_free(struct source *s)
{
	rawfile_close(replay_of(s)->file);
	free(s);
}

static const struct source_ops replay_ops = {
	.prepare = replay_prepare,
	.start = replay_prepare,
	.stop = replay_stop,
	.free = replay_free,
	.read = replay_read,
	.ended = replay_ended,
	.seen_ns = replay_seen_ns,
	.stats = replay_stats,
	.side_lost = replay_side_lost,
	.call_on = replay_call_on,
	.wake = replay_stop,
	.first_copy = replay_first_copy,
};

int replay_open(const char *path, struct source **ret, struct err *e)
{
	AUTO(source_free) struct source *s = calloc(1, sizeof(struct replay));
	struct replay *r = s ? replay_of(s) : NULL;
	FILE *f;
	int error;

	if (!r)
		return err_nomem(e, "the raw capture");
	s->ops = &replay_ops;
	f = fopen(path, "re");
	if (!f)
		return err_set(e, errno, "cannot open '%s': %s", path, strerror(errno));
	error = rawfile_open(f, &r->head, &r->file, e);
	if (error) {
		err_prefix(e, "cannot replay '%s'", path);
		return error;
	}
	text_sanitise(r->event, sizeof(r->event), r->head.event, strlen(r->head.event));
	*ret = take_ptr(s);
	return 0;
}
