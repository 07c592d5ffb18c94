/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * links.c - runs a command with probes at places of a file, and says how often each was hit, as its
 * records tell.
 *
 *	links [entry|return|session] FILE NAME=OFFSET[:TEXT][,VALUE]... -- COMMAND [ARGUMENTS...]
 *
 * The first word says when the program runs: at the place itself, unless it says otherwise; "no
 * sessions" is printed where the kernel has none.
 *
 * TEXT is the number of an argument that is a string, from 1 on; with VALUE, hits whose first
 * argument is another one are not counted. Prints `NAME: hits N, with registers N, with a stack N,
 * texts N "the last one"`, and what found no room in a ring, and how long it took to place the
 * probes, until the capture was closed, and until they were off.
 */
#include "config.h"

#include "base/clock.h"
#include "base/vec.h"
#include "bpf/wire.h"
#include "capture/link.h"
#include "capture/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLACES 256u

struct seen {
	uint64_t value;          /* 0 = any */
	uint64_t hits, regs, stacks, texts;
	char text[64];
};

static const char *const kinds[] = { [LINK_ENTRY] = "entry", [LINK_RETURN] = "return", [LINK_SESSION] = "session" };
static struct seen seen[PLACES];
static const char *name[PLACES];
static uint64_t offset[PLACES], cookie[PLACES];
static uint32_t nr, unknown;

static void print_failed(void *ctx, uint32_t place, const struct err *e)
{
	(void)ctx;
	(void)place;
	printf("failed: %s\n", e->text);
}

static void take(void *ctx, const struct raw_event *ev)
{
	const uint32_t i = ev->hit.probe - SB_PROBE_PLACED;

	(void)ctx;
	if (ev->kind != RAW_EVENT)
		return;
	if (i >= nr) {
		unknown++;
		return;
	}
	if (seen[i].value && (!ev->hit.nr_args || ev->hit.arg[0] != seen[i].value))
		return;
	seen[i].hits += ev->hit.count;
	seen[i].regs += ev->sample.user.nr_regs > 0;
	seen[i].stacks += ev->sample.user.nr_segments > 0 && ev->sample.user.segment[0].len > 0;
	seen[i].texts += ev->hit.nr_texts;
	if (ev->hit.nr_texts)
		snprintf(seen[i].text, sizeof(seen[i].text), "%.*s", (int)ev->hit.text[0].len, ev->hit.text[0].bytes);
}

/* NAME=OFFSET[:TEXT][,VALUE]. */
static void add_place(char *arg)
{
	char *equals = strchr(arg, '='), *rest = NULL;
	uint32_t text = 0;

	if (!equals || nr == PLACES)
		exit(2);
	*equals = '\0';
	name[nr] = arg;
	offset[nr] = strtoull(equals + 1, &rest, 0);
	if (*rest == ':')
		text = (uint32_t)strtoul(rest + 1, &rest, 0);
	if (*rest == ',')
		seen[nr].value = strtoull(rest + 1, &rest, 0);
	if (*rest)
		exit(2);
	cookie[nr] = SB_COOKIE(SB_PROBE_PLACED + nr, text);
	nr++;
}

/* COMMAND, which begins when *RET_GO is closed. */
static pid_t start_stopped(char **command, int *ret_go)
{
	int fd[2];
	pid_t pid;
	char c;

	if (pipe(fd))
		return -1;
	pid = fork();
	if (!pid) {
		close(fd[1]);
		while (read(fd[0], &c, 1) > 0)
			;
		close(fd[0]);
		execvp(command[0], command);
		_exit(127);
	}
	close(fd[0]);
	*ret_go = fd[1];
	return pid;
}

static int watch(const struct capture_plan *plan, pid_t child, int go, struct err *e)
{
	uint64_t at = clock_mono_ns();
	struct source_stats st;
	struct source *s = NULL;
	int status, r = source_open(plan, &s, e);

	r = r ? r : source_prepare(s, e);
	r = r ? r : source_start(s, e);
	printf("placed in: %.1f ms\n", (double)(clock_mono_ns() - at) / 1e6);
	close(go);
	while (r >= 0 && waitpid(child, &status, WNOHANG) == 0)
		r = source_read(s, 20, false, take, NULL, e);
	if (r >= 0) {
		source_stop(s);
		r = source_read(s, 0, true, take, NULL, e);
	}
	if (s) {
		source_stats(s, &st);
		printf("lost: %llu\n", (unsigned long long)(st.lost.n[LOST_RING_FULL] + st.lost.n[LOST_NO_RING]));
	}
	at = clock_mono_ns();
	source_free(s);
	printf("closed in: %.1f ms\n", (double)(clock_mono_ns() - at) / 1e6);
	printf("still on: %u\n", links_dropping(60 * NSEC_PER_SEC));
	printf("off in: %.1f ms\n", (double)(clock_mono_ns() - at) / 1e6);
	return r;
}

int main(int argc, char **argv)
{
	struct capture_plan plan = { .target = TARGET_PIDS,
				     .event = EVENT_CPU_CLOCK,
				     .freq_hz = 99,
				     .kernel = true,
				     .stack_bytes = 4096,
				     .stack_fixed = true,
				     .numa = NUMA_OFF,
				     .ring_bytes = 64u << 20 };
	struct link_places places = { .kind = LINK_ENTRY, .offset = offset, .cookie = cookie, .name = name };
	struct err e = ERR_INIT;
	uint32_t id;
	int go = -1, r, i;

	for (unsigned int kind = LINK_ENTRY; kind <= LINK_SESSION && argc > 1; kind++) {
		if (strcmp(argv[1], kinds[kind]))
			continue;
		places.kind = kind;
		argv++;
		argc--;
		break;
	}
	if (link_way_of(places.kind) == LINK_NOT) {
		printf("no sessions\n");
		return 0;
	}
	i = 2;
	while (i < argc && strcmp(argv[i], "--"))
		add_place(argv[i++]);
	if (i + 1 >= argc)
		return 2;
	id = (uint32_t)start_stopped(argv + i + 1, &go);
	plan.ids.v = &id;
	plan.ids.n = 1;
	places.path = argv[1];
	places.pid = (pid_t)id;
	places.n = nr;
	plan.places = &places;
	plan.nr_places = 1;
	plan.place_failed = print_failed;
	r = watch(&plan, (pid_t)id, go, &e);
	if (r < 0)
		printf("error: %s\n", e.text);
	for (uint32_t k = 0; k < nr; k++)
		printf("%s: hits %" PRIu64 ", with registers %" PRIu64 ", with a stack %" PRIu64 ", texts %" PRIu64
		       " \"%s\"\n",
		       name[k], seen[k].hits, seen[k].regs, seen[k].stacks, seen[k].texts, seen[k].text);
	printf("unknown: %u\n", unknown);
	return r < 0;
}
