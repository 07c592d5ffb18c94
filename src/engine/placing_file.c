/* SPDX-License-Identifier: BSD-2-Clause */
/* placing_file.c - where probes go in one file: functions, blocks, static probes, allocators; see placing_private.h. */
#include "config.h"

#include "engine/placing_private.h"

#include "base/vec.h"
#include "bpf/wire.h"
#include "engine/filters.h"
#include "engine/loads.h"
#include "model/probecode.h"
#include "model/probes.h"
#include "probe/allocators.h"
#include "probe/catalog.h"
#include "probe/functions.h"
#include "probe/kinds.h"
#include "probe/leaves.h"
#include "probe/memory_notes.h"
#include "probe/probed_blocks.h"
#include "probe/site.h"
#include "probe/spec.h"
#include "probe/unreturning.h"
#include "probe/usdt.h"
#include "symbol/details.h"
#include "symbol/dwarf.h"
#include "symbol/elffile.h"
#include "symbol/params.h"
#include "unwind/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARAMS_OF 8u             /* functions of one probe and file whose parameters are looked up */

static void free_places(struct places_in_file *p)
{
	vec_free(&p->offset);
	vec_free(&p->semaphore);
	vec_free(&p->cookie);
	vec_free(&p->cost_ns);
}

static int add_place(struct places_in_file *to, uint64_t offset, uint64_t semaphore, uint32_t cost_ns, uint64_t cookie,
		     struct err *e)
{
	uint64_t *o, *s, *c;
	uint32_t *n;

	if (to->offset.n >= LINK_PLACES_MAX)
		return err_set(e, E2BIG, "the probes mean more than %u places in one file: name fewer",
			       LINK_PLACES_MAX);
	o = vec_push(&to->offset);
	s = vec_push(&to->semaphore);
	c = vec_push(&to->cookie);
	n = vec_push(&to->cost_ns);
	if (!o || !s || !c || !n)
		return err_nomem(e, "probes");
	*o = offset;
	*s = semaphore;
	*c = cookie;
	*n = cost_ns;
	return 0;
}

size_t at_hand_places(const struct file_at_hand *f)
{
	return f->moments.offset.n + f->calls.offset.n + f->begins.offset.n + f->allocs.offset.n +
	       f->go_allocs.offset.n + f->frees.offset.n;
}

/* Whether the probe PROBE of FN at OFFSET is one of ALL: 1; 0 = it is not; -EEXIST when it is another probe's. */
static int is_placed(const struct places_in_file *all, uint64_t offset, uint32_t probe,
		     const struct found_function *fn, struct err *e)
{
	for (size_t i = 0; i < all->offset.n; i++)
		if (all->offset.v[i] == offset)
			return SB_COOKIE_PROBE(all->cookie.v[i]) == SB_PROBE_PLACED + probe ? 1 :
				err_set(e, EEXIST, "two probes are about the calls of '%.100s': leave one of them out",
					fn->name);
	return 0;
}

/* What a cookie says of SITE, or of the entry of its function, where something may begin. */
static uint64_t placing_begin(const struct probe_site *site, bool entry)
{
	const uint32_t insn = entry ? site->entry_insn : site->insn;

	return SB_COOKIE_OF_BEGIN(!insn ? SB_BEGIN_NONE : site_insn_info((enum site_insn)insn)->emulated ?
				  SB_BEGIN_EMULATED : SB_BEGIN_STEPPED);
}

/* Adds the calls of a function, which begin at SITE, where a hit costs COST_NS, and end at N places LEFT. */
static int add_left(struct file_at_hand *f, uint64_t site, uint32_t cost_ns, const struct leave *left, size_t n,
		    uint32_t probe, uint64_t more, struct err *e)
{
	const uint32_t end_ns = site_insn_info(n && left[0].jumps ? SITE_JUMP : SITE_RETURN)->cost_ns;
	int r = add_place(&f->begins, site, 0, cost_ns + end_ns, SB_COOKIE(SB_PROBE_PLACED + probe, 0) | more, e);

	for (size_t i = 0; !r && i < n; i++)
		r = add_place(&f->ends, left[i].offset, 0, 0, SB_COOKIE(SB_PROBE_PLACED + probe, left[i].jumps ?
			      SB_LEAVES_JUMP : SB_LEAVES_RETURN) | SB_COOKIE_OF_LOADS(SB_COOKIE_LOADS(more)), e);
	return r;
}

