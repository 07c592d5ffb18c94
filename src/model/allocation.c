/* SPDX-License-Identifier: BSD-2-Clause */
/* allocation.c - weights of sampled blocks, their variance, and how arguments are packed. */
#include "config.h"

#include "model/allocation.h"

#include "base/octave.h"

#include <math.h>

double alloc_probability(uint64_t size, uint32_t interval)
{
	return interval <= 1 ? 1 : -expm1(-(double)size / interval);
}

struct alloc_weight alloc_weight(uint64_t size, uint32_t interval, uint64_t draw)
{
	const double p = alloc_probability(size, interval);
	struct alloc_weight w = { .bytes = size, .blocks = 1 };
	double blocks;

	if (p >= 1 || p <= 0)
		return w;
	blocks = 1 / p;
	w.bytes = (uint64_t)((double)size * blocks + 0.5);
	w.blocks = (uint32_t)blocks;
	w.blocks += (double)(draw >> 11) * 0x1p-53 < blocks - w.blocks;
	return w;
}

struct alloc_weight alloc_weight_told(uint64_t size, uint64_t bytes, uint32_t interval, uint64_t draw,
				      uint32_t *ret_interval)
{
	const uint64_t own = alloc_weight(size, interval, draw).bytes;
	double of = 1;

	*ret_interval = 1;
	/* Rounding may differ by one. */
	if (bytes + 1 >= own && bytes <= own + 1)
		*ret_interval = interval;
	else if (size && bytes > size)
		of = -(double)size / log1p(-(double)size / (double)bytes);
	while (of > 1.42 && *ret_interval < ALLOC_INTERVAL_MAX) {
		*ret_interval *= 2;
		of /= 2;
	}
	return alloc_weight(size, *ret_interval, draw);
}

double alloc_told(const struct allocation *a, uint64_t bytes)
{
	const uint64_t size = octave_middle(a->size);

	return size ? (double)bytes / (double)size * alloc_probability(size, a->interval) : 0;
}

double alloc_variance(const struct allocation *a, uint64_t bytes)
{
	const uint64_t size = octave_middle(a->size);
	const double p = alloc_probability(size, a->interval);

	return p > 0 && p < 1 ? (double)bytes * (double)size * (1 - p) / p : 0;
}

double alloc_scaled_variance(const struct allocation *a, uint64_t bytes, uint32_t scale)
{
	const double size = (double)octave_middle(a->size), p = alloc_probability(octave_middle(a->size), a->interval);

	return p > 0 && scale > 1 ? (double)bytes * (scale * size / p - size) : alloc_variance(a, bytes);
}

double alloc_blocks_variance(const struct allocation *a, uint64_t blocks)
{
	const double p = alloc_probability(octave_middle(a->size), a->interval);

	return p > 0 && p < 1 ? (double)blocks * (1 - p) / p : 0;
}
