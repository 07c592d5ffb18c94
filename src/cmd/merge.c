/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * merge.c - `sberf merge A B... -o C`: writes several recordings as one.
 *
 * Files are read one after the other, in the order in which they began, and each event is written
 * again with ids of C. Recordings of one boot of one machine (same host name, same difference
 * between its clocks) share a clock, so they keep their times and identities: the parts of a
 * rotated recording become the whole again. Times from other machines are moved by the difference
 * between the clocks. Threads, and other things that only the numbers of a machine tell apart, stay
 * apart.
 */
#include "config.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/units.h"
#include "cmd/options.h"
#include "cmd/pipes.h"
#include "plugin/sandbox.h"
#include "export/outfile.h"
#include "model/probenotes.h"
#include "numa/state.h"
#include "record/metasum.h"
#include "record/metatext.h"
#include "record/recording.h"
#include "record/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EPOCH_NS (60 * NSEC_PER_SEC)
#define SAME_BOOT_NS (5 * NSEC_PER_SEC)  /* the clocks of one boot may have drifted apart by this much */
#define PROFILE_BYTES (2ull << 30)       /* three quarters are for dictionaries, more than reading takes at most */

struct input {
	const char *path, *name;         /* as it was given, and for sentences */
	int fd;                          /* what can be opened only once stays open, as a file; -1 otherwise */
	struct profile_meta meta;
	struct load_report report;
	uint8_t uuid[UUID_SIZE];
	uint64_t bytes;
	uint64_t origin;                 /* 0 = that of the first one */
	int64_t shift_ns;                /* from its clock to that of the first one */
	struct numa_state *numa;         /* the last one; NULL = none */
	struct probe_notes *probes;      /* the same */
};

struct merge {
	struct input *input;
	size_t n;
	struct profile *profile;         /* for its dictionary */
	struct names *names;
	struct stream stream;
	struct profile_meta meta;        /* of all of them, so far */
	struct outfile out;
	struct progress progress;        /* of all that is read: WHAT */
	char what[64];
	uint64_t written, epoch_ns;      /* when the next epoch begins, by the times of events; 0 = not known yet */
	bool failed;
	int error;                       /* errno of a failed write */
};

static bool merge_write_bytes(void *ctx, const uint8_t *p, size_t n)
{
	struct merge *m = ctx;

	if (fwrite(p, 1, n, m->out.file) != n) {
		m->error = errno ? errno : EIO;
		return false;
	}
	m->written += n;
	return true;
}

static void merge_must(struct merge *m, bool ok)
{
	m->failed |= !ok;
}

static void next_epoch(struct merge *m)
{
	merge_must(m, stream_names(&m->stream) && stream_tables(&m->stream) && stream_epoch(&m->stream, &m->meta));
}

static void take_event(void *ctx, const struct event *ev)
{
	struct merge *m = ctx;

	if (m->failed)
		return;
	if (m->epoch_ns && ev->time_ns >= m->epoch_ns) {
		next_epoch(m);
		m->epoch_ns = 0;
	}
	if (!m->epoch_ns)
		m->epoch_ns = ev->time_ns + EPOCH_NS;
	merge_must(m, encoder_event(m->stream.enc, ev));
	if (!m->failed && encoder_full(m->stream.enc))
		merge_must(m, stream_tables(&m->stream));
}

static void merge_take_hit(void *ctx, const struct told_hit *h)
{
	struct merge *m = ctx;

	if (m->failed)
		return;
	merge_must(m, encoder_hit(m->stream.enc, h));
	if (!m->failed && encoder_full(m->stream.enc))
		merge_must(m, stream_tables(&m->stream));
}

static int cannot_write(const struct merge *m, struct err *e)
{
	if (!m->error)
		return err_nomem(e, "the merged recording");
	return err_set(e, m->error, "cannot write to %s: %s", m->out.path ? m->out.path : "standard output",
		       strerror(m->error));
}

/*
 * How much later the clocks of A's boot both were zero than those of B's, as it were. Whatever a
 * file says, it can be told.
 */
static int64_t boot_later_ns(const struct profile_meta *a, const struct profile_meta *b)
{
	return (int64_t)((a->start_real_ns - a->start_mono_ns) - (b->start_real_ns - b->start_mono_ns));
}

