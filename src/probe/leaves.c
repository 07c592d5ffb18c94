/* SPDX-License-Identifier: BSD-2-Clause */
/* leaves.c - decodes a function part by part, and judges its jumps when all parts are known. See leaves.h. */
#include "config.h"

#include "probe/leaves.h"

#include "base/cleanup.h"
#include "model/machine.h"
#include "probe/site_arch.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define KERNEL_MACHINE EM_X86_64
#else
#define KERNEL_MACHINE EM_NONE
#endif
#define PART_BYTES_MAX (1u << 20)
#define PARTS_MAX 4u                     /* the body, and unlikely parts of it */

/* A piece of code of the function. */
struct leaves_part {
	uint64_t vaddr, offset;
	size_t len;
	uint8_t *bytes;
	bool *begins;            /* an instruction begins there */
	bool *leads;             /* a basic block does; NULL = nobody asks */
};

/* An instruction that may lead out of its part. */
struct leaves_jump {
	uint64_t vaddr, offset, target;
	uint8_t way;             /* SITE_WAY_END: to TARGET; else as decoded, TARGET is its table */
	bool always;
	bool summed;             /* the register of SITE_WAY_REGISTER holds a sum */
};

/* A function that is looked through. */
struct leaves_search {
	const struct leaves_kernel *kernel;      /* NULL = it is of FILE; else of the kernel: offsets are addresses */
	const struct elf_file *file;
	const struct functions *all;
	const struct found_function *f;
	const struct site_arch *arch;
	struct image *cfi;
	const struct fde_starts *pieces;
	struct leaves_part part[PARTS_MAX];
	size_t parts;
	VEC(struct leaves_jump) jump;
	leaves *ret;
	struct err *e;
};

static int leaves_refuse(const struct leaves_search *s, uint64_t vaddr, const char *why)
{
	return err_set(s->e, EOPNOTSUPP, "%s (at 0x%" PRIx64 ")", why, vaddr);
}

/* The LEN bytes at OFFSET; NULL when they cannot be read. */
static uint8_t *leaves_read(const struct leaves_search *s, uint64_t offset, size_t len)
{
	AUTO_FREE uint8_t *bytes = NULL;

	if (!s->kernel)
		return elf_file_dup(s->file, offset, len, PART_BYTES_MAX);
	bytes = malloc(len);
	return bytes && s->kernel->read(s->kernel->ctx, offset, bytes, len) ? take_ptr(bytes) : NULL;
}

static int leaves_refuse_probed(const struct leaves_search *s, uint64_t vaddr)
{
	return err_set(s->e, EBUSY, "somebody else probes an instruction of it (at 0x%" PRIx64 ")", vaddr);
}

/* Reads the LEN bytes at VADDR, OFFSET in the file, as the next part. */
static int leaves_add_part(struct leaves_search *s, uint64_t vaddr, uint64_t offset, uint64_t len)
{
	struct leaves_part *p = &s->part[s->parts];

	if (s->parts == PARTS_MAX || !len || len > PART_BYTES_MAX)
		return leaves_refuse(s, vaddr, len ? "it has more code than is looked through" :
				     "its size is not known");
	*p = (struct leaves_part){ .vaddr = vaddr, .offset = offset, .len = (size_t)len };
	p->bytes = leaves_read(s, offset, (size_t)len);
	p->begins = calloc((size_t)len, sizeof(*p->begins));
	s->parts++;
	if (!p->begins)
		return err_nomem(s->e, "the code of a function");
	return p->bytes ? 0 : leaves_refuse(s, vaddr, "its code cannot be read");
}

static int leaves_add(struct leaves_search *s, uint64_t offset, bool jumps)
{
	struct leave *l = vec_push(s->ret);

	if (!l)
		return err_nomem(s->e, "the code of a function");
	*l = (struct leave){ offset, jumps };
	return 0;
}

static bool leaves_returns_at(const struct leaves_search *s, uint64_t offset)
{
	/* The kernel has no such table; its compilers put no jump out of a function where something else is. */
	if (s->kernel)
		return true;
	return site_returns_at(s->arch, s->cfi, offset);
}

