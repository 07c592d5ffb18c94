/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.c - the recorder: a queue in front of a thread, an encoder in it, a file behind it.
 *
 * The engine puts events into the queue and never waits. The thread wakes twice a second, or when
 * the queue is half full, encodes what has come and writes it, block by block, one write() each, so
 * that a crash costs at most what came since: less than a second with room to spare. It is the only
 * one that touches the encoder and, after recorder_open(), the file. When a write fails the file is
 * cut back to its last whole block and nothing more is written; the error is kept.
 */
#include "config.h"

#include "record/recording.h"

#include "base/clock.h"
#include "base/numbered.h"
#include "base/thread.h"
#include "base/units.h"
#include "model/probenotes.h"
#include "numa/state.h"
#include "record/create.h"
#include "record/encoder.h"
#include "record/flight_recorder.h"
#include "record/metasum.h"
#include "record/queue.h"
#include "record/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#define FLUSH_NS (NSEC_PER_SEC / 2)
#define EPOCH_NS (60 * NSEC_PER_SEC)
#define HITS_MAX 4096u                   /* by themselves, between two flushes; 1.6 MB */
#define NAMES_BUDGET 65536u              /* frames looked at in one flush: a few ms */
#define LINGER_NS NSEC_PER_SEC           /* a file of several waits so long for names that are still looked up */
#define LINGER_STEP_NS (50 * NSEC_PER_MSEC)

struct recorder {
	char *path;
	int fd;                          /* locked while it is open, unless lent */
	bool lent;                       /* fd is somebody else's */
	bool numbered, midway;           /* as in recorder_config */
	char *beside;                    /* the file's name until it has its header and takes its place; then NULL */
	int wake;                        /* eventfd */
	pthread_t thread;
	bool started;
	struct event_queue queue;
	_Atomic bool stop, failed;
	_Atomic uint64_t written;        /* whole blocks, bytes, in all files */
	_Atomic uint64_t held;           /* bytes of what is kept */
	uint64_t max_bytes;              /* of one file; 0 = there is but one */
	unsigned int max_files;
	struct flight_recorder *keep;               /* NULL = it is written as it comes */
	_Atomic bool save;               /* what is kept is wanted */

	pthread_mutex_t lock;            /* over the next ones, held only to copy */
	struct profile_meta meta;
	bool meta_new;
	struct numa_state *numa;         /* a reference, to be written; NULL = nothing new */
	struct probe_notes *probes;      /* the same */
	VEC(struct told_hit) hits;       /* to be written */
	struct err err;
	struct recorder_saved saved;
	bool saved_new;

	/* The thread's own. */
	struct encoder *enc;
	struct stream stream;
	uint64_t numa_too_large;         /* states that were left out */
	uint64_t file_bytes;             /* whole blocks of this file */
	unsigned int files;              /* begun */
	struct profile_meta told;        /* figures as they were written last, since the beginning of all files */
	/* the same when this file began; for the first one only when it began midway (lock) */
	struct profile_meta base;
	struct numa_state *numa_last;    /* a reference: written last */
	struct probe_notes *probes_last; /* the same */
	struct probe_notes *probes_base; /* the same when this file began; NULL = none was (lock) */
	struct numa_figures numa_base, numa_told;        /* the same; as told last */
	uint64_t linger_ns;              /* until when a full file waits for names; 0 = it is not full */
	uint64_t flush_ns, epoch_ns;     /* when the next ones are due */
};

static void writer_fail(struct recorder *r, const struct err *why)
{
	pthread_mutex_lock(&r->lock);
	if (!r->err.code)
		r->err = *why;
	pthread_mutex_unlock(&r->lock);
	atomic_store(&r->failed, true);
}

static void fail_nomem(struct recorder *r)
{
	struct err why = ERR_INIT;

	err_nomem(&why, "the recording");
	writer_fail(r, &why);
}

