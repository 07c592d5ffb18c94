/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * launch.c - checks targets before anything is opened, so that a wrong pid is reported as such and
 * not as a failed capture.
 */
#include "config.h"

#include "cmd/launch.h"

#include "base/clock.h"
#include "base/text.h"
#include "capture/branchrecords.h"
#include "capture/replay.h"
#include "capture/source.h"
#include "cmd/preload.h"
#include "cmd/records.h"
#include "cmd/record_split.h"
#include "engine/budget.h"
#include "engine/guard.h"
#include "model/allocation.h"
#include "model/measure.h"
#include "model/probes.h"
#include "plugin/worker.h"
#include "probe/spec.h"
#include "probe/tracepoint.h"
#include "session/when.h"
#include "system/container.h"
#include "system/lookup.h"
#include "trace/hitvalues.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* all together: 200,000 hits a second have room while their stacks are copied, as rules are being learned */
#define PROBED_RING_BYTES (32u << 20)
#define TOLD_A_SECOND 400u       /* hits of one probe that are recorded by themselves */

static void launch_name_target(struct launch *s, const char *what, const char *which)
{
	char clean[sizeof(s->target_text)];

	text_sanitise(clean, sizeof(clean), which, strlen(which));
	text_format(s->target_text, sizeof(s->target_text), "%s%.*s", what,
		    (int)text_whole(clean, strnlen(clean, 200)), clean);
}

/* "redis-server 1234", or "redis-server 1234 and 3 more". */
static void name_ids(struct launch *s, const struct options *o, const u32_vec *ids)
{
	char comm[32] = "";

	lookup_comm((pid_t)ids->v[0], comm, sizeof(comm));
	if (ids->n == 1)
		snprintf(s->target_text, sizeof(s->target_text), "%s%s%s%u",
			 o->target == OPT_TARGET_TIDS ? "thread " : "", comm, comm[0] ? " " : "", ids->v[0]);
	else
		snprintf(s->target_text, sizeof(s->target_text), "%s %u and %zu more", comm, ids->v[0], ids->n - 1);
}

/* Why ID, which is nobody that runs, cannot be looked at. */
static int no_target(const char *kind, uint32_t id, const char *list, struct err *e)
{
	char parent[32] = "";
	pid_t ppid = 0;

	if (!lookup_zombie((pid_t)id, &ppid))
		return err_set(e, ESRCH, "there is no %s %u (see `ps -e%s`)", kind, id, list);
	if (lookup_process_exists((pid_t)id))
		return err_set(e, ESRCH, "%s %u has ended, other threads of its process go on; use -p %u", kind, id,
			       id);
	lookup_comm(ppid, parent, sizeof(parent));
	return err_set(e, ESRCH, "%s %u has ended: it is a zombie until its parent, %s (%d), asks how, and there is "
		       "nothing to see of it any more", kind, id, parent[0] ? parent : "somebody", (int)ppid);
}

static int check_ids(const struct options *o, const u32_vec *ids, struct err *e)
{
	const bool threads = o->target == OPT_TARGET_TIDS;

	for (size_t i = 0; i < ids->n; i++) {
		if (threads ? lookup_thread_exists((pid_t)ids->v[i]) : lookup_process_exists((pid_t)ids->v[i]))
			continue;
		if (!threads && lookup_thread_exists((pid_t)ids->v[i]))
			return err_set(e, ESRCH, "%u is a thread, not a process; use -t %u", ids->v[i], ids->v[i]);
		return no_target(threads ? "thread" : "process", ids->v[i], threads ? "L" : "", e);
	}
	return 0;
}

static int copy_ids(u32_vec *dst, const u32_vec *src, struct err *e)
{
	if (src->n && !vec_reserve(dst, src->n))
		return err_nomem(e, "the target list");
	for (size_t i = 0; i < src->n; i++)
		dst->v[dst->n++] = src->v[i];
	return 0;
}

