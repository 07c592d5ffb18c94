/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_branch.c - branches of calls: put together from hits, counted, parted and shown, word by word. The function is
 * made by hand:
 *
 *	0  0x1000  entry: if ... to 2
 *	1  0x1010         to itself, a loop, or on
 *	2  0x1020         by a table
 *	3  0x1030         on
 *	4  0x1040         return
 *	5  0x1050         a jump to another function
 */
#include "config.h"

#include "branch/calls.h"
#include "branch/show.h"
#include "branch/sums.h"
#include "capture/branchrecords.h"
#include "model/probecode.h"
#include "model/probes.h"
#include "probe/probed_blocks.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK 0x7fff0000ull
#define NONE UINT32_MAX

static struct code_block blocks[] = {
	{ .vaddr = 0x1000, .size = 16, .last = 14, .end = CODE_CONDITION, .target = 0x1020, .probed = true },
	{ .vaddr = 0x1010, .size = 16, .last = 14, .end = CODE_CONDITION, .target = 0x1010, .probed = true },
	{ .vaddr = 0x1020, .size = 16, .last = 14, .end = CODE_INDIRECT, .probed = true },
	{ .vaddr = 0x1030, .size = 16, .last = 12, .end = CODE_ON, .probed = true },
	{ .vaddr = 0x1040, .size = 1, .end = CODE_RETURN },
	{ .vaddr = 0x1050, .size = 5, .end = CODE_TAIL, .probed = true },
};

/* What came of the hits: a letter for each branch, and how the call ended. */
struct seen {
	char text[4096];
	struct branch_sums *sums;
	struct branch_show *show;
	bool returns;
};

static bool code_of(void *ctx, uint32_t probe, uint32_t number, struct probe_code *ret)
{
	const struct seen *s = ctx;

	if (number >= 6)
		return false;
	blocks[4].probed = !s->returns;
	*ret = (struct probe_code){ .path = "/app", .symbol = "f", .name = "f", .start = 0x1000, .probe = probe, .n = 6,
				    .block = blocks, .returns = s->returns };
	return true;
}

static void ended(void *ctx, const struct branch_call *call)
{
	static const char *const ends[] = { "return", "jump", "left" };
	struct seen *s = ctx;
	size_t n = strlen(s->text);

	/* Of many calls there are only sums. */
	if (s->sums)
		s->text[n = 0] = '\0';
	n += (size_t)snprintf(s->text + n, sizeof(s->text) - n, "%d:", (int)call->tid);
	for (size_t i = 0; i < call->branch.n; i++)
		n += (size_t)snprintf(s->text + n, sizeof(s->text) - n, "%s%x%c%x", i ? " " : "",
				      (unsigned int)call->branch.v[i].from & 0xfff, "+-?"[call->branch.v[i].how],
				      (unsigned int)call->branch.v[i].to & 0xfff);
	snprintf(s->text + n, sizeof(s->text) - n, " %s %d%s;", ends[call->end], (int)call->result,
		 call->depth ? " inner" : "");
	if (s->sums)
		assert_true(branch_sums_add(s->sums, call, (int)call->result < 0 ? SIDE_MEETS : SIDE_OTHER));
	if (s->show)
		assert_true(branch_show_call(s->show, call, &(struct branch_call_text){
			.function = "f", .args = "a=1", .result = call->result ? "-22" : "0", .meets = call->result }));
}

static struct branch_calls *begin(struct seen *s)
{
	const struct branch_calls_ops ops = { code_of, ended, s };
	struct branch_calls *c = branch_calls_new(&ops);

	assert_non_null(c);
	return c;
}

static uint64_t now_ns;

static void hit(struct branch_calls *c, pid_t tid, uint32_t number, uint64_t sp)
{
	const struct branch_hit h = { .time_ns = now_ns += 1000, .pid = 1, .tid = tid, .comm = "app", .scale = 1,
				      .number = number, .sp = sp };

	branch_calls_hit(c, &h);
}

