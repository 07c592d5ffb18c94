/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "record/flight_recorder.h"

#include "base/clock.h"
#include "record/create.h"
#include "record/metasum.h"
#include "record/table.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct segment {
	uint64_t from_ns;
	struct profile_meta meta;        /* when it began */
	struct numa_figures numa;
	struct probe_notes *probes;      /* a reference; NULL = none */
	byte_vec blocks;
};

struct flight_recorder {
	uint64_t keep_ns, max_bytes, bytes;
	VEC(struct segment *) segment;   /* oldest first */
};

struct flight_recorder *flight_recorder_new(uint64_t keep_ns, uint64_t bytes)
{
	struct flight_recorder *k = calloc(1, sizeof(*k));

	if (k) {
		k->keep_ns = keep_ns;
		k->max_bytes = bytes;
	}
	return k;
}

static void drop_oldest(struct flight_recorder *k)
{
	struct segment *s = k->segment.v[0];

	k->bytes -= s->blocks.n;
	vec_free(&s->blocks);
	probe_notes_unref(s->probes);
	free(s);
	memmove(k->segment.v, k->segment.v + 1, --k->segment.n * sizeof(*k->segment.v));
}

void flight_recorder_free(struct flight_recorder *k)
{
	if (!k)
		return;
	while (k->segment.n)
		drop_oldest(k);
	vec_free(&k->segment);
	free(k);
}

static struct segment *flight_recorder_newest(const struct flight_recorder *k)
{
	return k->segment.v[k->segment.n - 1];
}

bool flight_recorder_block(void *ctx, const uint8_t *block, size_t n)
{
	struct flight_recorder *k = ctx;

	if (!bytes_add(&flight_recorder_newest(k)->blocks, block, n))
		return false;
	k->bytes += n;
	while (k->bytes > k->max_bytes && k->segment.n > 1)
		drop_oldest(k);
	return true;
}

bool flight_recorder_full(const struct flight_recorder *k)
{
	return flight_recorder_newest(k)->blocks.n >= k->max_bytes / FLIGHT_RECORDER_SEGMENTS;
}

bool flight_recorder_due(const struct flight_recorder *k, uint64_t now_ns)
{
	const uint64_t step = k->keep_ns / FLIGHT_RECORDER_SEGMENTS;

	return now_ns - flight_recorder_newest(k)->from_ns >= (step > NSEC_PER_SEC ? step : NSEC_PER_SEC) ||
	       flight_recorder_full(k);
}

bool flight_recorder_segment(struct flight_recorder *k, uint64_t now_ns, const struct profile_meta *meta,
			     const struct numa_figures *numa, struct probe_notes *probes)
{
	struct segment *s = calloc(1, sizeof(*s)), **at = s ? vec_push(&k->segment) : NULL;

	if (!at) {
		free(s);
		return false;
	}
	*at = s;
	s->from_ns = now_ns;
	s->meta = *meta;
	s->numa = *numa;
	s->probes = probe_notes_ref(probes);
	while (k->segment.n > 1 && now_ns - k->segment.v[1]->from_ns >= k->keep_ns)
		drop_oldest(k);
	return true;
}

/* The payload of an EVENTS block whose first row is number BASE of the whole. */
static bool flight_recorder_rebased(const byte_vec *payload, uint64_t base, byte_vec *dst)
{
	struct cursor in = cursor_of(payload);
	uint64_t own;

	dst->n = 0;
	return cursor_varint(&in, &own) && bytes_add_varint(dst, base + own) &&
		bytes_add(dst, in.p, (size_t)(in.end - in.p));
}

/* How many rows a table has, and which number the first one: *RET_BASE. */
static uint64_t flight_recorder_rows(const byte_vec *payload, uint64_t *ret_base)
{
	struct cursor in = cursor_of(payload);
	uint64_t n = 0;

	return cursor_varint(&in, ret_base) && cursor_varint(&in, &n) ? n : 0;
}

/* What is being written, and where it has got to. */
struct walk {
	struct stream *to;
	byte_vec payload, events;
	uint64_t before, in_segment;     /* events of earlier segments, and of this one */
};

/* Writes the block at P; its length, 0 when that failed. */
static size_t write_one(struct walk *w, const uint8_t *p)
{
	struct block b;
	uint64_t base = 0, n;

	w->payload.n = 0;
	if (!block_get(p, &b) || block_unpack(&b, p + BLOCK_HEADER_SIZE, &w->payload))
		return 0;
	if (b.type == BLOCK_EVENTS) {
		n = flight_recorder_rows(&w->payload, &base);
		w->in_segment = base + n;
		if (!flight_recorder_rebased(&w->payload, w->before, &w->events) ||
		    !stream_block(w->to, BLOCK_EVENTS, w->events.v, w->events.n))
			return 0;
	} else if (!stream_block(w->to, (enum block_type)b.type, w->payload.v, w->payload.n)) {
		return 0;
	}
	return (size_t)BLOCK_HEADER_SIZE + b.stored_len;
}