static void fail_write(struct recorder *r, int code)
{
	const uint64_t whole = r->file_bytes;
	/*
	 * What cannot be cut back (a pipe, a file that others write to as well) ends in a part of a
	 * block, which readers recognise.
	 */
	const bool cut_back = !r->lent && ftruncate(r->fd, (off_t)whole) == 0;
	struct err why = ERR_INIT;

	if (r->beside && r->files > 1)
		err_set(&why, code, "cannot begin another file of %s: %s; the recording ends with the one before",
			r->path, strerror(code));
	else if (!whole)
		err_set(&why, code, "cannot write to %s: %s; nothing was recorded; choose another place "
			"with -o", r->path, strerror(code));
	else
		err_set(&why, code, "cannot write to %s: %s; the recording %s after %" PRIu64
			" bytes and can be read up to there", r->path, strerror(code),
			cut_back ? "ends" : "breaks off", whole);
	writer_fail(r, &why);
}

/* Something that does not want to wait, as a terminal's or ssh's pipe may be set up, is waited for here. */
static void wait_for_room(const struct recorder *r)
{
	struct pollfd p = { .fd = r->fd, .events = POLLOUT };

	poll(&p, 1, -1);
}

/* Writes N bytes that make one whole: all of them count as written, or none. */
static bool write_whole(void *ctx, const uint8_t *p, size_t n)
{
	struct recorder *r = ctx;
	size_t done = 0;

	while (done < n) {
		const ssize_t k = write(r->fd, p + done, n - done);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0 && errno == EAGAIN) {
			wait_for_room(r);
			continue;
		}
		if (k <= 0) {
			fail_write(r, k ? errno : EIO);
			return false;
		}
		done += (size_t)k;
	}
	r->file_bytes += n;
	atomic_fetch_add(&r->written, n);
	return true;
}

static bool writer_stopped(const struct recorder *r)
{
	return atomic_load(&r->failed);
}

/* What the stream has said; false that is no failed write is a lack of memory. */
static void writer_must(struct recorder *r, bool ok)
{
	if (!ok && !writer_stopped(r))
		fail_nomem(r);
}

/* The figures of now, of this file alone. */
static struct profile_meta file_meta(struct recorder *r, bool *ret_is_new)
{
	struct profile_meta meta, base;

	pthread_mutex_lock(&r->lock);
	*ret_is_new = r->meta_new;
	r->meta_new = false;
	meta = r->meta;
	base = r->base;
	pthread_mutex_unlock(&r->lock);
	meta.numa_too_large = r->numa_too_large;
	r->told = meta;
	if (r->files > 1 || r->midway)
		meta_since(&meta, &base);
	return meta;
}

static void write_new_meta(struct recorder *r)
{
	bool is_new;
	const struct profile_meta meta = file_meta(r, &is_new);

	if (is_new && !r->keep)
		writer_must(r, stream_meta(&r->stream, &meta));
}

static void write_new_numa(struct recorder *r)
{
	struct numa_state of_file, *state;
	bool too_large = false;

	pthread_mutex_lock(&r->lock);
	state = take_ptr(r->numa);
	pthread_mutex_unlock(&r->lock);
	if (!state)
		return;
	/* A copy to read from: what it owns stays the state's. */
	memcpy(&of_file, state, sizeof(of_file));
	r->numa_told = state->figures;
	pthread_mutex_lock(&r->lock);
	numa_figures_since(&of_file.figures, &r->numa_base);
	pthread_mutex_unlock(&r->lock);
	if (!r->keep)
		writer_must(r, stream_numa(&r->stream, &of_file, &too_large));
	r->numa_too_large += too_large;
	numa_state_unref(r->numa_last);
	r->numa_last = state;
}

/* STATE as what this file has to say of it. */
static void writer_put_probes(struct recorder *r, const struct probe_notes *state)
{
	AUTO(probe_notes_unref) struct probe_notes *base = NULL, *own = NULL;

	pthread_mutex_lock(&r->lock);
	base = probe_notes_ref(r->probes_base);
	pthread_mutex_unlock(&r->lock);
	if (base)
		own = probe_notes_since(state, base);
	writer_must(r, (own || !base) && stream_probes(&r->stream, base ? own : state));
}

