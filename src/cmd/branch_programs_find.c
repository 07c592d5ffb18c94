/* SPDX-License-Identifier: BSD-2-Clause */
/* branch_programs_find.c - which program, and which function of it, is followed: see branch_programs_private.h. */
#include "config.h"

#include "cmd/branch_programs_private.h"

#include "base/text.h"
#include "engine/filters.h"
#include "engine/kernel_code.h"
#include "model/probes.h"
#include "model/probevalues.h"
#include "probe/kernel_functions.h"
#include "probe/ktypes.h"
#include "probe/leaves.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAVE 0xc9u                      /* the instruction */
#define WORD_BITS 64u

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
static void programs_describe(struct branch_programs *p, struct program_followed *f, bool entry,
			      struct bpfcalls_function *ret)
{
	struct ktypes *types = NULL;
	struct param_listed list[PARAM_ARGS + 1] = { 0 };
	const bool first = f->code && f->function == &f->code->function[0];

	*ret = (struct bpfcalls_function){ .program = f->code ? f->code->id : 0, .name = f->name, .entry = entry };
	if (f->code && f->code->btf_id)
		(void)ktypes_open_program(f->code->btf_id, &f->types, NULL);
	types = f->types;
	if (!f->code)
		(void)ktypes_all_of(&p->types, f->name, &types, NULL);
	if (types)
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

int branch_programs_typed(struct branch_programs *p, const struct program_followed *f, struct load_program *ret,
			  struct err *e)
{
	struct ktypes *kernel = NULL;
	const int r = ktypes_all_of(&p->types, "", &kernel, f->code ? NULL : e);

	*ret = (struct load_program){ .types = f->code ? f->types : kernel, .kernel = f->code ? kernel : NULL,
				      .type = f->code ? f->code->type : 0, .function = f->name };
	if (ret->types)
		return 0;
	return f->code ? err_set(e, ENOENT, "BPF program %u says nothing of its types", f->code->id) : r;
}

/* Has what is to be shown of F read. */
static int programs_ask_prints(struct branch_programs *p, struct program_followed *f, struct err *e)
{
	const struct placing_prints *asked = p->prints ? branch_prints_asked(p->prints) : NULL;
	struct load_program of;
	int r = asked ? branch_programs_typed(p, f, &of, e) : 0;

	for (size_t i = 0; asked && i < asked->n && !r; i++) {
		struct ktypes_value v;
		struct ktypes *types;

		r = load_of_program_print(asked->expr[i], &of, &f->loads.load[i], &types, &v, e);
		if (r)
			err_prefix(e, "--print '%.100s'", asked->expr[i]);
	}
	return r;
}

/* Makes of names of parameters in X what they are, arguments by their place, but for those that lead to something. */
static int programs_name_arguments(const struct program_followed *f, struct spec_expr *x, struct err *e)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const char *name = x->pool + x->step[i].value;
		unsigned int at = 0;

		if (x->step[i].op != SPEC_PATH || name[strcspn(name, ".-[")])
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

static int programs_condition(struct branch_programs *p, struct program_followed *f, struct bpfcalls_function *ret,
			      struct err *e)
{
	struct spec s = { .points = 1 };
	struct filter_names names;
	struct load_program of;
	int r;

	s.point[0].kind = PROBE_CALL;
	s.point[0].when = f->wish->when;
	r = programs_name_arguments(f, &s.point[0].when, e);
	r = r ? r : filter_of_spec(&s, 0, &f->filter, &names, e);
	if (!r && names.n) {
		r = branch_programs_typed(p, f, &of, e);
		r = r ? r : loads_of_program(&names, &of, &f->loads, e);
	}
	if (!r && f->wish->when.n)
		ret->when = &f->filter;
	/* That is all: who is told of a call need not ask again, and cannot ask for what is behind pointers. */
	f->wish->when.n = 0;
	return r;
}

/* ---- finding it ---- */

/* Its calls weigh the time that they took, or 1 each when they are told as they BEGIN. */
static int programs_number(struct program_followed *f, bool begin, struct err *e)
{
	char text[2 * BPF_PROG_NAME_MAX];

	if (f->code)
		text_format(text, sizeof(text), "bpf:%u:%s", f->code->id, f->name);
	else
		text_format(text, sizeof(text), "k:%s", f->name);
	f->wish->number = probes_add(text, strlen(text), begin ? UNIT_COUNT : UNIT_TIME);
	if (f->wish->number == PROBE_NONE)
		return err_set(e, ENOSPC, "these are more than %u functions", PROBES_MAX);
	probes_ask(f->wish->number);
	return 0;
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

/* Where F leaves its frame, at the one end that it has; 0 = it may also end elsewhere. */
static uint64_t programs_leave(const struct program_followed *f)
{
	const struct program_part *part = &f->part.v[0];
	uint64_t found = 0;

	for (uint32_t i = 0; i < part->code.n; i++) {
		const struct code_block *b = &part->code.block[i];
		const uint64_t leave = b->vaddr + b->last - 1;

		/* Where returns are guarded, the last instruction is a jump to what returns. */
		if (b->end != CODE_RETURN && b->end != CODE_TAIL && b->end != CODE_INDIRECT)
			continue;
		if (found || leave < part->function->address || b->end == CODE_INDIRECT ||
		    part->function->bytes[leave - part->function->address] != LEAVE)
			return 0;
		found = leave;
	}
	return found;
}

int branch_programs_find_one(struct branch_programs *p, struct branch_wish *w, struct bpfcalls_function *ret,
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
	r = r ? r : programs_number(f, p->o->branch_entry, e);
	if (r)
		return r;
	programs_describe(p, f, p->o->branch_entry, ret);
	r = programs_condition(p, f, ret, e);
	r = r ? r : programs_ask_prints(p, f, e);
	ret->loads = &f->loads;
	if (!r && !f->code && p->o->branch_disasm)
		programs_decode(p, f);
	r = r || !f->code ? r : programs_add_parts(p, f, e);
	if (!r && f->code && branch_programs_break_ends(p))
		ret->leaves = programs_leave(f);
	return r;
}
