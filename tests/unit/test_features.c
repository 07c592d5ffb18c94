/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_features.c - the running kernel, type information made by hand after kernels that cannot be
 * had here, and whether the programs use what not every kernel has and no row of the table is
 * about.
 */
#include "config.h"

#include "bpf/wire.h"
#include "bpf/sberf.skel.h"
#include "bpf/sberf_plain.skel.h"
#include "capture/features.h"
#include "capture/percpu.h"
#include "tests/unit/cmocka_all.h"

#include <bpf/btf.h>
#include <errno.h>
#include <gelf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	static const enum arg args[] = { CTX, BOOL, TASK, TASK }, one[] = { CTX };
	int ids[TASK + 1];
	struct btf *btf = make(args, 4);
	struct features f;

	features_of(btf, &f);
	assert_false(f.balancing || f.exit_code || f.mmap_lock || f.plain_reads || f.loops || f.find_vma ||
		     f.uprobe_multi);
	assert_int_equal(btf__add_enum_value(btf, "BPF_MAP_TYPE_TASK_STORAGE", 29), 0);
	assert_true(btf__add_enum(btf, "bpf_func_id", 4) > 0);
	assert_int_equal(btf__add_enum_value(btf, "BPF_FUNC_task_pt_regs", 175), 0);
	features_of(btf, &f);
	assert_true(f.pt_regs);
	assert_false(f.loops);
	assert_int_equal(btf__add_enum_value(btf, "BPF_FUNC_loop", 181), 0);
	assert_int_equal(btf__add_enum_value(btf, "BPF_FUNC_find_vma", 180), 0);
	assert_true(btf__add_struct(btf, "bpf_iter__task", 24) > 0);
	/* Since 6.13, but without this member until 6.15. */
	assert_true(btf__add_struct(btf, "pidfd_info", 64) > 0);
	assert_int_equal(btf__add_field(btf, "mask", 1, 0, 0), 0);
	features_of(btf, &f);
	assert_false(f.exit_code);
	assert_int_equal(btf__add_field(btf, "exit_code", 1, 480, 0), 0);
	assert_true(btf__add_struct(btf, "return_instance", 64) > 0);
	assert_int_equal(btf__add_field(btf, "orig_ret_vaddr", 1, 0, 0), 0);
	assert_true(btf__add_struct(btf, "uprobe_task", 64) > 0);
	assert_int_equal(btf__add_field(btf, "return_instances", 1, 0, 0), 0);
	features_of(btf, &f);
	assert_false(f.true_returns);
	assert_true(btf__add_struct(btf, "xol_area", 64) > 0);
	assert_int_equal(btf__add_field(btf, "vaddr", 1, 0, 0), 0);
	assert_true(btf__add_func(btf, "mpol_misplaced", BTF_FUNC_STATIC, 1) > 0);
	assert_true(btf__add_func(btf, "bpf_rdonly_cast", BTF_FUNC_STATIC, 1) > 0);
	assert_true(btf__add_enum(btf, "bpf_attach_type", 4) > 0);
	assert_int_equal(btf__add_enum_value(btf, "BPF_TRACE_UPROBE_MULTI", 48), 0);
	features_of(btf, &f);
	assert_true(f.uprobe_multi);
	assert_true(f.plain_reads);
	assert_true(f.true_returns);
	assert_true(f.loops);
	assert_true(f.find_vma);
	assert_true(f.task_storage);
	assert_true(f.task_iter);
	assert_true(f.exit_code);
	assert_true(f.balancing);
	assert_false(f.contention);
	ids[CTX] = btf__add_ptr(btf, 0);
	add_tracepoint(btf, "btf_trace_contention_begin", one, 1, ids);
	add_tracepoint(btf, "btf_trace_contention_end", one, 1, ids);
	features_of(btf, &f);
	assert_true(f.contention);
	btf__free(btf);
}

/* The path of a cgroup, which took time to make, was the second argument until 6.13. */
static void the_lock_is_told_cheaply_or_not(void **state)
{
	static const enum arg args[] = { CTX, BOOL, TASK, TASK }, path[] = { CTX, TASK, CTX, BOOL },
		cheap[] = { CTX, TASK, BOOL };
	struct features f;

	for (int i = 0; i < 2; i++) {
		struct btf *btf = make(args, 4);
		int ids[TASK + 1];

		ids[CTX] = btf__add_ptr(btf, 0);
		ids[BOOL] = btf__add_int(btf, "bool", 1, BTF_INT_BOOL);
		ids[TASK] = btf__add_ptr(btf, 0);
		add_tracepoint(btf, "btf_trace_mmap_lock_released", i ? cheap : path, i ? 3 : 4, ids);
		features_of(btf, &f);
		assert_int_equal(f.mmap_lock, i);
		btf__free(btf);
	}
}