/*
 * A function that would not survive a return probe is followed by one where it begins and one at each
 * instruction that leaves it. What cannot be followed is left out: E says why.
 */
static int placing_add_left(struct file_at_hand *f, const struct functions *all, const struct found_function *fn,
			    const struct in_program *x, const struct probe_site *site, uint64_t loads,
			    struct err *e)
{
	const char *why = unreturning_stack(f->elf, fn->symbol);
	leaves left = { 0 };
	uint64_t at = site->offset;
	int r = why ? err_set(e, EOPNOTSUPP, "%s", why) :
		leaves_find(f->elf, all, fn, f->image, f->pieces, &left, e);

	/* Where it begins its first instruction is probed, not a cheaper one that leaves it. */
	for (size_t i = 0; !r && i < left.n; i++) {
		at = left.v[i].offset == at ? fn->offset : at;
		if (left.v[i].offset == fn->offset)
			r = err_set(e, EOPNOTSUPP, "its first instruction leaves it");
		else if (left.v[i].jumps && site_result_of(&x->spec))
			r = err_set(e, EOPNOTSUPP, "it ends by a jump to another function, where its result is not "
				    "known: leave retval out");
	}
	if (r)
		err_prefix(e, "the return of '%.100s' cannot be probed (uprobe: counts its entries)", fn->name);
	else
		r = is_placed(&f->begins, at, x->probe, fn, e);
	if (!r)
		r = add_left(f, at, at == site->offset ? site->cost_ns : site->entry_cost_ns, left.v, left.n, x->probe,
			     loads | placing_begin(site, at != site->offset), e);
	vec_free(&left);
	return r == -EOPNOTSUPP || r > 0 ? 0 : r;
}

/*
 * A function is followed by one probe: the kernel half tells calls that are under way apart by where
 * they were made from (bpf/functions.bpf.h). What cannot be followed is left out: E says why.
 */
static int placing_add_call(struct file_at_hand *f, const struct functions *all, const struct found_function *fn,
			    const struct in_program *x, const struct probe_site *site, uint64_t loads,
			    struct err *e)
{
	int r;

	if (!site->return_ok) {
		err_set(e, EOPNOTSUPP, "the return of '%.100s' cannot be probed: no unwind table says that its return "
			"address is at the stack pointer there", fn->name);
		return 0;
	}
	if (f->walkers || unreturning_function(fn->symbol) ||
	    (f->passed && unreturning_caller(f->name, fn->symbol) && leaves_calls(f->elf, fn)))
		return placing_add_left(f, all, fn, x, site, loads, e);
	r = is_placed(&f->calls, site->offset, x->probe, fn, e);
	if (r)
		return r < 0 ? r : 0;
	return add_place(&f->calls, site->offset, 0, site->cost_ns ? site->cost_ns + SITE_RETURN_NS : 0,
			 SB_COOKIE(SB_PROBE_PLACED + x->probe, 0) | loads | placing_begin(site, false), e);
}

/*
 * The cheapest site of FN where the arguments of WISH are in the registers that they were passed in:
 * that is where the kernel half reads them.
 */
static int find_site(const struct file_at_hand *f, const struct found_function *fn, struct site_wish *wish,
		     struct probe_site *ret, struct err *e)
{
	struct found_function fixed = *fn;
	int r = site_of_function(f->elf, fn, wish, ret, e);
	bool moved = false;

	for (unsigned int i = 0; i < SITE_ARGS && r >= 0 && ret->behind; i++)
		moved |= wish->args >> i & 1 && ret->arg_reg[i] != site_arg_register(f->elf->eh.e_machine, i);
	if (!moved)
		return r;
	/* A function of unknown size is not moved. */
	fixed.size = 0;
	return site_of_function(f->elf, &fixed, wish, ret, e);
}

