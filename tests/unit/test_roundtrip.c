/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_roundtrip.c - what sberf exports as text, it reads back: the same threads, functions and
 * times, whatever their names hold. A profile of hostile names is written, read and shown as folded
 * stacks, which must be those of the first one.
 */
#include "config.h"

#include "export/exporter.h"
#include "import/import.h"
#include "query/treediff.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROUNDS 100u
#define SAMPLES 40u
#define THREADS 8u
#define NAME_MAX_BYTES 256u

/* What names are put together from. */
static const char *const bits[] = {
	" ", "  ", "#", "# ", "(", " (", ")", ";", "\t", "\n", "\r", "'", "\"", ":", ",", "/", "\\", "<", "&", "%s",
		"\x7f", "\x1b[31m",
	"\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x94\xa5", "\xef\xbb\xbf", "\xe2\x80\xae", "\xff", "\xc3", "\xed\xa0\x80",
	"0", "7", "42", "-1",
	"-1/-1", "12/34", "12/34 [001]", " 1 1.0: e:", "1 [000] 2.000000: 5 cpu-clock:",
	" 12345/12345 [000]     1.000000:          5 cpu-clock:",
	"main", "operator()(int) const", "+0x1c", "+0x1c (", "+0x1c (/x)", "(inlined)", " (inlined)", "[unknown]",
	"[unknown] (", "(other)",
	"[cut: x]", "_[k]", "_[i]", "_[j]", "PERF_RECORD_COMM", "# ========", "cafe", "7f12 f", ":", "(deleted)",
	" (/opt/My App (x86)/bin)", "SBERFDAT", "PERFILE2", "all", "swapper/0",
};
static const char *const paths[] = {
	"/bin/app", "/opt/My App (x86)/bin/app", "/opt/My App (x86)/bin/app (deleted)", "/memfd:x (deleted)", " /x ",
		"/a+0x1 (b", "/a+0x (b)",
	"[x]", "/\xff\n", "/tmp/#1 ;x", "/\xe4\xb8\xad (",
};
#define ONE_OF(r, table) (table)[next(r) % (sizeof(table) / sizeof(*(table)))]

struct random {
	uint64_t state;
};

static uint32_t next(struct random *r)
{
	r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(r->state >> 33);
}

/* A name of MOST parts at most; there may be none. */
static size_t make_name(struct random *r, char dst[NAME_MAX_BYTES], unsigned int most)
{
	size_t len = 0;

	for (unsigned int n = next(r) % (most + 1); n; n--) {
		const char *bit = ONE_OF(r, bits);

		if (len + strlen(bit) < NAME_MAX_BYTES)
			len += (size_t)(stpcpy(dst + len, bit) - (dst + len));
	}
	dst[len] = '\0';
	return len;
}

struct round {
	struct made m;
	struct random r;
	thread_id thread[THREADS];
	struct event event[SAMPLES];
	uint64_t next_place;
};

static func_id make_func(struct round *o, module_id module, uint8_t kind)
{
	char name[NAME_MAX_BYTES];
	const size_t len = make_name(&o->r, name, 3);
	const struct func f = { .name = names_add_text(o->m.names, name, len), .module = module, .kind = kind };

	return names_add_func(o->m.names, &f);
}

/* A frame of a file, of the kernel or of a JIT, with calls inlined into it or none. */
static frame_id make_frame(struct round *o)
{
	static const uint8_t kinds[] = { FUNC_USER, FUNC_USER, FUNC_USER, FUNC_KERNEL, FUNC_JIT };
	const uint8_t kind = ONE_OF(&o->r, kinds);
	const struct module m = {
		.kind = kind == FUNC_KERNEL ? MODULE_KERNEL : kind == FUNC_JIT ? MODULE_ANON : MODULE_FILE,
		.path = strtab_adds(dict_strings(o->m.d), kind == FUNC_USER ? ONE_OF(&o->r, paths) : ""),
	};
	const module_id module = dict_module(o->m.d, &m);
	const frame_id frame = dict_frame(o->m.d, module, o->next_place += 16);
	struct name name[3] = { { .func = make_func(o, module, kind) } };
	const uint16_t n = kind == FUNC_USER ? (uint16_t)(1 + next(&o->r) % 3) : 1;

	for (uint16_t i = 1; i < n; i++)
		name[i].func = make_func(o, module, kind);
	assert_int_equal(names_set(o->m.names, frame, name, n, true), 0);
	return frame;
}

static void make_sample(struct round *o, struct event *ev, uint64_t time_ns)
{
	stack_id stack = STACK_ROOT;

	for (unsigned int n = next(&o->r) % 5; n; n--)
		stack = dict_stack(o->m.d, stack, make_frame(o));
	o->m.ev = (struct event){ .kind = EVENT_SAMPLE, .flags = EVENT_F_USER, .cut_module = ID_NONE,
				  .time_ns = time_ns,
				  .cpu = next(&o->r) % 3 * 500, .weight = next(&o->r),
				  .thread = ONE_OF(&o->r, o->thread), .stack = stack };
	made_again(&o->m);
	*ev = o->m.ev;
}

/* A profile of hostile names, of the number SEED. */
static struct round *make_round(uint64_t seed)
{
	struct round *o = calloc(1, sizeof(*o));
	char comm[NAME_MAX_BYTES];