static void threads_say_that_they_are_throttled(void **state)
{
	struct btf *btf = btf__new_empty();
	struct features f;

	assert_non_null(btf);
	assert_true(btf__add_struct(btf, "task_struct", 9000) > 0);
	assert_int_equal(btf__add_field(btf, "sched_throttle_work", 0, 0, 0), 0);
	features_of(btf, &f);
	assert_false(f.throttled_tasks);
	assert_int_equal(btf__add_field(btf, "throttled", 0, 128, 0), 0);
	features_of(btf, &f);
	assert_true(f.throttled_tasks);
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
	assert_false(f.sched_switch || f.sched_waking || f.prev_state || f.task_storage || f.task_iter || f.balancing ||
		     f.exit_code || f.mmap_lock);
	id = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	assert_true(btf__add_typedef(btf, "btf_trace_sched_switch", id) > 0);
	id = btf__add_ptr(btf, id);
	assert_true(btf__add_typedef(btf, "btf_trace_sched_waking", id) > 0);
	features_of(btf, &f);
	assert_false(f.sched_switch || f.sched_waking || f.prev_state);
	btf__free(btf);
}

/* Where the number of a CPU is depends on the kernel: a variable of its own, or deep in one, or unknown. */
static void variables_of_a_cpu(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < 3; kind++) {
		struct btf *btf = btf__new_empty();
		const int number = btf__add_int(btf, "int", 4, 0);
		const int deep = btf__add_struct(btf, "", 16);
		int hot, queue, off, var = 0;
		int64_t at_off, at_number;

		assert_int_equal(btf__add_field(btf, "cpu_number", number, 12 * 8, 0), 0);
		hot = btf__add_struct(btf, "pcpu_hot", 64);
		assert_int_equal(btf__add_field(btf, "", deep, 16 * 8, 0), 0);
		queue = btf__add_var(btf, "runqueues", BTF_VAR_GLOBAL_ALLOCATED, number);
		off = btf__add_var(btf, "this_cpu_off", BTF_VAR_GLOBAL_ALLOCATED, number);
		if (kind < 2)
			var = btf__add_var(btf, kind ? "pcpu_hot" : "cpu_number", BTF_VAR_GLOBAL_ALLOCATED,
					   kind ? hot : number);
		assert_true(btf__add_datasec(btf, ".data..percpu", 4096) > 0);
		assert_int_equal(btf__add_datasec_var_info(btf, off, 100, 8), 0);
		assert_int_equal(btf__add_datasec_var_info(btf, queue, 1000, 64), 0);
		if (var)
			assert_int_equal(btf__add_datasec_var_info(btf, var, 2000, 64), 0);
		percpu_distances_of(btf, &at_off, &at_number);
		assert_int_equal(at_off, kind < 2 ? -900 : 0);
		assert_int_equal(at_number, kind == 0 ? 1000 : kind == 1 ? 1028 : 0);
		btf__free(btf);
	}
}