/* The function whose return address is at SLOT returned RESULT. */
static void returned(struct branch_calls *c, pid_t tid, uint64_t slot, int result)
{
	const struct branch_hit h = { .time_ns = now_ns += 1000, .pid = 1, .tid = tid, .comm = "app", .scale = 1,
				      .returned = true, .sp = slot + 8, .result = (uint64_t)(int64_t)result };

	branch_calls_hit(c, &h);
}

/* A whole call by the blocks VIA, up to NONE. */
static void call(struct branch_calls *c, const uint32_t *via, int result)
{
	hit(c, 7, 0, STACK);
	for (; *via != NONE; via++)
		hit(c, 7, *via, STACK - 64);
	returned(c, 7, STACK, result);
}

#define CALL(c, result, ...) call(c, (const uint32_t[]){ __VA_ARGS__, NONE }, result)

static void blocks_become_branches(void **state)
{
	struct seen s = { .returns = true };
	AUTO(branch_calls_free) struct branch_calls *c = begin(&s);

	CALL(c, 3, 1, 1, 2, 3);
	assert_string_equal(s.text, "7:e-10 1e+10 1e-20 2e+30 return 3;");
	s.text[0] = '\0';
	CALL(c, -1, 2, 3);
	assert_string_equal(s.text, "7:e+20 2e+30 return -1;");
}

static void returns_that_are_blocks_end_calls(void **state)
{
	struct seen s = { .returns = false };
	AUTO(branch_calls_free) struct branch_calls *c = begin(&s);

	hit(c, 7, 0, STACK);
	hit(c, 7, 2, STACK - 64);
	hit(c, 7, 3, STACK - 64);
	hit(c, 7, 4, STACK);
	hit(c, 7, 0, STACK);
	hit(c, 7, 2, STACK - 64);
	hit(c, 7, 5, STACK);
	assert_string_equal(s.text, "7:e+20 2e+30 return 0;7:e+20 2e+50 jump 0;");
}

static void threads_and_recursion_are_told_apart(void **state)
{
	struct seen s = { .returns = true };
	AUTO(branch_calls_free) struct branch_calls *c = begin(&s);
	struct branch_calls_figures f;

	hit(c, 7, 0, STACK);
	hit(c, 8, 0, STACK + 0x10000000);
	hit(c, 7, 2, STACK - 64);
	hit(c, 7, 0, STACK - 128);       /* it calls itself */
	hit(c, 8, 1, STACK + 0x10000000 - 64);
	hit(c, 7, 1, STACK - 192);
	branch_calls_figures(c, &f);
	assert_int_equal(f.open, 3);
	returned(c, 7, STACK - 128, 5);
	hit(c, 7, 3, STACK - 64);
	returned(c, 8, STACK + 0x10000000, 6);
	returned(c, 7, STACK, 7);
	/* What does not come to a return is a gap: block 1 does not lead there. */
	assert_string_equal(s.text, "7:e-10 1e?0 return 5 inner;8:e-10 1e?0 return 6;7:e+20 2e+30 return 7;");
	branch_calls_figures(c, &f);
	assert_int_equal(f.calls, 3);
	assert_int_equal(f.gaps, 2);
	assert_int_equal(f.open, 0);
}

static void calls_that_are_left_are_known_by_the_stack(void **state)
{
	struct seen s = { .returns = true };
	AUTO(branch_calls_free) struct branch_calls *c = begin(&s);
	struct branch_calls_figures f;

	hit(c, 7, 0, STACK);
	hit(c, 7, 0, STACK - 128);       /* it calls itself, */
	hit(c, 7, 2, STACK - 192);
	hit(c, 7, 2, STACK - 64);        /* and the inner one was left by an exception */
	hit(c, 7, 0, STACK + 64);        /* and then this one */
	returned(c, 7, STACK + 64, 1);
	assert_string_equal(s.text, "7:e+20 left 0 inner;7:e+20 left 0;7:e?0 return 1;");
	branch_calls_figures(c, &f);
	assert_int_equal(f.left, 2);
	/* Another stack leaves nothing, and what had begun before belongs to nothing. */
	s.text[0] = '\0';
	hit(c, 7, 0, STACK);
	hit(c, 7, 3, STACK + (64u << 20));
	returned(c, 9, STACK, 1);
	hit(c, 7, 99, STACK);
	assert_string_equal(s.text, "");
	branch_calls_figures(c, &f);
	assert_int_equal(f.unbegun, 2);
	assert_int_equal(f.refused, 1);
	assert_int_equal(f.open, 1);
}