static void write_new_probes(struct recorder *r)
{
	struct probe_notes *state;

	pthread_mutex_lock(&r->lock);
	state = take_ptr(r->probes);
	pthread_mutex_unlock(&r->lock);
	if (!state)
		return;
	if (!r->keep)
		writer_put_probes(r, state);
	probe_notes_unref(r->probes_last);
	r->probes_last = state;
}

/* A file that has its size takes no more events, but names for a while. */
static void check_size(struct recorder *r)
{
	if (r->max_bytes && !r->linger_ns && r->file_bytes >= r->max_bytes)
		r->linger_ns = clock_mono_ns() + LINGER_NS;
}

/* Takes in some of the names that became known. */
static void encode_names(struct recorder *r)
{
	bool done;

	writer_must(r, encoder_names(r->enc, NAMES_BUDGET, &done));
}

/* Writes what was taken in, with some of the names or ALL of them that are known, and figures that are new. */
static void write_taken(struct recorder *r, bool all_names)
{
	if (!writer_stopped(r) && all_names)
		writer_must(r, stream_names(&r->stream));
	else if (!writer_stopped(r))
		encode_names(r);
	if (!writer_stopped(r))
		writer_must(r, stream_tables(&r->stream));
	if (!writer_stopped(r))
		write_new_numa(r);
	if (!writer_stopped(r))
		write_new_probes(r);
	if (!writer_stopped(r))
		write_new_meta(r);
}

/* What is in memory has a segment of its own for each stretch of time. */
static void next_segment(struct recorder *r, uint64_t now)
{
	encoder_restart(r->enc);
	writer_must(r, flight_recorder_segment(r->keep, now, &r->told, &r->numa_told, r->probes_last));
}

/*
 * The events taken in fill a block. What is in memory is bounded however fast they come: it does
 * not wait for the next flush.
 */
static void block_full(struct recorder *r)
{
	writer_must(r, stream_tables(&r->stream));
	if (writer_stopped(r) || !r->keep || !flight_recorder_full(r->keep))
		return;
	write_taken(r, false);
	if (!writer_stopped(r))
		next_segment(r, clock_mono_ns());
}

static void encode_queue(struct recorder *r)
{
	const struct event *ev;

	while (!writer_stopped(r) && !r->linger_ns && (ev = queue_peek(&r->queue))) {
		const bool ok = encoder_event(r->enc, ev);

		queue_drop(&r->queue);
		if (!ok)
			fail_nomem(r);
		else if (encoder_full(r->enc))
			block_full(r);
		check_size(r);
	}
}

static void encode_hits(struct recorder *r)
{
	struct told_hit *v;
	size_t n;

	pthread_mutex_lock(&r->lock);
	v = r->hits.v;
	n = r->hits.n;
	r->hits.v = NULL;
	r->hits.n = r->hits.cap = 0;
	pthread_mutex_unlock(&r->lock);
	for (size_t i = 0; i < n && !writer_stopped(r); i++)
		writer_must(r, encoder_hit(r->enc, &v[i]));
	free(v);
}

/* Writes what has come. */
static void writer_flush(struct recorder *r, bool all_names)
{
	encode_queue(r);
	encode_hits(r);
	write_taken(r, all_names);
}

static void begin_epoch(struct recorder *r)
{
	bool is_new;
	const struct profile_meta meta = file_meta(r, &is_new);

	writer_must(r, stream_epoch(&r->stream, &meta));
}

static void writer_wait_for_work(struct recorder *r)
{
	const uint64_t now = clock_mono_ns();
	const uint64_t left = r->flush_ns > now ? r->flush_ns - now : 0;
	struct pollfd p = { .fd = r->wake, .events = POLLIN };
	uint64_t drained;

	if (poll(&p, 1, (int)(left / NSEC_PER_MSEC) + 1) > 0 && read(r->wake, &drained, sizeof(drained)) < 0)
		return;
}

