/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faultentry.c - see faultentry.h. The kernel runs a BPF program of a few instructions for one page
 * fault that is caused here.
 */
#include "config.h"

#include "capture/faultentry.h"

#include "base/cleanup.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OP(code_, dst, src, off_, imm_) { .code = (code_), .dst_reg = (dst), .src_reg = (src), \
					  .off = (off_), .imm = (imm_) }
#define CALL(function) OP(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##function)
#define MOVE(dst, src) OP(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst, value) OP(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value)
#define ADD(dst, value) OP(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, value)

/*
 * Loads: read the word below the user's registers of the current task into the one entry of MAP. An
 * fd or a negative errno.
 */
static int load_program(int map)
{
	const struct bpf_insn insn[] = {
		CALL(get_current_task_btf),
		MOVE(BPF_REG_1, BPF_REG_0),
		CALL(task_pt_regs),
		MOVE(BPF_REG_3, BPF_REG_0),
		ADD(BPF_REG_3, -8),
		MOVE(BPF_REG_1, BPF_REG_10),
		ADD(BPF_REG_1, -8),
		SET(BPF_REG_2, 8),
		CALL(probe_read_kernel),
		OP(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -12, 0),
		OP(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
		OP(0, 0, 0, 0, 0),
		MOVE(BPF_REG_2, BPF_REG_10),
		ADD(BPF_REG_2, -12),
		MOVE(BPF_REG_3, BPF_REG_10),
		ADD(BPF_REG_3, -8),
		SET(BPF_REG_4, BPF_ANY),
		CALL(map_update_elem),
		SET(BPF_REG_0, 0),
		OP(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "sb_fault_entry", "Dual BSD/GPL", insn,
			     sizeof(insn) / sizeof(insn[0]), NULL);
}

/* Page faults of this thread run PROG while the event that is returned is open; -1 = they do not. */
static int watch_faults(int prog)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.sample_period = 1, .disabled = 1, .exclude_kernel = 1 };
	AUTO_FD int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -1;
	return take_fd(&fd);
}

static void make_fault(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	*p = 1;
	munmap((void *)(uintptr_t)p, page);
}

uint64_t fault_entry_return(void)
{
	AUTO_FD int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "sb_fault_entry", sizeof(uint32_t),
					 sizeof(uint64_t), 1, NULL);
	AUTO_FD int prog = map < 0 ? -1 : load_program(map);
	AUTO_FD int event = prog < 0 ? -1 : watch_faults(prog);
	const uint32_t key = 0;
	uint64_t at = 0;

	if (event < 0)
		return 0;
	make_fault();
	/* An address of the kernel's: its half of all addresses. */
	return !bpf_map_lookup_elem(map, &key, &at) && at >> 63 ? at : 0;
}
