/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_programs.c - see branch_programs.h.
 *
 * A CPU has four breakpoints. Where a program has more jumps on a condition, four of them are watched for some calls,
 * then the next four, and so on. So of a single call not all is known, but of many calls each jump is. What lies
 * between two jumps that were watched is marked as a gap, unless there is only one way.
 */
#include "config.h"

#include "cmd/branch_programs.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "branch/entries.h"
#include "branch/jumps.h"
#include "capture/bpfcalls.h"
#include "engine/filters.h"
#include "engine/kernel_code.h"
#include "model/probecode.h"
#include "model/probes.h"
#include "model/probevalues.h"
#include "probe/kernel_functions.h"
#include "probe/ktypes.h"
#include "probe/leaves.h"
#include "symbol/kernel.h"
#include "system/bpfcode.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#define TURN_MS 100
#define SET_NS NSEC_PER_SEC              /* a set of jumps is watched so long from its first call on, */
#define SET_CALLS 64u                    /* or for so many calls, where they are not shown singly, */
#define SET_CALLS_FIRST 8u               /* until each jump was watched once, */
#define SET_LEAST_NS (NSEC_PER_SEC / 50) /* and not less: moving breakpoints takes the kernel milliseconds */
#define OFF_MOST_NS (2 * NSEC_PER_SEC)
#define HELD_MAX 16384u                  /* calls with records that wait for the end */
#define WORD_BITS 64u
#define RESULT BRANCH_ARGS               /* its place behind the arguments */

/* A function that is followed as a part of a call. */
struct program_part {
	struct probe_code code;
	const struct bpfcode_function *function;
	bool *watched;           /* of each block */
};

/* What was asked for: calls of the first part, in which the other ones may be called. */
struct program_followed {
	struct branch_wish *wish;
	struct bpfcode *code;    /* NULL = a function of the kernel */
	char name[BPF_PROG_NAME_MAX];
	char symbol[2 * BPF_PROG_NAME_MAX];      /* as the kernel's symbols have it */
	const struct bpfcode_function *function;
	VEC(struct program_part) part;
	struct sb_filter filter;
	unsigned int packet_at;  /* which argument is the length of a packet; BRANCH_ARGS = none */
};

/* A jump on a condition, at which a breakpoint may stand. */
struct program_jump {
	uint64_t address;
	const uint8_t *insn;
	uint32_t size;
};

struct branch_programs {
	const struct options *o;
	struct branch_names *names;
	struct branch_programs_ops ops;
	bool records;
	struct bpfcalls *calls;
	struct ksyms *syms;
	struct branch_symbols symbols;
	VEC(struct program_followed) followed;
	struct bpfcalls_function asked[BPFCALLS_FUNCTIONS_MAX];  /* of those that are followed */
	VEC(struct program_jump) jump;
	uint32_t each;           /* breakpoints of a CPU */
	uint32_t set;            /* which jumps are watched, from 1 on; those of set S begin with number (S - 1) * each
		*/
	uint64_t set_ns;         /* when the first call was told of it */
	uint64_t set_calls;      /* calls that were told of it */
	VEC(bool) met;           /* of each set: some call was */
	uint64_t look_ns, look_hits;     /* when it was last looked at what hits cost, and how many there were */
	uint64_t off_until_ns;   /* 0 = breakpoints are in place */
	uint64_t told, gaps;
	struct branch_records_figures figures;
	branch_sources sources;
	VEC(struct branch_call) held;    /* calls with records */
	struct err why;          /* why there are no breakpoints */
};

/* ---- what is followed ---- */

static bool programs_read(void *ctx, uint64_t address, void *to, size_t size)
{
	const struct branch_programs *p = ctx;

	for (size_t i = 0; i < p->followed.n; i++) {
		const struct bpfcode *c = p->followed.v[i].code;
		const struct bpfcode_function *f = c ? bpfcode_find(c, address) : NULL;

		if (!f || size > f->size - (address - f->address))
			continue;
		memcpy(to, f->bytes + (address - f->address), size);
		return true;
	}
	return false;
}

static bool programs_cover(void *ctx, uint64_t address, const char **ret_name, uint64_t *ret_start,
				 uint64_t *ret_size)
{
	const struct branch_programs *p = ctx;
	struct ksym sym;

	for (size_t i = 0; i < p->followed.n; i++) {
		const struct bpfcode *c = p->followed.v[i].code;
		const struct bpfcode_function *f = c ? bpfcode_find(c, address) : NULL;

		if (!f)
			continue;
		*ret_name = f->name;
		*ret_start = f->address;
		*ret_size = f->size;
		return true;
	}
	if (!p->syms || !ksyms_find(p->syms, address, &sym))
		return false;
	*ret_name = sym.name;
	*ret_start = sym.start;
	*ret_size = sym.size;
	return true;
}