static void tail_calls_return_with_the_other_function(void **state)
{
	struct seen s = { .returns = true };
	AUTO(branch_calls_free) struct branch_calls *c = begin(&s);

	hit(c, 7, 0, STACK);
	hit(c, 7, 2, STACK - 64);
	hit(c, 7, 5, STACK);
	hit(c, 7, 0, STACK);             /* it jumps to itself */
	hit(c, 7, 2, STACK - 64);
	hit(c, 7, 3, STACK - 64);
	returned(c, 7, STACK, 4);
	returned(c, 7, STACK, 4);
	assert_string_equal(s.text, "7:e+20 2e+30 return 4 inner;7:e+20 2e+50 return 4;");
}

static void ends_that_slices_hide_are_no_exceptions(void **state)
{
	struct seen s = { .returns = true };
	AUTO(branch_calls_free) struct branch_calls *c = begin(&s);
	struct branch_hit h = { .pid = 1, .tid = 7, .comm = "app", .scale = 4, .sp = STACK };
	struct branch_calls_figures f;

	branch_calls_hit(c, &h);
	branch_calls_hit(c, &h);
	branch_calls_figures(c, &f);
	assert_string_equal(s.text, "");
	assert_int_equal(f.unended, 1);
	assert_int_equal(f.left, 0);
}

static void long_calls_are_bounded(void **state)
{
	struct seen s = { .returns = true, .sums = branch_sums_new() };
	AUTO(branch_calls_free) struct branch_calls *c = begin(&s);
	struct branch_calls_figures f;

	assert_non_null(s.sums);
	hit(c, 7, 0, STACK);
	for (unsigned int i = 0; i < CALLS_BRANCHES_MAX + 100; i++)
		hit(c, 7, 1, STACK - 64);
	for (unsigned int i = 0; i < 2 * CALLS_DEPTH_MAX; i++)
		hit(c, 7, 0, STACK - 128 - 64 * i);
	branch_calls_figures(c, &f);
	assert_int_equal(f.dropped, 100);
	assert_int_equal(f.open, CALLS_DEPTH_MAX);
	assert_int_equal(f.refused, CALLS_DEPTH_MAX + 1);
	branch_sums_free(s.sums);
}

static void name(void *ctx, uint32_t space, uint64_t address, struct branch_place *ret)
{
	ret->function = address < 0x2000 ? "f" : "";
	ret->offset = address - 0x1000;
	ret->n = address < 0x1010 ? 2 : address < 0x2000;
	ret->at[0] = (struct branch_line){ "digit", "/src/digit.h", "", 3 };
	ret->at[ret->n ? ret->n - 1 : 0] = (struct branch_line){ "f", "f.c", "/src", (uint32_t)(address >> 4 & 0xff) };
}

static bool source(void *ctx, const struct branch_line *line, char dst[SHOW_SOURCE_MAX])
{
	snprintf(dst, SHOW_SOURCE_MAX, "\tline %u of %s", line->line, line->file);
	return true;
}

static char *shown;
static size_t shown_len;

static struct branch_show show_new(bool json, bool lines)
{
	return (struct branch_show){ .out = open_memstream(&shown, &shown_len), .name = name, .json = json,
				     .source = lines ? source : NULL };
}

static void assert_shown(const struct branch_show *s, const char *want)
{
	fclose(s->out);
	assert_string_equal(shown, want);
	free(shown);
}

