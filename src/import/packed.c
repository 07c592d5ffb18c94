/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packed.c - see packed.h. Each compression is a row of a table: how it begins, and what takes a
 * step of unpacking it.
 */
#include "config.h"

#include "import/packed.h"

#include "base/sizes.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif
#ifdef HAVE_BZIP2
#include <bzlib.h>
#endif

#define IN_BYTES BUFFER_SIZE(128u << 10, 256u)
#define MAGIC_MAX 10u            /* bytes that tell a compression */
#define XZ_MEMORY_MAX (256ull << 20)     /* `xz -9` needs 65 MiB */

enum step {
	STEP_ON,
	STEP_WHOLE,              /* the file may end here */
	STEP_REST,               /* what follows is not of the compressed file */
	STEP_DAMAGED,
	STEP_MEMORY,             /* there is not enough of it */
};

struct packing {
	const char *name, *magic;
	const char *tool;        /* whose -dc unpacks it */
	bool (*sure)(const struct packed *p);    /* it is not a text that begins so; NULL: none does */
	bool (*begin)(struct packed *p);         /* false when out of memory */
	enum step (*step)(struct packed *p, char *dst, size_t size, size_t *ret_n);    /* NULL: it is not read */
	void (*end)(struct packed *p);
};

struct packed {
	int fd;
	const char *name;        /* of the file, for sentences */
	const struct packing *how;
	uint8_t *in;
	size_t at, n;            /* what has been read and not been used: in[at] to in[n - 1] */
	uint64_t read;           /* bytes, of the file */
	bool end;                /* the file has no more */
	bool inside;             /* a gzip or bzip2 file, of those in a row, has begun */
	enum step last;
	union {
		z_stream gzip;
		lzma_stream xz;
#ifdef HAVE_ZSTD
		ZSTD_DCtx *zstd;
#endif
#ifdef HAVE_BZIP2
		bz_stream bzip2;
#endif
	} as;
};

static size_t packed_left(const struct packed *p)
{
	return p->n - p->at;
}

static bool packed_begins(const struct packed *p, const char *magic)
{
	return packed_left(p) >= strlen(magic) && !memcmp(p->in + p->at, magic, strlen(magic));
}

static enum step plain_step(struct packed *p, char *dst, size_t size, size_t *ret_n)
{
	*ret_n = packed_left(p) < size ? packed_left(p) : size;
	memcpy(dst, p->in + p->at, *ret_n);
	p->at += *ret_n;
	return STEP_WHOLE;
}

static bool gzip_begin(struct packed *p)
{
	return inflateInit2(&p->as.gzip, 16 + MAX_WBITS) == Z_OK;
}

static void gzip_end(struct packed *p)
{
	inflateEnd(&p->as.gzip);
}

static enum step gzip_step(struct packed *p, char *dst, size_t size, size_t *ret_n)
{
	z_stream *z = &p->as.gzip;
	int r;

	if (!p->inside && !packed_begins(p, p->how->magic))
		return STEP_REST;
	p->inside = true;
	z->next_in = p->in + p->at;
	z->avail_in = (uInt)packed_left(p);
	z->next_out = (Bytef *)dst;
	z->avail_out = (uInt)size;
	r = inflate(z, Z_NO_FLUSH);
	p->at = p->n - z->avail_in;
	*ret_n = size - z->avail_out;
	if (r == Z_STREAM_END) {
		p->inside = false;
		return inflateReset(z) == Z_OK ? STEP_WHOLE : STEP_DAMAGED;
	}
	return r == Z_OK || r == Z_BUF_ERROR ? STEP_ON : r == Z_MEM_ERROR ? STEP_MEMORY : STEP_DAMAGED;
}

static bool xz_begin(struct packed *p)
{
	p->as.xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&p->as.xz, XZ_MEMORY_MAX, LZMA_CONCATENATED) == LZMA_OK;
}

static void xz_end(struct packed *p)
{
	lzma_end(&p->as.xz);
}

static enum step xz_step(struct packed *p, char *dst, size_t size, size_t *ret_n)
{
	lzma_stream *xz = &p->as.xz;
	lzma_ret r;

