/* SPDX-License-Identifier: BSD-2-Clause */
/* pusher.c - one loop: a window that is over becomes a body in the queue, and the first of the queue is sent. */
#include "config.h"

#include "push/pusher.h"

#include "push/https.h"
#include "push/retryafter.h"
#include "push/window.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/httpclient.h"
#include "base/parse.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/vec.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_NS (10 * NSEC_PER_SEC)    /* Parca's interval; Pyroscope's clients have 10 to 15 s */
#define SLICE_NS NSEC_PER_SEC            /* of a running capture (profile.h) */
#define SETTLE_NS (500 * NSEC_PER_MSEC)  /* after which the events of a time may be in the profile: from then on it */
#define AGAIN_NS (250 * NSEC_PER_MSEC)   /* is looked so often whether they are, */
#define SETTLE_MAX_NS (10 * NSEC_PER_SEC)        /* and not longer than this */
#define ANSWER_NS (10 * NSEC_PER_SEC)    /* within which a store must answer */
#define GOODBYE_NS (2 * NSEC_PER_SEC)
#define QUEUE_BYTES (64u << 20)
#define OLD_NS (3600 * NSEC_PER_SEC)     /* Pyroscope refuses what is older */
#define BACKOFF_NS NSEC_PER_SEC
#define BACKOFF_MAX_NS (60 * NSEC_PER_SEC)
#define REPLY_MAX 65536u
#define HEADERS_MAX 4096u

/* A body that waits. */
struct window {
	char *body;
	size_t len;
	uint64_t made_ns;
};

struct pusher {
	struct https *https;             /* NULL = it is pushed without TLS */
	char *otlp_headers;              /* c.headers, and that it is compressed */
	struct pusher_config c;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;
	_Atomic bool hurry;              /* the store may not be waited for any more */
	/* The thread's: */
	VEC(struct window) queue;        /* oldest first */
	size_t bytes;
	uint64_t window_ns;              /* how long one is */
	uint64_t from_ns, to_ns;         /* the window that is not over, */
	uint64_t due_ns;                 /* and when it may be whole */
	uint64_t next_ns, backoff_ns;    /* when the first of the queue is sent */
	bool failing;
	struct pusher_figures figures;
};

/* Headers */

static bool is_header(const char *line)
{
	const size_t name = strcspn(line, ":");

	if (!name || line[name] != ':')
		return false;
	for (size_t i = 0; i < name; i++)
		if (!strchr("!#$%&'*+-.^_`|~", line[i]) && !(line[i] >= '0' && line[i] <= '9') &&
		    !(line[i] >= 'a' && line[i] <= 'z') && !(line[i] >= 'A' && line[i] <= 'Z'))
			return false;
	for (const char *v = line + name + 1; *v; v++)
		if ((unsigned char)*v < ' ' && *v != '\t')
			return false;
	return true;
}

int push_headers_read(const char *path, char **ret, struct err *e)
{
	AUTO_FILE FILE *f = fopen(path, "re");
	AUTO_FREE char *all = calloc(1, HEADERS_MAX);
	char line[1024];
	struct stat st;
	size_t n = 0;

	if (!all)
		return err_nomem(e, "headers");
	if (!f || fstat(fileno(f), &st))
		return err_set(e, errno, "cannot read headers from %s: %s", path, strerror(errno));
	if (st.st_mode & S_IROTH)
		return err_set(e, EPERM, "everybody can read the headers in %s: chmod o-r it", path);
	for (unsigned int nr = 1; fgets(line, sizeof(line), f); nr++) {
		line[strcspn(line, "\r\n")] = '\0';
		if (!*line)
			continue;
		if (!is_header(line))
			return err_set(e, EINVAL, "line %u of %s is no header: write it as NAME: VALUE", nr, path);
		if (n + strlen(line) + 3 > HEADERS_MAX)
			return err_set(e, EINVAL, "the headers in %s are too long: %u bytes at most", path,
				       HEADERS_MAX);
		n += (size_t)snprintf(all + n, HEADERS_MAX - n, "%s\r\n", line);
	}
	*ret = take_ptr(all);
	return 0;
}

/* The queue */

static void window_drop(struct pusher *p)
{
	p->bytes -= p->queue.v[0].len;
	free(p->queue.v[0].body);
	memmove(p->queue.v, p->queue.v + 1, (p->queue.n - 1) * sizeof(*p->queue.v));
	p->queue.n--;
	p->next_ns = p->backoff_ns = 0;
}