static void calls_are_shown(void **state)
{
	struct branch_show text = show_new(false, false), json;
	struct seen s = { .returns = true, .show = &text };
	AUTO(branch_calls_free) struct branch_calls *c = begin(&s);

	now_ns = 0;
	CALL(c, 0, 1, 1, 1, 2, 3);
	text.condition = "retval < 0";
	CALL(c, -22, 2, 3);
	hit(c, 7, 0, STACK);
	hit(c, 7, 0, STACK + 64);
	assert_shown(&text,
		     "f(a=1) = 0  app/7  6.00 us\n"
		     "  f+0xe (digit digit.h:3 < f f.c) -> f+0x10 (f.c:1)  not taken\n"
		     "  f+0x1e (f.c:1) -> f+0x10 (f.c:1)  (2 times)\n"
		     "  f+0x1e (f.c:1) -> f+0x20 (f.c:2)  not taken\n"
		     "  f+0x2e (f.c:2) -> f+0x30 (f.c:3)\n"
		     "f(a=1) = -22  app/7  3.00 us  meets retval < 0\n"
		     "  f+0xe (digit digit.h:3 < f f.c) -> f+0x20 (f.c:2)\n"
		     "  f+0x2e (f.c:2) -> f+0x30 (f.c:3)\n"
		     "f(a=1)  app/7  1.00 us  left without a return (exception, longjmp)\n");
	json = show_new(true, false);
	s.show = &json;
	json.condition = "retval < 0";
	returned(c, 7, STACK + 64, -22);
	assert_shown(&json,
		     "{\"call\":\"f\",\"time_ns\":13000,\"comm\":\"app\",\"pid\":1,\"tid\":7,\"latency_ns\":1000,"
		     "\"depth\":0,\"args\":\"a=1\",\"result\":\"-22\",\"end\":\"return\",\"meets\":true,\"branches\":["
		     "{\"from\":{\"function\":\"f\",\"offset\":14,\"file\":\"f.c\",\"inlined\":[{\"function\":"
		     "\"digit\",\"file\":\"/src/digit.h\",\"line\":3}]},\"gap\":true}]}\n");
}

static void what_a_cpu_says_is_shown(void **state)
{
	struct branch all[] = {
		{ .from = 0x1010, .to = 0x1020, .flags = BRANCH_MISPREDICTED, .cycles = 12, .type = 1 },
		{ .how = BRANCH_GAP },
		{ .from = 0x2020, .to = 0x1030, .flags = BRANCH_IN_TRANSACTION | BRANCH_ABORTED, .cycles = 1 },
		{ .from = 0x2020, .to = 0x1030, .type = 200 },
	};
	const struct branch_call one = { .branch = { .v = all, .n = 4 }, .comm = "a\033b", .dropped = 2 };
	const struct branch_show text = show_new(false, true);
	const struct branch_call_text of = { .function = "f\n", .args = "", .result = "" };

	assert_true(branch_show_call(&text, &one, &of));
	assert_shown(&text,
		     "f\xef\xbf\xbd()  a\xef\xbf\xbd" "b/0  0 ns\n"
		     "  f+0x10 (f.c:1) -> f+0x20 (f.c:2)  [mispredicted, 12 cycles, cond]\n"
		     "         1 | line 1 of f.c\n"
		     "  ... what was between is not known\n"
		     "  0x2020 -> f+0x30 (f.c:3)  [1 cycle, in a transaction, abort]\n"
		     "  0x2020 -> f+0x30 (f.c:3)\n"
		     "  ... 2 further branches are left out\n");
}

