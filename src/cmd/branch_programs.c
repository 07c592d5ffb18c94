/* SPDX-License-Identifier: BSD-2-Clause */
/* branch_programs.c - calls of BPF programs, and calls with records of the CPU: see branch_programs.h. */
#include "config.h"

#include "cmd/branch_programs_private.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TURN_MS 100
#define FRAMED_WITHIN 64u                /* bytes of a program, in which its frame is made */
#define HELD_MAX 16384u                  /* calls with records that wait for the end */

/* ---- calls ---- */

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

/* Keeps what is to be shown of the call C. */
static void programs_take_prints(struct branch_programs *p, const struct sb_bpf_call *c,
				 const struct sb_bpf_prints *prints)
{
	struct hit_text text[SB_PRINTS];

	for (uint32_t i = 0; i < SB_PRINTS; i++) {
		const struct sb_bpf_print *at = &prints->print[i];
		const bool string = !p->followed.v[c->function].loads.load[i].scale;

		text[i] = (struct hit_text){ .arg = (uint8_t)(HIT_PRINT + i), .bytes = at->bytes };
		text[i].unread = at->got < 0 || at->got > (int32_t)SB_PRINT_MAX;
		text[i].len = text[i].unread ? 0 : (uint16_t)at->got;
		text[i].cut = string && at->got == (int32_t)SB_TEXT_MAX;
	}
	/* Arguments are asked for by the begin, results by the end. */
	branch_prints_keep(p->prints, (pid_t)c->tid, c->begun_ns, text, SB_PRINTS);
	branch_prints_keep(p->prints, (pid_t)c->tid, c->ended_ns, text, SB_PRINTS);
}

static void programs_ended(void *ctx, const struct sb_bpf_call *c, const struct sb_bpf_prints *prints)
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
	branch_programs_note_set(p, c->set);
	if (prints)
		programs_take_prints(p, c, prints);
	if (!(p->records ? programs_records(p, f, c, &call) :
	      p->o->branch_entry || branch_programs_follow(p, f, c, &call))) {
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
	const uint32_t sets = branch_programs_sets(p);
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
static bool programs_are_silent(const struct branch_programs *p, struct err *why)
{
	char type[32];

	for (size_t i = 0; i < p->followed.n; i++) {
		const struct bpfcode *c = p->followed.v[i].code;

		if (c && (c->type == BPF_PROG_TYPE_KPROBE || c->type == BPF_PROG_TYPE_TRACEPOINT ||
			  c->type == BPF_PROG_TYPE_PERF_EVENT)) {
			err_set(why, EOPNOTSUPP, "while a BPF program of type %s runs, the kernel runs none that "
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
	if (p->jump.n && !p->o->branch_entry && !programs_are_silent(p, &p->why))
		p->each = bpfcalls_breakpoints(p->calls, &p->why);
	p->look_ns = clock_mono_ns();
	if (p->each && !vec_reserve(&p->met, branch_programs_sets(p)))
		return err_nomem(e, "jumps of BPF programs");
	while (p->each && p->met.n < branch_programs_sets(p))
		p->met.v[p->met.n++] = false;
	if (p->each)
		branch_programs_watch(p, 1);
	return 0;
}

int branch_programs_find(const struct options *o, branch_wishes *wishes, struct branch_names *names,
			 struct branch_prints *prints, bool records, const struct branch_programs_ops *ops,
			 struct branch_programs **ret, struct err *e)
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
	p->prints = prints;
	p->ops = *ops;
	p->records = records;
	programs_read_symbols(p);
	if (!vec_reserve(&p->followed, wishes->n))
		return err_nomem(e, "BPF programs");
	for (size_t i = 0; i < wishes->n && !r; i++)
		r = branch_programs_find_one(p, &wishes->v[i], &p->asked[i], e);
	r = r ? r : branch_programs_gather_jumps(p, e);
	if (!r)
		*ret = take_ptr(p);
	return r;
}

int branch_programs_framed(const struct branch_programs *p, uint64_t *ret, struct err *e)
{
	/* mov %rsp,%rbp, behind what the kernel has at the begin of each program to jump in and to count tail calls */
	static const uint8_t frames[] = { 0x48, 0x89, 0xe5 };
	const struct bpfcode_function *f = p->followed.v[0].function;
	const uint8_t *at;

	if (p->followed.n != 1 || !f)
		return err_set(e, EOPNOTSUPP, "stacks are taken of the calls of one BPF program at a time: name one, "
			       "or leave --stacks and --record out");
	if (programs_are_silent(p, e))
		return -EOPNOTSUPP;
	at = memmem(f->bytes, f->size < FRAMED_WITHIN ? f->size : FRAMED_WITHIN, frames, sizeof(frames));
	if (!at)
		return err_set(e, EOPNOTSUPP, "%s has no frame, from which the kernel could unwind its stack", f->name);
	*ret = f->address + (uint64_t)(at - f->bytes) + sizeof(frames);
	return 0;
}

bool branch_programs_are_off(const struct branch_programs *p)
{
	return p->off_until_ns != 0;
}

int branch_programs_begin(struct branch_programs *p, struct err *e)
{
	int r;

	programs_say_price(p);
	if (branch_programs_break_ends(p) && !p->asked[0].leaves)
		fprintf(stderr, "sberf branches: stacks lack the functions of the kernel that call %s, as it ends at "
			"several places: with --entry they have them\n", p->followed.v[0].name);
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
		ktypes_free(p->followed.v[i].types);
		bpfcode_free(p->followed.v[i].code);
	}
	vec_free(&p->followed);
	ktypes_all_free(&p->types);
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
	bpfcalls_read(p->calls, TURN_MS, programs_ended, p);
	if (p->each)
		branch_programs_take_turns(p);
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

bool branch_programs_print(void *ctx, uint32_t probe, const char *expr, struct ktypes **ret_types,
			   struct ktypes_value *ret)
{
	struct branch_programs *p = ctx;
	const struct program_followed *f = programs_of(p, probe);
	struct load_program of;
	struct sb_load load;

	return f && !branch_programs_typed(p, f, &of, NULL) &&
		!load_of_program_print(expr, &of, &load, ret_types, ret, NULL);
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
	return branch_programs_sets(p) > 1;
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

		(void)branch_programs_set(p, (uint32_t)i + 1, &n);
		loss[LOSS_UNWATCHED] += p->met.v[i] ? 0 : n;
	}
	loss[LOSS_NO_RECORDS] = lost.no_records;
	loss[LOSS_OPEN] = lost.unended;
	loss[LOSS_OWN] = p->figures.own;
	loss[LOSS_BEFORE] = p->figures.before;
	loss[LOSS_UNNAMED] = p->figures.unnamed;
}
