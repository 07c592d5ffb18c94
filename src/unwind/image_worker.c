// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_worker.c - one conversation with one worker, which one thread at a time may lead. The thread that unwinds comes
 * before those that open files, and waits for its turn and its answer for a bounded time.
 *
 * Answers come in the order of the questions, so the first question without an answer says which file the worker is at.
 * What comes later than somebody waited for is kept when it comes. Threads that open a file await it under the same
 * rule of patience as names.
 */
#include "config.h"

#include "unwind/image_worker.h"

#include "base/clock.h"
#include "base/thread.h"
#include "plugin/worker.h"
#include "unwind/image_remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define WAIT_NS (50 * NSEC_PER_MSEC)     /* for an answer about a place */
#define WAIT_COSTS 4u                    /* such waits take a quarter of the time at most ... */
#define WAIT_OVER_NS (4 * NSEC_PER_SEC)  /* ... seen over so long; what is asked for then is taken later */
#define ASKED_MAX 16u                    /* questions under way */
#define TRIES_MAX 64u                    /* of one file, with pauses after a worker that was killed */
#define KEPT_MAX (32u << 20)             /* bytes of answers; then they are asked for anew */
#define QUIET_NS (NSEC_PER_SEC)          /* so long nobody looks after the worker */

struct asked {
	enum image_op op;
	uint32_t image, pages;
	uint64_t offset;
};

/* A file that is left alone, should it be opened again. */
struct left_file {
	dev_t dev;
	ino_t ino;
	struct timespec mtime;
};

static struct image_worker {
	pthread_once_t once;
	/* guards what follows, up to the conversation */
	pthread_mutex_t lock;
	pthread_cond_t turn;         /* nobody talks any more */
	bool talking;
	unsigned int users;          /* of image_worker_use() */
	unsigned int urgent;         /* threads that come before others */
	VEC(struct image *) images;  /* by number - 1; NULL = it is gone */
	VEC(uint32_t) closed;        /* numbers that the worker is to be told of */
	VEC(struct left_file) left;
	size_t kept_bytes;
	struct image_worker_figures figures;
	/* the conversation: of who talks */
	bool only;                   /* no other worker is started */
	bool hello;                  /* the worker has said that it gave up all */
	struct worker worker;
	uint32_t generation;         /* number of the worker */
	struct asked asked[ASKED_MAX];       /* a ring */
	unsigned int first, n;
	struct worker_patience patience;     /* begun while N > 0, or HELLO is to come */
	unsigned int kills;          /* by somebody else, since it answered last */
	uint64_t start_ns;           /* no earlier than then another one is started */
	struct image_message in, out;
	/* of the thread that unwinds: up to when the time for waiting is used up */
	uint64_t waits_ns;
} image_worker = { .once = PTHREAD_ONCE_INIT, .worker = { .socket = -1 } };

static void image_worker_init(void)
{
	thread_mutex_init(&image_worker.lock);
	thread_cond_init(&image_worker.turn);
}

static void image_worker_lock(void)
{
	pthread_once(&image_worker.once, image_worker_init);
	pthread_mutex_lock(&image_worker.lock);
}

static void image_worker_unlock(void)
{
	pthread_mutex_unlock(&image_worker.lock);
}

void image_worker_use(void)
{
	image_worker_lock();
	if (!image_worker.users++) {
		image_worker.figures = (struct image_worker_figures){ 0 };
		image_worker.waits_ns = 0;
	}
	image_worker_unlock();
}

/* There is a worker which knows nothing yet. */
static void image_worker_began(void)
{
	struct image_worker *w = &image_worker;

	w->generation++;
	w->hello = false;
	worker_patience_begin(&w->patience, &w->worker);
	image_worker_lock();
	w->closed.n = 0;
	image_worker_unlock();
}

void image_worker_use_socket(int socket)
{
	image_worker_use();
	fcntl(socket, F_SETFL, O_NONBLOCK);
	image_worker.only = true;
	image_worker.worker.socket = socket;
	image_worker_began();
}

bool image_worker_is_used(void)
{
	bool used;

	image_worker_lock();
	used = image_worker.users;
	image_worker_unlock();
	return used;
}

