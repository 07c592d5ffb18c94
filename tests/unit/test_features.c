/* SPDX-License-Identifier: BSD-2-Clause */
/* test_features.c - the running kernel, and type information made by hand after kernels that cannot be had here. */
#include "config.h"

#include "capture/features.h"
#include "tests/unit/cmocka_all.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

enum arg { CTX, BOOL, UINT, TASK };

static void add_arg(struct btf *btf, enum arg arg, const int ids[TASK + 1])
{
	assert_int_equal(btf__add_func_param(btf, "", ids[arg]), 0);
}

/* typedef void (*btf_trace_NAME)(ARGS) */
static void add_tracepoint(struct btf *btf, const char *name, const enum arg *args, size_t n, const int ids[TASK + 1])
{
	const int proto = btf__add_func_proto(btf, 0);
	int pointer;

	assert_true(proto > 0);
	for (size_t i = 0; i < n; i++)
		add_arg(btf, args[i], ids);
	pointer = btf__add_ptr(btf, proto);
	assert_true(btf__add_typedef(btf, name, pointer) > 0);
}

/* A kernel whose sched_switch has these arguments. */
static struct btf *make(const enum arg *args, size_t n)
{
	static const enum arg waking[] = { CTX, TASK };
	struct btf *btf = btf__new_empty();
	int ids[TASK + 1], task;

	assert_non_null(btf);
	ids[CTX] = btf__add_ptr(btf, 0);
	ids[BOOL] = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	ids[UINT] = btf__add_int(btf, "unsigned int", 4, 0);
	task = btf__add_struct(btf, "task_struct", 0);
	ids[TASK] = btf__add_ptr(btf, task);
	add_tracepoint(btf, "btf_trace_sched_switch", args, n, ids);
	add_tracepoint(btf, "btf_trace_sched_waking", waking, 2, ids);
	assert_true(btf__add_enum(btf, "bpf_map_type", 4) > 0);
	assert_int_equal(btf__add_enum_value(btf, "BPF_MAP_TYPE_RINGBUF", 27), 0);
	return btf;
}

static bool state_told(const enum arg *args, size_t n)
{
	struct btf *btf = make(args, n);
	struct features f;

	features_of(btf, &f);
	assert_true(f.sched_switch);
	assert_true(f.sched_waking);
	assert_false(f.task_storage);
	assert_false(f.task_iter);
	btf__free(btf);
	return f.prev_state;
}

#define ARGS(...) ((const enum arg[]){ __VA_ARGS__ })
#define STATE_TOLD(...) state_told(ARGS(__VA_ARGS__), sizeof(ARGS(__VA_ARGS__)) / sizeof(enum arg))

static void the_state_is_the_last_argument_or_not_told(void **state)
{
	assert_true(STATE_TOLD(CTX, BOOL, TASK, TASK, UINT));            /* 5.18 and later */
	assert_false(STATE_TOLD(CTX, BOOL, TASK, TASK));                 /* before */
	assert_false(STATE_TOLD(CTX, BOOL, UINT, TASK, TASK));           /* 5.18-rc1 to rc6 */
	assert_false(STATE_TOLD(CTX));
}

static void other_features(void **state)
{
	static const enum arg args[] = { CTX, BOOL, TASK, TASK };
	struct btf *btf = make(args, 4);
	struct features f;

	assert_int_equal(btf__add_enum_value(btf, "BPF_MAP_TYPE_TASK_STORAGE", 29), 0);
	assert_true(btf__add_struct(btf, "bpf_iter__task", 24) > 0);
	features_of(btf, &f);
	assert_true(f.task_storage);
	assert_true(f.task_iter);
	btf__free(btf);
}

/* Not what they should be: a typedef of a number, of a pointer to one; nothing at all. */
static void odd_types(void **state)
{
	struct btf *btf = btf__new_empty();
	struct features f;
	int id;

	assert_non_null(btf);
	features_of(btf, &f);
	assert_false(f.sched_switch || f.sched_waking || f.prev_state || f.task_storage || f.task_iter);
	id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	assert_true(btf__add_typedef(btf, "btf_trace_sched_switch", id) > 0);
	id = btf__add_ptr(btf, id);
	assert_true(btf__add_typedef(btf, "btf_trace_sched_waking", id) > 0);
	features_of(btf, &f);
	assert_false(f.sched_switch || f.sched_waking || f.prev_state);
	btf__free(btf);
}

/* The kernels that sberf runs on have it all but the state, and that from 5.18 on. */
static void this_kernel(void **state)
{
	unsigned int major, minor;
	struct features f;
	struct utsname u;

	features_read(&f);
	assert_int_equal(f.prev_state, features_prev_state());
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		assert_false(f.sched_switch);
		return;
	}
	assert_int_equal(uname(&u), 0);
	assert_int_equal(sscanf(u.release, "%u.%u", &major, &minor), 2);
	assert_true(f.sched_switch && f.sched_waking && f.task_storage && f.task_iter);
	if (major > 5 || (major == 5 && minor >= 18))
		assert_true(f.prev_state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_is_the_last_argument_or_not_told),
		cmocka_unit_test(other_features),
		cmocka_unit_test(odd_types),
		cmocka_unit_test(this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
