/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_measure.c - a measure is one row: bytes and calls, of which nothing else knows, are counted
 * in trees and lists, in every picture and format, in differences, through recordings, and on the
 * screen.
 *
 * The tables of measures and kinds are taken in here, with two rows more each; nothing else is
 * changed for it.
 */
#include "config.h"

/* Numbers that no kind has yet: allocations, whose weight is their bytes; and reads, with their length as argument. */
#define KIND_ALLOC 30
#define KIND_READ 31
#define LARGE 4096u              /* a read of so much is a large one */

#define KINDS_OF_TEST \
	[KIND_ALLOC] = { "allocations", CARRIES_NOTHING, 1 }, \
	[KIND_READ] = { "reads", CARRIES_ARGUMENT, 1 },
#define MEASURES_OF_TEST \
	{ \
		.name = "alloc", .title = "bytes allocated", .head = "alloc", .brief = "alloc", .json = "alloc", \
		.about = "memory that was asked for", .unit = UNIT_BYTES, .style = MEASURE_STYLE_OTHER, \
		.kinds = 1u << KIND_ALLOC, \
		.pprof = "alloc_space", .counted = "alloc_objects", \
	}, { \
		.name = "large-reads", .title = "large reads", .head = "reads", .brief = "reads", \
			.json = "large_reads", \
		.about = "reads of 4 KiB and more", .unit = UNIT_COUNT, .style = MEASURE_STYLE_OTHER, \
		.kinds = 1u << KIND_READ, \
		.counts = is_large, .pprof = "large_reads", \
	},

#include "model/event.h"
#include "model/measure.h"

static bool is_large(const struct measured *x);

#include "model/kind.c"
#include "model/measure.c"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "cmd/options.h"
#include "export/exporter.h"
#include "query/treediff.h"
#include "record/reader.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/golden.h"
#include "tests/unit/keys.h"
#include "tests/unit/synth.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

static bool is_large(const struct measured *x)
{
	return x->argument >= LARGE;
}

/* The sets that are asked for. The ids are those of the last two rows. */
static uint32_t alloc_and_reads(void)
{
	return 3u << (measures_count() - 2);
}

static uint32_t alloc(void)
{
	return 1u << (measures_count() - 2);
}

static uint32_t reads(void)
{
	return 1u << (measures_count() - 1);
}

/* Where events come from: a source of two kinds of things that happen, to whoever takes them. */
typedef void take_fn(void *ctx, const struct event *ev);

static void fake_source(struct made *m, take_fn *take, void *ctx)
{
	const thread_id t = made_thread(m, 7, 7, "app");
	const struct {
		const char *stack;
		unsigned int kind;
		uint64_t weight, argument;
	} all[] = {
		{ "main;load;malloc", KIND_ALLOC, 3 << 20, 0 },
		{ "main;parse;malloc", KIND_ALLOC, 1 << 20, 0 },
		{ "main;load;read", KIND_READ, 6, 8192 },
		{ "main;load;read", KIND_READ, 100, 16 },
		{ "main;parse;read", KIND_READ, 2, LARGE },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct event ev = {
			.kind = (uint8_t)all[i].kind, .time_ns = MADE_START_NS + i, .weight = all[i].weight,
				.count = 2, .thread = t,
			.stack = made_stack(m, all[i].stack), .cut_module = ID_NONE, .argument = all[i].argument,
			.wait.waker = ID_NONE, .place.file = ID_NONE,
		};

		take(ctx, &ev);
	}
	made_add(m, MADE_START_NS + 9, t, "main;load", 10 * NSEC_PER_MSEC);
}

static void to_profile(void *ctx, const struct event *ev)
{
	assert_int_equal(profile_add(((struct made *)ctx)->p, ev), 0);
}

static void to_recording(void *ctx, const struct event *ev)
{
	assert_true(encoder_event(((struct memory_recording *)ctx)->enc, ev));
}

static struct query question(uint32_t measures)
{
	return (struct query){ .measures = measures, .arch = MADE_ARCH, .group_by = GROUP_COMM };
}