void image_worker_figures(struct image_worker_figures *ret)
{
	image_worker_lock();
	*ret = image_worker.figures;
	image_worker_unlock();
}

/* The conversation becomes the caller's, URGENT before others. False when that is not before UNTIL_NS, 0 = ever. */
static bool image_talk_begin(bool urgent, uint64_t until_ns)
{
	struct image_worker *w = &image_worker;
	const struct timespec until = clock_timespec(until_ns);
	bool mine;

	image_worker_lock();
	w->urgent += urgent;
	while ((w->talking || (!urgent && w->urgent)) && (!until_ns || clock_mono_ns() < until_ns))
		if (until_ns)
			(void)pthread_cond_timedwait(&w->turn, &w->lock, &until);
		else
			pthread_cond_wait(&w->turn, &w->lock);
	mine = !w->talking;
	w->talking = true;
	w->urgent -= urgent;
	image_worker_unlock();
	return mine;
}

static void image_talk_end(void)
{
	image_worker_lock();
	image_worker.talking = false;
	pthread_cond_broadcast(&image_worker.turn);
	image_worker_unlock();
}

/* The image NUMBER; NULL = it is gone, or there never was one. With the lock. */
static struct image *image_numbered(uint32_t number)
{
	return number && number <= image_worker.images.n ? image_worker.images.v[number - 1] : NULL;
}

/* Leaves the file of R alone: HOW the worker ended at it. */
static void image_worker_blame(struct image_remote *r, const char *how)
{
	struct image_worker *w = &image_worker;
	struct left_file *left;
	struct stat st;

	if (!worker_blame(&r->blame, r->path, how, &w->figures.unread))
		return;
	w->figures.left++;
	left = r->fd >= 0 && !fstat(r->fd, &st) ? vec_push(&w->left) : NULL;
	if (left)
		*left = (struct left_file){ st.st_dev, st.st_ino, st.st_mtim };
}

/* Ends the worker. How it had ended before, to HOW. */
static void image_worker_stop(bool is_ending, char *how, size_t size)
{
	worker_stop(&image_worker.worker, is_ending, how, size);
	image_worker.n = 0;
	image_worker.hello = false;
}

/* The worker is of no use any more: WHY, NULL = it has ended. Whatever it was at may be to blame. -1. */
static int image_worker_fail(const char *why)
{
	struct image_worker *w = &image_worker;
	const uint32_t at = w->hello && w->n ? w->asked[w->first].image : 0;
	struct image *im;
	char how[96];

	image_worker_stop(!why, how, sizeof(how));
	image_worker_lock();
	w->figures.ended++;
	im = image_numbered(at);
	if (!why && worker_was_killed(&w->worker))
		w->kills++;
	else if (im)
		image_worker_blame(im->remote, why ? why : how);
	image_worker_unlock();
	w->start_ns = clock_mono_ns() + (w->kills < WORKER_PAUSE_MS ? w->kills : WORKER_PAUSE_MS) * NSEC_PER_MSEC;
	return -1;
}

/* There is a worker, maybe a new one. */
static bool image_worker_start(void)
{
	struct image_worker *w = &image_worker;
	struct err e = ERR_INIT;

	if (w->worker.socket >= 0)
		return true;
	if (w->only || clock_mono_ns() < w->start_ns)
		return false;
	if (worker_start(IMAGE_JOB, -1, &w->worker, &e)) {
		image_worker_lock();
		if (!w->figures.unread.n)
			unread_add(&w->figures.unread, "files of code", &e);
		image_worker_unlock();
		w->start_ns = clock_mono_ns() + NSEC_PER_SEC;
		return false;
	}
	image_worker_began();
	return true;
}

static int image_worker_send(enum image_op op, uint32_t number, uint64_t offset, uint32_t pages, int fd)
{
	struct image_worker *w = &image_worker;
	struct pollfd p = { .fd = w->worker.socket, .events = POLLOUT };
	int r;

	w->out.head = (struct image_head){ .op = op, .image = number, .offset = offset, .pages = pages };
	do
		r = image_message_send(w->worker.socket, &w->out, fd);
	while (r == -EAGAIN && op == IMAGE_OPEN && poll(&p, 1, worker_patience_ms()) > 0);
	return r;
}

