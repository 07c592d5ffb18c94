/* SPDX-License-Identifier: BSD-2-Clause */
/* holder.c - the capture is made by the same code as without a collector (capture/bpf_side.h). */
#include "config.h"

#include "holder/holder.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fdmessage.h"
#include "base/vec.h"
#include "capture/bpf_side.h"
#include "capture/hold_tables.h"
#include "capture/mappingcalls.h"
#include "capture/probe.h"
#include "capture/runtime.h"
#include "capture/sampler.h"
#include "capture/sideband.h"
#include "collector/collector_policy.h"
#include "collector/rights.h"
#include "system/cpus.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* Places in programs that one request was about; none: they were taken off, or never there. */
struct held_places {
	struct links *links;
};

struct holder {
	struct cpu_layout layout;
	struct bpf_side *kernel;
	bool call_records;       /* capture_plan.call_records */
	enum capture_event event;
	bool listed;             /* the target is processes or threads, ... */
	bool fixed;              /* of which the list is fixed */
	bool named;              /* processes may join that are called so */
	bool places;             /* places in programs may be probed */
	uint32_t nr_loads;       /* of the plan: these sets of named values stay as they are */
	struct hold_tables tables;
	VEC(struct held_places) placed;  /* by their numbers, less 1 */
	struct policy_rate rate; /* of requests */
};

/* What follows a request. */
union holder_more {
	struct sb_loads loads;
	struct hold_places places;
	struct hold_entry entry;
};

/* The tracepoints that --memory=growth takes. */
static struct capture_trace mapping_calls[MAPPING_CALLS];
static uint32_t nr_mapping_calls;

void holder_begin(void)
{
	runtime_allow();
	nr_mapping_calls = mapping_calls_find_usual(mapping_calls);
}

/* A CPU that is there: the first that takes the event of PLAN. */
static int holder_choose(struct holder *h, const struct capture_plan *plan, struct err *e)
{
	int r = -ENODEV;

	for (uint32_t cpu = 0; cpu < h->layout.nr_cpus && r == -ENODEV; cpu++)
		r = sampler_choose(plan->event, 0, cpu, &h->event, e);
	return r ? probe_explain(PROBE_STEP_PERF, -r, e) : 0;
}

static int holder_load(struct holder *h, const struct hold_plan *p, pid_t own, struct err *e)
{
	struct capture_plan plan;
	int r = hold_tables_check(&h->tables, p, e);

	r = r ? r : hold_plan_back(p, &plan, e);
	if (r)
		return r;
	/* Before there were links of many places, each took a perf event that is for CAP_SYS_ADMIN alone. */
	if (plan.places_to_come && link_way_of(LINK_ENTRY) != LINK_MANY)
		r = err_set(e, EOPNOTSUPP, "this kernel (before 6.10) lets nobody probe programs who has not "
			    "cap_sys_admin, which sberf-collector has not: use --no-split");
	if (r) {
		vec_free(&plan.ids);
		return r;
	}
	hold_tables_plan(&h->tables, p, &plan);
	h->named = plan.name;
	h->places = plan.places_to_come;
	h->nr_loads = p->nr_loads;
	plan.mapping_calls = mapping_calls;
	plan.nr_mapping_calls = plan.growth_interval ? nr_mapping_calls : 0;
	h->call_records = plan.call_records;
	h->listed = plan.target == TARGET_PIDS || plan.target == TARGET_TIDS;
	r = cpu_layout_read(SYSTEM_DIR, &h->layout, e);
	r = r ? r : holder_choose(h, &plan, e);
	r = r ? r : bpf_side_open(&plan, &h->layout, plan.freq_hz, &h->kernel, e);
	vec_free(&plan.ids);
	if (!r)
		bpf_side_spare(h->kernel, (uint32_t)own);
	return r;
}

/* What the kernel half is made of. */
static int holder_describe(const struct holder *h, struct hold_reply *ret, struct err *e)
{
	if (h->layout.nr_rings > HOLD_RINGS_MAX)
		return err_set(e, E2BIG, "this machine has more than %u nodes", HOLD_RINGS_MAX);
	bpf_side_describe(h->kernel, ret);
	ret->event = h->event;
	ret->mapping_calls = nr_mapping_calls > 0;
	return 0;
}

/* A file of our own that stays ours, as one to hand out. */
static int holder_copy(int fd)
{
	const int copy = fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 && fd >= 0 ? -errno : copy;
}

static int holder_side(uint32_t cpu, struct err *e)
{
	const int fd = sideband_event(cpu, e);

	return fd < 0 ? probe_explain(PROBE_STEP_PERF, -fd, e) : fd;
}

static int holder_aim(struct holder *h, struct err *e)
{
	int r = bpf_side_aim(h->kernel, e);

	/* From here on the kernel half alone knows who joins. */
	if (!r && h->listed && !h->fixed)
		r = bpf_side_fix_targets(h->kernel, e);
	h->fixed |= !r;
	return r;
}

/* Whoever has not aimed has no target. */
static int holder_start(struct holder *h, struct err *e)
{
	const int r = holder_aim(h, e);

	return r ? r : bpf_side_start(h->kernel, e);
}

