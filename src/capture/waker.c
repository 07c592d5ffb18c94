/* SPDX-License-Identifier: BSD-2-Clause */
/* waker.c - recognises entry code by function names, each looked up once. */
#include "config.h"

#include "capture/waker.h"

#include "model/kernel_entry.h"

#include <string.h>

/* What a function says of the context; kept in ksym.user. */
enum role {
	ROLE_UNKNOWN,
	ROLE_PLAIN,
	ROLE_INTERRUPT,          /* entry from a device, a timer or another CPU */
	ROLE_SOFTIRQ,            /* runs softirqs */
	ROLE_SOFTIRQ_THREAD,
	ROLE_LOOKING_ON,         /* between a tracepoint and the end of a BPF program */
};

struct role_name {
	const char *name;
	bool prefix;
	enum role role;
};

/*
 * Beside the entry code of interrupts (model/kernel_entry.h): kernel/softirq.c;
 * include/linux/tracepoint.h, include/trace/bpf_probe.h, kernel/trace/bpf_trace.c, kernel/bpf/core.c
 */
static const struct role_name names[] = {
	{ "__do_softirq", false, ROLE_SOFTIRQ },
	{ "handle_softirqs", true, ROLE_SOFTIRQ },
	{ "__softirqentry_text_start", false, ROLE_SOFTIRQ },
	{ "run_ksoftirqd", false, ROLE_SOFTIRQ_THREAD },
	{ "__traceiter_", true, ROLE_LOOKING_ON },
	{ "__bpf_trace_", true, ROLE_LOOKING_ON },
	{ "bpf_trace_run", true, ROLE_LOOKING_ON },
	{ "bpf_prog_", true, ROLE_LOOKING_ON },
};

static enum role role_of(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].prefix ? !strncmp(name, names[i].name, strlen(names[i].name)) :
		    !strcmp(name, names[i].name))
			return names[i].role;
	return kernel_entry_of(name) == KERNEL_ENTRY_INTERRUPT ? ROLE_INTERRUPT : ROLE_PLAIN;
}

static enum role role_at(const struct ksyms *k, uint64_t addr)
{
	struct ksym sym;

	if (!ksyms_find(k, addr, &sym))
		return ROLE_PLAIN;
	if (*sym.user == ROLE_UNKNOWN)
		*sym.user = role_of(sym.name);
	return (enum role)*sym.user;
}

enum waker_context waker_context_of(const struct ksyms *k, const uint64_t *addrs, uint32_t n)
{
	bool softirq = false;

	if (!k || ksyms_hidden(k) || !n)
		return WAKER_UNKNOWN;
	for (uint32_t i = 0; i < n; i++) {
		switch (role_at(k, addrs[i])) {
		case ROLE_INTERRUPT:
			return softirq ? WAKER_SOFTIRQ : WAKER_HARDIRQ;
		case ROLE_SOFTIRQ_THREAD:
			return WAKER_SOFTIRQ;
		case ROLE_SOFTIRQ:
			softirq = true;
			break;
		case ROLE_PLAIN:
		case ROLE_LOOKING_ON:
		case ROLE_UNKNOWN:
			break;
		}
	}
	return WAKER_TASK;
}

uint32_t waker_looking_on(const struct ksyms *k, const uint64_t *addrs, uint32_t n)
{
	uint32_t i = 0;

	while (k && !ksyms_hidden(k) && i < n && role_at(k, addrs[i]) == ROLE_LOOKING_ON)
		i++;
	return i;
}