/* Tells the worker of what is closed by now. */
static void image_worker_tell_closed(void)
{
	struct image_worker *w = &image_worker;
	uint32_t number = 1;

	while (number) {
		image_worker_lock();
		number = w->closed.n ? w->closed.v[--w->closed.n] : 0;
		image_worker_unlock();
		if (!number || !image_worker_send(IMAGE_CLOSE, number, 0, 0, -1))
			continue;
		/* Another time. A worker that is gone has forgotten it anyhow. */
		image_worker_lock();
		if (vec_reserve(&w->closed, 1))
			w->closed.v[w->closed.n++] = number;
		image_worker_unlock();
		return;
	}
}

static bool image_worker_is_asked(enum image_op op, uint32_t number, uint64_t offset)
{
	const struct image_worker *w = &image_worker;

	for (unsigned int i = 0; i < w->n; i++) {
		const struct asked *a = &w->asked[(w->first + i) % ASKED_MAX];

		if (a->op == op && a->image == number && a->offset == offset)
			return true;
	}
	return false;
}

/* Asks. False: not now. */
static bool image_worker_request(enum image_op op, uint32_t number, uint64_t offset, uint32_t pages, int fd)
{
	struct image_worker *w = &image_worker;
	const bool silent = !w->n && w->hello;

	if (w->n == ASKED_MAX || image_worker_send(op, number, offset, pages, fd))
		return false;
	if (silent)
		worker_patience_begin(&w->patience, &w->worker);
	w->asked[(w->first + w->n++) % ASKED_MAX] = (struct asked){ op, number, pages, offset };
	return true;
}

/* Asks to read the file of R, unless the worker was told of it. False: not now. */
static bool image_worker_tell(struct image_remote *r)
{
	struct image_worker *w = &image_worker;

	if (r->told == w->generation)
		return true;
	if (r->fd < 0) {
		image_worker_lock();
		r->gone = true;
		image_worker_unlock();
		return false;
	}
	if (!image_worker_request(IMAGE_OPEN, r->number, 0, 0, r->fd))
		return false;
	r->told = w->generation;
	return true;
}

/* Is what came the answer to the question that has waited longest? That is taken off. */
static bool image_worker_answers(void)
{
	struct image_worker *w = &image_worker;
	const struct asked *a = &w->asked[w->first];
	const struct image_head *h = &w->in.head;

	if (!w->n || !w->hello || image_message_answer(a->op) != h->op || a->image != h->image ||
	    a->offset != h->offset || a->pages != h->pages)
		return false;
	w->first = (w->first + 1) % ASKED_MAX;
	w->n--;
	w->kills = 0;
	return true;
}

/* Forgets all answers, when they are too many. With the lock. */
static void image_worker_bound_kept(void)
{
	struct image_worker *w = &image_worker;

	if (w->kept_bytes < KEPT_MAX)
		return;
	for (size_t i = 0; i < w->images.n; i++)
		if (w->images.v[i])
			image_remote_forget(w->images.v[i]->remote);
	w->kept_bytes = 0;
}

/* What came is for IM. With the lock. */
static void image_worker_give(struct image *im)
{
	struct image_worker *w = &image_worker;
	const struct image_message *m = &w->in;
	struct image_remote *r = im->remote;
	const size_t had = r->kept_bytes;

	if (m->head.result) {
		r->refused = m->head.result;
		r->gone |= m->head.op == IMAGE_OPENED;
		if (m->head.op == IMAGE_OPENED && m->head.length && !r->opened)
			err_set(&im->lacks, -m->head.result, "%s", (const char *)m->body);
	} else if (m->head.op == IMAGE_OPENED) {
		r->gone |= !image_remote_take(im, m);
	} else {
		image_worker_bound_kept();
		image_remote_keep(r, m);
		w->kept_bytes += r->kept_bytes - (had < r->kept_bytes ? had : 0);
	}
}

