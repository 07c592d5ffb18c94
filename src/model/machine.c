// SPDX-License-Identifier: BSD-2-Clause
/* machine.c - the table of architectures. */
#include "config.h"

#include "model/machine.h"

#include <elf.h>
#include <stddef.h>

static const struct machine machines[] = {
	/* System V psABI 1.0: figure 3.36; section 3.2.2 */
	{ .number = EM_X86_64, .nr_regs = 17, .sp = 7, .fp = 6, .pc = 16, .link = MACHINE_NO_REG, .result = 0,
	  .call_args = { 5, 4, 1 }, .red_zone = 128, .code_bits = UINT64_MAX },
	/*
	 * DWARF for the Arm 64-bit Architecture, section 4.1. User addresses have 48 bits unless a
	 * program asks for more (Linux, Documentation/arch/arm64/memory.rst); pointer
	 * authentication signs a return address in those above.
	 */
	{ .number = EM_AARCH64, .nr_regs = 33, .sp = 31, .fp = 29, .pc = 32, .link = 30, .result = 0,
	  .call_args = { 0, 1, 2 }, .red_zone = 0, .code_bits = (1ull << 48) - 1 },
};

const struct machine *machine_of(uint32_t number)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].number == number)
			return &machines[i];
	return NULL;
}

const struct machine *machine_host(void)
{
#if defined(__x86_64__)
	return machine_of(EM_X86_64);
#elif defined(__aarch64__)
	return machine_of(EM_AARCH64);
#else
	return NULL;
#endif
}

uint64_t machine_host_red_zone(void)
{
	const struct machine *m = machine_host();

	return m ? m->red_zone : 0;
}

uint64_t machine_sp(uint32_t number, uint32_t nr, const uint64_t *regs)
{
	const struct machine *m = machine_of(number);

	return m && nr >= m->nr_regs ? regs[m->sp] : 0;
}
