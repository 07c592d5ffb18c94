/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rulebook.c - two tables of items in memory that the kernel half reads, each with a hash map there
 * from keys to items.
 */
#include "config.h"

#include "capture/rulebook.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GIVE_WAY 4u              /* a shelf that is full loses one item in so many */
#define RULE_SLOTS (2 * SB_RULES)
#define RENEW_NS (10 * NSEC_PER_SEC)     /* a dictionary that is full is begun anew no more often */

struct shelf {
	struct mapway by_key;    /* the hash in the kernel */
	uint8_t *item;           /* shared */
	size_t item_size, used_at, bytes;
	uint32_t max, n;         /* items, and those in use */
	uint32_t next;           /* where to look for a free one */
	uint64_t *key;           /* of each item plus 1, 0 = free */
	struct hidx index;
};

struct rulebook {
	struct shelf pages, spaces;
	uint64_t *space_ns, *space_id;   /* of what time each space is, and of which memory */
	struct sb_rule *rules;           /* shared */
	uint32_t nr_rules;
	uint64_t renewed_ns;             /* when they were begun anew; 0 = never */
	uint32_t *rule_slot;             /* an open-addressing table of indices plus 1 */
	uint64_t evicted;
	size_t kernel_bytes;             /* the memory that is shared is of these */
};

_Static_assert(SB_RULE_SP == RULE_SP && SB_RULE_BP == RULE_BP && SB_RULE_PLT == RULE_PLT && SB_RULE_DRAP == RULE_DRAP &&
	       SB_RULE_END == RULE_END && SB_RULE_SIGNAL == RULE_SIGNAL && SB_RULE_FP == RULE_FP &&
	       SB_RULE_BP_SAME == RULE_BP_SAME && SB_RULE_PLACED == RULE_PLACED && SB_RULE_NO_TABLE == RULE_NO_TABLE &&
	       sizeof(struct sb_rule) == sizeof(struct rule), "rules cross as they are");

static size_t rulebook_map_bytes(uint32_t n, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return ((size_t)n * size + page - 1) / page * page;
}

static void *map_shared(int fd, size_t bytes, struct err *e)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p != MAP_FAILED)
		return p;
	err_set(e, errno, "cannot map the rules of the BPF programs: %s", strerror(errno));
	return NULL;
}

static bool shelf_open(struct shelf *s, struct mapway by_key, int items, size_t item_size, size_t used_at, uint32_t max,
		       struct err *e)
{
	s->by_key = by_key;
	s->item_size = item_size;
	s->used_at = used_at;
	s->max = max;
	s->bytes = rulebook_map_bytes(max, item_size);
	s->key = calloc(max, sizeof(*s->key));
	if (!s->key) {
		err_nomem(e, "the rules");
		return false;
	}
	s->item = map_shared(items, s->bytes, e);
	return s->item;
}

static void shelf_close(struct shelf *s)
{
	if (s->item)
		munmap(s->item, s->bytes);
	free(s->key);
	hidx_free(&s->index);
}

static void *shelf_item(const struct shelf *s, uint32_t i)
{
	return s->item + i * s->item_size;
}

static uint64_t used_ns(const struct shelf *s, uint32_t i)
{
	return *(const volatile uint64_t *)(const void *)(s->item + i * s->item_size + s->used_at);
}

static uint64_t rulebook_rehash(const void *ctx, uint32_t i)
{
	const struct shelf *s = ctx;

	return hash_u64(s->key[i]);
}

/* The item of KEY, UINT32_MAX = none. */
static uint32_t shelf_find(const struct shelf *s, uint64_t key)
{
	uint32_t i;

	hidx_each(&s->index, hash_u64(key + 1), i)
		if (s->key[i] == key + 1)
			return i;
	return UINT32_MAX;
}

/*
 * The kernel half finds item I no more by its key. It may remember where a page was, and then goes
 * on to use what stands there, which stays right; what it is doing when another takes the item, it
 * will not believe.
 */
