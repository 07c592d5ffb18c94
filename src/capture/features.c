/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * features.c - looks for features in vmlinux BTF, and applies SBERF_WITHOUT.
 *
 * Each tracepoint that typed BPF programs can attach to has a typedef btf_trace_NAME: a pointer to
 * a function whose first argument is void * and whose others are those of TRACE_EVENT
 * (include/trace/bpf_probe.h). sched_switch had preempt, prev and next. prev_state came in 5.18:
 * for a few release candidates as the second argument, then as the last, so that older programs
 * went on working (commits fa2c3254d7cf, 9c2136be0878). So five arguments, counting the first, mean
 * that prev_state is the last one.
 */
#include "config.h"

#include "capture/features.h"

#include "base/text.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SWITCH_ARGS_WITH_STATE 5
#define RSS_ARGS 3                       /* void *, the memory, and which counter */
#define LOCK_ARGS 3                      /* void *, the memory, and whether to write */
#define WITHOUT "SBERF_WITHOUT"
#define ALL "all"

const struct feature_info feature_infos[] = {
#define X(name, since, use, without) { #name, since, use, without, offsetof(struct features, name) },
	FEATURES(X)
#undef X
};

const size_t nr_feature_infos = sizeof(feature_infos) / sizeof(feature_infos[0]);

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

/* Before, a third argument was made for it with some effort, for each page fault too: the path of a cgroup. */
static bool lock_told_cheaply(const struct btf *btf)
{
	const struct btf_type *fn = pointed_function(btf, "btf_trace_mmap_lock_released");

	return fn && btf_vlen(fn) == LOCK_ARGS;
}

