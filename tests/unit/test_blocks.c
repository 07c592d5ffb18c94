/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_blocks.c - the table of living blocks against one that is as simple as can be: sums, peaks,
 * what is temporary, ends of processes, missed frees, and its bounds.
 */
#include "config.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/octave.h"
#include "memory/blocks.h"
#include "tests/unit/cmocka_all.h"

#include <string.h>

#define STACKS 8u
#define ADDRS 512u

/* What was told, by kind and stack. */
struct world {
	struct amounts {
		uint64_t bytes, blocks, temporary, leaked;
	} sum[EVENT_KINDS_MAX][STACKS];
	unsigned int oldest;             /* the greatest class of age of what is in use */
};

static void see(void *ctx, const struct event *ev)
{
	struct world *w = ctx;
	const struct allocation a = allocation_of(ev->argument);
	struct amounts *to = &w->sum[ev->kind][ev->stack];

	assert_true(ev->stack < STACKS);
	to->bytes += ev->weight;
	to->blocks += ev->count;
	if (a.temporary)
		to->temporary += ev->count;
	if (a.leaked)
		to->leaked += ev->count;
	if (ev->kind == EVENT_IN_USE && a.age > w->oldest)
		w->oldest = a.age;
}

static struct blocks *made(struct world *w, uint32_t max)
{
	struct blocks *b;

	memset(w, 0, sizeof(*w));
	b = blocks_new(&(struct blocks_config){ .max = max, .tell = see, .ctx = w });
	assert_non_null(b);
	return b;
}

static void begin(struct blocks *b, uint64_t process, uint64_t addr, uint64_t size, stack_id stack, thread_id thread,
		  uint64_t ms)
{
	blocks_begin(b, &(struct block_begin){ .process = process, .addr = addr, .size = size,
					       .weight = alloc_weight(size, 1, 0), .interval = 1,
					       .time_ns = ms * NSEC_PER_MSEC, .thread = thread, .stack = stack });
}

static void end(struct blocks *b, uint64_t process, uint64_t addr, thread_id thread, uint64_t ms)
{
	blocks_end(b, &(struct block_end){ .process = process, .addr = addr, .time_ns = ms * NSEC_PER_MSEC,
					   .thread = thread });
}

static struct world in_use(const struct blocks *b, uint64_t ms, uint64_t older_ms)
{
	struct world w = { 0 };

	blocks_tell_in_use(b, ms * NSEC_PER_MSEC, older_ms * NSEC_PER_MSEC, see, &w);
	return w;
}

/* Random blocks of two processes, against an array of them. */
static void sums_and_peak(void **state)
{
	struct simple {
		uint64_t size;
		stack_id stack;
	} simple[2][ADDRS] = { 0 };
	uint64_t now[STACKS] = { 0 }, peak[STACKS] = { 0 }, allocated[STACKS] = { 0 }, total = 0, most = 0;
	struct blocks_figures f;
	struct world w, use;
	struct blocks *b = made(&w, 0);

	(void)state;
	for (uint64_t i = 0; i < 200000; i++) {
		const uint64_t r = hash_u64(i);
		const unsigned int p = r & 1, addr = r >> 1 & (ADDRS - 1);
		struct simple *s = &simple[p][addr];

		/* What is in use rises and falls. */
		if (!s->size && (r >> 20) % 100 < (i / 20000 % 2 ? 70 : 30)) {
			*s = (struct simple){ (r >> 32 & 1023) + 1, r >> 16 & (STACKS - 1) };
			begin(b, p, addr * 16, s->size, s->stack, 1, i / 100);
			allocated[s->stack] += s->size;
			now[s->stack] += s->size;
			total += s->size;
		} else if (s->size) {
			end(b, p, addr * 16, 1, i / 100);
			now[s->stack] -= s->size;
			total -= s->size;
			s->size = 0;
		}
		if (total > most) {
			most = total;
			memcpy(peak, now, sizeof(peak));
		}
	}
	use = in_use(b, 2000, 0);
	blocks_figures(b, &f);
	assert_int_equal(f.in_use, total);
	assert_int_equal(f.peak, most);
	assert_int_equal(f.unknown_frees + f.missed_frees + f.dropped + f.frozen, 0);
	for (unsigned int i = 0; i < STACKS; i++) {
		assert_int_equal(w.sum[EVENT_ALLOC][i].bytes, allocated[i]);
		assert_int_equal(w.sum[EVENT_ALLOC][i].bytes - w.sum[EVENT_FREE][i].bytes, now[i]);
		assert_int_equal(use.sum[EVENT_IN_USE][i].bytes, now[i]);
		assert_int_equal(use.sum[EVENT_PEAK][i].bytes, peak[i]);
	}
	assert_true(blocks_bytes(b) < 1u << 20);
	blocks_free(b);
}