static void shelf_drop(struct shelf *s, uint32_t i)
{
	const uint64_t key = s->key[i] - 1;

	(void)mapway_delete(&s->by_key, &key, sizeof(key));
	s->key[i] = 0;
	s->n--;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return compare_numbers(x, y);
}

/* What was of least use lately goes. False when out of memory. */
static bool shelf_make_room(struct shelf *s, uint64_t *evicted)
{
	AUTO_FREE uint64_t *used = calloc(s->max, sizeof(*used));
	struct hidx index = { 0 };
	uint64_t limit;
	uint32_t left = s->max / GIVE_WAY;

	if (!used)
		return false;
	for (uint32_t i = 0; i < s->max; i++)
		used[i] = used_ns(s, i);
	qsort(used, s->max, sizeof(*used), by_value);
	limit = used[left];
	for (uint32_t i = 0; i < s->max && left; i++)
		if (s->key[i] && used_ns(s, i) <= limit) {
			shelf_drop(s, i);
			left--;
			++*evicted;
		}
	hidx_free(&s->index);
	s->index = index;
	for (uint32_t i = 0; i < s->max; i++)
		if (s->key[i] && !hidx_add(&s->index, hash_u64(s->key[i]), i, rulebook_rehash, s))
			shelf_drop(s, i);
	return true;
}

/*
 * A free item for KEY, which is not there yet; UINT32_MAX when there is none. The kernel half does not find it before
 * shelf_show().
 */
static uint32_t shelf_take(struct shelf *s, uint64_t key, uint64_t *evicted)
{
	uint32_t i;

	if (s->n == s->max && !shelf_make_room(s, evicted))
		return UINT32_MAX;
	if (s->n == s->max)
		return UINT32_MAX;       /* all of them were of use meanwhile */
	while (s->key[s->next])
		s->next = s->next + 1 < s->max ? s->next + 1 : 0;
	i = s->next;
	s->key[i] = key + 1;
	if (!hidx_add(&s->index, hash_u64(s->key[i]), i, rulebook_rehash, s)) {
		s->key[i] = 0;
		return UINT32_MAX;
	}
	s->n++;
	return i;
}

static void shelf_show(struct shelf *s, uint32_t i)
{
	const uint64_t key = s->key[i] - 1;

	/* Keys are little-endian: the first bytes of a number are the number. */
	(void)mapway_put(&s->by_key, &key, sizeof(key), &i, sizeof(i));
}

/*
 * A new dictionary, and so new pages: rules of programs that are long gone may fill the old one.
 * Whoever reads a rule of it by a page looks at the key of the page once more then; places that the
 * kernel half remembers have rules of their own.
 */
static void start_anew(struct rulebook *b)
{
	for (uint32_t i = 0; i < b->pages.max; i++) {
		struct sb_page *p = shelf_item(&b->pages, i);

		__atomic_store_n(&p->key, 0, __ATOMIC_SEQ_CST);
		if (b->pages.key[i]) {
			shelf_drop(&b->pages, i);
			b->evicted++;
		}
	}
	hidx_free(&b->pages.index);
	memset(b->rule_slot, 0, RULE_SLOTS * sizeof(*b->rule_slot));
	b->nr_rules = 1;                 /* none, which stays the first */
	b->renewed_ns = clock_mono_ns();
}

/* The index of R among the rules; when there are too many, that of none at all: what is there goes on to be copied. */
static uint32_t rule_index(struct rulebook *b, const struct rule *r)
{
	uint64_t word;
	uint32_t at;

	memcpy(&word, r, sizeof(word));
	for (at = (uint32_t)hash_u64(word) % RULE_SLOTS; b->rule_slot[at]; at = (at + 1) % RULE_SLOTS)
		if (!memcmp(&b->rules[b->rule_slot[at] - 1], r, sizeof(*r)))
			return b->rule_slot[at] - 1;
	if (b->nr_rules == SB_RULES)
		return 0;
	memcpy(&b->rules[b->nr_rules], r, sizeof(*r));
	b->rule_slot[at] = ++b->nr_rules;
	return b->nr_rules - 1;
}

