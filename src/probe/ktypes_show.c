/* SPDX-License-Identifier: BSD-2-Clause */
/* ktypes_show.c - writes values as the types of the kernel or of a BPF program have them: see ktypes.h. */
#include "config.h"

#include "probe/ktypes_private.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

#define SHOW_DEPTH 4u            /* structures in each other */
#define SHOW_MEMBERS 64u         /* of one structure */
#define SHOW_ELEMENTS 8u         /* of one array */
#define ERRORS_MAX 4095          /* MAX_ERRNO of the kernel */

struct showing {
	const struct ktypes *t;
	const struct ktypes_style *style;
	const uint8_t *bytes;
	size_t got;
	char *dst;
	size_t size, n;          /* of DST, and of that what is written */
};

static void written_text(struct showing *s, const char *text)
{
	s->n += text_format(s->dst + s->n, s->size - s->n, "%s", text);
}

/* Are all SIZE bytes at AT there, and 0? */
static bool written_is_zero(const struct showing *s, size_t at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (at + i >= s->got || s->bytes[at + i])
			return false;
	return true;
}

/* The number of BITS bits that begins BIT bits behind byte AT; false = not all of it is there. */
static bool written_bits(const struct showing *s, size_t at, uint32_t bit, uint32_t bits, bool is_signed, uint64_t *ret)
{
	uint64_t word = 0;
	const size_t first = at + bit / 8;
	const uint32_t shift = bit % 8;
	const size_t n = (shift + bits + 7) / 8;

	if (!bits || bits > 64 || n > sizeof(word) || first + n > s->got)
		return false;
	memcpy(&word, s->bytes + first, n);
	word = word >> shift << (64 - bits);
	*ret = is_signed ? (uint64_t)((int64_t)word >> (64 - bits)) : word >> (64 - bits);
	return true;
}

static void written_error(struct showing *s, int64_t value)
{
	const char *name = value < 0 && value >= -ERRORS_MAX ? strerrorname_np((int)-value) : NULL;

	s->n += text_format(s->dst + s->n, s->size - s->n, name ? " (%s)" : "", name);
}

static void written_pointer(struct showing *s, uint64_t value)
{
	char name[128];

	if ((int64_t)value < 0 && (int64_t)value >= -ERRORS_MAX) {
		s->n += text_format(s->dst + s->n, s->size - s->n, "%" PRId64, (int64_t)value);
		written_error(s, (int64_t)value);
		return;
	}
	s->n += text_format(s->dst + s->n, s->size - s->n, value ? "0x%" PRIx64 : "NULL", value);
	if (value && s->style->name && s->style->name(s->style->ctx, value, name, sizeof(name)))
		s->n += text_format(s->dst + s->n, s->size - s->n, " (%s)", name);
}

static void written_enum(struct showing *s, const struct btf_type *type, uint64_t value)
{
	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		const bool wide = btf_is_enum64(type);
		const uint64_t one = wide ? btf_enum64_value(&btf_enum64(type)[i]) :
			(uint64_t)(int64_t)btf_enum(type)[i].val;
		const uint32_t name = wide ? btf_enum64(type)[i].name_off : btf_enum(type)[i].name_off;

		if (wide ? one == value : (uint32_t)one == (uint32_t)value) {
			written_text(s, btf__name_by_offset(s->t->btf, name));
			return;
		}
	}
	s->n += text_format(s->dst + s->n, s->size - s->n, "%" PRId64, (int64_t)value);
}

/* The number of TYPE in BITS bits BIT behind AT. */
static void written_number(struct showing *s, const struct btf_type *type, size_t at, uint32_t bit, uint32_t bits)
{
	const bool is_signed = (btf_is_int(type) && btf_int_encoding(type) & BTF_INT_SIGNED) ||
		(btf_is_any_enum(type) && btf_kflag(type));
	uint64_t value;

	if (!written_bits(s, at, bit, bits, is_signed, &value)) {
		written_text(s, "...");
	} else if (btf_is_ptr(type)) {
		written_pointer(s, value);
	} else if (btf_is_any_enum(type)) {
		written_enum(s, type, value);
	} else if (btf_int_encoding(type) & BTF_INT_BOOL) {
		written_text(s, value ? "true" : "false");
	} else {
		s->n += text_format(s->dst + s->n, s->size - s->n, is_signed ? "%" PRId64 : value >> 32 ? "0x%" PRIx64 :
				    "%" PRIu64, value);
		if (is_signed && s->style->errors)
			written_error(s, (int64_t)value);
	}
}

