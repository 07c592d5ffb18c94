/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_branch_entries.c - branch records of a CPU against stored ones: arrays of struct perf_branch_entry made by hand,
 * with an excerpt of kallsyms, as processors of 8, 16 and 32 entries have them; word by word.
 */
#include "config.h"

#include "branch/entries.h"
#include "branch/sums.h"
#include "symbol/kernel.h"
#include "system/bpfcode.h"

#include "tests/unit/cmocka_all.h"

#include <bpf/btf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VFS_READ 0xffffffff81300000ull
#define ACCESS_OK 0xffffffff81300200ull
#define KSYS_READ 0xffffffff81300400ull
#define PROG_ENTER 0xffffffff81400000ull
#define SNAPSHOT 0xffffffff81400100ull
#define RCU_LOCK 0xffffffff81400200ull
#define MODULE 0xffffffffc0100000ull
#define TRAMPOLINE 0xffffffffc0200000ull
#define OWN_PROG 0xffffffffc0201000ull

static const char kallsyms[] =
	"ffffffff81300000 T vfs_read\n"
	"ffffffff81300200 t access_ok\n"
	"ffffffff81300400 T ksys_read\n"
	"ffffffff81300500 T ksys_write\n"
	"ffffffff81400000 T __bpf_prog_enter_recur\n"
	"ffffffff81400100 T bpf_get_branch_snapshot\n"
	"ffffffff81400200 T __rcu_read_lock\n"
	"ffffffff81400300 T behind\n"
	"ffffffffc0100000 t nft_do_chain\t[nf_tables]\n"
	"ffffffffc0100800 t nft_end\t[nf_tables]\n"
	"ffffffffc0200000 t bpf_trampoline_6442533\t[bpf]\n"
	"ffffffffc0201000 t bpf_prog_0123456789abcdef_sb_branches\t[bpf]\n"
	"ffffffffc0202000 t bpf_prog_fedcba9876543210_drop\t[bpf]\n"
	"ffffffffc0203000 t bpf_end\t[bpf]\n";

static bool find(void *ctx, uint64_t address, struct branch_symbol *ret)
{
	struct ksym s;

	if (!ksyms_find(ctx, address, &s))
		return false;
	*ret = (struct branch_symbol){ s.name, s.start, s.size };
	return true;
}

static struct branch_symbols symbols = { .find = find };

static int setup(void **state)
{
	struct ksyms *k;

	(void)state;
	assert_int_equal(ksyms_parse(kallsyms, strlen(kallsyms), &k, NULL), 0);
	symbols.ctx = k;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ksyms_free(symbols.ctx);
	return 0;
}

static void name(void *ctx, uint32_t space, uint64_t address, struct branch_place *ret)
{
	(void)ctx;
	assert_int_equal(space, BRANCH_KERNEL);
	branch_records_place(&symbols, address, ret);
}

/* The N ENTRIES by RULES as text; FIGURES of them. */
static char *read_entries(const struct perf_branch_entry *entries, size_t n, const struct branch_records_rules *rules,
			  struct branch_records_figures *figures)
{
	struct branch_records_rules r = *rules;
	struct branch_call call = { .comm = "cat" };
	char *text;
	size_t len;
	struct branch_show show = { .out = open_memstream(&text, &len), .name = name };

	r.symbols = &symbols;
	*figures = (struct branch_records_figures){ 0 };
	assert_int_equal(branch_records_read(entries, n * sizeof(*entries), &r, &call.branch, figures, NULL), 0);
	assert_true(branch_show_call(&show, &call, &(struct branch_call_text){
		.function = "f", .args = "", .result = "" }));
	fclose(show.out);
	vec_free(&call.branch);
	memmove(text, strchr(text, '\n') + 1, strlen(strchr(text, '\n')));
	return text;
}

/* Newest first. What takes them, and the way of vfs_read() from its call to its return. */
#define OWN_ENTRIES                                                                  \
	{ .from = SNAPSHOT + 0x10, .to = RCU_LOCK }, { .from = OWN_PROG + 0x20, .to = SNAPSHOT }, \
	{ .from = RCU_LOCK + 0x10, .to = PROG_ENTER + 0x20 }, { .from = PROG_ENTER + 0x18, .to = RCU_LOCK }, \
	{ .from = TRAMPOLINE + 0x60, .to = PROG_ENTER }