/* The kernels that sberf runs on have it all but the state, and that from 5.18 on. */
static void this_kernel(void **state)
{
	unsigned int major, minor;
	struct features f;
	struct utsname u;

	assert_int_equal(features_read(&f, NULL), 0);
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

static struct features everything(void)
{
	struct features f;

	memset(&f, true, sizeof(f));
	return f;
}

static void features_are_forced_off(void **state)
{
	struct features f = everything();
	struct err e = ERR_INIT;
	char names[128];

	features_missing(&f, names, sizeof(names));
	assert_string_equal(names, "none");
	assert_int_equal(features_force_off(&f, "", &e), 0);
	assert_int_equal(features_force_off(&f, "exit_code,,prev_state,", &e), 0);
	features_missing(&f, names, sizeof(names));
	assert_string_equal(names, "prev_state,exit_code");
	features_missing(&f, names, 8);
	assert_string_equal(names, "prev_st");

	/* What is needed is not among all that sberf does without. */
	assert_int_equal(features_force_off(&f, "all", &e), 0);
	assert_true(f.pt_regs && f.sched_switch && f.sched_waking && f.task_storage && f.task_iter);
	for (size_t i = 0; i < nr_feature_infos; i++)
		assert_int_equal(feature_has(&f, &feature_infos[i]), feature_infos[i].use != FEATURE_SPARED);

	/* All or nothing. */
	f = everything();
	assert_int_equal(features_force_off(&f, "prev_state,prev", &e), -EINVAL);
	assert_non_null(strstr(e.text, "'prev'"));
	assert_true(f.prev_state);
}

static void the_environment_forces_them_off(void **state)
{
	struct features f;

	assert_int_equal(setenv("SBERF_WITHOUT", "prev_state", 1), 0);
	assert_false(features_allow("prev_state"));
	assert_true(features_allow("exit_code"));
	assert_int_equal(features_read(&f, NULL), 0);
	assert_false(f.prev_state);
	assert_int_equal(setenv("SBERF_WITHOUT", "something", 1), 0);
	assert_true(features_allow("prev_state"));
	assert_int_equal(features_read(&f, NULL), -EINVAL);
	assert_int_equal(unsetenv("SBERF_WITHOUT"), 0);
}

/* Each by itself is named, with the way out. */
static void waits_need_some(void **state)
{
	struct features f = everything(), nothing = { 0 };
	struct err e = ERR_INIT;

	assert_int_equal(features_check(&f, true, "5.15.0", &e), 0);
	/* no BTF: loading has a better sentence */
	assert_int_equal(features_check(&nothing, true, "5.15.0", &e), 0);
	for (size_t i = 0; i < nr_feature_infos; i++) {
		f = everything();
		assert_int_equal(features_force_off(&f, feature_infos[i].name, &e), 0);
		if (feature_infos[i].use == FEATURE_NEEDED)
			continue;
		assert_int_equal(features_check(&f, false, "5.15.0", &e), 0);
		if (feature_infos[i].use == FEATURE_SPARED) {
			assert_int_equal(features_check(&f, true, "5.15.0", &e), 0);
			continue;
		}
		assert_int_equal(features_check(&f, true, "5.15.0", &e), -ENOTSUP);
		assert_non_null(strstr(e.text, "kernel 5.15.0"));
		assert_non_null(strstr(e.text, feature_infos[i].name));
		assert_non_null(strstr(e.text, "use --no-off-cpu"));
	}
}

/* What Linux 5.10 lacks, as its type information says: it is said that the kernel is too old, whatever is asked for. */
static void kernels_may_be_too_old(void **state)
{
	static const enum arg args[] = { CTX, BOOL, TASK, TASK };
	struct btf *btf = make(args, 4);
	struct err e = ERR_INIT;
	struct features f;

	assert_true(btf__add_enum(btf, "bpf_func_id", 4) > 0);
	assert_int_equal(btf__add_enum_value(btf, "BPF_FUNC_get_current_task_btf", 158), 0);
	features_of(btf, &f);
	assert_false(f.pt_regs || f.task_storage);
	assert_int_equal(features_check(&f, true, "5.10.0", &e), -ENOTSUP);
	assert_string_equal(e.text, "kernel 5.10.0 is too old: BPF programs cannot read user registers in it; 5.15 or "
			    "later is needed "
			    "(see: uname -r)");
	assert_int_equal(features_check(&f, false, "5.10.0", &e), -ENOTSUP);
	assert_int_equal(btf__add_enum_value(btf, "BPF_FUNC_task_pt_regs", 175), 0);
	features_of(btf, &f);
	assert_true(f.pt_regs);
	assert_int_equal(features_check(&f, false, "5.10.0", &e), 0);
	btf__free(btf);
}

/*
 * What Linux 5.15 had last of each kind (include/uapi/linux/bpf.h): numbers are given in order, so
 * a greater one is newer. The instructions are those of -mcpu=v3.
 */
#define NEWEST_HELPER 175                /* bpf_task_pt_regs() */
#define NEWEST_MAP BPF_MAP_TYPE_TASK_STORAGE
#define NEWEST_FLAG (1u << 12)           /* BPF_F_INNER_MAP */
#define NEWEST_PROGRAM BPF_PROG_TYPE_SYSCALL
#define NEWEST_ATTACH BPF_PERF_EVENT

/* Sign extension (6.6), a long jump (6.6), and atomic loads and stores (6.15). */
static bool is_newer(const struct bpf_insn *in)
{
	const uint8_t class = BPF_CLASS(in->code), op = BPF_OP(in->code);

	switch (class) {
	case BPF_ALU:
	case BPF_ALU64:
		return (op == BPF_END && class == BPF_ALU64) ||
			((op == BPF_MOV || op == BPF_DIV || op == BPF_MOD) && in->off);
	case BPF_JMP32:
		return op == BPF_JA;
	case BPF_LDX:
		return BPF_MODE(in->code) != BPF_MEM;
	case BPF_STX:
		return BPF_MODE(in->code) != BPF_MEM && in->imm >= 0x100;
	default:
		return false;
	}
}

static size_t look_at(const struct bpf_insn *in, size_t n)
{
	size_t calls = 0;

	for (size_t i = 0; i < n; i++) {
		if (in[i].code == (BPF_LD | BPF_DW | BPF_IMM)) {
			i++;     /* the other half of the constant */
			continue;
		}
		if (is_newer(&in[i]))
			fail_msg("instruction %zu (code %#x) is newer than Linux 5.15", i, in[i].code);
		if (in[i].code != (BPF_JMP | BPF_CALL) || in[i].src_reg == BPF_PSEUDO_CALL)
			continue;
		calls++;
		if (in[i].src_reg)
			fail_msg("instruction %zu calls a function of the kernel, which Linux 5.15 does not allow", i);
		/*
		 * bpf_loop() is called only where `loops` says that it is there, and bpf_find_vma() where
		 * `find_vma` does: the verifier does not look at code that cannot be reached.
		 */
		if (in[i].imm > NEWEST_HELPER && in[i].imm != BPF_FUNC_loop && in[i].imm != BPF_FUNC_find_vma)
			fail_msg("the BPF helper %d is newer than Linux 5.15 (see src/capture/features.h)", in[i].imm);
	}
	return calls;
}

/* The code of all sections: that of functions which programs share is in one of its own. */
static void programs_use_what_every_kernel_has(void **state)
{
	size_t size, calls = 0;
	const void *bytes = sberf_bpf__elf_bytes(&size);
	Elf_Scn *scn = NULL;
	Elf *elf;

	assert_int_not_equal(elf_version(EV_CURRENT), EV_NONE);
	elf = elf_memory((char *)(uintptr_t)bytes, size);
	assert_non_null(elf);
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr h;
		const Elf_Data *data = elf_rawdata(scn, NULL);

		if (gelf_getshdr(scn, &h) && h.sh_type == SHT_PROGBITS && h.sh_flags & SHF_EXECINSTR && data)
			calls += look_at(data->d_buf, data->d_size / sizeof(struct bpf_insn));
	}
	assert_true(calls > 50);
	elf_end(elf);
}

