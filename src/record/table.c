/* SPDX-License-Identifier: BSD-2-Clause */
/* table.c - columns of numbers to bytes and back. */
#include "config.h"

#include "record/table.h"

#include <stdlib.h>

bool table_add(struct table *t, unsigned int tag, uint64_t value)
{
	struct table_column *c = &t->column[tag];

	if (!value && !c->values.n) {
		c->zeros++;
		return true;
	}
	if (!vec_reserve(&c->values, c->zeros + 1))
		return false;
	for (; c->zeros; c->zeros--, t->values++)
		c->values.v[c->values.n++] = 0;
	c->values.v[c->values.n++] = value;
	t->values++;
	return true;
}

bool table_add_bytes(struct table *t, unsigned int tag, const void *bytes, size_t n)
{
	t->bytes += n;
	return bytes_add(&t->column[tag].bytes, bytes, n);
}

static size_t runs_until(const struct table_column *c, size_t i)
{
	size_t end = i + 1;

	while (end < c->values.n && c->values.v[end] == c->values.v[i])
		end++;
	return end;
}

static enum column_encoding table_shortest(const struct table_column *c)
{
	size_t plain = 0, delta = 0, runs = 0;
	uint64_t last = 0;

	for (size_t i = 0; i < c->values.n; i++) {
		plain += varint_size(c->values.v[i]);
		delta += varint_size(zigzag(c->values.v[i] - last));
		last = c->values.v[i];
	}
	for (size_t i = 0, end; i < c->values.n; i = end) {
		end = runs_until(c, i);
		runs += varint_size(c->values.v[i]) + varint_size(end - i);
	}
	if (runs <= plain && runs <= delta)
		return COLUMN_RUNS;
	return delta < plain ? COLUMN_DELTA : COLUMN_PLAIN;
}

static bool encode_values(const struct table_column *c, enum column_encoding encoding, byte_vec *dst)
{
	uint64_t last = 0;

	for (size_t i = 0, end; i < c->values.n; i = end) {
		const uint64_t v = c->values.v[i];

		end = encoding == COLUMN_RUNS ? runs_until(c, i) : i + 1;
		if (!bytes_add_varint(dst, encoding == COLUMN_DELTA ? zigzag(v - last) : v))
			return false;
		if (encoding == COLUMN_RUNS && !bytes_add_varint(dst, end - i))
			return false;
		last = v;
	}
	return true;
}

static bool encode_column(const struct table_column *c, unsigned int tag, byte_vec *scratch, byte_vec *dst)
{
	uint8_t encoding = COLUMN_BYTES;
	const byte_vec *data = &c->bytes;

	if (!c->bytes.n && !c->values.n)
		return true;
	if (!c->bytes.n) {
		encoding = (uint8_t)table_shortest(c);
		scratch->n = 0;
		if (!encode_values(c, encoding, scratch))
			return false;
		data = scratch;
	}
	return bytes_add_varint(dst, tag) && bytes_add(dst, &encoding, 1) && bytes_add_varint(dst, data->n) &&
	       bytes_add(dst, data->v, data->n);
}

bool table_encode(const struct table *t, byte_vec *dst)
{
	byte_vec scratch = { 0 };
	bool ok = bytes_add_varint(dst, t->base) && bytes_add_varint(dst, t->rows);

	for (unsigned int tag = 1; ok && tag < COLUMNS_MAX; tag++)
		ok = encode_column(&t->column[tag], tag, &scratch, dst);
	vec_free(&scratch);
	return ok;
}

void table_next(struct table *t)
{
	t->base += t->rows;
	t->rows = 0;
	t->values = t->bytes = 0;
	for (unsigned int tag = 0; tag < COLUMNS_MAX; tag++)
		t->column[tag].values.n = t->column[tag].bytes.n = t->column[tag].zeros = 0;
}

void table_free(struct table *t)
{
	for (unsigned int tag = 0; tag < COLUMNS_MAX; tag++) {
		vec_free(&t->column[tag].values);
		vec_free(&t->column[tag].bytes);
	}
	memset(t, 0, sizeof(*t));
}

static enum table_result open_column(struct table_view *t, unsigned int known, struct cursor *in)
{
	const uint8_t *encoding, *data;
	uint64_t tag, len;

	if (!cursor_varint(in, &tag))
		return TABLE_MALFORMED;
	encoding = cursor_take(in, 1);
	if (!encoding || !cursor_varint(in, &len) || len > SIZE_MAX)
		return TABLE_MALFORMED;
	data = cursor_take(in, (size_t)len);
	if (!data)
		return TABLE_MALFORMED;
	if (tag > known) {
		t->unknown = true;
		return *encoding & COLUMN_F_CRITICAL ? TABLE_NEWER : TABLE_OK;
	}
	if (tag == 0 || t->column[tag].present)
		return TABLE_MALFORMED;
	if ((*encoding & COLUMN_ENCODING) > COLUMN_BYTES)
		return TABLE_NEWER;
	t->column[tag] = (struct column){
		.in = { data, data + len }, .encoding = *encoding & COLUMN_ENCODING, .present = true,
	};
	return TABLE_OK;
}

enum table_result table_open(struct table_view *t, unsigned int known, const uint8_t *payload, size_t n)
{
	struct cursor in = { payload, payload + n };
	uint64_t rows;

	memset(t, 0, sizeof(*t));
	if (!cursor_varint(&in, &t->base) || !cursor_varint(&in, &rows) || rows > TABLE_ROWS_MAX)
		return TABLE_MALFORMED;
	t->rows = (uint32_t)rows;
	while (in.p < in.end) {
		enum table_result r = open_column(t, known, &in);

		if (r != TABLE_OK)
			return r;
	}
	return TABLE_OK;
}

static bool next_run(struct column *c)
{
	return cursor_varint(&c->in, &c->value) && cursor_varint(&c->in, &c->left) && c->left > 0;
}

bool table_get(struct table_view *t, unsigned int tag, uint64_t *ret)
{
	struct column *c = &t->column[tag];
	uint64_t v;

	if (!c->present) {
		*ret = 0;
		return true;
	}
	switch (c->encoding) {
	case COLUMN_PLAIN:
		return cursor_varint(&c->in, ret);
	case COLUMN_DELTA:
		if (!cursor_varint(&c->in, &v))
			return false;
		*ret = c->value += unzigzag(v);
		return true;
	case COLUMN_RUNS:
		if (!c->left && !next_run(c))
			return false;
		c->left--;
		*ret = c->value;
		return true;
	default:
		return false;
	}
}

bool table_get_max(struct table_view *t, unsigned int tag, uint64_t max, uint64_t *ret)
{
	uint64_t v;

	if (!table_get(t, tag, &v) || v > max)
		return false;
	*ret = v;
	return true;
}

const uint8_t *table_get_bytes(struct table_view *t, unsigned int tag, size_t n)
{
	static const uint8_t none[1];
	struct column *c = &t->column[tag];

	if (!n)
		return none;
	return c->present && c->encoding == COLUMN_BYTES ? cursor_take(&c->in, n) : NULL;
}
