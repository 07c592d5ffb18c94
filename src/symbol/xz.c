/* SPDX-License-Identifier: BSD-2-Clause */
/* xz.c - liblzma with a memory limit and an output that grows only as bytes arrive. */
#include "config.h"

#include "symbol/xz.h"

#include "base/cleanup.h"

#include <lzma.h>
#include <string.h>

#define DECODER_MEMORY_MAX (128ull << 20)
#define FIRST_SIZE 65536u

/* Runs the decoder until it ends; *OUT and *CAP grow. The length, or 0 on failure. */
static size_t xz_run(lzma_stream *xz, uint8_t **out, size_t max)
{
	size_t cap = 0, used = 0;

	for (;;) {
		lzma_ret rc;

		if (used == cap) {
			const size_t want = cap ? cap * 2 : FIRST_SIZE;
			uint8_t *more = cap < max ? realloc(*out, want < max ? want : max) : NULL;

			if (!more)
				return 0;
			*out = more;
			cap = want < max ? want : max;
		}
		xz->next_out = *out + used;
		xz->avail_out = cap - used;
		rc = lzma_code(xz, LZMA_FINISH);
		used = cap - xz->avail_out;
		if (rc == LZMA_STREAM_END)
			return used;
		if (rc != LZMA_OK)
			return 0;
	}
}

uint8_t *xz_unpack(const uint8_t *data, size_t len, size_t max, size_t *ret_len)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	AUTO_FREE uint8_t *out = NULL;
	size_t n;

	if (lzma_stream_decoder(&xz, DECODER_MEMORY_MAX, 0) != LZMA_OK)
		return NULL;
	xz.next_in = data;
	xz.avail_in = len;
	n = xz_run(&xz, &out, max);
	lzma_end(&xz);
	if (!n)
		return NULL;
	*ret_len = n;
	return take_ptr(out);
}
