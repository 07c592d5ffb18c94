/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "record/stream.h"

#include "record/metatext.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

#define NAMES_AT_ONCE 65536u

static bool put_block(void *ctx, enum block_type type, const uint8_t *payload, size_t n)
{
	struct stream *s = ctx;
	bool ok;

	s->next.type = (uint16_t)type;
	if (s->enc)
		s->next.epoch = encoder_epoch(s->enc);
	ok = block_put(&s->next, payload, n, &s->packer, &s->out) && s->write(s->ctx, s->out.v, s->out.n);
	s->out.n = 0;
	s->next.seq += ok;
	return ok;
}

bool stream_block(struct stream *s, enum block_type type, const uint8_t *payload, size_t n)
{
	return put_block(s, type, payload, n);
}

bool stream_begin(struct stream *s, const struct profile_meta *meta)
{
	struct record_header h = {
		.major = RECORD_MAJOR, .minor = RECORD_MINOR, .size = HEADER_SIZE,
		.start_real_ns = meta->start_real_ns, .start_mono_ns = meta->start_mono_ns,
	};
	uint8_t bytes[HEADER_SIZE];

	if (getrandom(h.uuid, sizeof(h.uuid), 0) != (ssize_t)sizeof(h.uuid))
		return false;
	/* RFC 4122 version 4 */
	h.uuid[6] = (h.uuid[6] & 0x0f) | 0x40;
	h.uuid[8] = (h.uuid[8] & 0x3f) | 0x80;
	s->next = (struct block){ .stream = header_stream(&h) };
	s->told.n = 0;
	header_put(bytes, &h);
	/* What waits in OUT is written with the next block. */
	s->out.n = 0;
	return bytes_add(&s->out, bytes, sizeof(bytes)) && stream_meta(s, meta);
}

bool stream_tables(struct stream *s)
{
	return encoder_take(s->enc, put_block, s);
}

bool stream_names(struct stream *s)
{
	bool done = false;

	while (!done) {
		if (!encoder_names(s->enc, NAMES_AT_ONCE, &done))
			return false;
		if (encoder_full(s->enc) && !stream_tables(s))
			return false;
	}
	return true;
}

bool stream_meta(struct stream *s, const struct profile_meta *meta)
{
	byte_vec now = { 0 }, lines = { 0 };
	bool ok = meta_text(meta, &now) && meta_changed(&s->told, &now, &lines);

	if (ok && lines.n) {
		ok = put_block(s, BLOCK_META, lines.v, lines.n);
		vec_free(&s->told);
		s->told = now;
		now = (byte_vec){ 0 };
	}
	vec_free(&now);
	vec_free(&lines);
	return ok;
}

bool stream_numa(struct stream *s, const struct numa_state *state, bool *ret_too_large)
{
	size_t n;
	AUTO_FREE char *text = numa_state_write(state, &n);

	*ret_too_large = text && n > META_BYTES_MAX;
	return text && (*ret_too_large || put_block(s, BLOCK_NUMA, (const uint8_t *)text, n));
}

bool stream_probes(struct stream *s, const struct probe_notes *state)
{
	size_t n;
	AUTO_FREE char *text = state->probe.n ? probe_notes_write(state, &n) : NULL;

	return !state->probe.n || (text && put_block(s, BLOCK_PROBES, (const uint8_t *)text, n));
}

bool stream_epoch(struct stream *s, const struct profile_meta *meta)
{
	encoder_next_epoch(s->enc);
	s->told.n = 0;
	return stream_meta(s, meta);
}

bool stream_end(struct stream *s)
{
	const uint64_t events = s->enc ? encoder_events(s->enc) : s->events;
	char text[128];
	const int n = snprintf(text, sizeof(text), "events=%" PRIu64 "\nblocks=%" PRIu32 "\n", events, s->next.seq + 1);

	return put_block(s, BLOCK_END, (const uint8_t *)text, (size_t)n);
}

void stream_free(struct stream *s)
{
	packer_free(&s->packer);
	vec_free(&s->out);
	vec_free(&s->told);
}