static int target_ids(struct launch *s, const struct options *o, struct err *e)
{
	struct capture_plan *plan = &s->config.plan;
	int r = copy_ids(&plan->ids, &o->ids, e);

	plan->target = o->target == OPT_TARGET_TIDS ? TARGET_TIDS : TARGET_PIDS;
	if (!r)
		r = check_ids(o, &plan->ids, e);
	if (!r)
		name_ids(s, o, &plan->ids);
	return r;
}

static int target_name(struct launch *s, const struct options *o, struct err *e)
{
	struct capture_plan *plan = &s->config.plan;
	int r = lookup_by_name(o->name, &plan->ids, e);

	plan->target = TARGET_PIDS;
	plan->name = o->name;
	plan->stay = o->wait;
	if (r < 0)
		return r;
	if (plan->ids.n) {
		name_ids(s, o, &plan->ids);
		return 0;
	}
	if (!o->wait)
		return err_set(e, ESRCH, "no process is called '%s' (see `ps -e`; --wait waits for one)", o->name);
	launch_name_target(s, "", o->name);
	return 0;
}

/* Places in programs are probed to follow memory. */
static bool memory_in_programs(const struct options *o)
{
	return o->memory == MEMORY_ALLOCS || o->memory == MEMORY_PRELOAD;
}

static uint32_t alloc_interval(const struct options *o)
{
	return o->sample_bytes ? o->sample_bytes : ALLOC_INTERVAL_DEFAULT;
}

static int target_command(struct launch *s, const struct options *o, bool detached, struct err *e)
{
	uint32_t *id = vec_push(&s->config.plan.ids);
	const char *name = strrchr(o->argv[0], '/');
	char which[200];
	int r;

	if (!id)
		return err_nomem(e, "the target list");
	r = child_check(o->argv[0], &s->status, e);
	if (!r && o->memory == MEMORY_PRELOAD)
		r = preload_begin(o->argv[0], alloc_interval(o), e);
	if (!r)
		r = child_start(o->argv, detached, &s->child, e);
	preload_end();
	if (r < 0)
		return r;
	*id = (uint32_t)s->child.pid;
	s->config.child = s->child.pid;
	s->config.plan.target = TARGET_PIDS;
	s->config.plan.to_come = true;
	name = name ? name + 1 : o->argv[0];
	text_format(which, sizeof(which), "%.*s %d", (int)text_whole(name, strnlen(name, 180)), name,
		    (int)s->child.pid);
	launch_name_target(s, "", which);
	return 0;
}

static int target_container(struct launch *s, const struct options *o, struct err *e)
{
	char label[CONTAINER_LABEL_MAX];
	const int r = container_find(o->container, label, s->cgroup, &s->config.plan.ids, e);

	if (r < 0)
		return r;
	/* What joins a cgroup of version 1 later is seen when a process of the container forked it. */
	s->config.plan.target = s->config.plan.ids.n ? TARGET_PIDS : TARGET_CGROUP;
	s->config.plan.cgroup = s->config.plan.ids.n ? NULL : s->cgroup;
	launch_name_target(s, "container ", label);
	return 0;
}

static int resolve_target(struct launch *s, const struct options *o, bool detached, struct err *e)
{
	switch (o->target) {
	case OPT_TARGET_PIDS:
	case OPT_TARGET_TIDS:
		return target_ids(s, o, e);
	case OPT_TARGET_NAME:
		return target_name(s, o, e);
	case OPT_TARGET_COMMAND:
		return target_command(s, o, detached, e);
	case OPT_TARGET_CGROUP:
		s->config.plan.target = TARGET_CGROUP;
		s->config.plan.cgroup = o->cgroup;
		launch_name_target(s, "cgroup ", o->cgroup);
		return 0;
	case OPT_TARGET_CONTAINER:
		return target_container(s, o, e);
	case OPT_TARGET_REPLAY:
		s->config.plan.replay = o->replay;
		s->config.plan.numa = NUMA_OFF;
		s->config.plan.target = TARGET_ALL;
		launch_name_target(s, "replay of ", o->replay);
		return replay_plan(&s->config.plan, e);
	case OPT_TARGET_ALL:
	case OPT_TARGET_NONE:
		break;
	}
	s->config.plan.target = TARGET_ALL;
	launch_name_target(s, "all tasks", "");
	return 0;
}

