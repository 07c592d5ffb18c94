/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_record_numa.c - where memory is, in recordings: migrations, faults and accesses reach the
 * profile with all that they say, and so does the last state of the nodes.
 */
#include "config.h"

#include "model/kind.h"
#include "numa/state.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/sample.h"

/* What there is of one kind at one place. */
struct sum {
	uint8_t kind, mapping, how;
	uint16_t node;
	bool file;
	uint64_t weight, count;
};

typedef VEC(struct sum) sums;

static void sum_up(sums *s, const struct sum *add)
{
	struct sum *slot;

	for (size_t i = 0; i < s->n; i++) {
		struct sum *have = &s->v[i];

		if (have->kind == add->kind && have->mapping == add->mapping && have->how == add->how &&
		    have->node == add->node && have->file == add->file) {
			have->weight += add->weight;
			have->count += add->count;
			return;
		}
	}
	slot = vec_push(s);
	assert_non_null(slot);
	*slot = *add;
}

static const struct sum *sum_of(const sums *s, const struct sum *key)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].kind == key->kind && s->v[i].mapping == key->mapping && s->v[i].how == key->how &&
		    s->v[i].node == key->node && s->v[i].file == key->file)
			return &s->v[i];
	return NULL;
}

static void sum_events(const struct loaded *l, sums *ret)
{
	for (size_t i = 0; i < l->event.n; i++) {
		const struct event *ev = &l->event.v[i];
		const struct sum add = { ev->kind, ev->place.mapping, ev->place.how, ev->place.node,
					 ev->place.file != ID_NONE, ev->weight, ev->count ? ev->count : 1 };

		if (kind_carries(ev->kind) == CARRIES_PLACE)
			sum_up(ret, &add);
	}
}

static void sum_fact(const struct dict *d, const struct fact *f, sums *ret)
{
	const struct memory_place *p = dict_get_place(d, f->place);
	const struct sum add = { f->kind, p->mapping, p->how, p->node, p->file != ID_NONE, f->weight, f->count };

	sum_up(ret, &add);
}

static void sum_facts(const struct loaded *l, sums *ret)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(l->profile);
	struct slice_view v;

	for (size_t i = 0; i < snapshot_slices(s); i++) {
		snapshot_slice(s, i, &v);
		for (size_t k = 0; k < v.n; k++)
			if (kind_carries(v.fact[k].kind) == CARRIES_PLACE)
				sum_fact(profile_dict(l->profile), &v.fact[k], ret);
	}
}

/* What was recorded comes back (test_record.c), and what comes back are facts. */
static void facts_are_in_the_profile(void **state)
{
	sums events = { 0 }, facts = { 0 };
	unsigned int kinds = 0, files = 0;
	struct sample sa;
	struct loaded l;

	sample_make(&sa, 31, 1000, 100);
	sample_load(&l, &sa);
	sample_is_whole(&l, &sa);
	sum_events(&l, &events);
	sum_facts(&l, &facts);
	assert_true(facts.n > 20);
	assert_int_equal(facts.n, events.n);
	for (size_t i = 0; i < facts.n; i++) {
		const struct sum *want = sum_of(&events, &facts.v[i]);

		assert_non_null(want);
		assert_int_equal(facts.v[i].weight, want->weight);
		assert_int_equal(facts.v[i].count, want->count);
		kinds |= 1u << want->kind;
		files += want->file;
	}
	assert_int_equal(kinds, 1u << EVENT_MIGRATION | 1u << EVENT_FAULT | 1u << EVENT_ACCESS);
	assert_true(files);
	vec_free(&events);
	vec_free(&facts);
	loaded_free(&l);
	sample_free(&sa);
}

static void add_access(struct sample *sa, const struct event_place *place)
{
	struct event ev;

	synth_event(&sa->s, 0, &ev);
	ev.kind = EVENT_ACCESS;
	ev.place = *place;
	assert_true(encoder_event(sa->rec.enc, &ev));
}

/* The writer keeps the limits, as it does for the others; words of a later version stay what they are. */
static void beyond_the_limits(void **state)
{
	struct sample sa;
	struct loaded l;

	sample_begin(&sa, 32);
	add_access(&sa, &(struct event_place){ .node = NODES_MAX - 1, .mapping = 200, .how = 77, .file = ID_NONE });
	add_access(&sa, &(struct event_place){ .node = NODES_MAX, .mapping = MAPPING_HEAP, .how = ACCESS_AT,
					       .file = 12345 });
	memory_flush(&sa.rec);
	memory_end(&sa.rec);
	sample_load(&l, &sa);
	assert_string_equal(l.report.note, "");
	assert_int_equal(l.event.n, 2);
	assert_int_equal(l.event.v[0].place.node, NODES_MAX - 1);
	assert_int_equal(l.event.v[0].place.mapping, 200);
	assert_string_equal(mapping_word(l.event.v[0].place.mapping)->name, "other");
	assert_int_equal(l.event.v[0].place.how, 77);
	assert_int_equal(l.event.v[1].place.node, NODE_UNKNOWN);
	assert_int_equal(l.event.v[1].place.mapping, MAPPING_HEAP);
	/* A file that nobody described is none. */
	assert_int_equal(l.event.v[1].place.file, ID_NONE);
	loaded_free(&l);
	sample_free(&sa);
}

