/* SPDX-License-Identifier: BSD-2-Clause */
/* metatext.c - one table of keys serves both directions. */
#include "config.h"

#include "record/metatext.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>

enum value_kind {
	VALUE_TEXT, VALUE_U32, VALUE_U64, VALUE_INT, VALUE_STATE, VALUE_BOOL,
	VALUE_OUT,               /* a U64 that is written and not read: readers count it themselves */
};

struct key {
	const char *name;
	enum value_kind kind;
	size_t at, size;         /* in struct profile_meta */
};

#define AT(name, member, kind) { name, kind, offsetof(struct profile_meta, member), \
				 sizeof(((struct profile_meta *)0)->member) }

static const struct key keys[] = {
	AT("version", version, VALUE_TEXT),
	AT("host", host, VALUE_TEXT),
	AT("kernel", kernel, VALUE_TEXT),
	AT("kernel_without", kernel_without, VALUE_TEXT),
	AT("arch", arch, VALUE_TEXT),
	AT("target", target, VALUE_TEXT),
	AT("cmdline", cmdline, VALUE_TEXT),
	AT("event", event, VALUE_TEXT),
	AT("freq_asked_hz", freq_asked, VALUE_U32),
	AT("freq_got_hz", freq_got, VALUE_U32),
	AT("cpus", cpus, VALUE_U32),
	AT("start_real_ns", start_real_ns, VALUE_U64),
	AT("start_mono_ns", start_mono_ns, VALUE_U64),
	AT("duration_ns", duration_ns, VALUE_U64),
	AT("target_state", target_state, VALUE_STATE),
	AT("end_code", end_code, VALUE_INT),
	AT("executed", executed, VALUE_TEXT),
	AT("late", late, VALUE_U64),
	AT("refused", refused, VALUE_U64),
	AT("user_cpu_ns", user_cpu_ns, VALUE_U64),
	AT("bpf_cpu_ns", bpf_cpu_ns, VALUE_U64),
	AT("engine_cpu_ns", engine_cpu_ns, VALUE_U64),
	AT("rss_bytes", rss_bytes, VALUE_U64),
	AT("symbols_pending", symbols_pending, VALUE_U64),
	AT("unread", unread.n, VALUE_U64),
	AT("unread_1", unread.text[0], VALUE_TEXT),
	AT("unread_2", unread.text[1], VALUE_TEXT),
	AT("unread_3", unread.text[2], VALUE_TEXT),
	AT("unread_4", unread.text[3], VALUE_TEXT),
	AT("unread_5", unread.text[4], VALUE_TEXT),
	AT("unread_6", unread.text[5], VALUE_TEXT),
	AT("unread_7", unread.text[6], VALUE_TEXT),
	AT("unread_8", unread.text[7], VALUE_TEXT),
	AT("off_cpu", off_cpu, VALUE_BOOL),
	AT("wakers", wakers, VALUE_BOOL),
	AT("wait_short_ns", wait_short_ns, VALUE_U64),
	AT("wait_short", wait_short, VALUE_U64),
	AT("wait_period_ns", wait_period_ns, VALUE_U64),
	AT("wait_outside", wait_outside, VALUE_U64),
	AT("wait_hung", wait_hung, VALUE_U64),
	AT("wait_denied", wait_denied, VALUE_U64),
	AT("wait_inferred", wait_inferred, VALUE_U64),
	AT("wait_summed", wait_summed, VALUE_U64),
	AT("wait_unsummed", wait_unsummed, VALUE_U64),
	AT("unwound_kernel", unwound.way[WAY_KERNEL], VALUE_OUT),
	AT("unwound_copy", unwound.way[WAY_COPY], VALUE_OUT),
	AT("verify_checked", verify_checked, VALUE_U64),
	AT("verify_different", verify_different, VALUE_U64),
	AT("verify_incomplete", verify_incomplete, VALUE_U64),
#define X(id, name, text) AT("verify_" name, verify_cause[VERIFY_##id], VALUE_U64),
	VERIFY_CAUSES(X)
#undef X
	AT("verify_kernel_checked", verify_kernel_checked, VALUE_U64),
	AT("verify_kernel_different", verify_kernel_different, VALUE_U64),
	AT("rules_pages", rules_pages, VALUE_U64),
	AT("rules", rules, VALUE_U64),
	AT("rules_processes", rules_processes, VALUE_U64),
	AT("rules_evicted", rules_evicted, VALUE_U64),
	AT("rules_bytes", rules_bytes, VALUE_U64),
	AT("numa_too_large", numa_too_large, VALUE_U64),
#define X(nr, id, name, text, remedy) AT("lost_" name, lost.n[nr], VALUE_U64),
	LOST_REASONS(X)
#undef X
};

_Static_assert(UNREAD_MAX == 8 && UNREAD_TEXT >= META_TEXT, "as the keys above, and the longest text");

#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))
#define UNKNOWN "unknown"

static bool metatext_add_text(byte_vec *dst, const char *s)
{
	return bytes_add(dst, s, strlen(s));
}

static bool add_u64(byte_vec *dst, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	return metatext_add_text(dst, v == META_UNKNOWN ? UNKNOWN : text);
}

static bool add_int(byte_vec *dst, int v)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", v);
	return metatext_add_text(dst, text);
}

