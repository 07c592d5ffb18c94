/* SPDX-License-Identifier: BSD-2-Clause */
/* input.c - a window over the stream that slides forward, and the search for blocks in it. */
#include "config.h"

#include "record/input.h"

#include "base/sizes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define READ_BYTES BUFFER_SIZE(256u << 10, 1024u)
/*
 * A file made of block headers that all promise much makes a checksum over much at every step: this
 * is where it ends.
 */
#define WASTE_MAX (256ull << 20)

/* Bytes at hand, after an attempt to have N. Negative errno when reading fails. */
static ssize_t input_want(struct input *in, size_t n, struct err *e)
{
	while (in->buf.n - in->at < n && !in->end) {
		const size_t room = n > READ_BYTES ? n : READ_BYTES;
		ssize_t k;

		if (in->at) {
			memmove(in->buf.v, in->buf.v + in->at, in->buf.n - in->at);
			in->buf.n -= in->at;
			in->at = 0;
		}
		if (!vec_reserve(&in->buf, room))
			return err_nomem(e, "a recording");
		k = in->read(in->ctx, in->buf.v + in->buf.n, READ_BYTES);
		if (k < 0)
			return err_set(e, (int)-k, "cannot read %s: %s", in->name, strerror((int)-k));
		in->end = k == 0;
		in->buf.n += (size_t)k;
	}
	return (ssize_t)(in->buf.n - in->at);
}

static void input_advance(struct input *in, size_t n)
{
	in->at += n;
	in->offset += n;
}

static const uint8_t *input_position(const struct input *in)
{
	return in->buf.v + in->at;
}

/* As far as a few bytes tell. */
static bool is_text(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < ' ' && p[i] != '\t' && p[i] != '\n' && p[i] != '\r')
			return false;
	return true;
}

static int not_a_recording(const struct input *in, size_t have, struct err *e)
{
	if (!have)
		return err_set(e, EBADMSG, "%s is empty; it is not a recording of sberf", in->name);
	if (have >= 8 && (!memcmp(input_position(in), "PERFILE2", 8) || !memcmp(input_position(in), "2ELIFREP", 8)))
		return err_set(e, EBADMSG, "%s is a recording of perf, not of sberf; read it with: perf report "
			       "-i %s", in->name, in->name);
	if (*input_position(in) != '<' && is_text(input_position(in), have < 8 ? have : 8))
		return err_set(e, EBADMSG, "%s is not a recording of sberf; report and diff read text of other tools "
			       "with --import", in->name);
	return err_set(e, EBADMSG, "%s is not a recording of sberf", in->name);
}

static int input_check_header(const struct input *in, const struct record_header *h, struct err *e)
{
	if (h->major > RECORD_MAJOR)
		return err_set(e, EPROTONOSUPPORT,
			       "%s was written by a newer sberf (format %u.%u, this one reads %u.x); read it "
			       "with a newer one", in->name, h->major, h->minor, RECORD_MAJOR);
	if (h->flags & UINT32_MAX)
		return err_set(e, EPROTONOSUPPORT, "%s uses a feature (flags 0x%" PRIx64
			       ") that this sberf does not know; read it with a newer one", in->name, h->flags);
	if (h->major < 1 || h->size < HEADER_SIZE || h->size > HEADER_SIZE_MAX)
		return err_set(e, EBADMSG, "%s has an impossible header (format %u.%u, %" PRIu32 " bytes)",
			       in->name, h->major, h->minor, h->size);
	return 0;
}

int input_open(struct input *in, struct record_header *h, bool *ret_damaged, struct err *e)
{
	ssize_t have = input_want(in, HEADER_SIZE, e);
	int r;

	if (have < 0)
		return (int)have;
	if (have < (ssize_t)RECORD_MAGIC_SIZE || memcmp(input_position(in), RECORD_MAGIC, RECORD_MAGIC_SIZE) != 0)
		return not_a_recording(in, (size_t)have, e);
	if (have < (ssize_t)HEADER_SIZE)
		return err_set(e, EBADMSG, "%s was cut off after %zd bytes: nothing of the recording is left",
			       in->name, have);
	*ret_damaged = !header_get(input_position(in), h);
	if (*ret_damaged) {
		input_advance(in, HEADER_SIZE);
		return 0;
	}
	r = input_check_header(in, h, e);
	if (r < 0)
		return r;
	in->stream = header_stream(h);
	in->stream_known = true;
	have = input_want(in, h->size, e);
	if (have < 0)
		return (int)have;
	input_advance(in, (size_t)have < h->size ? (size_t)have : h->size);
	return 0;
}