/* A file with its header and the figures of META, from which on it counts, in its place. */
static int begin_file(struct recorder *r, const struct profile_meta *meta, struct err *e)
{
	int code = r->lent ? 0 : recording_create(r->path, &r->fd, &r->beside, e);
	struct profile_meta own = *meta;

	if (code < 0)
		return code;
	r->file_bytes = 0;
	if (r->files++ || r->midway)
		meta_since(&own, meta);
	writer_must(r, stream_begin(&r->stream, &own));
	code = recorder_status(r, e);
	if (code == 0 && r->max_bytes)
		code = recording_shift(r->path, r->max_files, e);
	if (code == 0 && r->beside)
		code = recording_place(r->beside, r->path, e);
	if (code < 0)
		return code;
	free(r->beside);
	r->beside = NULL;
	return 0;
}

static void writer_drain(void *ctx)
{
	encode_queue(ctx);
}

/*
 * Writes what is kept to PATH. When there was room for a part of it only, that is there, and E has
 * a sentence all the same.
 */
static int writer_save(struct recorder *r, const char *path, struct flight_recorder_saved *ret, struct err *e)
{
	struct flight_recorder_states states;
	char time[UNITS_MAX];
	int code;

	writer_flush(r, true);
	if (writer_stopped(r))
		return recorder_status(r, e);
	states = (struct flight_recorder_states){ .numa = r->numa_last, .probes = r->probes_last };
	code = flight_recorder_save(r->keep, path, &r->told, &states, writer_drain, r, ret, e);
	if (code >= 0 && ret->error)
		err_set(e, ret->error, "cannot write all that was kept to %s: %s; it has the last %s", path,
			strerror(ret->error), units_time(time, ret->ns));
	/* There is no option that names another file. */
	if (code < 0 && r->numbered)
		err_set(e, -code, "cannot save %s: %s; %s", path, strerror(-code), numbered_remedy(-code));
	return code;
}

/* The first of PATH.1, PATH.2, ... that is free, or of PATH-1.sberf, PATH-2.sberf, ... */
static int free_name(const struct recorder *r, char *dst, size_t size, struct err *e)
{
	AUTO_FREE char *before = NULL;

	if (asprintf(&before, "%s%c", r->path, r->numbered ? '-' : '.') < 0) {
		before = NULL;
		return err_nomem(e, "a file name");
	}
	return numbered_name(dst, size, before, r->numbered ? RECORDING_SUFFIX : "", e);
}

static void tell_saved(struct recorder *r, const struct recorder_saved *saved)
{
	pthread_mutex_lock(&r->lock);
	r->saved = *saved;
	r->saved.kept = true;
	r->saved_new = true;
	pthread_mutex_unlock(&r->lock);
}

/* Somebody wants what is kept. A disk that is full does not end the recording. */
static void save_wanted(struct recorder *r)
{
	struct recorder_saved saved = { .path = "" };
	struct flight_recorder_saved got = { 0 };
	int code = free_name(r, saved.path, sizeof(saved.path), &saved.err);

	if (code >= 0)
		code = writer_save(r, saved.path, &got, &saved.err);
	if (code < 0)
		saved.path[0] = '\0';
	saved.bytes = got.bytes;
	saved.ns = got.ns;
	tell_saved(r, &saved);
}

static void save_at_end(struct recorder *r)
{
	struct recorder_saved saved = { .path = "" };
	struct flight_recorder_saved got;
	int code = 0;

	if (r->numbered)
		code = free_name(r, saved.path, sizeof(saved.path), &saved.err);
	else
		snprintf(saved.path, sizeof(saved.path), "%s", r->path);
	if (code >= 0)
		code = writer_save(r, r->numbered ? saved.path : r->path, &got, &saved.err);
	if (code >= 0)
		atomic_store(&r->written, got.bytes);
	if (saved.err.code) {
		writer_fail(r, &saved.err);
		return;
	}
	saved.bytes = got.bytes;
	saved.ns = got.ns;
	tell_saved(r, &saved);
}

