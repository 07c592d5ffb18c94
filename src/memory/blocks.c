/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.c - the table of living blocks, by process and address, and their sums by stack.
 *
 * The set at the peak costs nothing a block: a sum remembers what it was at the last peak only when
 * it changes after that. Peaks are numbered. A sum whose number is not the last peak's has not
 * changed since, so what it is now is what it was then.
 */
#include "config.h"

#include "memory/blocks.h"

#include "base/clock.h"
#include "base/keyed.h"
#include "base/octave.h"

#include <stdlib.h>

#define NONE UINT32_MAX
#define LOOK_BACK 1024u          /* of blocks_at(): bytes, */
#define ALIGNED 16u              /* to which allocators align blocks that may hold a lock */
#define EARLY_MAX 65536u         /* frees that are remembered; as many as there are late allocations, which are few */

struct block {
	uint64_t addr, born_ns;
	uint64_t bytes;          /* that it stands for */
	uint32_t blocks;
	uint32_t sum, process;   /* indices */
	uint32_t turn;           /* how many blocks its thread had allocated when it was, itself included */
	uint32_t next;           /* of its hash, or of the free ones */
	uint32_t before, behind; /* of its process */
	uint32_t size;           /* bytes, UINT32_MAX = so many or more */
};

struct amount {
	uint64_t bytes, blocks;
};

/* Blocks of one stack, thread and size. */
struct block_sum {
	stack_id stack;
	thread_id thread;
	uint64_t argument;       /* without age */
	uint16_t node;
	uint16_t pad[3];
	struct amount now, peak; /* PEAK: as of the peak of that number */
	uint64_t peak_nr;
};

struct block_process {
	uint64_t process;
	uint32_t first;          /* its blocks */
	uint64_t over_ns, exec_ns;       /* when it ended, or executed another program; 0 = it has not */
};

/* A free of a block that is not followed. */
struct early_free {
	uint64_t time_ns;
	thread_id thread;
	bool temporary;
	uint32_t next;           /* of the same address, later */
};

/* Those of one address, in their order. */
struct early_frees {
	uint64_t process, addr;
	uint32_t first, last;
};

/* Blocks of one stack, thread, size and age. */
struct aged_sum {
	stack_id stack;
	thread_id thread;
	uint64_t argument;
	uint16_t node;
	uint16_t pad[3];
	struct amount amount;
};
typedef KEYED(struct aged_sum) aged_sums;

/* How many blocks a thread has allocated. */
struct thread_turn {
	thread_id thread;
	uint32_t turn;
};

struct blocks {
	struct blocks_config config;
	VEC(struct block) block;
	uint32_t free;                   /* the first one of BLOCK that is not in use */
	VEC(uint32_t) head;              /* by hash: the first block; a power of two */
	KEYED(struct block_sum) sum;
	KEYED(struct block_process) process;
	KEYED(struct thread_turn) turn;
	VEC(struct early_free) early;
	KEYED(struct early_frees) early_of;
	aged_sums frozen;
	struct amount now;
	uint64_t peak_nr;                /* of the last peak */
	struct blocks_figures figures;
};

struct blocks *blocks_new(const struct blocks_config *c)
{
	struct blocks *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->config = *c;
	if (!b->config.max)
		b->config.max = BLOCKS_MAX_DEFAULT;
	if (!b->config.temporary_within)
		b->config.temporary_within = 1;
	b->free = NONE;
	return b;
}

void blocks_free(struct blocks *b)
{
	if (!b)
		return;
	vec_free(&b->block);
	vec_free(&b->head);
	keyed_free(&b->sum);
	keyed_free(&b->process);
	keyed_free(&b->turn);
	vec_free(&b->early);
	keyed_free(&b->early_of);
	keyed_free(&b->frozen);
	free(b);
}

size_t blocks_bytes(const struct blocks *b)
{
	return sizeof(*b) + b->block.cap * sizeof(*b->block.v) + b->head.cap * sizeof(*b->head.v) +
	       b->sum.cap * sizeof(*b->sum.v) + b->process.cap * sizeof(*b->process.v) +
	       b->turn.cap * sizeof(*b->turn.v) + b->frozen.cap * sizeof(*b->frozen.v) + hidx_bytes(&b->sum.index) +
	       hidx_bytes(&b->process.index) + hidx_bytes(&b->turn.index) + hidx_bytes(&b->frozen.index) +
	       b->early.cap * sizeof(*b->early.v) + b->early_of.cap * sizeof(*b->early_of.v) +
	       hidx_bytes(&b->early_of.index);
}

