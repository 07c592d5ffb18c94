/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * read_folded.c - reads folded stacks, "comm;main;work_[i];do_syscall_64_[k] 42": what runs first,
 * then frames as they are called, then how much of it there was.
 *
 * The number is what the file counts; nobody says whether that is samples or microseconds. It is
 * kept with three decimals (UNIT_OWN of model/measure.h). A name that ends in "_[i]" was inlined
 * into the frame before it: with that it is one frame, a *run*. Where there is none before it the
 * suffix stays a part of the name. Any line can be written as it was. Lines that all end in two
 * numbers are a difference of two profiles, and no profile.
 *
 * Lines are most often sorted. So the stacks of the line before are remembered, and a line is only
 * looked at from where it differs.
 */
#include "config.h"

#include "base/parse.h"
#include "import/import_state.h"
#include "model/event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WANTED "a folded stack such as 'app;main;work 42'"
#define SUFFIX_LEN 4u            /* of "_[k]" */
#define DEEPER_THAN_GROUPS 3u    /* names behind the first: there are a node, a process and a thread at most */

/* Where a run of the line before ended, and its stack. */
struct known {
	size_t end;              /* first byte behind it: ";" or the end of the stack */
	stack_id stack;
};

struct folded {
	struct import_state *r;
	module_id user, kernel, jit;
	VEC(char) before;        /* the stack of the line before */
	size_t common;           /* bytes that it begins with as this one does */
	VEC(struct known) known; /* of its runs; the first is what runs, with STACK_ROOT */
	thread_id thread;
	struct sink_name run[SINK_RUN_MAX];
	uint64_t lines, two_numbers;     /* that are stacks; of these, how many of the first end in two numbers */
	bool surely_two;         /* if all do, the first of them is none of a process or thread */
};

/*
 * The letter of the suffix of the LEN bytes at S, "_[k]", when it is one of ours and something
 * stands before it; else 0.
 */
static char suffix_of(const char *s, size_t len)
{
	const char *at;

	if (len <= SUFFIX_LEN)
		return 0;
	at = s + len - SUFFIX_LEN;
	if (at[0] != '_' || at[1] != '[' || at[3] != ']')
		return 0;
	return at[2] == 'k' || at[2] == 'i' || at[2] == 'j' ? at[2] : 0;
}

/* How long the name at S is, which ends at ";" or END. */
static size_t read_folded_name_len(const char *s, const char *end)
{
	const char *semicolon = memchr(s, ';', (size_t)(end - s));

	return (size_t)((semicolon ? semicolon : end) - s);
}

static struct sink_name read_folded_plain_name(const char *s, size_t len)
{
	return (struct sink_name){ .text = s, .len = len, .kind = FUNC_USER };
}

/* Begins a run with the LEN bytes at S. Returns its module. */
static module_id begin_run(struct folded *f, const char *s, size_t len)
{
	const char suffix = suffix_of(s, len);

	f->run[0] = read_folded_plain_name(s, len);
	if (suffix != 'k' && suffix != 'j')
		return f->user;
	f->run[0].len -= SUFFIX_LEN;
	f->run[0].kind = suffix == 'k' ? FUNC_KERNEL : FUNC_JIT;
	return suffix == 'k' ? f->kernel : f->jit;
}

/* Adds the run that begins at S to *STACK, and returns its end; NULL when out of memory. */
static const char *take_run(struct folded *f, const char *s, const char *end, stack_id *stack)
{
	const char *at = s;
	size_t len = read_folded_name_len(at, end), n = 1;
	const module_id module = begin_run(f, at, len);
	frame_id frame;

	for (at += len; at < end && n < SINK_RUN_MAX; at += 1 + len) {
		len = read_folded_name_len(at + 1, end);
		if (suffix_of(at + 1, len) != 'i')
			break;
		f->run[n++] = read_folded_plain_name(at + 1, len - SUFFIX_LEN);
	}
	frame = sink_frame(&f->r->sink, module, n > 1 ? s : f->run[0].text,
			   n > 1 ? (size_t)(at - s) : f->run[0].len, f->run, n);
	if (frame != ID_NONE)
		*stack = dict_stack(f->r->sink.dict, *stack, frame);
	return frame == ID_NONE || *stack == ID_NONE ? NULL : at;
}