#define CALL_ENTRIES                                                                 \
	{ .from = VFS_READ + 0x90, .to = TRAMPOLINE + 0x50, .type = PERF_BR_RET, .cycles = 7 }, \
	{ .from = VFS_READ + 0x40, .to = VFS_READ + 0x80, .mispred = 1, .type = PERF_BR_COND, .cycles = 12 }, \
	{ .from = ACCESS_OK + 0x20, .to = VFS_READ + 0x30, .predicted = 1, .type = PERF_BR_RET }, \
	{ .from = VFS_READ + 0x2b, .to = ACCESS_OK, .type = PERF_BR_CALL }, \
	{ .from = TRAMPOLINE + 0x40, .to = VFS_READ + 5 }, { .from = VFS_READ, .to = TRAMPOLINE }, \
	{ .from = KSYS_READ + 0x50, .to = VFS_READ, .type = PERF_BR_CALL }

static const struct branch_records_rules call_of_vfs_read = { .function = "vfs_read", .all = true };

static void own_entries_are_left_out_by_name(void **state)
{
	static const struct perf_branch_entry entries[16] = {
		OWN_ENTRIES, CALL_ENTRIES, { .from = KSYS_READ + 0x10, .to = KSYS_READ + 0x40 },
	};
	struct branch_records_figures f;
	char *text = read_entries(entries, 16, &call_of_vfs_read, &f);

	assert_string_equal(text,
			    "  ksys_read+0x50 -> vfs_read+0x0  [call]\n"
			    "  vfs_read+0x0 -> bpf_trampoline_6442533 [bpf]+0x0\n"
			    "  vfs_read+0x2b -> access_ok+0x0  [call]\n"
			    "  access_ok+0x20 -> vfs_read+0x30  [ret]\n"
			    "  vfs_read+0x40 -> vfs_read+0x80  [mispredicted, 12 cycles, cond]\n"
			    "  vfs_read+0x90 -> bpf_trampoline_6442533 [bpf]+0x50  [7 cycles, ret]\n");
	free(text);
	assert_int_equal(f.entries, 16);
	assert_int_equal(f.unused, 3);
	assert_int_equal(f.own, 6);
	assert_int_equal(f.before, 1);
	assert_int_equal(f.kept, 6);
	assert_int_equal(f.gaps, 0);
	assert_true(f.begun);
}

static void small_processors_lose_the_begin(void **state)
{
	static const struct perf_branch_entry entries[8] = {
		OWN_ENTRIES, { .from = VFS_READ + 0x90, .to = TRAMPOLINE + 0x50 },
		{ .from = VFS_READ + 0x40, .to = VFS_READ + 0x80 }, { .from = ACCESS_OK + 0x20, .to = VFS_READ + 0x30 },
	};
	struct branch_records_figures f;
	char *text = read_entries(entries, 8, &call_of_vfs_read, &f);

	assert_string_equal(text,
			    "  access_ok+0x20 -> vfs_read+0x30\n"
			    "  vfs_read+0x40 -> vfs_read+0x80\n"
			    "  vfs_read+0x90 -> bpf_trampoline_6442533 [bpf]+0x50\n");
	free(text);
	assert_int_equal(f.own, 5);
	assert_int_equal(f.before, 0);
	assert_false(f.begun);
}

