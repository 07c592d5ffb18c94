/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_data_access.c - the waiting rooms of accesses and faults: rules and answers that come at
 * once, late, in any order, or never. What decodes and what asks the kernel stand here themselves,
 * so that each order can be had.
 */
#include "config.h"

#include "engine/data_access.h"

#include "cmocka_all.h"

#include <string.h>

#define SP 7u                    /* DWARF number of the stack pointer, x86-64 */
#define PLACES 8u
#define QUESTIONS 70000u

static struct {
	bool known[PLACES];
	struct access_rule rule[PLACES];
	unsigned int decoded;
	struct { pid_t pid; uint64_t addr, tag; } asked[QUESTIONS];
	unsigned int nr_asked, room;
	struct page_answer answer[QUESTIONS];
	unsigned int nr_answers;
} world;

bool code_rule(struct code *c, const struct frame *place, struct access_rule *ret)
{
	if (!world.known[place->offset])
		return false;
	*ret = world.rule[place->offset];
	return true;
}

unsigned int code_poll(struct code *c)
{
	const unsigned int n = world.decoded;

	world.decoded = 0;
	return n;
}

bool placement_ask(struct placement *p, pid_t pid, uint64_t addr, uint64_t sp, uint64_t tag)
{
	if (world.nr_asked >= world.room)
		return false;
	world.asked[world.nr_asked].pid = pid;
	world.asked[world.nr_asked].addr = addr;
	world.asked[world.nr_asked++].tag = tag;
	return true;
}

unsigned int placement_poll(struct placement *p, page_fn *each, void *ctx)
{
	const unsigned int n = world.nr_answers;

	world.nr_answers = 0;
	for (unsigned int i = 0; i < n; i++)
		each(ctx, &world.answer[i]);
	return n;
}

struct told {
	struct event_sink sink;
	struct dict *dict;
	struct data_access *touch;
	thread_id thread;
	stack_id stack[PLACES];          /* stacks that end at place i */
	struct event ev[64];
	unsigned int n;
};

/* The sink stands here too: the real one knows who asks the kernel. */
void event_sink_add(struct event_sink *s, const struct event *ev)
{
	struct told *t = s->observer_ctx;

	if (t->n < 64)
		t->ev[t->n] = *ev;
	t->n++;
}

static int setup(void **state)
{
	static struct told t;
	/* code is never looked into */
	struct data_access_config c = { .code = (struct code *)(void *)&world, .sink = &t.sink };
	const struct module m = { .kind = MODULE_FILE, .dev = 1, .ino = 2 };
	struct err e = ERR_INIT;
	module_id module;

	memset(&t, 0, sizeof(t));
	t.sink = (struct event_sink){ .observer_ctx = &t };
	memset(&world, 0, sizeof(world));
	world.room = QUESTIONS;
	t.dict = c.dict = dict_new();
	module = dict_module(t.dict, &m);
	t.thread = dict_thread(t.dict, &(struct thread){ .pid = 10, .tid = 11 });
	for (unsigned int i = 0; i < PLACES; i++) {
		t.stack[i] = dict_stack(t.dict, STACK_ROOT, dict_frame(t.dict, module, i));
		world.rule[i] = (struct access_rule){ .how = ACCESS_BEFORE, .base = 3,
						      .index = ACCESS_REG_NONE, .disp = 16 };
	}
	assert_int_equal(data_access_new(&c, &t.touch, &e), 0);
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	struct told *t = *state;

	data_access_free(t->touch);
	dict_free(t->dict);
	return 0;
}

static void sample(struct told *t, unsigned int place, uint64_t base)
{
	struct raw_event raw = { .kind = RAW_SAMPLE, .pid = 10, .tid = 11,
				 .sample = { .user.machine = 62, .user.nr_regs = 17 } };
	const struct event ev = { .kind = EVENT_SAMPLE, .flags = EVENT_F_USER, .node = 1, .thread = t->thread,
				  .stack = t->stack[place], .weight = 1000, .time_ns = base };

	raw.sample.user.regs[3] = base;
	raw.sample.user.regs[SP] = 0x7ffc00000000;
	data_access_sample(t->touch, &raw, &ev);
}

static void answer(uint64_t tag, uint16_t node, const char *path)
{
	world.answer[world.nr_answers++] = (struct page_answer){ .tag = tag, .node = node,
								 .mapping = MAPPING_HEAP, .path = path,
								 .dev = path ? 7 : 0, .ino = path ? 8 : 0 };
}

static struct numa_figures figures(struct told *t)
{
	struct numa_figures f = { .moves = 5 };

