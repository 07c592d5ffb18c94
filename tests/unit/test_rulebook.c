/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_rulebook.c - the rulebook keeps to its bounds, what was of least use gives way, and who
 * reads meanwhile, by the protocol of bpf/wire.h, never believes what is of something else.
 *
 * The maps of the kernel half are files in memory, its hashes arrays, which the wrapped calls of
 * libbpf write.
 */
#include "config.h"

#include "capture/rulebook.h"

#include "cmocka_all.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MODULE 7u
#define PAGE_OF 1000             /* stand for descriptors of hashes */
#define SPACE_OF 1001
#define KEYS 40000u              /* pages and processes that tests know at most */
#define NONE UINT32_MAX
#define READS 20000000u
#define MEETINGS 500u
#define BUSY_PID 11u
#define MAPS 3u                  /* of each process */

static _Atomic uint32_t page_index[KEYS], space_index[KEYS];
static _Atomic uint32_t last_shown;       /* item of a page */
static struct rulebook_maps maps;
static struct sb_page *pages;
static struct sb_rule *rules;
static struct sb_space *spaces;

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, uint64_t flags);
int __wrap_bpf_map_delete_elem(int fd, const void *key);

/* Where the index of KEY is kept. Keys of processes have 4 bytes. */
static _Atomic uint32_t *entry(int fd, const void *key)
{
	uint64_t page;
	uint32_t pid;

	if (fd == SPACE_OF) {
		memcpy(&pid, key, sizeof(pid));
		assert_true(pid < KEYS);
		return &space_index[pid];
	}
	assert_int_equal(fd, PAGE_OF);
	memcpy(&page, key, sizeof(page));
	assert_true(page - SB_PAGE_KEY(MODULE, 0) < KEYS);
	return &page_index[page - SB_PAGE_KEY(MODULE, 0)];
}

int __wrap_bpf_map_update_elem(int fd, const void *key, const void *value, uint64_t flags)
{
	uint32_t index;

	memcpy(&index, value, sizeof(index));
	atomic_store(entry(fd, key), index);
	if (fd == PAGE_OF)
		atomic_store(&last_shown, index);
	return 0;
}

int __wrap_bpf_map_delete_elem(int fd, const void *key)
{
	atomic_store(entry(fd, key), NONE);
	return 0;
}

static void *shared(int *ret_fd, size_t bytes)
{
	void *p;

	*ret_fd = memfd_create("map", MFD_CLOEXEC);
	assert_true(*ret_fd >= 0);
	assert_int_equal(ftruncate(*ret_fd, (off_t)((bytes + 4095) / 4096 * 4096)), 0);
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *ret_fd, 0);
	assert_true(p != MAP_FAILED);
	return p;
}

