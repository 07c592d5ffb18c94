/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branches.c - `sberf branches`: which branches calls of a function took, and where calls that meet a condition part
 * from the others.
 *
 * The engine's thread only copies hits (trace/hitorder.h). This one puts them together to calls, in order of time,
 * judges each call, counts it, and writes. So whoever reads slowly loses hits, which are counted, and never stops the
 * target.
 */
#include "config.h"

#include "cmd/branches_private.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "capture/branchrecords.h"
#include "cmd/launch_probes.h"
#include "cmd/lineout.h"
#include "cmd/signals.h"
#include "engine/placing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL_NS (100 * NSEC_PER_MSEC)    /* how late signals and the end are seen */
#define REFRESH_NS (200 * NSEC_PER_MSEC)
#define WAITING_BYTES (128u << 20)       /* of hits that wait for their turn */
#define RING_BYTES (64u << 20)

static bool branches_take_stacks(const struct branches *b)
{
	return b->o->branch_stacks || b->o->branch_record;
}

/* ---- running ---- */

static void branches_take(void *ctx, const struct raw_event *raw, const struct event *ev)
{
	struct branches *b = ctx;

	struct hit *h = hit_new(raw, false, ev ? ev->stack : ID_NONE);

	if (h && ev && b->o->branch_record && (h->event = malloc(sizeof(*ev))))
		*h->event = *ev;
	hitorder_put(b->order, h);
}

static void branches_seen(void *ctx, uint64_t ns)
{
	struct branches *b = ctx;

	hitorder_flush(b->order, ns);
}

/* Handles all hits whose turn has come. False when nothing can be written any more. */
static bool branches_turn(struct branches *b)
{
	struct hit *h;

	hitorder_wait(b->order, POLL_NS);
	while (!b->error && (h = hitorder_take(b->order))) {
		branches_hit(b, h);
		hit_free(h);
		if (ferror(b->show.out))
			b->error = errno ? errno : EIO;
	}
	fflush(b->show.out);
	if (!b->error && ferror(b->show.out))
		b->error = errno ? errno : EIO;
	return !b->error;
}

static void branches_until_end(struct branches *b, const sigset_t *set)
{
	const struct timespec now = { 0 };
	struct engine *en = b->launch.engine;
	bool ended = false, go_on = true;

	while (!ended && go_on) {
		ended = engine_wait(en, 1);
		if (ended)
			hitorder_end(b->order);
		branches_say_prices(b);
		launch_say_placed(&b->launch, "branches");
		go_on = branches_turn(b);
		launch_say_price(&b->launch, "branches");
		if (signals_take(&b->launch, set, &now))
			engine_stop(en);
	}
	engine_stop(en);
	engine_wait(en, 0);
}

static int branches_status(const struct branches *b)
{
	struct profile_meta m;

	engine_status(b->launch.engine, &m);
	return m.target_state == TARGET_EXITED ? m.end_code : m.target_state == TARGET_KILLED ? 128 + m.end_code : 0;
}

/* The numbers of the probes that were placed. */
static int branches_know_probes(struct branches *b, struct err *e)
{
	for (size_t i = 0; i < b->wish.n; i++) {
		unsigned int id;
		const int r = placing_measure(b->wish.v[i].probe, &id, e);

		if (r)
			return r;
		b->wish.v[i].number = probes_count();
		for (uint32_t k = 0; k < probes_count(); k++)
			if (probes_measure_id(k) == id)
				b->wish.v[i].number = k;
	}
	return 0;
}