/* Opens the debug information of F for the names of parameters, unless it is. */
static int open_params(struct file_at_hand *f, struct err *e)
{
	const struct debug_places where = { .root = -1 };

	if (f->params)
		return 0;
	if (!f->debug && !dwarf_info_present(f->elf))
		f->debug = details_file(f->elf, f->name, &where, &f->debug_fd);
	return params_open(f->debug ? f->debug : f->elf, &f->params, e);
}

/*
 * The set of what is told of X when FN begins, or has RETURNED, to *RET; 0 = nothing. What cannot be found is not told,
 * and the reason noted.
 */
static int function_prints(struct file_at_hand *f, const struct in_program *x, const struct found_function *fn,
			   bool returned, uint32_t *ret, struct err *e)
{
	struct sb_loads set = { 0 };
	bool any = false;
	int r = 0;

	*ret = 0;
	if (!x->prints || fn->resolver)
		return 0;
	r = open_params(f, NULL);
	for (uint32_t i = 0; i < x->prints; i++) {
		struct probe_print p = { .known = false };
		struct err why = ERR_INIT;
		struct sb_load load = { 0 };

		if (r)
			err_set(&why, ENOENT, "%.200s has no debug information", f->name);
		else if (!load_of_param_print(x->print[i], f->params, f->elf->eh.e_machine, fn->vaddr, &load, &p,
					      &why) && load.size && (load.from == SB_LOAD_RESULT) == returned) {
			set.load[i] = load;
			any = true;
		}
		if (!p.known)
			probes_note_why(x->probe, why.text);
		if (!f->tries)
			probe_print_note(x->probe, i, &p);
	}
	r = any ? load_sets_add(f->loads, &set, e) : 0;
	*ret = r > 0 ? (uint32_t)r : 0;
	return r < 0 ? r : 0;
}

/* The number of a set with nothing but what is told when FN of X has returned; 0 = nothing is. */
static int function_return_loads(struct file_at_hand *f, const struct in_program *x, const struct found_function *fn,
				 struct err *e)
{
	struct sb_loads loads = { 0 };
	const int r = function_prints(f, x, fn, true, &loads.print, e);

	return r || !loads.print ? r : load_sets_add(f->loads, &loads, e);
}

/* The number of the set that says where the names of X are when FN begins; 0 = it has none. */
static int function_loads(struct file_at_hand *f, const struct in_program *x, const struct found_function *fn,
			  struct err *e)
{
	struct sb_loads loads = { 0 };
	int r;

	if ((!x->names.n && !x->prints) || fn->resolver)
		return 0;
	if (!fn->at_entry && loads_need_params(&x->names))
		return err_set(e, EOPNOTSUPP, "'%s' cannot be read: parameters are known where a function begins, and "
			       "not within '%.100s'", x->names.name[0], fn->name);
	r = loads_need_params(&x->names) ? open_params(f, e) : 0;
	if (r == -ENOENT)
		return err_set(e, ENOENT, "'%s' cannot be looked up in %.200s: it has no debug information, which "
			       "would know the names of parameters: use arg0 to arg5", x->names.name[0], f->name);
	if (r)
		return err_prefix(e, "'%s' cannot be looked up in %.200s", x->names.name[0], f->name);
	if (x->names.n)
		r = loads_of_function(&x->names, f->params, f->elf->eh.e_machine, fn->vaddr, &loads, e);
	r = r ? r : function_prints(f, x, fn, false, &loads.print, e);
	return r || (!x->names.n && !loads.print) ? r : load_sets_add(f->loads, &loads, e);
}

/*
 * How the parameters of FN are called, which is function number NR of X at hand, for what is told of their
 * values. Only what is in its register at SITE is seen. Of many functions they are not the same.
 */
static void note_params(struct file_at_hand *f, const struct found_function *fn, const struct in_program *x,
			const struct probe_site *site, size_t nr)
{
	struct param_listed list[PARAM_ARGS + 1] = { 0 };
	unsigned int seen = 1u << PARAM_ARGS;
	uint8_t regs[PARAM_ARGS];

	/* The arguments of a span are those at its end. */
	if (f->tries || x->span == SB_SPAN_BEGIN)
		return;
	for (unsigned int i = 0; i < PARAM_ARGS; i++) {
		regs[i] = site_arg_register(f->elf->eh.e_machine, i);
		seen |= (unsigned int)(site->arg_reg[i] == regs[i]) << i;
	}
	if (nr < PARAMS_OF && fn->at_entry && open_params(f, NULL))
		placing_params_unknown(list);
	else if (nr < PARAMS_OF && fn->at_entry)
		params_list(f->params, fn->vaddr, regs, list);
	placing_params_note(x->probe, list, seen);
}

