/* SPDX-License-Identifier: BSD-2-Clause */
/* test_jit.c - perf maps and jitdump files: good ones, hostile ones, unfinished ones, and those of somebody else. */
#include "config.h"

#include "symbol/jit.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static struct jit_syms *parse(const char *text)
{
	struct jit_syms *j = NULL;

	assert_int_equal(jit_syms_parse(text, strlen(text), &j, NULL), 0);
	return j;
}

static const char *at(const struct jit_syms *j, uint64_t addr)
{
	struct jit_sym s;

	return jit_syms_find(j, addr, &s) ? s.name : "?";
}

static void reads_a_perf_map(void **state)
{
	AUTO(jit_syms_free) struct jit_syms *j = parse("7f0000001000 20 LazyCompile:~add /app/a.js:1\n"
						       "0x7f0000002000 0x10 with prefix\n\n");
	struct jit_sym s;

	assert_int_equal(jit_syms_count(j), 2);
	assert_int_equal(jit_syms_refused(j), 0);
	assert_true(jit_syms_find(j, 0x7f000000101f, &s));
	assert_string_equal(s.name, "LazyCompile:~add /app/a.js:1");
	assert_int_equal(s.start, 0x7f0000001000);
	assert_int_equal(s.size, 0x20);
	assert_string_equal(at(j, 0x7f0000001020), "?");
	assert_string_equal(at(j, 0x7f0000000fff), "?");
	assert_string_equal(at(j, 0x7f0000002000), "with prefix");
}

static void the_last_one_told_wins(void **state)
{
	AUTO(jit_syms_free) struct jit_syms *j = parse("1000 100 old\n1040 10 inner\n1000 80 new\n0f00 110 later\n");

	assert_string_equal(at(j, 0x1000), "later");
	assert_string_equal(at(j, 0x1010), "new");
	assert_string_equal(at(j, 0x1045), "new");
	assert_string_equal(at(j, 0x1080), "old");
	assert_string_equal(at(j, 0x1100), "?");
}

static void refuses_and_counts_hostile_lines(void **state)
{
	AUTO(jit_syms_free) struct jit_syms *j = parse("nonsense\n"
						       "1000\n"
						       "1000 20\n"
						       "1000 20 \n"
						       "1000 0 empty\n"
						       "ffffffffffffffff 2 wraps\n"
						       "11112222333344445 10 overflows\n"
						       "-1000 10 sign\n"
						       "2000 10\n"
						       "3000 10 \033[2Jraw\n"
						       "4000 10 unfinished");

	assert_int_equal(jit_syms_count(j), 1);
	assert_int_equal(jit_syms_refused(j), 9);
	assert_string_equal(at(j, 0x3000), "\033[2Jraw");
	assert_string_equal(at(j, 0x4000), "?");
}

static void a_name_that_is_too_long_is_refused(void **state)
{
	static char text[8 + 65536 + sizeof("\n6000 1 ok\n")];
	AUTO(jit_syms_free) struct jit_syms *j = NULL;
	AUTO(jit_syms_free) struct jit_syms *longest = NULL;

	memset(text, 'x', sizeof(text));
	memcpy(text, "5000 10 ", 8);
	strcpy(text + 8 + 65536, "\n6000 1 ok\n");
	j = parse(text);
	assert_int_equal(jit_syms_count(j), 1);
	assert_int_equal(jit_syms_refused(j), 1);
	assert_string_equal(at(j, 0x6000), "ok");
	text[8 + 65535] = '\n';
	longest = parse(text);
	assert_int_equal(strlen(at(longest, 0x5000)), 65535);
	assert_string_equal(at(longest, 0x6000), "ok");
}

/* dso__load_perf_map() in linux tools/perf/util/symbol.c: strtoull(), a byte, strtoull(), a byte, the name. */
static void takes_blanks_as_perf_does(void **state)
{
	AUTO(jit_syms_free) struct jit_syms *j = parse(" 1000 10 leading\n"
						       "2000\t10\ttabs\tbetween\n"
						       "\t 0x3000  0x10 several\n"
						       "4000 10  name\n");

	assert_int_equal(jit_syms_refused(j), 0);
	assert_string_equal(at(j, 0x1000), "leading");
	assert_string_equal(at(j, 0x2000), "tabs\tbetween");
	assert_string_equal(at(j, 0x3000), "several");
	assert_string_equal(at(j, 0x4000), " name");
}

