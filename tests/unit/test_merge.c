/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_merge.c - figures of several recordings as one, and what stays apart, and what does not,
 * when recordings of different machines are read into one dictionary.
 */
#include "config.h"

#include "record/metasum.h"
#include "record/reader.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/sample.h"

static void figures_add_up(void **state)
{
	struct profile_meta a, b, c;

	synth_meta(&a);
	b = a;
	b.lost.n[LOST_RING_FULL] = 4;
	b.user_cpu_ns = META_UNKNOWN;
	b.wait_short = 3;
	a.verify_checked = 10;
	b.verify_checked = 5;
	a.verify_cause[VERIFY_LONGER] = b.verify_cause[VERIFY_LONGER] = 1;
	a.rules_pages = 10;
	b.rules_pages = 30;
	a.rules_bytes = META_UNKNOWN;
	b.rules_bytes = 1000;
	snprintf(b.host, sizeof(b.host), "%s", "other");
	b.freq_asked = 49;
	strcpy(a.kernel_without, "none");
	strcpy(b.kernel_without, "prev_state,exit_code");
	c = a;
	meta_add(&c, &a);
	assert_int_equal(c.freq_asked, a.freq_asked);
	assert_int_equal(c.freq_got, a.freq_got);
	meta_add(&a, &b);
	assert_int_equal(a.lost.n[LOST_RING_FULL], 7);
	assert_int_equal(a.wait_short, 70);
	assert_int_equal(a.wait_short_ns, 2 * 12345);
	assert_int_equal(a.verify_checked, 15);
	assert_int_equal(a.verify_cause[VERIFY_LONGER], 2);
	assert_int_equal(a.rules_pages, 30);
	assert_int_equal(a.rules_bytes, 1000);
	assert_true(a.user_cpu_ns == META_UNKNOWN);
	assert_string_equal(a.host, "host.example; other");
	assert_string_equal(a.kernel_without, "none; prev_state,exit_code");
	assert_int_equal(a.freq_asked, 0);
	assert_int_equal(a.target_state, TARGET_KILLED);
	assert_int_equal(a.end_code, 9);
	b.end_code = 11;
	meta_add(&a, &b);
	assert_string_equal(a.host, "host.example; other");
	assert_int_equal(a.target_state, TARGET_ENDED);
}

/* However many there are, a text has room, and says that it holds not all. */
static void texts_have_room(void **state)
{
	struct profile_meta all, one;

	synth_meta(&all);
	synth_meta(&one);
	for (int i = 0; i < 1000; i++) {
		snprintf(one.target, sizeof(one.target), "program %d", i);
		meta_add(&all, &one);
		assert_true(strlen(all.target) < sizeof(all.target));
	}
	assert_non_null(strstr(all.target, "program 0; program 1; "));
	assert_string_equal(all.target + strlen(all.target) - 5, "; ...");
}

static void figures_since(void **state)
{
	struct profile_meta then, now;

	synth_meta(&then);
	then.duration_ns = 1000;
	now = then;
	now.duration_ns = 1500;
	now.lost.n[LOST_RING_FULL] += 5;
	now.late += 2;
	meta_since(&now, &then);
	assert_int_equal(now.lost.n[LOST_RING_FULL], 5);
	assert_int_equal(now.late, 2);
	assert_int_equal(now.wait_short, 0);
	assert_true(now.bpf_cpu_ns == META_UNKNOWN);
	assert_int_equal(now.duration_ns, 500);
	assert_int_equal(now.start_mono_ns, then.start_mono_ns + 1000);
	assert_int_equal(now.start_real_ns, then.start_real_ns + 1000);
}

static void numa_figures(void **state)
{
	struct numa_figures a = { .samples = 5, .far = 3, .kernel_moves = 2, .balancing_faults = 34,
				  .threads_left = 4 };
	struct numa_figures b = { .samples = 7, .far = 4, .kernel_moves = 9, .balancing_faults = 17,
				  .threads_left = 3 };

	numa_figures_add(&a, &b);
	assert_int_equal(a.samples, 12);
	assert_int_equal(a.kernel_moves, 11);
	assert_int_equal(a.balancing_faults, 51);
	assert_int_equal(a.threads_left, 4);
	numa_figures_since(&a, &b);
	assert_int_equal(a.samples, 5);
	assert_int_equal(a.far, 3);
	assert_int_equal(a.kernel_moves, 2);
	assert_int_equal(a.balancing_faults, 34);
	assert_int_equal(a.threads_left, 4);
}

