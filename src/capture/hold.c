/* SPDX-License-Identifier: BSD-2-Clause */
/* hold.c - see hold.h. */
#include "config.h"

#include "capture/hold.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "capture/source_ops.h"
#include "system/procfs.h"

#include <errno.h>
#include <string.h>

#define CPUS_MAX 65536u
#define MAPS_MAX 256u
#define PLAN_BYTES 344u

static const struct hold_row rows[HOLD_OPS] = {
	[HOLD_MAP] = { .name = "a map", .a_max = MAPS_MAX - 1, .file = true },
	[HOLD_RING] = { .name = "a ring", .a_max = HOLD_RINGS_MAX - 1, .file = true },
	[HOLD_TARGETS] = { .name = "the list of targets", .file = true },
	[HOLD_SIDE] = { .name = "an event that follows processes", .a_max = CPUS_MAX - 1, .file = true },
	[HOLD_SAMPLER] = { .name = "an event that samples", .a_max = CPUS_MAX - 1, .b_min = 1,
			   .b_max = CAPTURE_FREQ_MAX, .file = true },
	[HOLD_AIM] = { .name = "the target" },
	[HOLD_START] = { .name = "the start" },
	[HOLD_STOP] = { .name = "the end" },
	[HOLD_TASKS] = { .name = "the list of tasks", .file = true },
	[HOLD_RAN] = { .name = "the CPU time of BPF programs" },
	[HOLD_LOADS] = { .name = "named values", .a_max = SB_LOAD_SETS - 1, .more = sizeof(struct sb_loads) },
	[HOLD_PLACE] = { .name = "places in a program", .a_max = HOLD_PLACES, .more = sizeof(struct hold_places),
			 .gives = true },
	[HOLD_DROP] = { .name = "the end of places", .a_max = HOLD_PLACED_MAX },
	[HOLD_REMOVE] = { .name = "the end of a probe", .a_max = PROBES_MAX - 1 },
	[HOLD_WAY] = { .name = "the way to a program", .a_max = PROBES_MAX - 1 },
	[HOLD_FAULTS] = { .name = "an event of page faults", .a_max = CPUS_MAX - 1, .b_max = 1, .file = true },
	[HOLD_BALANCING] = { .name = "faults of balancing", .a_max = 1 },
	[HOLD_HOMES] = { .name = "the list of home nodes", .file = true },
	[HOLD_READ] = { .name = "entries of a map", .a_max = MAPS_MAX - 1, .file = true },
	[HOLD_TAKE] = { .name = "entries taken out of a map", .a_max = MAPS_MAX - 1, .file = true },
	[HOLD_GET] = { .name = "an entry of a map", .a_max = MAPS_MAX - 1, .b_max = UINT32_MAX, .file = true },
	[HOLD_PUT] = { .name = "a new entry of a map", .more = sizeof(struct hold_entry) },
	[HOLD_DELETE] = { .name = "the end of an entry of a map", .more = sizeof(struct hold_entry) },
	[HOLD_CALLS] = { .name = "the list of calls", .a_max = 1, .file = true },
};

const struct hold_row *hold_row(uint32_t op)
{
	return op < HOLD_OPS && rows[op].name ? &rows[op] : NULL;
}

int hold_check_request(const struct hold_request *q)
{
	const struct hold_row *row = hold_row(q->op);

	return !row || q->a > row->a_max || q->b < row->b_min || q->b > row->b_max ? -EINVAL : 0;
}

int hold_check_places(const struct hold_places *p, uint64_t n)
{
	if (!n || p->n != n || n > HOLD_PLACES || p->kind > LINK_SESSION || p->of > LINK_OF_TOLD_FREES || p->pid < 0)
		return -EINVAL;
	for (uint32_t i = p->n; i < HOLD_PLACES; i++)
		if (p->offset[i] || p->semaphore[i] || p->cookie[i])
			return -EINVAL;
	return 0;
}

#ifdef __x86_64__
/* Where there is more in it now: does the collector have to be told, or is it what a collector does not do? */
_Static_assert(sizeof(struct capture_plan) == PLAN_BYTES, "hold_plan_of() knows all of a plan");
#endif

/* What of PLAN only a process with privileges can do, NULL = nothing. */
static const char *hold_cannot(const struct capture_plan *p)
{
	if (p->nr_places || p->probes_may_come)
		return "probes that come later";
	return p->breakpoint ? "breakpoints" : NULL;
}

/* When the process or thread ID began; 0 = there is none. */
static uint64_t hold_began(uint32_t id)
{
	AUTO_FD int dir = proc_open((pid_t)id);
	struct proc_stat st;

	return dir < 0 || proc_read_stat(dir, &st) ? 0 : st.start_ticks;
}

static int hold_plan_ids(const struct capture_plan *plan, struct hold_plan *ret, struct err *e)
{
	if (plan->ids.n > HOLD_IDS_MAX)
		return err_set(e, E2BIG, "the target has %zu processes or threads, more than the %u of which "
			       "sberf-collector can be told: use -a or --cgroup, or leave --split out", plan->ids.n,
			       HOLD_IDS_MAX);
	for (size_t i = 0; i < plan->ids.n; i++) {
		struct hold_id *id = &ret->ids[ret->nr_ids];

		id->id = plan->ids.v[i];
		id->start_ticks = hold_began(id->id);
		/* One that has ended meanwhile is nobody's. */
		ret->nr_ids += id->start_ticks != 0;
	}
	return ret->nr_ids || !plan->ids.n || plan->name ? 0 : err_set(e, ESRCH, "the target has ended");
}

