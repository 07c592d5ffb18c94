/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * read_heaptrack.c - reads what heaptrack 1.4 writes: each allocation and each free of a program, as text.
 *
 * A line is a letter and hexadecimal numbers. All but strings count from 1, and 0 is none; sizes count
 * from 0:
 *
 *	v VERSION FORMAT                        the first line; FORMAT is 3
 *	X COMMAND                               what was run
 *	s LENGTH TEXT                           the next string
 *	i ADDRESS MODULE [FUNCTION FILE LINE].. the next place in code: what was inlined there comes first
 *	t PLACE CALLER                          the next stack: CALLER is the stack that called PLACE
 *	a SIZE STACK                            the next kind of allocations
 *	+ KIND, - KIND                          one was allocated, or freed
 *	c MS                                    the time since the start
 *
 * Lines with # are comments. A free does not say which block of its kind it frees: it is taken to be the
 * one that was allocated last, which keeps lives of a moment apart from what stays. Nothing says which
 * thread allocated.
 */
#include "config.h"

#include "base/clock.h"
#include "base/parse.h"
#include "base/text.h"
#include "import/import_state.h"
#include "memory/blocks.h"
#include "model/event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WANTED "a line of heaptrack such as '+ 2a'"
#define FORMAT_READ 3u
#define BLOCKS_MAX (1u << 22)            /* living ones, of about 90 bytes each */
#define NOBODY 0u
#define TRIPLE 3u                        /* of a function: its name, its file, its line */

struct heaptrack_text {
	size_t at, len;                  /* in texts */
};

/* Where code was; a stack is that of its frames, and how many these are. */
struct heaptrack_stack {
	stack_id stack;
	uint32_t depth;
};

/* Allocations of one size from one stack. */
struct heaptrack_kind {
	uint64_t size;
	stack_id stack;
	uint32_t last;                   /* block that was allocated last of those that live; NOBODY */
};

struct heaptrack {
	struct import_state *r;
	VEC(char) texts;
	VEC(struct heaptrack_text) string;
	VEC(frame_id) place;
	VEC(struct heaptrack_stack) stack;
	VEC(struct heaptrack_kind) kind;
	VEC(uint32_t) before;            /* by block, + 1: the one of its kind before it, or the next free one */
	uint32_t free;                   /* first of the blocks that are not in use; NOBODY */
	VEC(char) joined;                /* names of one place */
	struct sink_name name[SINK_RUN_MAX];
	struct blocks *blocks;
	thread_id thread;
	uint64_t ms;
	uint64_t frees_of_none, unknown; /* frees of what does not live; lines that are not known */
	const char *line, *at, *end;     /* the line, where it is read on, and its end */
	const struct err *failed;        /* telling an event failed: with this */
	struct err err;
};

/* The next number of the line; false when there is none. */
static bool heaptrack_number(struct heaptrack *h, uint64_t *ret)
{
	while (h->at < h->end && *h->at == ' ')
		h->at++;
	return parse_hex(&h->at, h->end, ret);
}

static const char *heaptrack_string(const struct heaptrack *h, uint64_t nr, size_t *ret_len)
{
	if (!nr || nr > h->string.n) {
		*ret_len = 0;
		return "";
	}
	*ret_len = h->string.v[nr - 1].len;
	return h->texts.v + h->string.v[nr - 1].at;
}

/* Takes event EV of a block into the profile. */
static void heaptrack_tell(void *ctx, const struct event *ev)
{
	struct heaptrack *h = ctx;

	if (!h->failed && sink_add_block(&h->r->sink, ev, &h->err) < 0)
		h->failed = &h->err;
}

/* 0; or the line is not of its kind: as import_state_refuse(). */
static int heaptrack_refuse(struct heaptrack *h, struct err *e)
{
	return import_state_refuse(h->r, h->line, WANTED, e);
}

static int heaptrack_take_version(struct heaptrack *h, struct err *e)
{
	uint64_t version, format;

	if (!heaptrack_number(h, &version) || !heaptrack_number(h, &format))
		return heaptrack_refuse(h, e);
	if (format != FORMAT_READ)
		return err_set(e, EOPNOTSUPP, "%s has format %" PRIu64 " of heaptrack, and sberf reads format %u, of "
			       "heaptrack 1.4: record it again with that, or look at it with heaptrack_print",
			       h->r->lines.name, format, FORMAT_READ);
	return 0;
}