/* Takes what was recorded to its end: names, figures, end mark. */
static void end_file(struct recorder *r)
{
	if (r->keep) {
		save_at_end(r);
		return;
	}
	writer_flush(r, true);
	if (!writer_stopped(r))
		writer_must(r, stream_end(&r->stream));
}

/* The next file has the last state of nodes and of probes too, unless a newer one has come. */
static void writer_again(struct recorder *r)
{
	pthread_mutex_lock(&r->lock);
	if (!r->numa)
		r->numa = numa_state_ref(r->numa_last);
	if (!r->probes)
		r->probes = probe_notes_ref(r->probes_last);
	pthread_mutex_unlock(&r->lock);
}

/* Ends this file and begins the next one. */
static void next_file(struct recorder *r)
{
	struct err why = ERR_INIT;

	end_file(r);
	if (writer_stopped(r))
		return;
	pthread_mutex_lock(&r->lock);
	r->base = r->told;
	r->numa_base = r->numa_told;
	probe_notes_unref(r->probes_base);
	r->probes_base = probe_notes_ref(r->probes_last);
	pthread_mutex_unlock(&r->lock);
	writer_again(r);
	encoder_restart(r->enc);
	if (close(take_fd(&r->fd)))
		err_set(&why, errno, "cannot finish %s: %s", r->path, strerror(errno));
	else if (begin_file(r, &r->base, &why) >= 0)
		return;
	else
		err_prefix(&why, "cannot begin another file");
	writer_fail(r, &why);
}

/* A full file is ended when its names are known, or have taken too long, or events wait. */
static void writer_linger(struct recorder *r, uint64_t now)
{
	encode_names(r);
	if (writer_stopped(r))
		return;
	if (now < r->linger_ns && queue_fill(&r->queue) < QUEUE_EVENTS / 2 && !encoder_all_named(r->enc)) {
		r->flush_ns = now + LINGER_STEP_NS;
		return;
	}
	next_file(r);
	r->linger_ns = 0;
	r->epoch_ns = now + EPOCH_NS;
	r->flush_ns = now + FLUSH_NS;
}

static void *writer_main(void *arg)
{
	struct recorder *r = arg;
	uint64_t now = clock_mono_ns();

	r->flush_ns = now + FLUSH_NS;
	r->epoch_ns = now + EPOCH_NS;
	while (!atomic_load(&r->stop) && !writer_stopped(r)) {
		writer_wait_for_work(r);
		now = clock_mono_ns();
		if (atomic_exchange(&r->save, false))
			save_wanted(r);
		if (r->linger_ns) {
			writer_linger(r, now);
			continue;
		}
		/* Of what comes fast memory takes no more than of what comes slowly. */
		if (now < r->flush_ns && !(r->keep && flight_recorder_due(r->keep, now))) {
			encode_queue(r);
			continue;
		}
		writer_flush(r, false);
		check_size(r);
		if (r->keep)
			atomic_store(&r->held, flight_recorder_bytes(r->keep));
		r->flush_ns = now + FLUSH_NS;
		if (r->keep) {
			if (flight_recorder_due(r->keep, now) && !writer_stopped(r))
				next_segment(r, now);
		} else if (now >= r->epoch_ns && !writer_stopped(r)) {
			begin_epoch(r);
			r->epoch_ns = now + EPOCH_NS;
		}
	}
	/* Here is no waiting for names: whoever stops it has waited. */
	encode_queue(r);
	while (!writer_stopped(r) && r->linger_ns && queue_fill(&r->queue)) {
		next_file(r);
		r->linger_ns = 0;
		encode_queue(r);
	}
	if (!writer_stopped(r))
		end_file(r);
	return NULL;
}

/*
 * The thread takes no signals: those belong to the main program, and SIGXFSZ and SIGPIPE would end
 * it where errno will do.
 */
