/* SPDX-License-Identifier: BSD-2-Clause */
/* holder.c - the capture is made by the same code as without a collector (capture/bpf_side.h). */
#include "config.h"

#include "holder/holder.h"

#include "base/cleanup.h"
#include "base/fdmessage.h"
#include "capture/bpf_side.h"
#include "capture/hold.h"
#include "capture/probe.h"
#include "capture/runtime.h"
#include "capture/sampler.h"
#include "capture/sideband.h"
#include "collector/rights.h"
#include "system/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

struct holder {
	struct cpu_layout layout;
	struct bpf_side *kernel;
	bool call_records;       /* capture_plan.call_records */
	enum capture_event event;
	bool listed;             /* the target is processes or threads, ... */
	bool fixed;              /* of which the list is fixed */
};

void holder_begin(void)
{
	runtime_allow();
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
	int r = hold_plan_check(p, e);

	r = r ? r : hold_plan_back(p, &plan, e);
	if (r)
		return r;
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

/* Does what Q, which is well-formed, says: 0, or a file, the caller's. */
static int holder_do(struct holder *h, const struct hold_request *q, uint64_t *ret_value, struct err *e)
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
		*ret_value = bpf_side_cpu_ns(h->kernel);
		return 0;
	case HOLD_OPS:
		break;
	}
	return -EINVAL;
}

/* Answers Q. False: nobody takes answers. */
static bool holder_answer(struct holder *h, int socket, const struct hold_request *q)
{
	struct hold_answer a = { .seq = q->seq };
	struct err e = ERR_INIT;
	AUTO_FD int fd = -1;
	const int r = hold_check_request(q) ? -EINVAL : holder_do(h, q, &a.value, &e);

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
	struct holder h = { .kernel = NULL };
	struct err e = ERR_INIT;
	int status = 1;

	if (!plan || !reply || fdmessage_take(socket, plan, sizeof(*plan), NULL) != (ssize_t)sizeof(*plan))
		return 1;
	reply->err = holder_load(&h, plan, own, &e);
	reply->err = reply->err ? reply->err : holder_describe(&h, reply, &e);
	reply->err = reply->err ? reply->err : rights_of_answers(true);
	memcpy(reply->text, e.text, sizeof(reply->text));
	if (!fdmessage_send(socket, reply, sizeof(*reply), -1) && !reply->err)
		status = holder_serve(&h, socket);
	bpf_side_free(h.kernel);
	cpu_layout_free(&h.layout);
	return status;
}