/* The places in F, whose functions are ALL, that only debug information knows: of a line, and inlined calls. */
static int find_inlined(struct file_at_hand *f, const struct in_program *x, struct functions *all, found_functions *ret,
			struct err *e)
{
	const struct spec_point *p = &x->spec.point[0];
	int r = open_params(f, e);

	r = r ? r : find_code_places(all, f->elf, f->params, p, ret, e);
	if (r == -ENOENT && p->match == SPEC_LINE && !f->params)
		return err_set(e, ENOENT, "line '%.100s:%llu' cannot be looked up in %.200s: it has no debug "
			       "information, which would know lines: name a function, or install that of the program",
			       p->name, (unsigned long long)p->number, f->name);
	return r < 0 && p->match == SPEC_LINE ? err_prefix(e, "line '%.100s:%llu' cannot be looked up", p->name,
							   (unsigned long long)p->number) : r;
}

/* All places in F, whose functions are ALL, that X means. */
static int find_places(struct file_at_hand *f, const struct in_program *x, struct functions *all, found_functions *ret,
		       struct err *e)
{
	const struct spec_point *p = &x->spec.point[0];
	struct err why = ERR_INIT;
	int r, inlined;

	if (p->match == SPEC_LINE)
		return find_inlined(f, x, all, ret, e);
	r = find_functions(all, p, ret, &why);
	inlined = p->match == SPEC_EXACT && (r == -ENOENT || (p->kind == PROBE_ENTRY && dwarf_info_present(f->elf))) ?
		find_inlined(f, x, all, ret, NULL) : 0;
	if (r == -ENOENT && inlined > 0 && placing_returns(p)) {
		ret->n -= (size_t)inlined;
		return err_set(e, ENOENT, "'%.100s' is inlined everywhere, at %d place%s, where it does not return: "
			       "uprobe: counts these", p->name, inlined, inlined == 1 ? "" : "s");
	}
	if (inlined > 0)
		return (int)ret->n;
	if (r < 0 && e)
		*e = why;
	return r;
}

/* The number of the set of names for each of FOUND, into RET. All or none, as of static probes. */
static int find_loads(struct file_at_hand *f, const struct in_program *x, const found_functions *found, u32_vec *ret,
		      struct err *e)
{
	if (!vec_reserve(ret, found->n))
		return err_nomem(e, "probes");
	for (size_t i = 0; i < found->n; i++) {
		const int r = function_loads(f, x, &found->v[i], e);

		if (r < 0)
			return r;
		ret->v[ret->n++] = (uint32_t)r;
	}
	return 0;
}

/* Adds the place FN of X, the one of number NR at hand, whose names are in the set of number SET. */
static int placing_add_function(struct file_at_hand *f, const struct in_program *x, const struct functions *all,
				const struct found_function *fn, size_t nr, uint32_t set, struct err *e)
{
	const bool returns = placing_returns(&x->spec.point[0]);
	struct site_wish wish = { .args = site_args_of(&x->spec), .returns = returns, .cfi = f->image };
	const uint64_t loads = SB_COOKIE_OF_LOADS(set);
	struct found_function at = *fn;
	struct probe_site site;
	int r;

	/* A resolver runs once, and is not what was meant. */
	if (fn->resolver)
		return 0;
	/* Behind the first instruction a function may have changed what its parameters lead to. */
	at.size = x->names.n ? 0 : at.size;
	r = find_site(f, &at, &wish, &site, e);
	if (r < 0)
		return r;
	note_params(f, fn, x, &site, nr);
	if (returns)
		return placing_add_call(f, all, fn, x, &site, loads, e);
	return add_place(&f->moments, site.offset, 0, site.cost_ns,
			 SB_COOKIE_OF_SPAN(SB_PROBE_PLACED + x->probe, x->span) | loads |
			 placing_begin(&site, false) | (fn->inlined ? SB_COOKIE_INLINED : 0), e);
}

