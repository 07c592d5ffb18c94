/* SPDX-License-Identifier: BSD-2-Clause */
/* test_ceiling.c - how levels follow what sberf takes; that they lower it: tests/live/ceiling.sh. */
#include "config.h"

#include "base/clock.h"
#include "engine/ceiling.h"

#include "tests/unit/cmocka_all.h"

struct run {
	struct ceiling c;
	uint64_t now, own;
};

/* LOOKS looks while it takes MILLIONTHS; how many of them changed something. */
static unsigned int take(struct run *r, unsigned int looks, uint64_t millionths)
{
	unsigned int changed = 0;

	while (looks--) {
		r->now += CEILING_LOOK_NS;
		r->own += CEILING_LOOK_NS / 1000000 * millionths;
		changed += ceiling_look(&r->c, r->own, r->now);
		/* Sooner it does not look. */
		assert_false(ceiling_look(&r->c, r->own + NSEC_PER_SEC, r->now + CEILING_LOOK_NS - 1));
	}
	return changed;
}

static void up_and_down(void **state)
{
	struct run r = { .c = { .most = 10000, .began = true }, .now = 7 * NSEC_PER_SEC, .own = 20 * NSEC_PER_SEC };

	(void)state;
	/* What was taken before the first look is not counted. */
	assert_false(ceiling_look(&r.c, r.own, r.now));
	assert_int_equal(take(&r, 50, 10000), 0);
	assert_int_equal(r.c.level, 0);
	/* More than the ceiling, and on the average, too: to a half, and where that does not help, to less. */
	assert_int_equal(take(&r, 1, 21000), 1);
	assert_int_equal(r.c.level, 1);
	assert_int_equal(r.c.share, 21000);
	assert_int_equal(take(&r, 2, 21000), 2);
	assert_int_equal(r.c.level, 3);
	/* Between two fifths and the ceiling it stays. */
	assert_int_equal(take(&r, 30, 4100), 0);
	assert_int_equal(take(&r, 14, 3900), 0);
	assert_int_equal(take(&r, 1, 3900), 1);
	assert_int_equal(r.c.level, 2);
	assert_int_equal(take(&r, 100, 100), 2);
	assert_int_equal(r.c.level, 0);
}

/* What took a moment is made up for by half a minute below. */
static void the_average(void **state)
{
	struct run r = { .c = { .most = 10000, .began = true }, .now = 9 * NSEC_PER_SEC };

	(void)state;
	assert_false(ceiling_look(&r.c, r.own, r.now));
	/* Two seconds of 10 % are what 18 seconds leave over. */
	assert_int_equal(take(&r, 10, 100), 0);
	assert_int_equal(take(&r, 1, 100000), 0);
	assert_int_equal(r.c.level, 0);
	assert_int_equal(take(&r, 1, 100000), 1);
	assert_true(r.c.level > 1);
	/* No more than half a minute can be left over. */
	r = (struct run){ .c = { .most = 10000, .began = true }, .now = 9 * NSEC_PER_SEC };
	assert_false(ceiling_look(&r.c, r.own, r.now));
	assert_int_equal(take(&r, 1000, 0), 0);
	assert_int_equal(take(&r, 1, 150000), 0);
	assert_int_equal(take(&r, 1, 21000), 1);
}

/* Whatever it takes at level 0, the average of a minute is below the ceiling then, if a level is half of it. */
static void is_held_below(void **state)
{
	(void)state;
	for (uint64_t full = 5000; full < 600000; full += full / 3) {
		struct run r = { .c = { .most = 10000, .began = true }, .now = NSEC_PER_SEC };
		uint64_t own;

		assert_false(ceiling_look(&r.c, r.own, r.now));
		for (unsigned int i = 0; i < 30; i++)
			(void)take(&r, 1, full >> r.c.level);
		own = r.own;
		for (unsigned int i = 0; i < 30; i++)
			(void)take(&r, 1, full >> r.c.level);
		assert_in_range(r.own - own, 1, 60 * (NSEC_PER_SEC / 100));
	}
}

