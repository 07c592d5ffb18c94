/* SPDX-License-Identifier: BSD-2-Clause */
/* perfline.c - see perfline.h. */
#include "config.h"

#include "import/perfline.h"

#include "base/clock.h"
#include "base/parse.h"
#include "model/perfname.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RECORD "PERF_RECORD_"

static bool perfline_blank(char c)
{
	return isblank((unsigned char)c);
}

static struct part next_token(const char **at, const char *end)
{
	struct part p;

	while (*at < end && perfline_blank(**at))
		++*at;
	p.s = *at;
	while (*at < end && !perfline_blank(**at))
		++*at;
	p.len = (size_t)(*at - p.s);
	return p;
}

/* The last token of what ends at *END, which is moved before it. */
static struct part last_token(const char *begin, const char **end)
{
	struct part p;
	const char *stop;

	while (*end > begin && perfline_blank((*end)[-1]))
		--*end;
	stop = *end;
	while (*end > begin && !perfline_blank((*end)[-1]))
		--*end;
	p.s = *end;
	p.len = (size_t)(stop - p.s);
	return p;
}

static bool parse_id(const char *s, size_t len, uint64_t *ret)
{
	if (len == 2 && !memcmp(s, "-1", 2)) {
		*ret = 0;
		return true;
	}
	return part_number((struct part){ s, len }, ret) && *ret <= INT32_MAX;
}

/* "1234" or "1234/1240". */
static bool parse_ids(struct part p, struct perf_header *h)
{
	const char *slash = memchr(p.s, '/', p.len);
	const size_t first = slash ? (size_t)(slash - p.s) : p.len;

	if (!parse_id(p.s, first, &h->pid))
		return false;
	h->tid = h->pid;
	return !slash || parse_id(slash + 1, p.len - first - 1, &h->tid);
}

static bool parse_cpu(struct part p, uint64_t *ret)
{
	return p.len > 2 && p.s[0] == '[' && p.s[p.len - 1] == ']' &&
	       part_number((struct part){ p.s + 1, p.len - 2 }, ret) &&
	       *ret <= UINT32_MAX;
}

/* "5777.475916:", with up to nine decimals. */
static bool parse_stamp(struct part p, uint64_t *ret_ns)
{
	const char *dot = memchr(p.s, '.', p.len);
	uint64_t s, part, scale = NSEC_PER_SEC;
	size_t digits;

	if (!dot || p.s[p.len - 1] != ':')
		return false;
	digits = p.len - 2 - (size_t)(dot - p.s);
	if (!digits || digits > 9 || !part_number((struct part){ p.s, (size_t)(dot - p.s) }, &s) ||
	    !part_number((struct part){ dot + 1, digits }, &part) || s >= UINT64_MAX / NSEC_PER_SEC)
		return false;
	for (size_t i = 0; i < digits; i++)
		scale /= 10;
	*ret_ns = s * NSEC_PER_SEC + part * scale;
	return true;
}

/* Period and event, which are the next tokens. */
static bool parse_event(const char *at, const char *end, struct perf_header *h)
{
	struct part p = next_token(&at, end);

	h->has_period = p.len && part_number(p, &h->period);
	if (h->has_period)
		p = next_token(&at, end);
	h->record = !h->has_period && part_begins(p, RECORD);
	if (!h->record && (p.len < 2 || p.s[p.len - 1] != ':'))
		return false;
	while (p.len > 1 && p.s[p.len - 1] == ':')
		p.len--;
	h->event = p;
	h->rest = (struct part){ .s = at, .len = (size_t)(end - at) };
	return true;
}

/* The letters of -F misc. */
static bool are_letters(struct part p)
{
	for (size_t i = 0; i < p.len; i++)
		if (!isalpha((unsigned char)p.s[i]))
			return false;
	return p.len && p.len <= 3;
}

/* Flags stand between CPU and time: letters, or "d..h." of a tracer. P, which ends at AT, is them. */
static bool is_flags(struct part p, bool cpu, const char *at, const char *end)
{
	const char *behind = at;
	const struct part q = next_token(&behind, end);
	uint64_t ns, number;

	if (!p.len || p.s[p.len - 1] == ':' || part_number(p, &number) || !(cpu || are_letters(p)))
		return false;
	return (q.len && parse_stamp(q, &ns)) || (cpu && are_letters(p));
}