static void temporary_ones(void **state)
{
	struct world w;
	struct blocks *b = made(&w, 0);

	(void)state;
	begin(b, 1, 16, 100, 1, 1, 0);
	end(b, 1, 16, 1, 1);             /* at once */
	begin(b, 1, 16, 100, 2, 1, 0);
	begin(b, 1, 32, 100, 3, 1, 0);
	end(b, 1, 16, 1, 1);             /* after another one */
	end(b, 1, 32, 2, 1);             /* by another thread */
	begin(b, 1, 48, 100, 4, 2, 0);
	begin(b, 1, 64, 100, 5, 3, 0);
	end(b, 1, 48, 2, 1);             /* of others the thread knows nothing */
	blocks_end(b, &(struct block_end){ .process = 1, .addr = 64, .thread = 3, .temporary = true });
	assert_int_equal(w.sum[EVENT_FREE][1].temporary, 1);
	assert_int_equal(w.sum[EVENT_FREE][2].temporary, 0);
	assert_int_equal(w.sum[EVENT_FREE][2].blocks, 1);
	assert_int_equal(w.sum[EVENT_FREE][3].temporary, 0);
	assert_int_equal(w.sum[EVENT_FREE][4].temporary, 1);
	assert_int_equal(w.sum[EVENT_FREE][5].temporary, 1);
	blocks_free(b);
}

/* Which block an address is in, of those that are in use. */
static void what_has_an_address(void **state)
{
	struct world w;
	struct blocks *b = made(&w, 0);
	stack_id stack;
	uint32_t offset;

	(void)state;
	assert_false(blocks_at(b, 1, 0x1000, &stack, &offset));
	begin(b, 1, 0x1000, 0x60, 1, 1, 0);
	begin(b, 1, 0x1060, 0x2000, 2, 1, 0);
	assert_true(blocks_at(b, 1, 0x1028, &stack, &offset));
	assert_int_equal(stack, 1);
	assert_int_equal(offset, 0x28);
	assert_true(blocks_at(b, 1, 0x1060, &stack, &offset));
	assert_int_equal(stack, 2);
	assert_int_equal(offset, 0);
	assert_false(blocks_at(b, 1, 0xfff, &stack, &offset));
	assert_false(blocks_at(b, 2, 0x1028, &stack, &offset));
	/* What lies behind the end of the block before it is in none. */
	end(b, 1, 0x1060, 1, 1);
	assert_false(blocks_at(b, 1, 0x1060, &stack, &offset));
	blocks_free(b);
}

static void ends_of_processes(void **state)
{
	struct blocks_figures f;
	struct world w, use;
	struct blocks *b = made(&w, 0);

	(void)state;
	begin(b, 1, 16, 100, 1, 1, 0);
	begin(b, 1, 32, 200, 1, 1, 900);
	begin(b, 2, 16, 50, 2, 2, 0);
	begin(b, 3, 16, 70, 3, 3, 0);
	blocks_process_over(b, 1, 1000 * NSEC_PER_MSEC);
	blocks_process_over(b, 9, 0);
	blocks_process_exec(b, 2, 1000 * NSEC_PER_MSEC);
	use = in_use(b, 100000, 0);
	blocks_figures(b, &f);
	assert_int_equal(f.frozen, 300);
	assert_int_equal(f.in_use, 70);
	assert_int_equal(f.peak, 420);
	assert_int_equal(use.sum[EVENT_IN_USE][1].bytes, 300);
	assert_int_equal(use.sum[EVENT_IN_USE][1].leaked, 2);
	assert_int_equal(use.sum[EVENT_IN_USE][2].bytes, 0);
	assert_int_equal(w.sum[EVENT_FREE][2].bytes, 50);
	assert_int_equal(use.sum[EVENT_IN_USE][3].leaked, 0);
	assert_int_equal(use.sum[EVENT_PEAK][1].bytes + use.sum[EVENT_PEAK][2].bytes + use.sum[EVENT_PEAK][3].bytes,
			 420);
	/* What is frozen does not age; the others are leaked when they are old enough. */
	use = in_use(b, 100000, 50000);
	assert_int_equal(use.sum[EVENT_IN_USE][3].leaked, 1);
	assert_int_equal(use.oldest, octave_class(100000));
	blocks_free(b);
}

