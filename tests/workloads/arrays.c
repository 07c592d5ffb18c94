/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arrays.c - functions that wait for memory, each in a way and an array of its own:
 *
 *	arrays [S] [WAY]
 *
 * After "ready" it prints where the arrays are, "array NAME START END" in hexadecimal, and "end".
 * The ways take turns of ten milliseconds, or WAY has all the time. The arrays are larger than
 * caches near a core and what a TLB covers, and no hardware foresees the order, so nearly all of
 * the time goes into waiting for them.
 */
#include "workload.h"

#include <string.h>
#include <sys/mman.h>

#define MB (1u << 20)
#define BIG (24u * MB)           /* bytes of each array */
#define TURN_NS 10000000u        /* of one way */
#define NODE_BYTES 64u
#define TABLE 4096u              /* small: it stays in the caches */
#define COPY_BYTES (2u * MB)
#define STEP_BYTES (4096u + 192u)

static uint64_t *strided, *gathered, *stored, *filled, *pair_a, *pair_b;
static char *source, *copied;
static void **chased;
static uint32_t *table;
static uint64_t state = 88172645463325252u;
static char said[1024];          /* where the arrays are */

/* xorshift64 (Marsaglia 2003) */
static inline __attribute__((always_inline)) uint64_t next_random(uint64_t x)
{
	x ^= x << 13;
	x ^= x >> 7;
	return x ^ x << 17;
}

static uint64_t draw(void)
{
	state = next_random(state);
	return state;
}

/* One number below N of 64 random bits. */
static inline __attribute__((always_inline)) uint64_t below(uint64_t x, uint64_t n)
{
	return (uint64_t)((unsigned __int128)x * n >> 64);
}

NOINLINE uint64_t way_stride(uint64_t *a, size_t from)
{
	uint64_t sum = 0;

	for (size_t i = from; i < BIG / 8; i += STEP_BYTES / 8)
		sum += a[i];
	return sum;
}

NOINLINE uint64_t way_gather(const uint64_t *a, const uint32_t *index, size_t base)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TABLE; i++)
		sum += a[index[i] + base];
	return sum;
}

NOINLINE void **way_chase(void **p, size_t n)
{
	while (n--)
		p = *p;
	return p;
}

NOINLINE uint64_t way_store(uint64_t *a, uint64_t x, size_t n)
{
	while (n--) {
		x = next_random(x);
		a[below(x, BIG / 8)] = n;
	}
	return x;
}

/* Each index is what was loaded before. */
NOINLINE uint64_t way_pair(const uint64_t *a, const uint64_t *b, uint64_t at, size_t n)
{
	while (n--)
		at = b[a[at]];
	return at;
}

#if defined(__x86_64__)
NOINLINE void way_copy(char *to, const char *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

NOINLINE void way_fill(uint64_t *to, uint64_t value, size_t n)
{
	__asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(value) : "memory");
}
#else
NOINLINE void way_copy(char *to, const char *from, size_t n)
{
	while (n--)
		*(volatile char *)to++ = *from++;
}

NOINLINE void way_fill(uint64_t *to, uint64_t value, size_t n)
{
	while (n--)
		*(volatile uint64_t *)to++ = value;
}
#endif

static void turn_stride(void)
{
	sink += way_stride(strided, below(draw(), STEP_BYTES / 8));
}

static void turn_gather(void)
{
	sink += way_gather(gathered, table, below(draw(), BIG / 16));
}

static void turn_chase(void)
{
	chased = way_chase(chased, 4096);
}

static void turn_store(void)
{
	state = way_store(stored, state, 4096);
}

static void turn_pair(void)
{
	static uint64_t at;

	at = way_pair(pair_a, pair_b, at, 4096);
}

static void turn_copy(void)
{
	const size_t at = below(draw(), BIG - COPY_BYTES);

	way_copy(copied + at, source + at, COPY_BYTES);
}

static void turn_fill(void)
{
	way_fill(filled + below(draw(), (BIG - COPY_BYTES) / 8), 1, COPY_BYTES / 8);
}

static const struct way {
	const char *name;
	void (*turn)(void);
} ways[] = {
	{ "stride", turn_stride }, { "gather", turn_gather }, { "chase", turn_chase }, { "store", turn_store },
	{ "pair", turn_pair }, { "copy", turn_copy }, { "fill", turn_fill },
};
#define NR_WAYS (sizeof(ways) / sizeof(*ways))

static void *array(const char *name, size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const size_t at = strlen(said);

	if (p == MAP_FAILED)
		_exit(1);
	memset(p, 1, bytes);
	snprintf(said + at, sizeof(said) - at, "array %s %lx %lx\n", name, (unsigned long)p,
		 (unsigned long)(p + bytes));
	return p;
}

/* One cycle through all of 0 to N - 1 in random order (Sattolo 1986). */
static uint32_t *random_cycle(size_t n)
{
	uint32_t *next = malloc(n * sizeof(*next));

	if (!next)
		_exit(1);
	for (size_t i = 0; i < n; i++)
		next[i] = (uint32_t)i;
	for (size_t i = n - 1; i > 0; i--) {
		const size_t j = below(draw(), i);
		const uint32_t t = next[i];

		next[i] = next[j];
		next[j] = t;
	}
	return next;
}

static void make_chase(void)
{
	const size_t n = BIG / NODE_BYTES, step = NODE_BYTES / sizeof(void *);
	uint32_t *next = random_cycle(n);

	for (size_t i = 0; i < n; i++)
		chased[i * step] = &chased[next[i] * step];
	free(next);
}

static void make_pair(void)
{
	const size_t n = BIG / NODE_BYTES, step = NODE_BYTES / 8;
	uint32_t *next = random_cycle(n);

	for (size_t i = 0; i < n; i++) {
		pair_a[i * step] = next[i] * step;
		pair_b[i * step] = next[i] * step;
	}
	free(next);
}

static void make_arrays(void)
{
	strided = array("stride", BIG);
	gathered = array("gather", BIG);
	chased = array("chase", BIG);
	stored = array("store", BIG);
	pair_a = array("pair_a", BIG);
	pair_b = array("pair_b", BIG);
	source = array("source", BIG);
	copied = array("copied", BIG);
	table = array("table", TABLE * sizeof(*table));
	filled = array("fill", BIG);
	for (size_t i = 0; i < TABLE; i++)
		table[i] = (uint32_t)below(draw(), BIG / 16);
	make_chase();
	make_pair();
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* One turn of W: the same time for each, however much it gets done. */
static void take_turn(const struct way *w)
{
	const uint64_t end = now_ns() + TURN_NS;

	do
		w->turn();
	while (now_ns() < end);
}

int main(int argc, char **argv)
{
	const char *only = argc > 2 ? argv[2] : NULL;

	make_arrays();
	ready();
	printf("%send\n", said);
	fflush(stdout);
	end_after(argc, argv);
	for (;;)
		for (size_t w = 0; w < NR_WAYS; w++)
			if (!only || !strcmp(only, ways[w].name))
				take_turn(&ways[w]);
}