/* What X makes of it; the caller frees it. */
static char *written(struct made *m, const struct exporter *x, uint32_t measures, size_t *ret_len)
{
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(m->p);
	static const struct profile_meta meta = { .target = "app 7", .target_state = TARGET_ENDED };
	const struct export_view v = { .snapshot = s, .names = m->names, .meta = &meta, .query = question(measures),
				       .group_given = true, .ascii = true };
	struct err e = ERR_INIT;
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	assert_non_null(f);
	if (exporter_write(f, x, &v, &e) < 0)
		fail_msg("%s", e.text);
	fclose(f);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void assert_written(struct made *m, const struct exporter *x, uint32_t measures, const char *const *parts)
{
	size_t len;
	char *text = written(m, x, measures, &len);

	for (; *parts; parts++)
		assert_has(text, *parts);
	free(text);
}

static const struct tree_node *node_called(const struct tree *t, const char *label)
{
	char text[LABEL_MAX];

	for (uint32_t i = 0; i < t->n; i++)
		if (!strcmp(tree_label(t, i, text, sizeof(text)), label))
			return &t->node[i];
	fail_msg("there is no %s", label);
	return NULL;
}

/* Bytes lead, as they come first in the table, and calls stand beside; time does not count. */
static void a_tree_has_both(void **state)
{
	struct made *m = *state;
	struct query q = question(alloc_and_reads());
	const struct tree *t;

	fake_source(m, to_profile, m);
	t = made_look(m, &q);
	assert_int_equal(t->node[0].total_ns, 4 << 20);
	assert_int_equal(t->node[0].count, 4);
	assert_int_equal(t->node[0].value[0], 4 << 20);
	assert_int_equal(t->node[0].value[1], 8);
	assert_int_equal(node_called(t, "load")->value[0], 3 << 20);
	assert_int_equal(node_called(t, "load")->value[1], 6);
	assert_int_equal(node_called(t, "parse")->value[1], 2);
	q.measures = reads();
	t = made_look(m, &q);
	assert_int_equal(t->node[0].total_ns, 8);
	assert_int_equal(node_called(t, "parse")->total_ns, 2);
	/* Beside time, which then leads. */
	q.measures = MEASURES_ON_CPU | reads();
	t = made_look(m, &q);
	assert_int_equal(t->node[0].total_ns, 10 * NSEC_PER_MSEC);
	assert_int_equal(t->node[0].value[0], 10 * NSEC_PER_MSEC);
	assert_int_equal(t->node[0].value[1], 8);
	q.measures = 1u << MEASURE_BLOCKED | alloc();
	t = made_look(m, &q);
	assert_int_equal(t->node[0].total_ns, 0);
	assert_int_equal(t->node[0].value[0], 4 << 20);
	q.measures = 0;
	t = made_look(m, &q);
	assert_int_equal(t->node[0].total_ns, 10 * NSEC_PER_MSEC);
}

/* All of wall time and both of these: the last two have no room in the nodes. What is asked for first leads. */
static void five_are_one_question(void **state)
{
	static const char *const tree[] = {
		"   total     self  running runnable  blocked    alloc    reads       time\n",
		" 100.0 %    0.0 %  100.0 %        .        .  100.0 %  100.0 %    10.0 ms  all\n",
		" 100.0 %  100.0 %  100.0 %        .        .   75.0 %   75.0 %    10.0 ms  - load\n",
		NULL,
	};
	static const char *const flat[] = { "  running runnable  blocked    alloc    reads",
					    "100.0 %        .        .   ", NULL };
	static const char *const json[] = { "\"metrics\":[\"running\",\"runnable\",\"blocked\",\"alloc\","
					    "\"large_reads\"]",
					    "\"alloc_bytes\":3145728", "\"self_running_ns\":10000000",
					    "\"self_large_reads\":6", NULL };
	static const char *const speedscope[] = { "\"endValue\":4194304", "\"endValue\":8",
						  "\"endValue\":10000000", NULL };
	static const char *const callgrind[] = { "alloc", "reads", NULL };
	struct made *m = *state;
	struct query q = question(MEASURES_WALL | alloc_and_reads());
	const struct tree *t;

	fake_source(m, to_profile, m);
	t = made_look(m, &q);
	assert_int_equal(t->node[0].total_ns, 10 * NSEC_PER_MSEC);
	assert_int_equal(tree_value(t, 0, 3), 4 << 20);
	assert_int_equal(tree_value(t, 0, 4), 8);
	assert_int_equal(tree_value(t, (uint32_t)(node_called(t, "load") - t->node), 3), 3 << 20);
	assert_int_equal(tree_value(t, (uint32_t)(node_called(t, "parse") - t->node), 4), 2);
	assert_true(tree_is_parted(t));
	assert_written(m, &exporter_tree, MEASURES_WALL | alloc_and_reads(), tree);
	assert_written(m, &exporter_flat, MEASURES_WALL | alloc_and_reads(), flat);
	assert_written(m, &exporter_json, MEASURES_WALL | alloc_and_reads(), json);
	assert_written(m, &exporter_speedscope, MEASURES_WALL | alloc_and_reads(), speedscope);
	assert_written(m, &exporter_callgrind, MEASURES_WALL | alloc_and_reads(), callgrind);
	q.lead = (uint8_t)measures_count();              /* reads */
	t = made_look(m, &q);
	assert_int_equal(t->node[0].total_ns, 8);
	assert_int_equal(node_called(t, "load")->total_ns, 6);
	assert_int_equal(t->node[0].value[TIME_RUNNING], 10 * NSEC_PER_MSEC);
	q.measures = alloc_and_reads();
	t = made_look(m, &q);
	assert_int_equal(t->node[0].total_ns, 8);
	assert_int_equal(t->node[0].value[0], 8);
	assert_int_equal(t->node[0].value[1], 4 << 20);
}

static void texts_have_columns(void **state)
{
	static const char *const tree[] = {
		"   total     self    alloc    reads      alloc\n",
		" 100.0 %    0.0 %  100.0 %  100.0 %     4.0 MB  all\n",
		"  75.0 %    0.0 %   75.0 %   75.0 %     3.0 MB  - load\n",
		NULL,
	};
	static const char *const flat[] = { " 100.0 %  100.0 %  100.0 %        .", "   alloc    reads",
					    "malloc\n", NULL };
	static const char *const folded[] = { "app;main;load;malloc 3145728\n",
					      "app;main;parse;malloc 1048576\n", NULL };
	static const char *const lines[] = { "app;main;load;read 6\n", "app;main;parse;read 2\n", NULL };
	struct made *m = *state;

	fake_source(m, to_profile, m);
	assert_written(m, &exporter_tree, alloc_and_reads(), tree);
	assert_written(m, &exporter_flat, alloc_and_reads(), flat);
	assert_written(m, &exporter_folded, alloc(), folded);
	assert_written(m, &exporter_folded, reads(), lines);
}

static void pictures_and_documents(void **state)
{
	static const char *const svg[] = { "\"unit\":\"bytes\"", "app 7: bytes allocated",
					   "memory that was asked for", NULL };
	static const char *const html[] = { "\"unit\":\"count\"", "app 7: large reads", NULL };
	static const char *const speedscope[] = {
		"\"name\":\"bytes allocated\",\n\"unit\":\"bytes\",\n\"startValue\":0,\n\"endValue\":4194304",
		"\"name\":\"large reads\",\n\"unit\":\"none\",\n\"startValue\":0,\n\"endValue\":8", NULL,
	};
	static const char *const json[] = {
		"\"unit\":\"bytes\"", "\"metrics\":[\"alloc\",\"large_reads\"]", "\"total\":4194304",
			"\"alloc_bytes\":3145728",
		"\"large_reads\":6", "\"self_alloc_bytes\":1048576", NULL,
	};
	struct made *m = *state;

	fake_source(m, to_profile, m);
	assert_written(m, &exporter_svg, alloc(), svg);
	assert_written(m, &exporter_html, reads(), html);
	assert_written(m, &exporter_speedscope, alloc_and_reads(), speedscope);
	assert_written(m, &exporter_json, alloc_and_reads(), json);
}

/* The profile has no compression inside gzip that would hide its words. */
static void pprof_has_types(void **state)
{
	static const char *const words[] = { "alloc_objects", "alloc_space", "bytes", "large_reads", "count" };
	struct made *m = *state;
	z_stream z = { 0 };
	unsigned char raw[65536];
	size_t len;
	char *packed;

	fake_source(m, to_profile, m);
	packed = written(m, &exporter_pprof, alloc_and_reads(), &len);
	z.next_in = (unsigned char *)packed;
	z.avail_in = (uInt)len;
	z.next_out = raw;
	z.avail_out = sizeof(raw);
	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_non_null(memmem(raw, z.total_out, words[i], strlen(words[i])));
	/* 3145728 as a varint. */
	assert_non_null(memmem(raw, z.total_out, "\x80\x80\xc0\x01", 4));
	free(packed);
}

static void differences_have_units(void **state)
{
	static const uint64_t wall[DIFF_SIDES] = { 1, 1 };
	struct made *m = *state, other;
	const struct query q = question(alloc());
	struct diff_view v = { .name = { "a", "b" }, .head = { "before", "after" }, .ascii = true };
	struct err e = ERR_INIT;
	struct diff *d;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fake_source(m, to_profile, m);
	made_init(&other, NULL);
	fake_source(&other, to_profile, &other);
	fake_source(&other, to_profile, &other);
	assert_int_equal(diff_build(made_look(m, &q), made_look(&other, &q), DIFF_BY_NONE, wall, &d, &e), 0);
	v.diff = d;
	assert_int_equal(exporter_tree.diff.write(f, &v, &e), 0);
	fclose(f);
	assert_has(text, "   +100.0");
	assert_has(text, "4.0 MB     8.0 MB  all");
	free(text);
	diff_free(d);
	made_free(&other);
}

static ssize_t give(void *ctx, void *dst, size_t n)
{
	struct cursor *c = ctx;
	const size_t left = (size_t)(c->end - c->p), k = n < left ? n : left;

	memcpy(dst, c->p, k);
	c->p += k;
	return (ssize_t)k;
}

static void read_into(struct made *m, const byte_vec *bytes, struct load_report *ret)
{
	struct cursor in = cursor_of(bytes);
	struct profile_meta meta;
	struct err e = ERR_INIT;
	const struct load_target t = { .profile = m->p, .names = m->names, .meta = &meta, .report = ret };

	if (recording_read("test.data", give, &in, &t, &e) < 0)
		fail_msg("%s", e.text);
}

/* A recording of what the source of M gave, the one of that NUMBER. */
static void record(struct made *m, uint8_t number, struct memory_recording *r)
{
	const struct synth s = { .dict = m->d, .names = m->names, .recording = number };
	struct profile_meta meta = { .target = "app 7", .host = "one", .start_real_ns = NSEC_PER_SEC,
				     .start_mono_ns = NSEC_PER_SEC };

	memory_begin(r, &s, &meta);
	fake_source(m, to_recording, r);
	memory_flush(r);
	memory_end(r);
}

/* A file with the N bytes at V; PATH, a pattern of mkstemp(3), becomes its name. */
static void put_file(char *path, const uint8_t *v, size_t n)
{
	AUTO_FD int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, v, n), n);
}