enum found { FOUND_BLOCK, FOUND_NOTHING, FOUND_CUT, FOUND_RECORDING };

/* What begins at the next byte, of which HAVE are at hand. */
static enum found probe_block(struct input *in, size_t have, struct block *b, struct err *e, int *ret_error)
{
	ssize_t whole;

	if (have < BLOCK_HEADER_SIZE)
		return !memcmp(input_position(in), BLOCK_MAGIC, have < BLOCK_MAGIC_SIZE ? have : BLOCK_MAGIC_SIZE) ?
												   FOUND_CUT :
												   FOUND_NOTHING;
	if (!block_get(input_position(in), b) || (in->stream_known && b->stream != in->stream))
		return FOUND_NOTHING;
	whole = input_want(in, BLOCK_HEADER_SIZE + b->stored_len, e);
	if (whole < 0) {
		*ret_error = (int)whole;
		return FOUND_NOTHING;
	}
	if (in->offset == in->damaged_at)
		in->damaged_type = b->type;
	if (whole < (ssize_t)(BLOCK_HEADER_SIZE + b->stored_len))
		return FOUND_CUT;
	if (block_intact(input_position(in), b))
		return FOUND_BLOCK;
	in->wasted += BLOCK_HEADER_SIZE + b->stored_len;
	return FOUND_NOTHING;
}

static enum found input_probe(struct input *in, struct block *b, struct err *e, int *ret_error)
{
	const ssize_t have = input_want(in, HEADER_SIZE, e);
	struct record_header h;

	if (have < 0) {
		*ret_error = (int)have;
		return FOUND_NOTHING;
	}
	if (have >= (ssize_t)HEADER_SIZE && !memcmp(input_position(in), RECORD_MAGIC, RECORD_MAGIC_SIZE) &&
	    header_get(input_position(in), &h))
		return FOUND_RECORDING;
	return probe_block(in, (size_t)have, b, e, ret_error);
}

/* Steps to the next byte at hand that a magic could begin with. */
static void input_step(struct input *in)
{
	const size_t have = in->buf.n - in->at;
	const uint8_t *s = memchr(input_position(in) + 1, BLOCK_MAGIC[0], have - 1);

	input_advance(in, s ? (size_t)(s - input_position(in)) : have);
}

/* Nothing more is found: what was stepped over since START is a block that was cut off, or damage. */
static int at_end(struct input *in, uint64_t start, bool cut_at_start)
{
	in->cut |= cut_at_start;
	if (!cut_at_start)
		in->damaged_bytes += in->offset - start;
	return 0;
}

int input_next(struct input *in, struct block *b, const uint8_t **ret_stored, struct err *e)
{
	const uint64_t start = in->offset;
	bool cut_at_start = false;
	int error = 0;

	in->damaged_at = start;
	in->damaged_type = 0;
	for (;;) {
		enum found found;
		ssize_t have = input_want(in, 1, e);

		if (have < 0)
			return (int)have;
		in->gave_up |= in->wasted > WASTE_MAX;
		if (!have || in->gave_up)
			return at_end(in, start, cut_at_start && !in->gave_up);
		found = input_probe(in, b, e, &error);
		if (error)
			return error;
		if (found == FOUND_RECORDING)
			return err_set(e, EBADMSG, "%s holds a second recording from byte %" PRIu64
				       " on; read one at a time, the first with: head -c %" PRIu64 " %s",
				       in->name, in->offset, in->offset, in->name);
		if (found == FOUND_BLOCK)
			break;
		cut_at_start |= found == FOUND_CUT && in->offset == start;
		input_step(in);
	}
	in->damaged_bytes += in->offset - start;
	in->stream = b->stream;
	in->stream_known = true;
	*ret_stored = input_position(in) + BLOCK_HEADER_SIZE;
	input_advance(in, BLOCK_HEADER_SIZE + b->stored_len);
	return 1;
}

void input_free(struct input *in)
{
	vec_free(&in->buf);
}
