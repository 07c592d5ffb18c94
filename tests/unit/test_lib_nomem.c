/* SPDX-License-Identifier: BSD-2-Clause */
/* test_lib_nomem.c - libsberf survives the failure of any allocation, says so, and works when there is memory again. */
#include "config.h"

#include "tests/unit/cmocka_all.h"
#include "tests/unit/fail_alloc.h"

#include <errno.h>
#include <sberf/record.h>
#include <sberf/symbolize.h>
#include <string.h>
#include <sys/mman.h>

#define NOBODY 4194303                   /* above every number of a process by default */
#define FILE_OF_CODE "/bin/true"

static void tell_mapping(struct sberf *s)
{
	const struct sberf_event ev = { .size = sizeof(ev), .kind = SBERF_EVENT_MAP, .pid = NOBODY, .tid = NOBODY,
					.time_ns = 5, .start = 0x10000, .length = 0x10000, .protection = PROT_EXEC,
					.path = "//anon" };

	sberf_process_event(s, &ev);
}

/* A stack that was walked in the kernel, of two frames in memory without a file. */
static int tell_stack(struct sberf *s, uint64_t token)
{
	struct {
		struct sberf_record rec;
		uint64_t frame[2];
	} r = { .frame = { 0x10010, 0x10020 } };

	r.rec = (struct sberf_record){ .size = sizeof(r), .version = SBERF_RECORD_VERSION, .token = token,
				       .pid = NOBODY, .tid = NOBODY, .machine = SBERF_RECORD_MACHINE,
				       .nr_regs = SBERF_RECORD_REGS, .nr_walked = 2 };
	return sberf_take(s, &r, sizeof(r), NULL, NULL);
}

static void ask(struct sberf *s)
{
	struct sberf_names *names = NULL;
	struct sberf_frame frame[3] = { { .module = SBERF_MODULE_NONE } };
	uint32_t module;

	if (!sberf_file_add(s, FILE_OF_CODE, &module))
		frame[0] = (struct sberf_frame){ .module = module, .offset = 0x2000 };
	tell_mapping(s);
	tell_stack(s, 77);
	sberf_stack(s, 77, frame + 1, 2, NULL);
	if (!sberf_symbolize(s, frame, 3, SBERF_FUNCTIONS_ONLY, &names))
		assert_int_equal(names->n, 3);
	sberf_names_free(names);
}

static void use(void)
{
	struct sberf_frame frame[4];
	struct sberf_end end;
	struct sberf *s = NULL;

	if (sberf_open(&s, NULL))
		return;
	ask(s);
	/* There is memory again: nothing is stuck. */
	ask(s);
	assert_int_equal(tell_stack(s, 78), 0);
	assert_int_equal(sberf_stack(s, 78, frame, 4, &end), 2);
	assert_int_equal(frame[0].address, 0x10010);
	assert_int_equal(frame[1].address, 0x1001f);
	sberf_close(s);
}

static void any_allocation_may_fail(void **state)
{
	long n = 0;

	while (fail_alloc_try(n, use))
		n++;
	assert_true(n > 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