	assert_non_null(o);
	made_init(&o->m, NULL);
	o->r.state = seed;
	for (unsigned int i = 0; i < THREADS; i++) {
		const pid_t pid = (pid_t)(1u << 3 * i) + (pid_t)i;

		make_name(&o->r, comm, 4);
		o->thread[i] = made_thread(&o->m, pid, pid, comm);
	}
	for (unsigned int i = 0; i < SAMPLES; i++)
		make_sample(o, &o->event[i], 1000 * (i + UINT64_C(1)) * (seed + 1));
	return o;
}

static void free_round(struct round *o)
{
	made_free(&o->m);
	free(o);
}

static char *folded(struct made *m, enum group_by group)
{
	const struct query q = { .group_by = group };
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(made_write(m, f, &exporter_folded, &q, NULL, &e), 0);
	fclose(f);
	return text;
}

static int each_event(void *source, event_fn *fn, void *ctx, struct err *e)
{
	struct round *o = source;
	int r = 0;

	(void)e;
	for (unsigned int i = 0; !r && i < SAMPLES; i++)
		r = fn(ctx, &o->event[i]);
	return r;
}

static char *perf_script(struct round *o)
{
	struct profile_meta meta = { .samples = SAMPLES };
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(o->m.p);
	const struct export_view v = {
		.snapshot = s, .names = o->m.names, .meta = &meta, .each_event = each_event, .source = o,
	};
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(exporter_perf_script.write(f, &v, &e), 0);
	fclose(f);
	return text;
}

/* Reads TEXT into M, which is fresh. */
static int load(struct made *m, const char *text, enum import_format format,
		struct import_report *report, struct err *e)
{
	const int fd = memfd_create("text", MFD_CLOEXEC);
	struct profile_meta meta;
	int r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	r = import_read(fd, "text", &(struct import_options){ .format = format }, m->p, m->names, &meta, report, e);
	close(fd);
	return r;
}

/* TEXT, read and shown by GROUP, is WANT. */
static void assert_reads(const char *text, enum import_format format, enum group_by group, const char *want)
{
	const struct profile_limits limits = { .bytes = 64u << 20 };
	struct import_report report;
	struct err e = ERR_INIT;
	struct made m;
	char *got;

	made_init(&m, &limits);
	if (load(&m, text, format, &report, &e) < 0)
		fail_msg("%s", e.text);
	got = folded(&m, group);
	assert_string_equal(got, want);
	assert_null(strstr(report.note, "passed over"));
	free(got);
	made_free(&m);
}

static void perf_script_is_read_back(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct round *o = make_round(seed);
		char *text = perf_script(o), *by_thread = folded(&o->m, GROUP_THREAD),
			*by_comm = folded(&o->m, GROUP_COMM);

		assert_reads(text, IMPORT_PERF_SCRIPT, GROUP_THREAD, by_thread);
		assert_reads(text, IMPORT_PERF_SCRIPT, GROUP_COMM, by_comm);
		free(text);
		free(by_thread);
		free(by_comm);
		free_round(o);
	}
}

static void folded_is_read_back(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct round *o = make_round(seed);
		char *text = folded(&o->m, GROUP_COMM);

		assert_reads(text, IMPORT_FOLDED, GROUP_COMM, text);
		free(text);
		free_round(o);
	}
}

static char *diff_folded(struct round *before, struct round *after)
{
	static const uint64_t wall[DIFF_SIDES] = { 1, 1 };
	const struct query q = { .group_by = GROUP_COMM };
	struct diff_view v = { .name = { "a", "b" }, .head = { "before", "after" } };
	struct err e = ERR_INIT;
	struct diff *d;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(diff_build(made_look(&before->m, &q), made_look(&after->m, &q), DIFF_BY_TOTAL,
				    wall, &d, &e), 0);
	v.diff = d;
	assert_int_equal(exporter_folded.diff.write(f, &v, &e), 0);
	fclose(f);
	diff_free(d);
	return text;
}

/* Takes the last number off each line, and lines out that have nothing on this side. */
static void keep_first_number(char *text)
{
	char *to = text;

	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		char *blank = end;

		while (*blank != ' ')
			blank--;
		if (!memcmp(blank - 2, " 0", 2))
			continue;
		memmove(to, line, (size_t)(blank - line));
		to += blank - line;
		*to++ = '\n';
	}
	*to = '\0';
}

static void difference_is_said_to_be_one(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct round *a = make_round(seed), *b = make_round(seed + 1000);
		const struct profile_limits limits = { .bytes = 64u << 20 };
		char *text = diff_folded(a, b);
		struct import_report report;
		struct err e = ERR_INIT;
		struct made m;

		made_init(&m, &limits);
		assert_int_equal(load(&m, text, IMPORT_FOLDED, &report, &e), -EBADMSG);
		assert_non_null(strstr(e.text, "text is a difference"));
		made_free(&m);
		keep_first_number(text);
		assert_reads(text, IMPORT_FOLDED, GROUP_COMM, text);
		free(text);
		free_round(a);
		free_round(b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_script_is_read_back),
		cmocka_unit_test(folded_is_read_back),
		cmocka_unit_test(difference_is_said_to_be_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