/* Adds block NR of CODE to TO, at the place AT of it, with what its cookie has MORE; its cost is noted. */
static int place_block(struct file_at_hand *f, const struct in_program *x, struct probe_code *code, uint32_t nr,
		     const struct found_function *at, uint64_t more, struct places_in_file *to, struct err *e)
{
	const struct site_wish wish = { .cfi = f->image };
	struct probe_site site;
	const int r = site_of_function(f->elf, at, &wish, &site, e);
	const uint32_t cost_ns = more & SB_COOKIE_RETURNED ? SITE_RETURN_NS : site.cost_ns;

	if (r)
		return r;
	code->all_ns += cost_ns;
	code->dearest_ns = cost_ns > code->dearest_ns ? cost_ns : code->dearest_ns;
	return add_place(to, at->offset, 0, cost_ns,
			 SB_COOKIE(SB_PROBE_PLACED + x->probe, nr) | SB_COOKIE_BRANCH | more, e);
}

/*
 * The places of the blocks of CODE, of which the first one is probed at ENTRY, as is the return. BEGIN and END: what
 * cookies have more where it begins, and where it ends.
 */
static int place_blocks(struct file_at_hand *f, const struct in_program *x, const struct probe_site *entry,
		      struct probe_code *code, uint64_t begin, uint64_t end, struct places_in_file *to,
		      struct places_in_file *returned, struct err *e)
{
	struct found_function at = { .offset = entry->offset, .name = code->name };
	int r = code->returns ? place_block(f, x, code, 0, &at, SB_COOKIE_RETURNED | end, returned, e) : 0;

	r = r ? r : place_block(f, x, code, 0, &at, SB_COOKIE_ROOT | begin, to, e);
	for (uint32_t i = 1; !r && i < code->n; i++) {
		const struct code_block *b = &code->block[i];

		if (!b->probed)
			continue;
		if (!elf_file_offset(f->elf, b->vaddr + b->at, &at.offset))
			return err_set(e, EIO, "the code of '%.100s' cannot be read", code->name);
		r = place_block(f, x, code, i, &at, b->end == CODE_RETURN && !code->returns ? end : 0, to, e);
	}
	return r;
}

/* Adds ALL to TO, whose numbers become those from FIRST on. */
static int move_blocks(struct places_in_file *to, const struct places_in_file *all, uint32_t first, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < all->offset.n; i++)
		r = add_place(to, all->offset.v[i], 0, all->cost_ns.v[i], all->cookie.v[i] + SB_COOKIE(0, first), e);
	return r;
}

/* Can the return of FN be probed, at SITE, without harm to exceptions? */
static bool may_return(const struct file_at_hand *f, const struct found_function *fn, const struct probe_site *site)
{
	return site->return_ok && !f->walkers && !unreturning_function(fn->symbol) &&
		!(f->passed && unreturning_caller(f->name, fn->symbol) && leaves_calls(f->elf, fn));
}

/* Chooses which of the BLOCKS of CODE are probed, by what hits at them cost. */
static int choose_blocks(struct file_at_hand *f, const struct probe_code *code, struct code_block *blocks,
			 struct err *e)
{
	const struct site_wish wish = { .cfi = f->image };
	AUTO_FREE uint32_t *cost_ns = calloc(code->n, sizeof(*cost_ns));

	for (uint32_t i = 0; cost_ns && i < code->n; i++) {
		struct found_function at = { .name = code->name };
		struct probe_site site;

		if (elf_file_offset(f->elf, blocks[i].vaddr + blocks[i].at, &at.offset) &&
		    !site_of_function(f->elf, &at, &wish, &site, NULL))
			cost_ns[i] = site.cost_ns;
	}
	return cost_ns && probed_blocks_choose(blocks, code->n, cost_ns, code->returns) ? 0 :
		err_nomem(e, "the code of a function");
}

