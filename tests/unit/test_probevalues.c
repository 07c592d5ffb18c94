/* SPDX-License-Identifier: BSD-2-Clause */
/* test_probevalues.c - frequent values of arguments are found among many rare ones, in bounded memory. */
#include "config.h"

#include "model/probevalues.h"

#include "bpf/wire.h"
#include "model/probes.h"
#include "tests/unit/cmocka_all.h"
#include "trace/calltable.h"
#include "trace/hitvalues.h"

#include <stdio.h>
#include <string.h>

static uint32_t add(const char *text)
{
	return probes_add(text, strlen(text), UNIT_COUNT);
}

/* Half of all are one value, a tenth another one; all others differ. */
static void frequent_ones_stay(void **state)
{
	const uint32_t probe = add("sys:values");
	struct probe_seen got;

	(void)state;
	for (unsigned int i = 0; i < 10000; i++) {
		char text[32];

		snprintf(text, sizeof(text), i % 2 ? "half" : i % 10 == 4 ? "tenth" : "rare %u", i);
		probe_values_look(probe, 3);
		probe_values_see(probe, 1, "count", text, 3);
	}
	probe_values_get(probe, &got);
	assert_int_equal(got.looked, 10000);
	assert_int_equal(got.looked_for, 30000);
	assert_int_equal(got.n, 1);
	assert_string_equal(got.list[0].name, "count");
	assert_int_equal(got.list[0].total, 30000);
	assert_int_equal(got.list[0].n, PROBE_VALUES_MAX);
	assert_string_equal(got.list[0].v[0].text, "half");
	assert_int_equal(got.list[0].v[0].count - got.list[0].v[0].error, 15000);
	assert_string_equal(got.list[0].v[1].text, "tenth");
	/* No count is too low, nor higher than it says. */
	assert_in_range(got.list[0].v[1].count, 3000, 3000 + got.list[0].v[1].error);
	for (unsigned int i = 2; i < got.list[0].n; i++)
		assert_true(got.list[0].v[i].error > got.list[0].v[i].count / 2);
}

static void what_is_refused(void **state)
{
	const uint32_t probe = add("sys:refused");
	struct probe_seen got;

	(void)state;
	probe_values_look(PROBE_NONE, 1);
	probe_values_see(PROBE_NONE, 0, "x", "1", 1);
	probe_values_see(probe, PROBE_LISTS_MAX, "x", "1", 1);
	probe_values_see(probe, 0, "", "1", 1);
	probe_values_get(PROBE_NONE, &got);
	assert_int_equal(got.n, 0);
	probe_values_see(probe, 0, "a\x1b", "\x1b[31m", 1);
	probe_values_get(probe, &got);
	assert_int_equal(got.n, 1);
	assert_null(strchr(got.list[0].name, '\x1b'));
	assert_null(strchr(got.list[0].v[0].text, '\x1b'));
}

static void sums_and_parts(void **state)
{
	struct probe_seen a = { .looked = 2, .looked_for = 4, .n = 1 }, b = { .looked = 1, .looked_for = 1, .n = 1 };
	struct probe_seen whole;

	(void)state;
	a.list[0] = (struct probe_values){ .name = "fd", .total = 4, .n = 2, .v = { { "7", 3, 0 }, { "8", 1, 0 } } };
	b.list[0] = (struct probe_values){ .name = "fd", .total = 6, .n = 2, .v = { { "8", 5, 1 }, { "9", 1, 0 } } };
	whole = a;
	probe_seen_add(&whole, &b);
	assert_int_equal(whole.looked_for, 5);
	assert_int_equal(whole.list[0].total, 10);
	assert_int_equal(whole.list[0].n, 3);
	assert_string_equal(whole.list[0].v[0].text, "8");
	assert_int_equal(whole.list[0].v[0].count, 6);
	assert_string_equal(whole.list[0].v[1].text, "7");
	probe_seen_since(&whole, &a);
	assert_int_equal(whole.looked, 1);
	assert_int_equal(whole.list[0].total, 6);
	assert_int_equal(whole.list[0].n, 2);
	assert_string_equal(whole.list[0].v[0].text, "8");
	assert_int_equal(whole.list[0].v[0].count, 5);
	assert_string_equal(whole.list[0].v[1].text, "9");
}