/* Takes one message. 1; 0: there is none; -1: the worker is gone. */
static int image_worker_take(void)
{
	struct image_worker *w = &image_worker;
	const ssize_t n = image_message_take(w->worker.socket, true, &w->in, NULL);
	struct image *im;

	if (n == -EAGAIN)
		return 0;
	if (n == 0 || n == -ECONNRESET)
		return image_worker_fail(NULL);
	if (n > 0 && w->in.head.op == IMAGE_HELLO && !w->hello) {
		w->hello = !w->in.head.result;
		if (!w->hello)
			return image_worker_fail("it could not begin");
	} else if (n < 0 || !image_worker_answers()) {
		return image_worker_fail("it sent what makes no sense");
	} else {
		image_worker_lock();
		im = image_numbered(w->in.head.image);
		if (im)
			image_worker_give(im);
		image_worker_unlock();
	}
	worker_patience_begin(&w->patience, &w->worker);
	return 1;
}

/* The same; waits for it until UNTIL_NS. */
static int image_worker_hear(uint64_t until_ns)
{
	struct image_worker *w = &image_worker;
	struct pollfd p = { .fd = w->worker.socket, .events = POLLIN };

	for (;;) {
		const int r = image_worker_take();
		const uint64_t now_ns = clock_mono_ns(),
			left_ms = now_ns < until_ns ? (until_ns - now_ns) / NSEC_PER_MSEC + 1 : 0;
		const char *why = NULL;

		if (r)
			return r;
		if (now_ns - w->patience.start_ns > QUIET_NS && (w->n || !w->hello))
			why = worker_patience_over(&w->patience, &w->worker);
		if (why && poll(&p, 1, 0) <= 0)
			return image_worker_fail(why);
		if (!left_ms)
			return 0;
		(void)poll(&p, 1, left_ms < WORKER_LOOK_MS ? (int)left_ms : WORKER_LOOK_MS);
	}
}

/* ---- files ---- */

/* Is the file at FD one that is left alone? */
static bool image_worker_left(int fd)
{
	struct image_worker *w = &image_worker;
	struct stat st;
	bool left = false;

	if (fstat(fd, &st))
		return false;
	image_worker_lock();
	for (size_t i = 0; i < w->left.n; i++)
		left |= w->left.v[i].dev == st.st_dev && w->left.v[i].ino == st.st_ino &&
			w->left.v[i].mtime.tv_sec == st.st_mtim.tv_sec &&
			w->left.v[i].mtime.tv_nsec == st.st_mtim.tv_nsec;
	image_worker_unlock();
	return left;
}

/* An image of which nothing is known yet. NULL when out of memory. */
static struct image *image_worker_new(int fd, const char *path)
{
	struct image_worker *w = &image_worker;
	AUTO(image_free) struct image *im = calloc(1, sizeof(*im));
	struct image **slot;

	if (!im)
		return NULL;
	im->remote = calloc(1, sizeof(*im->remote));
	if (!im->remote)
		return NULL;
	im->remote->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	im->remote->path = strdup(path);
	if (!im->remote->path)
		return NULL;
	image_worker_lock();
	slot = vec_push(&w->images);
	if (slot) {
		*slot = im;
		im->remote->number = (uint32_t)w->images.n;
	}
	image_worker_unlock();
	return slot ? take_ptr(im) : NULL;
}

static bool image_worker_is_settled(const struct image_remote *r)
{
	return r->opened || r->gone || r->blame.left;
}

/* Has the worker, whose turn it is, read the file of IM. False: it ended, or was not there. */
static bool image_worker_read(struct image_remote *r)
{
	if (!image_worker_start())
		return false;
	image_worker_tell_closed();
	if (!image_worker_tell(r)) {
		/* It may have ended, or have been asked a lot. */
		return image_worker_hear(clock_mono_ns() + WAIT_NS) >= 0;
	}
	while (!image_worker_is_settled(r))
		if (image_worker_hear(clock_mono_ns() + NSEC_PER_SEC) < 0)
			return false;
	return true;
}