	xz->next_in = p->in + p->at;
	xz->avail_in = packed_left(p);
	xz->next_out = (uint8_t *)dst;
	xz->avail_out = size;
	r = lzma_code(xz, p->end ? LZMA_FINISH : LZMA_RUN);
	p->at = p->n - xz->avail_in;
	*ret_n = size - xz->avail_out;
	switch (r) {
	case LZMA_OK:
	case LZMA_BUF_ERROR:
		return STEP_ON;
	case LZMA_STREAM_END:
		return STEP_WHOLE;
	case LZMA_MEM_ERROR:
	case LZMA_MEMLIMIT_ERROR:
		return STEP_MEMORY;
	default:
		return STEP_DAMAGED;
	}
}

#ifdef HAVE_ZSTD
static bool zstd_begin(struct packed *p)
{
	p->as.zstd = ZSTD_createDCtx();
	return p->as.zstd;
}

static void zstd_end(struct packed *p)
{
	ZSTD_freeDCtx(p->as.zstd);
}

static enum step zstd_step(struct packed *p, char *dst, size_t size, size_t *ret_n)
{
	ZSTD_inBuffer in = { .src = p->in + p->at, .size = packed_left(p) };
	ZSTD_outBuffer out = { .dst = dst, .size = size };
	const bool more = in.size || p->last != STEP_WHOLE;
	const size_t r = more ? ZSTD_decompressStream(p->as.zstd, &out, &in) : 0;

	p->at += in.pos;
	*ret_n = out.pos;
	if (!ZSTD_isError(r))
		return r ? STEP_ON : STEP_WHOLE;
	switch (ZSTD_getErrorCode(r)) {
	case ZSTD_error_memory_allocation:
	case ZSTD_error_frameParameter_windowTooLarge:
		return STEP_MEMORY;
	default:
		return STEP_DAMAGED;
	}
}
#else
#define zstd_begin NULL
#define zstd_step NULL
#define zstd_end NULL
#endif

#ifdef HAVE_BZIP2
static bool bzip2_begin(struct packed *p)
{
	p->as.bzip2 = (bz_stream){ 0 };
	p->inside = false;
	return true;
}

static void bzip2_end(struct packed *p)
{
	if (p->inside)
		BZ2_bzDecompressEnd(&p->as.bzip2);
	p->inside = false;
}

static enum step bzip2_step(struct packed *p, char *dst, size_t size, size_t *ret_n)
{
	bz_stream *b = &p->as.bzip2;
	int r;

	if (!p->inside && !packed_begins(p, p->how->magic))
		return STEP_REST;
	if (!p->inside && BZ2_bzDecompressInit(b, 0, 0) != BZ_OK)
		return STEP_MEMORY;
	p->inside = true;
	b->next_in = (char *)p->in + p->at;
	b->avail_in = (unsigned int)packed_left(p);
	b->next_out = dst;
	b->avail_out = (unsigned int)size;
	r = BZ2_bzDecompress(b);
	p->at = p->n - b->avail_in;
	*ret_n = size - b->avail_out;
	if (r == BZ_STREAM_END)
		bzip2_end(p);
	return r == BZ_STREAM_END ? STEP_WHOLE : r == BZ_OK ? STEP_ON : r == BZ_MEM_ERROR ? STEP_MEMORY : STEP_DAMAGED;
}
#else
#define bzip2_begin NULL
#define bzip2_step NULL
#define bzip2_end NULL
#endif

/*
 * A text may begin with "BZh": the compressed file goes on with a size and the digits of pi, or
 * those of its square root.
 */
static bool is_bzip2(const struct packed *p)
{
	const char *pi = "1AY&SY", *root = "\x17rE8P\x90";
	const uint8_t *s = p->in + p->at;

	return packed_left(p) >= 10 && s[3] >= '1' && s[3] <= '9' && (!memcmp(s + 4, pi, 6) || !memcmp(s + 4, root, 6));
}

