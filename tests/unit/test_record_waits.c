/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_record_waits.c - waits in recordings: what they add up to, which are left out, whether they
 * have ended, and what they cost.
 */
#include "config.h"

#include "model/kind.h"
#include "record/open_wait_merge.h"
#include "record/table.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/sample.h"

static void same_sums(const struct profile_meta *have, const struct profile_meta *want)
{
	assert_int_equal(have->samples, want->samples);
	assert_int_equal(have->user_samples, want->user_samples);
	assert_int_equal(have->oncpu_ns, want->oncpu_ns);
	assert_memory_equal(have->cut, want->cut, sizeof(want->cut));
	assert_int_equal(have->blocked_ns, want->blocked_ns);
	assert_int_equal(have->runnable_ns, want->runnable_ns);
	assert_int_equal(have->waits, want->waits);
	assert_int_equal(have->wait_stacks, want->wait_stacks);
	assert_memory_equal(&have->unwound, &want->unwound, sizeof(want->unwound));
	assert_memory_equal(&have->wait_unwound, &want->wait_unwound, sizeof(want->wait_unwound));
	assert_memory_equal(have->wait_cut, want->wait_cut, sizeof(want->wait_cut));
	assert_int_equal(have->wait_own_ns, want->wait_own_ns);
	assert_int_equal(have->wait_none_ns, want->wait_none_ns);
	assert_int_equal(have->wait_open_ns, want->wait_open_ns);
	assert_int_equal(have->wait_open, want->wait_open);
}

/* What follows from the events is counted from them. */
static void figures_are_counted(void **state)
{
	struct profile_meta want;
	uint64_t no_time = 0;
	struct sample sa;
	struct loaded l;

	sample_make(&sa, 3, 500, 100);
	sample_load(&l, &sa);
	for (size_t i = 0; i < l.event.n; i++)
		no_time += kind_carries(l.event.v[i].kind) == CARRIES_PLACE ? l.event.v[i].weight : 0;
	synth_sums(profile_dict(l.profile), l.event.v, l.event.n, &want);
	assert_true(want.samples > 100 && want.blocked_ns && want.runnable_ns && want.wait_none_ns &&
		    want.wait_open && no_time);
	same_sums(&l.meta, &want);
	assert_int_equal(l.meta.oncpu_ns + l.meta.blocked_ns + l.meta.runnable_ns + no_time,
			 500ull * SYNTH_WEIGHT + 499 * 500 / 2);
	loaded_free(&l);
	sample_free(&sa);
}

/* What is too short is left out and counted; nothing else changes. */
static void short_waits_are_left_out(void **state)
{
	const uint64_t min = SYNTH_WEIGHT + 100;
	uint64_t waits = 0, ns = 0;
	struct profile_meta want;
	struct loaded all, some;
	struct sample sa;
	size_t k = 0;

	sample_make(&sa, 4, 300, 100);
	sample_load(&all, &sa);
	load_bytes_from(&some, sa.rec.bytes.v, sa.rec.bytes.n, min);
	for (size_t i = 0; i < all.event.n; i++) {
		const struct event *ev = &all.event.v[i];

		if (k < some.line.n && !strcmp(some.line.v[k], all.line.v[i])) {
			assert_true(!EVENT_IS_WAIT(ev->kind) || ev->wait.own_ns >= min);
			k++;
			continue;
		}
		assert_true(EVENT_IS_WAIT(ev->kind) && ev->wait.own_ns < min);
		waits += ev->flags & EVENT_F_PIECE ? 0 : ev->count ? ev->count : 1;
		ns += ev->weight;
	}
	assert_true(waits && k == some.line.n);
	assert_int_equal(some.meta.wait_short, 67 + waits);
	assert_int_equal(some.meta.wait_short_ns, 12345 + ns);
	synth_sums(profile_dict(some.profile), some.event.v, some.event.n, &want);
	same_sums(&some.meta, &want);
	assert_int_equal(some.report.events, 300);
	assert_string_equal(some.report.note, "");
	loaded_free(&some);
	loaded_free(&all);
	sample_free(&sa);
}