static bool same_boot(const struct profile_meta *a, const struct profile_meta *b)
{
	const int64_t later_ns = boot_later_ns(a, b);

	return !strcmp(a->host, b->host) && a->start_real_ns && b->start_real_ns && later_ns < (int64_t)SAME_BOOT_NS &&
	       later_ns > -(int64_t)SAME_BOOT_NS;
}

static int by_beginning(const void *va, const void *vb)
{
	const struct input *a = va, *b = vb;

	if (a->meta.start_real_ns != b->meta.start_real_ns)
		return a->meta.start_real_ns < b->meta.start_real_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* Of the same origin as one before it, or else of a new one. */
static void find_origin(struct merge *m, size_t nr)
{
	struct input *in = &m->input[nr];

	for (size_t i = 0; i < nr; i++) {
		if (!same_boot(&in->meta, &m->input[i].meta))
			continue;
		in->origin = m->input[i].origin;
		in->shift_ns = m->input[i].shift_ns;
		return;
	}
	if (!nr)
		return;
	in->origin = hash_bytes(in->uuid, sizeof(in->uuid)) | 1;
	if (in->meta.start_real_ns && m->input[0].meta.start_real_ns)
		in->shift_ns = boot_later_ns(&in->meta, &m->input[0].meta);
}

/* The beginning of IN. A recorder at the other end of a pipe gets its Ctrl-C. */
static int merge_look_at(struct input *in, struct err *e)
{
	const bool patient = pipes_begin_patience(in->path);
	bool copied = false;
	AUTO_FD int fd = -1;
	struct stat st;
	int r;

	pipes_say_waiting(in->path, "merge");
	fd = pipes_open_again(in->path, &copied, e);
	r = fd < 0 ? fd : recording_peek(fd, in->name, &in->meta, in->uuid, e);
	if (r >= 0 && !fstat(fd, &st))
		in->bytes = (uint64_t)st.st_size;
	if (r >= 0 && (copied || in->name != in->path))
		in->fd = take_fd(&fd);
	if (patient)
		pipes_end_patience();
	return r;
}

static int look_at_inputs(struct merge *m, const struct options *o, struct err *e)
{
	m->input = calloc(o->files.n, sizeof(*m->input));
	if (!m->input)
		return err_nomem(e, "the recordings");
	for (; m->n < o->files.n; m->n++) {
		struct input *in = &m->input[m->n];
		int r;

		in->path = o->files.v[m->n];
		in->name = pipes_name(in->path);
		in->fd = -1;
		r = merge_look_at(in, e);
		if (r < 0)
			return r;
	}
	qsort(m->input, m->n, sizeof(*m->input), by_beginning);
	for (size_t i = 0; i < m->n; i++)
		find_origin(m, i);
	return 0;
}

/* The same recording twice would count twice, which nobody wants. */
static int check_inputs(const struct merge *m, struct err *e)
{
	static const uint8_t none[UUID_SIZE];

	for (size_t i = 0; i < m->n; i++) {
		const struct input *a = &m->input[i];

		if (!memcmp(a->uuid, none, sizeof(none)))
			continue;
		for (size_t j = 0; j < i; j++)
			if (!memcmp(a->uuid, m->input[j].uuid, sizeof(a->uuid)))
				return err_set(e, EINVAL, "%s and %s are the same recording; give it once",
					       m->input[j].name, a->name);
	}
	return 0;
}

static uint64_t end_mono(const struct input *in)
{
	return in->meta.start_mono_ns + in->meta.duration_ns;
}

static void say_overlaps(const struct merge *m)
{
	for (size_t i = 1; i < m->n; i++) {
		for (size_t j = 0; j < i; j++) {
			const struct input *a = &m->input[j], *b = &m->input[i];

			if (a->origin != b->origin || b->meta.start_mono_ns >= end_mono(a))
				continue;
			fprintf(stderr, "sberf merge: %s and %s were made at the same time on the same machine; what "
				"both saw counts twice\n", a->name, b->name);
			return;
		}
	}
}

static void say_origins(const struct merge *m)
{
	size_t origins = 0;

	for (size_t i = 0; i < m->n; i++) {
		bool known = false;

		for (size_t j = 0; j < i; j++)
			known |= m->input[i].origin == m->input[j].origin;
		origins += !known;
	}
	if (origins > 1)
		fprintf(stderr, "sberf merge: of %zu machines or boots, whose times fit together as well as their "
			"clocks did; their CPUs and NUMA "
			"nodes are told apart by nothing but their numbers\n", origins);
}

static int merge_load(struct merge *m, struct input *in, const struct load_options *lo, struct err *e)
{
	if (in->fd < 0)
		return recording_load(in->path, m->profile, m->names, &in->meta, &in->report, lo, e);
	if (lseek(in->fd, 0, SEEK_SET) < 0)
		return err_set(e, errno, "cannot go back to the beginning of %s: %s", in->name, strerror(errno));
	return recording_load_fd(in->fd, in->name, m->profile, m->names, &in->meta, &in->report, lo, e);
}

static int load_one(struct merge *m, struct input *in, struct err *e)
{
	const struct load_options lo = {
		.progress = &m->progress, .each = take_event, .hit = merge_take_hit, .ctx = m, .only_each = true,
		.origin = in->origin, .shift_ns = in->shift_ns,
	};
	AUTO(snapshot_unref) struct snapshot *snapshot = NULL;
	int r;

	profile_numa(m->profile, NULL);
	profile_probes(m->profile, NULL);
	snprintf(m->what, sizeof(m->what), "sberf merge: recording %zu of %zu", (size_t)(in - m->input) + 1, m->n);
	r = merge_load(m, in, &lo, e);
	m->progress.before += in->bytes;
	if (r < 0)
		return r;
	if (in->report.note[0]) {
		progress_clear(&m->progress);
		fprintf(stderr, "sberf merge: %s: %s\n", in->name, in->report.note);
	}
	in->meta.lost.n[LOST_DAMAGED] += in->report.damaged_blocks;
	snapshot = profile_snapshot(m->profile);
	if (!snapshot)
		return err_nomem(e, "the merged recording");
	/* States never change once they are shared. */
	in->numa = numa_state_ref((struct numa_state *)snapshot_numa(snapshot));
	in->probes = probe_notes_ref((struct probe_notes *)snapshot_probes(snapshot));
	merge_must(m, !m->failed && stream_names(&m->stream) && stream_tables(&m->stream));
	return m->failed ? cannot_write(m, e) : 0;
}

/* For how long something was recorded: overlaps count once, and what lies between two recordings not at all. */
static uint64_t covered_ns(const struct merge *m)
{
	uint64_t sum = 0, until = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct profile_meta *one = &m->input[i].meta;
		const uint64_t from = one->start_mono_ns + (uint64_t)m->input[i].shift_ns, to = from + one->duration_ns;

		if (to <= until)
			continue;
		sum += to - (from > until ? from : until);
		until = to;
	}
	return sum;
}