#define KERNEL_TRAP 0xcc                 /* int3 */
#define KERNEL_DETOUR_BYTES 5u           /* of the jump to what stands in place of probed instructions */
#define KERNEL_WARNS "\x0f\x0b"          /* ud2 */

/* Is the instruction at CODE, of SIZE bytes, a trap of the kernel behind which it may go on, or not (BUG_ON)? */
static bool leaves_may_end(const struct leaves_search *s, const uint8_t *code, size_t size)
{
	return s->kernel && size == 2 && !memcmp(code, KERNEL_WARNS, 2);
}

/* The instruction at CODE. Traps of the kernel are padding, where nothing leads to, or go on (WARN_ON). */
static struct site_effect leaves_insn(const struct leaves_search *s, const uint8_t *code, size_t len)
{
	struct site_effect f = s->arch->decode(code, len);

	if (s->kernel && f.size == 1 && code[0] == KERNEL_TRAP)
		f.idle = true;
	if (leaves_may_end(s, code, f.size))
		f.way = SITE_WAY_ON;
	return f;
}

/* Notes the instruction F at byte AT of P, if it may lead elsewhere; SUMS are registers that hold sums. */
static int leaves_note(struct leaves_search *s, const struct leaves_part *p, size_t at, const struct site_effect *f,
		       uint32_t sums)
{
	const uint64_t vaddr = p->vaddr + at, offset = p->offset + at;
	struct leaves_jump *j;

	if (f->insn == SITE_RETURN)
		return leaves_returns_at(s, offset) ? leaves_add(s, offset, false) :
			leaves_refuse(s, vaddr, "no unwind table says that its return address is at the stack pointer "
				      "where it returns");
	if (f->way == SITE_WAY_UNKNOWN)
		return leaves_refuse(s, vaddr, "it has an indirect jump that may stay inside of it or not");
	if (!f->jumps && (f->way == SITE_WAY_ON || f->way == SITE_WAY_END))
		return 0;
	j = vec_push(&s->jump);
	if (!j)
		return err_nomem(s->e, "the code of a function");
	*j = (struct leaves_jump){
		.vaddr = vaddr, .offset = offset, .way = f->jumps ? SITE_WAY_END : f->way,
		.target = f->jumps ? vaddr + (uint64_t)(int64_t)f->target : f->table,
		.always = f->jumps ? f->always : true,
		.summed = f->way == SITE_WAY_REGISTER && sums >> f->via & 1,
	};
	return 0;
}

/* Is ADDRESS where the kernel has put the rest of a probe, and no function? */
static bool leaves_is_detour(const struct leaves_search *s, uint64_t address)
{
	const char *name;
	uint64_t start, size;

	return !s->kernel->find(s->kernel->ctx, address, &name, &start, &size) ||
		!strncmp(name, "kprobe_insn_page", 16) || !strncmp(name, "kprobe_optinsn_page", 19);
}

/*
 * Whether somebody's probe stands in P at AT over an instruction, of which nothing is known: a trap, or the jump F.
 * ENDS: what is before it does not lead there.
 */
static bool leaves_is_probed(const struct leaves_search *s, const struct leaves_part *p, size_t at,
			     const struct site_effect *f, bool ends)
{
	if (!s->kernel)
		return false;
	if (f->jumps && f->always && f->size == KERNEL_DETOUR_BYTES)
		return leaves_is_detour(s, p->vaddr + at + (uint64_t)(int64_t)f->target);
	return p->bytes[at] == KERNEL_TRAP && !ends;
}

/* Is P nothing but traps? The kernel fills with them what it needed for its start only. */
static bool leaves_is_gone(const struct leaves_search *s, const struct leaves_part *p)
{
	for (size_t i = 0; s->kernel && i < p->len; i++)
		if (p->bytes[i] != KERNEL_TRAP)
			return false;
	return s->kernel;
}

