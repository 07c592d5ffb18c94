/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_entry.c - the names, a table for each architecture. */
#include "config.h"

#include "model/kernel_entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct entry_name {
	const char *name;
	enum kernel_entry entry;
	bool prefix;             /* so do all begin that are of this kind */
};

#define CALL(name) { name, KERNEL_ENTRY_CALL, false }
#define CALLS(prefix) { prefix, KERNEL_ENTRY_CALL, true }
#define INTERRUPT(name) { name, KERNEL_ENTRY_INTERRUPT, false }
#define INTERRUPTS(prefix) { prefix, KERNEL_ENTRY_INTERRUPT, true }

/* kernel/kthread.c, and where every architecture begins a thread. */
static const struct entry_name any[] = {
	CALL("ret_from_fork"), CALL("kthread"),
};

/* arch/x86: entry/entry_64.S, entry_64_compat.S, entry_64_fred.S, common.c; idtentry.h; fault.c */
static const struct entry_name x86_64[] = {
	INTERRUPTS("asm_sysvec_"), INTERRUPTS("sysvec_"), INTERRUPTS("__sysvec_"), INTERRUPTS("instr_sysvec_"),
	INTERRUPT("asm_common_interrupt"), INTERRUPT("common_interrupt"), INTERRUPT("__common_interrupt"),
	INTERRUPT("asm_exc_nmi"), INTERRUPT("exc_nmi"),

	CALL("entry_SYSCALL_64"), CALL("entry_SYSCALL_64_after_hwframe"), CALL("do_syscall_64"), CALL("x64_sys_call"),
	CALL("entry_SYSENTER_compat_after_hwframe"), CALL("entry_SYSCALL_compat_after_hwframe"), CALL("do_SYSENTER_32"),
	CALL("do_fast_syscall_32"), CALL("__do_fast_syscall_32"), CALL("entry_INT80_compat"),
	CALL("asm_int80_emulation"), CALL("int80_emulation"), CALL("do_int80_emulation"), CALL("do_int80_syscall_32"),
	CALL("ia32_sys_call"), CALL("asm_fred_entrypoint_user"), CALL("fred_entry_from_user"),
	CALLS("asm_exc_"), CALLS("exc_"), CALL("handle_page_fault"), CALL("do_user_addr_fault"),
	CALL("ret_from_fork_asm"),
};

/* arch/arm64/kernel: entry.S, entry-common.c, syscall.c; mm/fault.c */
static const struct entry_name aarch64[] = {
	INTERRUPTS("el1h_64_irq"), INTERRUPTS("el1h_64_fiq"), INTERRUPTS("el1t_64_irq"), INTERRUPTS("el0t_64_irq"),
	INTERRUPTS("el0t_64_fiq"), INTERRUPTS("el0t_32_irq"), INTERRUPTS("el0t_32_fiq"), INTERRUPT("el1_interrupt"),
	INTERRUPT("el0_interrupt"), INTERRUPT("__el1_irq"), INTERRUPT("__el0_irq_handler_common"),
	INTERRUPT("__el0_fiq_handler_common"),

	CALL("el0t_64_sync"), CALL("el0t_64_sync_handler"), CALL("el0_svc"), CALL("do_el0_svc"), CALL("el0_svc_common"),
	CALL("invoke_syscall"), CALL("__invoke_syscall"), CALL("el0t_32_sync"), CALL("el0t_32_sync_handler"),
	CALL("el0_svc_compat"), CALL("do_el0_svc_compat"), CALL("el1h_64_sync"), CALL("el1h_64_sync_handler"),
	CALL("el0_da"), CALL("el0_ia"), CALL("el1_abort"), CALL("do_mem_abort"), CALL("do_translation_fault"),
	CALL("do_page_fault"),
};

static enum kernel_entry kernel_entry_find(const struct entry_name *e, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		const size_t len = strlen(e[i].name);

		if (*name == *e[i].name && !strncmp(name, e[i].name, len) &&
		    (e[i].prefix || !name[len] || name[len] == '.'))
			return e[i].entry;
	}
	return KERNEL_ENTRY_NONE;
}

enum kernel_entry kernel_entry_of(const char *name)
{
	static const struct { const struct entry_name *names; size_t n; } tables[] = {
		{ any, sizeof(any) / sizeof(any[0]) },
		{ x86_64, sizeof(x86_64) / sizeof(x86_64[0]) },
		{ aarch64, sizeof(aarch64) / sizeof(aarch64[0]) },
	};
	enum kernel_entry found = KERNEL_ENTRY_NONE;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && found == KERNEL_ENTRY_NONE; i++)
		found = kernel_entry_find(tables[i].names, tables[i].n, name);
	return found;
}