static ssize_t take(void *ctx, void *dst, size_t n)
{
	struct cursor *c = ctx;
	const size_t left = (size_t)(c->end - c->p), k = n < left ? n : left;

	memcpy(dst, c->p, k);
	c->p += k;
	return (ssize_t)k;
}

struct seen {
	const struct dict *dict;
	uint64_t n, first_ns;
	struct event event[64];
};

static void keep(void *ctx, const struct event *ev)
{
	struct seen *s = ctx;

	assert_true(s->n < 64);
	s->event[s->n++] = *ev;
}

static void read_into(struct profile *p, struct names *ns, const struct sample *sa, uint64_t origin,
		      int64_t shift_ns, struct seen *s)
{
	struct cursor in = cursor_of(&sa->rec.bytes);
	struct load_report report;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	const struct load_target t = {
		.profile = p, .names = ns, .meta = &meta, .report = &report,
		.options = { .each = keep, .ctx = s, .only_each = true, .origin = origin, .shift_ns = shift_ns },
	};

	*s = (struct seen){ .dict = profile_dict(p) };
	assert_int_equal(recording_read("test.data", take, &in, &t, &e), 0);
}

static module_id leaf_module(const struct seen *s, size_t i)
{
	return dict_get_frame(s->dict, dict_get_stack(s->dict, s->event[i].stack)->frame)->module;
}

/*
 * Modules that are the same by their build-id are the same everywhere; threads and other files are
 * those of their machine.
 */
static void machines_stay_apart(void **state)
{
	AUTO(profile_free) struct profile *p = profile_new(NULL);
	AUTO(names_free) struct names *ns = names_new();
	const struct dict *d = profile_dict(p);
	unsigned int same = 0, apart = 0;
	struct seen a, b, c;
	struct sample sa;

	sample_make(&sa, 31, 60, 20);
	read_into(p, ns, &sa, 0, 0, &a);
	read_into(p, ns, &sa, 7, 1000, &b);
	assert_int_equal(a.n, 60);
	assert_int_equal(b.n, 60);
	for (size_t i = 0; i < 60; i++) {
		const struct thread *ta = dict_get_thread(d, a.event[i].thread),
			*tb = dict_get_thread(d, b.event[i].thread);
		const module_id ma = leaf_module(&a, i), mb = leaf_module(&b, i);
		const struct module *m = dict_get_module(d, ma);

		assert_int_equal(b.event[i].time_ns, a.event[i].time_ns + 1000);
		assert_true(a.event[i].thread != b.event[i].thread);
		assert_true(ta->pid == tb->pid && ta->tid == tb->tid && ta->comm == tb->comm);
		assert_int_equal(ma == mb, m->kind == MODULE_NOTE || (m->kind != MODULE_ANON && m->build_id_len));
		assert_int_equal(dict_get_module(d, mb)->path, m->path);
		same += ma == mb;
		apart += ma != mb;
	}
	assert_true(same && apart);
	/* Once more from there: the same again. */
	read_into(p, ns, &sa, 7, -1000, &c);
	for (size_t i = 0; i < 60; i++) {
		assert_int_equal(c.event[i].thread, b.event[i].thread);
		assert_int_equal(c.event[i].stack, b.event[i].stack);
		assert_int_equal(c.event[i].time_ns, a.event[i].time_ns - 1000);
	}
	/* No facts: they are for whoever writes them again. */
	{
		AUTO(snapshot_unref) struct snapshot *snapshot = profile_snapshot(p);

		assert_false(snapshot_has(snapshot, EVENT_SAMPLE));
	}
	sample_free(&sa);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_add_up),
		cmocka_unit_test(texts_have_room),
		cmocka_unit_test(figures_since),
		cmocka_unit_test(numa_figures),
		cmocka_unit_test(machines_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
