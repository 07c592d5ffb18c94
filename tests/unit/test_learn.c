/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_learn.c - what is taught around a missing place: all that is near; and what no copy came by:
 * where a walk stopped, and all that is mapped. Nothing around a place in no module.
 *
 * The code is of this program, eight pages. The maps of the kernel half are files in memory; its
 * hashes are not asked.
 */
#include "config.h"

#include "engine/learn.h"

#include "own_code.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define MODULE 3u
#define HASH 1000                /* stands for descriptors of hashes */
#define NEAR 8u                  /* pages that are taught at a time at first */

_Static_assert(NEAR * SB_TEXT_BYTES == 1 << 14, "the code below is as many pages, and begins where so many do");

__asm__(".pushsection .text\n"
	".p2align 14\n"
	".type near_code, @function\n"
	"near_code:\n"
	".cfi_startproc\n"
	".rept 16384\n"
	"	nop\n"
	".endr\n"
	".rept 2048\n"
	"	nop\n"
	".endr\n"
	".cfi_endproc\n"
	".size near_code, . - near_code\n"
	".p2align 11\n"
	".popsection\n");
extern const uint8_t near_code[];

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, uint64_t flags);
int __wrap_bpf_map_delete_elem(int fd, const void *key);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, uint64_t flags)
{
	return fd == HASH ? 0 : -1;
}

int __wrap_bpf_map_delete_elem(int fd, const void *key)
{
	return fd == HASH ? 0 : -1;
}

/* Time stands still: what is taught is bounded by time, too, and a machine that does other things takes long for it. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){ .tv_sec = 1000 };
	return 0;
}

static int map_of(size_t bytes)
{
	const int fd = memfd_create("map", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)((bytes + 4095) / 4096 * 4096)), 0);
	return fd;
}

static bool find(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	*ret = *(const struct unwind_map *)ctx;
	return true;
}

/* How many of the N pages of code at CODE are known. */
static uint32_t known(const struct rulebook *b, uint64_t code, uint32_t n)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += rulebook_has(b, MODULE, code + i * SB_TEXT_BYTES);
	return sum;
}

/* A stack of one frame in page PAGE of the code at CODE came, which was not walked by rules. */
static void miss(struct learn *l, const struct unwind_map *map, uint64_t code, uint32_t page)
{
	const struct unwind_space space = { .find = find, .ctx = (void *)(uintptr_t)map };
	const struct unwind_space watched = learn_watch(l, &space);
	const struct raw_event ev = { .kind = RAW_SAMPLE, .pid = 11, .time_ns = 5, .sample = { .space_id = 6 } };
	struct chain c = { .n = 1, .cut = CUT_COMPLETE };
	struct unwind_map found;

	c.frame[0] = (struct frame){ .module = MODULE, .offset = code + page * SB_TEXT_BYTES + 100 };
	assert_true(watched.find(watched.ctx, c.frame[0].offset, &found));
	learn_from(l, &ev, &c);
}

static size_t list(void *ctx, struct unwind_map *ret, size_t max, bool load)
{
	struct unwind_map far = *(const struct unwind_map *)ctx;

	assert_true(max >= 2);
	ret[0] = far;
	far.start = far.end * 2;
	far.end = far.start + 4096;
	far.module = MODULE + 1;
	ret[1] = far;
	return 2;
}

/* A walk stopped in page PAGE of the code at CODE, and the copy ended before: it came by nothing. */
static void stop(struct learn *l, const struct unwind_map *map, uint64_t code, uint32_t page)
{
	const struct unwind_space space = { .find = find, .list = list, .ctx = (void *)(uintptr_t)map };
	const struct raw_event ev = { .kind = RAW_SAMPLE, .pid = 12, .time_ns = 5,
				      .sample = { .space_id = 7, .user.stopped = true, .walk_why = SB_WALK_NO_PAGE,
						  .user.stop = { .pc = code + page * SB_TEXT_BYTES + 100 } } };
	const struct chain c = { .cut = CUT_STACK_SIZE };

	(void)learn_watch(l, &space);
	learn_from(l, &ev, &c);
}

