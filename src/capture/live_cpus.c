/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_cpus.c - the perf events of each CPU, through offline and back.
 *
 * When a CPU goes offline the kernel switches its events off, and they stay off when it returns. So
 * the list of online CPUs is read several times a second: events of a CPU that left are closed, and
 * made anew when it is back. A CPU that leaves and returns between two looks is found by its
 * silence: no sampler run, and an event whose enabled time stands still. The samples that the gap
 * has cost are counted.
 */
#include "config.h"

#include "capture/live_private.h"

#include "base/clock.h"
#include "capture/hold_ask.h"
#include "capture/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define CHECK_NS (250 * NSEC_PER_MSEC)
#define SILENT_NS (400 * NSEC_PER_MSEC)          /* without a run of the sampler: look closer */
#define SILENT_PERIODS 4u                        /* or so many periods, when that is longer */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_events(struct cpu_slot *slot)
{
	close_fd(&slot->fd);
	close_fd(&slot->fault_fd[0]);
	close_fd(&slot->fault_fd[1]);
}

static void slot_close(struct live_source *s, struct cpu_slot *slot)
{
	live_collect_side(s, &slot->side);
	sideband_close(&slot->side);
	close_events(slot);
	slot->throttled_ns = 0;
	slot->enabled_ns = 0;
}

/* Page faults are switched on by themselves, but end with the rest. */
static int slot_enable(struct cpu_slot *slot, bool on)
{
	int r = slot->side.fd >= 0 ? sideband_enable(&slot->side, on) : 0;

	if (!r && slot->fd >= 0)
		r = sampler_enable(slot->fd, on);
	for (unsigned int i = 0; i < 2 && !r && !on; i++)
		r = slot->fault_fd[i] < 0 ? 0 : sampler_enable(slot->fault_fd[i], false);
	return r;
}

/* Samples page faults on CPU, from now on. */
static int open_faults(struct live_source *s, uint32_t cpu, struct err *e)
{
	struct hold *hold = bpf_side_hold(s->kernel);
	struct cpu_slot *slot = &s->slot[cpu];
	int r = 0;

	for (unsigned int i = 0; i < 2 && !r; i++) {
		r = hold ? hold_file(hold, HOLD_FAULTS, cpu, i, e) :
			   sampler_open_faults(cpu, i, bpf_side_fault_fd(s->kernel), e);
		if (r < 0)
			return r;
		slot->fault_fd[i] = r;
		r = sampler_enable(slot->fault_fd[i], true);
	}
	return r;
}

/* Opens a sampler of CPU, whose side band is SIDE, switched off: a file or a negative errno; -ENODEV: it is offline. */
static int live_cpus_sampler(struct live_source *s, uint32_t cpu, uint32_t freq_hz, int side, struct err *e)
{
	struct hold *hold = bpf_side_hold(s->kernel);
	const int fd = hold ? hold_file(hold, HOLD_SAMPLER, cpu, freq_hz, e) :
			      sampler_open(s->event, s->breakpoint, cpu, freq_hz, s->call_records,
					   bpf_side_sampler_fd(s->kernel), e);

	if (fd >= 0)
		sampler_report_to(fd, side);
	return fd;
}

/* Opens the events of CPU, switched off. -ENODEV: it is offline. */
static int slot_open(struct live_source *s, uint32_t cpu, struct err *e)
{
	struct hold *hold = bpf_side_hold(s->kernel);
	struct cpu_slot *slot = &s->slot[cpu];
	const int event = hold ? hold_file(hold, HOLD_SIDE, cpu, 0, e) : sideband_event(cpu, e);
	int r = event < 0 ? event : sideband_open(&slot->side, event, cpu, e);

	if (!r)
		r = live_watch(s, slot->side.fd, e);
	if (!r && slot->wanted) {
		slot->fd = live_cpus_sampler(s, cpu, s->rate.hz, slot->side.fd, e);
		if (slot->fd < 0) {
			r = slot->fd;
			slot->fd = -1;
		}
	}
	if (r)
		slot_close(s, slot);
	return r;
}

static int want_cpus(struct live_source *s, const u32_vec *cpus, struct err *e)
{
	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++)
		s->slot[cpu].wanted = !cpus->n;
	for (size_t i = 0; i < cpus->n; i++) {
		if (cpus->v[i] >= s->layout.nr_cpus)
			return err_set(e, EINVAL, "this machine has no CPU %u", cpus->v[i]);
		s->slot[cpus->v[i]].wanted = true;
	}
	return 0;
}

