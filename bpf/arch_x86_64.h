/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arch_x86_64.h - what the BPF programs must know about x86-64: registers and the frame of a
 * signal.
 *
 * Two views of the same registers: the context of a perf_event program has the fixed layout of the
 * user API, while bpf_task_pt_regs() gives the kernel's own struct, which has moved (`cs` shrank to
 * 16 bits with FRED, kernel 6.9) and is therefore relocated. A relocated access to the context
 * would become a 16-bit load there, which the verifier refuses.
 */
#ifndef SBERF_BPF_ARCH_X86_64_H
#define SBERF_BPF_ARCH_X86_64_H

#define SB_EM_MACHINE 62         /* EM_X86_64 */
#define SB_NR_REGS 17            /* rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip */
/* copies start this far below sp (psABI 1.0 section 3.2.2; epilogues read there too) */
#define SB_RED_ZONE 128u

/* arch/x86/include/uapi/asm/ptrace.h: struct pt_regs of 64-bit user space */
struct sb_ctx_regs {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

/* include/uapi/linux/bpf_perf_event.h: struct bpf_perf_event_data */
struct sb_perf_ctx {
	struct sb_ctx_regs regs;
	__u64 sample_period;
	__u64 addr;
};

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, sp;
} __attribute__((preserve_access_index));

/* What the kernel's struct has more of on this architecture: where the stack of a task that does not run ends. */
struct thread_struct___x86 {
	unsigned long sp;
} __attribute__((preserve_access_index));

struct task_struct___x86 {
	struct thread_struct___x86 thread;
} __attribute__((preserve_access_index));

#define sb_saved_sp(task) (((struct task_struct___x86 *)(task))->thread.sp)

#define SB_CS_RPL 3u             /* privilege level in a code segment selector: 3 = user */
#define SB_USER32_CS 0x23u       /* __USER32_CS, arch/x86/include/asm/segment.h: 32-bit user code */

#define sb_ctx_user_mode(ctx) (((ctx)->regs.cs & SB_CS_RPL) == SB_CS_RPL)
#define sb_regs_compat(r) (((__u16)(r)->cs) == SB_USER32_CS)

/*
 * The kernel takes no interrupts on its first steps in from user mode and its last ones out, but an
 * NMI, by which counters of the hardware sample, comes then, too (arch/x86/entry/entry_64.S). The
 * task's frame is that of its entry before, or half of this one:
 * - at the gate of a system call: sp is the user's, as are all other registers; pc is in rcx, where
 *   SYSCALL puts it, and SYSRET takes it from;
 * - while the frame is pushed: sp is in it (perf_get_regs_user() of arch/x86/kernel/perf_regs.c
 *   asks for that);
 * - on the stack where exceptions begin, which is in the cpu_entry_area
 *   (Documentation/arch/x86/x86_64/mm.rst), each CPU's in the same
 *   half a terabyte.
 */
#define SB_FRAME_BYTES sizeof(struct sb_ctx_regs)
#define SB_ENTRY_AREA 0xfffffe0000000000ull
#define SB_ENTRY_AREA_BITS 39
#define sb_at_gate(sp) (!((sp) >> 63))
#define sb_on_entry_stack(sp) ((sp) >> SB_ENTRY_AREA_BITS == SB_ENTRY_AREA >> SB_ENTRY_AREA_BITS)

/*
 * The system call that a task is in, -1 when it came by an exception or interrupt (arch/x86/entry:
 * orig_ax is set to -1 by those). x32 calls carry bit 30 and have the same numbers as far as they
 * are the same calls.
 */
#define SB_X32_BIT 0x40000000
#define sb_regs_call(r) ((__s32)(r)->orig_ax < 0 ? SB_CALL_FAULT : (__s32)((r)->orig_ax & 0xffff & ~SB_X32_BIT))

/*
 * How a task that is in the kernel by no system call came there. The code at the gate of each
 * exception calls its handler when the registers are saved and the stack is the task's: the word
 * below the registers is where that handler returns to (arch/x86/entry/entry_64.S, idtentry_body).
 * With FRED one gate serves all, and the CPU writes above the selector of the stack what it was:
 * the vector in bits 32 to 39, the type of the event in bits 48 to 51 (Intel, Flexible UIRET and
 * Event Delivery, "event delivery").
 */
#define SB_SS_AT 160u            /* of ss, in every struct pt_regs */
#define SB_FRED_BITS 32
#define SB_FRED_FAULT(ss) (((ss) >> SB_FRED_BITS & 0xf00ff) == (3ull << 16 | 14))      /* a hardware exception, #PF */

/* Is that call mmap(2), of a file, to be executed? Its third argument is the protection, its fourth the flags. */
#define SB_CALL_MMAP 9
#define sb_regs_map_code(r) \
	(sb_regs_call(r) == SB_CALL_MMAP && (r)->dx & SB_PROT_EXEC && !((r)->r10 & SB_MAP_ANONYMOUS) && \
	 !sb_regs_compat(r))

/* The other calls that change how much is mapped. */
#define SB_CALL_MUNMAP 11
#define SB_CALL_BRK 12
#define SB_CALL_MREMAP 25
#define SB_CALL_MADVISE 28

