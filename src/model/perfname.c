/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "model/perfname.h"

#include "model/event.h"

#include <string.h>

/* The first of a kind is what is written. */
static const struct {
	const char *name;
	unsigned int kind;
} names[] = {
	{ "cpu-clock", EVENT_SAMPLE }, { "offcpu-blocked", EVENT_BLOCKED }, { "offcpu-runnable", EVENT_RUNNABLE },
	{ "far-access", EVENT_ACCESS }, { "task-clock", EVENT_SAMPLE }, { "offcpu-time", EVENT_BLOCKED },
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

const char *perf_name(unsigned int kind)
{
	for (size_t i = 0; i < NR_NAMES; i++)
		if (names[i].kind == kind)
			return names[i].name;
	return names[0].name;
}

unsigned int perf_name_kind(const char *name, size_t len)
{
	for (size_t i = 0; i < NR_NAMES; i++)
		if (strlen(names[i].name) == len && !memcmp(names[i].name, name, len))
			return names[i].kind;
	return 0;
}
