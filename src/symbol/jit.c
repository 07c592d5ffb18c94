/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * jit.c - entries in the order they were told, then sorted by address; a search looks at all that
 * cover the address and takes the latest. Overlaps are rare (code that was thrown away and
 * replaced), so that is one or two.
 */
#include "config.h"

#include "symbol/jit.h"

#include "base/hash.h"
#include "base/parse.h"
#include "base/vec.h"
#include "symbol/jitdump.h"
#include "symbol/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ENTRIES_MAX (4u << 20)
#define NAMES_MAX (1u << 30)
#define NAME_MAX_LEN 65535u             /* of functions of files, too (elfsyms.c) */
#define NONE UINT32_MAX

struct jit_syms {
	spans span;                  /* value = entry: the later it was told, the greater */
	VEC(uint32_t) entry;         /* its name, an offset in text */
	VEC(char) text;
	size_t refused;
};

#define BODY_MAX (sizeof(struct jitdump_load) + NAME_MAX_LEN + 1)        /* of a record: a function and its name */

/* Appends a name; NONE when it does not fit. */
static uint32_t jit_add_name(struct jit_syms *j, const char *name, size_t len)
{
	const size_t at = j->text.n;

	if (!len || len > NAME_MAX_LEN || at + len + 1 > NAMES_MAX || !vec_reserve(&j->text, len + 1))
		return NONE;
	memcpy(j->text.v + at, name, len);
	j->text.v[at + len] = '\0';
	j->text.n += len + 1;
	return (uint32_t)at;
}