	data_access_figures(t->touch, &f);
	return f;
}

static void answers_come_in_any_order(void **state)
{
	struct told *t = *state;

	world.known[0] = true;
	for (unsigned int i = 0; i < 3; i++)
		sample(t, 0, 0x10000 * (i + 1));
	assert_int_equal(world.nr_asked, 3);
	assert_int_equal(world.asked[1].addr, 0x20010);
	answer(world.asked[2].tag, 0, NULL);
	answer(world.asked[0].tag, 1, "/data");
	assert_true(data_access_poll(t->touch));
	answer(world.asked[1].tag, NODE_UNKNOWN, NULL);
	assert_false(data_access_poll(t->touch));
	assert_int_equal(t->n, 3);
	assert_int_equal(t->ev[0].kind, EVENT_ACCESS);
	assert_int_equal(t->ev[0].time_ns, 0x30000);
	assert_int_equal(t->ev[0].place.node, 0);
	assert_int_equal(t->ev[0].flags, 0);
	assert_int_equal(t->ev[0].weight, 1000);
	assert_int_equal(t->ev[1].place.node, 1);
	assert_string_equal(strtab_get(dict_strings(t->dict), dict_get_module(t->dict, t->ev[1].place.file)->path),
			    "/data");
	assert_int_equal(figures(t).near, 1);
	assert_int_equal(figures(t).far, 1);
	assert_int_equal(figures(t).miss[MISS_PAGE], 1);
	assert_int_equal(figures(t).samples, 3);
	assert_int_equal(figures(t).moves, 5);
	/* An answer that nobody asked for, and one that comes twice. */
	answer(world.asked[0].tag, 1, NULL);
	answer(1u << 20, 1, NULL);
	assert_false(data_access_poll(t->touch));
	assert_int_equal(t->n, 3);
}

/* The module of an executable's data is called as that of its code, by which it runs. */
static void data_have_the_name_of_the_code(void **state)
{
	struct told *t = *state;
	struct strtab *strings = dict_strings(t->dict);
	const struct module code = { .kind = MODULE_FILE, .build_id_len = 1, .dev = 7, .ino = 8,
				     .path = strtab_adds(strings, "/usr/bin/redis-check-rdb") };
	const struct module *data;

	dict_module_run_as(t->dict, dict_module(t->dict, &code), strtab_adds(strings, "/usr/bin/redis-server"));
	world.known[0] = true;
	sample(t, 0, 0x10000);
	answer(world.asked[0].tag, 1, "/usr/bin/redis-check-rdb");
	data_access_poll(t->touch);
	data = dict_get_module(t->dict, t->ev[0].place.file);
	assert_string_equal(strtab_get(strings, data->path), "/usr/bin/redis-check-rdb");
	assert_string_equal(strtab_get(strings, module_shown_path(data)), "/usr/bin/redis-server");
}

static void rules_come_late(void **state)
{
	struct told *t = *state;
	struct raw_event raw = { .kind = RAW_SAMPLE, .sample = { .in_kernel = true } };
	const struct event ev = { .stack = t->stack[0], .thread = t->thread };

	sample(t, 0, 0x1000);
	sample(t, 1, 0x2000);
	sample(t, 0, 0x3000);
	assert_int_equal(world.nr_asked, 0);
	world.known[0] = true;
	world.decoded = 1;
	assert_true(data_access_poll(t->touch));
	assert_int_equal(world.nr_asked, 2);
	assert_int_equal(world.asked[1].addr, 0x3010);
	/* The other one waits for as long as its file may still come, and is told when it does not. */
	assert_true(data_access_poll(t->touch));
	assert_int_equal(figures(t).miss[MISS_NO_CODE], 0);
	world.known[1] = true;
	world.rule[1] = (struct access_rule){ .miss = MISS_NO_CODE };
	world.decoded = 1;
	assert_true(data_access_poll(t->touch));
	assert_int_equal(figures(t).miss[MISS_NO_CODE], 1);
	data_access_sample(t->touch, &raw, &ev);
	assert_int_equal(figures(t).miss[MISS_KERNEL], 1);
	raw.sample.in_kernel = false;
	data_access_sample(t->touch, &raw, &ev);
	assert_int_equal(figures(t).miss[MISS_NO_REGS], 1);
	world.rule[0] = (struct access_rule){ .miss = MISS_NO_ACCESS };
	sample(t, 0, 0x1000);
	assert_int_equal(figures(t).miss[MISS_NO_ACCESS], 1);
	assert_int_equal(figures(t).samples, 6);
}

