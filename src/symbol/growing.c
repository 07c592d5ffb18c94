/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * growing.c - each reading is followed by a pause of at least a second and of 20 times what it
 * took.
 */
#include "config.h"

#include "symbol/growing.h"

#include "base/clock.h"

#include <string.h>
#include <sys/stat.h>

#define PAUSE_COST 20u               /* so reading again takes at most 1/20 of the worker's time */
#define PATIENCE_MIN NSEC_PER_SEC
#define PATIENCE_MAX (64 * NSEC_PER_SEC)

/* When a table may be read again, of which a reading that began at START_NS has just ended. */
static uint64_t pause_until(uint64_t start_ns, uint64_t patience_ns)
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
	t->not_before_ns = pause_until(start, t->patience_ns);
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

/* Reads what FD holds, unless it is what was read last time. */
static bool read_jit(struct jit_table *t, int fd, uid_t owner, struct symbolizer_stats *stats)
{
	struct jit_syms *fresh;
	struct stat st;

	if (fstat(fd, &st) || (t->syms && st.st_size == t->size && !memcmp(&st.st_mtim, &t->mtime, sizeof(t->mtime))))
		return false;
	if (jit_syms_read(fd, owner, &fresh, NULL)) {
		stats->refused_maps++;
		return false;
	}
	stats->refused_lines += jit_syms_refused(fresh);
	jit_syms_free(t->syms);
	t->syms = fresh;
	t->size = st.st_size;
	t->mtime = st.st_mtim;
	return true;
}

bool jit_table_find(struct jit_table *t, const struct module_opener *opener, module_id module, uint64_t addr,
		    struct jit_sym *ret, struct symbolizer_stats *stats)
{
	const uint64_t start = clock_mono_ns();
	AUTO_FD int fd = -1;
	uid_t owner = 0;
	bool fresh;

	if (t->syms && jit_syms_find(t->syms, addr, ret))
		return true;
	if (!opener || !opener->open || start < t->not_before_ns)
		return false;
	fd = opener->open(opener->ctx, module, &owner, NULL);
	fresh = fd >= 0 && read_jit(t, fd, owner, stats);
	t->not_before_ns = pause_until(start, NSEC_PER_SEC);
	return fresh && jit_syms_find(t->syms, addr, ret);
}

void jit_table_hurry(struct jit_table *t)
{
	t->not_before_ns = 0;
}

void kernel_table_clear(struct kernel_table *t)
{
	ksyms_free(t->syms);
	memset(t, 0, sizeof(*t));
}

void jit_table_clear(struct jit_table *t)
{
	jit_syms_free(t->syms);
	memset(t, 0, sizeof(*t));
}
