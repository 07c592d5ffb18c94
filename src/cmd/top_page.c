/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "cmd/top_page.h"

#include "base/cleanup.h"
#include "base/listen.h"
#include "cmd/filter_options.h"
#include "serve/server.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>

struct page {
	struct session session;
	struct serve_config config;
	pthread_t thread;
	char address[SERVE_SECRET_MAX + 64];
};

static bool page_stop(void *ctx)
{
	return true;
}

/* What came of requests nobody asks here. */
static void *page_work(void *arg)
{
	struct serve_figures figures;
	struct page *p = arg;

	(void)serve_run(&p->config, &figures, NULL);
	return NULL;
}

static void page_free(struct page *p)
{
	for (unsigned int i = 0; i < 2; i++)
		if (p->config.listening[i] >= 0)
			close(p->config.listening[i]);
	if (p->config.wake_fd >= 0)
		close(p->config.wake_fd);
	free(p);
}

/* Signals belong to the thread that has the terminal. */
static int page_start(struct page *p)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&p->thread, NULL, page_work, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

static int page_begin(struct page *p, struct err *e)
{
	struct serve_config *c = &p->config;
	int r = serve_secret_draw(&c->policy, e);

	r = r < 0 ? r : listen_loopback("0", c->listening, &c->policy.port, e);
	if (r < 0)
		return r;
	snprintf(p->address, sizeof(p->address), "http://127.0.0.1:%u/%s/", (unsigned int)c->policy.port,
		 c->policy.secret);
	c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = c->wake_fd < 0 ? errno : page_start(p);
	return r ? err_set(e, r, "cannot start the thread of the page: %s", strerror(r)) : 0;
}

int page_open(const struct options *o, const struct session *session, struct page **ret, struct err *e)
{
	struct page *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_nomem(e, "the page");
	p->session = *session;
	p->config = (struct serve_config){
		.session = &p->session, .source.names = session->names, .source.code = &p->session.code,
		.may = SERVE_ALL, .listening = { -1, -1 }, .wake_fd = -1,
		.stop = page_stop, .ctx = p,
	};
	r = filter_options_query(o, NULL, &p->config.source.query, e);
	r = r < 0 ? r : page_begin(p, e);
	if (r < 0) {
		page_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

const char *page_address(const struct page *p)
{
	return p->address;
}

void page_close(struct page *p)
{
	const uint64_t one = 1;

	if (!p)
		return;
	while (write(p->config.wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(p->thread, NULL);
	page_free(p);
}