/* Every sample is somewhere: told, or counted under the reason why not. */
static void nothing_is_lost_uncounted(void **state)
{
	struct told *t = *state;
	struct numa_figures f;
	uint64_t missed = 0;

	world.room = 60000;
	world.known[0] = true;
	for (unsigned int i = 0; i < 40000; i++)
		sample(t, 0, 0x1000 * (i + 1));
	for (unsigned int i = 0; i < 3000; i++)
		sample(t, 1, 0x1000 * (i + 1));
	f = figures(t);
	assert_int_equal(f.miss[MISS_BACKLOG], 40000 - world.nr_asked + 3000 - 2048);
	for (unsigned int i = 0; i < world.nr_asked; i++)
		answer(world.asked[i].tag, 1, NULL);
	assert_true(data_access_poll(t->touch));
	world.known[1] = true;
	world.rule[1] = (struct access_rule){ .miss = MISS_NO_CODE };
	world.decoded = 1;
	assert_false(data_access_poll(t->touch));
	f = figures(t);
	for (unsigned int i = 0; i < MISS_NR; i++)
		missed += f.miss[i];
	assert_int_equal(f.samples, 43000);
	assert_int_equal(f.near + f.far + missed, 43000);
	assert_int_equal(t->n, f.near);
}

static void faults_bring_their_address(void **state)
{
	struct told *t = *state;
	const struct raw_event raw = { .kind = RAW_FAULT, .pid = 10, .sample = { .addr = 0x5008, .period = 12 } };
	const struct event ev = { .kind = EVENT_FAULT, .node = 1, .thread = t->thread,
				  .stack = t->stack[2], .weight = 12, .count = 1 };

	data_access_fault(t->touch, &raw, &ev);
	data_access_fault(t->touch, &raw, &ev);
	assert_int_equal(world.asked[0].addr, 0x5008);
	answer(world.asked[0].tag, 0, NULL);
	answer(world.asked[1].tag, NODE_UNKNOWN, NULL);
	assert_false(data_access_poll(t->touch));
	assert_int_equal(t->n, 2);
	assert_int_equal(t->ev[0].kind, EVENT_FAULT);
	assert_int_equal(t->ev[0].count, 1);
	assert_int_equal(t->ev[0].weight, 12);
	assert_int_equal(t->ev[0].place.node, 0);
	assert_int_equal(t->ev[1].place.node, NODE_UNKNOWN);
	assert_int_equal(figures(t).faults, 2);
	assert_int_equal(figures(t).fault_misses, 1);
	assert_int_equal(figures(t).samples, 0);
	/* One that cannot be asked for is told all the same. */
	world.room = 0;
	data_access_fault(t->touch, &raw, &ev);
	assert_int_equal(t->n, 3);
	assert_int_equal(t->ev[2].kind, EVENT_FAULT);
	assert_int_equal(t->ev[2].place.node, NODE_UNKNOWN);
	assert_int_equal(figures(t).fault_misses, 2);
}

/* What has no answer at the end is counted too, and its number is free again. */
static void what_never_comes(void **state)
{
	struct told *t = *state;
	const struct raw_event raw = { .kind = RAW_FAULT, .pid = 10, .sample = { .addr = 0x5008, .period = 12 } };
	const struct event ev = { .kind = EVENT_FAULT, .node = 1, .thread = t->thread,
				  .stack = t->stack[2], .weight = 12, .count = 1 };

	world.known[0] = true;
	sample(t, 0, 0x1000);
	sample(t, 1, 0x2000);
	data_access_fault(t->touch, &raw, &ev);
	data_access_give_up(t->touch);
	assert_false(data_access_poll(t->touch));
	assert_int_equal(figures(t).miss[MISS_BACKLOG], 2);
	assert_int_equal(figures(t).fault_misses, 1);
	assert_int_equal(t->n, 1);
	assert_int_equal(t->ev[0].kind, EVENT_FAULT);
	assert_int_equal(t->ev[0].place.node, NODE_UNKNOWN);
	answer(world.asked[0].tag, 1, NULL);
	assert_false(data_access_poll(t->touch));
	assert_int_equal(t->n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(answers_come_in_any_order, setup, teardown),
		cmocka_unit_test_setup_teardown(data_have_the_name_of_the_code, setup, teardown),
		cmocka_unit_test_setup_teardown(rules_come_late, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_lost_uncounted, setup, teardown),
		cmocka_unit_test_setup_teardown(faults_bring_their_address, setup, teardown),
		cmocka_unit_test_setup_teardown(what_never_comes, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
