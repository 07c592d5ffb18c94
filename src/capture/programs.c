/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * programs.c - see programs.h. Rows of ATTACH_WAITS are attached in their order: the program for
 * threads that leave a CPU before the one for threads that come, so that no arrival is seen without
 * its departure; the one for who got a lock before the one for who asks for it, or it would stay noted with a thread
 * that got it in between.
 */
#include "config.h"

#include "capture/programs.h"

#include "capture/probe.h"
#include "model/event.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct program {
	const char *name;        /* as bpf/ calls it */
	uint32_t when;           /* mask of enum program_when: all of them */
	enum program_attach how;
	/*
	 * it takes stacks: NAME copies them, and NAME_walk walks them by learned rules; one of the
	 * two is loaded
	 */
	bool twin;
	uint8_t makes;           /* events of this kind alone: loaded when they are to be counted; 0 = not only */
} table[] = {
	{ "sb_oncpu", 0, ATTACH_SAMPLES, true, 0 },
	{ "sb_fault", WHEN_NUMA, ATTACH_FAULTS, true, 0 },
	{ "sb_fork", WHEN_NEW_TASKS, ATTACH_LOADED, false, 0 },
	{ "sb_exec", WHEN_EXEC, ATTACH_LOADED, false, 0 },
	{ "sb_rename", WHEN_NAME, ATTACH_LOADED, false, 0 },
	{ "sb_free", WHEN_CHILDREN, ATTACH_LOADED, false, 0 },
	{ "sb_mapped", WHEN_WALKS | WHEN_MMAP_LOCK, ATTACH_LOADED, false, 0 },
	{ "sb_leave", WHEN_WAITS, ATTACH_WAITS, true, 0 },
	{ "sb_enter", WHEN_WAITS, ATTACH_WAITS, false, 0 },
	{ "sb_waking", WHEN_WAITS, ATTACH_WAITS, true, 0 },
	{ "sb_contended", WHEN_WAITS | WHEN_KERNEL_LOCKS, ATTACH_WAITS, true, 0 },
	{ "sb_contend", WHEN_WAITS | WHEN_KERNEL_LOCKS, ATTACH_WAITS, false, 0 },
	{ "sb_migrate", WHEN_WAITS | WHEN_MOVES, ATTACH_WAITS, false, 0 },
	{ "sb_balance", WHEN_NUMA | WHEN_BALANCE, ATTACH_LIVE, false, 0 },
	{ "sb_forks", 0, ATTACH_EVENTS, true, EVENT_FORK },
	{ "sb_call_exit", WHEN_CALLS, ATTACH_CALLS, true, 0 },
	{ "sb_call_enter", WHEN_CALLS, ATTACH_CALLS, false, 0 },
	{ "sb_placed", WHEN_PLACES, ATTACH_PLACES, true, 0 },
	{ "sb_func_enter", WHEN_FUNCTIONS, ATTACH_ENTRIES, false, 0 },
	{ "sb_func_return", WHEN_FUNCTIONS, ATTACH_RETURNS, true, 0 },
	{ "sb_alloc", WHEN_ALLOC_SESSIONS, ATTACH_ALLOCS, true, 0 },
	{ "sb_alloc_enter", WHEN_ALLOC_PAIRS, ATTACH_ALLOCS, false, 0 },
	{ "sb_alloc_return", WHEN_ALLOC_PAIRS, ATTACH_ALLOC_RETURNS, true, 0 },
	{ "sb_go_alloc", WHEN_ALLOCS, ATTACH_GO_ALLOCS, true, 0 },
	{ "sb_freed", WHEN_FREES, ATTACH_FREES, false, 0 },
	{ "sb_told_alloc", WHEN_ALLOCS_TOLD, ATTACH_TOLD_ALLOCS, true, 0 },
	{ "sb_told_free", WHEN_ALLOCS_TOLD, ATTACH_TOLD_FREES, false, 0 },
	{ "sb_rss", WHEN_GROWTH, ATTACH_GROWTH, true, 0 },
	{ "sb_mapping_call", WHEN_GROWTH, ATTACH_MAPPING_CALLS, true, 0 },
	{ "sb_trace", WHEN_TRACES, ATTACH_TRACES, true, 0 },
	{ "sb_raw_trace", WHEN_RAW_TRACES, ATTACH_RAW_TRACES, true, 0 },
	{ "sb_kfunc", WHEN_KERNEL_FUNCTIONS, ATTACH_KERNEL_FUNCTIONS, true, 0 },
	{ "sb_kret", WHEN_KERNEL_RETURNS, ATTACH_KERNEL_RETURNS, true, 0 },
	{ "sb_followed", WHEN_FOLLOWED, ATTACH_FOLLOWED, false, 0 },
	{ "sb_followed_ret", WHEN_FOLLOWED_RETURNS, ATTACH_FOLLOWED_RETURNS, false, 0 },
	{ "sb_called", WHEN_CALLED, ATTACH_CALLED, false, 0 },
	{ "sb_called_ret", WHEN_CALLED, ATTACH_CALLED_RETURNS, false, 0 },
	{ "sb_pointer", WHEN_CALLED, ATTACH_POINTERS, false, 0 },
	{ "sb_paged", WHEN_PAGED, ATTACH_PAGED, true, 0 },
	{ "sb_signal", WHEN_SIGNALS, ATTACH_SIGNALS, true, 0 },
	{ "sb_tasks", WHEN_WAITS, ATTACH_ITERATOR, false, 0 },
	{ "sb_homes", WHEN_NUMA, ATTACH_ITERATOR, false, 0 },
	{ "sb_open_calls", WHEN_CALLS, ATTACH_ITERATOR, false, 0 },
	{ "sb_open_funcs", WHEN_FUNCTIONS, ATTACH_ITERATOR, false, 0 },
	{ "sb_own_begin", WHEN_OWN_COST, ATTACH_OWN_BEGIN, false, 0 },
	{ "sb_own_end", WHEN_OWN_COST, ATTACH_OWN_END, false, 0 },
	{ "sb_own_call_exit", WHEN_CALLS, ATTACH_OWN_CALLS, false, 0 },
	{ "sb_own_call_enter", WHEN_CALLS, ATTACH_OWN_CALLS, false, 0 },
	{ "sb_whoami", 0, ATTACH_RUN, false, 0 },
};

