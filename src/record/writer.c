/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.c - the recorder: a queue in front of a thread, an encoder in it, a file behind it.
 *
 * The engine puts events into the queue and never waits. The thread wakes twice a second, or when the queue is half full,
 * encodes what has come and writes it, block by block, one write() each, so that a crash costs at most what came since: less
 * than a second with room to spare. It is the only one that touches the encoder and, after recorder_open(), the file.
 * When a write fails the file is cut back to its last whole block and nothing more is written; the error is kept.
 */
#include "config.h"

#include "record/recording.h"

#include "base/clock.h"
#include "record/block.h"
#include "record/create.h"
#include "record/encoder.h"
#include "record/metatext.h"
#include "record/queue.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/random.h>

#define FLUSH_NS (NSEC_PER_SEC / 2)
#define EPOCH_NS (60 * NSEC_PER_SEC)
#define NAMES_BUDGET 65536u              /* frames looked at in one flush: a few ms */

struct recorder {
	char *path;
	int fd;                          /* locked while it is open */
	char *beside;                    /* the file's name until it has its header and takes its place; then NULL */
	int wake;                        /* eventfd */
	pthread_t thread;
	bool started;
	struct event_queue queue;
	_Atomic bool stop, failed;
	_Atomic uint64_t written;        /* whole blocks, bytes */

	pthread_mutex_t lock;            /* over the next three, held only to copy */
	struct profile_meta meta;
	bool meta_new;
	struct err err;

	/* The thread's own. */
	struct encoder *enc;
	struct block next;               /* stream and sequence number of the next block */
	byte_vec out;                    /* one block */
	byte_vec told;                   /* the lines of META that are in the file, this epoch */
	uint64_t flush_ns, epoch_ns;     /* when the next ones are due */
};

static void fail(struct recorder *r, const struct err *why)
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
	fail(r, &why);
}

static void fail_write(struct recorder *r, int code)
{
	const uint64_t whole = atomic_load(&r->written);
	/* What cannot be cut back (a pipe) ends in a part of a block, which readers recognise. */
	const bool cut_back = ftruncate(r->fd, (off_t)whole) == 0;
	struct err why = ERR_INIT;

	if (r->beside)
		err_set(&why, code, "cannot write to %s: %s; nothing was recorded; choose another place with -o", r->path,
			strerror(code));
	else
		err_set(&why, code, "cannot write to %s: %s; the recording %s after %" PRIu64
			" bytes and can be read up to there", r->path, strerror(code), cut_back ? "ends" : "breaks off", whole);
	fail(r, &why);
}

/* Writes N bytes that make one whole: all of them count as written, or none. */
static bool write_whole(struct recorder *r, const uint8_t *p, size_t n)
{
	size_t done = 0;

	while (done < n) {
		const ssize_t k = write(r->fd, p + done, n - done);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0) {
			fail_write(r, k ? errno : EIO);
			return false;
		}
		done += (size_t)k;
	}
	atomic_fetch_add(&r->written, n);
	return true;
}

static bool write_block(void *ctx, enum block_type type, const uint8_t *payload, size_t n)
{
	struct recorder *r = ctx;

	r->out.n = 0;
	r->next.type = (uint16_t)type;
	r->next.epoch = encoder_epoch(r->enc);
	if (!block_put(&r->next, payload, n, &r->out)) {
		fail_nomem(r);
		return false;
	}
	if (!write_whole(r, r->out.v, r->out.n))
		return false;
	r->next.seq++;
	return true;
}

/* Writes the lines of META that are not in the file yet. */
static void write_meta(struct recorder *r, const struct profile_meta *meta)
{
	byte_vec now = { 0 }, lines = { 0 };

	if (!meta_text(meta, &now) || !meta_changed(&r->told, &now, &lines)) {
		fail_nomem(r);
	} else if (lines.n && write_block(r, BLOCK_META, lines.v, lines.n)) {
		vec_free(&r->told);
		r->told = now;
		now = (byte_vec){ 0 };
	}
	vec_free(&now);
	vec_free(&lines);
}

