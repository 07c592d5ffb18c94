/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_split.c - the collector that holds the kernel half is started first; the others get the list of targets from
 * it; then sberf gives up what it has.
 */
#include "config.h"

#include "cmd/record_split.h"

#include "base/cleanup.h"
#include "base/installed.h"
#include "base/thread.h"
#include "base/units.h"
#include "capture/hold_ask.h"
#include "capture/link.h"
#include "cmd/open_recording.h"
#include "collector/ask.h"
#include "collector/collector_policy.h"
#include "collector/rights.h"
#include "plugin/worker.h"
#include "system/cgroup.h"
#include "system/container.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

static enum collector_target split_target(const struct capture_plan *plan)
{
	static const enum collector_target target[] = {
		[TARGET_ALL] = COLLECTOR_ALL, [TARGET_PIDS] = COLLECTOR_PROCESSES, [TARGET_TIDS] = COLLECTOR_THREADS,
		[TARGET_CGROUP] = COLLECTOR_CGROUP,
	};

	return target[plan->target];
}

/* The path of the cgroup of PLAN, to RET. */
static int split_cgroup(const struct capture_plan *plan, char ret[PROC_PATH_MAX], struct err *e)
{
	AUTO_FD int fd = cgroup_open(plan->cgroup, e);

	if (fd < 0)
		return fd;
	if (!cgroup_path_of(fd, ret))
		return err_set(e, ENOENT, "cannot find the path of the cgroup '%s'", plan->cgroup);
	return 0;
}

/* The collectors for files, mappings, memory and stacks. */
static int split_ask(struct launch *s, struct err *e)
{
	const struct capture_plan *plan = &s->config.plan;
	const bool listed = plan->target == TARGET_PIDS || plan->target == TARGET_TIDS;
	AUTO_FD int list = listed ? hold_file(s->hold, HOLD_TARGETS, 0, 0, e) : -1;
	char cgroup[PROC_PATH_MAX];
	const struct collector_start start = {
		.target = split_target(plan), .list = list, .cgroup = plan->target == TARGET_CGROUP ? cgroup : NULL,
		.reads_memory = !s->config.plugins.no_installed || s->config.plugins.n,
		.uid = s->split_uid, .gid = s->split_gid,
	};
	int r = 0;

	if (listed && list < 0)
		return list;
	if (plan->target == TARGET_CGROUP)
		r = split_cgroup(plan, cgroup, e);
	return r ? r : collector_start(&start, e);
}

static int split_about_container(pid_t pid, const char *path)
{
	return ask_path(COLLECTOR_CONTAINER, pid, path);
}

int split_load(struct launch *s, struct err *e)
{
	int r;

	if (!s->split)
		return 0;
	r = hold_begin(&s->config.plan, s->split_uid, s->split_gid, &s->hold, e);
	r = r ? r : split_ask(s, e);
	if (r)
		return r;
	s->config.plan.hold = s->hold;
	if (s->config.plan.growth_interval && !hold_reply(s->hold)->mapping_calls)
		launch_note_mapping(s);
	container_on_denied(split_about_container);
	/* This is the thread that draws, and it may not ask any more afterwards. */
	if (s->live)
		thread_run_first();
	return rights_of_sberf(&s->caller, e);
}

int split_aim(struct launch *s, struct err *e)
{
	return hold_do(s->hold, HOLD_AIM, 0, NULL, e);
}

/* What of O takes privileges that no collector has, NULL = nothing. */
static const char *split_hindrance(const struct options *o)
{
	return o->target == OPT_TARGET_REPLAY ? "--replay" : NULL;
}

bool split_find(char program[PATH_MAX], bool *ret_set_up)
{
	char value[64];
	const bool there = installed_find(COLLECTOR_PROGRAM, program);

	/* Who may not execute it may not use what it has. */
	*ret_set_up = there && !access(program, X_OK) && getxattr(program, "security.capability", value,
								  sizeof(value)) > 0;
	return there;
}

/* Could C write the recording that O is for? */
static bool split_may_record(const struct options *o, const struct caller *c)
{
	return strcmp(o->command_name, "record") || rights_suffice_for_file(c, o->output ? o->output : RECORDING_USUAL);
}