static void queue_trim(struct pusher *p, uint64_t now)
{
	while (p->queue.n && (p->bytes > QUEUE_BYTES || p->queue.v[0].made_ns + OLD_NS < now)) {
		window_drop(p);
		p->figures.dropped++;
	}
}

/* Windows */

/* Has all been added that happened before p->to_ns? */
static bool window_settled(const struct pusher *p)
{
	const struct session *se = p->c.session;
	AUTO(snapshot_unref) struct snapshot *s = se->snapshot(se->ctx);

	return se->ended(se->ctx) || (s && snapshot_settled_ns(s) >= p->to_ns);
}

static void window_begin(struct pusher *p, uint64_t from_ns, uint64_t ns)
{
	p->from_ns = from_ns;
	p->to_ns = from_ns + ns;
	p->due_ns = p->to_ns + SETTLE_NS;
}

/* What was captured from p->from_ns to p->to_ns becomes a body at the end of the queue. */
static void window_make(struct pusher *p)
{
	struct serve_moment m;
	struct window *w = NULL;
	char *body = NULL;
	size_t len;

	serve_moment_take(p->c.session, &m);
	if (!m.snapshot)
		return;
	m.from_ns = p->from_ns;
	m.to_ns = p->to_ns;
	if (!push_window(&p->c.source, &m, p->c.url.engine, &p->c.labels, &body, &len))
		w = vec_push(&p->queue);
	snapshot_unref(m.snapshot);
	if (!w) {
		p->figures.dropped++;
		free(body);
		return;
	}
	*w = (struct window){ .body = body, .len = len, .made_ns = clock_mono_ns() };
	p->bytes += len;
}

/* The store */

static void pusher_say(struct pusher *p, const char *what, const char *why)
{
	char clean[256];

	text_sanitise(clean, sizeof(clean), why, strnlen(why, sizeof(clean) / 4));
	fprintf(stderr, "sberf %s: the store at %s:%s %s%s%s\n", p->c.command, p->c.url.host, p->c.url.port, what,
		*clean ? ": " : "", clean);
}

/* A second, then two, up to a minute, of which a half is by chance; or what REPLY says. */
static uint64_t pusher_again(struct pusher *p, const struct http_reply *reply)
{
	uint64_t chance = 0, ns;

	if (retry_after(reply->retry_after, clock_ns(CLOCK_REALTIME), &ns))
		return ns;
	p->backoff_ns = !p->backoff_ns ? BACKOFF_NS : 2 * p->backoff_ns < BACKOFF_MAX_NS ? 2 * p->backoff_ns :
			BACKOFF_MAX_NS;
	(void)!getrandom(&chance, sizeof(chance), GRND_NONBLOCK);
	return p->backoff_ns / 2 + chance % (p->backoff_ns / 2);
}

static bool is_for_later(int status)
{
	return status == 429 || status == 502 || status == 503 || status == 504;
}

/* Sends the first of the queue. */
static void pusher_send(struct pusher *p)
{
	const struct window *w = &p->queue.v[0];
	const bool otlp = p->c.url.engine == PUSH_OTLP;
	const struct http_peer peer = { .host = p->c.url.host, .port = p->c.url.port };
	const struct http_post post = {
		.target = p->c.url.target, .headers = otlp ? p->otlp_headers : p->c.headers, .body = w->body,
		.type = otlp ? "application/x-protobuf" : "application/json",
		.len = w->len, .end_ns = clock_mono_ns() + ANSWER_NS, .stop = &p->hurry, .most = REPLY_MAX,
	};
	struct http_reply reply;
	char status[32], why[HTTPS_WHY_MAX] = "";
	const int r = p->https ? https_post(p->https, &peer, &post, &reply, why) :
				 http_post(&peer, &post, &reply);

	text_format(status, sizeof(status), "refuses this: %d", reply.status);
	if (!r && reply.status / 100 == 2) {
		p->figures.pushed++;
		p->figures.bytes += w->len;
		if (p->failing)
			pusher_say(p, "takes profiles again", "");
		p->failing = false;
		window_drop(p);
	} else if (r || is_for_later(reply.status)) {
		p->figures.again++;
		if (!p->failing)
			pusher_say(p, "takes nothing now, and is asked again",
				   *why ? why : r ? strerror(-r) : reply.body);
		p->failing = true;
		p->next_ns = clock_mono_ns() + pusher_again(p, &reply);
	} else {
		if (!p->figures.refused++)
			pusher_say(p, status, reply.body);
		window_drop(p);
	}
	free(reply.data);
}

