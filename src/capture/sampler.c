/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler.c - cycles with a frequency, which the kernel keeps by changing the period; cpu-clock with a fixed period in ns,
 * because its period never changes and so is the exact weight of a sample.
 */
#include "config.h"

#include "capture/sampler.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "capture/perf_record.h"
#include "capture/sysfile.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

static uint64_t rate_value(enum capture_event event, uint32_t freq_hz)
{
	return event == EVENT_CYCLES ? freq_hz : NSEC_PER_SEC / freq_hz;
}

static int open_event(enum capture_event event, uint32_t cpu, uint32_t freq_hz)
{
	struct perf_event_attr a;

	memset(&a, 0, sizeof(a));
	a.size = sizeof(a);
	a.type = event == EVENT_CYCLES ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	a.config = event == EVENT_CYCLES ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_SW_CPU_CLOCK;
	a.freq = event == EVENT_CYCLES;
	a.sample_freq = rate_value(event, freq_hz);
	a.sample_type = PERF_RECORD_SAMPLE_TYPE;
	a.sample_id_all = 1;
	a.disabled = 1;
	a.exclude_guest = 1;
	/*
	 * An idle CPU has no ticks, which is what the kernel counts samples by: after a second of idling its clock event is
	 * throttled, and the first tick's worth of samples of whatever runs next is lost (kernel/events/core.c,
	 * __perf_event_account_interrupt()). Idle tasks are of no interest. PMUs may refuse the bit.
	 */
	a.exclude_idle = event == EVENT_CPU_CLOCK;
	a.use_clockid = 1;
	a.clockid = CLOCK_MONOTONIC;
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	return (int)syscall(SYS_perf_event_open, &a, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

const char *sampler_event_name(enum capture_event event)
{
	return event == EVENT_CYCLES ? "cycles" : "cpu-clock";
}

int sampler_choose(enum capture_event wish, uint32_t cpu, enum capture_event *ret, struct err *e)
{
	enum capture_event event = wish == EVENT_AUTO ? EVENT_CYCLES : wish;
	AUTO_FD int fd = open_event(event, cpu, 1);

	if (fd < 0 && wish == EVENT_AUTO && (errno == ENOENT || errno == EOPNOTSUPP || errno == EINVAL)) {
		event = EVENT_CPU_CLOCK;
		fd = open_event(event, cpu, 1);
	}
	if (fd < 0)
		return err_set(e, errno, "cannot sample %s on CPU %u: perf_event_open: %s%s", sampler_event_name(event), cpu,
			       strerror(errno), errno == ENOENT ? " (this machine has no PMU)" : "");
	*ret = event;
	return 0;
}

int sampler_open(enum capture_event event, uint32_t cpu, uint32_t freq_hz, int prog_fd, int sideband_fd, struct err *e)
{
	AUTO_FD int fd = open_event(event, cpu, freq_hz);

	if (fd < 0)
		return err_set(e, errno, "cannot sample %s on CPU %u: perf_event_open: %s", sampler_event_name(event), cpu,
			       strerror(errno));
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		return err_set(e, errno, "cannot attach the BPF program to %s on CPU %u: %s", sampler_event_name(event), cpu,
			       strerror(errno));
	/* The program takes the samples, so only records about throttling remain; without them throttling is not counted. */
	(void)ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, sideband_fd);
	return take_fd(&fd);
}

int sampler_enable(int fd, bool on)
{
	return ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

int sampler_set_rate(int fd, enum capture_event event, uint32_t freq_hz)
{
	uint64_t value = rate_value(event, freq_hz);

	return ioctl(fd, PERF_EVENT_IOC_PERIOD, &value) ? -errno : 0;
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