static void gaps_and_modules_that_are_gone(void **state)
{
	static const struct perf_branch_entry entries[32] = {
		{ .from = VFS_READ + 0x90, .to = KSYS_READ + 0x55 },
		/* backwards: something took the records */
		{ .from = VFS_READ + 0x10, .to = VFS_READ + 0x80 },
		/* of a module that was unloaded: what it was is not known, and that code goes on there */
		{ .from = 0xffffffffc0900020, .to = VFS_READ + 0x60 },
		{ .from = VFS_READ + 0x58, .to = 0xffffffffc0900000 },
		{ .from = MODULE + 0x40, .to = VFS_READ + 0x50 },
		{ .from = VFS_READ + 0x8, .to = MODULE, .in_tx = 1, .abort = 1 },
		{ .from = KSYS_READ + 0x50, .to = VFS_READ },
	};
	struct branch_records_figures f;
	char *text = read_entries(entries, 32, &(struct branch_records_rules){ .all = true }, &f);

	assert_string_equal(text,
			    "  ksys_read+0x50 -> vfs_read+0x0\n"
			    "  vfs_read+0x8 -> nft_do_chain [nf_tables]+0x0  [in a transaction, abort]\n"
			    "  nft_do_chain [nf_tables]+0x40 -> vfs_read+0x50\n"
			    "  vfs_read+0x58 -> 0xffffffffc0900000\n"
			    "  0xffffffffc0900020 -> vfs_read+0x60\n"
			    "  ... what was between is not known\n"
			    "  vfs_read+0x10 -> vfs_read+0x80\n"
			    "  vfs_read+0x90 -> ksys_read+0x55\n");
	free(text);
	assert_int_equal(f.gaps, 1);
	assert_int_equal(f.unnamed, 2);
	assert_int_equal(f.unused, 25);
	/* Where not all branches are recorded nothing is known of gaps. */
	free(read_entries(entries, 32, &(struct branch_records_rules){ .all = false }, &f));
	assert_int_equal(f.gaps, 0);
}

static void kinds_are_told_apart(void **state)
{
	static const struct perf_branch_entry entries[] = { CALL_ENTRIES };
	struct branch_records_figures f;
	const struct branch_records_rules calls = { .kinds = RECORDS_CALLS, .all = true };
	const struct branch_records_rules returns = { .kinds = RECORDS_RETURNS, .function = "vfs_read" };
	char *text = read_entries(entries, 7, &calls, &f);

	assert_string_equal(text, "  ksys_read+0x50 -> vfs_read+0x0  [call]\n"
			    "  vfs_read+0x2b -> access_ok+0x0  [call]\n");
	free(text);
	assert_int_equal(f.own, 3);
	assert_int_equal(f.other, 2);
	text = read_entries(entries, 7, &returns, &f);
	assert_string_equal(text, "  access_ok+0x20 -> vfs_read+0x30  [ret]\n"
			    "  vfs_read+0x90 -> bpf_trampoline_6442533 [bpf]+0x50  [7 cycles, ret]\n");
	free(text);
}

static void hostile_entries_are_bounded(void **state)
{
	static struct perf_branch_entry entries[RECORDS_MAX + 1];
	const struct branch_records_rules rules = { .symbols = &symbols, .function = "", .all = true };
	struct branch_records_figures f = { 0 };
	branch_vec got = { 0 };
	struct err e = ERR_INIT;

	memset(entries, 0xff, sizeof(entries));
	assert_int_equal(branch_records_read(entries, sizeof(entries), &rules, &got, &f, &e), -EBADMSG);
	assert_string_equal(e.text, "24600 bytes are no branch records: an entry has 24 bytes, and there are at most "
			    "1024");
	assert_int_equal(branch_records_read(entries, 25, &rules, &got, &f, NULL), -EBADMSG);
	assert_int_equal(got.n, 0);
	assert_int_equal(branch_records_read(entries, sizeof(entries) - sizeof(*entries), &rules, &got, &f, NULL), 0);
	assert_int_equal(f.kept, RECORDS_MAX);
	assert_true(got.n <= 2 * RECORDS_MAX);
	assert_int_equal(branch_records_read(entries, 0, &rules, &got, &f, NULL), 0);
	vec_free(&got);
}