/* The string in the N bytes at AT. */
static void written_string(struct showing *s, size_t at, size_t n)
{
	const size_t there = at < s->got ? (n < s->got - at ? n : s->got - at) : 0;
	const size_t len = strnlen((const char *)s->bytes + at, there);

	s->n += text_format(s->dst + s->n, s->size - s->n, "\"%.*s\"%s", (int)len, (const char *)s->bytes + at,
			    there < n && len == there ? "..." : "");
}

static void written_value(struct showing *s, uint32_t id, size_t at, uint32_t bit, uint32_t bits, unsigned int depth);

static void written_array(struct showing *s, const struct btf_array *array, size_t at, unsigned int depth)
{
	const struct btf_type *of = ktypes_plain(s->t, array->type);
	const int64_t size = btf__resolve_size(s->t->btf, array->type);
	uint32_t n = array->nelems;

	if (of && btf_is_int(of) && of->size == 1) {
		written_string(s, at, n);
		return;
	}
	written_text(s, "[");
	/* Those at the end that are 0 say nothing. */
	while (n && size > 0 && n <= SHOW_ELEMENTS && written_is_zero(s, at + (size_t)size * (n - 1), (size_t)size))
		n--;
	for (uint32_t i = 0; i < n && i < SHOW_ELEMENTS && size > 0; i++) {
		written_text(s, i ? ", " : "");
		written_value(s, array->type, at + (size_t)size * i, 0, 0, depth + 1);
	}
	written_text(s, n > SHOW_ELEMENTS || size <= 0 ? ", ...]" : "]");
}

static void written_members(struct showing *s, const struct btf_type *type, size_t at, unsigned int depth, bool *first,
			 unsigned int *left)
{
	const struct btf_member *m = btf_members(type);

	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		const char *name = btf__name_by_offset(s->t->btf, m[i].name_off);
		const struct btf_type *of = ktypes_plain(s->t, m[i].type);
		const uint32_t bit = btf_member_bit_offset(type, i), bits = btf_member_bitfield_size(type, i);
		const int64_t size = btf__resolve_size(s->t->btf, m[i].type);
		uint64_t value;

		if (!of || size <= 0)
			continue;
		if (bits ? written_bits(s, at, bit, bits, false, &value) && !value :
		    written_is_zero(s, at + bit / 8, (size_t)size))
			continue;
		if (!name || !*name) {
			if (btf_is_composite(of) && depth < SHOW_DEPTH)
				written_members(s, of, at + bit / 8, depth + 1, first, left);
			continue;
		}
		/* Of what was not copied there is nothing to say, but that it is not there. */
		if (!*left || at + bit / 8 >= s->got || s->n + 1 >= s->size) {
			written_text(s, *first ? "..." : ", ...");
			*first = false;
			*left = 0;
			return;
		}
		--*left;
		s->n += text_format(s->dst + s->n, s->size - s->n, "%s%s=", *first ? "" : ", ", name);
		*first = false;
		written_value(s, m[i].type, at, bit, bits, depth + 1);
		/* All members of a union are the same bytes: the first one that fits speaks for them. */
		if (btf_is_union(type))
			return;
	}
}

/* The value of type ID that begins BIT bits behind AT, in BITS bits; 0 = in as many as the type has. */
static void written_value(struct showing *s, uint32_t id, size_t at, uint32_t bit, uint32_t bits, unsigned int depth)
{
	const struct btf_type *type = ktypes_plain(s->t, id);
	const int64_t size = type ? btf__resolve_size(s->t->btf, id) : 0;
	unsigned int left = SHOW_MEMBERS;
	bool first = true;

	if (!type || size <= 0) {
		written_text(s, "?");
	} else if (btf_is_composite(type)) {
		if (depth > SHOW_DEPTH) {
			written_text(s, "{...}");
			return;
		}
		written_text(s, "{");
		written_members(s, type, at + bit / 8, depth, &first, &left);
		written_text(s, "}");
	} else if (btf_is_array(type)) {
		written_array(s, btf_array(type), at + bit / 8, depth);
	} else if (btf_is_int(type) || btf_is_any_enum(type) || btf_is_ptr(type)) {
		written_number(s, type, at, bit, bits ? bits : 8u * (uint32_t)size);
	} else {
		written_text(s, "?");
	}
}

char *ktypes_show(const struct ktypes *t, uint32_t type, const void *bytes, size_t got,
		  const struct ktypes_style *style, char *dst, size_t size)
{
	struct showing s = { .t = t, .style = style, .bytes = bytes, .got = got, .dst = dst, .size = size };

	*dst = '\0';
	written_value(&s, type, 0, 0, 0, 0);
	if (s.n + 1 >= size && size > 4)
		memcpy(dst + size - 4, "...", 4);
	return dst;
}
