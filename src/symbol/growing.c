/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * growing.c - each reading is followed by a pause of at least a second and of 20 times what it
 * took.
 */
#include "config.h"

#include "symbol/growing.h"

#include "base/clock.h"

#include <string.h>

#define PAUSE_COST 20u               /* so reading again takes at most 1/20 of the worker's time */
#define PATIENCE_MIN NSEC_PER_SEC
#define PATIENCE_MAX (64 * NSEC_PER_SEC)

uint64_t growing_pause(uint64_t start_ns, uint64_t patience_ns)
{
	const uint64_t now = clock_mono_ns(), pause = PAUSE_COST * (now - start_ns);

	return now + (pause > patience_ns ? pause : patience_ns);
}

static bool read_kernel(struct kernel_table *t, struct symbolizer_stats *stats)
{
	const uint64_t start = clock_mono_ns();
	struct ksyms *fresh;
	int rc;

	if (start < t->not_before_ns)
		return false;
	rc = ksyms_load(&fresh, NULL);
	if (t->patience_ns < PATIENCE_MIN)
		t->patience_ns = PATIENCE_MIN;
	t->not_before_ns = growing_pause(start, t->patience_ns);
	if (rc) {
		stats->unreadable_modules++;
		return false;
	}
	ksyms_free(t->syms);
	t->syms = fresh;
	stats->kernel_hidden = ksyms_hidden(fresh);
	return true;
}

bool kernel_table_find(struct kernel_table *t, uint64_t addr, struct ksym *ret, struct symbolizer_stats *stats)
{
	bool found;

	if (t->syms && ksyms_find(t->syms, addr, ret))
		return true;
	if (!read_kernel(t, stats))
		return false;
	found = ksyms_find(t->syms, addr, ret);
	if (found)
		t->patience_ns = PATIENCE_MIN;
	else if (t->patience_ns < PATIENCE_MAX)
		t->patience_ns *= 2;
	return found;
}

bool kernel_table_find_variable(struct kernel_table *t, uint64_t addr, struct ksym *ret,
				struct symbolizer_stats *stats)
{
	return (t->syms || read_kernel(t, stats)) && ksyms_find_variable(t->syms, addr, ret);
}

void kernel_table_clear(struct kernel_table *t)
{
	ksyms_free(t->syms);
	memset(t, 0, sizeof(*t));
}