/* What is in the segments from FIRST on now. AFTER may let the newest one grow, and drop the oldest ones. */
static bool write_segments(struct flight_recorder *k, size_t first, struct walk *w,
			   flight_recorder_after_fn *after, void *ctx)
{
	const struct segment *last = flight_recorder_newest(k);
	const size_t until = last->blocks.n;

	for (size_t i = first; i < k->segment.n; i++) {
		const struct segment *s = k->segment.v[i];
		const size_t end = s == last ? until : s->blocks.n;

		for (size_t at = 0; at < end;) {
			const size_t n = write_one(w, s->blocks.v + at);

			if (!n)
				return false;
			at += n;
			after(ctx);
		}
		w->before += w->in_segment;
		w->in_segment = 0;
		w->to->next.epoch++;
	}
	return true;
}

/* The file that is being written. */
struct save {
	int fd;
	int error;               /* errno of a failed write */
	uint64_t bytes;
};

static bool save_bytes(void *ctx, const uint8_t *p, size_t n)
{
	struct save *s = ctx;

	while (n) {
		const ssize_t k = write(s->fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0) {
			s->error = k ? errno : EIO;
			return false;
		}
		p += k;
		n -= (size_t)k;
		s->bytes += (uint64_t)k;
	}
	return true;
}

/* What is to be written, besides blocks. */
struct figures {
	const struct profile_meta *meta;
	struct flight_recorder_states states;
	flight_recorder_after_fn *after;
	void *ctx;
};

static bool save_from(struct flight_recorder *k, size_t first, struct stream *s, const struct figures *f)
{
	const struct segment *oldest = k->segment.v[first];
	struct profile_meta own = *f->meta;
	AUTO(probe_notes_unref) struct probe_notes *probes = NULL;
	struct numa_state of_keep;
	struct walk w = { .to = s };
	bool ok, too_large = false;

	meta_since(&own, &oldest->meta);
	ok = stream_begin(s, &own) && write_segments(k, first, &w, f->after, f->ctx);
	if (ok && f->states.numa) {
		/* A copy to read from: what it owns stays the state's. */
		memcpy(&of_keep, f->states.numa, sizeof(of_keep));
		numa_figures_since(&of_keep.figures, &oldest->numa);
		ok = stream_numa(s, &of_keep, &too_large);
	}
	own.numa_too_large += too_large;
	if (ok && f->states.probes && oldest->probes) {
		probes = probe_notes_since(f->states.probes, oldest->probes);
		ok = probes && stream_probes(s, probes);
	} else if (ok && f->states.probes) {
		ok = stream_probes(s, f->states.probes);
	}
	s->events = w.before;
	ok = ok && stream_meta(s, &own) && stream_end(s);
	vec_free(&w.payload);
	vec_free(&w.events);
	return ok;
}

/*
 * The first segment behind FIRST from which on there are no more than BYTES; as many as there are
 * when there is none.
 */
static size_t flight_recorder_fits(const struct flight_recorder *k, size_t first, uint64_t bytes)
{
	uint64_t sum = 0;
	size_t i = k->segment.n;

	while (i > first + 1 && sum + k->segment.v[i - 1]->blocks.n <= bytes)
		sum += k->segment.v[--i]->blocks.n;
	return i;
}

static bool no_room(int error)
{
	return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

/* Writes what there is room for: all of it, or without the oldest segments. Which one was the first: *RET_FIRST. */
static int save_newest(struct flight_recorder *k, struct save *save, const struct figures *f, size_t *ret_first,
		       const char *path, struct err *e)
{
	size_t first = 0;

	for (;;) {
		struct stream s = { .write = save_bytes, .ctx = save };
		const bool ok = save_from(k, first, &s, f);

		stream_free(&s);
		*ret_first = first;
		if (ok)
			return 0;
		if (no_room(save->error))
			first = flight_recorder_fits(k, first, save->bytes);
		if (!no_room(save->error) || first == k->segment.n)
			break;
		if (ftruncate(save->fd, 0) || lseek(save->fd, 0, SEEK_SET))
			return err_set(e, errno, "cannot write to %s: %s", path, strerror(errno));
		save->bytes = 0;
	}
	return !save->error ? err_nomem(e, "a recording") :
			      err_set(e, save->error, "cannot write to %s: %s", path, strerror(save->error));
}

int flight_recorder_save(struct flight_recorder *k, const char *path, const struct profile_meta *meta,
	      const struct flight_recorder_states *states, flight_recorder_after_fn *after, void *ctx,
	      struct flight_recorder_saved *ret, struct err *e)
{
	const struct figures figures = {
		.meta = meta, .states = states ? *states : (struct flight_recorder_states){ 0 }, .after = after,
		.ctx = ctx,
	};
	const uint64_t max_bytes = k->max_bytes;
	struct save save = { .fd = -1 };
	AUTO_FREE char *beside = NULL;
	size_t first = 0;
	int r = recording_create(path, &save.fd, &beside, e);

	if (r < 0)
		return r;
	/* What AFTER adds must not push out what is being written. */
	k->max_bytes = UINT64_MAX;
	r = save_newest(k, &save, &figures, &first, path, e);
	k->max_bytes = max_bytes;
	if (close(save.fd) && r >= 0)
		r = err_set(e, errno, "cannot finish %s: %s", path, strerror(errno));
	if (r >= 0)
		r = recording_place(beside, path, e);
	if (r < 0)
		unlink(beside);
	else
		*ret = (struct flight_recorder_saved){
			.bytes = save.bytes, .ns = meta->duration_ns - k->segment.v[first]->meta.duration_ns,
			.error = first ? save.error : 0,
		};
	return r;
}

uint64_t flight_recorder_bytes(const struct flight_recorder *k)
{
	return k->bytes;
}
