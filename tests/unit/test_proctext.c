/* SPDX-License-Identifier: BSD-2-Clause */
/* test_proctext.c - lines of status, statm, syscall and numa_maps as kernels write them, and some that they do not. */
#include "config.h"

#include "numa/proctext.h"

#include "tests/unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>

static void status_says(void **state)
{
	struct node_status st;

	node_status_parse("Name:\tx\nHugetlbPages:\t    4096 kB\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\n"
			  "Mems_allowed:\t00000000,00000003\nMems_allowed_list:\t0-1\nx:\n", &st);
	assert_string_equal(st.mems, "0-1");
	assert_string_equal(st.cpus, "0-3,8");
	assert_true(st.huge_known);
	assert_int_equal(st.huge_bytes, 4096 * 1024);
	node_status_parse("Name:\tMems_allowed_list:\t7\nCpus_allowed_list:\t\x1b[31m\nHugetlbPages:\tx\n", &st);
	assert_string_equal(st.mems, "");
	assert_string_equal(st.cpus, "");
	assert_false(st.huge_known);
}

static void long_lists_are_cut(void **state)
{
	struct node_status st;
	char text[400] = "\nCpus_allowed_list:\t0";

	for (int i = 2; i < 100; i += 2)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ",%d", i);
	strcat(text, "\n");
	node_status_parse(text, &st);
	assert_int_equal(memcmp(st.cpus, "0,2,4,6,", 8), 0);
	assert_string_equal(st.cpus + strlen(st.cpus) - 4, ",...");
	assert_true(strlen(st.cpus) < sizeof(st.cpus));
}

static void statm_says(void **state)
{
	uint64_t pages = 77;

	assert_true(statm_parse("1000 250 30 4 0 5 0\n", 20, &pages));
	assert_int_equal(pages, 250);
	assert_false(statm_parse("1000", 4, &pages));
	assert_false(statm_parse("1000 x", 6, &pages));
	assert_false(statm_parse("", 0, &pages));
	assert_int_equal(pages, 250);
}

static bool sp_of(const char *text, uint64_t *ret)
{
	return syscall_parse_sp(text, strlen(text), ret);
}

static void stack_pointers(void **state)
{
	uint64_t sp = 0;

	assert_true(sp_of("230 0x0 0x0 0x7ffe3e972b40 0x7ffe3e972b80 0x0 0x0 0x7ffe3e972b28 0x7f0e9d589503\n", &sp));
	assert_int_equal(sp, 0x7ffe3e972b28);
	assert_true(sp_of("-1 0x7ffe0000 0x5566\n", &sp));
	assert_int_equal(sp, 0x7ffe0000);
	assert_false(sp_of("running\n", &sp));
	assert_false(sp_of("", &sp));
	assert_false(sp_of("1 2 3\n", &sp));
	assert_false(sp_of("0x1 0x2", &sp));
	assert_false(sp_of("1 0x 0x2", &sp));
	assert_false(sp_of("1 0x2 0x2z", &sp));
	assert_int_equal(sp, 0x7ffe0000);
}

static void add(struct policies *p, const char *line)
{
	policies_add(p, line, strlen(line));
}

static void other_policies(void **state)
{
	struct policies p = { 0 };
	char dst[NUMA_LIST_MAX];

	assert_string_equal(policies_text(&p, dst, sizeof(dst)), "");
	add(&p, "564ad44ff000 default file=/usr/bin/N9=7 mapped=2 N0=2 kernelpagesize_kB=4");
	add(&p, "7f0000000000 bind:1 anon=768 dirty=768 N1=768 kernelpagesize_kB=4");
	add(&p, "7f1000000000 interleave:0-1 anon=3 N0=50000 N1=55472 kernelpagesize_kB=4");
	add(&p, "7f2000000000 prefer:3");
	add(&p, "7f3000000000 bind:1 huge anon=1 N1=1 kernelpagesize_kB=2048");
	add(&p, "7ffe3e954000 default stack anon=4 dirty=4 N0=4 kernelpagesize_kB=4");
	assert_string_equal(p.own, "default");
	assert_string_equal(policies_text(&p, dst, sizeof(dst)),
			    "interleave:0-1 412 MB, bind:1 5.0 MB, preferred:3 0 B");
}

/* Mappings without a policy show that of the thread. */
static void the_threads_own_is_left_out(void **state)
{
	struct policies p = { 0 };
	char dst[NUMA_LIST_MAX];

	add(&p, "1000 interleave:0-1 anon=3 N0=50000 kernelpagesize_kB=4");
	add(&p, "2000 prefer (many):0-1 anon=1 N0=256 kernelpagesize_kB=4");
	add(&p, "3000 weighted interleave:0-1 anon=1 N0=512 kernelpagesize_kB=4");
	add(&p, "4000 default anon=1 N0=1024 kernelpagesize_kB=4");
	add(&p, "7000 interleave:0-1 stack anon=4 N0=4 kernelpagesize_kB=4");
	assert_string_equal(p.v[1].name, "preferred-many:0-1");
	assert_string_equal(policies_text(&p, dst, sizeof(dst)),
			    "default 4.0 MB, weighted-interleave:0-1 2.0 MB,...");
}

static void odd_lines(void **state)
{
	struct policies p = { 0 };
	char dst[NUMA_LIST_MAX], line[100];

	add(&p, "");
	add(&p, "x");
	add(&p, "1000");
	assert_int_equal(p.n, 0);
	add(&p, "1000 ");
	add(&p, "1000 bind:1 N= N1 N1= Nx=4 N1=x kernelpagesize_kB=");
	assert_int_equal(p.v[1].bytes, 0);
	memset(&p, 0, sizeof(p));
	for (unsigned int i = 0; i < POLICIES_MAX + 5; i++) {
		snprintf(line, sizeof(line), "1000 bind:%u N0=%u", i, i);
		add(&p, line);
	}
	assert_int_equal(p.n, POLICIES_MAX);
	assert_true(p.more);
	policies_text(&p, dst, sizeof(dst));
	assert_string_equal(dst + strlen(dst) - 4, ",...");
}

/* A read of real text, for what a made one would miss. */
static void this_process(void **state)
{
	AUTO_FILE FILE *f = fopen("/proc/self/status", "re");
	char text[32768];
	struct node_status st;
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	node_status_parse(text, &st);
	assert_true(st.cpus[0] != '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_says),
		cmocka_unit_test(long_lists_are_cut),
		cmocka_unit_test(statm_says),
		cmocka_unit_test(stack_pointers),
		cmocka_unit_test(other_policies),
		cmocka_unit_test(the_threads_own_is_left_out),
		cmocka_unit_test(odd_lines),
		cmocka_unit_test(this_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
