/* SPDX-License-Identifier: BSD-2-Clause */
/* test_bpflog.c - what libbpf says is kept, sanitised, and bounded: its beginning and its end. */
#include "config.h"

#include "capture/bpflog.h"

#include "base/cleanup.h"
#include "cmocka_all.h"

#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

/* Makes libbpf complain about an object that it is told is called NAME. */
static void complain(const char *name)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = name);
	static const char not_elf[64] = "no ELF file";

	assert_null(bpf_object__open_mem(not_elf, sizeof(not_elf), &opts));
}

/* What is written, and in *RET how much was said; the caller's. */
static char *written(size_t *ret)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	*ret = bpflog_write(out);
	fclose(out);
	return text;
}

static void test_kept(void **state)
{
	AUTO_FREE char *nothing = NULL, *text = NULL;
	size_t said;

	bpflog_begin();
	nothing = written(&said);
	assert_int_equal(said, 0);
	assert_string_equal(nothing, "");
	complain("the_first\033[31m");
	text = written(&said);
	assert_true(said > 0);
	assert_non_null(strstr(text, "libbpf: "));
	assert_non_null(strstr(text, "the_first"));
	assert_null(strchr(text, '\033'));
}

static void test_bounded(void **state)
{
	AUTO_FREE char *text = NULL;
	size_t said = 0;

	for (unsigned int i = 0; i < 20000; i++)
		complain("in_the_middle");
	complain("the_last");
	text = written(&said);
	assert_true(said > (size_t)1 << 20);
	assert_in_range(strlen(text), (size_t)512 << 10, (size_t)513 << 10);
	assert_non_null(strstr(text, "the_first"));
	assert_non_null(strstr(text, "bytes of the log left out]\n"));
	assert_non_null(strstr(text, "the_last"));
	assert_true(strstr(text, "left out") < strstr(text, "the_last"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
