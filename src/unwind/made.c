/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * made.c - one small image for each function, as long as its rows are read: the same checks and the
 * same limits of time as for files.
 *
 * Rows begin at bytes of their function, so one that moves takes them along. The file belongs to
 * the watched program, so there are limits: of functions, of rows of all of them, of bytes of one,
 * and of the time that all rows take together.
 */
#include "config.h"

#include "unwind/made.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/vec.h"
#include "symbol/jitdump.h"
#include "symbol/spans.h"
#include "unwind/arch.h"
#include "unwind/image.h"
#include "unwind/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FUNCS_MAX (1u << 20)
#define ROWS_MAX (4u << 20)              /* 48 MB */
#define FUNC_ROWS_MAX 4096u              /* behind so many a function has none */
#define FUNC_BYTES_MAX (64u << 20)       /* a function of more is not believed */
#define TABLE_MAX (256u << 10)           /* bytes of .eh_frame of one function */
#define BUDGET_NS NSEC_PER_SEC           /* for all rows of a file: some 50,000 functions */

struct func {
	uint32_t row, nr;        /* NR 0 = nothing is said */
};

struct made_code {
	spans span;              /* value = func: the later it was told, the greater */
	VEC(struct func) func;
	VEC(struct rule_row) row;
	size_t refused;
};

/* Where the function of each code index is now, for moves. */
struct index_slot {
	uint64_t index;
	uint32_t func;
};

struct reading {
	struct made_code *m;
	uint8_t *body;           /* of a record; then of the call-frame information that was told last, */
	uint8_t *table;          /* which is here, */
	size_t table_len;        /* 0 = none */
	struct rule_row *room;   /* FUNC_ROWS_MAX */
	VEC(struct index_slot) known;
	struct hidx hash;        /* of index; id = position in known */
	uint64_t began_ns;
	uint32_t machine;        /* ELF e_machine of the code; 0 = not said */
	bool any;                /* some function has rows */
};

#define BODY_MAX (sizeof(struct jitdump_unwinding) + TABLE_MAX)

static uint64_t rehash_index(const void *ctx, uint32_t id)
{
	const struct reading *r = ctx;

	return hash_u64(r->known.v[id].index);
}

/* The function of the code INDEX; NULL when there is none. */
static struct index_slot *find_index(const struct reading *r, uint64_t index)
{
	const uint64_t h = hash_u64(index);
	uint32_t id;

	hidx_each(&r->hash, h, id)
		if (r->known.v[id].index == index)
			return &r->known.v[id];
	return NULL;
}

/* The function of the code INDEX is FUNC from now on. False when out of memory. */
static bool set_index(struct reading *r, uint64_t index, uint32_t func)
{
	struct index_slot *have = find_index(r, index);

	if (!have) {
		have = vec_push(&r->known);
		if (!have || !hidx_add(&r->hash, hash_u64(index), (uint32_t)(r->known.n - 1), rehash_index, r))
			return false;
	}
	*have = (struct index_slot){ index, func };
	return true;
}

/*
 * Adds the function of SIZE bytes at ADDR with the rows of F. False when out of memory; what makes
 * no sense is counted and left out.
 */
static bool made_add_func(struct reading *r, uint64_t addr, uint64_t size, uint64_t index, struct func f)
{
	struct made_code *m = r->m;

	if (!size || size > FUNC_BYTES_MAX || size > UINT64_MAX - addr || m->func.n >= FUNCS_MAX) {
		m->refused++;
		return true;
	}
	if (!vec_reserve(&m->func, 1) || !spans_add(&m->span, addr, addr + size, (uint32_t)m->func.n))
		return false;
	m->func.v[m->func.n++] = f;
	return set_index(r, index, (uint32_t)m->func.n - 1);
}

/* What only the complete evaluator can follow has none here: it asks libdw anew for each frame. */
static struct rule made_usable(struct rule rule)
{
	return rule.kind == RULE_SLOW ? (struct rule){ .kind = RULE_BAD } : rule;
}

/* The rows of a function of SIZE bytes, by the table that was told before it. None when that cannot be used. */
static struct func read_rows(struct reading *r, uint64_t size)
{
	struct func f = { .row = (uint32_t)r->m->row.n };
	AUTO(image_free) struct image *im = NULL;
	size_t n;

	if (!r->table_len || !size || size > FUNC_BYTES_MAX)
		return f;
	if (clock_mono_ns() - r->began_ns > BUDGET_NS ||
	    image_from_cfi(r->machine, size, r->table, r->table_len, &im, NULL)) {
		r->m->refused++;
		return f;
	}
	n = rows_of(im, 0, (uint32_t)size, r->room, FUNC_ROWS_MAX);
	if (r->m->row.n + n > ROWS_MAX || !vec_reserve(&r->m->row, n)) {
		r->m->refused++;
		return f;
	}
	for (size_t i = 0; i < n; i++)
		r->m->row.v[r->m->row.n++] = (struct rule_row){ r->room[i].at, made_usable(r->room[i].rule) };
	f.nr = (uint32_t)n;
	r->any = true;
	return f;
}