static bool programs_has_part(const struct program_followed *f, const struct bpfcode_function *function)
{
	for (size_t i = 0; i < f->part.n; i++)
		if (f->part.v[i].function == function)
			return true;
	return false;
}

/* Decodes FUNCTION and adds it to F. */
static int programs_add_part(struct branch_programs *p, struct program_followed *f,
			     const struct bpfcode_function *function, struct err *e)
{
	const struct leaves_kernel kernel = { programs_read, programs_cover, p };
	struct program_part *at;
	struct probe_code code;
	code_blocks blocks = { 0 };
	char path[32];
	int r = leaves_kernel_blocks(&kernel, function->address, &blocks, e);
	uint32_t number = CODE_NUMBERS_MAX;

	text_format(path, sizeof(path), "BPF program %u", f->code->id);
	code = (struct probe_code){ .path = path, .symbol = function->name, .name = function->name,
				    .start = function->address, .n = (uint32_t)blocks.n, .block = blocks.v };
	if (!r)
		number = probe_code_note(f->wish->number, &code);
	vec_free(&blocks);
	if (r)
		return err_prefix(e, "%s cannot be followed", function->name);
	at = number == CODE_NUMBERS_MAX ? NULL : vec_push(&f->part);
	if (!at)
		return err_nomem(e, "the code of BPF programs");
	*at = (struct program_part){ .function = function };
	if (probe_code_find(f->wish->number, number, &at->code))
		at->watched = calloc(at->code.n, sizeof(*at->watched));
	return at->watched ? branch_names_program(p->names, BRANCH_SPACE(f->wish->number, number), f->code, e) :
		err_nomem(e, "the code of BPF programs");
}

struct programs_calling {
	struct branch_programs *p;
	struct program_followed *f;
	int r;
	struct err *e;
};

/* A call, or a jump, to TARGET: if that is a function of the same program, it is a part, too. */
static void programs_called(void *ctx, uint64_t target)
{
	struct programs_calling *c = ctx;
	const struct bpfcode_function *function = bpfcode_find(c->f->code, target);
	struct err why = ERR_INIT;
	int r;

	if (c->r || !function || function->address != target || programs_has_part(c->f, function))
		return;
	r = programs_add_part(c->p, c->f, function, &why);
	if (r == -ENOMEM)
		c->r = err_nomem(c->e, "the code of BPF programs");
	else if (r)
		fprintf(stderr, "sberf branches: the branches of a sub-program are not shown: %s\n", why.text);
}

static int programs_add_parts(struct branch_programs *p, struct program_followed *f, struct err *e)
{
	const struct leaves_kernel kernel = { programs_read, programs_cover, p };
	struct programs_calling c = { p, f, 0, e };
	const struct leaves_calls to = { .each = programs_called, .ctx = &c };
	int r = programs_add_part(p, f, f->function, e);

	for (size_t i = 0; !r && i < f->part.n; i++) {
		leaves_kernel_calls(&kernel, f->part.v[i].function->address, &to);
		r = c.r;
	}
	return r;
}

/* ---- arguments and conditions ---- */

static bool programs_is_skb(uint32_t type)
{
	static const uint32_t types[] = {
		BPF_PROG_TYPE_SOCKET_FILTER, BPF_PROG_TYPE_SCHED_CLS, BPF_PROG_TYPE_SCHED_ACT, BPF_PROG_TYPE_CGROUP_SKB,
		BPF_PROG_TYPE_LWT_IN, BPF_PROG_TYPE_LWT_OUT, BPF_PROG_TYPE_LWT_XMIT, BPF_PROG_TYPE_SK_SKB,
		BPF_PROG_TYPE_LWT_SEG6LOCAL,
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i] == type)
			return true;
	return false;
}