/* A place is of a migration, a fault or an access; what its columns hold for others means nothing. */
static void other_kinds_have_none(void **state)
{
	/*
	 * A sample and an access with 0 for every id but the node (4), the mapping (heap) and the
	 * file (of module 700).
	 */
	static const char rows[] = "\0\2\2\0\2\1\6\x13\0\2\4\4\x14\0\2\1\1\x16\0\4\xbd\5\xbd\5";
	struct sample sa;
	struct loaded l;

	sample_begin(&sa, 33);
	memory_block(&sa.rec, BLOCK_EVENTS, 0, rows, sizeof(rows) - 1);
	memory_block(&sa.rec, BLOCK_END, 0, "events=2\n", 9);
	sample_load(&l, &sa);
	assert_string_equal(l.report.note, "");
	assert_int_equal(l.event.n, 2);
	assert_int_equal(l.event.v[0].place.mapping, 0);
	assert_int_equal(l.event.v[1].place.node, 3);
	assert_int_equal(l.event.v[1].place.mapping, MAPPING_HEAP);
	assert_int_equal(l.event.v[1].place.file, ID_NONE);
	loaded_free(&l);
	sample_free(&sa);
}

/* A state that makes no sense counts as damage, and the one before it stays. */
static void bad_states(void **state)
{
	static const char *const bad[] = {
		"", "state", "state time_ns=x\n", "state time_ns=9", "state time_ns=9\nnode id=1024\n",
		"state time_ns=9\nnode id=2\nnode id=1\n", "state time_ns=9\nprocess pid=-1\n",
		"state time_ns=9\nresident node=0 mapping=1\n", "thread pid=1 tid=1\n", "\n\n",
	};
	struct sample sa;
	struct loaded l;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		sample_begin(&sa, 34);
		sample_events(&sa, 5);
		memory_flush(&sa.rec);
		memory_numa(&sa.rec, 7);
		memory_block(&sa.rec, BLOCK_NUMA, 0, bad[i], strlen(bad[i]));
		memory_end(&sa.rec);
		sample_load(&l, &sa);
		assert_int_equal(l.code, 0);
		assert_int_equal(l.err.code, 0);
		assert_int_equal(l.report.damaged_blocks, 1);
		assert_int_equal(l.meta.lost.n[LOST_DAMAGED], 0);
		assert_int_equal(sample_numa(&l), 7);
		sample_is_whole(&l, &sa);
		loaded_free(&l);
		sample_free(&sa);
	}
}

static void one_state(const void *text, size_t n, uint64_t damaged, uint64_t nr)
{
	struct sample sa;
	struct loaded l;

	sample_begin(&sa, 35);
	memory_block(&sa.rec, BLOCK_NUMA, 0, text, n);
	memory_end(&sa.rec);
	sample_load(&l, &sa);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.report.damaged_blocks, damaged);
	assert_int_equal(sample_numa(&l), nr);
	loaded_free(&l);
	sample_free(&sa);
}

/* The limit of its text is the reader's too, and what a newer version says besides is left out. */
static void long_and_newer_states(void **state)
{
	static const char newer[] = "moon phase=3\n";
	AUTO(numa_state_unref) struct numa_state *s = synth_numa(8);
	AUTO_FREE char *text = synth_numa_text(s), *longer = malloc(META_BYTES_MAX + 1);
	const size_t len = strlen(text);

	assert_non_null(longer);
	memcpy(longer, text, len);
	memset(longer + len, '\n', META_BYTES_MAX + 1 - len);
	one_state(longer, META_BYTES_MAX, 0, 8);
	one_state(longer, META_BYTES_MAX + 1, 1, 0);
	memcpy(longer + len, newer, strlen(newer));
	one_state(longer, len + strlen(newer), 0, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_are_in_the_profile),
		cmocka_unit_test(beyond_the_limits),
		cmocka_unit_test(other_kinds_have_none),
		cmocka_unit_test(bad_states),
		cmocka_unit_test(long_and_newer_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