/* What `sberf merge` makes of A and B, to *RET. */
static void merge(const byte_vec *a, const byte_vec *b, byte_vec *ret)
{
	char one[] = "/tmp/test_measure.XXXXXX", two[] = "/tmp/test_measure.XXXXXX",
		both[] = "/tmp/test_measure.XXXXXX";
	const char *files[] = { one, two };
	const struct options o = { .command_name = "merge", .files = { .v = files, .n = 2 }, .output = both };
	struct err e = ERR_INIT;
	AUTO_FD int fd = -1;
	ssize_t n;

	put_file(one, a->v, a->n);
	put_file(two, b->v, b->n);
	put_file(both, NULL, 0);
	if (merge_recordings(&o, &e) < 0)
		fail_msg("%s", e.text);
	fd = open(both, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && vec_reserve(ret, 1 << 20));
	n = read(fd, ret->v, 1 << 20);
	assert_true(n > 0);
	ret->n = (size_t)n;
	unlink(one);
	unlink(two);
	unlink(both);
}

/* Recordings have them by name, with their arguments, and two that are merged add up. */
static void recordings_and_merges(void **state)
{
	struct made *m = *state, merged;
	const struct query q = question(alloc_and_reads());
	struct memory_recording r, later;
	struct load_report report;
	const struct tree *t;
	byte_vec both = { 0 };

	record(m, 1, &r);
	record(m, 2, &later);
	assert_non_null(memmem(r.bytes.v, r.bytes.n, "SBLK", 4));
	merge(&r.bytes, &later.bytes, &both);
	made_init(&merged, NULL);
	read_into(&merged, &r.bytes, &report);
	assert_int_equal(report.events, 5);
	t = made_look(&merged, &q);
	assert_int_equal(t->node[0].total_ns, 4 << 20);
	assert_int_equal(t->node[0].value[1], 8);
	made_free(&merged);
	made_init(&merged, NULL);
	read_into(&merged, &both, &report);
	assert_int_equal(report.events, 10);
	t = made_look(&merged, &q);
	assert_int_equal(t->node[0].total_ns, 8 << 20);
	assert_int_equal(t->node[0].value[1], 16);
	assert_int_equal(node_called(t, "load")->value[1], 12);
	memory_free(&r);
	memory_free(&later);
	vec_free(&both);
	made_free(&merged);
}