static void calls_that_begin_have_no_end(void **state)
{
	const struct branch_call one = { .comm = "app", .end = BRANCH_BEGUN, .begun_ns = 5, .ended_ns = 5 };
	const struct branch_call_text of = { .function = "f", .args = "a=1", .result = "7" };
	const struct branch_show text = show_new(false, false), json = show_new(true, false);

	assert_true(branch_show_call(&text, &one, &of));
	assert_shown(&text, "f(a=1)  app/0\n");
	assert_true(branch_show_call(&json, &one, &of));
	assert_shown(&json, "{\"call\":\"f\",\"time_ns\":5,\"comm\":\"app\",\"pid\":0,\"tid\":0,\"depth\":0,"
		     "\"args\":\"a=1\",\"end\":\"begun\"}\n");
}

static void callers_are_shown(void **state)
{
	static const char *const frames[] = { "f", "do_syscall_64", "ask\n (app)", "main (app)" };
	const struct branch_call one = { .comm = "app" };
	const struct branch_call_text of = { .function = "f", .args = "", .result = "", .frame = frames, .frames = 4 };
	const struct branch_show text = show_new(false, false), json = show_new(true, false);

	assert_true(branch_show_call(&text, &one, &of));
	assert_shown(&text, "f()  app/0  0 ns\n"
		     "    called by f\n"
		     "              do_syscall_64\n"
		     "              ask\xef\xbf\xbd (app)\n"
		     "              main (app)\n");
	assert_true(branch_show_call(&json, &one, &of));
	assert_shown(&json, "{\"call\":\"f\",\"time_ns\":0,\"comm\":\"app\",\"pid\":0,\"tid\":0,\"latency_ns\":0,"
		     "\"depth\":0,\"args\":\"\",\"end\":\"return\","
		     "\"stack\":[\"f\",\"do_syscall_64\",\"ask\xef\xbf\xbd (app)\",\"main (app)\"],\"branches\":[]}\n");
}

static void failures_part_where_they_do(void **state)
{
	struct seen s = { .returns = true, .sums = branch_sums_new() };
	AUTO(branch_calls_free) struct branch_calls *c = begin(&s);
	struct branch_show text = show_new(false, true), json;
	struct branch_parting p[4];

	assert_non_null(s.sums);
	assert_int_equal(branch_sums_part(s.sums, p, 4), 0);
	for (unsigned int i = 0; i < 1000; i++)
		CALL(c, 0, 1, 1, 2, 3);
	assert_int_equal(branch_sums_part(s.sums, p, 4), 0);
	for (unsigned int i = 0; i < 200; i++)
		CALL(c, -22, 2, 3);
	/* A way of hardly any call says nothing. */
	CALL(c, 0, 1, 2, 3);
	assert_int_equal(branch_sums_part(s.sums, p, 4), 1);
	assert_int_equal(p[0].from, 0x100e);
	text.condition = "retval < 0";
	assert_true(branch_show_part(&text, s.sums));
	assert_shown(&text,
		     "1,201 calls, 200 of them with retval < 0\n"
		     "\nThey part first at f+0xe (digit digit.h:3 < f f.c)\n"
		     "         3 | line 3 of /src/digit.h\n"
		     "   that meet       others\n"
		     "         200        1,001  come to it\n"
		     "           0        1,001  -> f+0x10 (f.c:1)  not taken\n"
		     "                                    1 | line 1 of f.c\n"
		     "         200            0  -> f+0x20 (f.c:2)\n"
		     "                                    2 | line 2 of f.c\n");
	json = show_new(true, false);
	json.condition = "retval < 0";
	assert_true(branch_show_part(&json, s.sums));
	assert_shown(&json,
		     "{\"part\":\"retval < 0\",\"calls_that_meet\":200,\"other_calls\":1001,\"partings\":[{\"from\":"
		     "{\"function\":\"f\",\"offset\":14,\"file\":\"f.c\",\"inlined\":[{\"function\":\"digit\",\"file\":"
		     "\"/src/digit.h\",\"line\":3}]},\"clear\":true,\"calls_that_meet\":200,\"other_calls\":1001,"
		     "\"ways\":[{\"to\":{\"function\":\"f\",\"offset\":16,\"file\":\"f.c\",\"line\":1},\"taken\":false,"
		     "\"calls_that_meet\":0,\"other_calls\":1001,\"hits_that_meet\":0,\"other_hits\":1001},"
		     "{\"to\":{\"function\":\"f\",\"offset\":32,\"file\":\"f.c\",\"line\":2},\"taken\":true,"
		     "\"calls_that_meet\":200,\"other_calls\":0,\"hits_that_meet\":200,\"other_hits\":0}]}]}\n");
	branch_sums_free(s.sums);
}