static size_t common_bytes(const struct folded *f, const char *s, size_t len)
{
	const size_t most = len < f->before.n ? len : f->before.n;
	size_t i = 0;

	while (most - i >= 64 && !memcmp(f->before.v + i, s + i, 64))
		i += 64;
	while (i < most && f->before.v[i] == s[i])
		i++;
	return i;
}

/* Forgets the runs of the line before that are not those of the LEN bytes at S, too. */
static void keep_common(struct folded *f, const char *s, size_t len)
{
	const size_t common = common_bytes(f, s, len);

	f->common = common;
	while (f->known.n) {
		const size_t end = f->known.v[f->known.n - 1].end;

		/* A run may go on in this line: it ends before a name that is not inlined, or with the line. */
		if (end <= common && (end == len || (s[end] == ';' &&
		    (f->known.n == 1 || suffix_of(s + end + 1, read_folded_name_len(s + end + 1, s + len)) != 'i'))))
			return;
		f->known.n--;
	}
}

static bool read_folded_remember(struct folded *f, size_t end, stack_id stack)
{
	struct known *k = vec_push(&f->known);

	if (k)
		*k = (struct known){ .end = end, .stack = stack };
	return k;
}

static bool remember_line(struct folded *f, const char *s, size_t len)
{
	f->before.n = f->common;
	if (!vec_reserve(&f->before, len - f->common))
		return false;
	memcpy(f->before.v + f->common, s + f->common, len - f->common);
	f->before.n = len;
	return true;
}

/* The stack that the LEN bytes at S are; f->thread is what runs it. ID_NONE when out of memory. */
static stack_id read_folded_take_stack(struct folded *f, const char *s, size_t len)
{
	const char *at, *end = s + len;
	stack_id stack;

	keep_common(f, s, len);
	if (!f->known.n) {
		const size_t comm = read_folded_name_len(s, end);

		f->thread = sink_thread(&f->r->sink, 0, 0, s, comm);
		if (f->thread == ID_NONE || !read_folded_remember(f, comm, STACK_ROOT))
			return ID_NONE;
	}
	at = s + f->known.v[f->known.n - 1].end;
	stack = f->known.v[f->known.n - 1].stack;
	while (at < end) {
		at = take_run(f, at + 1, end, &stack);
		if (!at || !read_folded_remember(f, (size_t)(at - s), stack))
			return ID_NONE;
	}
	return remember_line(f, s, len) ? stack : ID_NONE;
}

/*
 * The number from AT to END, with decimals if need be, as weight and as a whole number. False when
 * it is none, or too large to be counted.
 */
static bool read_folded_take_number(struct folded *f, const char *at, const char *end, uint64_t *ret_ns,
				    uint64_t *ret_count)
{
	uint64_t whole, part = 0;
	unsigned int digits = 0;

	if (!parse_dec(&at, end, &whole) || whole > UINT64_MAX / sink_one() - 1)
		return false;
	if (at < end && *at == '.') {
		for (at++; at < end && *at >= '0' && *at <= '9'; at++, digits++)
			part = digits < 3 ? 10 * part + (uint64_t)(*at - '0') : part;
		for (; digits < 3; digits++)
			part *= 10;
		f->r->rounded += part || digits > 3;
	}
	*ret_ns = whole * sink_one() + part;
	*ret_count = whole;
	return at == end;
}

/* How much of the LEN bytes at S has no more names than a tree has levels. */
static size_t deep_enough(struct folded *f, const char *s, size_t len)
{
	size_t names = 0;

	for (size_t i = 0; len > SINK_DEPTH_MAX && i < len; i++) {
		names += s[i] == ';';
		if (names > SINK_DEPTH_MAX) {
			f->r->sink.deep++;
			return i;
		}
	}
	return len;
}

