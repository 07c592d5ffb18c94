/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.c - block after block through the decoder, and in the end a sentence about what was
 * missing.
 */
#include "config.h"

#include "record/reader.h"

#include "base/progress.h"
#include "base/text.h"
#include "record/check_stats.h"
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
	struct check_stats *survey;   /* NULL = nobody wants it */
	byte_vec raw;
};

/* Running out of memory here costs a line of `sberf check`, not the recording. */
static void reader_tell(struct reading *rd, enum check_stats_damage_kind kind, uint64_t at, uint64_t n,
			unsigned int type)
{
	if (rd->survey)
		check_stats_damage(rd->survey, kind, at, n, type);
}

/* The payload of B. With a codec that is not known it stays empty if B is left out in any case. */
static int reader_unpack(struct reading *rd, const struct block *b, const uint8_t *stored, struct err *e)
{
	int r = 0;

	rd->raw.n = 0;
	if (b->codec <= CODEC_ZLIB)
		r = block_unpack(b, stored, &rd->raw);
	else if (b->type < BLOCK_TYPES)
		r = err_set(e, EPROTONOSUPPORT, "compressed in a way (codec %u) that this sberf does not know; "
			    "read it with a "
			    "newer one", b->codec);
	return r == -ENOMEM ? err_nomem(e, "a block of a recording") : r;
}

/* B, which begins at AT, is no good. */
static int damaged_block(struct reading *rd, enum check_stats_damage_kind kind, const struct block *b, uint64_t at)
{
	rd->report->damaged_blocks++;
	reader_tell(rd, kind, at, (uint64_t)BLOCK_HEADER_SIZE + b->stored_len, b->type);
	return 0;
}

static void count_block(struct reading *rd, const struct block *b)
{
	struct check_stats_type *t = rd->survey ? &rd->survey->type[b->type < BLOCK_TYPES ? b->type : 0] : NULL;

	rd->report->blocks++;
	if (!t)
		return;
	t->blocks++;
	t->stored_bytes += BLOCK_HEADER_SIZE + b->stored_len;
	t->raw_bytes += BLOCK_HEADER_SIZE + b->raw_len;
}

/* Whether the N blocks that are missing before AT are the one that was just told as damaged. */
static bool just_one(const struct reading *rd, uint64_t at, uint64_t n)
{
	const struct check_stats *s = rd->survey;
	const struct check_stats_damage *last = s && s->damage.n ? &s->damage.v[s->damage.n - 1] : NULL;

	return n == 1 && last && last->kind == DAMAGE_BYTES && last->type && last->at + last->n == at;
}

/* Blocks that contradict what was read count as damaged, and so do those whose sequence numbers are missing. */
static int take_block(struct reading *rd, const struct block *b, const uint8_t *stored, struct err *e)
{
	const uint64_t at = rd->in.offset - BLOCK_HEADER_SIZE - b->stored_len;
	int r;

	if (b->seq < rd->next_seq)
		return damaged_block(rd, DAMAGE_OUT_OF_ORDER, b, at);
	if (b->seq > rd->next_seq && !just_one(rd, at, b->seq - rd->next_seq))
		reader_tell(rd, DAMAGE_MISSING, at, b->seq - rd->next_seq, 0);
	rd->report->damaged_blocks += b->seq - rd->next_seq;
	rd->next_seq = (uint64_t)b->seq + 1;
	r = reader_unpack(rd, b, stored, e);
	if (!r)
		r = decoder_block(rd->decoder, b, rd->raw.v, rd->raw.n, e);
	if (r == -EBADMSG)
		return damaged_block(rd, DAMAGE_CONTENT, b, at);
	if (r < 0)
		err_prefix(e, "%s", rd->in.name);
	count_block(rd, b);
	return r;
}