/* What the function F is given, to RET and to the names of its probe. */
static void programs_describe(struct program_followed *f, bool entry, struct bpfcalls_function *ret)
{
	AUTO(ktypes_free) struct ktypes *types = NULL;
	struct param_listed list[PARAM_ARGS + 1] = { 0 };
	const bool first = f->code && f->function == &f->code->function[0];

	*ret = (struct bpfcalls_function){ .program = f->code ? f->code->id : 0, .name = f->name, .entry = entry };
	if ((f->code ? f->code->btf_id && !ktypes_open_program(f->code->btf_id, &types, NULL) : !ktypes_open(&types,
													     NULL)) &&
	    types)
		(void)ktypes_list(types, KTYPES_FUNCTION, f->name, list);
	for (unsigned int i = 0; i <= PARAM_ARGS; i++) {
		struct probe_param param = { .size = list[i].size, .is_signed = list[i].is_signed,
					     .is_pointer = list[i].is_pointer };

		text_format(param.name, sizeof(param.name), "%s", list[i].name);
		if (param.name[0])
			probe_param_note(f->wish->number, i, &param);
		ret->unused_bits[i] = list[i].size && list[i].size < 8 ? (uint8_t)(WORD_BITS - 8u * list[i].size) : 0;
		ret->is_signed[i] = list[i].is_signed;
		if (i < PARAM_ARGS && list[i].name[0])
			ret->nr_args = i + 1;
	}
	f->packet_at = BRANCH_ARGS;
	if (!first)
		return;
	ret->packet = f->code->type == BPF_PROG_TYPE_XDP ? BPFCALLS_XDP :
		programs_is_skb(f->code->type) ? BPFCALLS_SKB : BPFCALLS_NO_PACKET;
	ret->nr_args = 1;
	if (ret->packet == BPFCALLS_NO_PACKET)
		return;
	f->packet_at = 1;
	probe_param_note(f->wish->number, 1, &(struct probe_param){ .name = "len", .size = sizeof(uint32_t) });
}

/* Makes of names of parameters in X what they are: arguments by their place. */
static int programs_name_arguments(const struct program_followed *f, struct spec_expr *x, struct err *e)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const char *name = x->pool + x->step[i].value;
		unsigned int at = 0;

		if (x->step[i].op != SPEC_PATH)
			continue;
		while (at < BRANCH_ARGS && strcmp(probe_param_get(f->wish->number, at).name, name))
			at++;
		if (at == BRANCH_ARGS)
			return err_set(e, ENOENT, "%s has no parameter '%s' (sberf list shows them)", f->name, name);
		x->step[i].op = SPEC_ARG;
		x->step[i].value = (int)at;
	}
	return 0;
}

static int programs_condition(struct program_followed *f, struct bpfcalls_function *ret, struct err *e)
{
	struct spec s = { .points = 1 };
	struct filter_names names;
	int r;

	s.point[0].kind = PROBE_CALL;
	s.point[0].when = f->wish->when;
	r = programs_name_arguments(f, &s.point[0].when, e);
	r = r ? r : filter_of_spec(&s, 0, &f->filter, &names, e);
	if (!r && f->wish->when.n)
		ret->when = &f->filter;
	return r;
}

/* ---- finding it ---- */

static int programs_number(struct program_followed *f, struct err *e)
{
	char text[2 * BPF_PROG_NAME_MAX];

	if (f->code)
		text_format(text, sizeof(text), "bpf:%u:%s", f->code->id, f->name);
	else
		text_format(text, sizeof(text), "k:%s", f->name);
	f->wish->number = probes_add(text, strlen(text), UNIT_COUNT);
	return f->wish->number == PROBE_NONE ?
		err_set(e, ENOSPC, "these are more than %u functions", PROBES_MAX) : 0;
}

/* The program that F's wish names, and the function of it. */
static int programs_find_program(struct program_followed *f, struct err *e)
{
	char sub[BPF_PROG_NAME_MAX], tag[2 * BPF_PROG_TAG_BYTES + 1] = "";
	bpf_prog_vec all = { 0 };
	uint32_t id;
	int r = bpfcode_which(f->wish->probe, &id, sub, e);

	r = r ? r : bpfcode_read(id, &f->code, e);
	if (r)
		return r;
	f->function = *sub ? NULL : &f->code->function[0];
	for (uint32_t i = 0; i < f->code->n && !f->function; i++)
		if (!strcmp(f->code->function[i].name, sub))
			f->function = &f->code->function[i];
	if (!f->function)
		return err_set(e, ENOENT, "BPF program %u has no sub-program '%s' (sberf list 'bpf:%u:*' shows them)",
			       id, sub,
			       id);
	if (!*f->function->name || !f->code->btf_id)
		return err_set(e, EOPNOTSUPP, "BPF program %u has no type information (BTF), without which the kernel "
			       "lets nobody follow it: compile it with -g", id);
	text_format(f->name, sizeof(f->name), "%s", f->function->name);
	r = bpfprogs_list(&all, e);
	for (size_t i = 0; i < all.n; i++)
		for (size_t k = 0; all.v[i].id == id && k < sizeof(all.v[i].tag); k++)
			text_format(tag + 2 * k, 3, "%02x", all.v[i].tag[k]);
	vec_free(&all);
	text_format(f->symbol, sizeof(f->symbol), "bpf_prog_%s_%s", tag, f->name);
	return r;
}