/* Adds a function called by the text at NAME; false (and counted) when it makes no sense. */
static bool add_entry(struct jit_syms *j, uint64_t start, uint64_t size, uint32_t name)
{
	if (name == NONE || !size || size > UINT64_MAX - start || j->entry.n >= ENTRIES_MAX ||
	    !vec_reserve(&j->entry, 1) || !spans_add(&j->span, start, start + size, (uint32_t)j->entry.n)) {
		j->refused++;
		return false;
	}
	j->entry.v[j->entry.n++] = name;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* A number, as strtoull() reads it for perf: blanks and "0x" may stand before it. */
static bool jit_take_number(const char **p, const char *end, uint64_t *ret)
{
	while (*p < end && is_blank(**p))
		(*p)++;
	if (end - *p >= 2 && (*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X'))
		*p += 2;
	return parse_hex(p, end, ret);
}

/* The one blank that ends a number; more of them belong to what follows. */
static bool take_blank(const char **p, const char *end)
{
	return *p < end && is_blank(*(*p)++);
}

static void parse_map_line(struct jit_syms *j, const char *p, const char *end)
{
	uint64_t start, size;

	if (jit_take_number(&p, end, &start) && take_blank(&p, end) && jit_take_number(&p, end, &size) &&
	    take_blank(&p, end))
		add_entry(j, start, size, jit_add_name(j, p, strnlen(p, (size_t)(end - p))));
	else
		j->refused++;
}

/* Lines that end; what stands behind the last newline is still being written. */
static void parse_map(struct jit_syms *j, const char *text, size_t len)
{
	const char *p = text, *end = text + len, *nl;

	while (p < end && (nl = memchr(p, '\n', (size_t)(end - p)))) {
		if (nl > p)
			parse_map_line(j, p, nl);
		p = nl + 1;
	}
}

/* Where the function of each code index is now, for moves. */
struct place {
	uint64_t index;
	uint32_t entry;
};

struct places {
	struct hidx hash;            /* of index; id = position in v */
	VEC(struct place) known;
};

static uint64_t rehash_place(const void *ctx, uint32_t id)
{
	const struct places *p = ctx;

	return hash_u64(p->known.v[id].index);
}

static struct place *find_place(const struct places *p, uint64_t index)
{
	const uint64_t h = hash_u64(index);
	uint32_t id;

	hidx_each(&p->hash, h, id)
		if (p->known.v[id].index == index)
			return &p->known.v[id];
	return NULL;
}

/* The function with INDEX is the entry that was just added. False when out of memory. */
static bool jit_set_place(struct places *p, const struct jit_syms *j, uint64_t index)
{
	const struct place now = { .index = index, .entry = (uint32_t)(j->entry.n - 1) };
	struct place *have = find_place(p, index);

	if (have) {
		*have = now;
		return true;
	}
	have = vec_push(&p->known);
	if (!have)
		return false;
	*have = now;
	return hidx_add(&p->hash, hash_u64(index), (uint32_t)(p->known.n - 1), rehash_place, p);
}

/* BODY holds the first LEN bytes behind the record's header. False when out of memory. */
static bool parse_load(struct jit_syms *j, struct places *p, const uint8_t *body, size_t len)
{
	struct jitdump_load load;
	const char *name;

	if (len <= sizeof(load) || !memchr(body + sizeof(load), '\0', len - sizeof(load))) {
		j->refused++;
		return true;
	}
	name = (const char *)body + sizeof(load);
	memcpy(&load, body, sizeof(load));
	if (!add_entry(j, load.code_addr, load.code_size, jit_add_name(j, name, strlen(name))))
		return true;
	return jit_set_place(p, j, load.code_index);
}

static bool parse_move(struct jit_syms *j, struct places *p, const uint8_t *body, size_t len)
{
	const struct place *from = NULL;
	struct jitdump_move move;

	if (len >= sizeof(move)) {
		memcpy(&move, body, sizeof(move));
		from = find_place(p, move.code_index);
	}
	if (!from) {
		j->refused++;
		return true;
	}
	if (!add_entry(j, move.new_addr, move.code_size, j->entry.v[from->entry]))
		return true;
	return jit_set_place(p, j, move.code_index);
}

struct reading {
	struct jit_syms *j;
	struct places places;
	const uint8_t *body;
};

static bool jit_take_record(void *ctx, uint32_t id, size_t len)
{
	struct reading *r = ctx;

	return (id == JITDUMP_LOAD ? parse_load : parse_move)(r->j, &r->places, r->body, len);
}

static int parse_jitdump(struct jit_syms *j, const struct jit_input *in, struct err *e)
{
	AUTO_FREE uint8_t *body = malloc(BODY_MAX);
	struct reading r = { .j = j, .body = body };
	const struct jitdump_visitor v = { .ids = 1u << JITDUMP_LOAD | 1u << JITDUMP_MOVE, .body = body,
					   .body_max = BODY_MAX, .record = jit_take_record, .ctx = &r };
	bool refused = false;
	uint32_t machine;
	const bool ok = body && jitdump_each(in, &v, &machine, &refused);

	j->refused += refused;
	hidx_free(&r.places.hash);
	vec_free(&r.places.known);
	return ok ? 0 : err_nomem(e, "functions of a jitdump file");
}

static int parse_input(const struct jit_input *in, struct jit_syms **ret, struct err *e)
{
	AUTO(jit_syms_free) struct jit_syms *j = calloc(1, sizeof(*j));
	AUTO_FREE char *text = NULL;
	int rc;

	if (!j)
		return err_nomem(e, "functions of a perf map");
	if (jitdump_is(in)) {
		rc = parse_jitdump(j, in, e);
		if (rc)
			return rc;
	} else {
		if (in->size > JIT_FILE_MAX)
			return err_set(e, EFBIG, "a perf map of more than %u MiB", JIT_FILE_MAX >> 20);
		text = malloc(in->size + 1);
		if (!text)
			return err_nomem(e, "functions of a perf map");
		parse_map(j, text, jit_input_read(in, 0, text, in->size));
	}
	spans_seal(&j->span);
	*ret = take_ptr(j);
	return 0;
}

int jit_syms_parse(const void *data, size_t len, struct jit_syms **ret, struct err *e)
{
	return parse_input(&(struct jit_input){ .fd = -1, .mem = data, .size = len }, ret, e);
}

int jit_syms_read(int fd, struct jit_syms **ret, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(e, errno, "cannot look at a perf map: %s", strerror(errno));
	return parse_input(&(struct jit_input){ .fd = fd, .size = (uint64_t)st.st_size }, ret, e);
}

void jit_syms_free(struct jit_syms *j)
{
	if (!j)
		return;
	vec_free(&j->span);
	vec_free(&j->entry);
	vec_free(&j->text);
	free(j);
}

bool jit_syms_find(const struct jit_syms *j, uint64_t addr, struct jit_sym *ret)
{
	const struct span *at = spans_find_last(&j->span, addr);

	if (at)
		*ret = (struct jit_sym){ .start = at->start, .size = at->end - at->start,
					 .name = j->text.v + j->entry.v[at->value] };
	return at;
}

size_t jit_syms_count(const struct jit_syms *j)
{
	return j->entry.n;
}

size_t jit_syms_refused(const struct jit_syms *j)
{
	return j->refused;
}