static int writer_start_thread(struct recorder *r, struct err *e)
{
	sigset_t all, before;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	code = pthread_create(&r->thread, NULL, writer_main, r);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code)
		return err_set(e, code, "cannot start the recorder thread: %s", strerror(code));
	r->started = true;
	return 0;
}

static void recorder_free(struct recorder *r)
{
	if (r->beside)
		unlink(r->beside);
	if (r->fd >= 0 && !r->lent)
		close(r->fd);
	if (r->wake >= 0)
		close(r->wake);
	encoder_free(r->enc);
	flight_recorder_free(r->keep);
	numa_state_unref(r->numa);
	numa_state_unref(r->numa_last);
	probe_notes_unref(r->probes);
	probe_notes_unref(r->probes_last);
	probe_notes_unref(r->probes_base);
	stream_free(&r->stream);
	vec_free(&r->hits);
	free(r->queue.event);
	free(r->beside);
	free(r->path);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static struct recorder *recorder_new(const struct recorder_config *c, const struct dict *dict,
				     const struct names *names)
{
	struct recorder *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	thread_mutex_init(&r->lock);
	r->wake = -1;
	r->lent = c->fd > 0;
	r->fd = r->lent ? c->fd : -1;
	r->path = strdup(c->path);
	r->numbered = c->numbered;
	r->midway = c->midway;
	r->max_bytes = c->max_bytes;
	r->max_files = c->max_files;
	r->queue.event = calloc(QUEUE_EVENTS, sizeof(*r->queue.event));
	r->enc = encoder_new(dict, names);
	r->stream = (struct stream){ .write = write_whole, .ctx = r, .enc = r->enc };
	r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->keep_ns) {
		r->keep = flight_recorder_new(c->keep_ns, c->keep_bytes);
		r->stream.write = flight_recorder_block;
		r->stream.ctx = r->keep;
	}
	if ((r->keep || !c->keep_ns) && r->path && r->queue.event && r->enc && r->wake >= 0)
		return r;
	recorder_free(r);
	return NULL;
}

/* Nothing is written yet, but it will be possible, as far as can be told. */
static int begin_keep(struct recorder *r, const struct profile_meta *meta, struct err *e)
{
	char first[sizeof(r->saved.path)];
	int code = r->numbered ? free_name(r, first, sizeof(first), e) : 0;

	if (code >= 0)
		code = recording_create(r->numbered ? first : r->path, &r->fd, &r->beside, e);
	if (code < 0)
		return code;
	unlink(r->beside);
	free(r->beside);
	r->beside = NULL;
	close(take_fd(&r->fd));
	r->told = *meta;
	return flight_recorder_segment(r->keep, clock_mono_ns(), meta, &r->numa_told, NULL) ? 0 :
		err_nomem(e, "the recording");
}

static int writer_begin(struct recorder *r, const struct profile_meta *meta, struct err *e)
{
	const int code = r->keep ? begin_keep(r, meta, e) : begin_file(r, meta, e);

	if (code < 0)
		return code;
	r->meta = r->base = *meta;
	return writer_start_thread(r, e);
}

int recorder_open(const struct recorder_config *c, const struct dict *dict, const struct names *names,
		  const struct profile_meta *meta, struct recorder **ret, struct err *e)
{
	struct recorder *r = recorder_new(c, dict, names);
	int code;

	if (!r)
		return err_nomem(e, "the recorder");
	code = writer_begin(r, meta, e);
	if (code < 0) {
		recorder_free(r);
		return code;
	}
	*ret = r;
	return 0;
}

static void writer_wake(struct recorder *r)
{
	const uint64_t one = 1;

	/* It can only fail when the counter is full, and then the thread is awake. */
	if (write(r->wake, &one, sizeof(one)) < 0)
		return;
}

bool recorder_event(struct recorder *r, const struct event *ev)
{
	uint32_t fill;

	if (writer_stopped(r) || !queue_put(&r->queue, ev, &fill))
		return false;
	if (fill == QUEUE_EVENTS / 2)
		writer_wake(r);
	return true;
}