/* Decodes F, a function of the kernel, whose instructions are to be shown. That it cannot be is said. */
static void programs_decode(struct branch_programs *p, const struct program_followed *f)
{
	struct spec_point point = { .kind = PROBE_KPROBE, .match = SPEC_EXACT };
	struct probe_code code = { .path = KERNEL_CODE_PATH, .symbol = f->name, .name = f->name };
	AUTO(kernel_code_free) struct kernel_code *k = NULL;
	kernel_functions found = { 0 };
	code_blocks blocks = { 0 };
	struct err why = ERR_INIT;
	int r;

	text_format(point.name, sizeof(point.name), "%s", f->name);
	r = find_kernel_functions(KALLSYMS_PATH, &point, &found, &why);
	r = r < 0 ? r : kernel_code_open(&k, &why);
	code.start = r < 0 ? 0 : found.v[0].address;
	r = r < 0 ? r : kernel_code_blocks(k, code.start, &blocks, &code.returns, &why);
	code.block = blocks.v;
	code.n = (uint32_t)blocks.n;
	code.first = r < 0 ? CODE_NUMBERS_MAX : probe_code_note(f->wish->number, &code);
	if (code.first == CODE_NUMBERS_MAX)
		fprintf(stderr, "sberf branches: no instructions of %s: %s\n", f->name,
			r < 0 ? why.text : "there is no memory for them");
	else if (probe_code_find(f->wish->number, code.first, &code))
		branch_names_open(p->names, &code);
	vec_free(&blocks);
	vec_free(&found);
}

static int programs_find_one(struct branch_programs *p, struct branch_wish *w, struct bpfcalls_function *ret,
			     struct err *e)
{
	struct program_followed *f = vec_push(&p->followed);
	int r = 0;

	if (!f)
		return err_nomem(e, "BPF programs");
	*f = (struct program_followed){ .wish = w };
	if (w->program) {
		r = programs_find_program(f, e);
	} else {
		text_format(f->name, sizeof(f->name), "%s", w->probe);
		text_format(f->symbol, sizeof(f->symbol), "%s", w->probe);
	}
	r = r ? r : programs_number(f, e);
	if (r)
		return r;
	programs_describe(f, p->o->branch_entry, ret);
	r = programs_condition(f, ret, e);
	if (!r && !f->code && p->o->branch_disasm)
		programs_decode(p, f);
	return r || !f->code ? r : programs_add_parts(p, f, e);
}

/* All jumps on a condition, each once. */
static int programs_gather_jumps(struct branch_programs *p, struct err *e)
{
	for (size_t i = 0; i < p->followed.n; i++)
		for (size_t k = 0; k < p->followed.v[i].part.n; k++) {
			const struct program_part *part = &p->followed.v[i].part.v[k];

			for (uint32_t b = 0; b < part->code.n; b++) {
				const struct code_block *block = &part->code.block[b];
				const uint64_t address = block->vaddr + block->last;
				struct program_jump *at;
				size_t had = 0;

				while (had < p->jump.n && p->jump.v[had].address != address)
					had++;
				if (block->end != CODE_CONDITION || had < p->jump.n)
					continue;
				at = vec_push(&p->jump);
				if (!at)
					return err_nomem(e, "jumps of BPF programs");
				*at = (struct program_jump){ address, part->function->bytes +
							     (address - part->function->address),
							     block->size - block->last };
			}
		}
	return 0;
}

/* ---- breakpoints ---- */

static uint32_t programs_sets(const struct branch_programs *p)
{
	return p->each ? (uint32_t)((p->jump.n + p->each - 1) / p->each) : 0;
}

/* The first jump of SET, and how many are in it. */
static size_t programs_set(const struct branch_programs *p, uint32_t set, uint32_t *ret_n)
{
	const size_t first = (size_t)(set - 1) * p->each;

	*ret_n = set && first < p->jump.n ? (uint32_t)(p->jump.n - first < p->each ? p->jump.n - first : p->each) : 0;
	return first;
}

/* Was no call told of SET yet? */
static bool programs_is_new(const struct branch_programs *p, uint32_t set)
{
	return set && set <= p->met.n && !p->met.v[set - 1];
}

/* The set that is watched next: those of which nothing is known come first. */
static uint32_t programs_next(const struct branch_programs *p)
{
	const uint32_t sets = programs_sets(p);

	for (uint32_t i = 1; i < sets; i++) {
		const uint32_t set = (p->set - 1 + i) % sets + 1;

		if (programs_is_new(p, set))
			return set;
	}
	return p->set % sets + 1;
}