static void add_wait(struct sample *sa, enum event_kind kind, enum wait_state state, uint64_t own_ns)
{
	struct event ev;

	synth_event(&sa->s, 0, &ev);
	ev.kind = (uint8_t)kind;
	ev.flags = EVENT_F_USER;
	ev.count = 1;
	ev.thread = 0;
	ev.stack = 1;
	ev.wait = (struct event_wait){ .call = CALL_SYSCALL, .state = (uint8_t)state, .waker = ID_NONE,
				       .own_ns = own_ns };
	assert_true(encoder_event(sa->rec.enc, &ev));
}

/* The time in the run queue after a long wait is shown with it, that of a preempted thread is judged by itself. */
static void a_wait_has_one_length(void **state)
{
	struct sample sa;
	struct loaded l;

	sample_begin(&sa, 21);
	add_wait(&sa, EVENT_BLOCKED, WAIT_INTERRUPTIBLE, 5000);
	add_wait(&sa, EVENT_RUNNABLE, WAIT_INTERRUPTIBLE, 10);
	add_wait(&sa, EVENT_RUNNABLE, WAIT_INTERRUPTIBLE, 20);
	add_wait(&sa, EVENT_BLOCKED, WAIT_INTERRUPTIBLE, 6000);
	add_wait(&sa, EVENT_RUNNABLE, WAIT_PREEMPTED, 30);
	add_wait(&sa, EVENT_RUNNABLE, WAIT_PREEMPTED, 7000);
	add_wait(&sa, EVENT_BLOCKED, WAIT_KILLABLE, 40);
	add_wait(&sa, EVENT_RUNNABLE, WAIT_KILLABLE, 50);
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	load_bytes_from(&l, sa.rec.bytes.v, sa.rec.bytes.n, 5000);
	assert_int_equal(l.event.n, 4);
	assert_int_equal(l.event.v[0].wait.own_ns, 5000);
	assert_int_equal(l.event.v[1].wait.own_ns, 10);
	assert_int_equal(l.event.v[2].wait.own_ns, 6000);
	assert_int_equal(l.event.v[3].wait.own_ns, 7000);
	assert_int_equal(l.meta.wait_short, 67 + 4);
	loaded_free(&l);
	sample_free(&sa);
}

/* Which lock it was for, and who held it, is the same afterwards. */
static void locks_are_kept(void **state)
{
	struct held_lock lock[] = { { .address = 0x7f0012345678, .guess = 2 },
				    { .address = 16, .holder = ID_NONE, .guess = 1 } };
	struct sample sa;
	struct loaded l;
	struct event ev;

	sample_begin(&sa, 23);
	for (int i = 0; i < 3; i++) {
		synth_event(&sa.s, (uint64_t)i, &ev);
		ev.kind = EVENT_BLOCKED;
		ev.flags = EVENT_F_USER;
		lock[0].holder = ev.thread;
		lock[0].place = ev.stack;
		lock[0].offset = 0x28;
		lock[0].readers = 3;
		ev.wait = (struct event_wait){ .call = CALL_SYSCALL, .state = WAIT_INTERRUPTIBLE, .waker = ID_NONE,
					       .own_ns = ev.weight };
		ev.wait.lock = i < 2 ? dict_lock(sa.s.dict, &lock[i]) : LOCK_ID_NONE;
		assert_true(ev.wait.lock != ID_NONE && (i == 2 || ev.wait.lock));
		assert_true(encoder_event(sa.rec.enc, &ev));
	}
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	load_bytes(&l, sa.rec.bytes.v, sa.rec.bytes.n);
	assert_int_equal(l.event.n, 3);
	for (int i = 0; i < 2; i++) {
		const struct held_lock *h = dict_get_lock(profile_dict(l.profile), l.event.v[i].wait.lock);

		assert_int_equal(h->address, lock[i].address);
		assert_int_equal(h->guess, lock[i].guess);
		assert_int_equal(h->place != STACK_ROOT, lock[i].place != STACK_ROOT);
		assert_int_equal(h->offset, lock[i].offset);
		assert_int_equal(h->readers, lock[i].readers);
		if (h->place != STACK_ROOT)
			assert_int_equal(h->place, l.event.v[i].stack);
		assert_int_equal(h->holder == ID_NONE, lock[i].holder == ID_NONE);
		if (h->holder != ID_NONE)
			assert_int_equal(dict_get_thread(profile_dict(l.profile), h->holder)->tid,
					 dict_get_thread(profile_dict(l.profile), l.event.v[i].thread)->tid);
	}
	assert_int_equal(l.event.v[2].wait.lock, LOCK_ID_NONE);
	loaded_free(&l);
	sample_free(&sa);
}