/* The index of process PROCESS; NONE when out of memory. */
static uint32_t block_process(struct blocks *b, uint64_t process)
{
	const struct block_process want = { .process = process, .first = NONE };

	return keyed_get(&b->process, &want, first);
}

/* Where the chain of blocks begins that may have ADDR of PROCESS. HEAD must not be empty. */
static uint32_t *block_chain(const struct blocks *b, uint32_t process, uint64_t addr)
{
	return &b->head.v[hash_2u64(addr, process) & (b->head.n - 1)];
}

/* Where the number of the block at ADDR of PROCESS stands; NULL = there is none. */
static uint32_t *block_find(const struct blocks *b, uint32_t process, uint64_t addr)
{
	uint32_t *at;

	if (!b->head.n)
		return NULL;
	for (at = block_chain(b, process, addr); *at != NONE; at = &b->block.v[*at].next)
		if (b->block.v[*at].addr == addr && b->block.v[*at].process == process)
			return at;
	return NULL;
}

bool blocks_at(const struct blocks *b, uint64_t process, uint64_t addr, stack_id *ret_stack, uint32_t *ret_offset)
{
	const struct block_process want = { .process = process };
	const uint32_t of = keyed_find(&b->process, &want, first);

	if (of == HIDX_NONE)
		return false;
	for (uint64_t at = addr - addr % ALIGNED; addr - at < LOOK_BACK && at; at -= ALIGNED) {
		const uint32_t *found = block_find(b, of, at);

		if (!found)
			continue;
		if (addr - at >= b->block.v[*found].size)
			return false;
		*ret_stack = b->sum.v[b->block.v[*found].sum].stack;
		*ret_offset = (uint32_t)(addr - at);
		return true;
	}
	return false;
}

/* Doubles the chains when there are as many blocks. False when out of memory, unchanged. */
static bool block_chains_grow(struct blocks *b)
{
	const size_t n = b->head.n ? 2 * b->head.n : 1024, had = b->head.n;

	if (b->figures.living < b->head.n)
		return true;
	if (!vec_reserve(&b->head, n - had))
		return false;
	b->head.n = n;
	for (size_t i = 0; i < n; i++)
		b->head.v[i] = NONE;
	/* The free ones have no sum, and chains of their own. */
	for (uint32_t i = 0; i < b->block.n; i++) {
		uint32_t *head;

		if (b->block.v[i].sum == NONE)
			continue;
		head = block_chain(b, b->block.v[i].process, b->block.v[i].addr);
		b->block.v[i].next = *head;
		*head = i;
	}
	return true;
}

/* The number of a block that is not in use; NONE when there is no room. */
static uint32_t block_take(struct blocks *b)
{
	const uint32_t id = b->free;

	if (id != NONE) {
		b->free = b->block.v[id].next;
		return id;
	}
	if (b->block.n >= b->config.max || !vec_reserve(&b->block, 1))
		return NONE;
	return (uint32_t)b->block.n++;
}

/* S is about to change. */
static void sum_settle(const struct blocks *b, struct block_sum *s)
{
	if (s->peak_nr == b->peak_nr)
		return;
	s->peak = s->now;
	s->peak_nr = b->peak_nr;
}

static void sum_add(struct blocks *b, struct block_sum *s, const struct block *block)
{
	sum_settle(b, s);
	s->now.bytes += block->bytes;
	s->now.blocks += block->blocks;
	b->now.bytes += block->bytes;
	b->now.blocks += block->blocks;
	if (b->now.bytes <= b->figures.peak)
		return;
	b->figures.peak = b->now.bytes;
	b->peak_nr++;
}

static void sum_take(struct blocks *b, struct block_sum *s, const struct block *block)
{
	sum_settle(b, s);
	s->now.bytes -= block->bytes;
	s->now.blocks -= block->blocks;
	b->now.bytes -= block->bytes;
	b->now.blocks -= block->blocks;
}

/* The age of what was born at BORN_NS, as allocation.age says. */
static uint8_t age_class(uint64_t born_ns, uint64_t now_ns)
{
	return (uint8_t)octave_class(now_ns > born_ns ? (now_ns - born_ns) / NSEC_PER_MSEC : 0);
}