static bool add_value(byte_vec *dst, const struct key *k, const struct profile_meta *m)
{
	const void *p = (const char *)m + k->at;
	char clean[3 * UNREAD_TEXT];

	switch (k->kind) {
	case VALUE_TEXT:
		text_sanitise(clean, sizeof(clean), p, strnlen(p, k->size));
		return metatext_add_text(dst, clean);
	case VALUE_U32:
		return add_u64(dst, *(const uint32_t *)p);
	case VALUE_U64:
	case VALUE_OUT:
		return add_u64(dst, *(const uint64_t *)p);
	case VALUE_INT:
		return add_int(dst, *(const int *)p);
	case VALUE_STATE:
		return add_int(dst, (int)*(const enum target_state *)p);
	case VALUE_BOOL:
		return add_int(dst, *(const bool *)p);
	}
	return false;
}

bool meta_text(const struct profile_meta *m, byte_vec *dst)
{
	for (size_t i = 0; i < NR_KEYS; i++)
		if (!metatext_add_text(dst, keys[i].name) || !metatext_add_text(dst, "=") ||
		    !add_value(dst, &keys[i], m) || !metatext_add_text(dst, "\n"))
			return false;
	return true;
}

/* The next line of *IN without its newline; false at the end. */
static bool metatext_next_line(struct cursor *in, struct cursor *line)
{
	const uint8_t *nl;

	if (in->p >= in->end)
		return false;
	nl = memchr(in->p, '\n', (size_t)(in->end - in->p));
	*line = (struct cursor){ in->p, nl ? nl : in->end };
	in->p = nl ? nl + 1 : in->end;
	return true;
}

static bool same_line(const struct cursor *a, const struct cursor *b)
{
	return a->end - a->p == b->end - b->p && !memcmp(a->p, b->p, (size_t)(a->end - a->p));
}

bool meta_changed(const byte_vec *before, const byte_vec *now, byte_vec *dst)
{
	struct cursor old = cursor_of(before), new = cursor_of(now), was, is;

	while (metatext_next_line(&new, &is)) {
		if (metatext_next_line(&old, &was) && same_line(&was, &is))
			continue;
		if (!bytes_add(dst, is.p, (size_t)(is.end - is.p)) || !bytes_add(dst, "\n", 1))
			return false;
	}
	return true;
}

/* Digits only, all of them, no overflow. */
static bool metatext_parse_number(const struct cursor *value, uint64_t max, uint64_t *ret)
{
	uint64_t v = 0;

	if (value->p == value->end)
		return false;
	for (const uint8_t *p = value->p; p < value->end; p++) {
		if (*p < '0' || *p > '9' || __builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	}
	if (v > max)
		return false;
	*ret = v;
	return true;
}

static void parse_int(const struct cursor *value, int *ret)
{
	const bool negative = value->p < value->end && *value->p == '-';
	const struct cursor digits = { value->p + negative, value->end };
	uint64_t v;

	if (metatext_parse_number(&digits, INT32_MAX, &v))
		*ret = negative ? -(int)v : (int)v;
}

static void metatext_parse_value(struct profile_meta *m, const struct key *k, const struct cursor *value)
{
	void *p = (char *)m + k->at;
	const size_t len = (size_t)(value->end - value->p);
	uint64_t v;

	switch (k->kind) {
	case VALUE_TEXT:
		text_sanitise(p, k->size, (const char *)value->p, len);
		break;
	case VALUE_U32:
		if (metatext_parse_number(value, UINT32_MAX, &v))
			*(uint32_t *)p = (uint32_t)v;
		break;
	case VALUE_U64:
		if (metatext_parse_number(value, UINT64_MAX, &v))
			*(uint64_t *)p = v;
		else if (len == strlen(UNKNOWN) && !memcmp(value->p, UNKNOWN, len))
			*(uint64_t *)p = META_UNKNOWN;
		break;
	case VALUE_INT:
		parse_int(value, p);
		break;
	case VALUE_STATE:
		if (metatext_parse_number(value, TARGET_ENDED, &v))
			*(enum target_state *)p = (enum target_state)v;
		break;
	case VALUE_BOOL:
		if (metatext_parse_number(value, 1, &v))
			*(bool *)p = v;
		break;
	case VALUE_OUT:
		break;
	}
}

/* Cuts LINE at its "=" into *KEY and what is left. */
static bool metatext_split(struct cursor *line, struct cursor *key)
{
	const uint8_t *eq = memchr(line->p, '=', (size_t)(line->end - line->p));

	if (!eq)
		return false;
	*key = (struct cursor){ line->p, eq };
	line->p = eq + 1;
	return true;
}

static bool key_is(const struct cursor *key, const char *name)
{
	const size_t len = strlen(name);

	return (size_t)(key->end - key->p) == len && !memcmp(key->p, name, len);
}

void meta_parse(struct profile_meta *m, const uint8_t *text, size_t n)
{
	struct cursor in = { text, text + n }, line, key;

	while (metatext_next_line(&in, &line)) {
		if (!metatext_split(&line, &key))
			continue;
		for (size_t i = 0; i < NR_KEYS; i++)
			if (key_is(&key, keys[i].name))
				metatext_parse_value(m, &keys[i], &line);
	}
}

void meta_init(struct profile_meta *m)
{
	memset(m, 0, sizeof(*m));
	m->target_state = TARGET_ENDED;
	m->user_cpu_ns = m->bpf_cpu_ns = m->engine_cpu_ns = m->file_bytes = META_UNKNOWN;
	m->unread.n = META_UNKNOWN;
	m->rules_pages = m->rules = m->rules_processes = m->rules_evicted = m->rules_bytes = META_UNKNOWN;
}

bool meta_number(const uint8_t *text, size_t n, const char *key, uint64_t *ret)
{
	struct cursor in = { text, text + n }, line, name;
	bool found = false;

	while (metatext_next_line(&in, &line))
		if (metatext_split(&line, &name) && key_is(&name, key) && metatext_parse_number(&line, UINT64_MAX, ret))
			found = true;
	return found;
}
