/* SPDX-License-Identifier: BSD-2-Clause */
/* test_sideband.c - reading perf's buffer, made by hand: records that wrap around its end, and one that cannot be. */
#include "config.h"

#include "capture/sideband.h"

#include "base/hash.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE 4096u

struct fake {
	struct sideband b;
	struct perf_event_mmap_page *page;
	uint8_t *data;
};

static struct fake make(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct fake f = { .b = { .fd = 0, .data_bytes = SIZE } };

	f.page = calloc(1, page + SIZE);
	assert_non_null(f.page);
	f.b.map = f.page;
	f.data = (uint8_t *)f.page + page;
	return f;
}

/* Appends a record of N bytes, each of them FILL behind the header. */
static void produce(struct fake *f, uint16_t n, uint8_t fill)
{
	struct perf_event_header h = { .type = fill, .size = n };
	uint8_t rec[SIZE];

	memset(rec, fill, n);
	memcpy(rec, &h, sizeof(h));
	for (uint16_t i = 0; i < n; i++)
		f->data[(f->page->data_head + i) % SIZE] = rec[i];
	f->page->data_head += n;
}

struct got {
	uint16_t want;
	uint8_t fill;
	int n;
};

static void check(void *ctx, const void *data, size_t len)
{
	const struct perf_event_header *h = data;
	const uint8_t *bytes = data;
	struct got *g = ctx;

	g->n++;
	assert_int_equal(len, g->want);
	assert_int_equal(h->size, len);
	for (size_t i = sizeof(*h); i < len; i++)
		assert_int_equal(bytes[i], g->fill);
}

static void wraps_around(void **state)
{
	struct fake f = make();

	for (uint64_t i = 0; i < 2000; i++) {
		struct got g = { .want = (uint16_t)(8 + hash_u64(i) % 60 * 8), .fill = (uint8_t)i };

		produce(&f, g.want, g.fill);
		assert_int_equal(sideband_read(&f.b, check, &g), 1);
		assert_int_equal(g.n, 1);
		assert_int_equal(f.page->data_tail, f.page->data_head);
	}
	free(f.page);
}

static void reads_all_that_is_there(void **state)
{
	struct got g = { .want = 64, .fill = 7 };
	struct fake f = make();

	assert_int_equal(sideband_read(&f.b, check, &g), 0);
	for (int i = 0; i < 64; i++)
		produce(&f, 64, 7);
	assert_int_equal(sideband_read(&f.b, check, &g), 64);
	assert_int_equal(g.n, 64);
	free(f.page);
}

/* A size of 0, odd, or longer than what is there: the rest is skipped, and reading goes on with what comes later. */
static void survives_nonsense(void **state)
{
	static const uint16_t sizes[] = { 0, 4, 63, 72, 65528 };
	struct fake f = make();

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct got g = { .want = 64, .fill = 3 };
		uint64_t at;

		produce(&f, 64, 3);
		at = f.page->data_head;
		produce(&f, 64, 3);
		((struct perf_event_header *)(f.data + at % SIZE))->size = sizes[i];
		assert_int_equal(sideband_read(&f.b, check, &g), -EBADMSG);
		assert_int_equal(g.n, 1);
		produce(&f, 64, 3);
		assert_int_equal(sideband_read(&f.b, check, &g), 1);
	}
	free(f.page);
}

static void closed(void **state)
{
	struct sideband b = SIDEBAND_INIT;
	struct got g = { 0 };

	assert_int_equal(sideband_read(&b, check, &g), 0);
	sideband_close(&b);
	assert_int_equal(b.fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wraps_around),
		cmocka_unit_test(reads_all_that_is_there),
		cmocka_unit_test(survives_nonsense),
		cmocka_unit_test(closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