static int setup(void **state)
{
	struct rulebook *b;
	struct err e = { 0 };

	for (uint32_t i = 0; i < KEYS; i++)
		page_index[i] = space_index[i] = NONE;
	maps.page_of.fd = PAGE_OF;
	maps.space_of.fd = SPACE_OF;
	maps.nr_pages = RULEBOOK_PAGES;
	maps.nr_spaces = RULEBOOK_SPACES;
	pages = shared(&maps.pages, RULEBOOK_PAGES * sizeof(*pages));
	rules = shared(&maps.rules, SB_RULES * sizeof(*rules));
	spaces = shared(&maps.spaces, RULEBOOK_SPACES * sizeof(*spaces));
	assert_int_equal(rulebook_new(&maps, &b, &e), 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	rulebook_free(*state);
	munmap(pages, RULEBOOK_PAGES * sizeof(*pages));
	munmap(rules, SB_RULES * sizeof(*rules));
	munmap(spaces, RULEBOOK_SPACES * sizeof(*spaces));
	close(maps.pages);
	close(maps.rules);
	close(maps.spaces);
	return 0;
}

/* Every row of page PAGE has this in its rule. */
static int32_t cfa_of(uint32_t page)
{
	return (int32_t)(page % 9973 + 1) * 8;
}

static void teach(struct rulebook *b, uint32_t page)
{
	struct rule_row row[SB_ROWS];

	for (uint32_t i = 0; i < SB_ROWS; i++)
		row[i] = (struct rule_row){ .at = i * (SB_TEXT_BYTES / SB_ROWS),
					    .rule = { .kind = RULE_SP, .bp = (int16_t)(i % 2), .cfa = cfa_of(page) } };
	rulebook_teach(b, MODULE, (uint64_t)page * SB_TEXT_BYTES, row, SB_ROWS);
}

static bool has(const struct rulebook *b, uint32_t page)
{
	return rulebook_has(b, MODULE, (uint64_t)page * SB_TEXT_BYTES + 1);
}

/*
 * As look_up_rule() of bpf/walk.bpf.h: the rule of row ROW of the page KEY, which was found at
 * INDEX, to *RET. False: not believed.
 */
static bool read_item(uint32_t index, uint64_t key, uint32_t row, struct sb_rule *ret)
{
	const volatile struct sb_page *p = &pages[index];
	uint32_t rule;

	if (p->key != key)
		return false;
	rule = p->row[row] & 0xffff;
	*ret = rules[rule];
	atomic_signal_fence(memory_order_seq_cst);
	return p->key == key;
}

/* The same where PAGE is. False, too, when it is nowhere. */
static bool read_rule(uint32_t page, uint32_t row, struct sb_rule *ret)
{
	const uint32_t index = atomic_load(&page_index[page]);

	return index != NONE && read_item(index, SB_PAGE_KEY(MODULE, (uint64_t)page * SB_TEXT_BYTES), row, ret);
}

static struct rulebook_stats stats(const struct rulebook *b)
{
	struct rulebook_stats s;

	rulebook_stats(b, &s);
	return s;
}

/* What the rulebook says it has, the kernel half finds, and it is of that page. */
static void check_pages(const struct rulebook *b, uint32_t n)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct sb_rule r;

		assert_int_equal(read_rule(i, i % SB_ROWS, &r), has(b, i));
		if (!has(b, i))
			continue;
		assert_int_equal(r.cfa, cfa_of(i));
		found++;
	}
	assert_int_equal(found, stats(b).pages);
}

static void test_bounds(void **state)
{
	const uint32_t n = 2 * RULEBOOK_PAGES + 1000;

	for (uint32_t i = 0; i < n; i++)
		teach(*state, i);
	assert_true(stats(*state).pages <= RULEBOOK_PAGES);
	assert_true(stats(*state).pages >= RULEBOOK_PAGES / 2);
	assert_int_equal(stats(*state).evicted, n - stats(*state).pages);
	assert_true(has(*state, n - 1));
	check_pages(*state, n);
	assert_true(stats(*state).bytes < 64u << 20);
}

static void test_least_used_give_way(void **state)
{
	for (uint32_t i = 0; i < RULEBOOK_PAGES; i++) {
		teach(*state, i);
		pages[page_index[i]].used_ns = i % 2 ? 1000000 + i : i;          /* as the kernel half does */
	}
	assert_int_equal(stats(*state).evicted, 0);
	teach(*state, RULEBOOK_PAGES);
	assert_true(has(*state, RULEBOOK_PAGES));
	assert_in_range(stats(*state).evicted, RULEBOOK_PAGES / 100, RULEBOOK_PAGES / 2);
	for (uint32_t i = 0; i < RULEBOOK_PAGES; i++)
		assert_int_equal(has(*state, i), i % 2 || i >= 2 * stats(*state).evicted);
	check_pages(*state, RULEBOOK_PAGES + 1);
}

/*
 * There are more different rules than the dictionary holds: it is begun anew, and the pages with
 * it; but not soon again, and then places of those that do not fit have none.
 */
