/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf.c - `sberf bpf`: the BPF programs that run now, and what that costs. */
#include "config.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "cmd/clean.h"
#include "cmd/options.h"
#include "export/jsonout.h"
#include "system/bpfprogs.h"
#include "system/lookup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEEPERS_SHOWN 3u         /* on a line */

/* What is asked, and what it is answered from. */
struct watched {
	bpf_prog_vec before, now;
	bpf_keeper_vec keeper;
	uint64_t over_ns;
	bool counted;            /* runs were */
};

static void watched_clear(struct watched *w)
{
	vec_free(&w->before);
	vec_free(&w->now);
	bpfprogs_keepers_free(&w->keeper);
}

static int bpf_compare_ids(const void *key, const void *p)
{
	const uint32_t id = *(const uint32_t *)key, other = ((const struct bpf_prog *)p)->id;

	return id < other ? -1 : id > other;
}

/* Makes the figures of what is there now those of the time in between. What was loaded meanwhile has all of its own. */
static void take_off_before(struct watched *w)
{
	for (size_t i = 0; i < w->now.n; i++) {
		struct bpf_prog *p = &w->now.v[i];
		const struct bpf_prog *b = w->before.n ?
			bsearch(&p->id, w->before.v, w->before.n, sizeof(*b), bpf_compare_ids) : NULL;

		if (!b)
			continue;
		p->runs -= b->runs < p->runs ? b->runs : p->runs;
		p->run_ns -= b->run_ns < p->run_ns ? b->run_ns : p->run_ns;
		p->missed -= b->missed < p->missed ? b->missed : p->missed;
	}
}