/* Says which jumps are watched, where calls are shown one by one. */
static void programs_say_set(const struct branch_programs *p)
{
	uint32_t n;
	const size_t first = programs_set(p, p->set, &n);

	if (programs_sets(p) > 1 && !p->o->part && !p->o->branch_count && !p->o->branch_disasm && !p->o->trace_json)
		fprintf(stderr, "sberf branches: jumps %zu to %zu of %zu are watched from now on\n", first + 1,
			first + n, p->jump.n);
}

static void programs_watch(struct branch_programs *p, uint32_t set)
{
	const bool changes = p->set && set != p->set;
	uint64_t address[SB_JUMPS] = { 0 };
	uint32_t n;
	const size_t first = programs_set(p, set, &n);

	for (uint32_t i = 0; i < n; i++)
		address[i] = p->jump.v[first + i].address;
	if (!bpfcalls_watch(p->calls, address, n, set))
		n = 0;
	p->set = set;
	p->set_calls = 0;
	if (changes)
		programs_say_set(p);
}

/* When hits have cost more than the budget, calls are not followed for so long that it fits. */
static void programs_keep_budget(struct branch_programs *p, uint64_t now_ns)
{
	const double share = p->o->budget / 100;
	struct sb_bpf_lost lost;
	uint64_t cost_ns, wanted_ns;

	if (p->off_until_ns && now_ns < p->off_until_ns)
		return;
	bpfcalls_lost(p->calls, &lost);
	if (p->off_until_ns) {
		bpfcalls_off(p->calls, false);
		/* Where calls come quickly the time in between may be all that a set gets. */
		programs_watch(p, p->set_calls ? programs_next(p) : p->set);
		p->off_until_ns = 0;
	} else if (share > 0 && now_ns - p->look_ns >= SET_LEAST_NS) {
		cost_ns = (lost.hits - p->look_hits) * bpfcalls_hit_ns(p->calls);
		wanted_ns = (uint64_t)((double)cost_ns / share);
		if (wanted_ns > now_ns - p->look_ns) {
			const uint64_t off_ns = wanted_ns - (now_ns - p->look_ns);

			(void)bpfcalls_watch(p->calls, NULL, 0, 0);
			bpfcalls_off(p->calls, true);
			p->off_until_ns = now_ns + (off_ns < OFF_MOST_NS ? off_ns : OFF_MOST_NS);
		}
	} else {
		return;
	}
	p->look_ns = now_ns;
	p->look_hits = lost.hits;
}

/* ---- calls ---- */

/* Marks what SET watches in F. */
static void programs_mark(const struct branch_programs *p, const struct program_followed *f, uint32_t set)
{
	uint32_t n;
	const size_t first = programs_set(p, set, &n);

	for (size_t k = 0; k < f->part.n; k++)
		for (uint32_t b = 0; b < f->part.v[k].code.n; b++) {
			const struct code_block *block = &f->part.v[k].code.block[b];

			f->part.v[k].watched[b] = false;
			for (uint32_t i = 0; i < n; i++)
				f->part.v[k].watched[b] |= block->end == CODE_CONDITION &&
					p->jump.v[first + i].address == block->vaddr + block->last;
		}
}

/* The hit HIT of SET, as a jump of F; false = it is of none. */
static bool programs_jump_of(const struct branch_programs *p, const struct program_followed *f, uint32_t set,
			     uint64_t hit, struct branch_jump *ret)
{
	uint32_t n;
	const size_t first = programs_set(p, set, &n);
	const struct program_jump *j = SB_JUMP_WHICH(hit) < n ? &p->jump.v[first + SB_JUMP_WHICH(hit)] : NULL;

	if (!j || !branch_jump_taken_x86_64(j->insn, j->size, SB_JUMP_FLAGS(hit), &ret->taken))
		return false;
	ret->frame = SB_JUMP_FRAME(hit);
	for (size_t k = 0; k < f->part.n; k++)
		for (uint32_t b = 0; b < f->part.v[k].code.n; b++) {
			const struct code_block *block = &f->part.v[k].code.block[b];

			if (block->end != CODE_CONDITION || block->vaddr + block->last != j->address)
				continue;
			ret->code = (uint32_t)k;
			ret->block = b;
			return true;
		}
	return false;
}

/* The branches of the call C of F, by its breakpoints. False when out of memory. */
static bool programs_follow(struct branch_programs *p, const struct program_followed *f, const struct sb_bpf_call *c,
			    struct branch_call *ret)
{
	struct branch_jump jump[SB_CALL_JUMPS];
	AUTO_FREE struct branch_jumps_code *code = calloc(f->part.n + 1, sizeof(*code));
	size_t n = 0;