/* The LEN bytes at S without a number at their end and the blank before it; LEN when there is none. */
static size_t without_number(struct folded *f, const char *s, size_t len)
{
	uint64_t ns, count;
	size_t at = len;

	while (at && s[at - 1] != ' ' && s[at - 1] != ';')
		at--;
	return at > 1 && s[at - 1] == ' ' && read_folded_take_number(f, s + at, s + len, &ns, &count) ? at - 1 : len;
}

/* Looks whether the stack of LEN bytes at S ends in a number, as if there were two. */
static void look_for_two(struct folded *f, const char *s, size_t len)
{
	const uint64_t rounded = f->r->rounded;
	const size_t group = read_folded_name_len(s, s + len);
	size_t deeper = 0;

	f->lines++;
	if (f->two_numbers + 1 == f->lines && without_number(f, s, len) < len)
		f->two_numbers++;
	for (size_t at = group; !f->surely_two && at < len; at += 1 + read_folded_name_len(s + at + 1, s + len))
		deeper++;
	f->surely_two |= deeper >= DEEPER_THAN_GROUPS || (deeper && without_number(f, s, group) == group);
	f->r->rounded = rounded;
}

/*
 * When all lines end in two numbers it is a difference. Where samples have no stacks the first may
 * also be the number of a process or thread: but then the names before it are groups, and the
 * outermost of these has a number too.
 */
static int judge_two(struct folded *f, struct err *e)
{
	struct import_state *r = f->r;

	if (!f->lines || f->two_numbers < f->lines)
		return 0;
	if (f->surely_two)
		return err_set(e, EBADMSG, "%s is a difference, as `sberf diff --format folded` writes it: each line "
			       "ends in two numbers, before "
			       "and after; keep one of them, or draw both with flamegraph.pl", r->lines.name);
	import_state_note(r, "each line ends in two numbers: if it is a difference, the first is read as "
			  "part of a name");
	return 0;
}

static int read_folded_take_line(struct folded *f, const char *s, size_t len, struct err *e)
{
	struct sink *sink = &f->r->sink;
	uint64_t ns, count;
	stack_id stack;
	size_t at;

	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		len--;
	for (at = len; at && s[at - 1] != ' ' && s[at - 1] != '\t'; at--)
		;
	if (!len || (s[0] == '#' && !at))
		return 0;
	if (at < 2 || !read_folded_take_number(f, s + at, s + len, &ns, &count))
		return s[0] == '#' ? 0 : import_state_refuse(f->r, s, WANTED, e);
	if (!sink_weighs(sink, ns))
		return err_set(e, EOVERFLOW, "the numbers of %s add up to more than can be counted, at line %llu",
			       f->r->lines.name, (unsigned long long)f->r->lines.nr);
	look_for_two(f, s, at - 1);
	stack = read_folded_take_stack(f, s, deep_enough(f, s, at - 1));
	return sink_add(sink, EVENT_COUNTED, 0, f->thread, stack, ns, count, e);
}

static int read_folded_take_lines(struct folded *f, struct err *e)
{
	size_t len;
	char *s;
	int r;

	while ((r = lines_next(&f->r->lines, &s, &len, e)) > 0 && !sink_full(&f->r->sink)) {
		r = read_folded_take_line(f, s, len, e);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : judge_two(f, e);
}

int import_folded(struct import_state *r, struct err *e)
{
	struct folded f = {
		.r = r, .user = sink_module(&r->sink, MODULE_FILE, "", 0),
			.kernel = sink_module(&r->sink, MODULE_KERNEL, "", 0),
		.jit = sink_module(&r->sink, MODULE_ANON, "", 0),
	};
	int rc;

	if (f.user == ID_NONE || f.kernel == ID_NONE || f.jit == ID_NONE)
		return err_nomem(e, "the profile of an import");
	strcpy(r->sink.meta->unit, "weight");
	rc = read_folded_take_lines(&f, e);
	vec_free(&f.before);
	vec_free(&f.known);
	return rc;
}