/* Is FD a program or a library, as far as that can be told without reading it? 0 or a negative errno. */
static int holder_check_file(int fd)
{
	const struct policy_row *row = policy_row(COLLECTOR_MAPPED);
	struct policy_file f;
	struct statfs fs;
	ssize_t n;

	if (fd < 0 || fstat(fd, &f.st))
		return -EBADF;
	f.fs_type = fstatfs(fd, &fs) ? 0 : (uint64_t)fs.f_type;
	/* A pipe would be waited for. */
	n = S_ISREG(f.st.st_mode) && f.fs_type != PROC_SUPER_MAGIC ? pread(fd, f.head, sizeof(f.head), 0) : 0;
	f.n = n > 0 ? (size_t)n : 0;
	return policy_file(row, &f, 0);
}

/* May places be probed in the process PID, 0 = in every one? */
static bool holder_may_place(const struct holder *h, int32_t pid)
{
	const uint32_t id = (uint32_t)pid;
	uint64_t since_ns;

	if (!h->places)
		return false;
	/* Where the target is what is known by no list, the user has said --yes to every process. */
	if (!h->listed || h->named)
		return true;
	return pid && !bpf_map_lookup_elem(bpf_side_targets_fd(h->kernel), &id, &since_ns);
}

/* Every set of named values at places in programs is about their memory alone, whatever the plan has beside it. */
static int holder_set_loads(struct holder *h, uint32_t at, const struct sb_loads *set)
{
	if (!h->places || !h->tables.loads || !at)
		return -EPERM;
	if (at < h->nr_loads)
		return memcmp(&h->tables.loads[at], set, sizeof(*set)) ? -EPERM : 0;
	h->tables.loads[at] = *set;
	if (hold_loads_of_user(h->tables.loads, at))
		return bpf_side_set_loads(h->kernel, at, set);
	h->tables.loads[at] = (struct sb_loads){ 0 };
	return -EPERM;
}

static bool holder_may_load(const struct holder *h, const struct hold_places *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const uint32_t set = SB_COOKIE_LOADS(p->cookie[i]);

		if (set && !(h->tables.loads && hold_loads_of_user(h->tables.loads, set)))
			return false;
	}
	return true;
}

static void holder_failed(void *ctx, uint32_t place, const struct err *e)
{
	struct hold_answer *a = ctx;

	a->failed[place] = e->code > 0 && e->code <= UINT8_MAX ? (uint8_t)e->code : EOPNOTSUPP;
}

static int holder_place(struct holder *h, const struct hold_places *p, uint64_t n, int fd, struct hold_answer *ret)
{
	char path[32];
	const struct link_places places = {
		.kind = (enum link_kind)p->kind, .of = (enum link_of)p->of, .path = path, .pid = p->pid, .n = p->n,
		.offset = p->offset, .semaphore = p->semaphore, .cookie = p->cookie,
	};
	struct err e = ERR_INIT;
	struct held_places *at;
	struct links *links = NULL;
	int r = hold_check_places(p, n);

	r = r ? r : holder_check_file(fd);
	if (!r && (!holder_may_place(h, p->pid) || !holder_may_load(h, p) || h->placed.n >= HOLD_PLACED_MAX))
		r = -EPERM;
	if (r)
		return r;
	at = vec_push(&h->placed);
	if (!at)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	r = bpf_side_place(h->kernel, &places, holder_failed, ret, &links, &e);
	if (!links) {
		h->placed.n--;
		return r < 0 ? r : 0;
	}
	at->links = links;
	ret->value = h->placed.n;
	return 0;
}

static int holder_drop(struct holder *h, uint64_t number)
{
	if (!number || number > h->placed.n)
		return -EINVAL;
	links_drop(take_ptr(h->placed.v[number - 1].links));
	while (h->placed.n && !h->placed.v[h->placed.n - 1].links)
		h->placed.n--;
	return 0;
}