static void calls_that_differ_in_shares_part_there(void **state)
{
	struct seen s = { .returns = true, .sums = branch_sums_new() };
	AUTO(branch_calls_free) struct branch_calls *c = begin(&s);
	struct branch_show text = show_new(false, false);

	assert_non_null(s.sums);
	for (int i = 0; i < 10; i++) {
		CALL(c, i % 2 - 1, 2, 3);
		CALL(c, i ? i % 2 - 1 : 0, 1, 1, 2, 3);
	}
	text.condition = "retval < 0";
	assert_true(branch_show_part(&text, s.sums));
	assert_shown(&text,
		     "20 calls, 9 of them with retval < 0\n"
		     "\nNo branch is of one side alone. They differ most at f+0xe (digit digit.h:3 < f f.c)\n"
		     "   that meet       others\n"
		     "           9           11  come to it\n"
		     "           4            6  -> f+0x10 (f.c:1)  not taken\n"
		     "           5            5  -> f+0x20 (f.c:2)\n");
	branch_sums_free(s.sums);
}

static void counts_are_shown(void **state)
{
	struct seen s = { .returns = true, .sums = branch_sums_new() };
	AUTO(branch_calls_free) struct branch_calls *c = begin(&s);
	struct branch_times times = { 0 };
	struct branch_show text = show_new(false, false), json;

	assert_non_null(s.sums);
	CALL(c, 0, 1, 1, 1, 2, 3);
	CALL(c, 0, 2, 3);
	branch_times_add(&times, 0);
	branch_times_add(&times, 1500);
	branch_times_add(&times, 1600);
	assert_true(branch_show_times(&text, "f", &times) && branch_show_counts(&text, s.sums));
	assert_shown(&text,
		     "f: 3 calls, total 3.10 us, average 1.03 us, longest 1.60 us\n"
		     "      0 ns and more          1  ####################\n"
		     "   1.02 us and more          2  ########################################\n"
		     "     calls        times  branch\n"
		     "         1            1  f+0xe (digit digit.h:3 < f f.c) -> f+0x10 (f.c:1)  not taken\n"
		     "         1            1  f+0xe (digit digit.h:3 < f f.c) -> f+0x20 (f.c:2)\n"
		     "         1            2  f+0x1e (f.c:1) -> f+0x10 (f.c:1)\n"
		     "         1            1  f+0x1e (f.c:1) -> f+0x20 (f.c:2)  not taken\n"
		     "         2            2  f+0x2e (f.c:2) -> f+0x30 (f.c:3)\n");
	json = show_new(true, false);
	assert_true(branch_show_times(&json, "f", &times));
	assert_shown(&json, "{\"function\":\"f\",\"calls\":3,\"total_ns\":3100,\"longest_ns\":1600,\"histogram\":["
		     "{\"from_ns\":0,\"calls\":1},{\"from_ns\":1024,\"calls\":2}]}\n");
	branch_sums_free(s.sums);
}

static void code_is_noted_once(void **state)
{
	struct probe_code code = { .path = "/app", .symbol = "f", .name = "f", .start = 0x1000, .n = 6,
				   .block = blocks };
	struct probe_code found;

	assert_int_equal(probe_code_note(3, &code), 0);
	code.start = 0x2000;
	assert_int_equal(probe_code_note(3, &code), 6);
	code.start = 0x1000;
	assert_int_equal(probe_code_note(3, &code), 0);
	assert_true(probe_code_find(3, 11, &found));
	assert_int_equal(found.first, 6);
	assert_int_equal(found.start, 0x2000);
	assert_false(probe_code_find(3, 12, &found));
	assert_false(probe_code_get(PROBES_MAX, 0, &found));
	code.n = CODE_BLOCKS_MAX + 1;
	assert_int_equal(probe_code_note(3, &code), CODE_NUMBERS_MAX);
}