/* All basic blocks of FN of X, which are told apart by their numbers (model/probecode.h). */
static int placing_add_branches(struct file_at_hand *f, const struct in_program *x, const struct functions *all,
				const struct found_function *fn, uint32_t set, struct err *e)
{
	struct probe_code code = { .path = f->name, .symbol = fn->symbol, .name = fn->name, .pid = f->pid,
				   .start = fn->start };
	struct site_wish wish = { .args = (1u << SITE_ARGS) - 1, .returns = true, .cfi = f->image };
	struct places_in_file places = { 0 }, returned = { 0 };
	struct probe_site entry;
	code_blocks blocks = { 0 };
	int at_return;
	int r = fn->resolver ? -EOPNOTSUPP : leaves_blocks(f->elf, all, fn, f->image, f->pieces, &blocks, e);

	r = r ? r : find_site(f, fn, &wish, &entry, e);
	if (!r)
		note_params(f, fn, x, &entry, 0);
	code.block = blocks.v;
	code.n = (uint32_t)blocks.n;
	code.returns = !r && may_return(f, fn, &entry);
	r = r ? r : choose_blocks(f, &code, blocks.v, e);
	if (!fn->resolver && (r == -EOPNOTSUPP || r == -E2BIG))
		err_prefix(e, "the branches of '%.100s' cannot be followed", fn->name);
	at_return = r ? r : function_return_loads(f, x, fn, e);
	r = at_return < 0 ? at_return : 0;
	r = r ? r : place_blocks(f, x, &entry, &code, SB_COOKIE_OF_LOADS(set), SB_COOKIE_OF_LOADS(at_return), &places,
				 &returned, e);
	code.first = r || f->tries ? 0 : probe_code_note(x->probe, &code);
	if (!r && code.first == CODE_NUMBERS_MAX)
		r = err_set(e, E2BIG, "probe '%.100s' has more than %u basic blocks: name fewer functions",
			    probes_measure(x->probe)->name, CODE_NUMBERS_MAX);
	r = r ? r : move_blocks(&f->returned, &returned, code.first, e);
	r = r ? r : move_blocks(&f->moments, &places, code.first, e);
	free_places(&places);
	free_places(&returned);
	vec_free(&blocks);
	return r == -EOPNOTSUPP || r == -E2BIG ? 0 : r;
}

int at_hand_add_functions(struct file_at_hand *f, const struct in_program *x, struct err *e)
{
	AUTO(functions_free) struct functions *all = NULL;
	found_functions found = { 0 };
	u32_vec sets = { 0 };
	int r = functions_new(f->elf, NULL, &all, e);

	if (r >= 0 && (placing_returns(&x->spec.point[0]) || x->spec.point[0].match == SPEC_BRANCHES) && !f->image) {
		f->walkers = unreturning_file(f->elf);
		f->pieces = f->pieces ? f->pieces : fde_starts_new(f->elf);
		r = image_open(f->fd, &f->image, e);
	}
	r = r < 0 ? r : find_places(f, x, all, &found, e);
	r = r < 0 ? r : find_loads(f, x, &found, &sets, e);
	for (size_t i = 0; r >= 0 && i < found.n; i++)
		r = x->spec.point[0].match == SPEC_BRANCHES ?
			placing_add_branches(f, x, all, &found.v[i], sets.v[i], e) :
			placing_add_function(f, x, all, &found.v[i], i, sets.v[i], e);
	vec_free(&sets);
	vec_free(&found);
	return r;
}

/*
 * The number of the set that says where the names of X are at SITE, and what its arguments are; 0 = it has neither.
 * Where there is no room for more sets, nobody sees the arguments.
 */
static int usdt_loads(struct file_at_hand *f, const struct in_program *x, const struct usdt_site *site, struct err *e)
{
	struct sb_loads loads = { 0 }, args;
	int r = x->names.n ? loads_of_usdt(&x->names, site, &loads, e) : 0;

	if (r)
		return r;
	r = loads_of_usdt_args(site, &args) && x->span != SB_SPAN_BEGIN ? load_sets_add(f->loads, &args, NULL) : 0;
	loads.args = r > 0 ? (uint32_t)r : 0;
	r = x->names.n || loads.args ? load_sets_add(f->loads, &loads, e) : 0;
	return r < 0 && !x->names.n ? 0 : r;
}