/* Does what Q, which is well-formed, says: 0, or a file, the caller's. MORE, with the file FD, follows it. */
static int holder_do(struct holder *h, const struct hold_request *q, const union holder_more *more, int fd,
		     struct hold_answer *ret, struct err *e)
{
	switch ((enum hold_op)q->op) {
	case HOLD_MAP:
		return holder_copy(bpf_side_map_fd(h->kernel, (uint32_t)q->a));
	case HOLD_RING:
		return q->a < h->layout.nr_rings ? holder_copy(bpf_side_ring_fd(h->kernel, (uint32_t)q->a)) : -EINVAL;
	case HOLD_TARGETS:
		return holder_copy(bpf_side_targets_fd(h->kernel));
	case HOLD_SIDE:
		return q->a < h->layout.nr_cpus ? holder_side((uint32_t)q->a, e) : -EINVAL;
	case HOLD_SAMPLER:
		return q->a >= h->layout.nr_cpus ? -EINVAL :
			sampler_open(h->event, 0, (uint32_t)q->a, (uint32_t)q->b, h->call_records,
				     bpf_side_sampler_fd(h->kernel), e);
	case HOLD_AIM:
		return holder_aim(h, e);
	case HOLD_START:
		return holder_start(h, e);
	case HOLD_STOP:
		bpf_side_stop(h->kernel);
		return 0;
	case HOLD_TASKS:
		return bpf_side_tasks(h->kernel, e);
	case HOLD_RAN:
		bpf_side_turn(h->kernel);
		ret->value = bpf_side_cpu_ns(h->kernel);
		return 0;
	case HOLD_LOADS:
		return holder_set_loads(h, (uint32_t)q->a, &more->loads);
	case HOLD_PLACE:
		return holder_place(h, &more->places, q->a, fd, ret);
	case HOLD_DROP:
		return holder_drop(h, q->a);
	case HOLD_REMOVE:
		bpf_side_remove_probe(h->kernel, (uint32_t)q->a);
		return 0;
	case HOLD_WAY:
		ret->value = bpf_side_way(h->kernel, (uint32_t)q->a);
		return 0;
	case HOLD_FAULTS:
		return q->a >= h->layout.nr_cpus || bpf_side_fault_fd(h->kernel) < 0 ? -EINVAL :
			sampler_open_faults((uint32_t)q->a, q->b, bpf_side_fault_fd(h->kernel), e);
	case HOLD_BALANCING:
		bpf_side_watch_balancing(h->kernel, q->a);
		return 0;
	case HOLD_HOMES:
		return bpf_side_homes(h->kernel, e);
	case HOLD_READ:
	case HOLD_TAKE:
	case HOLD_GET:
		return bpf_side_entries(h->kernel, (enum hold_op)q->op, (uint32_t)q->a, (uint32_t)q->b);
	case HOLD_PUT:
	case HOLD_DELETE:
		return bpf_side_set_entry(h->kernel, (enum hold_op)q->op, &more->entry);
	case HOLD_CALLS:
		return bpf_side_open_calls(h->kernel, q->a, e);
	case HOLD_OPS:
		break;
	}
	return -EINVAL;
}

/* Takes what follows Q. False: that does not come. */
static bool holder_take_more(int socket, const struct hold_request *q, union holder_more *ret, int *ret_fd)
{
	const struct hold_row *row = hold_row(q->op);

	if (!row || !row->more)
		return true;
	return fdmessage_take(socket, ret, row->more, row->gives ? ret_fd : NULL) == (ssize_t)row->more;
}

/* Answers Q. False: nobody takes answers, or Q is not all there. */
static bool holder_answer(struct holder *h, int socket, const struct hold_request *q)
{
	struct hold_answer a = { .seq = q->seq };
	struct err e = ERR_INIT;
	union holder_more more;
	AUTO_FD int given = -1;
	AUTO_FD int fd = -1;
	int r;

	if (!holder_take_more(socket, q, &more, &given))
		return false;
	r = policy_rate(&h->rate, clock_mono_ns()) ? hold_check_request(q) : -EDQUOT;
	r = r ? r : holder_do(h, q, &more, given, &a, &e);
	if (r < 0) {
		a = (struct hold_answer){ .seq = q->seq, .err = r };
		memcpy(a.text, e.text, sizeof(a.text));
	} else if (hold_row(q->op)->file) {
		fd = r;
	}
	return !fdmessage_send(socket, &a, sizeof(a), fd);
}

static int holder_serve(struct holder *h, int socket)
{
	struct hold_request q;
	ssize_t n;

	do
		n = fdmessage_take(socket, &q, sizeof(q), NULL);
	while (n == (ssize_t)sizeof(q) && holder_answer(h, socket, &q));
	return n == 0 || n == -ECONNRESET || n == (ssize_t)sizeof(q) ? 0 : 1;
}

int holder_run(int socket, pid_t own)
{
	AUTO_FREE struct hold_plan *plan = malloc(sizeof(*plan));
	AUTO_FREE struct hold_reply *reply = calloc(1, sizeof(*reply));
	struct holder h = { .rate = { .since_ns = clock_mono_ns() } };
	struct err e = ERR_INIT;
	int status = 1;

	if (!plan || !reply || fdmessage_take(socket, plan, sizeof(*plan), NULL) != (ssize_t)sizeof(*plan))
		return 1;
	reply->err = hold_plan_check(plan, &e);
	/* All of it is told before anything is answered. */
	reply->err = reply->err ? reply->err : hold_tables_take(socket, plan, &h.tables);
	reply->err = reply->err ? reply->err : holder_load(&h, plan, own, &e);
	reply->err = reply->err ? reply->err : holder_describe(&h, reply, &e);
	reply->err = reply->err ? reply->err : rights_of_answers(true);
	memcpy(reply->text, e.text, sizeof(reply->text));
	if (!fdmessage_send(socket, reply, sizeof(*reply), -1) && !reply->err)
		status = holder_serve(&h, socket);
	for (size_t i = 0; i < h.placed.n; i++)
		links_drop(h.placed.v[i].links);
	vec_free(&h.placed);
	bpf_side_free(h.kernel);
	hold_tables_clear(&h.tables);
	cpu_layout_free(&h.layout);
	return status;
}