/* Can sberf-collector place the probes of O, if there may be some in programs? Before Linux 6.10 that took more. */
static bool split_may_probe(const struct options *o)
{
	const bool programs = o->probes.n || o->memory == MEMORY_ALLOCS || o->memory == MEMORY_PRELOAD;

	return !programs || link_way_of(LINK_ENTRY) == LINK_MANY;
}

/* May root, whom somebody called by sudo, be given up for O without being asked to? */
static bool split_is_for_caller(const struct options *o)
{
	/* What answers browsers is not to be root, whatever that costs. */
	const bool serves = !strcmp(o->command_name, "serve");
	const bool one_target = o->target != OPT_TARGET_ALL;
	char program[PATH_MAX];
	struct caller caller;
	bool set_up;

	return (serves || (one_target && strcmp(o->command_name, "agent"))) && !caller_find(&caller, NULL) &&
		caller.other && split_find(program, &set_up) && worker_is_there() &&
		split_may_probe(o) && split_may_record(o, &caller);
}

bool split_is_usual(const struct options *o)
{
	char program[PATH_MAX];
	bool set_up;

	if (o->split || o->no_split || o->target == OPT_TARGET_NONE || split_hindrance(o))
		return false;
	if (!geteuid())
		return split_is_for_caller(o);
	/* sberf itself may have been given capabilities. */
	return rights_lacking(policy_caps_to_hold()) && split_find(program, &set_up) && set_up && worker_is_there();
}

int split_plan(struct launch *s, const struct options *o, struct err *e)
{
	const char *hindrance = split_hindrance(o);
	char program[PATH_MAX];
	int r;

	if (!o->split)
		return 0;
	if (hindrance)
		return err_set(e, EINVAL, "--split does not go with %s, which takes privileges that sberf-collector "
			       "does not use: leave one of them out", hindrance);
	r = caller_find(&s->caller, e);
	if (r)
		return r;
	if (!s->caller.other && !geteuid())
		return err_set(e, EPERM, "--split gives up root for the user who calls sudo, and nobody has: run it by "
			       "sudo, or leave --split out");
	if (!installed_find(COLLECTOR_PROGRAM, program))
		return err_set(e, ENOENT, COLLECTOR_PROGRAM ", which --split needs, is neither beside sberf nor in %s, "
			       "or it is for a group that this user is not in", installed_dir());
	if (!worker_is_there())
		return err_set(e, ENOENT, "sberf-worker, which --split needs to read files, is neither beside "
			       "sberf nor in %s", installed_dir());
	s->split = true;
	s->split_uid = s->caller.other ? s->caller.uid : getuid();
	s->split_gid = s->caller.other ? s->caller.gid : getgid();
	return 0;
}

void split_say(const char *command, const struct profile_meta *m)
{
	char refused[UNITS_MAX], asked[UNITS_MAX];
	struct ask_figures f;

	ask_figures(&f);
	if (f.refused)
		fprintf(stderr, "sberf %s: " COLLECTOR_PROGRAM " refused %s of %s requests: names of some "
			"functions may be missing\n", command, units_thousands(refused, f.refused),
			units_thousands(asked, f.asked));
	if (f.ended)
		fprintf(stderr, "sberf %s: " COLLECTOR_PROGRAM " ended before the capture did: names of what was "
			"first seen after that are missing\n", command);
	if (m->worker_ended)
		fprintf(stderr, "sberf %s: sberf-worker, which reads files, ended %s time%s and was started again\n",
			command, units_thousands(asked, m->worker_ended), m->worker_ended == 1 ? "" : "s");
	for (unsigned int i = 0; i < UNREAD_MAX && m->files_left; i++)
		if (strstr(m->unread.text[i], UNREAD_LEFT))
			fprintf(stderr, "sberf %s: %s\n", command, m->unread.text[i]);
}

void split_end(struct launch *s)
{
	container_on_denied(NULL);
	collector_stop();
	hold_end(take_ptr(s->hold));
}
