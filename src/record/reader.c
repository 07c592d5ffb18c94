/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.c - block after block through the decoder, and in the end a sentence about what was missing.
 */
#include "config.h"

#include "record/reader.h"

#include "record/metatext.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

struct reading {
	struct input in;
	struct decoder *decoder;
	struct load_report *report;
	struct profile_meta *meta;
	uint64_t next_seq;
	bool header_damaged;
	byte_vec raw;
};

/* The payload of B. With a codec that is not known it stays empty if B is left out in any case. */
static int unpack(struct reading *rd, const struct block *b, const uint8_t *stored, struct err *e)
{
	int r = 0;

	rd->raw.n = 0;
	if (b->codec <= CODEC_ZLIB)
		r = block_unpack(b, stored, &rd->raw);
	else if (b->type < BLOCK_TYPES)
		r = err_set(e, EPROTONOSUPPORT, "compressed in a way (codec %u) that this sberf does not know; read it with a "
			    "newer one", b->codec);
	return r == -ENOMEM ? err_nomem(e, "a block of a recording") : r;
}

/* Blocks that contradict what was read count as damaged, and so do those whose sequence numbers are missing. */
static int take_block(struct reading *rd, const struct block *b, const uint8_t *stored, struct err *e)
{
	int r;

	if (b->seq < rd->next_seq) {
		rd->report->damaged_blocks++;
		return 0;
	}
	rd->report->damaged_blocks += b->seq - rd->next_seq;
	rd->next_seq = (uint64_t)b->seq + 1;
	r = unpack(rd, b, stored, e);
	if (!r)
		r = decoder_block(rd->decoder, b, rd->raw.v, rd->raw.n, e);
	if (r == -EBADMSG) {
		rd->report->damaged_blocks++;
		return 0;
	}
	if (r < 0)
		err_prefix(e, "%s", rd->in.name);
	rd->report->blocks++;
	return r;
}

static void note(struct load_report *report, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds to the note, "; " between its parts. */
static void note(struct load_report *report, const char *fmt, ...)
{
	const size_t used = strlen(report->note);
	char *at = report->note + used;
	const size_t room = sizeof(report->note) - used;
	va_list ap;
	int sep = 0;

	if (used)
		sep = snprintf(at, room, "; ");
	if ((size_t)sep >= room)
		return;
	va_start(ap, fmt);
	vsnprintf(at + sep, room - (size_t)sep, fmt, ap);
	va_end(ap);
}

static void write_note(struct reading *rd, const struct decode_counts *c)
{
	struct load_report *report = rd->report;

	report->note[0] = '\0';
	if (report->cut_off)
		note(report, "the recording was cut off: its end is missing");
	if (rd->in.gave_up)
		note(report, "it is damaged from byte %" PRIu64 " on, and the rest was not read", rd->in.offset);
	else if (report->damaged_blocks || report->damaged_bytes)
		note(report, "%" PRIu64 " blocks (%" PRIu64 " bytes) are damaged, %" PRIu64 " events are known to be lost",
		     report->damaged_blocks, report->damaged_bytes, c->lost);
	else if (rd->header_damaged)
		note(report, "the header is damaged");
	if (c->unknown)
		note(report, "a newer sberf wrote it: %" PRIu64 " items of kinds unknown here were left out", c->unknown);
}

static int finish(struct reading *rd, struct err *e)
{
	struct profile_meta *m = rd->meta;
	struct decode_counts c;
	int r;

	r = decoder_end(rd->decoder, &c, e);
	if (r < 0)
		return r;
	rd->report->events = c.events;
	rd->report->cut_off = !c.ended;
	rd->report->damaged_bytes = rd->in.damaged_bytes;
	m->complete = c.ended;
	m->file_bytes = rd->in.offset;
	m->lost.n[LOST_DAMAGED] += c.lost;
	m->wait_short += c.short_waits;
	m->wait_short_ns += c.short_ns;
	if (!c.ended && m->start_mono_ns && c.last_ns > m->start_mono_ns && c.last_ns - m->start_mono_ns > m->duration_ns)
		m->duration_ns = c.last_ns - m->start_mono_ns;
	write_note(rd, &c);
	return 0;
}

static int read_blocks(struct reading *rd, struct err *e)
{
	const uint8_t *stored;
	struct block b;
	int r;

	while ((r = input_next(&rd->in, &b, &stored, e)) > 0) {
		r = take_block(rd, &b, stored, e);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	if (!rd->report->blocks)
		return err_set(e, EBADMSG, "%s has a header of sberf but no block that can be read", rd->in.name);
	return finish(rd, e);
}

static int read_all(struct reading *rd, struct err *e)
{
	struct record_header h;
	int r = input_open(&rd->in, &h, &rd->header_damaged, e);

	if (r < 0)
		return r;
	if (!rd->header_damaged) {
		rd->meta->start_real_ns = h.start_real_ns;
		rd->meta->start_mono_ns = h.start_mono_ns;
	}
	return read_blocks(rd, e);
}

int recording_read(const char *name, input_fn *read, void *ctx, const struct load_target *t, struct err *e)
{
	AUTO(decoder_free) struct decoder *decoder = decoder_new(t);
	struct reading rd = {
		.in = { .read = read, .ctx = ctx, .name = name },
		.decoder = decoder, .report = t->report, .meta = t->meta,
	};
	int r;

	if (!decoder)
		return err_nomem(e, "a profile from a recording");
	memset(t->report, 0, sizeof(*t->report));
	meta_init(t->meta);
	r = read_all(&rd, e);
	vec_free(&rd.raw);
	input_free(&rd.in);
	return r;
}

static ssize_t read_fd(void *ctx, void *dst, size_t n)
{
	ssize_t k;

	do
		k = read(*(const int *)ctx, dst, n);
	while (k < 0 && errno == EINTR);
	return k < 0 ? -errno : k;
}

int recording_load(const char *path, struct profile *p, struct names *names, struct profile_meta *meta,
		   struct load_report *report, const struct load_options *o, struct err *e)
{
	const struct load_options none = { 0 };
	const struct load_target t = { .profile = p, .names = names, .meta = meta, .report = report, .options = o ? *o : none };
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return err_set(e, errno, "cannot open %s: %s", path, strerror(errno));
	if (fstat(fd, &st))
		return err_set(e, errno, "cannot look at %s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(e, EISDIR, "%s is a directory; name the file of a recording", path);
	return recording_read(path, read_fd, &fd, &t, e);
}