bool recorder_hit(struct recorder *r, const struct told_hit *h)
{
	struct told_hit *at;

	pthread_mutex_lock(&r->lock);
	at = r->hits.n < HITS_MAX ? vec_push(&r->hits) : NULL;
	if (at)
		*at = *h;
	pthread_mutex_unlock(&r->lock);
	return at;
}

void recorder_meta(struct recorder *r, const struct profile_meta *meta)
{
	pthread_mutex_lock(&r->lock);
	r->meta = *meta;
	r->meta_new = true;
	pthread_mutex_unlock(&r->lock);
}

void recorder_since(struct recorder *r, const struct profile_meta *meta, const struct numa_figures *numa,
		    struct probe_notes *probes)
{
	pthread_mutex_lock(&r->lock);
	r->base = *meta;
	if (numa)
		r->numa_base = *numa;
	probe_notes_unref(r->probes_base);
	r->probes_base = probe_notes_ref(probes);
	pthread_mutex_unlock(&r->lock);
	recorder_meta(r, meta);
}

void recorder_numa(struct recorder *r, struct numa_state *state)
{
	struct numa_state *old;

	pthread_mutex_lock(&r->lock);
	old = r->numa;
	r->numa = numa_state_ref(state);
	pthread_mutex_unlock(&r->lock);
	numa_state_unref(old);
}

void recorder_probes(struct recorder *r, struct probe_notes *state)
{
	struct probe_notes *old;

	pthread_mutex_lock(&r->lock);
	old = r->probes;
	r->probes = probe_notes_ref(state);
	pthread_mutex_unlock(&r->lock);
	probe_notes_unref(old);
}

void recorder_save(struct recorder *r)
{
	if (!r->keep)
		return;
	atomic_store(&r->save, true);
	writer_wake(r);
}

bool recorder_saved(struct recorder *r, struct recorder_saved *ret)
{
	bool is_new;

	pthread_mutex_lock(&r->lock);
	is_new = r->saved_new;
	r->saved_new = false;
	if (is_new)
		*ret = r->saved;
	pthread_mutex_unlock(&r->lock);
	return is_new;
}

int recorder_status(struct recorder *r, struct err *e)
{
	int code;

	pthread_mutex_lock(&r->lock);
	code = r->err.code;
	if (code && e)
		*e = r->err;
	pthread_mutex_unlock(&r->lock);
	return -code;
}

uint64_t recorder_bytes(const struct recorder *r)
{
	return atomic_load(&r->written);
}

uint64_t recorder_held(const struct recorder *r)
{
	return atomic_load(&r->held);
}

int recorder_close(struct recorder *r, const struct profile_meta *meta, uint64_t *ret_bytes, struct err *e)
{
	struct recorder_saved saved;
	const int code = recorder_end(r, meta, &saved, e);

	if (ret_bytes)
		*ret_bytes = saved.bytes;
	return code;
}

/* Of what was written as events came. */
static struct recorder_saved whole_file(const struct recorder *r)
{
	struct recorder_saved s = { .bytes = recorder_bytes(r), .ns = r->told.duration_ns };

	snprintf(s.path, sizeof(s.path), "%s", r->path);
	if (r->midway)
		s.ns -= r->base.duration_ns < s.ns ? r->base.duration_ns : s.ns;
	return s;
}

int recorder_end(struct recorder *r, const struct profile_meta *meta, struct recorder_saved *ret, struct err *e)
{
	int code;

	recorder_meta(r, meta);
	atomic_store(&r->stop, true);
	writer_wake(r);
	if (r->started)
		pthread_join(r->thread, NULL);
	code = recorder_status(r, e);
	*ret = !r->keep ? whole_file(r) : code ? (struct recorder_saved){ .path = "" } : r->saved;
	if (!r->lent && r->fd >= 0 && close(take_fd(&r->fd)) && !code)
		code = err_set(e, errno, "cannot finish %s: %s", r->path, strerror(errno));
	recorder_free(r);
	return code;
}