static void a_start(void **state)
{
	struct run r = { .c = { .most = 10000 }, .now = NSEC_PER_SEC };

	(void)state;
	assert_false(ceiling_look(&r.c, r.own, r.now));
	assert_int_equal(take(&r, 20, 39000), 0);
	/* It counts from now on, and by another sum. */
	ceiling_began(&r.c);
	r.own += 100 * NSEC_PER_SEC;
	assert_int_equal(take(&r, 1, 9000), 0);
	/* What the start took is in no mean: a push of a window, a moment later, is none of it. */
	assert_int_equal(take(&r, 2, 39000), 0);
	assert_int_equal(take(&r, 1, 39000), 1);
	r = (struct run){ .c = { .most = 10000 }, .now = NSEC_PER_SEC };
	assert_false(ceiling_look(&r.c, r.own, r.now));
	assert_int_equal(take(&r, 1, 360000), 1);
}

static void rates_are_not_what_costs(void **state)
{
	struct run r = { .c = { .most = 10000, .began = true }, .now = NSEC_PER_SEC };

	(void)state;
	assert_false(ceiling_look(&r.c, r.own, r.now));
	assert_int_equal(take(&r, 1, 5000000), 1);
	assert_int_equal(r.c.level, CEILING_LEVELS);
	assert_int_equal(take(&r, 2, 11000), 0);
	assert_false(r.c.exceeded);
	/* Once it was below. */
	assert_int_equal(take(&r, 1, 9000), 0);
	assert_int_equal(take(&r, 2, 11000), 0);
	assert_int_equal(take(&r, 1, 11000), 1);
	assert_true(r.c.exceeded);
	assert_int_equal(take(&r, 10, 11000), 0);
}

/* LOOKS looks while the machine switches SWITCHES times in each; at which of them there was room, 0 = at none. */
static unsigned int quiet(struct run *r, struct ceiling_room *room, unsigned int looks, uint64_t switches)
{
	for (unsigned int i = 1; i <= looks; i++) {
		r->now += CEILING_LOOK_NS;
		r->own += switches;
		if (ceiling_room_look(room, 10000, r->own, r->now))
			return i;
		assert_false(ceiling_room_look(room, 10000, r->own + 9, r->now + CEILING_LOOK_NS - 1));
	}
	return 0;
}

static void waits_come_back(void **state)
{
	struct run r = { .now = 5 * NSEC_PER_SEC, .own = 1000000 };
	struct ceiling_room room = { 0 };

	(void)state;
	assert_int_equal(quiet(&r, &room, 100, 100), 0);
	/* 100,000 switches a second took 30 % of a CPU: 2333 a second are seven tenths of the ceiling. */
	assert_int_equal(quiet(&r, &room, 3, 200000), 0);
	ceiling_room_leave(&room, 300000);
	assert_int_equal(quiet(&r, &room, 200, 4700), 0);
	/* Two minutes, which begin anew with each time that there is none. */
	assert_int_equal(quiet(&r, &room, 60, 4600), 0);
	assert_int_equal(quiet(&r, &room, 1, 4700), 0);
	assert_int_equal(quiet(&r, &room, 100, 4600), 61);
	ceiling_room_back(&room);
	assert_int_equal(quiet(&r, &room, 5000, 0), 0);
	/* Each time they have to be left out again it takes twice as long, up to an hour. */
	assert_int_equal(quiet(&r, &room, 3, 200000), 0);
	ceiling_room_leave(&room, 300000);
	assert_int_equal(quiet(&r, &room, 200, 10), 121);
	for (unsigned int i = 0; i < 8; i++) {
		ceiling_room_back(&room);
		assert_int_equal(quiet(&r, &room, 3, 200000), 0);
		ceiling_room_leave(&room, 300000);
	}
	assert_int_equal(quiet(&r, &room, 2000, 10), 1801);
}

static void none(void **state)
{
	struct run r = { .c = { 0 }, .now = NSEC_PER_SEC };

	(void)state;
	assert_int_equal(take(&r, 10, 4000000), 0);
	assert_int_equal(r.c.level, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(up_and_down),
		cmocka_unit_test(the_average),
		cmocka_unit_test(is_held_below),
		cmocka_unit_test(a_start),
		cmocka_unit_test(rates_are_not_what_costs),
		cmocka_unit_test(waits_come_back),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
