/* SPDX-License-Identifier: BSD-2-Clause */
/* site.c - walks from an entry to the cheapest place. See site.h; what instructions do is in site_x86_64.c. */
#include "config.h"

#include "probe/site_arch.h"

#include "base/cleanup.h"
#include "model/machine.h"
#include "unwind/rows.h"

#include <errno.h>
#include <string.h>

#define WALK_BYTES_MAX 128u /* behind the entry a place is no more than so far */
#define INSN_BYTES_MAX 15u

/* In the order of site_insn. Measured: see site_insn_info. A direct call was not, and counts as a branch. */
static const struct site_insn_info insn_rows[SITE_INSNS] = {
	[SITE_UNKNOWN] = { "unknown", false, 0 },  [SITE_NOP] = { "nop", true, 760 },
	[SITE_NOP5] = { "nop5", true, 610 },       [SITE_JUMP] = { "jmp", true, 800 },
	[SITE_PUSH] = { "push", true, 920 },       [SITE_BRANCH] = { "branch", true, 930 },
	[SITE_CALL] = { "call", true, 930 },       [SITE_ENDBR] = { "endbr64", false, 11300 },
	[SITE_LEA] = { "lea", false, 12700 },      [SITE_COMPARE] = { "cmp", false, 12700 },
	[SITE_XOR] = { "xor", false, 13100 },      [SITE_RETURN] = { "ret", false, 13300 },
	[SITE_SUBTRACT] = { "sub", false, 13800 }, [SITE_MOVE] = { "mov", false, 13900 },
	[SITE_TEST] = { "test", false, 16100 },    [SITE_OTHER] = { "other", false, 13400 },
};

static const char *const stop_texts[] = {
	[SITE_STOP_NONE] = "a cheap place was found",
	[SITE_STOP_MACHINE] = "the machine is not known",
	[SITE_STOP_INSN] = "an instruction is not understood",
	[SITE_STOP_LINE] = "the straight line ends",
	[SITE_STOP_ARGUMENT] = "an argument that is read would be overwritten",
	[SITE_STOP_FRAME] = "the return address would not be at the stack pointer",
	[SITE_STOP_JUMP] = "a jump leads there, too",
	[SITE_STOP_END] = "the function ends",
};

const struct site_insn_info *site_insn_info(enum site_insn insn)
{
	return &insn_rows[insn];
}

const char *site_stop_text(enum site_stop stop)
{
	return stop_texts[stop];
}

const struct site_arch *site_arch_of(uint16_t machine)
{
	return machine == site_arch_x86_64.machine ? &site_arch_x86_64 : NULL;
}

/* A walk, and where the arguments are now: each in any of some registers. */
struct site_walk {
	const struct site_arch *arch;
	const struct site_code *code;
	const struct site_wish *wish;
	uint32_t at; /* bytes behind the entry */
	uint32_t arg_in[SITE_ARGS]; /* bits of registers that hold it */
};

/* Whether an instruction is emulated by this kernel. */
static bool is_cheap(const struct site_walk *w, enum site_insn insn)
{
	return insn == SITE_NOP5 ? w->wish->nop5 : insn_rows[insn].emulated;
}

bool site_returns_at(const struct site_arch *a, struct image *cfi, uint64_t offset)
{
	struct rule_row row[2];

	if (!cfi || !rows_of(cfi, offset, 1, row, 2))
		return false;
	return row[0].rule.kind == RULE_SP && row[0].rule.cfa == a->entry_cfa &&
	       (row[0].rule.arg & (RULE_RA | RULE_NO_TABLE)) == RULE_RA_PUSHED;
}

/* The same at the place AT bytes behind the entry. */
static bool returns_at(const struct site_walk *w, uint32_t at)
{
	return site_returns_at(w->arch, w->wish->cfi, w->code->offset + at);
}