/*
 * What the arguments of X are called, whose places in a file are ALL: as notes have no names, by their numbers. What
 * each place has is told, all of 64 bits; what one cannot tell is left out.
 */
static void note_usdt_args(const struct file_at_hand *f, const struct in_program *x, const usdt_sites *all)
{
	struct param_listed list[PARAM_ARGS + 1];
	unsigned int seen = (1u << PARAM_ARGS) - 1;

	placing_params_unknown(list);
	for (size_t i = 0; i < all->n; i++)
		for (unsigned int k = 0; k < PARAM_ARGS; k++) {
			list[k].is_signed |= all->v[i].arg[k].is_signed && k < all->v[i].nr_args;
			if (k >= all->v[i].nr_args || all->v[i].arg[k].where == USDT_UNKNOWN)
				seen &= ~(1u << k);
		}
	if (!f->tries && x->span != SB_SPAN_BEGIN)
		placing_params_note(x->probe, list, seen);
}

static int add_static_probe(struct file_at_hand *f, const struct in_program *x, const struct usdt_site *site,
			    uint32_t loads, struct err *e)
{
	return add_place(&f->moments, site->offset, site->semaphore, site_insn_info(SITE_NOP)->cost_ns,
			 SB_COOKIE_OF_SPAN(SB_PROBE_PLACED + x->probe, x->span) | SB_COOKIE_OF_LOADS(loads) |
			 SB_COOKIE_OF_BEGIN(SB_BEGIN_EMULATED), e);
}

int at_hand_add_static(struct file_at_hand *f, const struct in_program *x, struct err *e)
{
	usdt_sites found = { 0 };
	u32_vec sets = { 0 };
	int r = find_usdt(f->elf, &x->spec.point[0], &found, NULL, e);

	if (!r)
		r = err_set(e, ENOENT, "it has no static probes");
	if (r >= 0 && !vec_reserve(&sets, found.n))
		r = err_nomem(e, "probes");
	/* All places or none: a sum of some of them would be wrong. */
	for (size_t i = 0; r >= 0 && i < found.n; i++) {
		r = usdt_loads(f, x, &found.v[i], e);
		if (r >= 0)
			sets.v[sets.n++] = (uint32_t)r;
	}
	if (r >= 0)
		note_usdt_args(f, x, &found);
	for (size_t i = 0; r >= 0 && i < found.n; i++)
		r = add_static_probe(f, x, &found.v[i], sets.v[i], e);
	vec_free(&sets);
	vec_free(&found);
	return r;
}

/* Adds FN, where its arguments are in their registers. */
static int add_allocator(struct file_at_hand *f, const struct allocator_function *fn, struct err *e)
{
	const struct allocator_args *args = &fn->args;
	const uint8_t used[] = { args->size, args->times, args->old, args->out };
	struct site_wish wish = { .returns = args->size, .cfi = f->image };
	const uint64_t how = SB_ALLOC_HOW(args->size, args->times, args->old, args->out) |
		(fn->outer ? SB_ALLOC_OUTER : 0);
	struct found_function at = fn->at;
	struct probe_site site;
	int r;

	for (size_t i = 0; i < sizeof(used); i++)
		wish.args |= used[i] ? (uint8_t)(1u << (used[i] - 1)) : 0;
	r = find_site(f, &at, &wish, &site, e);
	if (r >= 0 && wish.returns && !site.return_ok) {
		/* Without an unwind table it is known where a function begins, as who calls it has put it there. */
		at.size = 0;
		r = find_site(f, &at, &wish, &site, e);
	}
	return r < 0 ? r : add_place(args->size ? &f->allocs : &f->frees, site.offset, 0, site.cost_ns,
				     SB_COOKIE(args->size ? SB_PROBE_ALLOC : SB_PROBE_FREE, how), e);
}

#define GO_FIRST_ARGUMENT (1u << 0)      /* rax, by DWARF number */

static int add_go_allocator(struct file_at_hand *f, const struct allocator_function *fn, struct err *e)
{
	struct site_wish wish = { .keep = GO_FIRST_ARGUMENT };
	struct probe_site site;
	const int r = find_site(f, &fn->at, &wish, &site, e);

	return r < 0 ? r : add_place(&f->go_allocs, site.offset, 0, site.cost_ns, SB_COOKIE(SB_PROBE_ALLOC, 0), e);
}

