// SPDX-License-Identifier: BSD-2-Clause
/* unwinding.c - sberf/unwind.h: from a capture, or from addresses, to frames. */
#include "config.h"

#include "lib/handle.h"

#include "model/machine.h"
#include "symbol/kernel.h"

#include <errno.h>
#include <string.h>
#include <sys/user.h>

#define TRIES_MAX 64u            /* each brings at least one more file */

/* What is mapped at PC, remembered: frames are told by their place in a file, and their addresses are wanted, too. */
static bool find_seen(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	struct sberf *s = ctx;

	if (!s->below.find(s->below.ctx, pc, ret))
		return false;
	if (s->nr_seen < LIB_MAPS_MAX)
		s->seen[s->nr_seen++] = *ret;
	return true;
}

/* The address of F, which a walk has just come by. */
static uint64_t address_of(const struct sberf *s, const struct frame *f)
{
	for (uint32_t i = 0; i < s->nr_seen; i++) {
		const struct unwind_map *m = &s->seen[i];

		if (m->module == f->module && f->offset >= m->pgoff && f->offset - m->pgoff < m->end - m->start)
			return f->offset - m->pgoff + m->start;
	}
	return 0;
}

/* CAPTURE as the unwinder wants it. */
static int to_input(struct sberf *s, const struct sberf_capture *capture, struct unwind_input *ret)
{
	const struct machine *host = machine_host();

	*ret = (struct unwind_input){ .machine = capture->machine ? capture->machine : host ? host->number : 0,
				      .nr_regs = capture->nr_registers, .nr_segments = capture->nr_segments };
	if (capture->nr_registers > SBERF_REGISTERS_MAX || (capture->nr_registers && !capture->registers))
		return err_set(&s->err, EINVAL, "a capture has %u registers: at most %u", capture->nr_registers,
			       SBERF_REGISTERS_MAX);
	if (capture->nr_segments > SBERF_SEGMENTS_MAX || (capture->nr_segments && !capture->segments))
		return err_set(&s->err, EINVAL, "a capture has %u segments: at most %u", capture->nr_segments,
			       SBERF_SEGMENTS_MAX);
	if (capture->nr_registers)
		memcpy(ret->regs, capture->registers, capture->nr_registers * sizeof(*ret->regs));
	for (uint32_t i = 0; i < capture->nr_segments; i++) {
		const struct sberf_segment *from = &capture->segments[i];

		if ((from->length && !from->bytes) || from->address + from->length < from->address)
			return err_set(&s->err, EINVAL, "segment %u of a capture has no bytes", i);
		ret->segment[i] = (struct raw_segment){ .addr = from->address, .len = from->length,
							.want = from->length, .bytes = from->bytes,
							.unreadable = from->flags & SBERF_SEGMENT_UNREADABLE,
							.interrupted = from->flags & SBERF_SEGMENT_INTERRUPTED };
	}
	return 0;
}

static void walk(struct sberf *s, struct process *p, const struct unwind_input *in)
{
	const struct unwind_space space = { .find = find_seen, .ctx = s };

	s->below = process_space(s->ps, p);
	s->nr_seen = 0;
	unwind_sample(s->unwinder, &space, in, &s->chain);
}

int lib_walk(struct sberf *s, struct process *p, const struct unwind_input *in)
{
	unsigned int tries = 0;

	walk(s, p, in);
	if (s->chain.cut == CUT_NO_MAPPING && process_reread(s->ps, p))
		walk(s, p, in);
	while (s->chain.loading && processes_poll(s->ps) && tries++ < TRIES_MAX)
		walk(s, p, in);
	if (s->chain.loading && s->flags & SBERF_BACKGROUND)
		return err_set(&s->err, EAGAIN, "a file of the process is being read");
	s->cut_stacks += s->chain.cut != CUT_COMPLETE;
	return 0;
}

struct sberf_end lib_end(uint32_t cut, module_id module, uint64_t bytes)
{
	const struct reason_info *why = cut_info(cut);

	return (struct sberf_end){ .reason = cut, .module = module, .name = why->name, .text = why->text,
				   .stack_bytes = bytes };
}

int sberf_unwind(struct sberf *s, const struct sberf_capture *capture, struct sberf_frame *frames, size_t max,
		 struct sberf_end *end)
{
	struct sberf_capture c;
	struct unwind_input in;
	struct process *p;
	size_t n;
	int rc;