	if (!code)
		return false;
	programs_mark(p, f, c->set);
	for (size_t k = 0; k < f->part.n; k++)
		code[k] = (struct branch_jumps_code){ &f->part.v[k].code, f->part.v[k].watched };
	for (uint32_t i = 0; i < c->jumps; i++)
		n += c->set && programs_jump_of(p, f, c->set, c->jump[i], &jump[n]);
	return branch_jumps_follow(code, f->part.n, jump, n, c->dropped, &ret->branch, &ret->gaps);
}

static bool programs_symbol(void *ctx, uint64_t address, struct branch_symbol *ret)
{
	const struct branch_programs *p = ctx;
	struct ksym sym;

	if (!p->syms || !ksyms_find(p->syms, address, &sym))
		return false;
	*ret = (struct branch_symbol){ sym.name, sym.start, sym.size };
	return true;
}

/* The same by the records of the CPU. */
static bool programs_records(struct branch_programs *p, const struct program_followed *f, const struct sb_bpf_call *c,
			     struct branch_call *ret)
{
	const struct branch_records_rules rules = {
		.symbols = &p->symbols, .function = p->o->branch_entry ? NULL : f->symbol, .all = true,
		.kinds = p->o->branch_calls ? RECORDS_CALLS : p->o->branch_returns ? RECORDS_RETURNS : RECORDS_ANY,
	};
	const uint64_t gaps = p->figures.gaps;

	if (branch_records_read(c->record, c->records * sizeof(c->record[0]), &rules, &ret->branch, &p->figures, NULL))
		return false;
	ret->gaps = (uint32_t)(p->figures.gaps - gaps);
	return branch_sources_add(&p->sources, ret->branch.v, ret->branch.n);
}

/* Branches of the records of a CPU that are from a function of a BPF program are of its code. */
static void programs_place(const struct branch_programs *p, struct branch_call *call)
{
	for (size_t i = 0; i < p->followed.n; i++)
		for (size_t k = 0; k < p->followed.v[i].part.n; k++) {
			const struct program_part *part = &p->followed.v[i].part.v[k];

			for (size_t b = 0; b < call->branch.n; b++)
				if (call->branch.v[b].from - part->function->address < part->function->size)
					call->branch.v[b].space = BRANCH_SPACE(part->code.probe, part->code.first);
		}
}

static void programs_tell(struct branch_programs *p, struct branch_call *call)
{
	if (p->records)
		programs_place(p, call);
	p->told++;
	p->gaps += call->gaps;
	p->ops.ended(p->ops.ctx, call);
	vec_free(&call->branch);
}

static void programs_ended(void *ctx, const struct sb_bpf_call *c)
{
	struct branch_programs *p = ctx;
	const struct program_followed *f = &p->followed.v[c->function];
	struct branch_call call = {
		.begun_ns = c->begun_ns, .ended_ns = c->ended_ns, .pid = (pid_t)c->pid, .tid = (pid_t)c->tid,
		.probe = f->wish->number, .result = c->result, .dropped = c->dropped,
		.end = p->o->branch_entry ? BRANCH_BEGUN : BRANCH_RETURNED,
		.space = p->records ? BRANCH_SPACE(f->wish->number, 0) :
			BRANCH_SPACE(f->wish->number, f->part.v[0].code.first),
	};
	struct branch_call *held;

	memcpy(call.comm, c->comm, sizeof(c->comm));
	memcpy(call.arg, c->arg, sizeof(call.arg));
	if (f->packet_at < BRANCH_ARGS)
		call.arg[f->packet_at] = c->packet;
	if (c->set == p->set && !p->set_calls++)
		p->set_ns = clock_mono_ns();
	if (programs_is_new(p, c->set))
		p->met.v[c->set - 1] = true;
	if (!(p->records ? programs_records(p, f, c, &call) :
	      p->o->branch_entry || programs_follow(p, f, c, &call))) {
		vec_free(&call.branch);
		return;
	}
	held = p->records && p->held.n < HELD_MAX && (p->o->part || p->o->branch_count) ? vec_push(&p->held) : NULL;
	if (held)
		*held = call;
	else
		programs_tell(p, &call);
}

/* ---- opening ---- */