static void test_rules_are_bounded(void **state)
{
	const uint32_t each = SB_RULES / SB_ROWS - 1;    /* pages of a dictionary, which has one rule of its own */
	const uint32_t n = 2 * each + 10;

	for (uint32_t i = 0; i < n; i++) {
		struct rule_row row[SB_ROWS];

		for (uint32_t k = 0; k < SB_ROWS; k++)
			row[k] = (struct rule_row){ .at = k * 8,
						    .rule = { .kind = RULE_SP, .cfa = (int32_t)(i * SB_ROWS + k) } };
		rulebook_teach(*state, MODULE, (uint64_t)i * SB_TEXT_BYTES, row, SB_ROWS);
	}
	assert_int_equal(stats(*state).rules, SB_RULES);
	assert_int_equal(stats(*state).pages, n - each);
	assert_int_equal(stats(*state).evicted, each);
	for (uint32_t i = 0; i < n; i++) {
		struct sb_rule r;

		assert_int_equal(has(*state, i), i >= each);
		assert_int_equal(read_rule(i, 5, &r), i >= each);
		if (i < each)
			continue;
		assert_int_equal(r.cfa, i <= 2 * each ? i * SB_ROWS + 5 : 0);
		assert_int_equal(r.kind, i <= 2 * each ? RULE_SP : RULE_NONE);
	}
}

static uint64_t id_of(uint32_t pid, uint32_t version)
{
	return (uint64_t)pid << 32 | version << 1 | 1;
}

/* Their number and places depend on the id. */
static bool teach_space_of(struct rulebook *b, uint32_t pid, uint32_t version, uint64_t time_ns)
{
	const uint64_t id = id_of(pid, version);
	struct sb_map map[MAPS];

	for (uint32_t i = 0; i < MAPS; i++)
		map[i] = (struct sb_map){ .start = (id << 8) + i * 16, .end = (id << 8) + i * 16 + 8, .pgoff = id,
					  .module = pid };
	return rulebook_teach_maps(b, pid, id, map, MAPS, time_ns);
}

static void teach_space(struct rulebook *b, uint32_t pid, uint32_t version)
{
	teach_space_of(b, pid, version, 0);
}

/* As walk_stack() of bpf/walk.bpf.h. */
static bool read_space(uint32_t pid, uint64_t id, struct sb_map *ret)
{
	const uint32_t index = atomic_load(&space_index[pid]);
	const volatile struct sb_space *s = index == NONE ? NULL : &spaces[index];
	uint32_t seq;

	if (!s)
		return false;
	seq = s->seq;
	if (seq & 1 || s->id != id)
		return false;
	for (uint32_t i = 0; i < MAPS; i++)
		ret[i] = (struct sb_map){ s->map[i].start, s->map[i].end, s->map[i].pgoff, s->map[i].module };
	atomic_signal_fence(memory_order_seq_cst);
	return s->seq == seq;
}

static bool is_of(const struct sb_map *map, uint32_t pid, uint64_t id)
{
	for (uint32_t i = 0; i < MAPS; i++)
		if (map[i].start != (id << 8) + i * 16 || map[i].pgoff != id || map[i].module != pid)
			return false;
	return true;
}