int rulebook_new(const struct rulebook_maps *maps, struct rulebook **ret, struct err *e)
{
	const struct rule none = { .kind = RULE_NONE };
	AUTO(rulebook_free) struct rulebook *b = calloc(1, sizeof(*b));

	if (b)
		b->rule_slot = calloc(RULE_SLOTS, sizeof(*b->rule_slot));
	if (b)
		b->space_ns = calloc(maps->nr_spaces, sizeof(*b->space_ns));
	if (b)
		b->space_id = calloc(maps->nr_spaces, sizeof(*b->space_id));
	if (!b || !b->rule_slot || !b->space_ns || !b->space_id)
		return err_nomem(e, "the rules");
	b->kernel_bytes = maps->bytes;
	b->rules = map_shared(maps->rules, rulebook_map_bytes(SB_RULES, sizeof(*b->rules)), e);
	if (!b->rules ||
	    !shelf_open(&b->pages, maps->page_of, maps->pages, sizeof(struct sb_page),
			offsetof(struct sb_page, used_ns), maps->nr_pages, e) ||
	    !shelf_open(&b->spaces, maps->space_of, maps->spaces, sizeof(struct sb_space),
			offsetof(struct sb_space, used_ns), maps->nr_spaces, e))
		return -ENOMEM;
	rule_index(b, &none);
	*ret = take_ptr(b);
	return 0;
}

void rulebook_free(struct rulebook *b)
{
	if (!b)
		return;
	shelf_close(&b->pages);
	shelf_close(&b->spaces);
	if (b->rules)
		munmap(b->rules, rulebook_map_bytes(SB_RULES, sizeof(*b->rules)));
	free(b->rule_slot);
	free(b->space_ns);
	free(b->space_id);
	free(b);
}

bool rulebook_has(const struct rulebook *b, module_id module, uint64_t offset)
{
	return shelf_find(&b->pages, SB_PAGE_KEY(module, offset)) != UINT32_MAX;
}

bool rulebook_is_crowded(const struct rulebook *b)
{
	return b->pages.n > b->pages.max - b->pages.max / 4;
}

void rulebook_teach(struct rulebook *b, module_id module, uint64_t offset, const struct rule_row *row, size_t n)
{
	const uint64_t key = SB_PAGE_KEY(module, offset);
	uint32_t rows[SB_ROWS], i;
	uint16_t first[SB_GROUPS];
	struct sb_page *p;

	memset(rows, 0xff, sizeof(rows));
	memset(first, 0xff, sizeof(first));
	if (!n || n > SB_ROWS || module >> (63 - SB_OFFSET_BITS) || offset >> SB_OFFSET_BITS)
		return;
	if (b->nr_rules > SB_RULES - SB_ROWS && clock_mono_ns() - b->renewed_ns >= RENEW_NS)
		start_anew(b);
	for (size_t k = 0; k < n; k++) {
		const uint32_t rule = rule_index(b, &row[k].rule);

		rows[k] = SB_ROW(row[k].at, rule);
		if (k % SB_GROUP == 0)
			first[k / SB_GROUP] = (uint16_t)row[k].at;
	}
	i = shelf_take(&b->pages, key, &b->evicted);
	if (i == UINT32_MAX)
		return;
	p = shelf_item(&b->pages, i);
	__atomic_store_n(&p->key, 0, __ATOMIC_SEQ_CST);
	p->used_ns = 0;
	p->nr = (uint32_t)n;
	memcpy(p->first, first, sizeof(first));
	memcpy(p->row, rows, sizeof(rows));
	__atomic_store_n(&p->key, key, __ATOMIC_SEQ_CST);
	shelf_show(&b->pages, i);
}