/* CPU, flags and time: one of CPU and time must be there. Returns what follows, NULL when they are not. */
static const char *parse_when(const char *at, const char *end, struct perf_header *h)
{
	const char *before = at;
	struct part p = next_token(&at, end);
	uint64_t number;
	const bool cpu = parse_cpu(p, &number);

	if (cpu) {
		before = at;
		p = next_token(&at, end);
	}
	if (is_flags(p, cpu, at, end)) {
		before = at;
		p = next_token(&at, end);
	}
	h->has_time = p.len && parse_stamp(p, &h->time_ns);
	return h->has_time ? at : cpu ? before : NULL;
}

/* From the end of the LEN bytes at S on: event, period, time, CPU and thread. Returns whether they are all there. */
static bool parse_from_end(const char *s, size_t len, struct perf_header *h, uint64_t *ret_cpu)
{
	const char *end = s + len;
	struct part event = last_token(s, &end);
	const struct part period = last_token(s, &end), stamp = last_token(s, &end), cpu = last_token(s, &end);
	const struct part ids = last_token(s, &end);

	if (!ids.len || event.s[event.len - 1] != ':')
		return false;
	event.len--;
	h->event = event;
	h->rest = (struct part){ .s = s + len };
	h->has_period = h->has_time = true;
	return part_number(period, &h->period) && parse_stamp(stamp, &h->time_ns) &&
	       parse_cpu(cpu, ret_cpu) && parse_ids(ids, h);
}

/*
 * As export/perfscript.c writes it: all but the name is told from the end, and written again it
 * must be the same. So whatever stands before that is the name.
 */
static bool parse_own(const char *s, size_t len, struct perf_header *h)
{
	char text[PERF_SAMPLE_BYTES];
	unsigned int kind;
	uint64_t cpu;
	size_t n;

	if (!len || s[len - 1] != ':' || !parse_from_end(s, len, h, &cpu))
		return false;
	kind = perf_name_kind(h->event.s, h->event.len);
	if (!kind)
		return false;
	n = (size_t)snprintf(text, sizeof(text), PERF_SAMPLE_FORMAT, (int)h->pid, (int)h->tid, (uint32_t)cpu,
			     (uint64_t)(h->time_ns / NSEC_PER_SEC),
			     (uint64_t)(h->time_ns % NSEC_PER_SEC / 1000), h->period, perf_name(kind));
	if (n > len || memcmp(s + len - n, text, n))
		return false;
	h->comm = (struct part){ .s = s, .len = len - n };
	return true;
}

/* ":TID" is what a thread is called that has no name. */
static void forget_stand_in(struct perf_header *h)
{
	char text[16];

	snprintf(text, sizeof(text), ":%d", (int)h->tid);
	if (part_is(h->comm, text))
		h->comm.len = 0;
}

/* A name may hold blanks and numbers: the ids of the thread are what CPU or time comes after. */
static bool parse_any(const char *s, size_t len, struct perf_header *h)
{
	const char *at = s, *end = s + len, *begin;

	while (at < end && perfline_blank(*at))
		at++;
	begin = at;
	while (at < end) {
		const char *comm_end = at, *behind;
		const struct part p = next_token(&at, end);

		if (!parse_ids(p, h))
			continue;
		behind = parse_when(at, end, h);
		if (!behind || !parse_event(behind, end, h))
			continue;
		while (comm_end > begin && perfline_blank(comm_end[-1]))
			comm_end--;
		h->comm = (struct part){ .s = begin, .len = (size_t)(comm_end - begin) };
		return true;
	}
	return false;
}

/* "PERF_RECORD_FINISHED_ROUND", which is of no thread and no time. */
static bool parse_bare_record(const char *s, size_t len, struct perf_header *h)
{
	const char *at = s;

	h->event = next_token(&at, s + len);
	h->rest = (struct part){ .s = at, .len = (size_t)(s + len - at) };
	h->record = part_begins(h->event, RECORD);
	return h->record;
}

bool perf_line_header(const char *s, size_t len, struct perf_header *ret)
{
	struct perf_header own = { 0 }, any = { 0 }, bare = { 0 };

	if (parse_own(s, len, &own)) {
		forget_stand_in(&own);
		*ret = own;
		return true;
	}
	if (parse_any(s, len, &any)) {
		*ret = any;
		return true;
	}
	if (!parse_bare_record(s, len, &bare))
		return false;
	*ret = bare;
	return true;
}

/* The length of the LEN bytes at S without the offset at their end, "+0x1c". */
static size_t without_offset(const char *s, size_t len)
{
	size_t at = len;

	while (at && isxdigit((unsigned char)s[at - 1]))
		at--;
	return at < len && at >= 3 && !memcmp(s + at - 3, "+0x", 3) ? at - 3 : len;
}