/* Where calls of a function of the kernel part is found as for programs. */
static void failures_part_in_records(void **state)
{
	static const struct perf_branch_entry good[] = { CALL_ENTRIES };
	static const struct perf_branch_entry bad[] = {
		{ .from = VFS_READ + 0x90, .to = TRAMPOLINE + 0x50 },
		{ .from = VFS_READ + 0x34, .to = VFS_READ + 0x88 },
		{ .from = ACCESS_OK + 0x20, .to = VFS_READ + 0x30 }, { .from = VFS_READ + 0x2b, .to = ACCESS_OK },
		{ .from = TRAMPOLINE + 0x40, .to = VFS_READ + 5 }, { .from = VFS_READ, .to = TRAMPOLINE },
		{ .from = KSYS_READ + 0x50, .to = VFS_READ },
	};
	const struct branch_records_rules rules = { .symbols = &symbols, .function = "vfs_read", .all = true };
	struct branch_sums *s = branch_sums_new();
	struct branch_records_figures f = { 0 };
	struct branch_call call[20];
	branch_sources sources = { 0 };
	char *text;
	size_t len;
	struct branch_show show = { .out = open_memstream(&text, &len), .name = name, .condition = "retval < 0" };

	assert_non_null(s);
	for (int i = 0; i < 20; i++) {
		call[i] = (struct branch_call){ .comm = "cat" };
		assert_int_equal(branch_records_read(i % 4 ? good : bad, i % 4 ? sizeof(good) : sizeof(bad), &rules,
						     &call[i].branch, &f, NULL), 0);
		assert_true(branch_sources_add(&sources, call[i].branch.v, call[i].branch.n));
	}
	branch_sources_sort(&sources);
	assert_int_equal(sources.n, 7);
	for (int i = 0; i < 20; i++) {
		assert_true(branch_sources_pass(&sources, &call[i].branch));
		assert_true(branch_sums_add(s, &call[i], i % 4 ? SIDE_OTHER : SIDE_MEETS));
		vec_free(&call[i].branch);
	}
	assert_true(branch_show_part(&show, s));
	fclose(show.out);
	assert_string_equal(text,
			    "20 calls, 5 of them with retval < 0\n"
			    "\nThey part first at vfs_read+0x34\n"
			    "   that meet       others\n"
			    "           5           15  come to it\n"
			    "           0           15  -> vfs_read+0x34  not taken\n"
			    "           5            0  -> vfs_read+0x88\n");
	free(text);
	vec_free(&sources);
	branch_sums_free(s);
}

#define DROP 0xffffffffc0202000ull

/* The lines of the BPF program, by its type information; what is inlined on the side of the kernel. */
static void name_with_lines(void *ctx, uint32_t space, uint64_t address, struct branch_place *ret)
{
	const struct bpfcode_line *line = bpfcode_line_of(ctx, address);

	name(NULL, space, address, ret);
	if (line)
		ret->at[ret->n++] = (struct branch_line){ ret->function, line->file, "", line->line };
	else if (address == ACCESS_OK + 0x20) {
		ret->at[ret->n++] = (struct branch_line){ "in_range", "uaccess.h", "", 31 };
		ret->at[ret->n++] = (struct branch_line){ "access_ok", "access.c", "", 7 };
	}
}

/*
 * A program of which a sample of 32 entries has its call, the function that it called, and its return, as made by hand.
 */
static struct bpfcode *made_program(struct btf **ret_types)
{
	static const uint8_t image[0x80];
	const uint64_t address = DROP, at[] = { DROP, DROP + 0x20 };
	const uint32_t size = sizeof(image);
	struct btf *types = btf__new_empty();
	const uint32_t file = (uint32_t)btf__add_str(types, "drop.bpf.c");
	const struct bpf_line_info lines[] = { { .file_name_off = file, .line_col = 40 << 10 },
					       { .file_name_off = file, .line_col = 44 << 10 } };
	const struct bpfcode_raw raw = { .id = 9, .name = "drop", .image = image, .image_bytes = size,
					 .address = &address, .size = &size, .functions = 1, .line_info = lines,
					 .line_address = at, .line_infos = 2 };
	struct bpfcode *c;

	assert_int_equal(bpfcode_make(&raw, types, &c, NULL), 0);
	*ret_types = types;
	return c;
}

