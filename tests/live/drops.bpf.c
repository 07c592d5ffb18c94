/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drops.bpf.c - an XDP program that drops packets for three reasons: they are too short, of another version, or of a
 * kind that a map does not allow, which a sub-program looks up.
 */
#include "kernel.h"

#include <bpf/bpf_helpers.h>

#define DROP 1
#define PASS 2
#define LEAST_BYTES 20
#define VERSION 4
#define LEAST_LEVEL 3u

char LICENSE[] SEC("license") = "GPL";

/* include/uapi/linux/bpf.h */
struct xdp_md {
	__u32 data, data_end, data_meta, ingress_ifindex, rx_queue_index, egress_ifindex;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, __u32);
} levels SEC(".maps");

__attribute__((noinline)) static int allowed(__u32 kind)
{
	const __u32 *level = bpf_map_lookup_elem(&levels, &kind);

	if (!level)
		return 0;
	return *level >= LEAST_LEVEL;
}

SEC("xdp")
int drops(struct xdp_md *ctx)
{
	const unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + LEAST_BYTES > end)
		return DROP;
	if (data[0] != VERSION)
		return DROP;
	if (!allowed(data[1]))
		return DROP;
	return PASS;
}
