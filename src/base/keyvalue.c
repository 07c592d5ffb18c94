/* SPDX-License-Identifier: BSD-2-Clause */
/* keyvalue.c - values to text and back, each kind in both directions side by side; the contract is in keyvalue.h. */
#include "config.h"

#include "base/keyvalue.h"

#include "base/parse.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UNKNOWN "unknown"

const struct value_key *value_key(const struct value_key *keys, size_t nr, struct part name)
{
	for (size_t i = 0; i < nr; i++)
		if (part_is(name, keys[i].name))
			return &keys[i];
	return NULL;
}

/* Numbers */

static uint64_t value_get(const void *p, size_t size)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		return *(const uint16_t *)p;
	case 4:
		return *(const uint32_t *)p;
	}
	return *(const uint64_t *)p;
}

static bool value_read_unsigned(const struct value_key *k, struct part value, void *p)
{
	uint64_t v;

	if (!part_number(value, &v) || v < (uint64_t)k->min || v > k->max)
		return false;
	switch (k->size) {
	case 1:
		*(uint8_t *)p = (uint8_t)v;
		break;
	case 2:
		*(uint16_t *)p = (uint16_t)v;
		break;
	case 4:
		*(uint32_t *)p = (uint32_t)v;
		break;
	default:
		*(uint64_t *)p = v;
	}
	return true;
}

static bool value_read_signed(const struct value_key *k, struct part value, int32_t *ret)
{
	const bool negative = value.len && value.s[0] == '-';
	uint64_t v;
	int32_t n;

	if (negative)
		part_cut(&value, '-');
	if (!part_number(value, &v) || v > INT32_MAX)
		return false;
	n = negative ? -(int32_t)v : (int32_t)v;
	if (n < k->min || (!negative && v > k->max))
		return false;
	*ret = n;
	return true;
}

/* Texts */

static size_t value_length(const struct value_key *k, const char *s)
{
	return strnlen(s, k->size < VALUE_TEXT_MAX ? k->size : VALUE_TEXT_MAX);
}

static size_t value_escape(char dst[VALUE_PRINT_MAX], const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)s[i];

		if (c == '%' || c <= ' ')
			n += (size_t)snprintf(dst + n, VALUE_PRINT_MAX - n, "%%%02X", (unsigned int)c);
		else
			dst[n++] = s[i];
	}
	dst[n] = '\0';
	return n;
}

/* A byte of VALUE, which moves behind it, escapes undone. False: an escape makes no sense. */
static bool value_unescape(struct part *value, char *ret)
{
	const char *hex = value->s + 1;
	size_t used = 1;
	uint64_t v;

	*ret = *value->s;
	if (*ret == '%') {
		used = 3;
		if (value->len < used || !parse_hex(&hex, hex + 2, &v) || hex != value->s + used)
			return false;
		*ret = (char)v;
	}
	*value = (struct part){ value->s + used, value->len - used };
	return true;
}

static bool value_read_escaped(const struct value_key *k, struct part value, char *dst)
{
	char raw[VALUE_TEXT_MAX];
	size_t n = 0;

	while (value.len && n < sizeof(raw))
		if (!value_unescape(&value, &raw[n++]))
			return false;
	text_sanitise(dst, k->size, raw, n);
	return true;
}

/* Both ways */

size_t value_print(const struct value_key *k, const void *row, char dst[VALUE_PRINT_MAX])
{
	const void *p = (const char *)row + k->at;

	dst[0] = '\0';
	switch (k->kind) {
	case VALUE_TEXT:
		return text_sanitise(dst, VALUE_PRINT_MAX, p, value_length(k, p));
	case VALUE_ESCAPED:
		return value_escape(dst, p, value_length(k, p));
	case VALUE_OR_UNKNOWN:
		if (value_get(p, k->size) == UINT64_MAX)
			return (size_t)snprintf(dst, VALUE_PRINT_MAX, UNKNOWN);
		/* fallthrough */
	case VALUE_UNSIGNED:
		return (size_t)snprintf(dst, VALUE_PRINT_MAX, "%" PRIu64, value_get(p, k->size));
	case VALUE_SIGNED:
		return (size_t)snprintf(dst, VALUE_PRINT_MAX, "%" PRId32, *(const int32_t *)p);
	case VALUE_PART:
		break;
	}
	return 0;
}

bool value_read(const struct value_key *k, struct part value, void *row)
{
	void *p = (char *)row + k->at;

	if (k->rule == VALUE_WRITTEN)
		return false;
	switch (k->kind) {
	case VALUE_TEXT:
		text_sanitise(p, k->size, value.s, value.len);
		return true;
	case VALUE_ESCAPED:
		return value_read_escaped(k, value, p);
	case VALUE_OR_UNKNOWN:
		if (!part_is(value, UNKNOWN))
			return value_read_unsigned(k, value, p);
		*(uint64_t *)p = UINT64_MAX;
		return true;
	case VALUE_UNSIGNED:
		return value_read_unsigned(k, value, p);
	case VALUE_SIGNED:
		return value_read_signed(k, value, p);
	case VALUE_PART:
		*(struct part *)p = value;
		return true;
	}
	return false;
}