/* Marks which CPUs are online. The file stays open, since it is read several times a second. */
static int live_cpus_read_online(struct live_source *s, bool *online, struct err *e)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	u32_vec list = { 0 };
	int r;

	if (s->online_fd < 0)
		s->online_fd = open(path, O_RDONLY | O_CLOEXEC);
	r = s->online_fd < 0 ? err_set(e, errno, "cannot open %s: %s", path, strerror(errno)) :
			       cpus_read_fd(s->online_fd, path, &list, e);

	for (size_t i = 0; !r && i < list.n; i++)
		if (list.v[i] < s->layout.nr_cpus)
			online[list.v[i]] = true;
	vec_free(&list);
	return r;
}

/* Hands the sentence WHY on to the caller's E. */
static int err_pass(struct err *e, const struct err *why, int r)
{
	if (e)
		*e = *why;
	return r;
}

static int open_online(struct live_source *s, const bool *online, struct err *e)
{
	bool any = false;

	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++) {
		struct err why = ERR_INIT;
		int r = online[cpu] ? slot_open(s, cpu, &why) : -ENODEV;

		/* One that left just now comes back by live_cpus_check(). */
		if (r == -ENODEV)
			continue;
		/* What is missing another process knows of itself. */
		if (r)
			return err_pass(e, &why, bpf_side_hold(s->kernel) ? r :
					probe_explain(PROBE_STEP_PERF, -r, &why));
		s->slot[cpu].online = true;
		any |= s->slot[cpu].fd >= 0;
	}
	return any ? 0 : err_set(e, ENODEV, "none of the CPUs to sample is online");
}

int live_cpus_open(struct live_source *s, const struct capture_plan *plan, struct err *e)
{
	AUTO_FREE bool *online = calloc(s->layout.nr_cpus, sizeof(*online));
	uint32_t first = 0;
	int r;

	s->slot = calloc(s->layout.nr_cpus, sizeof(*s->slot));
	if (!online || !s->slot)
		return err_nomem(e, "the capture");
	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++) {
		s->slot[cpu].fd = s->slot[cpu].fault_fd[0] = s->slot[cpu].fault_fd[1] = -1;
		s->slot[cpu].side = (struct sideband)SIDEBAND_INIT;
	}
	r = want_cpus(s, &plan->cpus, e);
	r = r ? r : live_cpus_read_online(s, online, e);
	if (r)
		return r;
	if (bpf_side_hold(s->kernel)) {
		s->event = (enum capture_event)hold_reply(bpf_side_hold(s->kernel))->event;
		return open_online(s, online, e);
	}
	while (first + 1 < s->layout.nr_cpus && !online[first])
		first++;
	s->call_records = plan->call_records;
	s->breakpoint = plan->breakpoint;
	r = sampler_choose(plan->event, plan->breakpoint, first, &s->event, e);
	if (r)
		return probe_explain(PROBE_STEP_PERF, -r, e);
	return open_online(s, online, e);
}

int live_cpus_watch(struct live_source *s, struct err *e)
{
	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++) {
		struct sideband *side = &s->slot[cpu].side;
		int r = side->fd < 0 ? 0 : sideband_enable(side, true);

		if (r)
			return err_set(e, -r, "cannot watch processes on CPU %u: %s", cpu, strerror(-r));
	}
	return 0;
}

int live_cpus_enable(struct live_source *s, bool on, struct err *e)
{
	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++) {
		int r = slot_enable(&s->slot[cpu], on);

		if (r && on)
			return err_set(e, -r, "cannot start sampling on CPU %u: %s", cpu, strerror(-r));
	}
	return 0;
}

/* Opens a sampler for each CPU that has one, into FD, switched off; -1 = none. */
static int open_samplers(struct live_source *s, uint32_t freq_hz, int *fd, struct err *e)
{
	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++) {
		const struct cpu_slot *slot = &s->slot[cpu];

		if (slot->fd < 0)
			continue;
		fd[cpu] = live_cpus_sampler(s, cpu, freq_hz, slot->side.fd, e);
		/* one that has just left: live_cpus_check() follows it */
		if (fd[cpu] < 0 && fd[cpu] != -ENODEV)
			return fd[cpu];
	}
	return 0;
}

/* Puts the sampler FD in the place of the one of SLOT, which has gone off by then, so that nothing is sampled twice. */
static int replace_sampler(const struct live_source *s, struct cpu_slot *slot, int *fd)
{
	(void)sampler_enable(slot->fd, false);
	close(slot->fd);
	slot->fd = take_fd(fd);
	slot->enabled_ns = slot->throttled_ns = 0;
	return s->running ? sampler_enable(slot->fd, true) : 0;
}