/* Decodes P from its begin to its end. */
static int leaves_decode(struct leaves_search *s, struct leaves_part *p)
{
	struct site_effect f = { .size = 0 };
	uint32_t sums = 0;
	bool ends = false;
	int r = 0;

	if (leaves_is_gone(s, p))
		return leaves_refuse(s, p->vaddr, "it is no longer there: it was for the start of the kernel");
	for (size_t at = 0; !r && at < p->len; at += f.size) {
		f = leaves_insn(s, p->bytes + at, p->len - at);
		if (!f.size)
			return leaves_refuse(s, p->vaddr + at, "not all of it are instructions");
		if (leaves_is_probed(s, p, at, &f, ends))
			return leaves_refuse_probed(s, p->vaddr + at);
		p->begins[at] = true;
		r = leaves_note(s, p, at, &f, sums);
		/* Nothing of them is left behind a call. */
		sums = f.calls ? 0 : (sums & ~f.writes) | (f.adds ? f.writes : 0);
		/* What is called at the end does not return. */
		ends = f.idle ? ends : f.way != SITE_WAY_ON || f.calls || leaves_may_end(s, p->bytes + at, f.size);
	}
	return r || ends ? r : leaves_refuse(s, p->vaddr + p->len, "it goes on behind its end");
}

/* The part that has VADDR; NULL. */
static const struct leaves_part *leaves_part_of(const struct leaves_search *s, uint64_t vaddr)
{
	for (size_t i = 0; i < s->parts; i++)
		if (vaddr - s->part[i].vaddr < s->part[i].len)
			return &s->part[i];
	return NULL;
}

/* The same for a symbol of the kernel that ADDRESS is in: "NAME.cold" is a part of NAME. */
static bool leaves_kernel_cold(const struct leaves_search *s, uint64_t address, struct function_part *ret)
{
	const size_t len = strlen(s->f->symbol);
	const char *name;
	uint64_t start, size;

	if (!s->kernel->find(s->kernel->ctx, address, &name, &start, &size) || strncmp(name, s->f->symbol, len) ||
	    strncmp(name + len, ".cold", 5))
		return false;
	*ret = (struct function_part){ .vaddr = start, .offset = start, .size = size };
	return true;
}

/* Does code of the kernel at ADDRESS return to the caller of who jumps there? */
static bool leaves_is_return_thunk(const struct leaves_search *s, uint64_t address)
{
	const char *name;
	uint64_t start, size;

	return s->kernel && s->kernel->find(s->kernel->ctx, address, &name, &start, &size) && start == address &&
		(strstr(name, "return_thunk") || strstr(name, "untrain_ret"));
}

/*
 * Whether J leads to an unlikely part: one that a symbol says to be one, or one without a symbol, when
 * the jump is from where the stack has more than the return address, so that it goes to no function.
 */
static bool leaves_cold_part(const struct leaves_search *s, const struct leaves_jump *j, struct function_part *ret)
{
	struct fde_start piece;

	if (s->kernel)
		return leaves_kernel_cold(s, j->target, ret);
	if (functions_cold_part(s->all, s->f->start, j->target, ret))
		return true;
	if (!s->pieces || leaves_returns_at(s, j->offset) || !fde_starts_find(s->pieces, j->target, &piece) ||
	    functions_begin_in(s->all, piece.start, piece.size) || leaves_part_of(s, piece.start))
		return false;
	ret->vaddr = piece.start;
	ret->size = piece.size;
	return elf_file_offset(s->file, piece.start, &ret->offset);
}

/* Decodes all parts: those that jumps of others lead to come after them. */
static int leaves_decode_all(struct leaves_search *s)
{
	size_t looked = 0;
	int r = 0;

	for (size_t i = 0; !r && i < s->parts; i++) {
		r = leaves_decode(s, &s->part[i]);
		for (; !r && looked < s->jump.n; looked++) {
			const struct leaves_jump *j = &s->jump.v[looked];
			struct function_part cold;

			if (j->way == SITE_WAY_END && !leaves_part_of(s, j->target) &&
			    leaves_cold_part(s, j, &cold))
				r = leaves_add_part(s, cold.vaddr, cold.offset, cold.size);
		}
	}
	return r;
}

