/* SPDX-License-Identifier: BSD-2-Clause */
/* prepare.c - see prepare.h. */
#include "config.h"

#include "capture/prepare.h"

#include "base/cleanup.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/*
 * libbpf asks whether the kernel knows bpf_probe_read_kernel(), and if it does not, takes it for
 * one from before 5.5 and puts the old bpf_probe_read() in the place of bpf_probe_read_user() too.
 * A kernel that is locked down to confidentiality denies both, but not bpf_probe_read_user(), and
 * the programs need no other. So this puts it back before loading.
 */
static int prepare_program(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	size_t n = bpf_program__insn_cnt(prog);
	AUTO_FREE struct bpf_insn *insn = malloc(n * sizeof(*insn));

	if (!insn)
		return -ENOMEM;
	memcpy(insn, bpf_program__insns(prog), n * sizeof(*insn));
	for (size_t i = 0; i < n; i++)
		if (insn[i].code == (BPF_JMP | BPF_CALL) && !insn[i].src_reg && insn[i].imm == BPF_FUNC_probe_read)
			insn[i].imm = BPF_FUNC_probe_read_user;
	return bpf_program__set_insns(prog, insn, n);
}

static int handler_error;

static void register_handlers(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = prepare_program);

	handler_error = libbpf_register_prog_handler("perf_event", BPF_PROG_TYPE_PERF_EVENT, 0, &opts);
	if (handler_error >= 0)
		handler_error = libbpf_register_prog_handler("tp_btf+", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, &opts);
	if (handler_error >= 0)
		handler_error = libbpf_register_prog_handler("kprobe", BPF_PROG_TYPE_KPROBE, 0, &opts);
}

/*
 * Once, and for good: when the last one is taken back, libbpf (1.1) frees the memory of the list,
 * and writes to it when the next one comes. And the list has no lock.
 */
int prepare_programs(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const int r = pthread_once(&once, register_handlers);

	return r ? -r : handler_error < 0 ? handler_error : 0;
}

bool prepare_may_hook(const char *function)
{
	static const struct bpf_insn nothing[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K },
						   { .code = BPF_JMP | BPF_EXIT } };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY);
	const int id = libbpf_find_vmlinux_btf_id(function, BPF_TRACE_FENTRY);
	AUTO_FD int fd = -1;

	if (id <= 0)
		return false;
	opts.attach_btf_id = (uint32_t)id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "sb_probe", "Dual BSD/GPL", nothing,
			   sizeof(nothing) / sizeof(nothing[0]), &opts);
	return fd >= 0;
}
