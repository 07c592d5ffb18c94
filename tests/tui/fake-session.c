/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake-session.c - the terminal view on a made profile that goes on growing, so that it can be tested
 * in a real terminal without privileges. Usage: fake-session
 * [server|hostile|waiting|off|deadlock|sleeper|numa|begin] [CONTROL]
 *
 * CONTROL is a FIFO; each line written to it is a command:
 *	run          the target begins to run (after "waiting")
 *	exit N       it exits with status N           kill N       it is killed by signal N
 *	lose N       N more events are lost, because the ring was full
 *	begin N      what "begin" waits for: it fails when N is not 0
 *	big N        N different stacks are added
 *	stop         the view is asked to end, as sberf does when it is told to
 */
#include "config.h"

#include "base/clock.h"
#include "tests/unit/madenuma.h"
#include "ui/ui.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define REFRESH_NS (100 * NSEC_PER_MSEC)
#define GROW_US 50000

struct fake {
	struct made_session f;
	const char *control;
	_Atomic bool stop, growing;
	int quit_fd, begin_fd;
};

static void *grow(void *arg)
{
	struct fake *k = arg;

	for (unsigned int n = 0; !atomic_load(&k->stop); n++) {
		usleep(GROW_US);
		if (!atomic_load(&k->growing))
			continue;
		madesession_grow(&k->f, 60 + n / 20, 1);
		pthread_mutex_lock(&k->f.lock);
		k->f.meta.duration_ns += GROW_US * NSEC_PER_USEC;
		pthread_mutex_unlock(&k->f.lock);
	}
	return NULL;
}

static void end_target(struct fake *k, enum target_state state, int code)
{
	atomic_store(&k->growing, false);
	k->f.meta.target_state = state;
	k->f.meta.end_code = code;
	k->f.ended = true;
}

static void add_many(struct fake *k, int n)
{
	for (int i = 0; i < n; i++) {
		char stack[128];

		snprintf(stack, sizeof(stack), "main;a%d;b%d;c%d;d%d", i % 7, i % 31, i % 101, i);
		madesession_add(&k->f, 60, stack, 1);
	}
}

static void obey(struct fake *k, const char *word, int n)
{
	if (!strcmp(word, "big")) {
		add_many(k, n);
		return;
	}
	if (!strcmp(word, "begin")) {
		eventfd_write(k->begin_fd, n ? 2 : 1);
		return;
	}
	pthread_mutex_lock(&k->f.lock);
	if (!strcmp(word, "run"))
		k->f.meta.target_state = TARGET_RUNNING, k->f.silent = false, atomic_store(&k->growing, true);
	else if (!strcmp(word, "exit"))
		end_target(k, TARGET_EXITED, n);
	else if (!strcmp(word, "kill"))
		end_target(k, TARGET_KILLED, n);
	else if (!strcmp(word, "lose"))
		k->f.meta.lost.n[LOST_RING_FULL] += (uint64_t)n;
	else if (!strcmp(word, "stop"))
		eventfd_write(k->quit_fd, 1);
	pthread_mutex_unlock(&k->f.lock);
}

/* Opening a FIFO waits for a writer, and the last writer that leaves ends the file: so it is opened again and again. */
static void *listen_to(void *arg)
{
	struct fake *k = arg;

	for (;;) {
		AUTO_FILE FILE *in = fopen(k->control, "r");
		char word[16];
		int n;

		if (!in)
			return NULL;
		while (fscanf(in, "%15s", word) == 1) {
			if (!strcmp(word, "run") || !strcmp(word, "stop"))
				n = 0;
			else if (fscanf(in, "%d", &n) != 1)
				break;
			obey(k, word, n);
		}
	}
}

static void set_up(struct fake *k, const char *shape)
{
	madesession_init(&k->f);
	if (!strcmp(shape, "hostile")) {
		madesession_hostile(&k->f);
		return;
	}
	if (!strcmp(shape, "off")) {
		madesession_off_cpu(&k->f);
		return;
	}
	if (!strcmp(shape, "numa")) {
		madesession_off_cpu(&k->f);
		madenuma_session(&k->f, "bbmb");
		return;
	}
	if (!strcmp(shape, "deadlock")) {
		madesession_deadlock(&k->f, 12);
		return;
	}
	if (!strcmp(shape, "sleeper")) {
		madesession_sleeper(&k->f, 12);
		return;
	}
	madesession_server(&k->f);
	if (!strcmp(shape, "waiting")) {
		k->f.silent = true;
		k->f.meta.target_state = TARGET_WAITING;
		k->f.meta.samples = 0;
	} else {
		k->growing = true;
	}
}

static int begin(void *ctx, struct session *ret, struct err *e)
{
	struct fake *k = ctx;
	eventfd_t how = 0;

	eventfd_read(k->begin_fd, &how);
	if (how != 1)
		return err_set(e, EPERM, "cannot begin");
	*ret = k->f.session;
	return 0;
}

int main(int argc, char **argv)
{
	static struct fake k;
	struct ui_options o = { .refresh_ns = REFRESH_NS, .title = "fake-session",
				.otherwise = "fake -b needs no terminal" };
	struct err e = ERR_INIT;
	struct session session = { 0 };
	pthread_t grower, listener;
	int r;

	set_up(&k, argc > 1 ? argv[1] : "server");
	k.quit_fd = eventfd(0, EFD_CLOEXEC);
	k.begin_fd = eventfd(0, EFD_CLOEXEC);
	if (argc > 1 && !strcmp(argv[1], "begin")) {
		k.f.session.note = "there is something to be known";
		o.start = begin;
		o.start_ctx = &k;
		o.starting = "attaching to redis-server 1234 ...";
	} else {
		session = k.f.session;
	}
	k.control = argc > 2 ? argv[2] : NULL;
	if (pthread_create(&grower, NULL, grow, &k) || (k.control && pthread_create(&listener, NULL, listen_to, &k)))
		return 99;
	r = ui_run(&session, &o, k.quit_fd, &e);
	if (r)
		fprintf(stderr, "fake-session: %s\n", e.text);
	atomic_store(&k.stop, true);
	pthread_join(grower, NULL);
	return r ? 1 : 0;
}