/* Whether an instruction of P begins at VADDR; jumps may leave out a prefix of it. */
static bool leaves_begins(const struct leaves_search *s, const struct leaves_part *p, uint64_t vaddr)
{
	const size_t at = (size_t)(vaddr - p->vaddr);

	return p->begins[at] || (s->arch->lock && at && p->begins[at - 1] && p->bytes[at - 1] == s->arch->lock);
}

/* A jump to a fixed place. */
static int leaves_judge_direct(struct leaves_search *s, const struct leaves_jump *j)
{
	const struct leaves_part *to = leaves_part_of(s, j->target);

	if (to && !leaves_begins(s, to, j->target))
		return leaves_refuse(s, j->vaddr, "not all of it are instructions: a jump of it leads into one");
	if (to && j->target != s->f->start)
		return 0;
	if (!j->always)
		return leaves_refuse(s, j->vaddr, to ? "it jumps back to its begin on a condition" :
				     "it jumps on a condition to code that no symbol says to be a part of it");
	if (!leaves_returns_at(s, j->offset))
		return leaves_refuse(s, j->vaddr, "it jumps to code that no symbol says to be a part of it");
	if (s->kernel)
		return leaves_add(s, j->offset, !leaves_is_return_thunk(s, j->target));
	if (!to && functions_inside(s->all, j->target))
		return leaves_refuse(s, j->vaddr, "it jumps into the middle of another function");
	return leaves_add(s, j->offset, true);
}

/* Whether the table of addresses at VADDR begins with one of a part; false in *RET_KNOWN when it cannot be read. */
static bool leaves_table_inside(const struct leaves_search *s, uint64_t vaddr, bool *ret_known)
{
	uint64_t offset, entry;

	*ret_known = s->kernel ? s->kernel->read(s->kernel->ctx, vaddr, &entry, sizeof(entry)) :
		elf_file_offset(s->file, vaddr, &offset) && elf_file_read(s->file, offset, &entry, sizeof(entry));
	return *ret_known && leaves_part_of(s, entry);
}

static int leaves_judge_indirect(struct leaves_search *s, const struct leaves_jump *j)
{
	bool known = true, inside;

	if (j->way == SITE_WAY_LABEL || (!s->kernel && !leaves_returns_at(s, j->offset)))
		return 0;
	inside = j->way == SITE_WAY_TABLE ? leaves_table_inside(s, j->target, &known) : j->summed;
	if (!known)
		return leaves_refuse(s, j->vaddr, "it has an indirect jump that may stay inside of it or not");
	return inside ? 0 : leaves_add(s, j->offset, true);
}

static int leaves_judge_all(struct leaves_search *s)
{
	int r = 0;

	for (size_t i = 0; !r && i < s->jump.n; i++) {
		const struct leaves_jump *j = &s->jump.v[i];

		r = j->way == SITE_WAY_END ? leaves_judge_direct(s, j) : leaves_judge_indirect(s, j);
	}
	return r;
}

/* Finds all of S, which says what it is about. */
static int leaves_search(struct leaves_search *s)
{
	const size_t before = s->ret->n;
	const struct found_function *f = s->f;
	int r = 0;

	s->arch = site_arch_of(s->kernel ? KERNEL_MACHINE : s->file->eh.e_machine);
	if (!s->arch)
		return err_set(s->e, EOPNOTSUPP, "instructions of its architecture are not known");
	if (!f->at_entry)
		return err_set(s->e, EOPNOTSUPP, "it is not probed at its begin");
	if (functions_is_cold(f->symbol))
		return err_set(s->e, EOPNOTSUPP, "it is a part of another function");
	r = leaves_add_part(s, f->vaddr, f->offset, f->size);
	r = r ? r : leaves_decode_all(s);
	r = r ? r : leaves_judge_all(s);
	if (!r && s->ret->n == before)
		r = err_set(s->e, EOPNOTSUPP, "it has no instruction that returns");
	if (r)
		s->ret->n = before;
	return r;
}

