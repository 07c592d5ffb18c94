/* SPDX-License-Identifier: BSD-2-Clause */
/* cpython_text.c - strings of CPython, and its three tables of lines. */
#include "config.h"

#include "plugin/cpython_text.h"

#include "base/text.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define STATE_INTERNED 3u                /* two bits, or a byte in some builds without the lock */
#define STATE_KIND(state) ((state) >> 2 & 7u)    /* bytes of a character, behind two bits of interned */
#define STATE_COMPACT 0x20u
#define STATE_ASCII 0x40u
#define CHARACTERS_MAX SBERF_PLUGIN_TEXT_MAX

static uint32_t text_character(const uint8_t *at, uint32_t kind)
{
	uint16_t two;
	uint32_t four;

	if (kind == 1)
		return *at;
	if (kind == 2) {
		memcpy(&two, at, sizeof(two));
		return two;
	}
	memcpy(&four, at, sizeof(four));
	return four <= 0x10ffff ? four : 0xfffd;
}

/* The N characters of KIND bytes at CHARS to DST, as far as there is room. */
static void text_put(char *dst, size_t size, const uint8_t *chars, size_t n, uint32_t kind)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		char utf8[4];
		const size_t bytes = text_encode(text_character(chars + i * kind, kind), utf8);

		if (len + bytes >= size)
			break;
		memcpy(dst + len, utf8, bytes);
		len += bytes;
	}
	dst[len] = '\0';
}

/* What STATE says, with two bits of interned in front: where it has a byte for that, nothing else is in it. */
static uint32_t text_state(const struct cpython_layout *l, uint32_t state)
{
	return l->free_threaded && !(state & 0xff & ~STATE_INTERNED) ? state >> 6 : state;
}

int cpython_text(const struct sberf_host *host, const struct cpython_layout *l, uint64_t type, uint64_t address,
		 char *dst, size_t size)
{
	uint8_t head[96], chars[4 * CHARACTERS_MAX];
	uint64_t its_type, length;
	uint32_t state, kind;
	int r;

	if (l->text_compact > sizeof(head))
		return -ENOTSUP;
	r = host->read(host, address, head, l->text_compact);
	if (r)
		return r;
	memcpy(&its_type, head + l->object_type, sizeof(its_type));
	memcpy(&length, head + l->text_length, sizeof(length));
	memcpy(&state, head + l->text_state, sizeof(state));
	state = text_state(l, state);
	kind = STATE_KIND(state);
	if ((type && its_type != type) || !(state & STATE_COMPACT) || (kind != 1 && kind != 2 && kind != 4) ||
	    length > INT32_MAX)
		return -EBADMSG;
	if (length > CHARACTERS_MAX)
		length = CHARACTERS_MAX;
	r = length ? host->read(host, address + (state & STATE_ASCII ? l->text_ascii : l->text_compact), chars,
				length * kind) : 0;
	if (!r)
		text_put(dst, size, chars, length, kind);
	return r;
}

static uint32_t line_by_lnotab(const uint8_t *table, size_t length, int64_t first, int64_t at)
{
	int64_t addr = 0, line = first;

	for (size_t i = 0; i + 1 < length; i += 2) {
		addr += table[i];
		if (addr > at)
			break;
		line += (int8_t)table[i + 1];
	}
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}

static uint32_t line_by_ranges(const uint8_t *table, size_t length, int64_t first, int64_t at)
{
	int64_t end = 0, line = first;

	for (size_t i = 0; i + 1 < length; i += 2) {
		const int8_t delta = (int8_t)table[i + 1];

		end += table[i];
		if (delta != INT8_MIN)
			line += delta;
		if (at < end)
			return delta != INT8_MIN && line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
	}
	return 0;
}

/* A number of six bits a byte, low ones first, and its sign in the lowest bit of all. */
static int64_t signed_number(const uint8_t *at, const uint8_t *end)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; at < end && shift < 60; shift += 6) {
		v |= (uint64_t)(*at & 63) << shift;
		if (!(*at++ & 64))
			break;
	}
	return v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

/* Entries begin with a byte whose highest bit is set: what they are of, and how many instructions it is about. */
static uint32_t line_by_locations(const uint8_t *table, size_t length, int64_t first, int64_t at)
{
	const uint8_t *p = table, *const end = table + length;
	int64_t upto = 0, line = first;

	while (p < end && *p & 0x80) {
		const unsigned int code = *p >> 3 & 15, units = (*p & 7) + 1;

		p++;
		if (code == 11 || code == 12)
			line += code - 10;
		else if (code == 13 || code == 14)
			line += signed_number(p, end);
		upto += 2 * units;
		if (at < upto)
			return code != 15 && line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
		while (p < end && !(*p & 0x80))
			p++;
	}
	return 0;
}

uint32_t cpython_line(enum cpython_lines how, const uint8_t *table, size_t length, uint32_t first, int64_t at)
{
	if (at < 0)
		return first;
	switch (how) {
	case CPYTHON_LNOTAB:
		return line_by_lnotab(table, length, first, at);
	case CPYTHON_RANGES:
		return line_by_ranges(table, length, first, at);
	default:
		return line_by_locations(table, length, first, at);
	}
}
