/* SPDX-License-Identifier: BSD-2-Clause */
/* gzout.c - compresses an output with zlib while it is written. */
#include "config.h"

#include "export/gzout.h"

#include "base/sizes.h"
#include "export/out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define GZOUT_BYTES BUFFER_SIZE(64u << 10, 512u)
#define WINDOW_GZIP (BUFFER_SIZE(15, 9) + 16)    /* the largest window, and a gzip header: deflateInit2() of zlib.h */
#define MEMORY BUFFER_SIZE(8, 1)         /* the default of zlib */

struct gzout {
	FILE *file;
	int error;               /* errno of the first failure, 0 = none */
	z_stream z;
	size_t n;                /* of in[], not compressed yet: messages come in pieces of a few bytes */
	unsigned char in[GZOUT_BYTES], out[GZOUT_BYTES];
};

struct gzout *gzout_open(FILE *file)
{
	struct gzout *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->file = file;
	if (deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
		return g;
	free(g);
	return NULL;
}

/* Compresses what is in in[]; to the end with Z_FINISH. */
static void deflate_in(struct gzout *g, int flush)
{
	g->z.next_in = g->in;
	g->z.avail_in = (unsigned int)g->n;
	g->n = 0;
	do {
		size_t made;

		g->z.next_out = g->out;
		g->z.avail_out = GZOUT_BYTES;
		deflate(&g->z, flush);
		made = GZOUT_BYTES - g->z.avail_out;
		if (!g->error && fwrite(g->out, 1, made, g->file) != made)
			g->error = errno ? errno : EIO;
	} while (!g->error && !g->z.avail_out);
}

void gzout_write(struct gzout *g, const void *data, size_t n)
{
	const unsigned char *from = data;

	while (n && !g->error) {
		const size_t room = GZOUT_BYTES - g->n, k = n < room ? n : room;

		memcpy(g->in + g->n, from, k);
		g->n += k;
		from += k;
		n -= k;
		if (g->n == GZOUT_BYTES)
			deflate_in(g, Z_NO_FLUSH);
	}
}

int gzout_close(struct gzout *g, int status, struct err *e)
{
	struct out o = { 0 };

	if (!g)
		return status;
	if (status >= 0 && !g->error)
		deflate_in(g, Z_FINISH);
	o.file = g->file;
	o.error = g->error;
	deflateEnd(&g->z);
	free(g);
	return status < 0 ? status : out_end(&o, e);
}