/* Sum over machines of the most CPUs that were sampled at a time. */
static uint32_t all_cpus(const struct merge *m)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < m->n; i++) {
		uint32_t most = m->input[i].meta.cpus;
		bool first = true;

		for (size_t j = 0; j < m->n; j++) {
			if (m->input[j].origin != m->input[i].origin)
				continue;
			first &= j >= i;
			if (m->input[j].meta.cpus > most)
				most = m->input[j].meta.cpus;
		}
		sum += first ? most : 0;
	}
	return sum;
}

/* Figures of all. The commands are those that recorded, as a report keeps them: not this one, with its own paths. */
static void merge_sum_up(struct merge *m)
{
	const struct input *last = &m->input[0];
	bool one_target = true;

	m->meta = m->input[0].meta;
	for (size_t i = 1; i < m->n; i++) {
		const struct input *in = &m->input[i];

		one_target &= in->origin == last->origin && !strcmp(in->meta.target, last->meta.target);
		meta_add(&m->meta, &in->meta);
		if (end_mono(in) > end_mono(last))
			last = in;
	}
	if (one_target) {
		m->meta.target_state = last->meta.target_state;
		m->meta.end_code = last->meta.end_code;
	}
	m->meta.duration_ns = covered_ns(m);
	m->meta.cpus = all_cpus(m);
}

/* The state of nodes of whoever told last, with what all of them counted. */
static bool write_numa(struct merge *m)
{
	const struct input *last = NULL;
	struct numa_figures sum = { 0 };
	struct numa_state state;
	bool too_large = false, ok;

	for (size_t i = 0; i < m->n; i++) {
		if (!m->input[i].numa)
			continue;
		last = &m->input[i];
		numa_figures_add(&sum, &last->numa->figures);
	}
	if (!last)
		return true;
	memcpy(&state, last->numa, sizeof(state));
	state.figures = sum;
	state.time_ns += (uint64_t)last->shift_ns;
	if (state.sampled_from_ns)
		state.sampled_from_ns += (uint64_t)last->shift_ns;
	ok = stream_numa(&m->stream, &state, &too_large);
	m->meta.numa_too_large += too_large;
	return ok;
}

