/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_day.c - the memory of an agent over a day: its store, and the windows that it pushes, in made-up time:
 *
 *	bench_day [HOURS [STORE_MB]]
 *
 * Each second forty threads of a server run and wait in a few hundred stacks, and a process starts that has a name
 * and a stack of its own. Every ten seconds a window is made, as the pusher makes it (push/window.h), and what is free
 * goes back to the kernel. A store that is full is followed by a new one, as in `sberf agent`. RSS is looked at every
 * six minutes.
 * How it grows is the slope of a line through the looks of the last three quarters (least squares), in KB an hour, and
 * what that is of the mean in a day.
 *
 * What it does not stand for, as it makes up events: processes, symbols and rules (tests/bench/week.sh).
 */
#include "config.h"

#include "base/clock.h"
#include "base/parse.h"
#include "push/window.h"
#include "tests/unit/made.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_S 10u
#define LOOK_WINDOWS 36u
#define THREADS 40u
#define STACKS 400u
#define JOBS 5000u               /* stacks of processes that start */
#define START_NS (1000 * NSEC_PER_SEC)

struct day {
	struct made m;
	struct serve_source source;
	struct push_labels labels;
	thread_id thread[THREADS];
	stack_id stack[STACKS], job[JOBS];
	struct event sample, wait;       /* to be changed and added */
	uint64_t windows, bytes, stores;
	double x[4096], y[4096];         /* hours, KB */
	size_t looks;
};