static void test_spaces(void **state)
{
	struct sb_map map[MAPS];
	uint64_t id;
	size_t n, owned = 0;

	for (uint32_t i = 0; i < RULEBOOK_SPACES; i++) {
		teach_space(*state, i, 1);
		spaces[space_index[i]].used_ns = i < 100 ? 1000000 : 5;
	}
	assert_int_equal(stats(*state).spaces, RULEBOOK_SPACES);
	teach_space(*state, RULEBOOK_SPACES, 1);
	assert_true(stats(*state).spaces < RULEBOOK_SPACES);
	assert_true(stats(*state).evicted > 0);
	for (uint32_t i = 0; i < 100; i++)
		assert_true(read_space(i, id_of(i, 1), map) && is_of(map, i, id_of(i, 1)));
	/* Who remembers where the space of one was that gave way does not take it for that any more. */
	for (uint32_t i = 0; i < RULEBOOK_SPACES; i++)
		owned += !!spaces[i].id;
	assert_int_equal(owned, stats(*state).spaces);
	/* Other memory of the same process. */
	teach_space(*state, 3, 2);
	assert_false(read_space(3, id_of(3, 1), map));
	assert_true(read_space(3, id_of(3, 2), map) && is_of(map, 3, id_of(3, 2)));
	/* What was so before of other memory counts for nothing any more, also when it is that nothing was right. */
	assert_true(teach_space_of(*state, 3, 3, 1000));
	assert_false(teach_space_of(*state, 3, 2, 999));
	assert_false(rulebook_teach_maps(*state, 3, id_of(3, 2), NULL, 0, 999));
	assert_true(rulebook_is_past(*state, 3, id_of(3, 2), 999));
	assert_false(rulebook_is_past(*state, 3, id_of(3, 2), 1000));
	assert_true(read_space(3, id_of(3, 3), map) && is_of(map, 3, id_of(3, 3)));
	/* Of the same memory more may be known from an earlier time; that does not make it older. */
	assert_true(teach_space_of(*state, 3, 3, 900));
	assert_false(teach_space_of(*state, 3, 2, 950));
	/* What was not right is nobody's, and what it was is known. */
	assert_false(rulebook_teach_maps(*state, 3, id_of(3, 3), NULL, 0, 999));
	assert_true(rulebook_teach_maps(*state, 3, id_of(3, 3), NULL, 0, 1000));
	assert_false(read_space(3, id_of(3, 3), map));
	assert_non_null(rulebook_maps(*state, 3, &id, &n));
	assert_true(id == id_of(3, 3) && !n);
	assert_true(teach_space_of(*state, 3, 2, 1000));
	assert_null(rulebook_maps(*state, KEYS - 1, &id, &n));
	assert_int_equal(n, 0);
}

struct reader {
	_Atomic uint32_t reads, met, believed, wrong, version;           /* met: was written meanwhile */
};

/* Has it met the writer often enough? On one CPU it hardly ever does. */
static bool enough(struct reader *r)
{
	return atomic_load(&r->met) >= MEETINGS || atomic_load(&r->reads) >= READS;
}

/*
 * A page is found, and read later: meanwhile it may have given way to another one. So the item
 * looked at is the one that is probably written next, and what is wanted is what it has now.
 */
static void read_page(struct reader *r)
{
	const uint32_t index = (atomic_load(&last_shown) + 1) % RULEBOOK_PAGES;
	const uint64_t key = *(volatile uint64_t *)&pages[index].key;
	const uint32_t page = (uint32_t)(key - SB_PAGE_KEY(MODULE, 0));
	struct sb_rule rule;

	if (!key)
		return;
	if (!read_item(index, key, r->reads % SB_ROWS, &rule)) {
		r->met++;
		return;
	}
	r->believed++;
	if (rule.cfa != cfa_of(page))
		r->wrong++;
}

static void *read_all(void *arg)
{
	struct reader *r = arg;

	while (!enough(r)) {
		const uint64_t id = id_of(BUSY_PID, atomic_load(&r->version));
		struct sb_map map[MAPS];

		read_page(r);
		if (read_space(BUSY_PID, id, map) && !is_of(map, BUSY_PID, id))
			r->wrong++;
		r->reads++;
	}
	return NULL;
}

static void test_reader_believes_nothing_else(void **state)
{
	struct reader r = { .reads = 0 };
	pthread_t thread;

	for (uint32_t i = 0; i < RULEBOOK_PAGES; i++)
		teach(*state, i);
	assert_int_equal(pthread_create(&thread, NULL, read_all, &r), 0);
	for (uint32_t i = RULEBOOK_PAGES; !enough(&r); i++) {
		if (!has(*state, i % KEYS))
			teach(*state, i % KEYS);
		atomic_store(&r.version, i & 0xffff);
		teach_space(*state, BUSY_PID, r.version);
	}
	pthread_join(thread, NULL);
	assert_true(r.believed > 0);
	assert_int_equal(r.wrong, 0);
	assert_true(stats(*state).pages <= RULEBOOK_PAGES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bounds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_least_used_give_way, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rules_are_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_spaces, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reader_believes_nothing_else, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