#define ROWS (sizeof(table) / sizeof(*table))

_Static_assert(ROWS <= PROGRAMS_MAX, "there is room for each row");

static int find_program(struct bpf_object *obj, const char *name, const char *more,
			struct bpf_program **ret, struct err *e)
{
	char full[64];

	snprintf(full, sizeof(full), "%s%s", name, more);
	*ret = bpf_object__find_program_by_name(obj, full);
	return *ret ? 0 : err_set(e, ENOENT, "the BPF object has no program %s: sberf was built wrongly", full);
}

int programs_find(struct programs *p, struct bpf_object *obj, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < ROWS && !r; i++) {
		r = find_program(obj, table[i].name, "", &p->prog[i], e);
		if (!r && table[i].twin)
			r = find_program(obj, table[i].name, "_walk", &p->walking[i], e);
	}
	return r;
}

static void programs_detach_row(struct programs *p, size_t i)
{
	bpf_link__destroy(p->link[i]);
	p->link[i] = NULL;
}

void programs_free(struct programs *p)
{
	for (size_t i = 0; i < ROWS; i++)
		programs_detach_row(p, i);
}

void programs_choose(struct programs *p, uint32_t when, uint32_t kinds)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct program *row = &table[i];
		const bool wanted = !(row->when & ~when) && (!row->makes || kinds >> row->makes & 1);

		if (row->twin) {
			bpf_program__set_autoload(when & WHEN_WALKS ? p->prog[i] : p->walking[i], false);
			p->prog[i] = when & WHEN_WALKS ? p->walking[i] : p->prog[i];
		}
		bpf_program__set_autoload(p->prog[i], wanted);
	}
}

void programs_choose_late(struct programs *p, uint32_t when, bool walks)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (table[i].twin) {
			bpf_program__set_autoload(walks ? p->prog[i] : p->walking[i], false);
			p->prog[i] = walks ? p->walking[i] : p->prog[i];
		}
		bpf_program__set_autoload(p->prog[i], table[i].when && !(table[i].when & ~when));
	}
}

static bool programs_is(const struct programs *p, size_t i, enum program_attach how)
{
	return table[i].how == how && p->prog[i] && bpf_program__autoload(p->prog[i]);
}

struct bpf_program *programs_chosen(const struct programs *p, enum program_attach how)
{
	for (size_t i = 0; i < ROWS; i++)
		if (programs_is(p, i, how))
			return p->prog[i];
	return NULL;
}

int programs_fd(const struct programs *p, enum program_attach how)
{
	const struct bpf_program *prog = programs_chosen(p, how);

	return prog ? bpf_program__fd(prog) : -ENOENT;
}

int programs_attach(struct programs *p, enum program_attach how, struct err *e)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (p->link[i] || !programs_is(p, i, how))
			continue;
		p->link[i] = bpf_program__attach_trace(p->prog[i]);
		if (!p->link[i])
			return probe_explain(PROBE_STEP_ATTACH, errno, e);
	}
	return 0;
}

void programs_detach(struct programs *p, enum program_attach how, const char *first)
{
	for (size_t i = 0; first && i < ROWS; i++)
		if (!strcmp(table[i].name, first))
			programs_detach_row(p, i);
	for (size_t i = 0; i < ROWS; i++)
		if (table[i].how == how)
			programs_detach_row(p, i);
}

bool programs_attached(const struct programs *p, enum program_attach how)
{
	for (size_t i = 0; i < ROWS; i++)
		if (table[i].how == how && p->link[i])
			return true;
	return false;
}

int programs_iterate(struct programs *p, const char *name, struct err *e)
{
	size_t i = 0;
	int fd = -1;

	while (i < ROWS && strcmp(table[i].name, name))
		i++;
	if (i == ROWS || !programs_is(p, i, ATTACH_ITERATOR))
		return err_set(e, ENOENT, "there is no iterator %s", name);
	if (!p->link[i])
		p->link[i] = bpf_program__attach_iter(p->prog[i], NULL);
	if (p->link[i])
		fd = bpf_iter_create(bpf_link__fd(p->link[i]));
	return fd < 0 ? err_set(e, errno, "cannot list the tasks: %s", strerror(errno)) : fd;
}