/* Its program is what ran. */
static int heaptrack_take_command(struct heaptrack *h, struct err *e)
{
	const char *at = h->at, *end = h->end, *blank, *base;

	while (at < end && *at == ' ')
		at++;
	text_sanitise(h->r->sink.meta->target, sizeof(h->r->sink.meta->target), at, (size_t)(end - at));
	blank = memchr(at, ' ', (size_t)(end - at));
	end = blank ? blank : end;
	base = memrchr(at, '/', (size_t)(end - at));
	at = base ? base + 1 : at;
	h->thread = sink_thread(&h->r->sink, 0, 0, at, (size_t)(end - at));
	return h->thread == ID_NONE ? err_nomem(e, "the profile of an import") : 0;
}

static int heaptrack_take_string(struct heaptrack *h, struct err *e)
{
	uint64_t len;
	struct heaptrack_text *t;

	if (!heaptrack_number(h, &len) || (len && (h->at == h->end || len > (uint64_t)(h->end - h->at - 1))))
		return heaptrack_refuse(h, e);
	t = vec_push(&h->string);
	if (!t || !vec_reserve(&h->texts, len + 1))
		return err_nomem(e, "the strings of an import");
	*t = (struct heaptrack_text){ h->texts.n, len };
	memcpy(h->texts.v + h->texts.n, len ? h->at + 1 : h->at, len);
	h->texts.n += len;
	return 0;
}

/* Adds NAME to what tells a place from others. */
static bool heaptrack_join(struct heaptrack *h, const struct sink_name *name)
{
	if (!vec_reserve(&h->joined, name->len + 1))
		return false;
	memcpy(h->joined.v + h->joined.n, name->text, name->len);
	h->joined.n += name->len;
	h->joined.v[h->joined.n++] = ';';
	return true;
}

/* The functions that the rest of the line has into h->name, outermost first; 0 = it has none. */
static size_t heaptrack_functions(struct heaptrack *h)
{
	uint64_t triple[TRIPLE];
	size_t n = 0;

	while (n < SINK_RUN_MAX && heaptrack_number(h, &triple[0])) {
		struct sink_name *name = &h->name[SINK_RUN_MAX - 1 - n];

		*name = (struct sink_name){ .kind = FUNC_USER };
		name->text = heaptrack_string(h, triple[0], &name->len);
		if (!name->len)
			break;
		n++;
		/* Of a function without line numbers nothing follows. */
		if (!heaptrack_number(h, &triple[1]) || !heaptrack_number(h, &triple[2]))
			break;
	}
	memmove(h->name, h->name + SINK_RUN_MAX - n, n * sizeof(h->name[0]));
	return n;
}

static int heaptrack_take_place(struct heaptrack *h, struct err *e)
{
	uint64_t address, module;
	char text[sizeof("0x") + 16];
	size_t path_len, n;
	const char *path;
	frame_id *slot;
	module_id m;
	bool ok = true;

	if (!heaptrack_number(h, &address) || !heaptrack_number(h, &module))
		return heaptrack_refuse(h, e);
	path = heaptrack_string(h, module, &path_len);
	m = sink_module(&h->r->sink, MODULE_FILE, path, path_len);
	n = heaptrack_functions(h);
	if (!n) {
		snprintf(text, sizeof(text), "0x%" PRIx64, address);
		h->name[n++] = (struct sink_name){ .text = text, .len = strlen(text), .kind = FUNC_USER };
	}
	h->joined.n = 0;
	for (size_t i = 0; i < n; i++)
		ok &= heaptrack_join(h, &h->name[i]);
	slot = vec_push(&h->place);
	if (!ok || !slot || m == ID_NONE)
		return err_nomem(e, "the profile of an import");
	*slot = sink_frame(&h->r->sink, m, n > 1 ? h->joined.v : h->name[0].text, n > 1 ? h->joined.n : h->name[0].len,
			   h->name, n);
	return *slot == ID_NONE ? err_nomem(e, "the profile of an import") : 0;
}