/* Follows what F does to the arguments; false when the last copy of a wanted one is lost. */
static bool arguments_stay(struct site_walk *w, const struct site_effect *f)
{
	bool stay = !(f->writes & w->wish->keep);

	for (unsigned int i = 0; i < SITE_ARGS; i++) {
		const bool copied = f->from != MACHINE_NO_REG && w->arg_in[i] >> f->from & 1;

		w->arg_in[i] &= ~f->writes;
		if (copied)
			w->arg_in[i] |= 1u << f->to;
		stay &= w->arg_in[i] || !(w->wish->args >> i & 1);
	}
	return stay;
}

/* Whether a jump of the function leads behind its entry, up to AT. Jumps through tables are not seen. */
static bool is_jumped_to(const struct site_walk *w, uint32_t at)
{
	const size_t len = w->code->len < SITE_CODE_MAX ? w->code->len : SITE_CODE_MAX;

	for (size_t from = 0; from < len;) {
		const struct site_effect f = w->arch->decode(w->code->bytes + from, len - from);
		const int64_t to = (int64_t)from + f.target;

		if (f.jumps && to > 0 && to <= at)
			return true;
		from += f.size ? f.size : 1;
	}
	return false;
}

/* Where each argument is: in its own register, while it is there. */
static void tell_arguments(const struct site_walk *w, struct probe_site *ret)
{
	for (unsigned int i = 0; i < SITE_ARGS; i++) {
		const uint8_t own = w->arch->args[i];

		ret->arg_reg[i] = w->arg_in[i] >> own & 1 ? own
				  : w->arg_in[i]          ? (uint8_t)__builtin_ctz(w->arg_in[i])
							  : MACHINE_NO_REG;
	}
}

/* Takes the place of the walk, where INSN stands. */
static void take_place(const struct site_walk *w, enum site_insn insn, struct probe_site *ret)
{
	ret->behind = w->at;
	ret->offset = w->code->offset + w->at;
	ret->insn = (uint8_t)insn;
	ret->cost_ns = insn == SITE_NOP5 && !w->wish->nop5 ? insn_rows[SITE_OTHER].cost_ns : insn_rows[insn].cost_ns;
	ret->return_ok = returns_at(w, w->at);
	tell_arguments(w, ret);
}

/* Judges the instruction F of the walk: SITE_STOP_NONE with *RET_FOUND when it is the place, else the walk goes on. */
static enum site_stop judge(struct site_walk *w, const struct site_effect *f, bool *ret_found)
{
	*ret_found = is_cheap(w, f->insn);
	if (*ret_found)
		return w->wish->returns && !returns_at(w, w->at) ? SITE_STOP_FRAME
		       : w->at && is_jumped_to(w, w->at)         ? SITE_STOP_JUMP
								 : SITE_STOP_NONE;
	if (f->leaves || f->jumps)
		return SITE_STOP_LINE;
	if (!f->understood)
		return f->size ? SITE_STOP_INSN : SITE_STOP_END;
	return arguments_stay(w, f) ? SITE_STOP_NONE : SITE_STOP_ARGUMENT;
}

static enum site_stop site_walk(struct site_walk *w, struct probe_site *ret)
{
	const size_t len = w->code->len < WALK_BYTES_MAX ? w->code->len : WALK_BYTES_MAX;

	while (w->at < len) {
		const struct site_effect f = w->arch->decode(w->code->bytes + w->at, w->code->len - w->at);
		bool found;
		const enum site_stop stop = judge(w, &f, &found);

		if (stop != SITE_STOP_NONE)
			return stop;
		if (found) {
			take_place(w, f.insn, ret);
			return SITE_STOP_NONE;
		}
		w->at += f.size;
	}
	return SITE_STOP_END;
}

