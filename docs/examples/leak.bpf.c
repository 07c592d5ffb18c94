// SPDX-License-Identifier: BSD-2-Clause
/* leak.bpf.c - keeps the size and the stack of each block that was allocated and not freed. */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct block {
	unsigned long long size;
	int stack;
};

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, 10240);
	__uint(key_size, 4);
	__uint(value_size, 127 * 8);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 10240);
	__type(key, unsigned int);               /* thread */
	__type(value, unsigned long long);       /* bytes it asks for */
} asked SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1000000);
	__type(key, unsigned long long);         /* address */
	__type(value, struct block);
} blocks SEC(".maps");

SEC("uprobe")
int BPF_KPROBE(on_malloc, unsigned long long size)
{
	const unsigned int tid = bpf_get_current_pid_tgid();

	bpf_map_update_elem(&asked, &tid, &size, BPF_ANY);
	return 0;
}

SEC("uretprobe")
int BPF_KRETPROBE(on_return, unsigned long long address)
{
	const unsigned int tid = bpf_get_current_pid_tgid();
	unsigned long long *size = bpf_map_lookup_elem(&asked, &tid);
	struct block block = { 0 };

	if (!size || !address)
		return 0;
	block.size = *size;
	block.stack = bpf_get_stackid(ctx, &stacks, BPF_F_USER_STACK);
	bpf_map_update_elem(&blocks, &address, &block, BPF_ANY);
	bpf_map_delete_elem(&asked, &tid);
	return 0;
}

SEC("uprobe")
int BPF_KPROBE(on_free, unsigned long long address)
{
	bpf_map_delete_elem(&blocks, &address);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