/* Takes the block at *AT out of all lists. */
static void block_drop(struct blocks *b, uint32_t *at)
{
	const uint32_t id = *at;
	struct block *block = &b->block.v[id];

	sum_take(b, &b->sum.v[block->sum], block);
	*at = block->next;
	if (block->before != NONE)
		b->block.v[block->before].behind = block->behind;
	else
		b->process.v[block->process].first = block->behind;
	if (block->behind != NONE)
		b->block.v[block->behind].before = block->before;
	block->sum = NONE;
	block->next = b->free;
	b->free = id;
	b->figures.living--;
}

/* Tells that BLOCK was freed at TIME_NS. */
static void tell_free(const struct blocks *b, const struct block *block, uint64_t time_ns, bool temporary)
{
	const struct block_sum *s = &b->sum.v[block->sum];
	struct allocation a = allocation_of(s->argument);
	struct event ev = { .kind = EVENT_FREE, .time_ns = time_ns, .weight = block->bytes, .count = block->blocks,
			    .stack = s->stack, .thread = s->thread, .node = s->node, .cut_module = ID_NONE };

	a.age = age_class(block->born_ns, time_ns);
	a.temporary = temporary;
	ev.argument = allocation_argument(&a);
	b->config.tell(b->config.ctx, &ev);
}

/* How many blocks THREAD has allocated, ONE more from now on. */
static uint32_t thread_turn(struct blocks *b, thread_id thread, uint32_t one)
{
	const struct thread_turn want = { .thread = thread };
	const uint32_t id = keyed_get(&b->turn, &want, turn);

	return id != HIDX_NONE ? b->turn.v[id].turn += one : 0;
}

/* Was BLOCK, which THREAD frees, freed before its thread allocated more? */
static bool is_temporary(struct blocks *b, const struct block *block, thread_id thread)
{
	const struct block_sum *s = &b->sum.v[block->sum];

	return allocation_of(s->argument).interval == 1 && s->thread == thread &&
	       thread_turn(b, thread, 0) - block->turn < b->config.temporary_within;
}

static void tell_alloc(const struct blocks *b, const struct block_begin *begin, uint64_t argument)
{
	const struct event ev = { .kind = EVENT_ALLOC, .time_ns = begin->time_ns, .weight = begin->weight.bytes,
				  .count = begin->weight.blocks, .thread = begin->thread, .stack = begin->stack,
				  .cpu = begin->cpu, .node = begin->node, .cut = begin->cut, .method = begin->method,
				  .walk = begin->walk, .cut_module = begin->cut_module, .flags = EVENT_F_USER,
				  .argument = argument };

	b->config.tell(b->config.ctx, &ev);
}

/* Makes *RET the block of PROCESS, its number, that BEGIN says, in no list yet. False when out of memory. */
static bool block_make(struct blocks *b, uint32_t process, const struct block_begin *begin, uint64_t argument,
		       struct block *ret)
{
	const struct block_sum want = { .stack = begin->stack, .thread = begin->thread, .node = begin->node,
					.argument = argument, .peak_nr = b->peak_nr };
	const uint32_t sum = keyed_get(&b->sum, &want, now);

	*ret = (struct block){ .addr = begin->addr,
			       .size = begin->size < UINT32_MAX ? (uint32_t)begin->size : UINT32_MAX,
			       .born_ns = begin->time_ns, .bytes = begin->weight.bytes,
			       .blocks = begin->weight.blocks, .sum = sum, .process = process,
			       .turn = begin->interval == 1 ? thread_turn(b, begin->thread, 1) : 0 };
	return sum != HIDX_NONE && process != NONE;
}

/* Follows a block like FROM. False when there is no room. */
static bool block_follow(struct blocks *b, const struct block *from)
{
	struct block *block;
	uint32_t id, *head;

	if (!block_chains_grow(b))
		return false;
	id = block_take(b);
	if (id == NONE)
		return false;
	head = block_chain(b, from->process, from->addr);
	block = &b->block.v[id];
	*block = *from;
	block->next = *head;
	block->before = NONE;
	block->behind = b->process.v[from->process].first;
	*head = id;
	if (block->behind != NONE)
		b->block.v[block->behind].before = id;
	b->process.v[from->process].first = id;
	b->figures.living++;
	sum_add(b, &b->sum.v[from->sum], block);
	return true;
}