static int branches_prepare(struct branches *b, struct err *e)
{
	const struct options *o = b->o;
	const struct branch_calls_ops ops = { branches_code, branches_ended, b };
	const struct graphs_ops graphs = { branches_is_first, branches_is_late,
					   o->branch_entry ? branches_graph_begun : NULL, branches_graph_ended, b };
	FILE *out = NULL;
	int r = lineout_open(o, &out, e);

	if (r)
		return r;
	b->show = (struct branch_show){
		.out = out, .name = branch_names_of, .condition = o->part, .json = o->trace_json,
		.source = b->how != BRANCHES_GRAPH && (o->branch_lines || (o->part && !o->trace_json)) ?
			branch_names_source : NULL,
	};
	r = branch_names_new(o, &b->names, e);
	if (r)
		return r;
	b->show.ctx = b->names;
	if (b->how == BRANCHES_GRAPH) {
		r = branch_graph_new(o->branch_calls ? GRAPH_SHOWS_CALLS : o->branch_returns ? GRAPH_SHOWS_RETURNS :
				     GRAPH_SHOWS_ALL, &b->graph, e);
		b->graphs = r ? NULL : graphs_new(&graphs);
		if (!b->graphs)
			return r ? r : err_nomem(e, "call graphs");
	}
	b->table = calltable_new(NULL);
	b->order = hitorder_new(WAITING_BYTES);
	b->calls = branch_calls_new(&ops);
	b->sums = o->part || o->branch_count || o->branch_disasm ? branch_sums_new() : NULL;
	if (!b->table || !b->order || !b->calls || (!b->sums && (o->part || o->branch_count || o->branch_disasm)))
		return err_nomem(e, "branches");
	return 0;
}

void branches_capture_options(const struct branches *b, struct options *ret)
{
	*ret = *b->o;
	ret->off_cpu = false;
	ret->numa = NUMA_OFF;
	ret->ring_bytes = b->o->ring_bytes ? b->o->ring_bytes : RING_BYTES;
	ret->probes = (text_vec){ 0 };
	ret->branch_print = (text_vec){ 0 };
}

/* What O asks for, as a capture that only traces: one sample a second is the least that there is. */
static int branches_options(const struct branches *b, struct options *ret, struct err *e)
{
	branches_capture_options(b, ret);
	ret->freq_hz = 1;
	ret->event = EVENT_CPU_CLOCK;
	ret->call_graph = branches_take_stacks(b) ? b->o->call_graph : CALL_GRAPH_OFF;
	if (!vec_reserve(&ret->probes, b->wish.n))
		return err_nomem(e, "probes");
	for (size_t i = 0; i < b->wish.n; i++)
		ret->probes.v[ret->probes.n++] = b->wish.v[i].probe;
	for (size_t i = 0; b->prints && i < branch_prints_asked(b->prints)->n; i++) {
		const char **at = vec_push(&ret->branch_print);

		if (!at)
			return err_nomem(e, "what is to be shown");
		*at = branch_prints_asked(b->prints)->expr[i];
	}
	return 0;
}

static int branches_open(struct branches *b, const struct options *asked, struct err *e)
{
	int r = branches_prepare(b, e);

	if (r)
		return r;
	b->tracer = (struct engine_tracer){ .hit = branches_take, .seen = branches_seen, .ctx = b,
					    .stacks = branches_take_stacks(b) };
	b->launch.config.tracer = &b->tracer;
	b->launch.config.refresh_ns = REFRESH_NS;
	b->launch.config.plan.call_wishes = calltable_wishes(b->table);
	b->real_ns = clock_real_at(0);
	r = launch_open(&b->launch, asked, false, e);
	return r < 0 ? r : branches_know_probes(b, e);
}

/* What was recorded, or why not all of it. */
static void branches_end_record(struct branches *b)
{
	struct recorder_saved saved;
	struct err why = ERR_INIT;
	char name[SPEC_TEXT_MAX];

	if (!b->record)
		return;
	if (branch_record_end(b->record, &saved, &why) < 0) {
		fprintf(stderr, "sberf branches: %s\n", why.text);
		b->record = NULL;
		return;
	}
	b->record = NULL;
	for (size_t i = 0; i < b->wish.n; i++)
		if (b->wish.n > 1) {
			text_sanitise(name, sizeof(name), b->wish.v[i].probe, strlen(b->wish.v[i].probe));
			fprintf(stderr, "sberf branches: calls are recorded: sberf report --metric '%s' %s\n", name,
				b->o->branch_record);
		} else {
			fprintf(stderr, "sberf branches: calls are recorded: sberf report %s\n", b->o->branch_record);
		}
}