static int bpf_compare_times(const void *a, const void *b)
{
	const struct bpf_prog *x = a, *y = b;

	if (x->run_ns != y->run_ns)
		return x->run_ns > y->run_ns ? -1 : 1;
	if (x->runs != y->runs)
		return x->runs > y->runs ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int bpf_watch(struct watched *w, uint64_t ns, struct err *e)
{
	const struct timespec pause = { (time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC) };
	AUTO_FD int counting = bpfprogs_count_runs();
	uint64_t from;
	int rc;

	w->counted = counting >= 0 || bpfprogs_counted();
	rc = bpfprogs_list(&w->before, e);
	if (rc)
		return rc;
	from = clock_mono_ns();
	nanosleep(&pause, NULL);         /* the time that it took is read */
	rc = bpfprogs_list(&w->now, e);
	w->over_ns = clock_mono_ns() - from;
	if (!rc)
		rc = bpfprogs_keepers(&w->keeper, e);
	if (rc)
		return rc;
	take_off_before(w);
	if (w->now.n)
		qsort(w->now.v, w->now.n, sizeof(w->now.v[0]), bpf_compare_times);
	return 0;
}

/* The first keeper of program ID; *RET_N = how many there are. */
static const struct bpf_keeper *keepers_of(const struct watched *w, uint32_t id, size_t *ret_n)
{
	size_t from = 0, to;

	while (from < w->keeper.n && w->keeper.v[from].prog < id)
		from++;
	for (to = from; to < w->keeper.n && w->keeper.v[to].prog == id; )
		to++;
	*ret_n = to - from;
	return w->keeper.v + from;
}

static void print_keepers(const struct watched *w, uint32_t id)
{
	size_t n;
	const struct bpf_keeper *k = keepers_of(w, id, &n);

	for (size_t i = 0; i < n && i < KEEPERS_SHOWN; i++) {
		char comm[64];

		fputs(i ? ", " : "  ", stdout);
		if (k[i].path) {
			print_clean(stdout, k[i].path);
			continue;
		}
		printf("%s (%d)", lookup_comm(k[i].pid, comm, sizeof(comm)), (int)k[i].pid);
	}
	if (n > KEEPERS_SHOWN)
		printf(" and %zu more", n - KEEPERS_SHOWN);
}

static void bpf_print_program(const struct watched *w, const struct bpf_prog *p)
{
	const double seconds = (double)w->over_ns / NSEC_PER_SEC;
	char type[32], runs[UNITS_MAX], percent[UNITS_MAX];

	printf("%7u  %-16s", p->id, bpfprogs_type(p->type, type));
	if (!w->counted)
		printf("  %9s  %7s  %7s", "?", "?", "?");
	else if (!p->runs)
		printf("  %9s  %7s  %7s", "0", "", "");
	else
		printf("  %9s  %7" PRIu64 "  %7s", units_thousands(runs, (uint64_t)((double)p->runs / seconds + 0.5)),
		       p->run_ns / p->runs, units_percent(percent, (double)p->run_ns / (double)w->over_ns));
	fputs("  ", stdout);
	for (size_t i = 0; i < sizeof(p->tag); i++)
		printf("%02x", p->tag[i]);
	fputs("  ", stdout);
	print_clean(stdout, *p->name ? p->name : "(no name)");
	if (p->missed)
		printf(", %" PRIu64 " runs missed", p->missed);
	print_keepers(w, p->id);
	putchar('\n');
}

static void bpf_print_text(const struct watched *w)
{
	printf("%7s  %-16s  %9s  %7s  %7s  %-16s  %s\n", "id", "type", "runs/s", "ns/run", "of CPU", "tag",
	       "name, and who keeps it");
	for (size_t i = 0; i < w->now.n; i++)
		bpf_print_program(w, &w->now.v[i]);
}

static json_t *bpf_json_keepers(const struct watched *w, uint32_t id, bool pinned)
{
	json_t *list = json_array();
	size_t n;
	const struct bpf_keeper *k = keepers_of(w, id, &n);

	for (size_t i = 0; list && i < n; i++) {
		char comm[64];

		if (pinned != (k[i].path != NULL))
			continue;
		json_array_append_new(list, pinned ? jsonout_string(k[i].path) :
				      json_pack("{s:i,s:o}", "pid", (int)k[i].pid, "comm",
						jsonout_string(lookup_comm(k[i].pid, comm, sizeof(comm)))));
	}
	return list;
}

static int bpf_print_json(const struct watched *w, const struct bpf_prog *p, struct err *e)
{
	char type[32], tag[2 * BPF_PROG_TAG_BYTES + 1];
	json_t *object;
	int rc;

	for (size_t i = 0; i < sizeof(p->tag); i++)
		snprintf(tag + 2 * i, 3, "%02x", p->tag[i]);
	object = json_pack("{s:o,s:s,s:o,s:s,s:o,s:o,s:o,s:o}", "id", jsonout_u64(p->id), "type",
			   bpfprogs_type(p->type, type), "name", jsonout_string(p->name), "tag", tag, "uid",
			   jsonout_u64(p->uid), "jited_bytes", jsonout_u64(p->jited_bytes), "pinned",
			   bpf_json_keepers(w, p->id, true), "processes", bpf_json_keepers(w, p->id, false));
	if (object && w->counted) {
		json_object_set_new(object, "over_ns", jsonout_u64(w->over_ns));
		json_object_set_new(object, "runs", jsonout_u64(p->runs));
		json_object_set_new(object, "run_ns", jsonout_u64(p->run_ns));
		json_object_set_new(object, "missed", jsonout_u64(p->missed));
	}
	rc = object ? json_dumpf(object, stdout, JSON_COMPACT) : 0;
	json_decref(object);
	putchar('\n');
	return !object ? err_nomem(e, "an answer") : rc ? -EPIPE : 0;
}

int cmd_bpf(const struct options *o, struct err *e)
{
	__attribute__((cleanup(watched_clear))) struct watched w = { 0 };
	int rc = bpf_watch(&w, o->watch_ns, e);

	if (rc)
		return rc;
	if (!w.counted)
		fputs("sberf bpf: runs are not counted here: sysctl kernel.bpf_stats_enabled=1 starts that\n", stderr);
	if (!o->trace_json)
		bpf_print_text(&w);
	for (size_t i = 0; o->trace_json && !rc && i < w.now.n; i++)
		rc = bpf_print_json(&w, &w.now.v[i], e);
	return rc;
}