static void reader_note(struct load_report *report, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds to the note, "; " between its parts. */
static void reader_note(struct load_report *report, const char *fmt, ...)
{
	size_t at = strlen(report->note);
	va_list ap;

	if (at)
		at += text_format(report->note + at, sizeof(report->note) - at, "; ");
	va_start(ap, fmt);
	text_vformat(report->note + at, sizeof(report->note) - at, fmt, ap);
	va_end(ap);
}

static void reader_write_note(struct reading *rd, const struct decode_counts *c)
{
	struct load_report *report = rd->report;

	report->note[0] = '\0';
	if (report->cut_off)
		reader_note(report, "the recording was cut off: its end is missing");
	if (rd->in.gave_up)
		reader_note(report, "it is damaged from byte %" PRIu64 " on, and the rest was not read", rd->in.offset);
	else if (report->damaged_blocks || report->damaged_bytes)
		reader_note(report, "%" PRIu64 " block%s (%" PRIu64 " bytes) damaged, %" PRIu64
			    " events known to be lost",
			    report->damaged_blocks, report->damaged_blocks == 1 ? "" : "s",
			    report->damaged_bytes, c->lost);
	else if (rd->header_damaged)
		reader_note(report, "the header is damaged");
	if (rd->meta->numa_too_large)
		reader_note(report, "states of the NUMA nodes that found no room in the recording: %" PRIu64,
			    rd->meta->numa_too_large);
	if (c->unknown)
		reader_note(report, "a newer sberf wrote it: %" PRIu64 " items of kinds unknown here were left out",
			    c->unknown);
}

static void finish_survey(struct check_stats *s, const struct decode_counts *c)
{
	s->first_ns = c->first_ns;
	s->last_ns = c->last_ns;
	s->epochs = c->epochs;
	s->lost_events = c->lost;
	memcpy(s->kind, c->kind, sizeof(s->kind));
	for (int i = 0; i < BLOCK_TYPES; i++) {
		s->type[i].rows = c->rows[i];
		s->type[i].lost_rows = c->lost_rows[i];
	}
}

static int reader_finish(struct reading *rd, struct err *e)
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
	if (!c.ended && m->start_mono_ns && c.last_ns > m->start_mono_ns &&
	    c.last_ns - m->start_mono_ns > m->duration_ns)
		m->duration_ns = c.last_ns - m->start_mono_ns;
	reader_write_note(rd, &c);
	if (rd->survey)
		finish_survey(rd->survey, &c);
	return 0;
}

/* What input_next() stepped over on its way to a block, or to the end. */
static void reader_tell_damage(struct reading *rd, uint64_t damaged_before)
{
	const struct input *in = &rd->in;

	if (in->gave_up)
		reader_tell(rd, DAMAGE_GAVE_UP, in->damaged_at, 0, 0);
	else if (in->cut)
		reader_tell(rd, DAMAGE_CUT, in->damaged_at, in->offset - in->damaged_at, in->damaged_type);
	else if (in->damaged_bytes > damaged_before)
		reader_tell(rd, DAMAGE_BYTES, in->damaged_at, in->damaged_bytes - damaged_before, in->damaged_type);
}

static int next_block(struct reading *rd, struct block *b, const uint8_t **ret_stored, struct err *e)
{
	const uint64_t damaged_before = rd->in.damaged_bytes;
	const int r = input_next(&rd->in, b, ret_stored, e);

	if (r >= 0)
		reader_tell_damage(rd, damaged_before);
	return r;
}