#define MADE_BLOCKS 24u

/* A function made by chance. */
struct made {
	struct code_block block[MADE_BLOCKS];
	uint32_t n, hidden;
	bool returns;
	branch_vec want;         /* what a call of it did */
	unsigned int calls, seed;
};

static unsigned int made_random(struct made *m, unsigned int below)
{
	m->seed = m->seed * 1103515245 + 12345;
	return (m->seed >> 16) % below;
}

static void made_begin(struct made *m)
{
	static const uint8_t ends[] = { CODE_CONDITION, CODE_CONDITION, CODE_CONDITION, CODE_ON, CODE_JUMP,
					CODE_RETURN };
	uint32_t cost_ns[MADE_BLOCKS];

	m->n = 3 + made_random(m, MADE_BLOCKS - 3);
	m->returns = made_random(m, 4);
	for (uint32_t i = 0; i < m->n; i++) {
		struct code_block *b = &m->block[i];

		*b = (struct code_block){ .vaddr = 0x1000 + 16 * i, .size = 16, .last = 14,
					  .end = ends[made_random(m, 6)],
					  .target = 0x1000 + 16 * (1 + made_random(m, m->n - 1)) };
		b->end = i == m->n - 1 ? CODE_RETURN : i ? b->end : CODE_CONDITION;
		cost_ns[i] = made_random(m, 3) ? 14000 : 900;
	}
	assert_true(probed_blocks_choose(m->block, m->n, cost_ns, m->returns));
	assert_true(m->block[0].probed);
	for (uint32_t i = 0; i < m->n; i++)
		m->hidden += !m->block[i].probed;
}

static bool made_code(void *ctx, uint32_t probe, uint32_t number, struct probe_code *ret)
{
	const struct made *m = ctx;

	*ret = (struct probe_code){ .path = "/app", .symbol = "f", .name = "f", .start = 0x1000, .n = m->n,
				    .block = m->block, .returns = m->returns };
	return number < m->n;
}

static void made_ended(void *ctx, const struct branch_call *call)
{
	struct made *m = ctx;

	m->calls++;
	assert_int_equal(call->end, BRANCH_RETURNED);
	assert_int_equal(call->branch.n, m->want.n);
	for (size_t i = 0; i < m->want.n; i++) {
		assert_int_equal(call->branch.v[i].from, m->want.v[i].from);
		assert_int_equal(call->branch.v[i].to, m->want.v[i].to);
		assert_int_equal(call->branch.v[i].how, m->want.v[i].how);
	}
}

/* Goes from block to block by chance, up to a return. False when that does not come soon. */
static bool made_call(struct made *m, struct branch_calls *c)
{
	uint32_t at = 0;

	m->want.n = 0;
	for (unsigned int step = 0; step < 500; step++) {
		const struct code_block *b = &m->block[at];
		const bool jumps = b->end == CODE_JUMP || (b->end == CODE_CONDITION && made_random(m, 2));
		const uint32_t to = jumps ? (uint32_t)(b->target - 0x1000) / 16 : at + 1;
		struct branch *want;

		if (b->probed)
			hit(c, 7, at, at && b->end != CODE_RETURN ? STACK - 64 : STACK);
		if (b->end == CODE_RETURN) {
			if (m->returns)
				returned(c, 7, STACK, 0);
			return true;
		}
		want = b->end == CODE_ON ? NULL : vec_push(&m->want);
		if (want)
			*want = (struct branch){ .from = b->vaddr + 14, .to = 0x1000 + 16 * to,
						 .how = jumps || b->target == 0x1000 + 16 * to ? BRANCH_TAKEN :
						 BRANCH_PASSED };
		at = to;
	}
	return false;
}

