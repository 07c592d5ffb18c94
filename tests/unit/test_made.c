// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_made.c - rules of made code come from the call-frame information of its jitdump file, and
 * from nothing that makes no sense.
 */
#include "config.h"

#include "tests/unit/madedump.h"
#include "unwind/made.h"

#include <errno.h>

#define CODE 0x7f0012345010ull

static struct made_code *parse(dump_bytes *b)
{
	struct made_code *m = NULL;

	assert_int_equal(made_code_parse(b->v, b->n, &m, NULL), 0);
	vec_free(b);
	return m;
}

static int32_t cfa_at(const struct made_code *m, uint64_t addr)
{
	struct rule r;

	assert_true(made_code_rule(m, addr, &r));
	assert_int_equal(r.kind, RULE_SP);
	return r.cfa;
}

static struct made_code *usual(uint64_t addr)
{
	const struct dump_eh eh = dump_table();
	dump_bytes b;

	dump_begin(&b, EM_X86_64);
	dump_put_unwinding(&b, &eh, sizeof(eh) + 20, 20);
	dump_put_load(&b, addr, DUMP_CODE_SIZE, 7);
	return parse(&b);
}

static void rows_of_a_function(void **state)
{
	AUTO(made_code_free) struct made_code *m = usual(CODE);
	struct rule r;

	assert_non_null(m);
	assert_int_equal(cfa_at(m, CODE), 8);
	assert_int_equal(cfa_at(m, CODE + 3), 8);
	assert_int_equal(cfa_at(m, CODE + 4), 72);
	assert_int_equal(cfa_at(m, CODE + 9), 72);
	assert_int_equal(cfa_at(m, CODE + 10), 8);
	assert_false(made_code_rule(m, CODE - 1, &r));
	assert_false(made_code_rule(m, CODE + DUMP_CODE_SIZE, &r));
	assert_int_equal(made_code_refused(m), 0);
	assert_true(made_code_bytes(m) > 100);
}

/* Rows go with a function that moves; where it was, they stay until something else is told. */
static void a_function_moves(void **state)
{
	const struct dump_eh eh = dump_table();
	struct made_code *m;
	struct rule r;
	dump_bytes b;

	dump_begin(&b, EM_X86_64);
	dump_put_unwinding(&b, &eh, sizeof(eh) + 20, 20);
	dump_put_load(&b, CODE, DUMP_CODE_SIZE, 7);
	dump_put_move(&b, CODE + 0x1000, 7);
	dump_put_move(&b, CODE + 0x2000, 99);         /* nobody has that index */
	dump_put_load(&b, CODE, DUMP_CODE_SIZE, 8);
	m = parse(&b);
	assert_int_equal(cfa_at(m, CODE + 0x1004), 72);
	assert_false(made_code_rule(m, CODE + 4, &r));
	assert_false(made_code_rule(m, CODE + 0x2004, &r));
	assert_int_equal(made_code_refused(m), 1);
	made_code_free(m);
}

/* A table is that of the next function, and of no other. */
static void a_table_counts_once(void **state)
{
	const struct dump_eh eh = dump_table();
	struct made_code *m;
	struct rule r;
	dump_bytes b;

	dump_begin(&b, EM_X86_64);
	dump_put_unwinding(&b, &eh, sizeof(eh) + 20, 20);
	dump_put_load(&b, CODE, DUMP_CODE_SIZE, 1);
	dump_put_load(&b, CODE + 0x100, DUMP_CODE_SIZE, 2);
	m = parse(&b);
	assert_int_equal(cfa_at(m, CODE + 4), 72);
	assert_false(made_code_rule(m, CODE + 0x104, &r));
	made_code_free(m);
}

static void without_tables_there_is_nothing(void **state)
{
	struct made_code *m;
	dump_bytes b;

	dump_begin(&b, EM_X86_64);
	dump_put_load(&b, CODE, DUMP_CODE_SIZE, 1);
	assert_null(parse(&b));
	dump_begin(&b, EM_AARCH64);
	assert_int_equal(made_code_parse(b.v, b.n, &m, NULL), -ENOEXEC);
	vec_free(&b);
	assert_int_equal(made_code_parse("perf map", 8, &m, NULL), -ENOEXEC);
}

/* What a hostile file says is counted and left out; what is behind a sound record of it is not. */
static void nonsense_is_left_out(void **state)
{
	const struct dump_eh eh = dump_table();
	struct dump_eh bad = eh;
	struct made_code *m;
	struct rule r;
	dump_bytes b;

	dump_begin(&b, EM_X86_64);
	dump_put_unwinding(&b, &eh, UINT64_MAX, 20);          /* more than there is */
	dump_put_load(&b, CODE + 0x100, DUMP_CODE_SIZE, 1);
	dump_put_unwinding(&b, &eh, 10, 20);                  /* the part is larger than the whole */
	dump_put_load(&b, CODE + 0x200, DUMP_CODE_SIZE, 2);
	bad.cie_at = 0x7ffffff0;                         /* of a CIE that is elsewhere */
	dump_put_unwinding(&b, &bad, sizeof(bad) + 20, 20);
	dump_put_load(&b, CODE + 0x300, DUMP_CODE_SIZE, 3);
	dump_put_unwinding(&b, &eh, sizeof(eh) + 20, 20);
	dump_put_load(&b, UINT64_MAX - 4, DUMP_CODE_SIZE, 4);      /* it would go around the end */
	dump_put_unwinding(&b, &eh, sizeof(eh) + 20, 20);
	dump_put_load(&b, CODE, DUMP_CODE_SIZE, 5);
	dump_put_record(&b, JITDUMP_LOAD, "short", 5, "", 0);
	m = parse(&b);
	assert_int_equal(cfa_at(m, CODE + 4), 72);
	for (uint64_t at = 0x100; at <= 0x300; at += 0x100)
		assert_false(made_code_rule(m, CODE + at + 4, &r));
	assert_true(made_code_refused(m) >= 4);
	made_code_free(m);
}

/* A file that is cut anywhere has what stood before. */
static void every_prefix(void **state)
{
	const struct dump_eh eh = dump_table();
	struct made_code *m;
	dump_bytes b;

	dump_begin(&b, EM_X86_64);
	for (int i = 0; i < 3; i++) {
		dump_put_unwinding(&b, &eh, sizeof(eh) + 20, 20);
		dump_put_load(&b, CODE + 0x100 * (uint64_t)i, DUMP_CODE_SIZE, (uint64_t)i);
	}
	for (size_t n = 4; n <= b.n; n++) {
		m = NULL;
		assert_int_equal(made_code_parse(b.v, n, &m, NULL), 0);
		assert_true(!m || cfa_at(m, CODE + 4) == 72);
		assert_true(m || n < b.n);
		made_code_free(m);
	}
	vec_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_function),
		cmocka_unit_test(a_function_moves),
		cmocka_unit_test(a_table_counts_once),
		cmocka_unit_test(without_tables_there_is_nothing),
		cmocka_unit_test(nonsense_is_left_out),
		cmocka_unit_test(every_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