/* Whether COMM can follow -n as it is. */
static bool is_plain_name(const char *comm)
{
	return *comm && *comm != '-' &&
	       !comm[strspn(comm, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-")];
}

/*
 * Processes that a server forked before belong to no target that is one process: somebody who looks
 * at the first process of PostgreSQL sees it wait in select(2), and has to be told why.
 */
static int note_children(struct launch *s, struct err *e)
{
	const u32_vec *ids = &s->config.plan.ids;
	char name[32], other[32];
	u32_vec more = { 0 };
	int r = ids->n ? lookup_descendants(ids, &more, e) : 0;
	bool same = true;

	if (!r && more.n) {
		lookup_comm((pid_t)ids->v[0], name, sizeof(name));
		for (size_t i = 0; i < more.n && same; i++)
			same = !strcmp(lookup_comm((pid_t)more.v[i], other, sizeof(other)), name);
		text_format(s->note, sizeof(s->note), "%zu child process%s already and %s not watched: %s%s%s", more.n,
			    more.n == 1 ? " runs" : "es run", more.n == 1 ? "is" : "are",
			    same && is_plain_name(name) ? "-n " : "-p takes several pids",
			    same && is_plain_name(name) ? name : "",
			    same && is_plain_name(name) ? " watches all" : "");
	}
	vec_free(&more);
	return r;
}

/* The kinds of events that count in MEASURES. */
static uint32_t kinds_of(measure_mask measures)
{
	uint32_t kinds = 0;

	for (unsigned int id = 0; id < measures_count(); id++)
		kinds |= measures >> id & 1 ? measure_get(id)->kinds : 0;
	return kinds;
}

/* Is there a place in some process of the machine? Where none has the file yet, one may come that has. */
static int check_everywhere(struct launch *s, struct err *e)
{
	u32_vec all = { 0 };
	uint64_t absent = 0;
	int r = lookup_by_name(NULL, &all, e);

	r = r < 0 ? r : placing_check(s->placing, all.v, all.n, &absent, e);
	s->config.probes_everywhere = true;
	for (uint32_t i = 0; r >= 0 && i < probes_count(); i++)
		if (absent >> i & 1) {
			probes_note_why(i, PLACING_ABSENT);
			text_format(s->note, sizeof(s->note), PLACING_ABSENT ": %s", probes_measure(i)->name);
		}
	vec_free(&all);
	return r;
}

/* Probes in programs are placed in processes that are known; those of a command come when it executes its program. */
static int check_placing(struct launch *s, const struct options *o, struct err *e)
{
	const struct capture_plan *plan = &s->config.plan;
	/* Probes of the kernel may stand before it. */
	const char *what = !o->probes.n || memory_in_programs(o) ? "--memory" : placing_first(s->placing);

	if (plan->target == TARGET_PIDS && !plan->name)
		return s->child.pid ? 0 : placing_check(s->placing, plan->ids.v, plan->ids.n, NULL, e);
	if (plan->target == TARGET_TIDS)
		return err_set(e, EOPNOTSUPP, "a probe in programs ('%.100s') is placed in processes: give them by "
			       "-p, or a command", what);
	if (!o->yes)
		return err_set(e, EPERM, "a probe in programs ('%.100s') is placed in every process that has the file, "
			       "unless the target is -p PID or a command, and each hit costs them 0.6 to 16 us, also "
			       "those that are not shown: say --yes", what);
	return check_everywhere(s, e);
}

/* Whether probes in programs may be added later: where they would be refused on the command line they are, too. */
static void launch_say_programs(struct launch *s, const struct options *o)
{
	const struct capture_plan *plan = &s->config.plan;

	if (plan->target == TARGET_PIDS && !plan->name)
		return;
	if (plan->target == TARGET_TIDS)
		s->config.no_programs = "a probe in programs is placed in processes: look at one by -p, not at threads";
	else if (!o->yes)
		s->config.no_programs = "a probe in programs is placed in every process that has the file, unless "
			"sberf looks at one by -p or at a command, and each hit costs them 0.6 to 16 us: start sberf "
			"with --yes";
	s->config.probes_everywhere = plan->target != TARGET_TIDS;
}

static enum hitvalues_of launch_values_of(const struct spec *s)
{
	/* The arguments of a span are those at its end. */
	switch (s->point[s->points - 1].kind) {
	case PROBE_SYSCALL:
		return s->span ? HITVALUES_NONE : s->point[0].match == SPEC_EXACT ? HITVALUES_CALL : HITVALUES_CALLS;
	case PROBE_CALL:
	case PROBE_ENTRY:
	case PROBE_KPROBE:
	case PROBE_KRETPROBE:
	case PROBE_RAW_TRACEPOINT:
	case PROBE_USDT:
		return HITVALUES_FUNCTION;
	case PROBE_FAULT:
		return HITVALUES_FAULT;
	case PROBE_SIGNAL:
		return HITVALUES_SIGNAL;
	default:
		return HITVALUES_NONE;
	}
}

/* Finds out what values hits of PROBE have, for which tracefs may be read, unless it is known. */
static void launch_know(struct launch *s, uint32_t probe)
{
	const struct measure *m = probes_measure(probe);
	struct hitrecord record;
	struct spec spec;

	if (m && !(s->values_known >> probe & 1) && spec_parse(m->name, &spec, NULL) >= 0) {
		hitvalues_know(s->values, probe, launch_values_of(&spec));
		if (record_of_probe(&spec, &record))
			hitvalues_know_record(s->values, probe, &record);
	}
	s->values_known |= m ? (uint64_t)1 << probe : 0;
}

/* Probes may come at any time: what such a one is of, is found out at its first hit. */
static bool launch_see(void *ctx, const struct raw_event *raw, struct told_hit *ret)
{
	struct launch *s = ctx;
	const uint32_t probe = raw->hit.probe - RAW_PROBE_PLACED;
	const struct measure *m = probes_measure(probe);

	launch_know(s, probe);
	if (!hitvalues_take(s->values, raw, ret) || !m)
		return false;
	if (raw->time_ns - s->told[probe].since_ns >= NSEC_PER_SEC) {
		s->told[probe].since_ns = raw->time_ns;
		s->told[probe].n = 0;
	}
	return s->told[probe].n++ < TOLD_A_SECOND;
}

/* Has the values of arguments counted that hits of probes have. */
static int launch_look(struct launch *s, struct err *e)
{
	s->calls = calltable_new(NULL);
	s->values = s->calls ? hitvalues_new(s->calls) : NULL;
	if (!s->values)
		return err_nomem(e, "values of arguments");
	/* Who gives up privileges cannot read tracefs any more. */
	for (uint32_t probe = 0; probe < probes_count(); probe++)
		launch_know(s, probe);
	s->looker = (struct engine_looker){ launch_see, s };
	s->config.looker = &s->looker;
	s->config.plan.look = true;
	s->config.plan.call_wishes = calltable_wishes(s->calls);
	return 0;
}

/* Where the target cannot be probed to follow its memory, there is another way. Returns R. */
static int offer_growth(const struct launch *s, int r, struct err *e)
{
	char why[ERR_TEXT_MAX];

	if (!s->probes_memory || !e || (r != -EPERM && r != -EACCES && r != -EOPNOTSUPP && r != -ENOENT))
		return r;
	text_format(why, sizeof(why), "%s", e->text);
	return err_set(e, -r, "%s; --memory=growth needs no probe in the target", why);
}

/* Stacks of samples are taken from the branch records of the CPU, *RET of them; or a sentence why they cannot be. */
static int launch_records(const struct options *o, uint32_t *ret, struct err *e)
{
	struct branchrecords_facts facts;
	struct err why = ERR_INIT;

	branchrecords_gather_callers(&facts);
	*ret = facts.depth ? facts.depth : BRANCHRECORDS_DEPTH;
	if (!branchrecords_judge(&facts, &why) && o->event == EVENT_CPU_CLOCK)
		err_set(&why, EINVAL, "branch records are taken when the CPU counts cycles, and --event cpu-clock does "
			"not");
	if (!why.text[0])
		return 0;
	return err_set(e, EOPNOTSUPP, "%s; stacks are complete without them, by the unwind tables of programs "
		       "(--call-graph fallback), or, of programs that keep them, by frame pointers (--call-graph fp)",
		       why.text);
}

void launch_note_mapping(struct launch *s)
{
	text_format(s->note, sizeof(s->note), "what is mapped, unmapped and advised is not told: tracefs cannot be "
		    "read (mount it, or run as root)");
}

static int launch_resolve_all(struct launch *s, const struct options *o, bool detached, struct err *e)
{
	struct capture_plan *plan = &s->config.plan;
	int r = o->call_graph == CALL_GRAPH_LBR ? launch_records(o, &plan->call_records, e) : 0;
	char tracefs[PATH_MAX];

	if (r)
		return r;
	s->options = o;
	plan->freq_hz = o->freq_hz;
	plan->kernel = o->kernel;
	plan->event = plan->call_records ? EVENT_CYCLES : o->event;
	plan->frame_pointers = o->call_graph == CALL_GRAPH_FP;
	plan->no_callers = o->call_graph == CALL_GRAPH_OFF;
	plan->tables_only = o->call_graph == CALL_GRAPH_FORCE;
	/* A raw capture is there to be unwound again: it has stacks, unless it is asked for walks. */
	plan->walk_rules = o->unwind == UNWIND_KERNEL || (o->unwind == UNWIND_AUTO && !o->raw_capture);
	plan->raw_capture = o->raw_capture;
	plan->walk_or_copy = o->unwind == UNWIND_AUTO;
	plan->verify_every = o->verify_every;
	plan->stack_bytes = o->stack_bytes;
	plan->stack_fixed = o->stack_fixed;
	plan->ring_bytes = o->ring_bytes;
	s->config.profile_bytes = o->store_bytes;
	plan->ring_least = o->probes.n ? PROBED_RING_BYTES : 0;
	plan->off_cpu = o->off_cpu;
	plan->wakers = o->wakers || o->every_wait;
	plan->every_wait = o->every_wait;
	plan->kernel_locks = o->kernel_locks;
	plan->min_block_ns = o->min_block_ns;
	plan->numa = o->numa;
	plan->kinds = kinds_of(o->measures);
	/* The same. */
	plan->probes_may_come = s->live && !o->split && !o->raw_capture && o->target != OPT_TARGET_REPLAY;
	plan->sum_hits = (o->probes.n || plan->probes_may_come) && !s->config.tracer && !o->raw_capture;
	plan->hits_every = o->every;
	plan->hits_rate = o->max_rate;
	/* A trace has a line for each, and a raw capture each by itself. */
	plan->hits_bounded = o->budget != PERCENT_NONE && !s->config.tracer && !o->raw_capture;
	s->config.delay_ns = o->delay_ns;
	s->config.at_real_ns = o->at_real_ns;
	s->config.duration_ns = o->duration_ns;
	s->config.cmdline = o->cmdline;
	s->config.target_text = s->target_text;
	s->config.symbols = (struct symbolizer_options){
		.no_details = o->no_inline, .symfs = o->symfs, .debuginfod = o->debuginfod,
		/* A raw capture may be anybody's. */
		.in_worker = o->split || (o->target == OPT_TARGET_REPLAY && worker_is_there()),
	};
	s->config.plugins = (struct runtime_plugins){
		.file = o->plugins.v, .n = o->plugins.n, .in_process = o->plugin_in_process,
		.no_installed = o->no_plugins || o->target == OPT_TARGET_REPLAY,
	};
	r = copy_ids(&plan->cpus, &o->cpus, e);
	if (!r && o->when.n)
		r = when_new(o->when.v, o->when.n, o->keep_ns, o->max_files, &s->when, e);
	s->config.watcher = s->when ? when_watcher(s->when) : NULL;
	if (!r && (o->probes.n || memory_in_programs(o) || plan->probes_may_come))
		r = placing_new(o->probes.v, o->probes.n,
				&(struct placing_prints){ o->branch_print.v, o->branch_print.n }, &s->placing, e);
	if (!r && memory_in_programs(o))
		placing_memory(s->placing, alloc_interval(o), true, o->memory == MEMORY_PRELOAD);
	for (size_t i = 0; !r && i < o->allocators.n; i++)
		r = placing_allocator(s->placing, o->allocators.v[i], e);
	if (s->placing)
		placing_plan(s->placing, plan);
	if (!r && plan->sum_hits)
		r = launch_look(s, e);
	s->config.placing = s->placing;
	s->config.probe_budget = o->budget == PERCENT_NONE ? BUDGET_NONE : (uint32_t)(o->budget * 1e4 + 0.5);
	if (!r)
		r = split_plan(s, o, e);
	if (!r)
		r = resolve_target(s, o, detached, e);
	if (!r && o->memory == MEMORY_GROWTH) {
		plan->growth_interval = o->sample_bytes ? o->sample_bytes : growth_interval_of(plan);
		plan->mapping_calls = s->mapping_calls;
		/* Who holds the kernel half finds them by itself. */
		plan->nr_mapping_calls = !s->split && tracefs_find(tracefs, NULL) >= 0 ?
			mapping_calls_find(tracefs, s->mapping_calls) : 0;
		if (!plan->nr_mapping_calls && !s->split)
			launch_note_mapping(s);
	}
	if (!r && plan->target == TARGET_PIDS && !s->child.pid)
		r = note_children(s, e);
	/* Who has given up what there is looks at files of the target then. */
	if (!r && !s->split && s->placing && placing_in_programs(s->placing))
		r = check_placing(s, o, e);
	if (!r && plan->probes_may_come)
		launch_say_programs(s, o);
	return r;
}

int launch_resolve(struct launch *s, const struct options *o, bool detached, struct err *e)
{
	s->probes_memory = memory_in_programs(o);
	return offer_growth(s, launch_resolve_all(s, o, detached, e), e);
}

int launch_load(struct launch *s, struct err *e)
{
	const bool looks = s->split && s->placing && placing_in_programs(s->placing);
	int r = split_load(s, e);

	r = r || !looks ? r : split_aim(s, e);
	if (!r && looks)
		r = offer_growth(s, check_placing(s, s->options, e), e);
	return r ? r : engine_new(&s->config, &s->engine, e);
}

int launch_open(struct launch *s, const struct options *o, bool detached, struct err *e)
{
	const int r = launch_resolve(s, o, detached, e);

	return r < 0 ? r : launch_load(s, e);
}

int launch_start(struct launch *s, struct err *e)
{
	int r = offer_growth(s, engine_start(s->engine, e), e);

	return r < 0 || !s->child.pid ? r : child_go(&s->child, &s->status, e);
}

pid_t launch_command(const struct launch *s)
{
	struct profile_meta m;

	if (!s->child.pid)
		return 0;
	engine_status(s->engine, &m);
	return m.target_state == TARGET_EXITED || m.target_state == TARGET_KILLED ? 0 : s->child.pid;
}

void launch_end_command(const struct launch *s)
{
	const pid_t pid = launch_command(s);

	if (pid)
		guard_end(pid);
}

int launch_exit(const struct launch *s, int r)
{
	return r < 0 && s->status ? s->status : r;
}

void launch_close(struct launch *s)
{
	engine_free(s->engine);
	split_end(s);
	child_abandon(&s->child);
	when_free(s->when);
	placing_free(s->placing);
	hitvalues_free(s->values);
	calltable_free(s->calls);
	free(s->config.plan.ids.v);
	free(s->config.plan.cpus.v);
}
