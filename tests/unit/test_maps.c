/* SPDX-License-Identifier: BSD-2-Clause */
/* test_maps.c - lines of /proc/PID/maps as the kernel writes them, lines that it does not write, stat and status. */
#include "config.h"

#include "system/maps.h"
#include "system/procfs.h"
#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#define TEXT_MAX 8192

static bool parse(const char *text, struct maps_line *ret)
{
	static char line[TEXT_MAX];
	const size_t len = strlen(text);

	assert_true(len < sizeof(line));
	memcpy(line, text, len);
	return maps_parse(line, len, ret);
}

#define assert_name(m, text) \
	do { \
		assert_int_equal((m).name_len, strlen(text)); \
		assert_memory_equal((m).name, text, strlen(text)); \
	} while (0)

static void a_library(void **state)
{
	struct maps_line m;

	assert_true(parse("7f0a8c228000-7f0a8c3bd000 r-xp 00028000 fe:01 1835029                    /usr/lib/libc.so.6",
			  &m));
	assert_int_equal(m.start, 0x7f0a8c228000);
	assert_int_equal(m.end, 0x7f0a8c3bd000);
	assert_int_equal(m.pgoff, 0x28000);
	assert_true(m.read && !m.write && m.exec && !m.shared);
	assert_int_equal(m.maj, 0xfe);
	assert_int_equal(m.min, 1);
	assert_int_equal(m.ino, 1835029);
	assert_name(m, "/usr/lib/libc.so.6");
}

static void names(void **state)
{
	struct maps_line m;

	assert_true(parse("1000-2000 rw-p 00000000 00:00 0 ", &m));
	assert_true(m.read && m.write && !m.exec && !m.shared);
	assert_name(m, "");
	assert_true(parse("1000-2000 ---s 00000000 00:00 0 ", &m));
	assert_true(!m.read && !m.write && !m.exec && m.shared);
	assert_true(parse("1000-2000 rwxp 00000000 00:00 0", &m));
	assert_name(m, "");
	assert_true(parse("1000-2000 r-xp 00000000 00:01 5     /tmp/a\\012b c (deleted)", &m));
	assert_name(m, "/tmp/a\nb c (deleted)");
	assert_true(parse("1000-2000 r-xp 00000000 00:01 5     /tmp/x\\01", &m));
	assert_name(m, "/tmp/x\\01");
	assert_true(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]", &m));
	assert_int_equal(m.end, 0xffffffffff601000);
	assert_name(m, "[vsyscall]");
}

static void a_long_path(void **state)
{
	char text[TEXT_MAX];
	struct maps_line m;
	int n = snprintf(text, sizeof(text), "1000-2000 r-xp 00000000 00:01 5 ");

	memset(text + n, '/', 4095);
	text[n + 4095] = '\0';
	assert_true(parse(text, &m));
	assert_int_equal(m.name_len, 4095);
}

static void rubbish(void **state)
{
	static const char *const bad[] = {
		"", "1000", "1000-", "1000-2000", "1000-2000 r-x", "2000-1000 r-xp 0 0:0 0", "1000-1000 r-xp 0 0:0 0",
		"g000-2000 r-xp 0 0:0 0", "1000-2000 r-xp 0 0-0 0", "1000-2000 r-xp 0 0:0", "1000-2000 r-xp 0 0:0 x",
		"1000-2000 r-xp 0 123456789:0 0", "11111111122222222-33333333344444444 r-xp 0 0:0 0",
		"1000-2000 r-xp 0 0:0 99999999999999999999", "1000-2000 r-xp 0 0:0 5x", "1000-2000r-xp 0 0:0 5",
	};
	struct maps_line m = { .start = 77 };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(parse(bad[i], &m));
	assert_int_equal(m.start, 77);
}

static enum map_what what(const char *name)
{
	return map_what(name, strlen(name));
}

static void what_a_name_says(void **state)
{
	assert_int_equal(what("/usr/bin/x"), WHAT_FILE);
	assert_int_equal(what("/memfd:jit (deleted)"), WHAT_FILE);
	assert_int_equal(what("/dev/zero (deleted)"), WHAT_ANON);
	assert_int_equal(what("/SYSV00000000 (deleted)"), WHAT_ANON);
	assert_int_equal(what("//anon"), WHAT_ANON);
	assert_int_equal(what("//toolong"), WHAT_FILE);
	assert_int_equal(what("anon_inode:[perf_event]"), WHAT_ANON);
	assert_int_equal(what("[heap]"), WHAT_ANON);
	assert_int_equal(what("[stack]"), WHAT_ANON);
	assert_int_equal(what("[anon:v8]"), WHAT_ANON);
	assert_int_equal(what(""), WHAT_ANON);
	assert_int_equal(what("[vdso]"), WHAT_VDSO);
	assert_int_equal(what("[vsyscall]"), WHAT_SPECIAL);
	assert_int_equal(what("[uprobes]"), WHAT_SPECIAL);
}

static void deleted(void **state)
{
	bool gone;

	assert_int_equal(map_name_len("/a (deleted)", 12, &gone), 2);
	assert_true(gone);
	assert_int_equal(map_name_len("/a", 2, &gone), 2);
	assert_false(gone);
	assert_int_equal(map_name_len(" (deleted)", 10, NULL), 10);
}

static void stat_text(void **state)
{
	static const char good[] = "123 (a) b(c) R 45 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 9 10 11 12 987654 14 15\n";
	static const char kthread[] = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 17 0 0\n";
	struct proc_stat st;

	assert_true(proc_parse_stat(good, sizeof(good) - 1, &st));
	assert_string_equal(st.comm, "a) b(c");
	assert_int_equal(st.ppid, 45);
	assert_int_equal(st.start_ticks, 987654);
	assert_int_equal(st.faults, 4);
	assert_int_equal(st.major_faults, 3);
	assert_int_equal(st.prio, 109);
	assert_false(st.kthread);
	assert_false(st.zombie);
	assert_true(proc_parse_stat(kthread, sizeof(kthread) - 1, &st));
	assert_true(st.kthread);
	assert_int_equal(st.start_ticks, 17);
	for (size_t n = 0; n < sizeof(good) - 12; n++)
		if (proc_parse_stat(good, n, &st))
			assert_true(n > (size_t)(strstr(good, " 987654") - good));
	assert_false(proc_parse_stat("1 )x( R 1", 9, &st));
}

static void status_text(void **state)
{
	struct proc_status st;

	assert_true(proc_parse_status("Name:\tx\nUid:\t1\t2\t3\t1000\nNSpid:\t4321\t7\n", &st));
	assert_int_equal(st.ns_pid, 7);
	assert_int_equal(st.uid, 1000);
	assert_false(st.root_ns);
	assert_true(proc_parse_status("Name:\tx\nUid:\t0\t0\t0\t0\nNSpid:\t4321\n", &st));
	assert_int_equal(st.ns_pid, 4321);
	assert_true(st.root_ns);
	assert_false(proc_parse_status("Name:\tx\nUid:\t0\t0\n", &st));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library),   cmocka_unit_test(names),   cmocka_unit_test(a_long_path),
		cmocka_unit_test(rubbish),     cmocka_unit_test(deleted), cmocka_unit_test(what_a_name_says),
		cmocka_unit_test(stat_text),   cmocka_unit_test(status_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