static void programs_say_price(const struct branch_programs *p)
{
	for (size_t i = 0; i < p->followed.n; i++) {
		const struct program_followed *f = &p->followed.v[i];
		char name[BPF_PROG_NAME_MAX];
		uint32_t jumps = 0;

		for (size_t k = 0; k < f->part.n; k++)
			for (uint32_t b = 0; b < f->part.v[k].code.n; b++)
				jumps += f->part.v[k].code.block[b].end == CODE_CONDITION;
		text_sanitise(name, sizeof(name), f->name, strlen(f->name));
		if (p->records)
			fprintf(stderr, "sberf branches: %s: the branch records of the CPU are taken when it %s\n",
				name, p->o->branch_entry ? "begins" : "returns");
		else if (p->o->branch_entry)
			fprintf(stderr, "sberf branches: %s: calls are told when they begin\n", name);
		else
			fprintf(stderr, "sberf branches: %s: %u jumps on a condition in %zu function%s\n", name, jumps,
				f->part.n, f->part.n == 1 ? "" : "s");
	}
}

/* What is watched how, and what that costs. */
static void programs_say_breakpoints(const struct branch_programs *p)
{
	const uint32_t sets = programs_sets(p);
	char cost[UNITS_MAX];

	if (!p->each && p->why.text[0])
		fprintf(stderr, "sberf branches: no branches are shown: %s\n", p->why.text);
	units_time(cost, bpfcalls_hit_ns(p->calls));
	if (p->each)
		fprintf(stderr, "sberf branches: breakpoints of each CPU watch %zu of them%s; a hit costs about %s\n",
			sets > 1 ? (size_t)p->each : p->jump.n, sets > 1 ? " in turn: in a call the way by the others "
				"is not known, and counts are of calls in which a jump was watched" : "", cost);
	fprintf(stderr, "sberf branches: probes placed\n");
}

/* Whether breakpoints would tell nothing: while such a program runs the kernel runs no BPF program of an event. */
static bool programs_are_silent(struct branch_programs *p)
{
	char type[32];

	for (size_t i = 0; i < p->followed.n; i++) {
		const struct bpfcode *c = p->followed.v[i].code;

		if (c && (c->type == BPF_PROG_TYPE_KPROBE || c->type == BPF_PROG_TYPE_TRACEPOINT ||
			  c->type == BPF_PROG_TYPE_PERF_EVENT)) {
			err_set(&p->why, EOPNOTSUPP, "while a BPF program of type %s runs, the kernel runs none that "
				"could tell of a breakpoint", bpfprogs_type(c->type, type));
			return true;
		}
	}
	return false;
}

static void programs_read_symbols(struct branch_programs *p)
{
	ksyms_free(p->syms);
	p->syms = NULL;
	(void)ksyms_load(&p->syms, NULL);
	p->symbols = (struct branch_symbols){ programs_symbol, p };
	branch_names_records(p->names, &p->symbols);
}

static int programs_follow_all(struct branch_programs *p, struct err *e)
{
	int r = bpfcalls_open(p->asked, p->followed.n, p->records, &p->calls, e);

	if (r)
		return r;
	/* What takes records, and what has been attached for that, has symbols of its own. */
	if (p->records) {
		programs_read_symbols(p);
		return 0;
	}
	if (p->jump.n && !p->o->branch_entry && !programs_are_silent(p))
		p->each = bpfcalls_breakpoints(p->calls, &p->why);
	p->look_ns = clock_mono_ns();
	if (p->each && !vec_reserve(&p->met, programs_sets(p)))
		return err_nomem(e, "jumps of BPF programs");
	while (p->each && p->met.n < programs_sets(p))
		p->met.v[p->met.n++] = false;
	if (p->each)
		programs_watch(p, 1);
	return 0;
}

int branch_programs_find(const struct options *o, branch_wishes *wishes, struct branch_names *names,
			 bool records, const struct branch_programs_ops *ops, struct branch_programs **ret,
			 struct err *e)
{
	AUTO(branch_programs_free) struct branch_programs *p = calloc(1, sizeof(*p));
	int r = p ? 0 : err_nomem(e, "BPF programs");

	if (!r && wishes->n > BPFCALLS_FUNCTIONS_MAX)
		r = err_set(e, E2BIG, "these are %zu functions: %u can be followed at once", wishes->n,
			    BPFCALLS_FUNCTIONS_MAX);
	if (r)
		return r;
	p->o = o;
	p->names = names;
	p->ops = *ops;
	p->records = records;
	programs_read_symbols(p);
	if (!vec_reserve(&p->followed, wishes->n))
		return err_nomem(e, "BPF programs");
	for (size_t i = 0; i < wishes->n && !r; i++)
		r = programs_find_one(p, &wishes->v[i], &p->asked[i], e);
	r = r ? r : programs_gather_jumps(p, e);
	if (!r)
		*ret = take_ptr(p);
	return r;
}