const struct sb_map *rulebook_maps(const struct rulebook *b, uint32_t pid, uint64_t *ret_id, size_t *ret_n)
{
	const uint32_t i = shelf_find(&b->spaces, pid);
	const struct sb_space *s;

	*ret_n = 0;
	*ret_id = 0;
	if (i == UINT32_MAX)
		return NULL;
	s = shelf_item(&b->spaces, i);
	*ret_n = s->nr;
	*ret_id = b->space_id[i];
	return s->map;
}

bool rulebook_is_past(const struct rulebook *b, uint32_t pid, uint64_t id, uint64_t time_ns)
{
	const uint32_t i = shelf_find(&b->spaces, pid);

	return i != UINT32_MAX && time_ns < b->space_ns[i] && id != b->space_id[i];
}

/* S is of the memory ID, with the N mappings MAP. */
static void space_write(struct sb_space *s, uint64_t id, const struct sb_map *map, size_t n)
{
	__atomic_store_n(&s->seq, s->seq + 1, __ATOMIC_SEQ_CST);
	s->id = id;
	s->kin = 0;
	s->nr = (uint32_t)n;
	if (n)
		memcpy(s->map, map, n * sizeof(*map));
	memset(s->map + n, 0xff, (SB_SPACE_MAPS - n) * sizeof(*map));
	__atomic_store_n(&s->seq, s->seq + 1, __ATOMIC_SEQ_CST);
}

/*
 * A new space for PID. Those that give way become nobody's: the kernel half asks first if the space
 * of its last walk is the right one, and would not hear what is learnt of that memory from now on.
 */
static uint32_t space_take(struct rulebook *b, uint32_t pid)
{
	const uint64_t evicted = b->evicted;
	const uint32_t i = shelf_take(&b->spaces, pid, &b->evicted);

	for (uint32_t k = 0; k < b->spaces.max && b->evicted != evicted; k++) {
		struct sb_space *s = shelf_item(&b->spaces, k);

		if (!b->spaces.key[k] && s->id)
			space_write(s, 0, NULL, 0);
	}
	return i;
}

bool rulebook_teach_maps(struct rulebook *b, uint32_t pid, uint64_t id, const struct sb_map *map, size_t n,
			 uint64_t time_ns)
{
	uint32_t i = shelf_find(&b->spaces, pid);
	const bool known = i != UINT32_MAX, older = known && time_ns < b->space_ns[i];
	struct sb_space *s;

	/* Of the same memory more may be learnt of an earlier time, but not that what is known since is not right. */
	if (n > SB_SPACE_MAPS || (older && (!n || id != b->space_id[i])))
		return false;
	if (!known)
		i = space_take(b, pid);
	if (i == UINT32_MAX)
		return false;
	s = shelf_item(&b->spaces, i);
	if (!older)
		b->space_ns[i] = time_ns;
	b->space_id[i] = id;
	if (!known)
		s->used_ns = time_ns;    /* not that of who had the item before */
	space_write(s, n ? id : 0, map, n);
	if (!known)
		shelf_show(&b->spaces, i);
	return true;
}

static size_t shelf_bytes(const struct shelf *s)
{
	return s->max * sizeof(*s->key) + hidx_bytes(&s->index);
}

void rulebook_stats(const struct rulebook *b, struct rulebook_stats *ret)
{
	*ret = (struct rulebook_stats){
		.pages = b->pages.n,
		.rules = b->nr_rules,
		.spaces = b->spaces.n,
		.evicted = b->evicted,
		.bytes = b->kernel_bytes + sizeof(*b) + shelf_bytes(&b->pages) + shelf_bytes(&b->spaces) +
			 RULE_SLOTS * sizeof(*b->rule_slot) +
			 b->spaces.max * (sizeof(*b->space_ns) + sizeof(*b->space_id)),
	};
}