static void leaves_clear(struct leaves_search *s)
{
	for (size_t i = 0; i < s->parts; i++) {
		free(s->part[i].bytes);
		free(s->part[i].begins);
		free(s->part[i].leads);
	}
	vec_free(&s->jump);
}

int leaves_find(const struct elf_file *file, const struct functions *all, const struct found_function *f,
		struct image *cfi, const struct fde_starts *pieces, leaves *ret, struct err *e)
{
	struct leaves_search s = {
		.file = file, .all = all, .f = f, .cfi = cfi, .ret = ret, .pieces = pieces, .e = e,
	};
	const int r = leaves_search(&s);

	leaves_clear(&s);
	return r;
}

/* ---- basic blocks ---- */

static bool blocks_is_jump(const struct site_effect *f)
{
	return f->jumps || f->way != SITE_WAY_ON;
}

/* Does the thread go on behind F? */
static bool blocks_goes_on(const struct site_effect *f)
{
	return f->jumps ? !f->always : f->way == SITE_WAY_ON;
}

/* Is the instruction at OFFSET in the file one that leaves the function? NULL = it is not. */
static const struct leave *blocks_leave(const struct leaves_search *s, uint64_t offset)
{
	for (size_t i = 0; i < s->ret->n; i++)
		if (s->ret->v[i].offset == offset)
			return &s->ret->v[i];
	return NULL;
}

/* Notes in P where blocks begin behind instructions of it, and at those that leave. */
static void blocks_lead_behind(const struct leaves_search *s, const struct leaves_part *p)
{
	struct site_effect f;
	bool over = false;       /* what comes now is reached by jumps alone */

	for (size_t at = 0; at < p->len; at += f.size) {
		f = leaves_insn(s, p->bytes + at, p->len - at);
		if (!f.size)
			return;
		if (over && !f.idle) {
			p->leads[at] = true;
			over = false;
		}
		if (blocks_leave(s, p->offset + at))
			p->leads[at] = true;
		if (blocks_is_jump(&f) && blocks_goes_on(&f) && at + f.size < p->len)
			p->leads[at + f.size] = true;
		over |= blocks_is_jump(&f) && !blocks_goes_on(&f);
	}
}

/* The same where direct jumps lead to. A jump behind a prefix leads into no block that can be told apart. */
static void blocks_lead_to(const struct leaves_search *s)
{
	for (size_t i = 0; i < s->jump.n; i++) {
		const struct leaves_jump *j = &s->jump.v[i];
		const struct leaves_part *to = j->way == SITE_WAY_END ? leaves_part_of(s, j->target) : NULL;

		if (to && to->begins[j->target - to->vaddr])
			to->leads[j->target - to->vaddr] = true;
	}
}

static enum code_end blocks_way_on(const struct leaves_search *s, uint64_t offset, const struct site_effect *f)
{
	const struct leave *left = blocks_leave(s, offset);

	if (left)
		return left->jumps ? CODE_TAIL : CODE_RETURN;
	if (f->jumps)
		return f->always ? CODE_JUMP : CODE_CONDITION;
	return f->way == SITE_WAY_ON ? CODE_ON : f->way == SITE_WAY_END ? CODE_END : CODE_INDIRECT;
}

/*
 * The same in the kernel, where all hits cost much the same, but what it may exchange itself (nops, jumps and calls of
 * static keys) is not to be probed.
 */
static void blocks_choose_kernel(struct code_block *b, const struct site_effect *f, bool called, uint32_t *best_ns)
{
	if (called || *best_ns || f->idle || f->insn == SITE_NOP || f->insn == SITE_NOP5 || f->insn == SITE_JUMP ||
	    f->insn == SITE_CALL)
		return;
	*best_ns = 1;
	b->at = b->last;
}