/* Is CALL one that waits for what its first argument, a file descriptor, names: read, readv, recvfrom, recvmsg; ... */
#define SB_CALL_READS(call) ((call) == 0 || (call) == 19 || (call) == 45 || (call) == 47)
/* ... write, writev, sendto, sendmsg; or for several, of which its arguments tell: select, pselect6; poll, ppoll? */
#define SB_CALL_WRITES(call) ((call) == 1 || (call) == 20 || (call) == 44 || (call) == 46)
#define SB_CALL_SELECTS(call) ((call) == 23 || (call) == 270)
#define SB_CALL_POLLS(call) ((call) == 7 || (call) == 271)

/* Is it one that makes a process, or executes a program? */
#define SB_CALL_CLONE 56
#define SB_CALL_FORK 57
#define SB_CALL_VFORK 58
#define SB_CALL_EXECVE 59
#define SB_CALL_EXECVEAT 322
#define SB_CALL_CLONE3 435
#define sb_regs_forks(r) \
	(sb_regs_call(r) == SB_CALL_CLONE || sb_regs_call(r) == SB_CALL_FORK || sb_regs_call(r) == SB_CALL_VFORK || \
	 sb_regs_call(r) == SB_CALL_CLONE3)
#define sb_regs_executes(r) (sb_regs_call(r) == SB_CALL_EXECVE || sb_regs_call(r) == SB_CALL_EXECVEAT)

/* Registers of either view in DWARF order (System V psABI 1.0, figure 3.36), pc last. */
#define sb_regs_to_dwarf(r, v) \
	do { \
		(v)[0] = (r)->ax; \
		(v)[1] = (r)->dx; \
		(v)[2] = (r)->cx; \
		(v)[3] = (r)->bx; \
		(v)[4] = (r)->si; \
		(v)[5] = (r)->di; \
		(v)[6] = (r)->bp; \
		(v)[7] = (r)->sp; \
		(v)[8] = (r)->r8; \
		(v)[9] = (r)->r9; \
		(v)[10] = (r)->r10; \
		(v)[11] = (r)->r11; \
		(v)[12] = (r)->r12; \
		(v)[13] = (r)->r13; \
		(v)[14] = (r)->r14; \
		(v)[15] = (r)->r15; \
		(v)[16] = (r)->ip; \
	} while (0)
/* What the psABI passes in registers. */
#define SB_CALL_ARGS 6
#define sb_regs_to_args(r, v) \
	do { \
		(v)[0] = (r)->di; \
		(v)[1] = (r)->si; \
		(v)[2] = (r)->dx; \
		(v)[3] = (r)->cx; \
		(v)[4] = (r)->r8; \
		(v)[5] = (r)->r9; \
	} while (0)
#define sb_regs_result(r) ((r)->ax)
/* What a system call gets, at its entry (syscall(2)). */
#define sb_regs_to_call_args(r, v) \
	do { \
		(v)[0] = (r)->di; \
		(v)[1] = (r)->si; \
		(v)[2] = (r)->dx; \
		(v)[3] = (r)->r10; \
		(v)[4] = (r)->r8; \
		(v)[5] = (r)->r9; \
	} while (0)
#define SB_BREAKPOINT 0xcc      /* the instruction that probes put in place of the first byte of another one */

#define SB_COPY_BYTES 15u       /* of the copy of a probed instruction that is run in its place, at most */

/*
 * Functions whose return is watched return to code that pushes up to three registers for a system
 * call, since Linux 6.11; a breakpoint before (arch/x86/kernel/uprobes.c,
 * uretprobe_trampoline_entry). Behind that call, at these places, so many bytes are to be popped,
 * the last of them the true return address.
 */
#define SB_TRAMPOLINE_PUSHES 24u
#define SB_TRAMPOLINE_BACK(at) ((at) == 13 ? 24u : (at) == 15 ? 16u : (at) == 16 ? 8u : 0u)
#define SB_CALL_FUTEX 202        /* __NR_futex of the native ABI; its arguments are in DI, SI and DX */
#define SB_DWARF_DX 1
#define SB_DWARF_CX 2
#define SB_DWARF_SI 4
#define SB_DWARF_DI 5
#define SB_DWARF_BP 6
#define SB_DWARF_SP 7
#define SB_DWARF_PC 16

/*
 * The frame that the kernel pushes for a signal (struct rt_sigframe,
 * arch/x86/include/asm/sigframe.h) holds a struct ucontext: uc_stack, a copy of the task's
 * alternate stack setting, and behind it the interrupted registers. The frame is 8 bytes off a
 * multiple of 16 (align_sigframe), which puts uc_stack.ss_sp on one; above it lies the FPU state,
 * up to 11 KiB with AMX.
 */
#define SB_SIGFRAME_ALIGN 16u    /* of uc_stack.ss_sp */
#define SB_SS_SIZE_AT 16u        /* from uc_stack.ss_sp to uc_stack.ss_size */
#define SB_SS_RSP_AT 144u        /* from uc_stack.ss_sp to uc_mcontext.gregs[REG_RSP] */
#define SB_SIGFRAME_REACH 16384u /* how far below the top of the stack to look */

/*
 * From sp, in the code that a handler returns to, to the registers of interest: struct ucontext,
 * gregs[REG_RBP REG_RSP REG_RIP].
 */
#define SB_SIGNAL_BP_AT 120u
#define SB_SIGNAL_SP_AT 160u
#define SB_SIGNAL_PC_AT 168u
#define sb_thread_pointer(task) ((task)->thread.fsbase)
#define SB_PLT_MASK 15u          /* of pc: the place in a stub of the linker's */

#endif
