/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampled.c - draws, weights, and the table of sampled blocks. There is no libm here: it would come into
 * every program.
 */
#include "config.h"

#include "preload/sampled.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define VARIABLE "SBERF_MEMORY_SAMPLE_BYTES="
#define INTERVAL_DEFAULT (512u << 10)
#define ALWAYS 255u              /* a byte of the filter that does not change any more */
#define BUCKET 8u                /* blocks: one cache line */
#define BUCKETS 8192u
#define LN2 0.69314718055994530942

__thread struct sampler_thread sampler_own;
uint8_t sampler_filter[FILTER_BYTES];

static uintptr_t table[BUCKETS][BUCKET] __attribute__((aligned(64)));
static uint64_t interval;        /* 0 = not known yet */

/* The number that TEXT begins with; 0 = none. */
static uint64_t number(const char *text)
{
	uint64_t v = 0;

	while (*text >= '0' && *text <= '9' && v < UINT64_C(1) << 40)
		v = v * 10 + (uint64_t)(*text++ - '0');
	return v;
}

void sampler_begin(char **environment)
{
	uint64_t asked = 0;

	for (char **at = environment; at && *at; at++)
		if (!strncmp(*at, VARIABLE, strlen(VARIABLE)))
			asked = number(*at + strlen(VARIABLE));
	interval = asked ? asked : INTERVAL_DEFAULT;
}

/* The natural logarithm of V, from 2^-60 to 1, to seven digits. */
static double logarithm(double v)
{
	double s, square;
	int halves = 0;

	while (v < 0.5) {
		v *= 2;
		halves++;
	}
	if (v < 0.70710678) {
		v *= 2;
		halves++;
	}
	s = (v - 1) / (v + 1);
	square = s * s;
	return 2 * s * (1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square / 9)))) - halves * LN2;
}

/* How probable it is that one of SIZE bytes is picked: 1 - exp(-SIZE / interval), also where that is small. */
static double probability(size_t size)
{
	double x = (double)size / (double)interval, e;
	int doublings = 0;

	if (x > 40)
		return 1;
	for (; x > 0.015625; doublings++)
		x /= 2;
	e = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5))));
	while (doublings--)
		e = e * (2 - e);
	return e;
}

static uint64_t mix(uint64_t v)
{
	v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
	return v ^ v >> 31;
}

/* Bytes to the next one picked. After fork(2) both processes must not go on alike. */
static int64_t draw(struct sampler_thread *own)
{
	double v;

	own->random += UINT64_C(0x9e3779b97f4a7c15);
	v = (double)((mix(own->random ^ (uint64_t)getpid() << 32) >> 11) + 1) * 0x1p-53;
	return (int64_t)(-logarithm(v) * (double)interval);
}

static void begin_thread(struct sampler_thread *own)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	own->random = mix((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + (uintptr_t)own) | 1;
}

static void filter_add(uint8_t *at)
{
	uint8_t was = __atomic_load_n(at, __ATOMIC_RELAXED);

	while (was != ALWAYS && !__atomic_compare_exchange_n(at, &was, (uint8_t)(was + 1), true, __ATOMIC_RELAXED,
							      __ATOMIC_RELAXED))
		;
}

static void filter_take(uint8_t *at)
{
	uint8_t was = __atomic_load_n(at, __ATOMIC_RELAXED);

	while (was && was != ALWAYS && !__atomic_compare_exchange_n(at, &was, (uint8_t)(was - 1), true,
								    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void sampler_mark(const void *p)
{
	__atomic_store_n(&sampler_filter[sampler_hash((uintptr_t)p)], ALWAYS, __ATOMIC_RELAXED);
}

/* Puts TO where FROM is in the bucket of P. Returns whether there was one. */
static bool replace(uintptr_t p, uintptr_t from, uintptr_t to)
{
	uintptr_t *bucket = table[sampler_hash(p) % BUCKETS];

	for (size_t i = 0; i < BUCKET; i++) {
		uintptr_t was = from;

		if (__atomic_load_n(&bucket[i], __ATOMIC_RELAXED) == from &&
		    __atomic_compare_exchange_n(&bucket[i], &was, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

NOINLINE uint64_t sampler_take(const void *p, size_t size)
{
	struct sampler_thread *own = &sampler_own;
	double of;

	if (!interval && environ)
		sampler_begin(environ);
	if (own->inside || !interval || !size)
		return 0;
	if (interval == 1) {
		own->left = 0;
	} else if (!own->random) {
		begin_thread(own);
		own->left += draw(own);
		if (own->left >= 0)
			return 0;
	}
	/* First of all: a signal handler may allocate from here on. */
	own->left = interval == 1 ? -1 : draw(own);
	own->last = (uintptr_t)p;
	own->last_left = own->left;
	if (replace((uintptr_t)p, 0, (uintptr_t)p))
		filter_add(&sampler_filter[sampler_hash((uintptr_t)p)]);
	else
		sampler_mark(p);
	of = interval == 1 ? 1 : probability(size);
	return of < 1 && of > 0 ? (uint64_t)((double)size / of + 0.5) : size;
}

NOINLINE bool sampler_drop(uintptr_t p)
{
	uint8_t *at = &sampler_filter[sampler_hash(p)];

	if (!p)
		return false;
	if (!replace(p, p, 0))
		return __atomic_load_n(at, __ATOMIC_RELAXED) == ALWAYS;
	filter_take(at);
	return true;
}

bool sampler_is_temporary(uintptr_t p)
{
	return sampler_own.last == p && sampler_own.left == sampler_own.last_left;
}