static bool take_load(struct reading *r, size_t len)
{
	struct jitdump_load load;
	struct func f;

	if (len < sizeof(load)) {
		r->m->refused++;
		return true;
	}
	memcpy(&load, r->body, sizeof(load));
	f = read_rows(r, load.code_size);
	r->table_len = 0;
	return made_add_func(r, load.code_addr, load.code_size, load.code_index, f);
}

static bool take_move(struct reading *r, size_t len)
{
	const struct index_slot *from = NULL;
	struct jitdump_move move;

	if (len >= sizeof(move)) {
		memcpy(&move, r->body, sizeof(move));
		from = find_index(r, move.code_index);
	}
	if (!from) {
		r->m->refused++;
		return true;
	}
	return made_add_func(r, move.new_addr, move.code_size, move.code_index, r->m->func.v[from->func]);
}

/* Keeps what is told of the next function. */
static void take_unwinding(struct reading *r, size_t len)
{
	struct jitdump_unwinding u;

	r->table_len = 0;
	if (len >= sizeof(u))
		memcpy(&u, r->body, sizeof(u));
	if (len < sizeof(u) || u.hdr_size > u.size || u.size - u.hdr_size > len - sizeof(u)) {
		r->m->refused++;
		return;
	}
	r->table_len = (size_t)(u.size - u.hdr_size);
	memcpy(r->table, r->body + sizeof(u), r->table_len);
}

static bool made_take_record(void *ctx, uint32_t id, size_t len)
{
	struct reading *r = ctx;

	if (id == JITDUMP_LOAD)
		return take_load(r, len);
	if (id == JITDUMP_MOVE)
		return take_move(r, len);
	take_unwinding(r, len);
	return true;
}

static int read_records(struct reading *r, const struct jit_input *in, struct err *e)
{
	const struct jitdump_visitor v = {
		.ids = 1u << JITDUMP_LOAD | 1u << JITDUMP_MOVE | 1u << JITDUMP_UNWINDING,
		.body = r->body, .body_max = BODY_MAX, .record = made_take_record, .ctx = r,
	};
	const struct machine *host = machine_host();   /* such files are of processes that run */
	bool refused;

	if (!r->body || !r->table || !r->room || !jitdump_each(in, &v, &r->machine, &refused))
		return err_nomem(e, "what a jitdump file says of unwinding");
	r->m->refused += refused;
	if (r->machine && (!host || r->machine != host->number))
		return err_set(e, ENOEXEC, "a jitdump file of another machine");
	return 0;
}

static int read_input(const struct jit_input *in, struct made_code **ret, struct err *e)
{
	AUTO(made_code_free) struct made_code *m = calloc(1, sizeof(*m));
	struct reading r = { .m = m, .body = malloc(BODY_MAX), .table = malloc(TABLE_MAX),
			     .room = malloc(FUNC_ROWS_MAX * sizeof(struct rule_row)), .began_ns = clock_mono_ns() };
	int err = !m ? err_nomem(e, "what a jitdump file says of unwinding") :
		  !jitdump_is(in) ? err_set(e, ENOEXEC, "no jitdump file") : read_records(&r, in, e);

	free(r.body);
	free(r.table);
	free(r.room);
	vec_free(&r.known);
	hidx_free(&r.hash);
	if (err)
		return err;
	spans_seal(&m->span);
	*ret = r.any ? take_ptr(m) : NULL;
	return 0;
}

int made_code_parse(const void *data, size_t len, struct made_code **ret, struct err *e)
{
	return read_input(&(struct jit_input){ .fd = -1, .mem = data, .size = len }, ret, e);
}

int made_code_read(int fd, struct made_code **ret, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(e, errno, "cannot look at a jitdump file: %s", strerror(errno));
	return read_input(&(struct jit_input){ .fd = fd, .size = (uint64_t)st.st_size }, ret, e);
}

void made_code_free(struct made_code *m)
{
	if (!m)
		return;
	vec_free(&m->span);
	vec_free(&m->func);
	vec_free(&m->row);
	free(m);
}

bool made_code_rule(const struct made_code *m, uint64_t addr, struct rule *ret)
{
	const struct span *at = spans_find_last(&m->span, addr);
	const struct func *f = at ? &m->func.v[at->value] : NULL;
	uint32_t first = 0, behind;

	if (!f || !f->nr)
		return false;
	/* The last row that begins at or before ADDR: the first one begins at 0. */
	behind = f->nr;
	while (behind - first > 1) {
		const uint32_t middle = first + (behind - first) / 2;

		if (m->row.v[f->row + middle].at <= addr - at->start)
			first = middle;
		else
			behind = middle;
	}
	*ret = m->row.v[f->row + first].rule;
	return ret->kind != RULE_NONE;
}

size_t made_code_refused(const struct made_code *m)
{
	return m->refused;
}

size_t made_code_bytes(const struct made_code *m)
{
	return sizeof(*m) + m->span.cap * sizeof(*m->span.v) + m->func.cap * sizeof(*m->func.v) + m->row.cap *
		sizeof(*m->row.v);
}