/* What all of them know of probes. */
static bool write_probes(struct merge *m)
{
	AUTO(probe_notes_unref) struct probe_notes *all = probe_notes_new();
	bool ok = all;

	for (size_t i = 0; i < m->n && ok; i++)
		if (m->input[i].probes)
			ok = probe_notes_add(all, m->input[i].probes, m->input[i].origin == m->input[0].origin);
	return ok && stream_probes(&m->stream, all);
}

static uint64_t all_bytes(const struct merge *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->n; i++)
		sum += m->input[i].bytes;
	return sum;
}

static int merge_all(struct merge *m, struct err *e)
{
	uint64_t events = 0;
	char n[UNITS_MAX], bytes[UNITS_MAX];
	int r = 0;

	m->meta = m->input[0].meta;
	if (!stream_begin(&m->stream, &m->meta))
		return cannot_write(m, e);
	progress_begin(&m->progress, m->what, all_bytes(m));
	for (size_t i = 0; i < m->n && r >= 0; i++) {
		r = load_one(m, &m->input[i], e);
		events += m->input[i].report.events;
	}
	progress_end(&m->progress);
	if (r < 0)
		return r;
	say_overlaps(m);
	merge_sum_up(m);
	if (!write_numa(m) || !write_probes(m) || !stream_meta(&m->stream, &m->meta) || !stream_end(&m->stream))
		return cannot_write(m, e);
	fprintf(stderr, "sberf merge: %zu recording%s, %s events, %s in %s\n", m->n, m->n == 1 ? "" : "s",
		units_thousands(n, events),
		units_bytes(bytes, m->written), m->out.path ? m->out.path : "standard output");
	return 0;
}

static int open_output(struct merge *m, const char *path, struct err *e)
{
	int r;

	if (!strcmp(path, "-") && isatty(STDOUT_FILENO))
		return err_set(e, EINVAL, "a recording is nothing to read on a terminal; name a file with -o");
	r = outfile_open(&m->out, path, NULL, e);
	/* Like every recording, it is for whoever made it. */
	if (r >= 0 && m->out.beside && fchmod(fileno(m->out.file), 0600))
		return outfile_close(&m->out, err_set(e, errno, "cannot make %s private: %s", path,
						      strerror(errno)), e);
	return r;
}

static int merge_prepare(struct merge *m, const struct options *o, struct err *e)
{
	const struct profile_limits limits = { .bytes = PROFILE_BYTES };
	int r;

	r = look_at_inputs(m, o, e);
	if (r >= 0)
		r = check_inputs(m, e);
	if (r < 0)
		return r;
	m->profile = profile_new(&limits);
	m->names = names_new();
	if (!m->profile || !m->names)
		return err_nomem(e, "the merged recording");
	m->stream.enc = encoder_new(profile_dict(m->profile), m->names);
	m->stream.write = merge_write_bytes;
	m->stream.ctx = m;
	return m->stream.enc ? open_output(m, o->output, e) : err_nomem(e, "the merged recording");
}

static void merge_free(struct merge *m)
{
	for (size_t i = 0; i < m->n; i++) {
		numa_state_unref(m->input[i].numa);
		probe_notes_unref(m->input[i].probes);
		if (m->input[i].fd >= 0)
			close(m->input[i].fd);
	}
	free(m->input);
	encoder_free(m->stream.enc);
	stream_free(&m->stream);
	names_free(m->names);
	profile_free(m->profile);
}

int merge_recordings(const struct options *o, struct err *e)
{
	struct merge *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return err_nomem(e, "the merged recording");
	r = merge_prepare(m, o, e);
	if (r >= 0) {
		say_origins(m);
		r = outfile_close(&m->out, merge_all(m, e), e);
	}
	merge_free(m);
	free(m);
	return r;
}

int cmd_merge(const struct options *o, struct err *e)
{
	const struct sandbox_reading keeps = { .opens = true, .writes = { o->output, pipes_folder() } };
	const int r = sandbox_reading(&keeps, e);

	return r < 0 ? r : merge_recordings(o, e);
}