static void write_new_meta(struct recorder *r)
{
	struct profile_meta meta;
	bool is_new;

	pthread_mutex_lock(&r->lock);
	is_new = r->meta_new;
	r->meta_new = false;
	meta = r->meta;
	pthread_mutex_unlock(&r->lock);
	if (is_new)
		write_meta(r, &meta);
}

static bool stopped(const struct recorder *r)
{
	return atomic_load(&r->failed);
}

/* Writes the blocks that the encoder holds. */
static void write_tables(struct recorder *r)
{
	if (!encoder_take(r->enc, write_block, r) && !stopped(r))
		fail_nomem(r);
}

static void encode_queue(struct recorder *r)
{
	const struct event *ev;

	while (!stopped(r) && (ev = queue_peek(&r->queue))) {
		const bool ok = encoder_event(r->enc, ev);

		queue_drop(&r->queue);
		if (!ok)
			fail_nomem(r);
		else if (encoder_full(r->enc))
			write_tables(r);
	}
}

/* Takes in names: some of them, or with ALL every one that is known. */
static void encode_names(struct recorder *r, bool all)
{
	bool done = false;

	do {
		if (stopped(r))
			return;
		if (!encoder_names(r->enc, NAMES_BUDGET, &done))
			fail_nomem(r);
		else if (encoder_full(r->enc))
			write_tables(r);
	} while (all && !done);
}

static void flush(struct recorder *r, bool all_names)
{
	encode_queue(r);
	encode_names(r, all_names);
	if (!stopped(r))
		write_tables(r);
	if (!stopped(r))
		write_new_meta(r);
}

static void begin_epoch(struct recorder *r)
{
	struct profile_meta meta;

	encoder_next_epoch(r->enc);
	r->told.n = 0;
	pthread_mutex_lock(&r->lock);
	meta = r->meta;
	pthread_mutex_unlock(&r->lock);
	write_meta(r, &meta);
}

static void write_end(struct recorder *r)
{
	char text[128];
	int n;

	n = snprintf(text, sizeof(text), "events=%" PRIu64 "\nblocks=%" PRIu32 "\n", encoder_events(r->enc), r->next.seq + 1);
	write_block(r, BLOCK_END, (const uint8_t *)text, (size_t)n);
}

static void wait_for_work(struct recorder *r)
{
	const uint64_t now = clock_mono_ns();
	const uint64_t left = r->flush_ns > now ? r->flush_ns - now : 0;
	struct pollfd p = { .fd = r->wake, .events = POLLIN };
	uint64_t drained;

	if (poll(&p, 1, (int)(left / NSEC_PER_MSEC) + 1) > 0 && read(r->wake, &drained, sizeof(drained)) < 0)
		return;
}

static void *writer_main(void *arg)
{
	struct recorder *r = arg;
	uint64_t now = clock_mono_ns();

	r->flush_ns = now + FLUSH_NS;
	r->epoch_ns = now + EPOCH_NS;
	while (!atomic_load(&r->stop) && !stopped(r)) {
		wait_for_work(r);
		now = clock_mono_ns();
		if (now < r->flush_ns) {
			encode_queue(r);
			continue;
		}
		flush(r, false);
		r->flush_ns = now + FLUSH_NS;
		if (now >= r->epoch_ns && !stopped(r)) {
			begin_epoch(r);
			r->epoch_ns = now + EPOCH_NS;
		}
	}
	if (!stopped(r))
		flush(r, true);
	if (!stopped(r))
		write_end(r);
	return NULL;
}