static struct told_hit told;

static void take(struct hitvalues *v, uint32_t probe, uint32_t look, const uint64_t *arg, unsigned int n)
{
	const struct raw_event raw = {
		.kind = RAW_EVENT,
		.hit = { .probe = RAW_PROBE_PLACED + probe, .count = 1, .look = look, .nr_args = (uint8_t)n,
			 .arg = arg },
	};

	hitvalues_take(v, &raw, &told);
}

static const struct probe_values *list_of(const struct probe_seen *s, const char *name)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (!strcmp(s->list[i].name, name))
			return &s->list[i];
	fail_msg("no argument '%s'", name);
	return NULL;
}

/* Numbers by type, results by name, no addresses; of functions what debug information says of all of them. */
static void by_type(void **state)
{
	static const uint64_t lseek[SB_ARGS_MAX] = { 7, (uint64_t)-4096, 1, 0, 0, 0, (uint64_t)-22, 8 };
	static const uint64_t handle[SB_ARGS_MAX] = { 0xffffffffu, 0xfffffffffff, 0, 9, 9, 9, 0 };
	const uint32_t call = add("sys:lseek"), fn = add("call:app:handle");
	AUTO(calltable_free) struct calltable *t = calltable_new("x86_64");
	AUTO(hitvalues_free) struct hitvalues *v = hitvalues_new(t);
	struct probe_seen got;

	(void)state;
	assert_non_null(v);
	take(v, call, 1, lseek, 8);
	probe_values_get(call, &got);
	assert_int_equal(got.looked, 0);
	hitvalues_know(v, call, HITVALUES_CALL);
	take(v, call, 4, lseek, 8);
	probe_values_get(call, &got);
	assert_int_equal(got.looked_for, 4);
	assert_string_equal(list_of(&got, "fd")->v[0].text, "7");
	assert_string_equal(list_of(&got, "offset")->v[0].text, "-4096");
	assert_string_equal(list_of(&got, "whence")->v[0].text, "SEEK_CUR");
	assert_string_equal(list_of(&got, "result")->v[0].text, "EINVAL");
	assert_int_equal(got.n, 4);
	assert_string_equal(told.text, "lseek(7, -4096, SEEK_CUR) = -1 EINVAL (Invalid argument)");
	assert_int_equal(told.look, 4);

	hitvalues_know(v, fn, HITVALUES_FUNCTION);
	probe_param_note(fn, 0, &(struct probe_param){ .name = "n", .size = 4, .is_signed = true });
	probe_param_note(fn, 1, &(struct probe_param){ .name = "big", .size = 8 });
	probe_param_note(fn, 2, &(struct probe_param){ .name = "req", .size = 8, .is_pointer = true });
	probe_param_note(fn, 3, &(struct probe_param){ .name = "one", .size = 8 });
	/* In another function it is called otherwise, or is not in its register. */
	probe_param_note(fn, 3, &(struct probe_param){ .name = "two", .size = 8 });
	probe_param_note(fn, 4, NULL);
	probe_param_note(fn, 4, &(struct probe_param){ .name = "late", .size = 8 });
	take(v, fn, 1, handle, 7);
	probe_values_get(fn, &got);
	assert_int_equal(got.n, 3);
	assert_string_equal(list_of(&got, "n")->v[0].text, "-1");
	assert_string_equal(list_of(&got, "big")->v[0].text, "0xfffffffffff");
	assert_string_equal(list_of(&got, "req")->v[0].text, "NULL");
	assert_string_equal(told.text, "call:app:handle(n=-1, big=0xfffffffffff, req=NULL)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frequent_ones_stay),
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(sums_and_parts),
		cmocka_unit_test(by_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