int hold_plan_of(const struct capture_plan *plan, struct hold_plan *ret, struct err *e)
{
	const char *cannot = hold_cannot(plan);

	if (cannot)
		return err_set(e, ENOTSUP, "sberf-collector does not follow %s: leave --split out", cannot);
	memset(ret, 0, sizeof(*ret));
	strncpy(ret->version, PACKAGE_VERSION, sizeof(ret->version) - 1);
	ret->target = plan->target;
	ret->event = plan->event;
	ret->numa = plan->numa;
#define X(type, field, least, most) ret->field = plan->field;
	HOLD_NUMBERS(X)
#undef X
#define X(field) ret->field = plan->field;
	HOLD_FLAGS(X)
#undef X
	ret->wishes = plan->call_wishes != NULL;
	ret->loaded = plan->loads != NULL;
	ret->nr_loads = plan->loads ? plan->nr_loads : 0;
	if (plan->name)
		strncpy(ret->name, plan->name, sizeof(ret->name) - 1);
	if (plan->target == TARGET_CGROUP && plan->cgroup)
		strncpy(ret->cgroup, plan->cgroup, sizeof(ret->cgroup) - 1);
	return hold_plan_ids(plan, ret, e);
}

/* Is TEXT, SIZE bytes, a text with NULs up to its end? */
static bool hold_is_text(const char *text, size_t size)
{
	const size_t len = strnlen(text, size);

	for (size_t i = len; i < size; i++)
		if (text[i])
			return false;
	return len < size;
}

static bool hold_are_flags(const struct hold_plan *p)
{
#define X(field) | p->field
	const unsigned int all = p->wishes | p->loaded HOLD_FLAGS(X);
#undef X

	return all <= 1;
}

static bool hold_are_within(uint64_t value, uint64_t least, uint64_t most)
{
	return value >= least && value <= most;
}

static bool hold_are_numbers(const struct hold_plan *p)
{
#define X(type, field, least, most) && hold_are_within(p->field, least, most)
	return true HOLD_NUMBERS(X);
#undef X
}

static bool hold_are_ids(const struct hold_plan *p)
{
	if (p->nr_ids > HOLD_IDS_MAX || (p->nr_ids && p->target != TARGET_PIDS && p->target != TARGET_TIDS))
		return false;
	for (uint32_t i = 0; i < p->nr_ids; i++)
		if (!p->ids[i].id || p->ids[i].id > INT32_MAX || !p->ids[i].start_ticks || p->ids[i].reserved)
			return false;
	return true;
}

int hold_plan_check(const struct hold_plan *p, struct err *e)
{
	if (!hold_is_text(p->version, sizeof(p->version)) || strcmp(p->version, PACKAGE_VERSION))
		return err_set(e, EINVAL, "sberf-collector is of version " PACKAGE_VERSION ", and sberf is not: "
			       "install both anew");
	if (!hold_is_text(p->name, sizeof(p->name)) || !hold_is_text(p->cgroup, sizeof(p->cgroup)) ||
	    !hold_are_flags(p) || !hold_are_numbers(p) || !hold_are_ids(p) || p->target > TARGET_CGROUP ||
	    (p->target == TARGET_CGROUP) != (p->cgroup[0] != 0) || (p->name[0] && p->target != TARGET_PIDS) ||
	    p->event > EVENT_CPU_CLOCK || p->numa > NUMA_OFF || (p->nr_loads && !p->loaded))
		return err_set(e, EINVAL, "sberf-collector was told of a capture that cannot be");
	return 0;
}

int hold_plan_back(const struct hold_plan *p, struct capture_plan *ret, struct err *e)
{
	*ret = (struct capture_plan){
		.target = (enum target_kind)p->target, .name = p->name[0] ? p->name : NULL,
		.cgroup = p->target == TARGET_CGROUP ? p->cgroup : NULL, .event = (enum capture_event)p->event,
		.numa = (enum numa_wish)p->numa,
	};
#define X(type, field, least, most) ret->field = p->field;
	HOLD_NUMBERS(X)
#undef X
#define X(field) ret->field = p->field;
	HOLD_FLAGS(X)
#undef X
	if (!p->nr_ids)
		return 0;
	if (!vec_reserve(&ret->ids, p->nr_ids))
		return err_nomem(e, "the target list");
	for (uint32_t i = 0; i < p->nr_ids; i++)
		/* One that has ended since, or whose number is another's by now, is nobody's. */
		if (hold_began(p->ids[i].id) == p->ids[i].start_ticks)
			ret->ids.v[ret->ids.n++] = p->ids[i].id;
	if (ret->ids.n || p->name[0])
		return 0;
	vec_free(&ret->ids);
	return err_set(e, ESRCH, "the target has ended");
}