static int branches_run(struct branches *b, const struct options *asked, struct err *e)
{
	sigset_t set;
	int r = branches_open(b, asked, e);

	if (r < 0)
		return r;
	signals_block(&set, false);
	branches_say_prices(b);
	branches_say_way(b);
	if (b->o->branch_record)
		r = branch_record_open(b->launch.engine, b->o->branch_record, &b->record, e);
	r = r < 0 ? r : launch_start(&b->launch, e);
	if (r < 0)
		return r;
	if (b->launch.note[0])
		fprintf(stderr, "sberf branches: %s\n", b->launch.note);
	branches_until_end(b, &set);
	branches_put_all(b);
	branches_end_record(b);
	branches_say_end(b);
	launch_say_probes(&b->launch, "branches");
	launch_end_command(&b->launch);
	r = engine_result(b->launch.engine, e);
	return r < 0 || !b->launch.child.pid ? r : branches_status(b);
}

static int branches_live(struct branches *b, struct err *e)
{
	struct recorder_saved saved;
	struct options asked;
	int r = branches_options(b, &asked, e);

	if (!r)
		r = branches_run(b, &asked, e);
	if (b->record)
		(void)branch_record_end(b->record, &saved, NULL);
	launch_close(&b->launch);
	vec_free(&asked.probes);
	vec_free(&asked.branch_print);
	return launch_exit(&b->launch, r);
}

/* ---- BPF programs, and records of the CPU ---- */

static void branches_programs_end(struct branches *b)
{
	branch_programs_end(b->programs);
	branches_stacks_end(b);
	b->show.partial = branch_programs_turns(b->programs);
	branches_put_all(b);
	branches_end_record(b);
	branches_say_end(b);
}

/* Follows BPF programs, or with RECORDS also functions of the kernel, until a signal or the end of --duration. */
static int branches_of_programs(struct branches *b, bool records, struct err *e)
{
	const struct branch_programs_ops ops = { branches_take_stacks(b) ? branches_stacks_ended : branches_ended, b };
	const struct timespec now = { 0 };
	int r = branches_prepare(b, e);
	uint64_t until_ns;
	sigset_t set;

	signals_block(&set, false);
	b->real_ns = clock_real_at(0);
	r = r ? r : branch_programs_find(b->o, &b->wish, b->names, b->prints, records, &ops, &b->programs, e);
	if (r)
		return r;
	/* That takes the first breakpoint of each CPU. */
	r = branches_take_stacks(b) ? branches_stacks_begin(b, e) : 0;
	r = r ? r : branch_programs_begin(b->programs, e);
	/* What cannot be followed has instructions all the same. */
	if (r && b->o->branch_disasm)
		branches_put_listings(b);
	if (r)
		return r;
	until_ns = b->o->duration_ns ? clock_mono_ns() + b->o->duration_ns : UINT64_MAX;
	while (!b->error && clock_mono_ns() < until_ns && sigtimedwait(&set, NULL, &now) < 0) {
		branch_programs_turn(b->programs);
		branches_stacks_turn(b);
		fflush(b->show.out);
		if (ferror(b->show.out))
			b->error = errno ? errno : EIO;
	}
	branches_programs_end(b);
	return 0;
}

/* How it is done. */
enum branches_way {
	WAY_PROBES,
	WAY_BREAKPOINTS,         /* BPF programs */
	WAY_RECORDS,
};

/*
 * Whether the CPU has records of branches that can be taken: 0, and it is said how many; else a sentence about what can
 * be done without them.
 */
static int branches_check_records(const struct branches *b, struct err *e)
{
	char depth[BRANCHRECORDS_TEXT_MAX];
	struct branchrecords_facts facts;
	struct err why = ERR_INIT;

	for (size_t i = 0; i < b->wish.n; i++)
		if (!b->wish.v[i].program && !b->wish.v[i].kernel)
			return err_set(e, EOPNOTSUPP, "--how lbr is about functions of the kernel and BPF programs: "
				       "functions of programs are followed by --how step");
	branchrecords_gather(&facts);
	if (!branchrecords_judge(&facts, &why)) {
		fprintf(stderr, "sberf branches: %s\n", branchrecords_depth(&facts, depth));
		return 0;
	}
	return err_set(e, EOPNOTSUPP, "%s; functions of programs and of the kernel, and BPF programs, are followed "
		       "without them (u:FILE:NAME, k:NAME, bpf:NAME, with --how step)", why.text);
}