static double rss_kb(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long size, resident = 0;

	if (f && fscanf(f, "%lu %lu", &size, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static void store_begin(struct day *d, const struct profile_limits *limits)
{
	char text[128];

	made_init(&d->m, limits);
	d->source = (struct serve_source){ .names = d->m.names };
	for (unsigned int i = 0; i < THREADS; i++)
		d->thread[i] = made_thread(&d->m, 7, 100 + (pid_t)i, "server");
	for (unsigned int k = 0; k < STACKS; k++) {
		snprintf(text, sizeof(text), "main;serve;handle_%u;step_%u;leaf_%u", k % 7, k % 50, k);
		d->stack[k] = made_stack(&d->m, text);
	}
	memset(d->job, 0, sizeof(d->job));
	made_add(&d->m, START_NS, d->thread[0], "main", 1);
	d->sample = d->m.ev;
	made_wait(&d->m, START_NS + 1, d->thread[0], "main", EVENT_BLOCKED, "futex", 'S', 1);
	d->wait = d->m.ev;
	d->stores++;
}

static void day_add(struct day *d, const struct event *like, uint64_t time_ns, thread_id thread, stack_id stack,
		    uint64_t weight)
{
	struct event ev = *like;

	ev.time_ns = time_ns;
	ev.thread = thread;
	ev.stack = stack;
	ev.weight = weight;
	(void)profile_add(d->m.p, &ev);
}

/* What happens in second S. */
static void second(struct day *d, uint64_t s)
{
	const uint64_t from = START_NS + s * NSEC_PER_SEC;
	struct thread t = { .pid = 1000 + (pid_t)(s % 4000000), .tid = t.pid, .start_ns = from };
	char stack[128], comm[16];
	thread_id born;

	for (unsigned int i = 0; i < THREADS; i++) {
		const unsigned int k = (unsigned int)((s * 31 + i * 17) % STACKS);

		day_add(d, &d->sample, from + i * NSEC_PER_MSEC, d->thread[i], d->stack[k], 10 * NSEC_PER_MSEC);
		day_add(d, &d->wait, from + (i + 500) * NSEC_PER_MSEC, d->thread[i], d->stack[k], 400 * NSEC_PER_MSEC);
	}
	snprintf(comm, sizeof(comm), "job%llu", (unsigned long long)s % 1000000000);
	t.comm = strtab_adds(dict_strings(d->m.d), comm);
	born = dict_thread(d->m.d, &t);
	if (born == ID_NONE)
		return;
	if (!d->job[s % JOBS]) {
		snprintf(stack, sizeof(stack), "main;job;step_%u;leaf_%u", (unsigned int)(s % 97),
			 (unsigned int)(s % JOBS));
		d->job[s % JOBS] = made_stack(&d->m, stack);
	}
	day_add(d, &d->sample, from + 900 * NSEC_PER_MSEC, born, d->job[s % JOBS], 10 * NSEC_PER_MSEC);
}

/* The window that ends with second S, which must have something. */
static bool window(struct day *d, uint64_t s)
{
	struct serve_moment m = { .meta = { .start_mono_ns = START_NS, .freq_asked = 19 } };
	char *body = NULL;
	size_t len;
	int r;

	m.to_ns = START_NS + (s + 1) * NSEC_PER_SEC;
	m.from_ns = m.to_ns - WINDOW_S * NSEC_PER_SEC;
	m.meta.duration_ns = m.to_ns - START_NS;
	profile_advance(d->m.p, m.to_ns);
	m.snapshot = profile_snapshot(d->m.p);
	r = m.snapshot ? push_window(&d->source, &m, PUSH_PYROSCOPE, &d->labels, &body, &len) : -1;
	snapshot_unref(m.snapshot);
	if (r < 0)
		return false;
	free(body);
	d->windows++;
	d->bytes += len;
	(void)malloc_trim(0);
	return true;
}

/* The slope of Y over X from look FROM on, and the mean. */
static double slope(const struct day *d, size_t from, double *ret_mean)
{
	const double n = (double)(d->looks - from);
	double x = 0, y = 0, xy = 0, xx = 0;

	for (size_t i = from; i < d->looks; i++) {
		x += d->x[i] / n;
		y += d->y[i] / n;
	}
	for (size_t i = from; i < d->looks; i++) {
		xy += (d->x[i] - x) * (d->y[i] - y);
		xx += (d->x[i] - x) * (d->x[i] - x);
	}
	*ret_mean = y;
	return xx > 0 ? xy / xx : 0;
}

static uint64_t number(int argc, char **argv, int i, uint64_t missing)
{
	const char *text = argc > i ? argv[i] : "";
	uint64_t n;

	return argc > i && parse_dec(&text, text + strlen(text), &n) && n ? n : missing;
}

int main(int argc, char **argv)
{
	static struct day d;
	const uint64_t hours = number(argc, argv, 1, 24);
	const struct profile_limits limits = { .bytes = number(argc, argv, 2, 16) << 20 };
	const uint64_t began = clock_mono_ns();
	double mean, kb_h;

	store_begin(&d, &limits);
	(void)push_labels_add(&d.labels, "service_name=day", NULL);
	for (uint64_t s = 0; s < hours * 3600; s++) {
		struct profile_stats st;

		second(&d, s);
		if (s % WINDOW_S != WINDOW_S - 1)
			continue;
		if (!window(&d, s)) {
			fprintf(stderr, "bench_day: window %llu has nothing\n", (unsigned long long)d.windows);
			return 1;
		}
		if (d.windows % LOOK_WINDOWS == 0 && d.looks < sizeof(d.x) / sizeof(*d.x)) {
			d.x[d.looks] = (double)(s + 1) / 3600;
			d.y[d.looks++] = rss_kb();
		}
		profile_stats(d.m.p, &st);
		if (st.refused) {
			made_free(&d.m);
			store_begin(&d, &limits);
		}
	}
	kb_h = slope(&d, d.looks / 4, &mean);
	printf("day: hours %llu windows %llu body_bytes %llu stores %llu rss_mean_mb %.1f slope_kb_per_hour %.1f "
	       "percent_a_day %.2f took_s %.0f\n", (unsigned long long)hours, (unsigned long long)d.windows,
	       (unsigned long long)(d.bytes / (d.windows ? d.windows : 1)), (unsigned long long)d.stores, mean / 1024,
	       kb_h, mean > 0 ? kb_h * 24 / mean * 100 : 0, (double)(clock_mono_ns() - began) / 1e9);
	made_free(&d.m);
	return 0;
}