static int read_blocks(struct reading *rd, struct err *e)
{
	const uint8_t *stored;
	struct block b;
	int r;

	while ((r = next_block(rd, &b, &stored, e)) > 0) {
		r = take_block(rd, &b, stored, e);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	if (!rd->report->blocks)
		return err_set(e, EBADMSG, "%s has a header of sberf but no block that can be read", rd->in.name);
	return reader_finish(rd, e);
}

static int reader_read_all(struct reading *rd, struct err *e)
{
	struct record_header h = { 0 };
	int r = input_open(&rd->in, &h, &rd->header_damaged, e);

	if (r < 0)
		return r;
	if (rd->survey)
		rd->survey->header = h;
	if (rd->header_damaged)
		reader_tell(rd, DAMAGE_HEADER, 0, HEADER_SIZE, 0);
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
		.decoder = decoder, .report = t->report, .meta = t->meta, .survey = t->options.survey,
	};
	int r;

	if (!decoder)
		return err_nomem(e, "a profile from a recording");
	memset(t->report, 0, sizeof(*t->report));
	meta_init(t->meta);
	r = reader_read_all(&rd, e);
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

/* Where bytes come from, and whom that interests. */
struct followed {
	int fd;
	uint64_t done;
	struct progress *progress;
};

static ssize_t read_followed(void *ctx, void *dst, size_t n)
{
	struct followed *f = ctx;
	const ssize_t k = read_fd(&f->fd, dst, n);

	f->done += k > 0 ? (uint64_t)k : 0;
	if (f->progress)
		progress_at(f->progress, f->done);
	return k;
}

int recording_load_fd(int fd, const char *name, struct profile *p, struct names *names, struct profile_meta *meta,
		      struct load_report *report, const struct load_options *o, struct err *e)
{
	const struct load_options none = { 0 };
	const struct load_target t = { .profile = p, .names = names, .meta = meta, .report = report,
				       .options = o ? *o : none };
	struct followed f = { .fd = fd, .progress = t.options.progress };
	struct stat st;

	if (fstat(fd, &st))
		return err_set(e, errno, "cannot look at %s: %s", name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(e, EISDIR, "%s is a directory; name the file of a recording", name);
	if (f.progress && !f.progress->total && S_ISREG(st.st_mode))
		f.progress->total = (uint64_t)st.st_size;
	return recording_read(name, read_followed, &f, &t, e);
}

static int reader_peek(struct input *in, struct profile_meta *meta, uint8_t *ret_uuid, struct err *e)
{
	byte_vec raw = { 0 };
	struct record_header h = { 0 };
	const uint8_t *stored;
	bool damaged, found = false;
	struct block b;
	int r = input_open(in, &h, &damaged, e);

	if (r < 0)
		return r;
	if (!damaged) {
		memcpy(ret_uuid, h.uuid, sizeof(h.uuid));
		meta->start_real_ns = h.start_real_ns;
		meta->start_mono_ns = h.start_mono_ns;
	}
	while (!found && (r = input_next(in, &b, &stored, e)) > 0) {
		found = b.type == BLOCK_META && b.codec <= CODEC_ZLIB && !block_unpack(&b, stored, &raw);
		if (found)
			meta_parse(meta, raw.v, raw.n);
	}
	vec_free(&raw);
	return r < 0 ? r : 0;
}

int recording_peek(int fd, const char *name, struct profile_meta *meta, uint8_t *ret_uuid, struct err *e)
{
	struct input in = { .read = read_fd, .ctx = &fd, .name = name };
	int r;

	meta_init(meta);
	memset(ret_uuid, 0, UUID_SIZE);
	r = reader_peek(&in, meta, ret_uuid, e);
	input_free(&in);
	return r;
}

int recording_open(const char *path, const char **ret_name, struct err *e)
{
	int fd;

	*ret_name = strcmp(path, "-") ? path : "standard input";
	if (*ret_name == path) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		return fd < 0 ? err_set(e, errno, "cannot open %s: %s", path, strerror(errno)) : fd;
	}
	if (isatty(STDIN_FILENO))
		return err_set(e, EINVAL, "standard input is a terminal, which has no recording; give one with <FILE "
			       "or through a pipe");
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return fd < 0 ? err_set(e, errno, "cannot read standard input: %s", strerror(errno)) : fd;
}

int recording_load(const char *path, struct profile *p, struct names *names, struct profile_meta *meta,
		   struct load_report *report, const struct load_options *o, struct err *e)
{
	const char *name;
	AUTO_FD int fd = recording_open(path, &name, e);

	return fd < 0 ? fd : recording_load_fd(fd, name, p, names, meta, report, o, e);
}