/* Whatever blocks go without a probe, it is known which way calls went. */
static void ways_without_probes_are_known(void **state)
{
	struct made m = { .seed = 23 };
	uint32_t all = 0;

	for (unsigned int i = 0; i < 3000; i++) {
		const struct branch_calls_ops ops = { made_code, made_ended, &m };
		struct branch_calls *c = branch_calls_new(&ops);

		assert_non_null(c);
		made_begin(&m);
		all += m.n;
		for (unsigned int k = 0; k < 20 && made_call(&m, c); k++)
			;
		branch_calls_free(c);
	}
	print_message("%u calls; of %u blocks %u have no probe\n", m.calls, all, m.hidden);
	assert_true(m.calls > 20000 && m.hidden > all / 10);
	vec_free(&m.want);
}

static void judged(struct branchrecords_facts f, const char *want)
{
	struct err e = ERR_INIT;
	const int r = branchrecords_judge(&f, &e);

	assert_int_equal(!r, !*want);
	assert_string_equal(e.text, want);
}

static void why_there_are_no_records(void **state)
{
	judged((struct branchrecords_facts){ .pmu = true, .snapshot = true }, "");
	judged((struct branchrecords_facts){ .error = EACCES, .pmu = true, .paranoid = 3 },
	       "no branch records: permission is missing, which root or CAP_PERFMON has "
	       "(kernel.perf_event_paranoid is 3)");
	judged((struct branchrecords_facts){ .error = ENOENT, .hypervisor = true },
	       "no branch records: this is a virtual machine, whose hypervisor gives it no PMU");
	judged((struct branchrecords_facts){ .error = ENOENT },
	       "no branch records: there is no PMU, or the kernel does not drive it");
	judged((struct branchrecords_facts){ .error = EOPNOTSUPP, .pmu = true, .hypervisor = true },
	       "no branch records: this is a virtual machine, whose hypervisor gives it a PMU without them "
	       "(Operation not supported)");
	judged((struct branchrecords_facts){ .error = EINVAL, .pmu = true },
	       "no branch records: the processor has none, or none that this kernel can take (Invalid argument)");
	judged((struct branchrecords_facts){ .pmu = true }, "no branch records: this kernel gives BPF programs none "
	       "(bpf_get_branch_snapshot(), since Linux 5.16)");
}

static void the_depth_is_said(void **state)
{
	char text[BRANCHRECORDS_TEXT_MAX];

	assert_string_equal(branchrecords_depth(&(struct branchrecords_facts){ .depth = 16 }, text),
			    "this CPU keeps records of its last 16 branches");
	assert_string_equal(branchrecords_depth(&(struct branchrecords_facts){ .depth = 0 }, text),
			    "this CPU keeps records of branches, and the kernel does not say of how many");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_become_branches),
		cmocka_unit_test(returns_that_are_blocks_end_calls),
		cmocka_unit_test(threads_and_recursion_are_told_apart),
		cmocka_unit_test(calls_that_are_left_are_known_by_the_stack),
		cmocka_unit_test(tail_calls_return_with_the_other_function),
		cmocka_unit_test(ends_that_slices_hide_are_no_exceptions),
		cmocka_unit_test(long_calls_are_bounded),
		cmocka_unit_test(calls_are_shown),
		cmocka_unit_test(what_a_cpu_says_is_shown),
		cmocka_unit_test(calls_that_begin_have_no_end),
		cmocka_unit_test(callers_are_shown),
		cmocka_unit_test(failures_part_where_they_do),
		cmocka_unit_test(calls_that_differ_in_shares_part_there),
		cmocka_unit_test(counts_are_shown),
		cmocka_unit_test(code_is_noted_once),
		cmocka_unit_test(ways_without_probes_are_known),
		cmocka_unit_test(why_there_are_no_records),
		cmocka_unit_test(the_depth_is_said),
	};

	return cmocka_run_group_tests_name("branch", tests, NULL, NULL);
}