static void add_piece(struct sample *sa, thread_id thread, uint64_t at_ms, uint64_t ms, unsigned int flags)
{
	struct event ev;

	ev = (struct event){
		.kind = EVENT_BLOCKED, .flags = (uint8_t)(EVENT_F_USER | flags), .thread = thread, .stack = 1,
			.cut_module = ID_NONE,
		.time_ns = SYNTH_START_NS + at_ms * 1000000, .weight = ms * 1000000,
		.wait = { .call = CALL_SYSCALL, .state = ms == 3 ? WAIT_INTERRUPTIBLE : WAIT_KILLABLE, .waker = ID_NONE,
			  .own_ns = flags & EVENT_F_EXTRAPOLATED ? 0 : ms * 1000000 },
	};
	assert_true(encoder_event(sa->rec.enc, &ev));
}

/*
 * A wait may be longer than both of its parts, and either may be the longer one. What is told while
 * it lasts knows no better.
 */
static void parts_are_judged_together(void **state)
{
	struct sample sa;
	struct loaded l;

	sample_begin(&sa, 22);
	add_wait(&sa, EVENT_BLOCKED, WAIT_INTERRUPTIBLE, 3000);
	add_wait(&sa, EVENT_RUNNABLE, WAIT_INTERRUPTIBLE, 3001);
	add_wait(&sa, EVENT_BLOCKED, WAIT_KILLABLE, 10);
	add_wait(&sa, EVENT_RUNNABLE, WAIT_KILLABLE, 6000);
	add_wait(&sa, EVENT_BLOCKED, WAIT_STOPPED, 0);           /* stands for others, of lengths that nobody knows */
	add_wait(&sa, EVENT_BLOCKED, WAIT_INTERRUPTIBLE, 3000);
	add_wait(&sa, EVENT_BLOCKED, WAIT_INTERRUPTIBLE, 4999);  /* the last, of which no more comes */
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	load_bytes_from(&l, sa.rec.bytes.v, sa.rec.bytes.n, 5000);
	assert_int_equal(l.event.n, 4);
	assert_int_equal(l.event.v[0].wait.own_ns, 3000);
	assert_int_equal(l.event.v[1].wait.own_ns, 3001);
	assert_int_equal(l.event.v[2].wait.own_ns, 10);
	assert_int_equal(l.event.v[3].wait.own_ns, 6000);
	assert_int_equal(l.meta.wait_short, 67 + 3);
	loaded_free(&l);
	sample_free(&sa);

	sample_begin(&sa, 22);
	add_piece(&sa, 0, 4, 4, EVENT_F_OPEN | EVENT_F_PIECE);
	add_piece(&sa, 0, 8, 8, EVENT_F_OPEN | EVENT_F_PIECE);
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	load_bytes_from(&l, sa.rec.bytes.v, sa.rec.bytes.n, 5000000);
	assert_int_equal(l.event.n, 1);
	assert_int_equal(l.event.v[0].wait.own_ns, 8000000);
	loaded_free(&l);
	sample_free(&sa);
}