/* Before, the sum was a third argument. */
static bool rss_in_parts(const struct btf *btf)
{
	const struct btf_type *fn = pointed_function(btf, "btf_trace_rss_stat");

	return fn && btf_vlen(fn) == RSS_ARGS;
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

static bool struct_has(const struct btf *btf, const char *name, const char *member)
{
	const int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	for (unsigned int i = 0; t && i < btf_vlen(t); i++) {
		const char *text = btf__name_by_offset(btf, btf_members(t)[i].name_off);

		if (text && !strcmp(text, member))
			return true;
	}
	return false;
}

static bool btf_has(const struct btf *btf, const char *name, uint32_t kind)
{
	return btf__find_by_name_kind(btf, name, kind) > 0;
}

void features_of(const struct btf *btf, struct features *ret)
{
	*ret = (struct features){
		.pt_regs = !btf_has(btf, "bpf_func_id", BTF_KIND_ENUM) ||
			enum_has(btf, "bpf_func_id", "BPF_FUNC_task_pt_regs"),
		.sched_switch = pointed_function(btf, "btf_trace_sched_switch"),
		.sched_waking = pointed_function(btf, "btf_trace_sched_waking"),
		.prev_state = switch_tells_state(btf),
		.task_storage = enum_has(btf, "bpf_map_type", "BPF_MAP_TYPE_TASK_STORAGE"),
		.task_iter = btf_has(btf, "bpf_iter__task", BTF_KIND_STRUCT),
		.balancing = btf_has(btf, "mpol_misplaced", BTF_KIND_FUNC),
		.rss_stat = pointed_function(btf, "btf_trace_rss_stat"),
		.rss_parts = rss_in_parts(btf),
		.run_stats = true,
		.mmap_lock = lock_told_cheaply(btf),
		/* bpf_adopt.c tries */
		.map_entries = true,
		.contention = pointed_function(btf, "btf_trace_contention_begin") &&
			      pointed_function(btf, "btf_trace_contention_end"),
		.exit_code = struct_has(btf, "pidfd_info", "exit_code"),
		.throttled_tasks = struct_has(btf, "task_struct", "throttled"),
		.plain_reads = btf_has(btf, "bpf_rdonly_cast", BTF_KIND_FUNC),
		.loops = enum_has(btf, "bpf_func_id", "BPF_FUNC_loop"),
		.find_vma = enum_has(btf, "bpf_func_id", "BPF_FUNC_find_vma"),
		/* since 6.6; link.c tries whether it is right */
		.uprobe_multi = enum_has(btf, "bpf_attach_type", "BPF_TRACE_UPROBE_MULTI"),
		/* since 5.18; tracelink.c tries, as it takes CONFIG_FPROBE, too */
		.kprobe_multi = enum_has(btf, "bpf_attach_type", "BPF_TRACE_KPROBE_MULTI"),
		/* the kernel can have this and not that; tracelink.c tries */
		.trace_cookies = true,
		.true_returns = struct_has(btf, "return_instance", "orig_ret_vaddr") &&
			struct_has(btf, "uprobe_task", "return_instances") && struct_has(btf, "xol_area", "vaddr"),
		.walks = true,
	};
}

static void take_out(struct features *f, const struct feature_info *i)
{
	*(bool *)((char *)f + i->at) = false;
}

/* False when no feature has the name of N bytes. */
static bool force_off(struct features *f, const char *name, size_t n)
{
	const bool all = n == strlen(ALL) && !memcmp(name, ALL, n);
	bool found = all;

	for (size_t i = 0; i < nr_feature_infos; i++) {
		const struct feature_info *info = &feature_infos[i];

		if (all ? info->use == FEATURE_SPARED : strlen(info->name) == n && !memcmp(info->name, name, n)) {
			take_out(f, info);
			found = true;
		}
	}
	return found;
}

int features_force_off(struct features *f, const char *list, struct err *e)
{
	struct features left = *f;

	for (const char *name = list; *name;) {
		const size_t n = strcspn(name, ",");

		if (n && !force_off(&left, name, n))
			return err_set(e, EINVAL, WITHOUT
				       " names '%.*s', which is no feature of kernels that sberf knows: see "
				       "docs/kernels.md", (int)(n < ERR_TEXT_MAX ? n : ERR_TEXT_MAX), name);
		name += n + (name[n] == ',');
	}
	*f = left;
	return 0;
}

bool features_allow(const char *name)
{
	const char *list = getenv(WITHOUT);
	struct features f;

	memset(&f, true, sizeof(f));
	if (list && features_force_off(&f, list, NULL))
		return true;
	for (size_t i = 0; i < nr_feature_infos; i++)
		if (!strcmp(feature_infos[i].name, name))
			return feature_has(&f, &feature_infos[i]);
	return true;
}

static struct features of_running_kernel;

static void ask_running_kernel(void)
{
	const libbpf_print_fn_t print = libbpf_set_print(NULL);  /* there may be none: nothing to complain about */
	struct btf *btf = btf__load_vmlinux_btf();

	libbpf_set_print(print);
	if (btf)
		features_of(btf, &of_running_kernel);
	/* Where nothing balances there is nothing to be told apart. */
	if (btf && access("/proc/sys/kernel/numa_balancing", F_OK))
		of_running_kernel.balancing = true;
	btf__free(btf);
}

int features_read(struct features *ret, struct err *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const char *list = getenv(WITHOUT);
	struct features f;
	int r;

	pthread_once(&once, ask_running_kernel);
	f = of_running_kernel;
	r = list ? features_force_off(&f, list, e) : 0;
	if (!r)
		*ret = f;
	return r;
}

int features_check(const struct features *f, bool off_cpu, const char *release, struct err *e)
{
	static const struct features none;

	if (!memcmp(f, &none, sizeof(none)))
		return 0;        /* no BTF: loading says so */
	for (size_t i = 0; i < nr_feature_infos; i++) {
		const struct feature_info *info = &feature_infos[i];

		if (feature_has(f, info))
			continue;
		if (info->use == FEATURE_NEEDED)
			return err_set(e, ENOTSUP,
				       "kernel %s is too old: %s in it; %s or later is needed (see: uname -r)", release,
				       info->without, info->since);
		if (info->use == FEATURE_WAITS && off_cpu)
			return err_set(e, ENOTSUP, "waits cannot be followed on kernel %s, where %s (%s, Linux %s): "
				       "use --no-off-cpu", release, info->without, info->name, info->since);
	}
	return 0;
}

void features_missing(const struct features *f, char *dst, size_t size)
{
	size_t n = 0;

	snprintf(dst, size, "none");
	for (size_t i = 0; i < nr_feature_infos; i++)
		if (feature_infos[i].use == FEATURE_SPARED && !feature_has(f, &feature_infos[i]))
			n += text_format(dst + n, size - n, "%s%s", n ? "," : "", feature_infos[i].name);
}