static char *shown_with_lines(const struct bpfcode *c, bool json)
{
	static const struct perf_branch_entry entries[32] = {
		OWN_ENTRIES,
		{ .from = DROP + 0x60, .to = TRAMPOLINE + 0x50, .type = PERF_BR_RET },
		{ .from = DROP + 0x34, .to = DROP + 0x58, .mispred = 1, .cycles = 3, .type = PERF_BR_COND },
		{ .from = ACCESS_OK + 0x20, .to = DROP + 0x30, .predicted = 1, .type = PERF_BR_RET },
		{ .from = DROP + 0x2b, .to = ACCESS_OK, .type = PERF_BR_CALL },
		{ .from = TRAMPOLINE + 0x40, .to = DROP + 5 }, { .from = DROP, .to = TRAMPOLINE },
		{ .from = KSYS_READ + 0x50, .to = DROP, .type = PERF_BR_IND_CALL },
		{ .from = KSYS_READ + 0x10, .to = KSYS_READ + 0x40 },
	};
	const struct branch_records_rules rules = { .symbols = &symbols, .all = true,
						    .function = "bpf_prog_fedcba9876543210_drop" };
	struct branch_records_figures f = { 0 };
	struct branch_call call = { .comm = "ping", .pid = 3, .tid = 4 };
	char *text;
	size_t len;
	struct branch_show show = { .out = open_memstream(&text, &len), .name = name_with_lines,
				    .ctx = (void *)(uintptr_t)c, .json = json };

	assert_int_equal(branch_records_read(entries, sizeof(entries), &rules, &call.branch, &f, NULL), 0);
	assert_int_equal(f.before, 1);
	assert_int_equal(f.unused, 19);
	assert_int_equal(f.gaps, 0);
	assert_true(branch_show_call(&show, &call, &(struct branch_call_text){
		.function = "drop", .args = "len=60", .result = "1 (XDP_DROP)" }));
	fclose(show.out);
	vec_free(&call.branch);
	return text;
}

static void lines_stand_on_both_sides(void **state)
{
	struct btf *types;
	struct bpfcode *c = made_program(&types);
	char *text = shown_with_lines(c, false);

	(void)state;
	assert_string_equal(text,
			    "drop(len=60) = 1 (XDP_DROP)  ping/4  0 ns\n"
			    "  ksys_read+0x50 -> bpf_prog_fedcba9876543210_drop [bpf]+0x0 (drop.bpf.c:40)  [ind_call]\n"
			    "  bpf_prog_fedcba9876543210_drop [bpf]+0x0 (drop.bpf.c:40) -> bpf_trampoline_6442533 "
				"[bpf]+0x0\n"
			    "  bpf_prog_fedcba9876543210_drop [bpf]+0x2b (drop.bpf.c:44) -> access_ok+0x0  [call]\n"
			    "  access_ok+0x20 (in_range uaccess.h:31 < access_ok access.c:7) -> "
			    "bpf_prog_fedcba9876543210_drop [bpf]+0x30 (drop.bpf.c:44)  [ret]\n"
			    "  bpf_prog_fedcba9876543210_drop [bpf]+0x34 (drop.bpf.c:44) -> "
			    "bpf_prog_fedcba9876543210_drop [bpf]+0x58 (drop.bpf.c:44)  [mispredicted, 3 cycles, "
				"cond]\n"
			    "  bpf_prog_fedcba9876543210_drop [bpf]+0x60 (drop.bpf.c:44) -> "
			    "bpf_trampoline_6442533 [bpf]+0x50  [ret]\n");
	free(text);
	bpfcode_free(c);
	btf__free(types);
}

static void json_has_all_of_an_entry(void **state)
{
	struct btf *types;
	struct bpfcode *c = made_program(&types);
	char *text = shown_with_lines(c, true);

	(void)state;
	assert_non_null(strstr(text, "{\"from\":{\"function\":\"bpf_prog_fedcba9876543210_drop [bpf]\",\"offset\":52,"
			       "\"file\":\"drop.bpf.c\",\"line\":44},\"to\":{\"function\":"
			       "\"bpf_prog_fedcba9876543210_drop [bpf]\",\"offset\":88,\"file\":\"drop.bpf.c\","
			       "\"line\":44},\"taken\":true,\"mispredicted\":true,\"cycles\":3,\"type\":\"cond\"}"));
	assert_non_null(strstr(text, "\"inlined\":[{\"function\":\"in_range\",\"file\":\"uaccess.h\",\"line\":31}]"));
	free(text);
	bpfcode_free(c);
	btf__free(types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_stand_on_both_sides),
		cmocka_unit_test(json_has_all_of_an_entry),
		cmocka_unit_test(own_entries_are_left_out_by_name),
		cmocka_unit_test(small_processors_lose_the_begin),
		cmocka_unit_test(gaps_and_modules_that_are_gone),
		cmocka_unit_test(kinds_are_told_apart),
		cmocka_unit_test(hostile_entries_are_bounded),
		cmocka_unit_test(failures_part_in_records),
	};

	return cmocka_run_group_tests_name("branch_entries", tests, setup, teardown);
}