/* Adds AMOUNT to the sum in A of S with the age of what was born at BORN_NS; what finds no memory is not shown. */
static void aged_add(aged_sums *a, const struct block_sum *s, uint8_t age, bool leaked, const struct amount *amount)
{
	struct allocation of = allocation_of(s->argument);
	struct aged_sum want = { .stack = s->stack, .thread = s->thread, .node = s->node };
	uint32_t id;

	of.age = age;
	of.leaked = leaked;
	want.argument = allocation_argument(&of);
	id = keyed_get(a, &want, amount);
	if (id == HIDX_NONE)
		return;
	a->v[id].amount.bytes += amount->bytes;
	a->v[id].amount.blocks += amount->blocks;
}

/* Remembers END, of a block that nobody told. */
static void early_keep(struct blocks *b, const struct block_end *end)
{
	const struct early_frees want = { .process = end->process, .addr = end->addr, .first = NONE };
	struct early_free *at;
	struct early_frees *of;
	uint32_t id;

	b->figures.unknown_frees++;
	/* Most are of blocks that nobody will tell. */
	if (b->early.n >= EARLY_MAX) {
		vec_free(&b->early);
		keyed_free(&b->early_of);
	}
	id = keyed_get(&b->early_of, &want, first);
	at = id != HIDX_NONE ? vec_push(&b->early) : NULL;
	if (!at)
		return;
	*at = (struct early_free){ end->time_ns, end->thread, end->temporary, NONE };
	of = &b->early_of.v[id];
	if (of->first == NONE)
		of->first = (uint32_t)b->early.n - 1;
	else
		b->early.v[of->last].next = (uint32_t)b->early.n - 1;
	of->last = (uint32_t)b->early.n - 1;
}

/* Takes out the free of what BEGIN says, if it came before that. False when there is none. */
static bool early_take(struct blocks *b, const struct block_begin *begin, struct early_free *ret)
{
	const struct early_frees want = { .process = begin->process, .addr = begin->addr };
	const uint32_t id = b->early.n ? keyed_find(&b->early_of, &want, first) : HIDX_NONE;
	uint32_t before = NONE;

	if (id == HIDX_NONE)
		return false;
	/* Those of blocks that came before this one, which may come later still, stay. */
	for (uint32_t i = b->early_of.v[id].first; i != NONE; before = i, i = b->early.v[i].next) {
		if (b->early.v[i].time_ns < begin->time_ns)
			continue;
		*ret = b->early.v[i];
		if (before == NONE)
			b->early_of.v[id].first = ret->next;
		else
			b->early.v[before].next = ret->next;
		if (ret->next == NONE)
			b->early_of.v[id].last = before;
		b->figures.unknown_frees--;
		return true;
	}
	return false;
}

/* BLOCK ends at TIME_NS with its process: it is frozen, or, if that executes, as freed. */
static void block_ends_with(struct blocks *b, const struct block *block, uint64_t time_ns, bool frozen)
{
	const struct amount amount = { block->bytes, block->blocks };

	if (!frozen) {
		tell_free(b, block, time_ns, false);
		return;
	}
	aged_add(&b->frozen, &b->sum.v[block->sum], age_class(block->born_ns, time_ns), true, &amount);
	b->figures.frozen += amount.bytes;
}

/* If BLOCK, which begins as BEGIN says, came late, and has ended, it is told so: true. */
static bool block_was_over(struct blocks *b, const struct block *block, const struct block_begin *begin)
{
	const struct block_process *p = &b->process.v[block->process];
	const uint32_t *younger = block_find(b, block->process, block->addr);
	struct early_free early;

	if (early_take(b, begin, &early)) {
		/* What its thread allocated between the two is late, too: of that only who saw both knows. */
		tell_free(b, block, early.time_ns, early.temporary);
	} else if (p->exec_ns && p->exec_ns >= begin->time_ns) {
		block_ends_with(b, block, p->exec_ns, false);
	} else if (p->over_ns && p->over_ns >= begin->time_ns) {
		block_ends_with(b, block, p->over_ns, true);
	} else if (younger && b->block.v[*younger].born_ns > begin->time_ns) {
		b->figures.missed_frees++;
		tell_free(b, block, b->block.v[*younger].born_ns, false);
	} else {
		return false;
	}
	return true;
}

/* Where BEGIN, of PROCESS, is, a block is still alive: its free was missed. */
static void block_replace(struct blocks *b, uint32_t process, const struct block_begin *begin)
{
	uint32_t *old = block_find(b, process, begin->addr);

	if (!old)
		return;
	b->figures.missed_frees++;
	tell_free(b, &b->block.v[*old], begin->time_ns, false);
	block_drop(b, old);
}

