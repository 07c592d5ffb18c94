/* SPDX-License-Identifier: BSD-2-Clause */
/* test_bpfcode.c - what the kernel says of the code of a BPF program, made by hand, and what it may not say. */
#include "config.h"

#include "system/bpfcode.h"

#include "tests/unit/cmocka_all.h"

#include <bpf/btf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>

#define FIRST 0xffffffffc0001000ull
#define SECOND 0xffffffffc0005000ull

static const uint8_t image[] = "0123456789abcdef0123456789abcdef";
static const uint64_t addresses[] = { FIRST, SECOND };
static const uint32_t sizes[] = { 20, 12 };

/* Types with two functions, and lines of them: two have line 0, and one a name that would move the cursor. */
struct made {
	struct btf *btf;
	struct bpf_func_info func[2];
	struct bpf_line_info line[5];
	uint64_t line_address[5];
	struct bpfcode_raw raw;
};

static void make(struct made *m)
{
	static const uint64_t at[] = { FIRST, FIRST + 8, FIRST + 12, SECOND, SECOND + 4 };
	static const uint32_t numbers[] = { 7, 9, 0, 0, 30 };
	int proto;

	memset(m, 0, sizeof(*m));
	m->btf = btf__new_empty();
	assert_non_null(m->btf);
	proto = btf__add_func_proto(m->btf, btf__add_int(m->btf, "int", 4, BTF_INT_SIGNED));
	m->func[0].type_id = (uint32_t)btf__add_func(m->btf, "drops", BTF_FUNC_GLOBAL, proto);
	m->func[1].type_id = (uint32_t)btf__add_func(m->btf, "allowed", BTF_FUNC_STATIC, proto);
	for (size_t i = 0; i < 5; i++) {
		m->line[i].file_name_off = (uint32_t)btf__add_str(m->btf, "a/drops.c");
		m->line[i].line_off = (uint32_t)btf__add_str(m->btf, i == 1 ? "\tif (\x1b[2J)" : "\treturn 0;");
		m->line[i].line_col = numbers[i] << 10 | 2;
		m->line_address[i] = at[i];
	}
	m->raw = (struct bpfcode_raw){
		.id = 5, .type = BPF_PROG_TYPE_XDP, .name = "drops", .image = image, .image_bytes = 32,
		.address = addresses, .size = sizes, .functions = 2, .func_info = m->func, .func_infos = 2,
		.line_info = m->line, .line_address = m->line_address, .line_infos = 5,
	};
}

static uint32_t line_at(const struct bpfcode *c, uint64_t address)
{
	const struct bpfcode_line *line = bpfcode_line_of(c, address);

	return line ? line->line : UINT32_MAX;
}

static void test_functions_and_lines(void **state)
{
	struct made m;
	struct bpfcode *c;

	(void)state;
	make(&m);
	assert_int_equal(bpfcode_make(&m.raw, m.btf, &c, NULL), 0);
	btf__free(m.btf);
	assert_int_equal(c->n, 2);
	assert_string_equal(c->function[0].name, "drops");
	assert_string_equal(c->function[1].name, "allowed");
	assert_memory_equal(c->function[1].bytes, image + 20, 12);
	assert_ptr_equal(bpfcode_find(c, SECOND + 11), &c->function[1]);
	assert_null(bpfcode_find(c, SECOND + 12));
	assert_null(bpfcode_find(c, FIRST - 1));
	assert_int_equal(line_at(c, FIRST), 7);
	assert_int_equal(line_at(c, FIRST + 11), 9);
	/* What the compiler has added belongs to the line before, if there is one in the function. */
	assert_int_equal(line_at(c, FIRST + 13), 9);
	assert_int_equal(line_at(c, SECOND), UINT32_MAX);
	assert_int_equal(line_at(c, SECOND + 5), 30);
	assert_int_equal(line_at(c, 0), UINT32_MAX);
	assert_string_equal(bpfcode_line_of(c, FIRST)->file, "a/drops.c");
	bpfcode_free(c);
}

/* Without types it has the name of the program, no others, and no lines. */
static void test_without_types(void **state)
{
	struct made m;
	struct bpfcode *c;

	(void)state;
	make(&m);
	assert_int_equal(bpfcode_make(&m.raw, NULL, &c, NULL), 0);
	btf__free(m.btf);
	assert_string_equal(c->function[0].name, "drops");
	assert_string_equal(c->function[1].name, "");
	assert_null(bpfcode_line_of(c, FIRST));
	bpfcode_free(c);
}

static void test_refused(void **state)
{
	static const uint64_t hidden[] = { FIRST, 0 }, wraps[] = { FIRST, UINT64_MAX - 2 };
	static const uint32_t longer[] = { 20, 13 }, empty[] = { 0, 12 };
	struct made m;
	struct bpfcode *c = NULL;
	struct err e = ERR_INIT;

	(void)state;
	make(&m);
	m.raw.size = longer;
	assert_int_equal(bpfcode_make(&m.raw, m.btf, &c, &e), -EBADMSG);
	assert_string_equal(e.text, "the code of BPF program 5 is not as long as its functions are");
	m.raw.size = empty;
	assert_int_equal(bpfcode_make(&m.raw, m.btf, &c, &e), -EBADMSG);
	m.raw.size = sizes;
	m.raw.address = hidden;
	assert_int_equal(bpfcode_make(&m.raw, m.btf, &c, &e), -EBADMSG);
	m.raw.address = wraps;
	assert_int_equal(bpfcode_make(&m.raw, m.btf, &c, &e), -EBADMSG);
	m.raw.address = addresses;
	m.raw.functions = 0;
	assert_int_equal(bpfcode_make(&m.raw, m.btf, &c, &e), -EBADMSG);
	m.raw.functions = BPF_FUNCTIONS_MAX + 1;
	assert_int_equal(bpfcode_make(&m.raw, m.btf, &c, &e), -EBADMSG);
	assert_null(c);
	/* Types and texts that are not there are no names. */
	m.raw.functions = 2;
	m.func[0].type_id = 9999;
	m.func[1].type_id = 1;
	m.line[0].file_name_off = m.line[0].line_off = UINT32_MAX;
	assert_int_equal(bpfcode_make(&m.raw, m.btf, &c, &e), 0);
	assert_string_equal(c->function[0].name, "drops");
	assert_string_equal(c->function[1].name, "");
	assert_string_equal(bpfcode_line_of(c, FIRST)->file, "");
	bpfcode_free(c);
	btf__free(m.btf);
}

static void test_verdicts(void **state)
{
	(void)state;
	assert_string_equal(bpfcode_verdict(BPF_PROG_TYPE_XDP, 1), "XDP_DROP");
	assert_string_equal(bpfcode_verdict(BPF_PROG_TYPE_XDP, 5), "");
	assert_string_equal(bpfcode_verdict(BPF_PROG_TYPE_SCHED_CLS, 2), "TC_ACT_SHOT");
	assert_string_equal(bpfcode_verdict(BPF_PROG_TYPE_SCHED_CLS, -1), "TC_ACT_UNSPEC");
	assert_string_equal(bpfcode_verdict(BPF_PROG_TYPE_SOCKET_FILTER, 0), "drop");
	assert_string_equal(bpfcode_verdict(BPF_PROG_TYPE_CGROUP_SKB, 1), "allow");
	assert_string_equal(bpfcode_verdict(BPF_PROG_TYPE_TRACING, 0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_and_lines),
		cmocka_unit_test(test_without_types),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