/* The thread */

/* Waits until something is due. False: it is to end. */
static bool pusher_wait(struct pusher *p, uint64_t due_ns)
{
	const uint64_t until = p->queue.n && p->next_ns < due_ns ? p->next_ns : due_ns;
	const struct timespec deadline = clock_timespec(until);
	bool stop;
	int r = 0;

	pthread_mutex_lock(&p->lock);
	while (!p->stop && !r && clock_mono_ns() < until)
		r = pthread_cond_timedwait(&p->wake, &p->lock, &deadline);
	stop = p->stop;
	pthread_mutex_unlock(&p->lock);
	return !stop;
}

static void *pusher_main(void *arg)
{
	struct pusher *p = arg;
	uint64_t now;

	while (pusher_wait(p, p->due_ns)) {
		now = clock_mono_ns();
		if (now >= p->due_ns && !window_settled(p) && now < p->to_ns + SETTLE_MAX_NS) {
			p->due_ns = now + AGAIN_NS;
		} else if (now >= p->due_ns) {
			window_make(p);
			window_begin(p, p->to_ns, p->window_ns);
		}
		queue_trim(p, now);
		if (p->queue.n && now >= p->next_ns)
			pusher_send(p);
	}
	/* What is left of the last window, and one attempt for each that waits. */
	p->to_ns = clock_mono_ns();
	window_make(p);
	while (p->queue.n && !atomic_load(&p->hurry)) {
		const size_t before = p->queue.n;

		pusher_send(p);
		if (p->queue.n == before)
			break;
	}
	return NULL;
}

/* SBERF_PUSH_WINDOW says shorter ones, in seconds, so that many of them need not take days (tests/bench/week.sh). */
static uint64_t pusher_window_ns(void)
{
	const char *text = getenv("SBERF_PUSH_WINDOW"), *end = text ? text + strlen(text) : NULL;
	uint64_t seconds;

	if (!text || !parse_dec(&text, end, &seconds) || text != end || !seconds || seconds >= WINDOW_NS / NSEC_PER_SEC)
		return WINDOW_NS;
	return seconds * NSEC_PER_SEC;
}

int pusher_new(const struct pusher_config *c, struct pusher **ret, struct err *e)
{
	struct pusher *p = calloc(1, sizeof(*p));
	uint64_t chance = 0, now;
	int r;

	if (!p)
		return err_nomem(e, "a pusher of profiles");
	p->c = *c;
	r = c->url.tls ? https_new(c->ca, &p->https, e) : 0;
	if (r < 0) {
		free(p);
		return r;
	}
	if (asprintf(&p->otlp_headers, "%sContent-Encoding: gzip\r\n", c->headers) < 0) {
		https_free(p->https);
		free(p);
		return err_nomem(e, "a pusher of profiles");
	}
	thread_mutex_init(&p->lock);
	thread_cond_init(&p->wake);
	(void)!getrandom(&chance, sizeof(chance), GRND_NONBLOCK);
	now = clock_mono_ns();
	p->window_ns = pusher_window_ns();
	window_begin(p, now - now % SLICE_NS, (1 + chance % (p->window_ns / SLICE_NS)) * SLICE_NS);
	r = pthread_create(&p->thread, NULL, pusher_main, p);
	if (r) {
		free(p->otlp_headers);
		https_free(p->https);
		free(p);
		return err_set(e, r, "cannot start the thread that pushes profiles: %s", strerror(r));
	}
	*ret = p;
	return 0;
}

void pusher_free(struct pusher *p, struct pusher_figures *ret)
{
	struct timespec deadline;

	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
	deadline = clock_timespec(clock_ns(CLOCK_REALTIME) + GOODBYE_NS);
	if (pthread_timedjoin_np(p->thread, NULL, &deadline)) {
		atomic_store(&p->hurry, true);
		pthread_join(p->thread, NULL);
	}
	p->figures.dropped += p->queue.n;
	*ret = p->figures;
	while (p->queue.n)
		window_drop(p);
	vec_free(&p->queue);
	free(p->otlp_headers);
	https_free(p->https);
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
