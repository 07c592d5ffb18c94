/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * opencalls.bpf.h - lists the calls of probes that have begun and not ended: of functions, and of
 * system calls. User space runs these iterators once a second, where such calls are probed.
 */
#ifndef SBERF_BPF_OPENCALLS_H
#define SBERF_BPF_OPENCALLS_H

#include "calls.bpf.h"
#include "functions.bpf.h"

static __always_inline void list_call(struct seq_file *seq, __u32 probe, __u64 begun_ns)
{
	struct sb_open_call o = { .begun_ns = begun_ns, .probe = probe };

	if (begun_ns)
		bpf_seq_write(seq, &o, sizeof(o));
}

SEC("iter/task")
int sb_open_calls(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct call *call = task ? bpf_task_storage_get(&calls, task, NULL, 0) : NULL;

	if (call)
		list_call(ctx->meta->seq, call->probe, call->begun_ns);
	return 0;
}

SEC("iter/task")
int sb_open_funcs(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct open_calls *o = task ? bpf_task_storage_get(&open_calls, task, NULL, 0) : NULL;

	/* Those of an earlier slice may have ended unseen. */
	if (!o || o->slice != hits_slice)
		return 0;
	for (__u32 i = 0; i < OPEN_CALLS && i < o->nr; i++)
		list_call(ctx->meta->seq, o->at[i].probe, o->at[i].begun_ns);
	return 0;
}

#endif
