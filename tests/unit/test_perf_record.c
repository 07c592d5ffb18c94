/* SPDX-License-Identifier: BSD-2-Clause */
/* test_perf_record.c - each side-band record becomes its event; what is cut short or has no end is refused. */
#include "config.h"

#include "capture/perf_record.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <stdalign.h>
#include <string.h>

struct rec {
	alignas(8) uint8_t b[4096];
	size_t n;
};

static void put(struct rec *r, const void *p, size_t n)
{
	assert_true(r->n + n <= sizeof(r->b));
	memcpy(r->b + r->n, p, n);
	r->n += n;
}

static void put_u32(struct rec *r, uint32_t v)
{
	put(r, &v, sizeof(v));
}

static void put_u64(struct rec *r, uint64_t v)
{
	put(r, &v, sizeof(v));
}

/* Text with its NUL, padded to 8 as the kernel does. */
static void put_text(struct rec *r, const char *s)
{
	static const uint8_t zero[8];

	put(r, s, strlen(s) + 1);
	put(r, zero, (8 - r->n % 8) % 8);
}

static void start(struct rec *r, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	r->n = 0;
	put(r, &h, sizeof(h));
}

static void end(struct rec *r)
{
	put_u32(r, 50);
	put_u32(r, 51);
	put_u64(r, 1234);
	put_u32(r, 3);
	put_u32(r, 0);
	((struct perf_event_header *)r->b)->size = (uint16_t)r->n;
}

static void put_mmap2(struct rec *r, uint16_t misc, const void *file24, const char *path)
{
	start(r, PERF_RECORD_MMAP2, misc);
	put_u32(r, 10);
	put_u32(r, 11);
	put_u64(r, 0x1000);
	put_u64(r, 0x2000);
	put_u64(r, 0x3000);
	put(r, file24, 24);
	put_u32(r, 5);
	put_u32(r, 2);
	put_text(r, path);
	end(r);
}

static void mmap_with_inode(void **state)
{
	const uint64_t file[3] = { (uint64_t)2 << 32 | 1, 3, 4 };
	struct perf_record rec;
	struct rec r;

	put_mmap2(&r, 0, file, "/bin/x");
	assert_int_equal(perf_record_read(r.b, r.n, &rec), 0);
	assert_int_equal(rec.what, PERF_REC_EVENT);
	assert_int_equal(rec.ev.kind, RAW_MMAP);
	assert_int_equal(rec.ev.time_ns, 1234);
	assert_int_equal(rec.ev.cpu, 3);
	assert_int_equal(rec.ev.pid, 10);
	assert_int_equal(rec.ev.tid, 11);
	assert_int_equal(rec.ev.mmap.start, 0x1000);
	assert_int_equal(rec.ev.mmap.len, 0x2000);
	assert_int_equal(rec.ev.mmap.pgoff, 0x3000);
	assert_int_equal(rec.ev.mmap.maj, 1);
	assert_int_equal(rec.ev.mmap.min, 2);
	assert_int_equal(rec.ev.mmap.ino, 3);
	assert_int_equal(rec.ev.mmap.ino_generation, 4);
	assert_int_equal(rec.ev.mmap.prot, 5);
	assert_int_equal(rec.ev.mmap.flags, 2);
	assert_int_equal(rec.ev.mmap.build_id_len, 0);
	assert_string_equal(rec.ev.mmap.path, "/bin/x");
}

/* The flag belongs to somebody else's event; what follows is device and inode all the same. */
static void mmap_with_a_flag_not_asked_for(void **state)
{
	const uint32_t file[6] = { 1, 2, 3, 0, 4, 0 };
	struct perf_record rec;
	struct rec r;

	put_mmap2(&r, 1 << 14, (const uint8_t *)file, "/lib/y");
	assert_int_equal(perf_record_read(r.b, r.n, &rec), 0);
	assert_int_equal(rec.ev.mmap.build_id_len, 0);
	assert_int_equal(rec.ev.mmap.maj, 1);
	assert_int_equal(rec.ev.mmap.min, 2);
	assert_int_equal(rec.ev.mmap.ino, 3);
}