static const struct packing plain = { .name = "plain text", .step = plain_step };
static const struct packing packings[] = {
	{ "gzip", "\x1f\x8b", "gzip", NULL, gzip_begin, gzip_step, gzip_end },
	{ "xz", "\xfd" "7zXZ", "xz", NULL, xz_begin, xz_step, xz_end },
	{ "zstd", "\x28\xb5\x2f\xfd", "zstd", NULL, zstd_begin, zstd_step, zstd_end },
	{ "bzip2", "BZh", "bzip2", is_bzip2, bzip2_begin, bzip2_step, bzip2_end },
	{ "lz4", "\x04\x22\x4d\x18", "lz4", NULL, NULL, NULL, NULL },
};

static const struct packing *packing_of(const struct packed *p)
{
	for (size_t i = 0; i < sizeof(packings) / sizeof(*packings); i++)
		if (packed_begins(p, packings[i].magic) && (!packings[i].sure || packings[i].sure(p)))
			return &packings[i];
	return &plain;
}

/* Reads on, to MAGIC_MAX bytes at least that are not used yet, or to the end. */
static int packed_fill(struct packed *p, struct err *e)
{
	memmove(p->in, p->in + p->at, packed_left(p));
	p->n -= p->at;
	p->at = 0;
	while (p->n < MAGIC_MAX && !p->end) {
		const ssize_t k = read(p->fd, p->in + p->n, IN_BYTES - p->n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return err_set(e, errno, "cannot read %s: %s", p->name, strerror(errno));
		p->n += (size_t)k;
		p->read += (uint64_t)k;
		p->end = !k;
	}
	return 0;
}

static int packed_begin(struct packed *p, struct err *e)
{
	const struct packing *how;
	int r = packed_fill(p, e);

	if (r < 0)
		return r;
	how = packing_of(p);
	if (!how->step)
		return err_set(e, EOPNOTSUPP, "%s is compressed by %s, which this sberf does not read: use `%s -dc "
			       "FILE | sberf ... -`", p->name, how->name, how->tool);
	if (how->begin && !how->begin(p))
		return err_nomem(e, p->name);
	p->how = how;
	return 0;
}

int packed_open(struct packed **ret, int fd, const char *name, struct err *e)
{
	struct packed *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_nomem(e, name);
	*p = (struct packed){ .fd = fd, .name = name, .in = malloc(IN_BYTES) };
	r = p->in ? packed_begin(p, e) : err_nomem(e, name);
	if (r < 0)
		packed_close(p);
	else
		*ret = p;
	return r;
}

void packed_close(struct packed *p)
{
	if (!p)
		return;
	if (p->how && p->how->end)
		p->how->end(p);
	free(p->in);
	free(p);
}

/* What the step said that gave nothing more. */
static ssize_t packed_stop(const struct packed *p, struct err *e)
{
	if (p->last == STEP_MEMORY)
		return err_set(e, ENOMEM, "unpacking %s takes too much memory: use `%s -dc FILE | sberf ... -`",
			       p->name, p->how->tool);
	return p->last == STEP_DAMAGED ? -EBADMSG : 0;
}

ssize_t packed_read(struct packed *p, char *dst, size_t size, struct err *e)
{
	size_t n = 0;
	int r = 0;

	size = size < INT32_MAX ? size : INT32_MAX;
	while (!n && p->last < STEP_REST) {
		size_t before;

		if (packed_left(p) < MAGIC_MAX && !p->end)
			r = packed_fill(p, e);
		if (r < 0)
			return r;
		before = packed_left(p);
		/*
		 * What is whole and has nothing behind it has ended; else there may still be
		 * something in the decoder.
		 */
		if (p->last == STEP_WHOLE && !before)
			return 0;
		p->last = p->how->step(p, dst, size, &n);
		if (p->last != STEP_ON || n || packed_left(p) != before)
			continue;
		if (p->end)
			return 0;
		p->last = STEP_DAMAGED;
	}
	return n ? (ssize_t)n : packed_stop(p, e);
}

const char *packed_format(const struct packed *p)
{
	return p->how->name;
}

uint64_t packed_done(const struct packed *p)
{
	return p->read - packed_left(p);
}

bool packed_cut(const struct packed *p)
{
	return p->last == STEP_ON;
}
