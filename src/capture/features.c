/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * features.c - questions to vmlinux BTF.
 *
 * A tracepoint that BPF programs can be attached to with types has a typedef, btf_trace_NAME, for a pointer to a function whose
 * first argument is void *, the others those of TRACE_EVENT (include/trace/bpf_probe.h). sched_switch has had preempt, prev and
 * next; prev_state came in 5.18, for a few release candidates as the second, then as the last one, so that programs which did
 * not know it kept working (commits fa2c3254d7cf, 9c2136be0878). So five with the first mean that it is the last.
 */
#include "config.h"

#include "capture/features.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <string.h>

#define SWITCH_ARGS_WITH_STATE 5

/* The function that the typedef NAME points to; NULL when it does not. */
static const struct btf_type *pointed_function(const struct btf *btf, const char *name)
{
	const int id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	t = t && btf_is_ptr(t) ? btf__type_by_id(btf, t->type) : NULL;
	return t && btf_is_func_proto(t) ? t : NULL;
}

/* The third argument is the task that leaves, unless the order is that of the release candidates. */
static bool switch_tells_state(const struct btf *btf)
{
	const struct btf_type *fn = pointed_function(btf, "btf_trace_sched_switch"), *prev;

	if (!fn || btf_vlen(fn) != SWITCH_ARGS_WITH_STATE)
		return false;
	prev = btf__type_by_id(btf, btf_params(fn)[2].type);
	return prev && btf_is_ptr(prev);
}

static bool enum_has(const struct btf *btf, const char *name, const char *value)
{
	const int id = btf__find_by_name_kind(btf, name, BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	for (unsigned int i = 0; t && i < btf_vlen(t); i++) {
		const char *text = btf__name_by_offset(btf, btf_enum(t)[i].name_off);

		if (text && !strcmp(text, value))
			return true;
	}
	return false;
}

void features_of(const struct btf *btf, struct features *ret)
{
	*ret = (struct features){
		.sched_switch = pointed_function(btf, "btf_trace_sched_switch"),
		.sched_waking = pointed_function(btf, "btf_trace_sched_waking"),
		.prev_state = switch_tells_state(btf),
		.task_storage = enum_has(btf, "bpf_map_type", "BPF_MAP_TYPE_TASK_STORAGE"),
		.task_iter = btf__find_by_name_kind(btf, "bpf_iter__task", BTF_KIND_STRUCT) > 0,
	};
}

void features_read(struct features *ret)
{
	const libbpf_print_fn_t print = libbpf_set_print(NULL);  /* there may be none: nothing to complain about */
	struct btf *btf = btf__load_vmlinux_btf();

	libbpf_set_print(print);
	*ret = (struct features){ 0 };
	if (btf)
		features_of(btf, ret);
	btf__free(btf);
}

bool features_prev_state(void)
{
	struct features f;

	features_read(&f);
	return f.prev_state;
}