static void comm_and_exec(void **state)
{
	struct perf_record rec;
	struct rec r;

	for (int exec = 0; exec < 2; exec++) {
		start(&r, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
		put_u32(&r, 10);
		put_u32(&r, 11);
		put_text(&r, "redis-server");
		end(&r);
		assert_int_equal(perf_record_read(r.b, r.n, &rec), 0);
		assert_int_equal(rec.ev.kind, RAW_COMM);
		assert_int_equal(rec.ev.comm.exec, exec);
		assert_string_equal(rec.ev.comm.comm, "redis-server");
	}
}

static void fork_and_exit(void **state)
{
	struct perf_record rec;
	struct rec r;

	for (int i = 0; i < 2; i++) {
		start(&r, i ? PERF_RECORD_EXIT : PERF_RECORD_FORK, 0);
		put_u32(&r, 10);
		put_u32(&r, 20);
		put_u32(&r, 11);
		put_u32(&r, 21);
		put_u64(&r, 1200);
		end(&r);
		assert_int_equal(perf_record_read(r.b, r.n, &rec), 0);
		assert_int_equal(rec.ev.kind, i ? RAW_EXIT : RAW_FORK);
		assert_int_equal(rec.ev.pid, 10);
		assert_int_equal(rec.ev.tid, 11);
		assert_int_equal(rec.ev.fork.ppid, 20);
		assert_int_equal(rec.ev.fork.ptid, 21);
	}
}

static void lost_and_throttled(void **state)
{
	struct perf_record rec;
	struct rec r;

	start(&r, PERF_RECORD_LOST, 0);
	put_u64(&r, 7);
	put_u64(&r, 99);
	end(&r);
	assert_int_equal(perf_record_read(r.b, r.n, &rec), 0);
	assert_int_equal(rec.what, PERF_REC_LOST);
	assert_int_equal(rec.lost, 99);
	for (int i = 0; i < 2; i++) {
		start(&r, i ? PERF_RECORD_UNTHROTTLE : PERF_RECORD_THROTTLE, 0);
		for (int k = 0; k < 3; k++)
			put_u64(&r, 1);
		end(&r);
		assert_int_equal(perf_record_read(r.b, r.n, &rec), 0);
		assert_int_equal(rec.what, i ? PERF_REC_UNTHROTTLE : PERF_REC_THROTTLE);
		assert_int_equal(rec.ev.cpu, 3);
		assert_int_equal(rec.ev.time_ns, 1234);
	}
	start(&r, 77, 0);
	end(&r);
	assert_int_equal(perf_record_read(r.b, r.n, &rec), 0);
	assert_int_equal(rec.what, PERF_REC_OTHER);
}

static void refuses_text_without_end(void **state)
{
	struct perf_record rec = { .lost = 5 };
	struct rec r;

	start(&r, PERF_RECORD_COMM, 0);
	put_u32(&r, 10);
	put_u32(&r, 11);
	put(&r, "abcdefgh", 8);
	end(&r);
	assert_int_equal(perf_record_read(r.b, r.n, &rec), -EBADMSG);
	assert_int_equal(rec.lost, 5);
}

/* Cut anywhere, also with a size that agrees, nothing is read behind the cut. */
static void cut_anywhere(void **state)
{
	const uint64_t file[3] = { 1, 2, 3 };
	struct perf_record rec;
	struct rec r;

	put_mmap2(&r, 0, file, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	for (size_t n = 0; n < r.n; n++) {
		uint8_t *copy = test_malloc(n + 1);

		memcpy(copy, r.b, n);
		assert_int_equal(perf_record_read(copy, n, &rec), -EBADMSG);
		if (n >= sizeof(struct perf_event_header))
			((struct perf_event_header *)copy)->size = (uint16_t)n;
		(void)perf_record_read(copy, n, &rec);
		test_free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mmap_with_inode),
		cmocka_unit_test(mmap_with_a_flag_not_asked_for),
		cmocka_unit_test(comm_and_exec),
		cmocka_unit_test(fork_and_exit),
		cmocka_unit_test(lost_and_throttled),
		cmocka_unit_test(refuses_text_without_end),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