int live_cpus_set_rate(struct live_source *s, uint32_t freq_hz, struct err *e)
{
	AUTO_FREE int *fd = calloc(s->layout.nr_cpus, sizeof(*fd));
	int r;

	if (!fd)
		return err_nomem(e, "another rate");
	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++)
		fd[cpu] = -1;
	r = open_samplers(s, freq_hz, fd, e);
	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++) {
		/* One that cannot be switched on has left: live_cpus_check() finds that it is silent. */
		if (!r && fd[cpu] >= 0)
			(void)replace_sampler(s, &s->slot[cpu], &fd[cpu]);
		close_fd(&fd[cpu]);
	}
	return r;
}

/* The CPU is not sampled from here on; what it had is closed. */
static void cpu_left(struct live_source *s, uint32_t cpu, uint64_t now)
{
	struct cpu_slot *slot = &s->slot[cpu];

	slot_close(s, slot);
	if (slot->wanted && !slot->off_since_ns)
		slot->off_since_ns = s->cpus[cpu].last_ns ? s->cpus[cpu].last_ns : now;
}

/* A CPU that was put in meanwhile is on a node that nobody knew before; its ring stays. */
static void live_cpus_find_node(struct live_source *s, uint32_t cpu)
{
	uint32_t node;

	if (!cpu_node_read(SYSTEM_DIR, cpu, &node) || node == s->layout.node[cpu])
		return;
	s->layout.node[cpu] = node;
	bpf_side_set_node(s->kernel, cpu, node);
}

static void cpu_came(struct live_source *s, uint32_t cpu, uint64_t now)
{
	struct cpu_slot *slot = &s->slot[cpu];

	live_cpus_find_node(s, cpu);
	/* It may have left again meanwhile: the next look tries once more. */
	if (slot_open(s, cpu, NULL) || slot_enable(slot, true)) {
		slot_close(s, slot);
		return;
	}
	if (s->faults && slot->wanted)
		(void)open_faults(s, cpu, NULL);
	if (slot->off_since_ns && now > slot->off_since_ns)
		s->lost.n[LOST_CPU_OFFLINE] += live_missed(s, now - slot->off_since_ns);
	slot->off_since_ns = 0;
}

/*
 * Has the sampler of CPU stopped although the CPU is there? Tells a silent event from an idle CPU
 * at the second look.
 */
static bool is_dead(struct live_source *s, uint32_t cpu, uint64_t now)
{
	struct cpu_slot *slot = &s->slot[cpu];
	uint64_t last = s->cpus[cpu].last_ns, patience = SILENT_PERIODS * (NSEC_PER_SEC / s->rate.hz), before;

	if (slot->fd < 0)
		return false;
	if (now < last + (patience > SILENT_NS ? patience : SILENT_NS)) {
		slot->enabled_ns = 0;
		return false;
	}
	before = slot->enabled_ns;
	slot->enabled_ns = sampler_enabled_ns(slot->fd);
	return before && before == slot->enabled_ns;
}

static void check_cpu(struct live_source *s, uint32_t cpu, bool online, uint64_t now)
{
	struct cpu_slot *slot = &s->slot[cpu];

	if (slot->online && (!online || is_dead(s, cpu, now)))
		cpu_left(s, cpu, now);
	slot->online = online;
	if (online && slot->side.fd < 0)
		cpu_came(s, cpu, now);
}

void live_cpus_check(struct live_source *s)
{
	uint64_t now = clock_mono_ns();
	bool *online;

	if (now < s->checked_ns + CHECK_NS)
		return;
	s->checked_ns = now;
	online = calloc(s->layout.nr_cpus, sizeof(*online));
	if (online && !live_cpus_read_online(s, online, NULL))
		for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++)
			check_cpu(s, cpu, online[cpu], now);
	free(online);
}

static void close_faults(struct live_source *s)
{
	for (uint32_t cpu = 0; cpu < s->layout.nr_cpus; cpu++) {
		close_fd(&s->slot[cpu].fault_fd[0]);
		close_fd(&s->slot[cpu].fault_fd[1]);
	}
}

int live_cpus_set_faults(struct live_source *s, bool on, struct err *e)
{
	int r = 0;

	close_faults(s);
	for (uint32_t cpu = 0; on && !r && cpu < s->layout.nr_cpus; cpu++) {
		/* One that has just left is of no interest: live_cpus_check() follows it. */
		r = s->slot[cpu].fd < 0 ? 0 : open_faults(s, cpu, e);
		r = r == -ENODEV ? 0 : r;
	}
	if (r)
		close_faults(s);
	s->faults = on && !r;
	return r;
}

void live_cpus_close(struct live_source *s)
{
	for (uint32_t cpu = 0; s->slot && cpu < s->layout.nr_cpus; cpu++) {
		sideband_close(&s->slot[cpu].side);
		close_events(&s->slot[cpu]);
	}
	free(s->slot);
	close_fd(&s->online_fd);
}