/* Chooses where B is probed best, of whose instructions F is the last one so far; CALLED: after a call in it. */
static void blocks_choose(const struct leaves_search *s, struct code_block *b, const struct site_effect *f, bool called,
			  uint32_t *best_ns)
{
	const struct site_insn_info *info = site_insn_info((enum site_insn)f->insn);

	if (s->kernel) {
		blocks_choose_kernel(b, f, called, best_ns);
		return;
	}
	/* Behind a call that does not return nothing is seen. */
	if (called || !info->emulated || f->insn == SITE_NOP5 || (*best_ns && info->cost_ns >= *best_ns))
		return;
	*best_ns = info->cost_ns;
	b->at = b->last;
}

/* Appends the blocks of P. */
static int blocks_of_part(const struct leaves_search *s, const struct leaves_part *p, code_blocks *ret)
{
	struct code_block *b = NULL;
	struct site_effect f;
	uint32_t best_ns = 0;
	bool called = false;

	for (size_t at = 0; at < p->len; at += f.size) {
		f = leaves_insn(s, p->bytes + at, p->len - at);
		if (!f.size)
			return 0;
		if (p->leads[at]) {
			best_ns = 0;
			called = false;
			if (ret->n >= CODE_BLOCKS_MAX)
				return err_set(s->e, E2BIG, "it has more than %u basic blocks, which is the limit",
					       CODE_BLOCKS_MAX);
			b = vec_push(ret);
			if (!b)
				return err_nomem(s->e, "the code of a function");
			*b = (struct code_block){ .vaddr = p->vaddr + at };
		}
		/* Padding is of no block. */
		if (!b)
			continue;
		b->last = b->size;
		b->size += f.size;
		blocks_choose(s, b, &f, called, &best_ns);
		called |= f.calls;
		b->end = blocks_way_on(s, p->offset + at, &f);
		if (f.jumps)
			b->target = p->vaddr + at + (uint64_t)(int64_t)f.target;
		if (!blocks_goes_on(&f))
			b = NULL;
	}
	return 0;
}

/* Allocates what says where blocks begin, and says it. */
static int blocks_find(struct leaves_search *s, code_blocks *ret)
{
	int r = 0;

	for (size_t i = 0; i < s->parts; i++) {
		s->part[i].leads = calloc(s->part[i].len, sizeof(*s->part[i].leads));
		if (!s->part[i].leads)
			return err_nomem(s->e, "the code of a function");
	}
	s->part[0].leads[0] = true;
	blocks_lead_to(s);
	for (size_t i = 0; i < s->parts; i++)
		blocks_lead_behind(s, &s->part[i]);
	for (size_t i = 0; !r && i < s->parts; i++)
		r = blocks_of_part(s, &s->part[i], ret);
	return r;
}

/* Appends the blocks of what S is about, and clears it. */
static int leaves_blocks_of(struct leaves_search *s, code_blocks *ret)
{
	leaves left = { 0 };
	const size_t before = ret->n;
	int r;

	s->ret = &left;
	r = leaves_search(s);
	r = r ? r : blocks_find(s, ret);
	leaves_clear(s);
	vec_free(&left);
	if (r)
		ret->n = before;
	return r;
}

int leaves_blocks(const struct elf_file *file, const struct functions *all, const struct found_function *f,
		  struct image *cfi, const struct fde_starts *pieces, code_blocks *ret, struct err *e)
{
	struct leaves_search s = {
		.file = file, .all = all, .f = f, .cfi = cfi, .pieces = pieces, .e = e,
	};

	return leaves_blocks_of(&s, ret);
}

int leaves_kernel_blocks(const struct leaves_kernel *kernel, uint64_t address, code_blocks *ret, struct err *e)
{
	struct found_function f = { .vaddr = address, .offset = address, .start = address, .at_entry = true };
	struct leaves_search s = { .kernel = kernel, .f = &f, .e = e };
	uint64_t start;

	if (!kernel->find(kernel->ctx, address, &f.symbol, &start, &f.size) || start != address)
		return err_set(e, EOPNOTSUPP, "it is not where the kernel's symbols say");
	return leaves_blocks_of(&s, ret);
}

