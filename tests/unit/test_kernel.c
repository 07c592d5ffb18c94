/* SPDX-License-Identifier: BSD-2-Clause */
/* test_kernel.c - /proc/kallsyms from canned text: modules, aliases, data as ends, hidden addresses, bad lines. */
#include "config.h"

#include "symbol/kernel.h"
#include "tests/unit/cmocka_all.h"

#include <string.h>

static struct ksyms *parse(const char *text)
{
	struct ksyms *k = NULL;

	assert_int_equal(ksyms_parse(text, strlen(text), &k, NULL), 0);
	return k;
}

static const char *at(const struct ksyms *k, uint64_t addr)
{
	struct ksym s;

	return ksyms_find(k, addr, &s) ? s.name : "?";
}

static const char canned[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T startup_64\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000100 t helper\n"
	"ffffffff81000180 T __x64_sys_read\n"
	"ffffffff81000180 t __do_sys_read\n"
	"ffffffff81000180 T ___x64_sys_read\n"
	"ffffffff81000200 W weak_one\n"
	"ffffffff81000300 D some_data\n"
	"ffffffffc0100000 t nft_do_chain\t[nf_tables]\n"
	"ffffffffc0100080 d nft_data\t[nf_tables]\n"
	"ffffffffc0000400 t bpf_prog_6deef7357e7b4530_cnt\t[bpf]\n"
	"ffffffffc0000500 t bpf_prog_01\t[bpf]\n";

static void finds_functions(void **state)
{
	AUTO(ksyms_free) struct ksyms *k = parse(canned);
	struct ksym s;

	assert_false(ksyms_hidden(k));
	assert_int_equal(ksyms_bad_lines(k), 0);
	assert_true(ksyms_find(k, 0xffffffff81000142, &s));
	assert_string_equal(s.name, "helper");
	assert_int_equal(s.start, 0xffffffff81000100);
	assert_int_equal(s.size, 0x80);
	assert_string_equal(at(k, 0xffffffff81000180), "__x64_sys_read");
	assert_string_equal(at(k, 0xffffffff810002ff), "weak_one");
	assert_string_equal(at(k, 0xffffffff81000300), "?");
	assert_true(ksyms_find_variable(k, 0xffffffff81000328, &s));
	assert_string_equal(s.name, "some_data");
	assert_int_equal(s.start, 0xffffffff81000300);
	assert_true(ksyms_find_variable(k, 0xffffffffc0100080, &s));
	assert_string_equal(s.name, "nft_data [nf_tables]");
	assert_false(ksyms_find_variable(k, 0xffffffff81000142, &s));
	assert_string_equal(at(k, 0xffffffff80ffffff), "?");
	assert_string_equal(at(k, 0x10), "?");
}

static void modules_and_programs_are_named_with_where_they_are(void **state)
{
	AUTO(ksyms_free) struct ksyms *k = parse(canned);

	assert_string_equal(at(k, 0xffffffffc0100010), "nft_do_chain [nf_tables]");
	assert_string_equal(at(k, 0xffffffffc0100080), "?");
	assert_string_equal(at(k, 0xffffffffc00004ff), "bpf_prog_6deef7357e7b4530_cnt [bpf]");
	assert_string_equal(at(k, 0xffffffffc0000500), "bpf_prog_01 [bpf]");
}

static void no_function_reaches_over_a_gap(void **state)
{
	AUTO(ksyms_free) struct ksyms *k = parse("ffffffff81000000 T first\nffffffffc0000500 t last\n");

	assert_string_equal(at(k, 0xffffffff81000000 + (2u << 20) - 1), "first");
	assert_string_equal(at(k, 0xffffffff81000000 + (2u << 20)), "?");
	assert_string_equal(at(k, 0xffffffffc0000500 + (2u << 20)), "?");
	assert_string_equal(at(k, UINT64_MAX), "?");
}

static void hidden_addresses_are_recognised(void **state)
{
	AUTO(ksyms_free) struct ksyms *k = parse("0000000000000000 T _text\n0000000000000000 t helper\n");

	assert_true(ksyms_hidden(k));
	assert_int_equal(ksyms_count(k), 0);
	assert_string_equal(at(k, 0), "?");
}

static void bad_lines_are_counted(void **state)
{
	AUTO(ksyms_free) struct ksyms *k = parse("\nnonsense\n1000 T\n1000 T \n1000 Tx name\n1000  T name\n"
						 "11112222333344445555 T long\n2000 T good\n3000 t last "
						 "line without end");

	assert_int_equal(ksyms_bad_lines(k), 7);
	assert_int_equal(ksyms_count(k), 2);
	assert_string_equal(at(k, 0x2000), "good");
	assert_string_equal(at(k, 0x3000), "last line without end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_functions),
		cmocka_unit_test(modules_and_programs_are_named_with_where_they_are),
		cmocka_unit_test(no_function_reaches_over_a_gap),
		cmocka_unit_test(hidden_addresses_are_recognised),
		cmocka_unit_test(bad_lines_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