/*
 * Of a kind that no measure counts nobody knows what it is, and it is left out; so is what a file
 * calls by no name that is known.
 */
static void unknown_ones_are_left_out(void **state)
{
	struct made *m = *state, loaded;
	const struct synth s = { .dict = m->d, .names = m->names };
	struct profile_meta meta = { .target = "app 7", .host = "one", .start_real_ns = NSEC_PER_SEC,
				     .start_mono_ns = NSEC_PER_SEC };
	struct event ev = { .kind = KIND_ALLOC - 1, .time_ns = MADE_START_NS, .weight = 5,
			    .cut_module = ID_NONE, .count = 1, .wait.waker = ID_NONE, .place.file = ID_NONE };
	struct memory_recording r;
	struct load_report report;

	ev.thread = made_thread(m, 7, 7, "app");
	ev.stack = made_stack(m, "main");
	memory_begin(&r, &s, &meta);
	assert_true(encoder_event(r.enc, &ev));
	fake_source(m, to_recording, &r);
	memory_flush(&r);
	memory_end(&r);
	made_init(&loaded, NULL);
	read_into(&loaded, &r.bytes, &report);
	assert_int_equal(report.events, 5);
	memory_free(&r);
	made_free(&loaded);
}

/* What is short of memory loses arguments last, and no sum. */
static void folding_keeps_sums(void **state)
{
	const struct profile_limits tight = { .bytes = 4u << 20 };
	struct query q = question(alloc());
	struct made m;
	char stack[64];
	thread_id t;

	(void)state;
	made_init(&m, &tight);
	t = made_thread(&m, 7, 7, "app");
	for (unsigned int i = 0; i < 200000; i++) {
		snprintf(stack, sizeof(stack), "main;f%u;g%u", i % 2000, i % 777);
		m.ev = (struct event){ .kind = KIND_ALLOC, .time_ns = i * NSEC_PER_MSEC * 10, .weight = 3,
				       .count = 1, .thread = t,
				       .stack = made_stack(&m, stack), .cut_module = ID_NONE, .wait.waker = ID_NONE,
				       .place.file = ID_NONE };
		made_again(&m);
	}
	assert_int_equal(made_look(&m, &q)->node[0].total_ns, 600000);
	made_free(&m);
}