/* The register by which the code at TARGET calls for who calls it; MACHINE_NO_REG = it does not. */
static uint8_t leaves_thunk(const struct leaves_search *s, uint64_t target)
{
	uint64_t start, size;
	const char *name;

	return s->kernel->find(s->kernel->ctx, target, &name, &start, &size) && start == target ?
		s->arch->thunk(name) : MACHINE_NO_REG;
}

/* The call, or the jump to another function, F at AT, which leads to TARGET where it says that itself. */
static void leaves_tell_call(const struct leaves_search *s, const struct site_effect *f, uint64_t at, uint64_t target,
			     const struct leaves_calls *to)
{
	const bool direct = f->jumps || (f->calls && f->target);
	const uint8_t reg = direct ? leaves_thunk(s, target) :
		f->calls_via || f->way == SITE_WAY_REGISTER ? f->via : MACHINE_NO_REG;

	if (reg != MACHINE_NO_REG && to->pointer)
		to->pointer(to->ctx, at, reg);
	if (direct && reg == MACHINE_NO_REG)
		to->each(to->ctx, target);
}

/* The calls of the code of SIZE bytes at ADDRESS, which jumps within itself. Returns where a cold part of it is; 0. */
static uint64_t leaves_calls_of_part(const struct leaves_search *s, uint64_t address, uint64_t size,
				     const struct leaves_calls *to)
{
	AUTO_FREE uint8_t *bytes = size && size <= PART_BYTES_MAX ? leaves_read(s, address, (size_t)size) : NULL;
	struct function_part cold = { 0 }, found;
	struct site_effect f;

	for (size_t at = 0; bytes && at < size; at += f.size) {
		uint64_t target;

		f = leaves_insn(s, bytes + at, (size_t)size - at);
		if (!f.size)
			break;
		target = address + at + (uint64_t)(int64_t)f.target;
		if (!f.calls && !f.jumps && f.way != SITE_WAY_REGISTER)
			continue;
		if ((f.target || f.jumps) && (target - address < size || target - s->f->vaddr < s->f->size))
			continue;
		if (f.jumps && leaves_kernel_cold(s, target, &found))
			cold = found;
		else if (f.calls || f.always || f.way == SITE_WAY_REGISTER)
			leaves_tell_call(s, &f, address + at, target, to);
	}
	return cold.vaddr;
}

void leaves_kernel_calls(const struct leaves_kernel *kernel, uint64_t address, const struct leaves_calls *to)
{
	struct found_function f = { .vaddr = address };
	const struct leaves_search s = { .kernel = kernel, .f = &f, .arch = site_arch_of(KERNEL_MACHINE) };
	uint64_t start, size, cold = 0;
	const char *name;

	if (!s.arch || !kernel->find(kernel->ctx, address, &f.symbol, &start, &size))
		return;
	f.size = size;
	cold = leaves_calls_of_part(&s, start, size, to);
	if (cold && kernel->find(kernel->ctx, cold, &name, &start, &size))
		leaves_calls_of_part(&s, start, size, to);
}

bool leaves_calls(const struct elf_file *file, const struct found_function *f)
{
	const struct site_arch *arch = site_arch_of(file->eh.e_machine);
	AUTO_FREE uint8_t *bytes = arch && f->at_entry && f->size && f->size <= PART_BYTES_MAX ?
		elf_file_dup(file, f->offset, f->size, PART_BYTES_MAX) : NULL;
	struct site_effect at = { .size = 0 };

	for (size_t i = 0; bytes && i < f->size; i += at.size) {
		at = arch->decode(bytes + i, f->size - i);
		if (!at.size || at.calls || at.way == SITE_WAY_REGISTER || at.way == SITE_WAY_POINTER ||
		    at.way == SITE_WAY_UNKNOWN)
			return true;
		if (at.jumps && i + (uint64_t)(int64_t)at.target >= f->size)
			return true;
	}
	return !bytes;
}