int image_worker_open(int fd, const char *path, struct image **ret, struct err *e)
{
	AUTO(image_free) struct image *im = NULL;
	struct image_remote *r;
	bool borrowed;

	if (image_worker_left(fd))
		return err_set(e, EFAULT, UNREAD_LEFT);
	im = image_worker_new(fd, path);
	if (!im)
		return err_nomem(e, "an ELF image");
	r = im->remote;
	/* Where no more files may be open, the first worker gets it at least. */
	borrowed = r->fd < 0;
	r->fd = borrowed ? fd : r->fd;
	for (unsigned int tries = 0; tries < TRIES_MAX && !image_worker_is_settled(r); tries++) {
		bool read;

		(void)image_talk_begin(false, 0);
		read = image_worker_read(r);
		image_talk_end();
		if (!read && image_worker.only)
			break;
		if (!read)
			poll(NULL, 0, 1 + (tries < WORKER_PAUSE_MS ? (int)tries : WORKER_PAUSE_MS));
	}
	r->fd = borrowed ? -1 : r->fd;
	if (r->blame.left)
		return err_set(e, EFAULT, UNREAD_LEFT);
	if (!r->opened && im->lacks.code)
		return err_set(e, im->lacks.code, "%s", im->lacks.text);
	if (!r->opened)
		return err_set(e, EAGAIN, "sberf-worker, which reads files, ended again and again");
	image_worker_lock();
	image_worker.figures.images++;
	image_worker_unlock();
	*ret = take_ptr(im);
	return 0;
}

void image_remote_free(struct image_remote *r)
{
	struct image_worker *w = &image_worker;

	if (!r)
		return;
	image_worker_lock();
	if (r->number) {
		w->images.v[r->number - 1] = NULL;
		w->kept_bytes -= r->kept_bytes < w->kept_bytes ? r->kept_bytes : w->kept_bytes;
	}
	/* Without room its image stays in the worker. */
	if (r->told && vec_reserve(&w->closed, 1))
		w->closed.v[w->closed.n++] = r->number;
	image_worker_unlock();
	image_remote_forget(r);
	if (r->fd >= 0)
		close(r->fd);
	free(r->path);
	free(r);
}

/* ---- places: in the thread that unwinds ---- */

/* Is there an answer, of whatever kind, to OP? */
static bool image_worker_has(struct image_remote *r, enum image_op op, uint64_t offset)
{
	bool has;

	image_worker_lock();
	has = r->refused || r->gone || r->blame.left || image_remote_kept(r, op, offset);
	image_worker_unlock();
	return has;
}

/* Asks, and takes what comes until there is an answer, or UNTIL_NS. */
static void image_worker_talk(struct image_remote *r, enum image_op op, uint64_t offset, uint32_t pages,
			      uint64_t until_ns)
{
	int heard = 1;

	if (!image_worker_start())
		return;
	while (heard > 0)
		heard = image_worker_hear(0);
	if (heard < 0 || image_worker_has(r, op, offset))
		return;
	image_worker_tell_closed();
	if (!image_worker_is_asked(op, r->number, offset) &&
	    (!image_worker_tell(r) || !image_worker_request(op, r->number, offset, pages, -1)))
		return;
	while (!image_worker_has(r, op, offset) && image_worker_hear(until_ns) > 0)
		;
}

/* Counts a wait that began at FROM_NS. */
static void image_worker_waited(uint64_t from_ns, bool late)
{
	struct image_worker *w = &image_worker;
	const uint64_t ns = clock_mono_ns() - from_ns;

	w->waits_ns = (w->waits_ns + WAIT_OVER_NS < from_ns ? from_ns - WAIT_OVER_NS : w->waits_ns) + ns * WAIT_COSTS;
	image_worker_lock();
	w->figures.asked++;
	w->figures.late += late;
	w->figures.waited_ns += ns;
	image_worker_unlock();
}

/* What is wanted of an answer, and where that goes. */
struct wanted {
	enum image_op op;
	uint64_t offset;             /* that is asked about */
	uint32_t pages;
	uint64_t place;              /* of PAGES: the one whose rule is wanted, unless ROWS are */
	struct rule rule;
	struct rule_row *rows;
	size_t n, max;               /* of ROWS */
	struct cfi_row *row;
	bool no_memory;
};

