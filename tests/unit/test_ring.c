/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ring.c - the reading end of a BPF ring buffer, against a file that is laid out like one and written by the test.
 *
 * Only the doubled mapping is missing, so no record here crosses the end of the data.
 */
#define _GNU_SOURCE
#include "config.h"

#include "capture/ring.h"

#include "tests/unit/cmocka_all.h"

#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>

#define SIZE 65536u

struct fake {
	int fd;
	uint8_t *map;
	unsigned long *consumer, *producer;
	uint8_t *data;
	size_t page;
	struct ring *ring;
};

/* What was collected. */
struct got {
	uint32_t len[16];
	uint8_t first[16];
	uint64_t tag[16];
	int n;
};

static int setup(void **state)
{
	static struct fake f;

	f.page = (size_t)sysconf(_SC_PAGESIZE);
	f.fd = memfd_create("ring", MFD_CLOEXEC);
	assert_int_equal(ftruncate(f.fd, (off_t)(2 * f.page + 2 * SIZE)), 0);
	f.map = mmap(NULL, 2 * f.page + 2 * SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd, 0);
	assert_ptr_not_equal(f.map, MAP_FAILED);
	f.consumer = (unsigned long *)f.map;
	f.producer = (unsigned long *)(f.map + f.page);
	f.data = f.map + 2 * f.page;
	assert_int_equal(ring_open(f.fd, SIZE, &f.ring, NULL), 0);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fake *f = *state;

	ring_free(f->ring);
	munmap(f->map, 2 * f->page + 2 * SIZE);
	close(f->fd);
	return 0;
}

/* Writes a record of LEN bytes FILL with FLAGS in its header. Returns the header's address. */
static uint32_t *produce(struct fake *f, uint32_t len, uint8_t fill, uint32_t flags)
{
	uint8_t *at = f->data + (*f->producer & (SIZE - 1));

	*(uint32_t *)at = len | flags;
	memset(at + 8, fill, len);
	*f->producer += (len + 8 + 7) / 8 * 8;
	return (uint32_t *)at;
}

static void take(void *ctx, const void *data, uint32_t len, uint64_t tag)
{
	struct got *g = ctx;

	assert_int_equal((uintptr_t)data % 8, 0);
	g->len[g->n] = len;
	g->first[g->n] = len ? *(const uint8_t *)data : 0;
	g->tag[g->n++] = tag;
}

static void gives_back_in_order(void **state)
{
	struct fake *f = *state;
	struct got g = { .n = 0 };

	for (uint8_t i = 0; i < 3; i++)
		produce(f, 20, i + 1, 0);
	assert_true(ring_collect(f->ring, take, &g));
	assert_int_equal(g.n, 3);
	assert_int_equal(g.first[2], 3);
	assert_int_equal(g.len[2], 20);
	assert_int_equal(*f->consumer, 0);
	assert_int_equal(ring_used(f->ring), 96);
	/* Done in another order: space comes back only from the oldest on. */
	ring_done(f->ring, g.tag[1]);
	assert_int_equal(*f->consumer, 0);
	ring_done(f->ring, g.tag[0]);
	assert_int_equal(*f->consumer, 64);
	ring_done(f->ring, g.tag[2]);
	assert_int_equal(*f->consumer, 96);
	assert_int_equal(ring_used(f->ring), 0);
	assert_true(ring_collect(f->ring, take, &g));
	assert_int_equal(g.n, 3);
}

static void stops_at_unfinished(void **state)
{
	struct fake *f = *state;
	struct got g = { .n = 0 };
	uint32_t *busy;

	produce(f, 8, 1, 0);
	busy = produce(f, 8, 2, BPF_RINGBUF_BUSY_BIT);
	produce(f, 8, 3, 0);
	assert_false(ring_collect(f->ring, take, &g));
	assert_int_equal(g.n, 1);
	*busy = 8;
	assert_true(ring_collect(f->ring, take, &g));
	assert_int_equal(g.n, 3);
	assert_int_equal(g.first[1], 2);
	assert_int_equal(g.first[2], 3);
}

static void skips_discarded(void **state)
{
	struct fake *f = *state;
	struct got g = { .n = 0 };

	produce(f, 8, 1, BPF_RINGBUF_DISCARD_BIT);
	produce(f, 8, 2, 0);
	produce(f, 8, 3, BPF_RINGBUF_DISCARD_BIT);
	assert_true(ring_collect(f->ring, take, &g));
	assert_int_equal(g.n, 1);
	assert_int_equal(*f->consumer, 16);
	ring_done(f->ring, g.tag[0]);
	assert_int_equal(*f->consumer, 48);
}

/* A length that leads behind what was produced: the rest is skipped and counted, nothing is handed out. */
static void survives_nonsense(void **state)
{
	struct fake *f = *state;
	struct got g = { .n = 0 };
	uint32_t *bad;

	produce(f, 8, 1, 0);
	bad = produce(f, 8, 2, 0);
	*bad = SIZE;
	assert_true(ring_collect(f->ring, take, &g));
	assert_int_equal(g.n, 1);
	assert_int_equal(ring_bad(f->ring), 1);
	ring_done(f->ring, g.tag[0]);
	assert_int_equal(*f->consumer, *f->producer);
}

/* Many times around, with a window of records that stay: tags and positions keep matching. */
static void goes_around(void **state)
{
	enum { KEPT = 10 };
	struct fake *f = *state;
	uint64_t kept[KEPT] = { 0 };

	for (int i = 0; i < 30000; i++) {
		struct got g = { .n = 0 };

		produce(f, 24, (uint8_t)i, 0);
		assert_true(ring_collect(f->ring, take, &g));
		assert_int_equal(g.n, 1);
		assert_int_equal(g.first[0], (uint8_t)i);
		if (i >= KEPT)
			ring_done(f->ring, kept[i % KEPT]);
		kept[i % KEPT] = g.tag[0];
		assert_int_equal(ring_used(f->ring), 32 * (i < KEPT ? i + 1 : KEPT));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(gives_back_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(stops_at_unfinished, setup, teardown),
		cmocka_unit_test_setup_teardown(skips_discarded, setup, teardown),
		cmocka_unit_test_setup_teardown(survives_nonsense, setup, teardown),
		cmocka_unit_test_setup_teardown(goes_around, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