void blocks_begin(struct blocks *b, const struct block_begin *begin)
{
	const struct allocation a = { .size = (uint8_t)octave_class(begin->size), .interval = begin->interval };
	const uint64_t argument = allocation_argument(&a);
	const uint32_t process = block_process(b, begin->process);
	struct block block;
	bool followed = block_make(b, process, begin, argument, &block) && !begin->unfollowed;

	b->figures.told++;
	tell_alloc(b, begin, argument);
	if (followed && block_was_over(b, &block, begin))
		return;
	if (process != NONE)
		block_replace(b, process, begin);
	if (begin->unfollowed || (followed && block_follow(b, &block)))
		return;
	b->figures.dropped++;
	b->figures.dropped_bytes += begin->weight.bytes;
}

void blocks_end(struct blocks *b, const struct block_end *end)
{
	const struct block_process want = { .process = end->process };
	const uint32_t process = keyed_find(&b->process, &want, first);
	uint32_t *at = process != HIDX_NONE ? block_find(b, process, end->addr) : NULL;
	const struct block *block;

	if (!at) {
		early_keep(b, end);
		return;
	}
	block = &b->block.v[*at];
	tell_free(b, block, end->time_ns, end->temporary || is_temporary(b, block, end->thread));
	block_drop(b, at);
}

/* Ends all blocks of process ID at TIME_NS. */
static void blocks_process_drop(struct blocks *b, uint32_t id, uint64_t time_ns, bool frozen)
{
	while (b->process.v[id].first != NONE) {
		const struct block *block = &b->block.v[b->process.v[id].first];

		block_ends_with(b, block, time_ns, frozen);
		block_drop(b, block_find(b, id, block->addr));
	}
}

void blocks_process_over(struct blocks *b, uint64_t process, uint64_t time_ns)
{
	const uint32_t id = block_process(b, process);

	if (id == NONE)
		return;
	b->process.v[id].over_ns = time_ns;
	blocks_process_drop(b, id, time_ns, true);
}

void blocks_process_exec(struct blocks *b, uint64_t process, uint64_t time_ns)
{
	const uint32_t id = block_process(b, process);

	if (id == NONE)
		return;
	b->process.v[id].exec_ns = time_ns;
	blocks_process_drop(b, id, time_ns, false);
}

static void tell_aged(const aged_sums *a, uint64_t now_ns, blocks_tell_fn *tell, void *ctx)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct aged_sum *s = &a->v[i];
		const struct event ev = {
			.kind = EVENT_IN_USE, .time_ns = now_ns, .weight = s->amount.bytes,
			.count = (uint32_t)(s->amount.blocks < UINT32_MAX ? s->amount.blocks : UINT32_MAX),
			.stack = s->stack, .thread = s->thread, .node = s->node, .cut_module = ID_NONE,
			.argument = s->argument
		};

		tell(ctx, &ev);
	}
}

void blocks_tell_in_use(const struct blocks *b, uint64_t now_ns, uint64_t older_ns, blocks_tell_fn *tell, void *ctx)
{
	aged_sums living = { 0 };

	for (size_t i = 0; i < b->block.n; i++) {
		const struct block *block = &b->block.v[i];
		const struct amount amount = { block->bytes, block->blocks };

		if (block->sum != NONE)
			aged_add(&living, &b->sum.v[block->sum], age_class(block->born_ns, now_ns),
				 older_ns && block->born_ns + older_ns <= now_ns, &amount);
	}
	tell_aged(&living, now_ns, tell, ctx);
	keyed_free(&living);
	tell_aged(&b->frozen, now_ns, tell, ctx);
	for (size_t i = 0; i < b->sum.n; i++) {
		const struct block_sum *s = &b->sum.v[i];
		const struct amount *peak = s->peak_nr == b->peak_nr ? &s->peak : &s->now;
		const struct event ev = {
			.kind = EVENT_PEAK, .time_ns = now_ns, .weight = peak->bytes,
			.count = (uint32_t)(peak->blocks < UINT32_MAX ? peak->blocks : UINT32_MAX),
			.stack = s->stack, .thread = s->thread, .node = s->node, .cut_module = ID_NONE,
			.argument = s->argument
		};

		if (peak->blocks)
			tell(ctx, &ev);
	}
}

void blocks_figures(const struct blocks *b, struct blocks_figures *ret)
{
	*ret = b->figures;
	ret->in_use = b->now.bytes;
}