static void the_screen_shows_them(void **state)
{
	struct ui_options o = { .refresh_ns = NSEC_PER_SEC, .title = "sberf report", .ascii = true };
	struct made_session f;
	struct driver d;

	(void)state;
	o.filter.measures = alloc_and_reads();
	madesession_init(&f);
	fake_source(&f.m, to_profile, &f.m);
	driver_init_with(&d, &f, &o, 120, 24);
	assert_screen_has(d.canvas, "bytes allocated, large reads");
	assert_screen_has(d.canvas, "alloc");
	assert_screen_has(d.canvas, "reads");
	assert_screen_has(d.canvas, "75.0 %");
	driver_free(&d);
	o.filter.measures = MEASURES_WALL | alloc_and_reads();
	driver_init_with(&d, &f, &o, 150, 24);
	assert_screen_has(d.canvas, "running runnable  blocked ── alloc ── reads");
	driver_press(&d, "sssss");
	assert_screen_has(d.canvas, "sorted by bytes allocated");
	assert_screen_has(d.canvas, "75.0 %");
	driver_free(&d);
	o.filter.measures = reads();
	driver_init_with(&d, &f, &o, 120, 24);
	assert_screen_has(d.canvas, "large reads");
	assert_screen_has(d.canvas, "75.0 %");
	driver_free(&d);
	madesession_free(&f);
}

