// SPDX-License-Identifier: BSD-2-Clause
/* profile.bpf.c - counts samples by process and stack. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#define SBERF_RING_BYTES (4 << 20)
#include <sberf/bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, long long);          /* token */
	__type(value, unsigned long long);
} samples SEC(".maps");

const volatile int only;                 /* process; 0 = all */

SEC("perf_event")
int on_sample(void *ctx)
{
	const unsigned int pid = bpf_get_current_pid_tgid() >> 32;
	unsigned long long one = 1, *count;
	long long token;

	if (!pid || (only && pid != only))
		return 0;
	token = sberf_capture(0);
	count = bpf_map_lookup_elem(&samples, &token);
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		bpf_map_update_elem(&samples, &token, &one, BPF_ANY);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