static void maps_are_what_every_kernel_has(void **state)
{
	struct sberf_bpf *s = sberf_bpf__open();
	struct bpf_program *p;
	const struct bpf_map *m;

	assert_non_null(s);
	bpf_object__for_each_map(m, s->obj) {
		assert_true(bpf_map__type(m) <= NEWEST_MAP);
		assert_true(bpf_map__map_flags(m) < 2 * NEWEST_FLAG);
	}
	bpf_object__for_each_program(p, s->obj) {
		assert_true(bpf_program__type(p) <= NEWEST_PROGRAM);
		assert_true(bpf_program__expected_attach_type(p) <= NEWEST_ATTACH);
	}
	/* Variables and functions of the kernel. */
	assert_true(btf__find_by_name_kind(bpf_object__btf(s->obj), ".ksyms", BTF_KIND_DATASEC) < 0);
	sberf_bpf__destroy(s);
}

/*
 * The other object: what it has more is what stands in src/capture/features.h. Maps, programs and
 * variables are the same.
 */
static void the_other_object_has_one_function_more(void **state)
{
	struct sberf_plain_bpf *plain = sberf_plain_bpf__open();
	struct sberf_bpf *s = sberf_bpf__open();
	size_t size, undefined = 0;
	const void *bytes = sberf_plain_bpf__elf_bytes(&size);
	Elf_Scn *scn = NULL;
	GElf_Sym sym;
	GElf_Shdr h;
	Elf *elf;

	assert_non_null(s);
	assert_non_null(plain);
	assert_int_equal(s->skeleton->map_cnt, plain->skeleton->map_cnt);
	assert_int_equal(s->skeleton->prog_cnt, plain->skeleton->prog_cnt);
	assert_int_equal(sizeof(*s->rodata), sizeof(*plain->rodata));
	assert_int_equal(sizeof(*s->bss), sizeof(*plain->bss));
	assert_int_not_equal(elf_version(EV_CURRENT), EV_NONE);
	elf = elf_memory((char *)(uintptr_t)bytes, size);
	assert_non_null(elf);
	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data = elf_getdata(scn, NULL);

		if (!gelf_getshdr(scn, &h) || h.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 1; gelf_getsym(data, i, &sym); i++) {
			if (sym.st_shndx != SHN_UNDEF)
				continue;
			undefined++;
			assert_string_equal(elf_strptr(elf, h.sh_link, sym.st_name), "bpf_rdonly_cast");
		}
	}
	assert_int_equal(undefined, 1);
	elf_end(elf);
	sberf_bpf__destroy(s);
	sberf_plain_bpf__destroy(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_is_the_last_argument_or_not_told),
		cmocka_unit_test(other_features),
		cmocka_unit_test(the_lock_is_told_cheaply_or_not),
		cmocka_unit_test(threads_say_that_they_are_throttled),
		cmocka_unit_test(odd_types),
		cmocka_unit_test(variables_of_a_cpu),
		cmocka_unit_test(this_kernel),
		cmocka_unit_test(features_are_forced_off),
		cmocka_unit_test(the_environment_forces_them_off),
		cmocka_unit_test(waits_need_some),
		cmocka_unit_test(kernels_may_be_too_old),
		cmocka_unit_test(programs_use_what_every_kernel_has),
		cmocka_unit_test(maps_are_what_every_kernel_has),
		cmocka_unit_test(the_other_object_has_one_function_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