static int heaptrack_take_stack(struct heaptrack *h, struct err *e)
{
	struct heaptrack_stack caller = { .stack = STACK_ROOT }, *slot;
	uint64_t place, above;

	if (!heaptrack_number(h, &place) || !heaptrack_number(h, &above) || !place ||
	    place > h->place.n || above > h->stack.n)
		return heaptrack_refuse(h, e);
	if (above)
		caller = h->stack.v[above - 1];
	if (caller.depth < SINK_DEPTH_MAX) {
		caller.stack = dict_stack(h->r->sink.dict, caller.stack, h->place.v[place - 1]);
		caller.depth++;
	} else {
		h->r->sink.deep++;
	}
	slot = vec_push(&h->stack);
	if (!slot || caller.stack == ID_NONE)
		return err_nomem(e, "the profile of an import");
	*slot = caller;
	return 0;
}

static int heaptrack_take_kind(struct heaptrack *h, struct err *e)
{
	struct heaptrack_kind *slot;
	uint64_t size, stack;

	if (!heaptrack_number(h, &size) || !heaptrack_number(h, &stack) || stack > h->stack.n)
		return heaptrack_refuse(h, e);
	slot = vec_push(&h->kind);
	if (!slot)
		return err_nomem(e, "the profile of an import");
	*slot = (struct heaptrack_kind){ size, stack ? h->stack.v[stack - 1].stack : STACK_ROOT, NOBODY };
	return 0;
}

/* The kind that the line is about; NULL = there is none. */
static struct heaptrack_kind *heaptrack_kind_of(struct heaptrack *h)
{
	uint64_t nr;

	return heaptrack_number(h, &nr) && nr < h->kind.n ? &h->kind.v[nr] : NULL;
}

/* The number of a block that is not in use, which K's last one is from now on; NOBODY when out of memory. */
static uint32_t heaptrack_block(struct heaptrack *h, struct heaptrack_kind *k)
{
	uint32_t id = h->free;

	if (id != NOBODY) {
		h->free = h->before.v[id - 1];
	} else {
		if (h->before.n >= UINT32_MAX - 1 || !vec_reserve(&h->before, 1))
			return NOBODY;
		id = (uint32_t)++h->before.n;
	}
	h->before.v[id - 1] = k->last;
	k->last = id;
	return id;
}

static int heaptrack_take_allocation(struct heaptrack *h, struct err *e)
{
	struct heaptrack_kind *k = heaptrack_kind_of(h);
	struct block_begin b = { .process = 1, .interval = 1, .time_ns = h->ms * NSEC_PER_MSEC, .thread = h->thread,
				 .node = NODE_UNKNOWN, .cut_module = ID_NONE };

	if (!k)
		return heaptrack_refuse(h, e);
	if (!sink_weighs(&h->r->sink, k->size))
		return err_set(e, EOVERFLOW, "the sizes of %s add up to more than can be counted, at line %" PRIu64,
			       h->r->lines.name, h->r->lines.nr);
	b.addr = heaptrack_block(h, k);
	b.size = k->size;
	b.weight = (struct alloc_weight){ .bytes = k->size, .blocks = 1 };
	b.stack = k->stack;
	if (b.addr == NOBODY)
		return err_nomem(e, "the blocks of an import");
	blocks_begin(h->blocks, &b);
	h->r->sink.stacks++;
	return 0;
}

static int heaptrack_take_free(struct heaptrack *h, struct err *e)
{
	struct heaptrack_kind *k = heaptrack_kind_of(h);
	uint32_t id;

	if (!k)
		return heaptrack_refuse(h, e);
	id = k->last;
	if (id == NOBODY) {
		h->frees_of_none++;
		return 0;
	}
	k->last = h->before.v[id - 1];
	h->before.v[id - 1] = h->free;
	h->free = id;
	blocks_end(h->blocks, &(struct block_end){ .process = 1, .addr = id, .time_ns = h->ms * NSEC_PER_MSEC,
						   .thread = h->thread });
	return 0;
}

/* Times do not go back, and end before they could not be told in ns. */
static void heaptrack_take_time(struct heaptrack *h)
{
	uint64_t ms;

	if (heaptrack_number(h, &ms) && ms > h->ms && ms < INT64_MAX / NSEC_PER_MSEC)
		h->ms = ms;
}