/* Whether what is to be shown is something that the way knows. RECORDS: it is that by records of the CPU. */
static int branches_check_shown(const struct branches *b, bool records, struct err *e)
{
	const bool graph = !records && b->how == BRANCHES_GRAPH;

	if ((b->o->branch_calls || b->o->branch_returns) && !graph && !records)
		return err_set(e, EOPNOTSUPP, "--how step follows the jumps within a function: --%s is for --how "
			       "graph and lbr", b->o->branch_calls ? "calls" : "returns");
	if (records && branches_take_stacks(b))
		return err_set(e, EOPNOTSUPP, "--how lbr takes no stacks: leave out --stacks and --record, or --how");
	if (b->o->branch_entry && (b->o->last || b->o->branch_record) && graph)
		return err_set(e, EINVAL, "--how graph --entry tells calls one by one: leave --%s out",
			       b->o->last ? "last" : "record");
	if (b->o->branch_disasm && graph)
		return err_set(e, EINVAL, "--disasm shows branches, which --how graph does not follow: name one "
			       "function without a wildcard, or leave --disasm out");
	return 0;
}

/* Whether what was asked for can be had in the way that was asked for: *RET. */
static int branches_check_way(const struct branches *b, enum branches_way *ret, struct err *e)
{
	bool programs = false, others = false;
	int r = 0;

	for (size_t i = 0; i < b->wish.n; i++) {
		programs |= b->wish.v[i].program;
		others |= !b->wish.v[i].program;
	}
	*ret = b->o->how == BRANCHES_LBR ? WAY_RECORDS : programs ? WAY_BREAKPOINTS : WAY_PROBES;
	if (*ret == WAY_RECORDS)
		r = branches_check_records(b, e);
	else if (*ret == WAY_BREAKPOINTS && b->o->how == BRANCHES_AUTO && !branches_check_records(b, NULL))
		*ret = WAY_RECORDS;
	r = r ? r : branches_check_shown(b, *ret == WAY_RECORDS, e);
	if (r || *ret == WAY_PROBES)
		return r;
	if (*ret == WAY_BREAKPOINTS && others)
		return err_set(e, EINVAL, "BPF programs are followed by themselves: leave out the other functions");
	if (b->o->how == BRANCHES_GRAPH)
		return err_set(e, EOPNOTSUPP, "--how graph is about functions of the kernel: BPF programs are followed "
			       "by --how step");
	if (b->o->target != OPT_TARGET_NONE && b->o->target != OPT_TARGET_ALL)
		return err_set(e, EINVAL, "BPF programs, and functions with --how lbr, are followed wherever they run: "
			       "leave out the target, and write a condition for one process: 'bpf:NAME /pid == N/'");
	return 0;
}

static void branches_free(struct branches *b)
{
	hitorder_free(b->order);
	branch_calls_free(b->calls);
	graphs_free(b->graphs);
	branch_graph_free(b->graph);
	branches_stacks_free(b);
	branch_programs_free(b->programs);
	branch_sums_free(b->sums);
	branch_names_free(b->names);
	branch_prints_free(b->prints);
	branch_wishes_free(&b->wish);
	calltable_free(b->table);
	branches_calls_free(b);
}

int cmd_branches(const struct options *o, struct err *e)
{
	struct branches b = { .o = o, .launch = LAUNCH_INIT };
	enum branches_way way = WAY_PROBES;
	int r = branch_wishes_read(o, &b.wish, &b.how, e);

	r = r ? r : branches_check_way(&b, &way, e);
	if (!r && way == WAY_PROBES && o->target == OPT_TARGET_NONE)
		r = err_set(e, EINVAL, "say whose calls: -p PID, -t TID, -n NAME, --cgroup PATH, or -- COMMAND to "
			    "start one");
	if (!r && o->part)
		r = branch_condition_read(o->part, &b.part, e);
	r = r ? r : branch_prints_new(o, &b.prints, e);
	if (!r)
		r = way == WAY_PROBES ? branches_live(&b, e) : branches_of_programs(&b, way == WAY_RECORDS, e);
	if (b.show.out && fclose(b.show.out) && !b.error)
		b.error = errno;
	r = lineout_result(o, r, b.error, e);
	branches_free(&b);
	return r;
}
