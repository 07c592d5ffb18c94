// SPDX-License-Identifier: BSD-2-Clause
/* oracle.c - libdwfl on a raw capture; see oracle.h. */
#include "config.h"

#include "tests/unwind/oracle.h"

#include <string.h>

#define NR_REGS 17               /* that libdwfl takes on x86-64: DWARF registers 0 to 16 */

static int no_debuginfo(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base, const char *file,
			const char *link, GElf_Word crc, char **ret)
{
	return -1;
}

Dwfl *oracle_open(pid_t pid)
{
	static const Dwfl_Callbacks cb = { .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = no_debuginfo };
	Dwfl *dwfl = dwfl_begin(&cb);

	if (dwfl && (dwfl_linux_proc_report(dwfl, pid) != 0 || dwfl_report_end(dwfl, NULL, NULL) != 0)) {
		dwfl_end(dwfl);
		return NULL;
	}
	return dwfl;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	if (*thread)
		return 0;
	*thread = arg;
	return dwfl_pid(dwfl);
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	*thread = arg;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *ret, void *arg)
{
	const struct fixture *fx = arg;

	for (uint32_t i = 0; i < fx->input.nr_segments; i++) {
		const struct raw_segment *s = &fx->input.segment[i];

		if (addr >= s->addr && addr - s->addr < s->len && s->len - (addr - s->addr) >= 8) {
			memcpy(ret, s->bytes + (addr - s->addr), 8);
			return true;
		}
	}
	return false;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct fixture *fx = arg;

	return dwfl_thread_state_registers(thread, 0, NR_REGS, fx->input.regs);
}

static int each_frame(Dwfl_Frame *state, void *arg)
{
	struct oracle_chain *c = arg;
	bool exact;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(state, &pc, &exact) || c->n == ORACLE_MAX)
		return DWARF_CB_ABORT;
	c->lookup[c->n] = pc - !exact;
	c->signal[c->n++] = exact;
	return DWARF_CB_OK;
}

void oracle_walk(Dwfl *dwfl, pid_t pid, const struct fixture *fx, struct oracle_chain *ret)
{
	static const Dwfl_Thread_Callbacks cb = { .next_thread = next_thread, .get_thread = get_thread,
		.memory_read = read_memory, .set_initial_registers = set_registers };

	ret->n = 0;
	if (dwfl_attach_state(dwfl, NULL, pid, &cb, (void *)(uintptr_t)fx))
		dwfl_getthread_frames(dwfl, pid, each_frame, ret);
}

const char *oracle_name(Dwfl *dwfl, uint64_t addr)
{
	Dwfl_Module *mod = dwfl_addrmodule(dwfl, addr);
	const char *name = mod ? dwfl_module_addrname(mod, addr) : NULL;

	return name ? name : "?";
}