/* The writer keeps the limits: what is beyond them would take the rest of its block along. */
static void beyond_the_limits(void **state)
{
	struct event ev, first;
	struct sample sa;
	struct loaded l;

	sample_begin(&sa, 23);
	synth_event(&sa.s, 0, &first);
	ev = first;
	ev.kind = EVENT_BLOCKED;
	ev.time_ns = ev.weight = ev.wait.own_ns = UINT64_MAX;
	ev.wait.call = UINT32_MAX;
	assert_true(encoder_event(sa.rec.enc, &ev) && encoder_event(sa.rec.enc, &first));
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	sample_load(&l, &sa);
	assert_string_equal(l.report.note, "");
	assert_int_equal(l.event.n, 2);
	assert_int_equal(l.event.v[0].time_ns, TIME_MAX);
	assert_int_equal(l.event.v[0].weight, WEIGHT_MAX);
	assert_int_equal(l.event.v[0].wait.own_ns, WEIGHT_MAX);
	assert_int_equal(l.event.v[0].wait.call, CALL_NONE);
	assert_int_equal(l.event.v[1].weight, first.weight);
	loaded_free(&l);
	sample_free(&sa);
}

/* Sums of what is open and what is not in the profile of L. */
static void open_sums(const struct loaded *l, uint64_t *ret_open, uint64_t *ret_over)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(l->profile);
	struct slice_view v;

	*ret_open = *ret_over = 0;
	for (size_t i = 0; i < snapshot_slices(s); i++) {
		snapshot_slice(s, i, &v);
		for (size_t k = 0; k < v.n; k++)
			if (EVENT_IS_WAIT(v.fact[k].kind))
				*(dict_get_wait(profile_dict(l->profile), v.fact[k].wait)->flags &
				  EVENT_F_OPEN ? ret_open : ret_over) += v.fact[k].weight / 1000000;
	}
}

/* A wait told in pieces is open when nothing else of its thread follows, however late that would come. */
static void open_until_heard_of_again(void **state)
{
	uint64_t open, over;
	struct sample sa;
	struct loaded l;
	struct event ev;

	sample_begin(&sa, 24);
	for (int i = 0; i < 4; i++)
		synth_event(&sa.s, (uint64_t)i, &ev);
	add_piece(&sa, 0, 1000, 1000, EVENT_F_OPEN | EVENT_F_PIECE);
	add_piece(&sa, 1, 1001, 20, EVENT_F_OPEN | EVENT_F_PIECE);
	add_piece(&sa, 0, 2000, 1000, EVENT_F_OPEN | EVENT_F_PIECE);
	add_piece(&sa, 1, 900, 300, 0);          /* of before, though it comes later */
	add_piece(&sa, 0, 2100, 100, 0);         /* this one ends */
	memory_flush(&sa.rec);
	add_piece(&sa, 1, 2101, 4000, EVENT_F_OPEN);
	add_piece(&sa, 1, 2102, 5, EVENT_F_EXTRAPOLATED);        /* what was left of others when all was added up */
	ev = (struct event){ .kind = EVENT_FAULT, .time_ns = SYNTH_START_NS + 2103000000, .weight = 1,
			     .thread = 1, .stack = 1,
			     .cut_module = ID_NONE, .place = { .node = 0, .mapping = MAPPING_ANON, .file = ID_NONE } };
	assert_true(encoder_event(sa.rec.enc, &ev));     /* only samples and waits tell that a wait is over */
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	sample_load(&l, &sa);
	assert_int_equal(l.event.n, 8);
	assert_int_equal(l.meta.wait_open, 1);
	assert_int_equal(l.meta.wait_open_ns, 4020 * 1000000ull);
	open_sums(&l, &open, &over);
	assert_int_equal(open, 4020);
	assert_int_equal(over, 2405);
	loaded_free(&l);
	sample_free(&sa);
}

/*
 * A recording of N pieces of 1 ms, each ms, that end after all; every other one is of 3 ms and of
 * another wait when TWO.
 */