/* The function of Go in F that has no symbol, unless one of FOUND is it. */
static void add_go_by_table(struct file_at_hand *f, const allocator_functions *found, struct err *e)
{
	struct allocator_function fn;

	for (size_t i = 0; i < found->n; i++)
		if (found->v[i].go)
			return;
	if (find_go_allocator(f->elf, f->image, &fn))
		(void)add_go_allocator(f, &fn, e);
}

/* Adds to *MET which of P's own allocators there are, as a mask. */
void at_hand_add_allocators(struct file_at_hand *f, const struct placing *p, uint64_t *met, struct err *e)
{
	allocator_functions found = { 0 };
	int r = find_allocators(f->elf, f->name, p->own.v, p->own.n, &found, e);

	if (!r && (found.n || allocators_are_go(f->elf)) && !f->image)
		r = image_open(f->fd, &f->image, e);
	/* It may be stripped, or of C and Go. */
	if (r >= 0 && f->image)
		add_go_by_table(f, &found, e);
	for (size_t i = 0; r >= 0 && i < found.n; i++)
		if (found.v[i].go)
			(void)add_go_allocator(f, &found.v[i], e);
		else if ((p->frees || found.v[i].args.size) && add_allocator(f, &found.v[i], e) >= 0 && found.v[i].own)
			*met |= (uint64_t)1 << (found.v[i].own - 1) % ALLOCATORS_OWN_MAX;
	vec_free(&found);
}

/* Adds SITE, where a program tells of a block. Only the arguments that it has are read. */
static int add_told(struct file_at_hand *f, const struct usdt_site *site, bool begins, struct err *e)
{
	struct filter_names names = { .n = begins ? MEMORY_NOTES_ALLOC_ARGS : MEMORY_NOTES_FREE_ARGS };
	const uint32_t least = begins ? 2 : 1;
	struct sb_loads loads;
	int r;

	names.n = site->nr_args < names.n ? site->nr_args : names.n;
	if (names.n < least)
		return err_set(e, EINVAL, "its static probe %s:%s has %u arguments and should have %u", site->provider,
			       site->name, names.n, least);
	for (uint32_t i = 0; i < names.n; i++)
		snprintf(names.name[i], sizeof(names.name[i]), "arg%u", i);
	r = loads_of_usdt(&names, site, &loads, e);
	r = r ? r : load_sets_add(f->loads, &loads, e);
	return r < 0 ? r : add_place(begins ? &f->allocs : &f->frees, site->offset, site->semaphore,
				     site_insn_info(SITE_NOP)->cost_ns,
				     SB_COOKIE(begins ? SB_PROBE_ALLOC : SB_PROBE_FREE, 0) |
				     SB_COOKIE_OF_LOADS(r), e);
}

/* The places of F where it tells of blocks that it has sampled. */
void at_hand_add_told(struct file_at_hand *f, bool frees, struct err *e)
{
	usdt_sites found = { 0 };

	if (memory_notes_find(f->elf, &found, e) >= 0)
		for (size_t i = 0; i < found.n; i++) {
			const bool begins = !strcmp(found.v[i].name, MEMORY_NOTES_ALLOC);

			if (begins || (frees && !strcmp(found.v[i].name, MEMORY_NOTES_FREE)))
				(void)add_told(f, &found.v[i], begins, e);
		}
	vec_free(&found);
}

void at_hand_close(struct file_at_hand *f)
{
	free_places(&f->moments);
	free_places(&f->returned);
	free_places(&f->allocs);
	free_places(&f->frees);
	free_places(&f->go_allocs);
	free_places(&f->calls);
	free_places(&f->begins);
	free_places(&f->ends);
	fde_starts_free(f->pieces);
	image_free(f->image);
	params_free(f->params);
	elf_file_free(f->debug);
	if (f->debug_fd >= 0)
		close(f->debug_fd);
	elf_file_free(f->elf);
	if (f->fd >= 0)
		close(f->fd);
}