/* A set has its places: time where it always was, others where there is room, and the lowest leads. */
static void sets_have_places(void **state)
{
	struct measure_set s = measure_set(MEASURES_WALL | alloc_and_reads(), 0);

	(void)state;
	assert_true(s.at[0] == MEASURE_RUNNING && s.at[1] == MEASURE_RUNNABLE &&
		    s.at[2] == MEASURE_BLOCKED && s.lead == 7 && measure_get(s.at[3])->unit == UNIT_BYTES &&
		    measure_get(s.at[4])->unit == UNIT_COUNT && s.at[5] == MEASURE_NONE);
	assert_true(measures_fit(MEASURES_WALL | alloc_and_reads()));
	assert_false(measures_fit(MEASURES_WALL | alloc_and_reads() | MEASURES_FAR | MEASURES_FAR << 1));
	s = measure_set(MEASURES_WALL | alloc_and_reads(), measures_count());
	assert_true(s.lead == 1u << 3 && s.first == 3 && measure_get(s.at[3])->unit == UNIT_COUNT);
	s = measure_set(MEASURES_WALL | alloc_and_reads(), MEASURE_BLOCKED + 1);
	assert_true(s.lead == 7 && s.first == 0);
	s = measure_set(1u << MEASURE_BLOCKED | alloc_and_reads(), MEASURE_RUNNING + 1);
	assert_true(s.lead == 1u << TIME_BLOCKED && measure_get(s.at[0])->unit == UNIT_BYTES &&
		    measure_get(s.at[1])->unit == UNIT_COUNT);
	s = measure_set(alloc_and_reads(), 0);
	assert_true(s.lead == 1 && s.first == 0 && measure_lead(&s)->unit == UNIT_BYTES && s.at[2] == MEASURE_NONE);
	s = measure_set(0, 0);
	assert_true(!s.lead && measure_lead(&s) == measure_get(MEASURE_RUNNING));
	for (unsigned int id = 0; id < measures_count(); id++)
		assert_true(id == MEASURE_IMPORTED ||
			    measure_named(measure_get(id)->name, strlen(measure_get(id)->name)) == id);
	assert_int_equal(measure_named("cpu", 3), MEASURE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_have_places),
		MADE_TEST(a_tree_has_both),
		MADE_TEST(five_are_one_question),
		MADE_TEST(texts_have_columns),
		MADE_TEST(pictures_and_documents),
		MADE_TEST(pprof_has_types),
		MADE_TEST(differences_have_units),
		MADE_TEST(recordings_and_merges),
		MADE_TEST(unknown_ones_are_left_out),
		cmocka_unit_test(folding_keeps_sums),
		cmocka_unit_test(the_screen_shows_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