static void load_pieces(struct loaded *l, uint32_t n, bool two)
{
	struct sample sa;
	struct event ev;

	sample_begin(&sa, 25);
	synth_event(&sa.s, 0, &ev);
	for (uint32_t i = 0; i < n; i++) {
		add_piece(&sa, 0, i, two && i % 2 ? 3 : 1, EVENT_F_OPEN | EVENT_F_PIECE);
		if (encoder_full(sa.rec.enc))
			memory_flush(&sa.rec);
	}
	add_piece(&sa, 0, n, 7, 0);
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	sample_load(l, &sa);
	sample_free(&sa);
}

/* However many pieces a wait has, it has ended when it has, and its time stays about where it was. */
static void many_pieces(void **state)
{
	const uint32_t n = 2 * OPEN_WAIT_MERGE_MAX;
	uint64_t open, over, ns = 0;
	struct snapshot *s;
	struct slice_view v;
	struct loaded l;

	load_pieces(&l, n, false);
	open_sums(&l, &open, &over);
	assert_int_equal(open, 0);
	assert_int_equal(over, n + 7);
	assert_int_equal(l.meta.wait_open_ns, 0);
	assert_int_equal(l.meta.blocked_ns, (n + 7) * 1000000ull);
	/* In the first half of the time there is half of it. */
	s = profile_snapshot(l.profile);
	for (size_t i = 0; i < snapshot_slices(s); i++) {
		snapshot_slice(s, i, &v);
		if (v.to_ns - SYNTH_START_NS <= n / 2 * 1000000ull)
			for (size_t k = 0; k < v.n; k++)
				ns += v.fact[k].weight;
	}
	assert_in_range(ns / 1000000, n / 2 * 9 / 10, n / 2 * 11 / 10);
	snapshot_unref(s);
	loaded_free(&l);
}

/* More pieces than can be held keep their time, and are open until it is known better. */
static void too_many_pieces(void **state)
{
	uint64_t open, over;
	struct loaded l;

	load_pieces(&l, OPEN_WAIT_MERGE_MAX + 1000, true);
	open_sums(&l, &open, &over);
	assert_int_equal(open, 2000);
	assert_int_equal(over, 2 * OPEN_WAIT_MERGE_MAX + 7);
	assert_int_equal(l.meta.wait_open_ns, 0);
	assert_int_equal(l.meta.blocked_ns, (2 * (OPEN_WAIT_MERGE_MAX + 1000) + 7) * 1000000ull);
	loaded_free(&l);
}

/* What waits need costs nothing where there are none. */
static void samples_alone_have_no_columns_of_waits(void **state)
{
	struct table_view v;
	byte_vec raw = { 0 };
	struct sample sa;
	struct event ev;
	struct block b;
	size_t at;

	sample_begin(&sa, 22);
	for (uint64_t i = 0; i < 100; i++) {
		synth_event(&sa.s, i, &ev);
		if (ev.kind == EVENT_SAMPLE)
			assert_true(encoder_event(sa.rec.enc, &ev));
	}
	memory_flush(&sa.rec);
	at = sample_block(&sa, BLOCK_EVENTS, 0, &b);
	assert_int_equal(block_unpack(&b, sa.rec.bytes.v + at + BLOCK_HEADER_SIZE, &raw), 0);
	assert_int_equal(table_open(&v, COLUMNS_MAX - 1, raw.v, raw.n), TABLE_OK);
	for (unsigned int tag = 1; tag < COLUMNS_MAX; tag++)
		assert_int_equal(v.column[tag].present, tag <= EVENTS_FLAGS || tag == EVENTS_WALK);
	vec_free(&raw);
	sample_free(&sa);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_counted),
		cmocka_unit_test(short_waits_are_left_out),
		cmocka_unit_test(a_wait_has_one_length),
		cmocka_unit_test(locks_are_kept),
		cmocka_unit_test(parts_are_judged_together),
		cmocka_unit_test(beyond_the_limits),
		cmocka_unit_test(open_until_heard_of_again),
		cmocka_unit_test(many_pieces),
		cmocka_unit_test(too_many_pieces),
		cmocka_unit_test(samples_alone_have_no_columns_of_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