/*
 * Where the file begins, with its parenthesis, that ends P; NULL when there is none. Both names and
 * paths may hold " (". Behind an offset a file begins; else what begins with a slash is one; else
 * the last parenthesis is it.
 */
static const char *perfline_file_of(struct part p)
{
	const char *slash;
	size_t last = 0;

	if (!p.len || p.s[p.len - 1] != ')')
		return NULL;
	for (size_t i = p.len - 1; i > 1; i--) {
		if (p.s[i - 1] != '(' || p.s[i - 2] != ' ')
			continue;
		if (without_offset(p.s, i - 2) < i - 2)
			return p.s + i - 1;
		last = last ? last : i;
	}
	if (part_begins(p, "[unknown] ("))
		return p.s + strlen("[unknown] ");
	slash = memmem(p.s, p.len, " (/", 3);
	if (slash)
		return slash + 1;
	return last ? p.s + last - 1 : p.s[0] == '(' ? p.s : NULL;
}

/* Whether all parentheses of P that open also close: otherwise it was cut off in one, such as "(/opt/App (x86)". */
static bool perfline_balanced(struct part p)
{
	size_t open = 0;

	for (size_t i = 0; i < p.len; i++) {
		if (p.s[i] == '(')
			open++;
		else if (p.s[i] == ')' && open)
			open--;
	}
	return !open;
}

/* Divides P, which is a function and its file, for F. */
static void parse_place(struct part p, struct perf_frame *f)
{
	const char *file = perfline_file_of(p);
	size_t plain;

	f->symbol = p;
	if (file) {
		f->dso = (struct part){ .s = file + 1, .len = (size_t)(p.s + p.len - file) - 2 };
		f->symbol.len = (size_t)(file - p.s);
		f->inlined = f->dso.len == 7 && part_begins(f->dso, "inlined");
		f->whole = perfline_balanced(f->dso);
		f->symbol.len -= f->symbol.len && perfline_blank(f->symbol.s[f->symbol.len - 1]);
	}
	plain = without_offset(f->symbol.s, f->symbol.len);
	if (plain < f->symbol.len) {
		f->symbol.len = plain;
		return;
	}
	while (f->symbol.len && perfline_blank(f->symbol.s[f->symbol.len - 1]))
		f->symbol.len--;
}

/* Columns that perf gives an address: what is written so has one blank behind it, and others belong to the name. */
#define ADDRESS_COLUMNS 16

bool perf_line_frame(const char *s, size_t len, struct perf_frame *ret)
{
	const char *at = s, *end = s + len;
	struct perf_frame f = { .dso = { .s = "" } };    /* searched through, also when there is none */
	uint64_t ip;
	bool exact;

	while (at < end && perfline_blank(*at))
		at++;
	if (at == end || !parse_hex(&at, end, &ip) || (at < end && !perfline_blank(*at)))
		return false;
	exact = s[0] == '\t' && at - s == 1 + ADDRESS_COLUMNS && end[-1] == ')';
	if (exact)
		at++;
	while (!exact && at < end && perfline_blank(*at))
		at++;
	parse_place((struct part){ .s = at, .len = (size_t)(end - at) }, &f);
	if (!f.symbol.len)
		f.symbol = (struct part){ .s = "[unknown]", .len = strlen("[unknown]") };
	f.ip = ip;
	f.kernel = ip >> 63 || part_begins(f.dso, "[kernel") || part_begins(f.dso, "[guest.kernel");
	*ret = f;
	return true;
}

/* Whether what stands from AT to END is a period, or none, and an event, and then nothing or a frame. */
static bool is_event(const char *at, const char *end)
{
	struct perf_header h;
	struct perf_frame f;

	if (!parse_event(at, end, &h) || h.record)
		return false;
	at = h.rest.s;
	return !next_token(&at, end).len || (perf_line_frame(h.rest.s, h.rest.len, &f) && f.whole);
}

const char *perf_line_lacks(const char *s, size_t len)
{
	const char *end = s + len;
	struct perf_header h;

	for (const char *at = s; at < end;) {
		const char *before = at, *behind = parse_when(before, end, &h);
		const struct part p = next_token(&at, end);

		if (behind && is_event(behind, end))
			return "tid";
		if (!parse_ids(p, &h))
			continue;
		behind = parse_when(at, end, &h);
		if (behind && next_token(&behind, end).len)
			return "event";
		if (!behind && is_event(at, end))
			return "time";
	}
	return NULL;
}
