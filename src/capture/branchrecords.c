/* SPDX-License-Identifier: BSD-2-Clause */
/* branchrecords.c - see branchrecords.h. */
#include "config.h"

#include "capture/branchrecords.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEVICES "/sys/bus/event_source/devices/"
#define LINE_BYTES 8192u

/* The number in the file at PATH; OTHERWISE where there is none. */
static int branchrecords_number(const char *path, int otherwise)
{
	AUTO_FILE FILE *f = fopen(path, "re");
	int n;

	return f && fscanf(f, "%d", &n) == 1 ? n : otherwise;
}

/* Has the first CPU FLAG, which stands between blanks? */
static bool branchrecords_flag(const char *flag)
{
	AUTO_FILE FILE *f = fopen("/proc/cpuinfo", "re");
	char line[LINE_BYTES];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "flags", 5)) {
			const char *at = strstr(line, flag);

			return at && at > line && at[-1] == ' ' && strchr(" \n", at[strlen(flag)]);
		}
	return false;
}

static int branchrecords_open(uint64_t which)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_period = 1000003, .sample_type = PERF_SAMPLE_BRANCH_STACK, .disabled = 1,
		.exclude_user = !(which & PERF_SAMPLE_BRANCH_USER), .branch_sample_type = which,
	};
	AUTO_FD int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? errno : 0;
}

static void branchrecords_gather_of(uint64_t which, struct branchrecords_facts *ret)
{
	/* Of two kinds of CPUs the fast ones speak for all. */
	const int depth = branchrecords_number(DEVICES "cpu/caps/branches",
					       branchrecords_number(DEVICES "cpu_core/caps/branches", 0));

	*ret = (struct branchrecords_facts){
		.error = branchrecords_open(which),
		.pmu = !access(DEVICES "cpu", F_OK) || !access(DEVICES "cpu_core", F_OK),
		.hypervisor = branchrecords_flag("hypervisor"),
		.paranoid = branchrecords_number("/proc/sys/kernel/perf_event_paranoid", INT_MIN),
		.depth = depth > 0 ? (uint32_t)depth : 0,
	};
}

void branchrecords_gather(struct branchrecords_facts *ret)
{
	branchrecords_gather_of(PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_ANY, ret);
	ret->snapshot = libbpf_probe_bpf_helper(BPF_PROG_TYPE_TRACING, BPF_FUNC_get_branch_snapshot, NULL) != 0;
}

void branchrecords_gather_callers(struct branchrecords_facts *ret)
{
	branchrecords_gather_of(BRANCHRECORDS_CALLERS, ret);
	ret->snapshot = true;
}

int branchrecords_judge(const struct branchrecords_facts *f, struct err *e)
{
	if (f->error == EACCES || f->error == EPERM)
		return err_set(e, f->error, "no branch records: permission is missing, which root or CAP_PERFMON has "
			       "(kernel.perf_event_paranoid is %d)", f->paranoid);
	if (f->error && !f->pmu)
		return err_set(e, EOPNOTSUPP, f->hypervisor ?
			       "no branch records: this is a virtual machine, whose hypervisor gives it no PMU" :
			       "no branch records: there is no PMU, or the kernel does not drive it");
	if (f->error && f->hypervisor)
		return err_set(e, EOPNOTSUPP, "no branch records: this is a virtual machine, whose hypervisor gives it "
			       "a PMU without them (%s)", strerror(f->error));
	if (f->error)
		return err_set(e, EOPNOTSUPP, "no branch records: the processor has none, or none that this kernel can "
			       "take (%s)", strerror(f->error));
	if (!f->snapshot)
		return err_set(e, EOPNOTSUPP, "no branch records: this kernel gives BPF programs none "
			       "(bpf_get_branch_snapshot(), since Linux 5.16)");
	return 0;
}

char *branchrecords_depth(const struct branchrecords_facts *f, char dst[BRANCHRECORDS_TEXT_MAX])
{
	text_format(dst, BRANCHRECORDS_TEXT_MAX, f->depth ? "this CPU keeps records of its last %u branches" :
		    "this CPU keeps records of branches, and the kernel does not say of how many", f->depth);
	return dst;
}