static void frees_unknown_and_missed(void **state)
{
	struct blocks_figures f;
	struct world w, use;
	struct blocks *b = made(&w, 0);

	(void)state;
	end(b, 1, 16, 1, 0);
	begin(b, 1, 16, 100, 1, 1, 1);
	end(b, 2, 16, 1, 2);
	begin(b, 1, 16, 30, 2, 1, 5);
	use = in_use(b, 10, 0);
	blocks_figures(b, &f);
	assert_int_equal(f.unknown_frees, 2);
	assert_int_equal(f.missed_frees, 1);
	assert_int_equal(w.sum[EVENT_FREE][1].bytes, 100);
	assert_int_equal(use.sum[EVENT_IN_USE][1].bytes, 0);
	assert_int_equal(use.sum[EVENT_IN_USE][2].bytes, 30);
	blocks_free(b);
}

/* Allocations that come after their frees, or after the end of their process, as their stack came late. */
static void late_ones(void **state)
{
	struct blocks_figures f;
	struct world w, use;
	struct blocks *b = made(&w, 0);

	(void)state;
	/* twice at one address, and once more, which lives */
	end(b, 1, 16, 1, 20);
	end(b, 1, 16, 1, 40);
	begin(b, 1, 16, 100, 1, 1, 10);
	begin(b, 1, 16, 200, 2, 1, 30);
	begin(b, 1, 16, 50, 3, 1, 50);
	/* the younger of two comes first */
	end(b, 1, 80, 1, 20);
	begin(b, 1, 80, 5, 0, 1, 30);
	end(b, 1, 80, 1, 40);
	begin(b, 1, 80, 4, 0, 1, 10);
	assert_int_equal(w.sum[EVENT_FREE][0].bytes, 9);
	blocks_figures(b, &f);
	assert_int_equal(f.unknown_frees, 0);
	assert_int_equal(f.in_use, 50);
	assert_int_equal(w.sum[EVENT_FREE][1].bytes, 100);
	assert_int_equal(w.sum[EVENT_FREE][2].bytes, 200);
	/* What was allocated between the two may come later still: that it was nothing is not known. */
	assert_int_equal(w.sum[EVENT_FREE][2].temporary, 0);
	blocks_process_over(b, 1, 100 * NSEC_PER_MSEC);
	begin(b, 1, 32, 70, 4, 1, 90);
	/* the number belongs to another process by now */
	begin(b, 1, 48, 30, 5, 1, 110);
	blocks_process_exec(b, 1, 200 * NSEC_PER_MSEC);
	begin(b, 1, 64, 20, 6, 1, 190);
	begin(b, 1, 64, 10, 7, 1, 210);
	use = in_use(b, 300, 0);
	blocks_figures(b, &f);
	assert_int_equal(use.sum[EVENT_IN_USE][4].leaked, 1);
	assert_int_equal(w.sum[EVENT_FREE][5].bytes, 30);
	assert_int_equal(w.sum[EVENT_FREE][6].bytes, 20);
	assert_int_equal(f.in_use, 10);
	assert_int_equal(f.frozen, 120);
	assert_int_equal(f.missed_frees, 0);
	blocks_free(b);
}

/* What finds no room is told and counted, and its free is one of many that nobody knows. */
static void bounds(void **state)
{
	struct blocks_figures f;
	struct world w;
	struct blocks *b = made(&w, 4);

	(void)state;
	for (uint64_t i = 1; i <= 6; i++)
		begin(b, 1, i * 16, 10, 1, 1, 0);
	end(b, 1, 16, 1, 0);
	begin(b, 1, 7 * 16, 10, 1, 1, 0);
	for (uint64_t i = 2; i <= 7; i++)
		end(b, 1, i * 16, 1, 0);
	blocks_figures(b, &f);
	assert_int_equal(f.told, 7);
	assert_int_equal(f.dropped, 2);
	assert_int_equal(f.dropped_bytes, 20);
	assert_int_equal(f.unknown_frees, 2);
	assert_int_equal(f.living, 0);
	assert_int_equal(f.in_use, 0);
	assert_int_equal(w.sum[EVENT_ALLOC][1].bytes, 70);
	assert_int_equal(w.sum[EVENT_FREE][1].bytes, 50);
	blocks_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_and_peak),
		cmocka_unit_test(temporary_ones),
		cmocka_unit_test(what_has_an_address),
		cmocka_unit_test(ends_of_processes),
		cmocka_unit_test(frees_unknown_and_missed),
		cmocka_unit_test(late_ones),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
