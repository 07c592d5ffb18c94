/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler.c - opens cycles with a frequency, which the kernel keeps by changing the period, and
 * cpu-clock with a fixed period in ns, which is therefore the exact weight of a sample.
 * (PERF_EVENT_IOC_PERIOD changes the pace of cpu-clock, but its samples go on reporting the period
 * that it was opened with: perf_swevent_hrtimer() of kernel/events/core.c takes it from
 * hw.last_period. So another rate takes another event.)
 */
#include "config.h"

#include "capture/sampler.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "capture/branchrecords.h"
#include "capture/perf_record.h"
#include "system/sysfile.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

static uint64_t rate_value(enum capture_event event, uint32_t freq_hz)
{
	return event == EVENT_CYCLES ? freq_hz : NSEC_PER_SEC / freq_hz;
}

/* What every event here has. */
static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	struct perf_event_attr a;

	memset(&a, 0, sizeof(a));
	a.size = sizeof(a);
	a.type = type;
	a.config = config;
	a.sample_type = PERF_RECORD_SAMPLE_TYPE;
	a.sample_id_all = 1;
	a.disabled = 1;
	a.exclude_guest = 1;
	a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	return a;
}

static int open_attr(struct perf_event_attr *a, uint32_t cpu)
{
	return (int)syscall(SYS_perf_event_open, a, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* One of the few breakpoints of CPU, each hit of which is a sample, unless it rests. */
static int sampler_open_breakpoint(uint64_t address, uint32_t cpu, bool rests)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_BREAKPOINT, 0);

	a.bp_type = HW_BREAKPOINT_X;
	a.bp_addr = address;
	a.bp_len = sizeof(long);
	a.sample_period = rests ? INT64_MAX : 1;
	a.exclude_user = 1;
	a.exclude_guest = 0;
	return open_attr(&a, cpu);
}

static int sampler_open_event(enum capture_event event, uint64_t breakpoint, uint32_t cpu, uint32_t freq_hz,
			      bool records)
{
	const bool cycles = event == EVENT_CYCLES;
	struct perf_event_attr a = attr_of(cycles ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
					   cycles ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK);

	if (event == EVENT_BREAKPOINT)
		return sampler_open_breakpoint(breakpoint, cpu, freq_hz == SAMPLER_RESTS);
	a.freq = cycles;
	a.sample_freq = rate_value(event, freq_hz);
	/*
	 * An idle CPU has no ticks, which is what the kernel counts samples by: after a second of
	 * idling its clock event is throttled, and the first tick's worth of samples of whatever
	 * runs next is lost (kernel/events/core.c, __perf_event_account_interrupt()). Idle tasks
	 * are of no interest. PMUs may refuse the bit.
	 */
	a.exclude_idle = !cycles;
	if (records) {
		a.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a.branch_sample_type = BRANCHRECORDS_CALLERS;
	}
	return open_attr(&a, cpu);
}

const char *sampler_event_name(enum capture_event event)
{
	return event == EVENT_CYCLES ? "cycles" : event == EVENT_BREAKPOINT ? "breakpoint" : "cpu-clock";
}

int sampler_choose(enum capture_event wish, uint64_t breakpoint, uint32_t cpu, enum capture_event *ret, struct err *e)
{
	enum capture_event event = wish == EVENT_AUTO ? EVENT_CYCLES : wish;
	AUTO_FD int fd = sampler_open_event(event, breakpoint, cpu, 1, false);

	if (fd < 0 && wish == EVENT_AUTO && (errno == ENOENT || errno == EOPNOTSUPP || errno == EINVAL)) {
		event = EVENT_CPU_CLOCK;
		fd = sampler_open_event(event, 0, cpu, 1, false);
	}
	if (fd < 0 && event == EVENT_BREAKPOINT)
		return err_set(e, errno, "cannot set a breakpoint in the kernel on CPU %u: %s%s", cpu, strerror(errno),
			       errno == EINVAL ? " (this kernel was built without kprobes, and so allows none)" :
			       errno == ENOSPC ? " (all of the CPU are in use)" : "");
	if (fd < 0)
		return err_set(e, errno, "cannot sample %s on CPU %u: perf_event_open: %s%s",
			       sampler_event_name(event), cpu,
			       strerror(errno), errno == ENOENT ? " (this machine has no PMU)" : "");
	*ret = event;
	return 0;
}

int sampler_open(enum capture_event event, uint64_t breakpoint, uint32_t cpu, uint32_t freq_hz, bool records,
		 int prog_fd, struct err *e)
{
	AUTO_FD int fd = sampler_open_event(event, breakpoint, cpu, freq_hz, records);

	if (fd < 0)
		return err_set(e, errno, "cannot sample %s on CPU %u: perf_event_open: %s",
			       sampler_event_name(event), cpu, strerror(errno));
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		return err_set(e, errno, "cannot attach the BPF program to %s on CPU %u: %s",
			       sampler_event_name(event), cpu, strerror(errno));
	return take_fd(&fd);
}

void sampler_report_to(int fd, int sideband_fd)
{
	/*
	 * The program takes the samples, so only records about throttling remain; without them
	 * throttling is not counted.
	 */
	(void)ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, sideband_fd);
}

int sampler_open_faults(uint32_t cpu, bool major, int prog_fd, struct err *e)
{
	struct perf_event_attr a = attr_of(PERF_TYPE_SOFTWARE,
					   major ? PERF_COUNT_SW_PAGE_FAULTS_MAJ : PERF_COUNT_SW_PAGE_FAULTS_MIN);
	AUTO_FD int fd = -1;

	a.sample_period = FAULT_PERIOD;
	a.sample_type |= PERF_SAMPLE_ADDR;
	fd = open_attr(&a, cpu);
	if (fd < 0)
		return err_set(e, errno, "cannot sample page faults on CPU %u: perf_event_open: %s", cpu,
			       strerror(errno));
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		return err_set(e, errno, "cannot attach the BPF program to page faults on CPU %u: %s", cpu,
			       strerror(errno));
	return take_fd(&fd);
}

int sampler_enable(int fd, bool on)
{
	return ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

uint64_t sampler_enabled_ns(int fd)
{
	struct {
		uint64_t count, enabled_ns;
	} v;

	return read(fd, &v, sizeof(v)) == (ssize_t)sizeof(v) ? v.enabled_ns : 0;
}

uint32_t sampler_max_rate(void)
{
	uint64_t rate;

	if (!sysfile_u64("/proc/sys/kernel/perf_event_max_sample_rate", &rate) || !rate || rate > UINT32_MAX)
		return UINT32_MAX;
	return (uint32_t)rate;
}