/* Begins a walk at the entry of CODE, and takes that as the place; false when the machine is not known. */
static bool site_begin(struct site_walk *w, const struct site_code *code, const struct site_wish *wish,
		       struct probe_site *ret)
{
	*w = (struct site_walk){ .arch = site_arch_of(code->machine), .code = code, .wish = wish };
	*ret = (struct probe_site){ .offset = code->offset, .stop = SITE_STOP_MACHINE };
	memset(ret->arg_reg, MACHINE_NO_REG, sizeof(ret->arg_reg));
	if (!w->arch)
		return false;
	for (unsigned int i = 0; i < SITE_ARGS; i++)
		w->arg_in[i] = 1u << w->arch->args[i];
	take_place(w, w->arch->decode(code->bytes, code->len).insn, ret);
	ret->entry_cost_ns = ret->cost_ns;
	ret->entry_insn = ret->insn;
	return true;
}

uint8_t site_arg_register(uint16_t machine, unsigned int i)
{
	const struct site_arch *a = site_arch_of(machine);

	return a && i < SITE_ARGS ? a->args[i] : MACHINE_NO_REG;
}

void site_find(const struct site_code *code, const struct site_wish *wish, struct probe_site *ret)
{
	struct site_walk w;

	if (site_begin(&w, code, wish, ret))
		ret->stop = (uint8_t)site_walk(&w, ret);
}

/* A place that was asked for as it is: what stands there, and nothing of arguments unless it is an entry. */
static void site_fixed(const struct site_code *code, const struct site_wish *wish, bool at_entry,
		       struct probe_site *ret)
{
	struct site_walk w;

	if (!site_begin(&w, code, wish, ret))
		return;
	ret->stop = is_cheap(&w, ret->insn) ? SITE_STOP_NONE : SITE_STOP_END;
	if (!at_entry)
		memset(ret->arg_reg, MACHINE_NO_REG, sizeof(ret->arg_reg));
}

int site_of_function(const struct elf_file *file, const struct found_function *f, const struct site_wish *wish,
		     struct probe_site *ret, struct err *e)
{
	const bool movable = f->at_entry && f->size;
	const size_t want = !movable ? INSN_BYTES_MAX : f->size < SITE_CODE_MAX ? (size_t)f->size : SITE_CODE_MAX;
	const uint64_t left = f->offset < file->size ? file->size - f->offset : 0;
	const size_t len = want < left ? want : (size_t)left;
	AUTO_FREE uint8_t *bytes = elf_file_dup(file, f->offset, len, SITE_CODE_MAX);
	const struct site_code code = {
		.machine = file->eh.e_machine, .bytes = bytes, .len = len, .offset = f->offset
	};

	if (!bytes)
		return err_set(e, EIO, "the code of '%s' cannot be read: the file is damaged, or memory is out",
			       f->name);
	if (movable)
		site_find(&code, wish, ret);
	else
		site_fixed(&code, wish, f->at_entry, ret);
	return 0;
}

/* Adds the arguments that EXPR reads. */
static uint8_t args_of_expr(const struct spec_expr *x)
{
	uint8_t args = 0;

	for (uint32_t i = 0; i < x->n; i++) {
		const char *path = x->step[i].op == SPEC_PATH ? x->pool + x->step[i].value : "";

		if (x->step[i].op == SPEC_ARG)
			args |= (uint8_t)(1u << x->step[i].value);
		else if (!strncmp(path, "arg", 3) && path[3] >= '0' && path[3] <= '5' && strchr(".-[", path[4]) &&
			 path[4])
			args |= (uint8_t)(1u << (path[3] - '0'));
	}
	return args;
}

static bool expr_has_result(const struct spec_expr *x)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (x->step[i].op == SPEC_RETVAL ||
		    (x->step[i].op == SPEC_PATH && !strncmp(x->pool + x->step[i].value, "retval", 6) &&
		     strchr(".-[", x->pool[x->step[i].value + 6])))
			return true;
	return false;
}

bool site_result_of(const struct spec *s)
{
	bool has = expr_has_result(&s->sum);

	for (uint32_t i = 0; i < s->points; i++)
		has |= expr_has_result(&s->point[i].when);
	return has;
}

uint8_t site_args_of(const struct spec *s)
{
	uint8_t args = args_of_expr(&s->sum);

	for (uint32_t i = 0; i < s->points; i++)
		args |= args_of_expr(&s->point[i].when);
	return args;
}
