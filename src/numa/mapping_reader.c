/* SPDX-License-Identifier: BSD-2-Clause */
/* mapping_reader.c - the thread and whoever asks share what is freed by the one that is done with it last. */
#include "config.h"

#include "numa/mapping_reader.h"

#include "base/clock.h"
#include "base/thread.h"
#include "system/procfs.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define STACK_BYTES (256u << 10)

struct mapping_reader {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool end;                /* it shall */
	pid_t asked;             /* being read, 0 = none */
	bool answered;
	struct mapping_answer answer;
};

static void mapping_reader_read(pid_t pid, struct mapping_answer *ret)
{
	const uint64_t begun_ns = clock_mono_ns();
	const int dir = proc_open(pid);

	*ret = (struct mapping_answer){ .pid = pid };
	if (dir >= 0) {
		ret->ok = memory_sizes_read_mappings(dir, &ret->sizes);
		close(dir);
	}
	ret->took_ns = clock_mono_ns() - begun_ns;
}

static void mapping_reader_destroy(struct mapping_reader *r)
{
	pthread_cond_destroy(&r->changed);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

static void *mapping_reader_main(void *arg)
{
	struct mapping_reader *r = arg;

	pthread_setname_np(pthread_self(), "sberf-sizes");
	pthread_mutex_lock(&r->lock);
	while (!r->end) {
		struct mapping_answer answer;
		const pid_t pid = r->asked;

		if (!pid || r->answered) {
			pthread_cond_wait(&r->changed, &r->lock);
			continue;
		}
		pthread_mutex_unlock(&r->lock);
		mapping_reader_read(pid, &answer);
		pthread_mutex_lock(&r->lock);
		r->answer = answer;
		r->answered = true;
	}
	pthread_mutex_unlock(&r->lock);
	mapping_reader_destroy(r);
	return NULL;
}

struct mapping_reader *mapping_reader_new(void)
{
	struct mapping_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	if (thread_start(mapping_reader_main, r, STACK_BYTES)) {
		mapping_reader_destroy(r);
		return NULL;
	}
	return r;
}

void mapping_reader_free(struct mapping_reader *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->end = true;
	pthread_cond_signal(&r->changed);
	/* From here on it is the thread's. */
	pthread_mutex_unlock(&r->lock);
}

bool mapping_reader_ask(struct mapping_reader *r, pid_t pid)
{
	bool taken;

	pthread_mutex_lock(&r->lock);
	taken = !r->asked;
	if (taken)
		r->asked = pid;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return taken;
}

bool mapping_reader_poll(struct mapping_reader *r, struct mapping_answer *ret)
{
	bool is_new;

	pthread_mutex_lock(&r->lock);
	is_new = r->answered;
	if (is_new) {
		*ret = r->answer;
		r->answered = false;
		r->asked = 0;
	}
	pthread_mutex_unlock(&r->lock);
	return is_new;
}