int branch_programs_begin(struct branch_programs *p, struct err *e)
{
	int r;

	programs_say_price(p);
	r = programs_follow_all(p, e);
	if (!r)
		programs_say_breakpoints(p);
	return r;
}

void branch_programs_free(struct branch_programs *p)
{
	if (!p)
		return;
	bpfcalls_free(p->calls);
	ksyms_free(p->syms);
	for (size_t i = 0; i < p->followed.n; i++) {
		for (size_t k = 0; k < p->followed.v[i].part.n; k++)
			free(p->followed.v[i].part.v[k].watched);
		vec_free(&p->followed.v[i].part);
		bpfcode_free(p->followed.v[i].code);
	}
	vec_free(&p->followed);
	vec_free(&p->jump);
	vec_free(&p->met);
	vec_free(&p->sources);
	for (size_t i = 0; i < p->held.n; i++)
		vec_free(&p->held.v[i].branch);
	vec_free(&p->held);
	free(p);
}

/* ---- running ---- */

void branch_programs_turn(struct branch_programs *p)
{
	const uint32_t sets = programs_sets(p);
	const bool single = !p->o->part && !p->o->branch_count && !p->o->branch_disasm;
	uint64_t now_ns, for_ns;
	uint32_t next;

	bpfcalls_read(p->calls, TURN_MS, programs_ended, p);
	if (!p->each)
		return;
	now_ns = clock_mono_ns();
	programs_keep_budget(p, now_ns);
	for_ns = now_ns - p->set_ns;
	next = sets > 1 ? programs_next(p) : 0;
	if (sets > 1 && !p->off_until_ns && p->set_calls &&
	    (for_ns >= SET_NS || (!single && programs_is_new(p, next) && p->set_calls >= SET_CALLS_FIRST) ||
	     (!single && p->set_calls >= SET_CALLS && for_ns >= SET_LEAST_NS)))
		programs_watch(p, next);
}

void branch_programs_end(struct branch_programs *p)
{
	bpfcalls_off(p->calls, true);
	bpfcalls_read(p->calls, 0, programs_ended, p);
	branch_sources_sort(&p->sources);
	for (size_t i = 0; i < p->held.n; i++) {
		(void)branch_sources_pass(&p->sources, &p->held.v[i].branch);
		programs_tell(p, &p->held.v[i]);
	}
	p->held.n = 0;
}

static const struct program_followed *programs_of(const struct branch_programs *p, uint32_t probe)
{
	for (size_t i = 0; i < p->followed.n; i++)
		if (p->followed.v[i].wish->number == probe)
			return &p->followed.v[i];
	return NULL;
}

const char *branch_programs_name(const struct branch_programs *p, uint32_t probe)
{
	const struct program_followed *f = programs_of(p, probe);

	return f ? f->name : "";
}

const char *branch_programs_verdict(const struct branch_programs *p, const struct branch_call *call)
{
	const struct program_followed *f = programs_of(p, call->probe);
	const int64_t value = (int32_t)call->result;
	const char *name;

	if (f && f->code)
		return f->function == &f->code->function[0] ? bpfcode_verdict(f->code->type, value) : "";
	name = value < 0 && value > -4096 ? strerrorname_np((int)-value) : NULL;
	return name ? name : "";
}

bool branch_programs_turns(const struct branch_programs *p)
{
	return programs_sets(p) > 1;
}

uint64_t branch_programs_calls(const struct branch_programs *p)
{
	return p->told;
}

void branch_programs_losses(const struct branch_programs *p, uint64_t loss[BRANCH_LOSSES])
{
	struct sb_bpf_lost lost;

	bpfcalls_lost(p->calls, &lost);
	loss[LOSS_UNMET] += lost.unmet;
	loss[LOSS_OFF] = lost.off;
	loss[LOSS_FULL] = lost.full;
	loss[LOSS_CROWDED] = lost.crowded;
	loss[LOSS_STRANGE] = lost.strange;
	loss[LOSS_WAYS] = p->gaps;
	for (size_t i = 0; i < p->met.n; i++) {
		uint32_t n;

		(void)programs_set(p, (uint32_t)i + 1, &n);
		loss[LOSS_UNWATCHED] += p->met.v[i] ? 0 : n;
	}
	loss[LOSS_NO_RECORDS] = lost.no_records;
	loss[LOSS_OWN] = p->figures.own;
	loss[LOSS_BEFORE] = p->figures.before;
	loss[LOSS_UNNAMED] = p->figures.unnamed;
}