/* The rule at byte AT of the page whose rows K has. */
static struct rule image_worker_rule_in(const struct kept_answer *k, uint32_t at)
{
	uint32_t low = 0, high = k->n;

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (k->rows[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return k->rows[low].rule;
}

/* Copies what X wants of K. With the lock: K may be gone when that is given back. */
static void image_worker_copy(struct wanted *x, const struct kept_answer *k)
{
	switch (x->op) {
	case IMAGE_PLACE:
		x->rule = k->rule;
		break;
	case IMAGE_ROW:
		x->row = k->n ? malloc(k->n) : NULL;
		x->no_memory = k->n && !x->row;
		if (x->row)
			memcpy(x->row, k->row, k->n);
		break;
	default:
		x->n = k->n < x->max ? k->n : x->max;
		if (x->rows)
			memcpy(x->rows, k->rows, x->n * sizeof(*x->rows));
		else
			x->rule = image_worker_rule_in(k, (uint32_t)(x->place - x->offset));
		break;
	}
}

/* Gives what X wants, if it is here. 0; -EAGAIN: it is not; -EIO: it will not come. AFRESH: it is not asked for yet. */
static int image_worker_look(struct image_remote *r, struct wanted *x, bool afresh)
{
	const struct kept_answer *k;
	int err = -EAGAIN;

	image_worker_lock();
	r->refused = afresh ? 0 : r->refused;
	k = image_remote_kept(r, x->op, x->offset);
	if (k) {
		image_worker_copy(x, k);
		err = x->no_memory ? -EIO : 0;
	} else if (r->refused || r->gone || r->blame.left) {
		err = -EIO;
	}
	image_worker_unlock();
	return err;
}

/* The same; it is asked for when it is not here. */
static int image_worker_ask(struct image_remote *r, struct wanted *x)
{
	uint64_t now_ns, until_ns;
	int err;

	err = image_worker_look(r, x, true);
	if (err != -EAGAIN)
		return err;
	now_ns = clock_mono_ns();
	until_ns = now_ns + (now_ns < image_worker.waits_ns ? 0 : WAIT_NS);
	if (image_talk_begin(true, until_ns)) {
		image_worker_talk(r, x->op, x->offset, x->pages, until_ns);
		image_talk_end();
	}
	err = image_worker_look(r, x, false);
	image_worker_waited(now_ns, err == -EAGAIN);
	return err;
}

int image_remote_rule(struct image *im, uint64_t offset, struct rule *ret)
{
	struct wanted x = { .op = IMAGE_PAGES, .offset = offset / IMAGE_PAGE_BYTES * IMAGE_PAGE_BYTES, .pages = 1,
			    .place = offset };
	int err = image_worker_ask(im->remote, &x);

	/* A page leaves out what takes long to find. */
	if (!err && x.rule.kind == RULE_NONE) {
		x.op = IMAGE_PLACE;
		x.offset = offset;
		x.pages = 0;
		err = image_worker_ask(im->remote, &x);
	}
	if (!err)
		*ret = x.rule;
	return err;
}

int image_remote_row(struct image *im, uint64_t offset, struct cfi_row **ret)
{
	struct wanted x = { .op = IMAGE_ROW, .offset = offset };
	const int err = image_worker_ask(im->remote, &x);

	if (!err)
		*ret = x.row;
	return err;
}

size_t image_remote_rows(struct image *im, uint64_t offset, uint32_t size, struct rule_row *ret, size_t max)
{
	struct wanted x = { .op = IMAGE_PAGES, .offset = offset, .rows = ret, .max = max };

	if (size != IMAGE_PAGE_BYTES || offset % IMAGE_PAGE_BYTES || max < IMAGE_ROWS_MAX)
		return 0;
	/* Its neighbours will be wanted as well: up to the end of what is asked for at a time. */
	x.pages = IMAGE_PAGES_MAX - (uint32_t)(offset / IMAGE_PAGE_BYTES % IMAGE_PAGES_MAX);
	return image_worker_ask(im->remote, &x) ? 0 : x.n;
}

void image_worker_end(void)
{
	struct image_worker *w = &image_worker;
	bool last;
	char how[96];

	image_worker_lock();
	last = w->users == 1;
	w->users -= w->users > 0;
	image_worker_unlock();
	if (!last)
		return;
	/* A thread that opens a file and hangs is left behind. */
	if (image_talk_begin(true, clock_mono_ns() + NSEC_PER_SEC)) {
		image_worker_stop(false, how, sizeof(how));
		w->only = false;
		w->kills = 0;
		image_talk_end();
	}
	image_worker_lock();
	vec_free(&w->closed);
	vec_free(&w->left);
	image_worker_unlock();
}