/* A stack of one frame in no module came: nothing is learnt, and no memory taken. */
static void miss_outside(struct learn *l, const struct unwind_map *map)
{
	const struct unwind_space space = { .find = find, .ctx = (void *)(uintptr_t)map };
	const struct unwind_space watched = learn_watch(l, &space);
	const struct raw_event ev = { .kind = RAW_SAMPLE, .pid = 13, .time_ns = 5, .sample = { .space_id = 8 } };
	const struct unwind_map none = { .end = 1 << 30, .module = ID_NONE, .state = MAP_READY, .image = map->image };
	const struct unwind_space nameless = { .find = find, .ctx = (void *)(uintptr_t)&none };
	struct chain c = { .n = 1, .cut = CUT_COMPLETE };
	struct rusage before, after;
	struct unwind_map found;

	c.frame[0] = (struct frame){ .module = ID_NONE, .offset = 4096 };
	getrusage(RUSAGE_SELF, &before);
	assert_true(watched.find(watched.ctx, 4096, &found));
	learn_from(l, &ev, &c);
	(void)learn_watch(l, &nameless);
	assert_true(watched.find(watched.ctx, 4096, &found));
	learn_from(l, &ev, &c);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 16 * 1024);
}

static void neighbours(void **state)
{
	const struct rulebook_maps maps = {
		.page_of = { .fd = HASH }, .space_of = { .fd = HASH },
		.pages = map_of(RULEBOOK_PAGES * sizeof(struct sb_page)),
		.rules = map_of(SB_RULES * sizeof(struct sb_rule)),
		.spaces = map_of(RULEBOOK_SPACES * sizeof(struct sb_space)),
		.nr_pages = RULEBOOK_PAGES, .nr_spaces = RULEBOOK_SPACES,
	};
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	AUTO(image_free) struct image *im = NULL;
	AUTO(rulebook_free) struct rulebook *b = NULL;
	struct unwind_map map = { .end = 1 << 30, .module = MODULE, .state = MAP_READY };
	struct err e = { 0 };
	struct learn *l;
	static const struct rule_row none = { .rule = { .kind = RULE_NONE } };
	uint64_t code, far, id;
	size_t n;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(image_open(fd, &im, NULL), 0);
	assert_int_equal(rulebook_new(&maps, &b, &e), 0);
	l = learn_new(b);
	assert_non_null(l);
	map.image = im;
	code = own_offset(im, near_code);
	assert_int_equal(code % (NEAR * SB_TEXT_BYTES), 0);

	miss(l, &map, code, 1);
	assert_int_equal(known(b, code, NEAR), NEAR);
	/* Not more than that, until that is missing itself. */
	assert_false(rulebook_has(b, MODULE, code + NEAR * SB_TEXT_BYTES));
	miss(l, &map, code, NEAR);
	assert_true(rulebook_has(b, MODULE, code + NEAR * SB_TEXT_BYTES));

	/* Who was taught four times is taught twice as much, from where that begins ... */
	miss(l, &map, code, 2 * NEAR);
	miss(l, &map, code, 3 * NEAR);
	far = (code / (2 * NEAR * SB_TEXT_BYTES) + 4) * 2 * NEAR * SB_TEXT_BYTES;
	miss(l, &map, far, 0);
	assert_int_equal(known(b, far, 2 * NEAR), 2 * NEAR);
	/* ... until three quarters of all that there can be are known. */
	for (uint64_t page = 0; page < RULEBOOK_PAGES / 4 * 3; page++)
		rulebook_teach(b, MODULE + 1, page * SB_TEXT_BYTES, &none, 1);
	assert_true(rulebook_is_crowded(b));
	far += 2 * NEAR * SB_TEXT_BYTES;
	miss(l, &map, far, 0);
	assert_int_equal(known(b, far, 2 * NEAR), NEAR);

	/* What a copy is too short for is learnt from where walks stop, and of the process all that is mapped. */
	far += 16 * NEAR * SB_TEXT_BYTES;
	assert_false(rulebook_has(b, MODULE, far));
	assert_null(rulebook_maps(b, 12, &id, &n));
	stop(l, &map, far, 0);
	assert_true(rulebook_has(b, MODULE, far));
	assert_non_null(rulebook_maps(b, 12, &id, &n));
	assert_int_equal(id, 7);
	assert_int_equal(n, 2);

	miss_outside(l, &map);
	assert_int_equal(known(b, code, NEAR), NEAR);

	learn_free(l);
	close(maps.pages);
	close(maps.rules);
	close(maps.spaces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