static int file_with(const char *text)
{
	const int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

static void reads_files(void **state)
{
	AUTO_FD int fd = file_with("1000 10 f\n");
	AUTO(jit_syms_free) struct jit_syms *j = NULL;

	assert_int_equal(jit_syms_read(fd, &j, NULL), 0);
	assert_string_equal(at(j, 0x1000), "f");
}

static void a_map_that_is_too_large_is_refused(void **state)
{
	AUTO_FD int fd = file_with("1000 10 f\n");
	struct jit_syms *j = NULL;

	assert_int_equal(ftruncate(fd, (off_t)JIT_FILE_MAX + 1), 0);
	assert_int_equal(jit_syms_read(fd, &j, NULL), -EFBIG);
	assert_null(j);
}

/* A jitdump file under construction. */
struct dump {
	uint8_t bytes[70000];
	size_t n;
};

static void put(struct dump *d, const void *data, size_t len)
{
	assert_true(d->n + len <= sizeof(d->bytes));
	memcpy(d->bytes + d->n, data, len);
	d->n += len;
}

static void put32(struct dump *d, uint32_t v)
{
	put(d, &v, sizeof(v));
}

static void put64(struct dump *d, uint64_t v)
{
	put(d, &v, sizeof(v));
}

static void put_header(struct dump *d)
{
	put32(d, 0x4A695444);
	put32(d, 1);
	put32(d, 40);
	put32(d, 62);
	put32(d, 0);
	put32(d, 42);
	put64(d, 0);
	put64(d, 0);
}

static void put_record(struct dump *d, uint32_t id, size_t body)
{
	put32(d, id);
	put32(d, (uint32_t)(16 + body));
	put64(d, 0);
}

static void put_load(struct dump *d, uint64_t addr, uint64_t size, uint64_t index, const char *name)
{
	put_record(d, 0, 40 + strlen(name) + 1 + 4);
	put32(d, 42);
	put32(d, 42);
	put64(d, addr);
	put64(d, addr);
	put64(d, size);
	put64(d, index);
	put(d, name, strlen(name) + 1);
	put(d, "\xcc\xcc\xcc\xcc", 4);
}

static void put_move(struct dump *d, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	put_record(d, 1, 48);
	put32(d, 42);
	put32(d, 42);
	put64(d, to);
	put64(d, from);
	put64(d, to);
	put64(d, size);
	put64(d, index);
}

static struct jit_syms *parse_dump(const struct dump *d, size_t len)
{
	AUTO_FREE uint8_t *exact = malloc(len + 1);
	struct jit_syms *j = NULL;

	memcpy(exact, d->bytes, len);
	assert_int_equal(jit_syms_parse(exact, len, &j, NULL), 0);
	return j;
}

static void reads_a_jitdump_file(void **state)
{
	AUTO(jit_syms_free) struct jit_syms *j = NULL;
	struct dump d = { .n = 0 };

	put_header(&d);
	put_load(&d, 0x1000, 0x40, 1, "first");
	put_record(&d, 2, 16);       /* debug information: skipped */
	put64(&d, 0x1000);
	put64(&d, 0);
	put_load(&d, 0x2000, 0x40, 2, "second");
	put_move(&d, 0x1000, 0x3000, 0x40, 1);
	put_move(&d, 0x3000, 0x4000, 0x40, 1);
	put_move(&d, 0x9000, 0xa000, 0x40, 77);
	j = parse_dump(&d, d.n);
	assert_int_equal(jit_syms_count(j), 4);
	assert_int_equal(jit_syms_refused(j), 1);
	assert_string_equal(at(j, 0x1004), "first");
	assert_string_equal(at(j, 0x2004), "second");
	assert_string_equal(at(j, 0x3004), "first");
	assert_string_equal(at(j, 0x4004), "first");
	assert_string_equal(at(j, 0xa004), "?");
}

static void reads_long_names_of_jitdump_files(void **state)
{
	static char name[65536];
	static struct dump d;
	AUTO(jit_syms_free) struct jit_syms *j = NULL;

	memset(name, 'n', sizeof(name) - 1);
	put_header(&d);
	put_load(&d, 0x1000, 0x40, 1, name);
	put_load(&d, 0x2000, 0x40, 2, "second");
	j = parse_dump(&d, d.n);
	assert_string_equal(at(j, 0x1004), name);
	assert_string_equal(at(j, 0x2004), "second");
}

/* Whatever is cut off, what stands before it is read, and nothing behind the end is touched. */
static void reads_jitdump_files_that_are_being_written(void **state)
{
	struct dump d = { .n = 0 };
	size_t one;

	put_header(&d);
	put_load(&d, 0x1000, 0x40, 1, "first");
	one = d.n;
	put_load(&d, 0x2000, 0x40, 2, "second");
	for (size_t len = 0; len <= d.n; len++) {
		AUTO(jit_syms_free) struct jit_syms *j = parse_dump(&d, len);

		assert_string_equal(at(j, 0x1000), len >= one ? "first" : "?");
		assert_string_equal(at(j, 0x2000), len == d.n ? "second" : "?");
	}
}

static void stops_at_a_record_that_cannot_be(void **state)
{
	AUTO(jit_syms_free) struct jit_syms *j = NULL;
	struct dump d = { .n = 0 };

	put_header(&d);
	put_load(&d, 0x1000, 0x40, 1, "first");
	put32(&d, 0);
	put32(&d, 3);
	put64(&d, 0);
	j = parse_dump(&d, d.n);
	assert_int_equal(jit_syms_count(j), 1);
	assert_int_equal(jit_syms_refused(j), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_perf_map),
		cmocka_unit_test(the_last_one_told_wins),
		cmocka_unit_test(refuses_and_counts_hostile_lines),
		cmocka_unit_test(a_name_that_is_too_long_is_refused),
		cmocka_unit_test(takes_blanks_as_perf_does),
		cmocka_unit_test(reads_files),
		cmocka_unit_test(a_map_that_is_too_large_is_refused),
		cmocka_unit_test(reads_a_jitdump_file),
		cmocka_unit_test(reads_long_names_of_jitdump_files),
		cmocka_unit_test(reads_jitdump_files_that_are_being_written),
		cmocka_unit_test(stops_at_a_record_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