static int heaptrack_take_line(struct heaptrack *h, const char *line, size_t len, struct err *e)
{
	h->line = line;
	h->at = line + (len > 0);
	h->end = line + len;
	if (h->r->lines.nr == 1 && *line != 'v')
		return import_state_refuse(h->r, line, "the beginning of a file of heaptrack, such as 'v 10400 3'", e);
	switch (len ? *line : '#') {
	case 'v':
		return heaptrack_take_version(h, e);
	case 'X':
		return heaptrack_take_command(h, e);
	case 's':
		return heaptrack_take_string(h, e);
	case 'i':
		return heaptrack_take_place(h, e);
	case 't':
		return heaptrack_take_stack(h, e);
	case 'a':
		return heaptrack_take_kind(h, e);
	case '+':
		return heaptrack_take_allocation(h, e);
	case '-':
		return heaptrack_take_free(h, e);
	case 'c':
		heaptrack_take_time(h);
		return 0;
	case 'm':
	case 'x':
		return err_set(e, EBADMSG, "%s is what heaptrack --raw writes, without names: put them in with "
			       "heaptrack --interpret %s", h->r->lines.name, h->r->lines.name);
	case 'I':
	case 'R':
	case '#':
		return 0;
	default:
		h->unknown++;
		return 0;
	}
}

static int heaptrack_take_lines(struct heaptrack *h, struct err *e)
{
	size_t len;
	char *s;
	int r;

	while ((r = lines_next(&h->r->lines, &s, &len, e)) > 0 && !sink_full(&h->r->sink) &&
	       h->texts.n <= IMPORT_NAMES_BYTES) {
		/* The last line may be a part of one. */
		if (h->r->lines.unfinished && *s != '#' && import_state_is_cut(h->r))
			break;
		r = heaptrack_take_line(h, s, len, e);
		if (r < 0)
			return r;
		if (h->failed)
			return err_set(e, ENOMEM, "%s", h->failed->text);
	}
	return r;
}

/* The program has ended: what lives stays in use, and what was when most was is known. */
static int heaptrack_end(struct heaptrack *h, struct err *e)
{
	struct profile_meta *m = h->r->sink.meta;
	struct blocks_figures f;

	blocks_process_over(h->blocks, 1, h->ms * NSEC_PER_MSEC);
	blocks_tell_in_use(h->blocks, h->ms * NSEC_PER_MSEC, 0, heaptrack_tell, h);
	blocks_figures(h->blocks, &f);
	m->duration_ns = h->ms * NSEC_PER_MSEC;
	m->mem_interval = 1;
	m->mem_told = f.told;
	m->mem_peak = f.peak;
	m->mem_dropped = f.dropped;
	if (f.dropped)
		import_state_note(h->r, "blocks that were not followed, as more than %u lived: %" PRIu64, BLOCKS_MAX,
				  f.dropped);
	if (h->frees_of_none)
		import_state_note(h->r, "frees of what was not allocated: %" PRIu64, h->frees_of_none);
	if (h->unknown)
		import_state_note(h->r, "lines that are not known, passed over: %" PRIu64, h->unknown);
	return h->failed ? err_set(e, ENOMEM, "%s", h->failed->text) : 0;
}

int import_heaptrack(struct import_state *r, struct err *e)
{
	struct heaptrack h = { .r = r, .thread = sink_thread(&r->sink, 0, 0, "", 0), .err = ERR_INIT };
	int rc;

	h.blocks = blocks_new(&(struct blocks_config){ .max = BLOCKS_MAX, .tell = heaptrack_tell, .ctx = &h });
	rc = h.blocks && h.thread != ID_NONE ? heaptrack_take_lines(&h, e) : err_nomem(e, "the profile of an import");
	if (rc >= 0)
		rc = heaptrack_end(&h, e);
	blocks_free(h.blocks);
	vec_free(&h.texts);
	vec_free(&h.string);
	vec_free(&h.place);
	vec_free(&h.stack);
	vec_free(&h.kind);
	vec_free(&h.before);
	vec_free(&h.joined);
	return rc;
}