	lib_begin(s);
	rc = lib_take_struct(s, &c, sizeof(c), capture);
	if (!rc)
		rc = to_input(s, &c, &in);
	p = rc ? NULL : lib_process(s, c.pid, &rc);
	if (!rc)
		rc = lib_walk(s, p, &in);
	if (rc)
		return rc;
	n = s->chain.n < max ? s->chain.n : max;
	for (size_t i = 0; i < n; i++) {
		const struct frame *f = &s->chain.frame[i];

		frames[i] = (struct sberf_frame){ .address = address_of(s, f), .offset = f->offset,
						  .module = f->module,
						  .flags = f->flags & FRAME_F_NO_TABLE ? SBERF_FRAME_GUESS : 0 };
	}
	if (end)
		*end = lib_end(s->chain.cut, s->chain.cut_module, s->chain.bytes_used);
	return (int)n;
}

int sberf_registers(const void *regs, size_t length, uint64_t *ret)
{
#if defined(__x86_64__)
	struct user_regs_struct r;
	/* What the kernel calls pt_regs ends with ss; behind it user_regs_struct has segment registers. */
	const size_t needed = offsetof(struct user_regs_struct, ss) + sizeof(r.ss);

	if (length < needed)
		return -EINVAL;
	memcpy(&r, regs, needed);
	memcpy(ret, (const uint64_t[]){ r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10,
					r.r11, r.r12, r.r13, r.r14, r.r15, r.rip }, 17 * sizeof(*ret));
	return 17;
#elif defined(__aarch64__)
	/* x0 to x30, sp, pc: as DWARF numbers them. */
	if (length < 33 * sizeof(*ret))
		return -EINVAL;
	memcpy(ret, regs, 33 * sizeof(*ret));
	return 33;
#else
	return -ENOTSUP;
#endif
}

/* Addresses of the kernel are negative as numbers, on every architecture that is unwound. */
static bool is_kernel_address(uint64_t address)
{
	return address >> 63;
}

static bool locate_kernel(struct sberf *s, uint64_t address, struct sberf_frame *ret)
{
	const module_id module = dict_module(s->dict, &(struct module){ .kind = MODULE_KERNEL });

	if (module == ID_NONE)
		return false;
	*ret = (struct sberf_frame){ .address = address, .offset = address - kernel_text_base(), .module = module,
				     .flags = SBERF_FRAME_KERNEL };
	return true;
}

/* 1: it is there; 0: nothing is; -EAGAIN: that is not known yet. */
static int locate_user(struct sberf *s, struct process *p, uint64_t address, struct sberf_frame *ret)
{
	struct unwind_space space = process_space(s->ps, p);
	struct unwind_map m;
	bool found = space.find(space.ctx, address, &m);

	if (!found && process_reread(s->ps, p)) {
		space = process_space(s->ps, p);
		found = space.find(space.ctx, address, &m);
	}
	while (found && m.state == MAP_LOADING && processes_poll(s->ps))
		found = space.find(space.ctx, address, &m);
	if (found && m.state == MAP_LOADING && s->flags & SBERF_BACKGROUND)
		return -EAGAIN;
	if (!found || m.module == ID_NONE)
		return 0;
	*ret = (struct sberf_frame){ .address = address, .offset = unwind_place(&m, address), .module = m.module };
	return 1;
}

int sberf_locate(struct sberf *s, pid_t pid, const uint64_t *addresses, size_t n, uint32_t flags,
		 struct sberf_frame *frames)
{
	struct process *p = NULL;
	int rc = 0, found = 0;

	lib_begin(s);
	if (flags & ~SBERF_RETURN_ADDRESSES)
		return err_set(&s->err, EINVAL, "there are no flags 0x%x of sberf_locate()", flags);
	if (pid)
		p = lib_process(s, pid, &rc);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++) {
		const uint64_t at = addresses[i] - (i && flags & SBERF_RETURN_ADDRESSES);
		int here;

		frames[i] = (struct sberf_frame){ .address = at, .offset = at, .module = SBERF_MODULE_NONE };
		if (is_kernel_address(at) || !p)
			here = locate_kernel(s, at, &frames[i]);
		else
			here = locate_user(s, p, at, &frames[i]);
		if (here < 0)
			return err_set(&s->err, EAGAIN, "a file of process %d is being read", (int)pid);
		found += here;
	}
	return found;
}