static bool write_header(struct recorder *r, const struct profile_meta *meta)
{
	struct record_header h = {
		.major = RECORD_MAJOR, .minor = RECORD_MINOR, .size = HEADER_SIZE,
		.start_real_ns = meta->start_real_ns, .start_mono_ns = meta->start_mono_ns,
	};
	uint8_t bytes[HEADER_SIZE];

	if (getrandom(h.uuid, sizeof(h.uuid), 0) != (ssize_t)sizeof(h.uuid)) {
		fail_write(r, errno);
		return false;
	}
	/* RFC 4122 version 4 */
	h.uuid[6] = (h.uuid[6] & 0x0f) | 0x40;
	h.uuid[8] = (h.uuid[8] & 0x3f) | 0x80;
	r->next.stream = header_stream(&h);
	header_put(bytes, &h);
	return write_whole(r, bytes, sizeof(bytes));
}

/* The thread takes no signals: those belong to the main program, and SIGXFSZ and SIGPIPE would end it where errno will do. */
static int start_thread(struct recorder *r, struct err *e)
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
	if (r->fd >= 0)
		close(r->fd);
	if (r->wake >= 0)
		close(r->wake);
	encoder_free(r->enc);
	vec_free(&r->out);
	vec_free(&r->told);
	free(r->queue.event);
	free(r->beside);
	free(r->path);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static struct recorder *recorder_new(const char *path, const struct dict *dict, const struct names *names)
{
	struct recorder *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	pthread_mutex_init(&r->lock, NULL);
	r->fd = r->wake = -1;
	r->path = strdup(path);
	r->queue.event = malloc(QUEUE_EVENTS * sizeof(*r->queue.event));
	r->enc = encoder_new(dict, names);
	r->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->path && r->queue.event && r->enc && r->wake >= 0)
		return r;
	recorder_free(r);
	return NULL;
}

/* The file with its header, in its place. */
static int begin_file(struct recorder *r, const struct profile_meta *meta, struct err *e)
{
	int code = recording_create(r->path, &r->fd, &r->beside, e);

	if (code < 0)
		return code;
	if (write_header(r, meta))
		write_meta(r, meta);
	code = recorder_status(r, e);
	if (code == 0)
		code = recording_place(r->beside, r->path, e);
	if (code < 0)
		return code;
	free(r->beside);
	r->beside = NULL;
	return 0;
}

static int begin(struct recorder *r, const struct profile_meta *meta, struct err *e)
{
	const int code = begin_file(r, meta, e);

	if (code < 0)
		return code;
	r->meta = *meta;
	return start_thread(r, e);
}

int recorder_open(const char *path, const struct dict *dict, const struct names *names, const struct profile_meta *meta,
		  struct recorder **ret, struct err *e)
{
	struct recorder *r = recorder_new(path, dict, names);
	int code;

	if (!r)
		return err_nomem(e, "the recorder");
	code = begin(r, meta, e);
	if (code < 0) {
		recorder_free(r);
		return code;
	}
	*ret = r;
	return 0;
}

static void wake(struct recorder *r)
{
	const uint64_t one = 1;

	/* It can only fail when the counter is full, and then the thread is awake. */
	if (write(r->wake, &one, sizeof(one)) < 0)
		return;
}

bool recorder_event(struct recorder *r, const struct event *ev)
{
	uint32_t fill;

	if (stopped(r) || !queue_put(&r->queue, ev, &fill))
		return false;
	if (fill == QUEUE_EVENTS / 2)
		wake(r);
	return true;
}

void recorder_meta(struct recorder *r, const struct profile_meta *meta)
{
	pthread_mutex_lock(&r->lock);
	r->meta = *meta;
	r->meta_new = true;
	pthread_mutex_unlock(&r->lock);
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

int recorder_close(struct recorder *r, const struct profile_meta *meta, struct err *e)
{
	int code;

	recorder_meta(r, meta);
	atomic_store(&r->stop, true);
	wake(r);
	if (r->started)
		pthread_join(r->thread, NULL);
	code = recorder_status(r, e);
	if (close(take_fd(&r->fd)) && !code)
		code = err_set(e, errno, "cannot finish %s: %s", r->path, strerror(errno));
	recorder_free(r);
	return code;
}
