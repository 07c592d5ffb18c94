/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * access.c - chooses which instruction near a place tells the address, on any architecture.
 *
 * CPUs retire instructions in order and take an interrupt when one has retired. A load that misses
 * the caches holds up all that is behind it, so when it arrives at last and the interrupt is taken,
 * the place is right behind that load, or behind something short that waited for it. Hence the
 * order:
 *
 * 1. BEFORE, the last access that was executed before the place, some instructions back at most.
 *    What was executed before is what stands before in memory; but at the head of a loop it is the
 *    end of the loop (a jump back), and behind a call or an unconditional jump only what jumps
 *    there. Of two ways to the place that with the nearer access counts. An access that has loaded
 *    over the registers of its own address, as a step through a list does, can only be told by an
 *    access through what it has loaded: that is the next step. Any other is of something that was
 *    not waited for.
 * 2. AT, the instruction at the place.
 * 3. AHEAD, the first access that is reached from the place if loops go on and no condition jumps
 *    forward.
 *
 * Variables in the stack frame are nearly always in a cache: they are no accesses here.
 */
#include "config.h"

#include "numa/access_arch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CODE_MAX (ACCESS_CODE_BEFORE + ACCESS_CODE_BEHIND)
#define BACK_MAX 8u              /* instructions */
#define AHEAD_MAX 48u
#define PADS_MAX 8u              /* instructions that do nothing but fill up */
#define IN_STEP 16u              /* instructions after which decoding that began anywhere is believed */
#define NOWHERE (-1)

static const struct access_arch *const host = ACCESS_HOST;

/* An instruction of the code at hand, by where it begins. */
struct slot {
	bool tried, known;       /* insn */
	bool target;             /* something jumps to it */
	int prior;               /* where the one in memory before it begins; NOWHERE = not known */
	struct access_insn insn;
};

struct access_decoder {
	const struct access_arch *arch;
	csh cs;
	cs_insn *scratch;

	/* of the place at hand */
	const uint8_t *code;
	int len, at;
	bool lost;               /* what comes before the place in memory could not be told */
	int forward, back;       /* a jump to the place from before it, and from behind it; NOWHERE = none */
	int around, around_to;   /* the first jump from behind the place to before it, and where it goes */
	uint8_t miss;            /* the best reason so far for having no address */
	struct slot slot[CODE_MAX];
};

/* What has become of registers between two points. */
struct drift {
	uint32_t changed;        /* bit n: register n has another value, and nobody knows which */
	int64_t by[RAW_REGS_MAX];        /* else: what was added to it */
};

int access_decoder_new(struct access_decoder **ret, struct err *e)
{
	AUTO(access_decoder_free) struct access_decoder *d = NULL;
	int r;

	if (!host)
		return err_set(e, EOPNOTSUPP, "instructions of this architecture are not known: no "
			       "addresses of accesses");
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_nomem(e, "the disassembler");
	d->arch = host;
	r = access_open(d->arch, CS_OPT_SYNTAX_DEFAULT, &d->cs, &d->scratch, e);
	if (r)
		return r;
	*ret = take_ptr(d);
	return 0;
}

void access_decoder_free(struct access_decoder *d)
{
	if (!d)
		return;
	access_close(&d->cs, d->scratch);
	free(d);
}

/* The instruction that begins AT; NULL = it is not known, or not in the code. */
static const struct access_insn *access_insn_at(struct access_decoder *d, int64_t at)
{
	struct slot *s;

	if (at < 0 || at >= d->len)
		return NULL;
	s = &d->slot[at];
	if (!s->tried)
		s->known = d->arch->decode(d->cs, d->scratch, d->code + at, (size_t)(d->len - at), &s->insn);
	s->tried = true;
	return s->known ? &s->insn : NULL;
}

static void note_jump(struct access_decoder *d, int at, int64_t to)
{
	if (to < 0 || to >= d->len)
		return;
	d->slot[to].target = true;
	if (to == d->at)
		*(at < d->at ? &d->forward : &d->back) = at;
	if (at >= d->at && to < d->at && d->around == NOWHERE) {
		d->around = at;
		d->around_to = (int)to;
	}
}

/* How many bytes the instruction AT has, 0 = not known; where it jumps is noted. */
static int access_skim(struct access_decoder *d, int at)
{
	int32_t target = 0;
	bool jumps;
	const size_t n = d->arch->skim(d->code + at, (size_t)(d->len - at), &jumps, &target);

	if (n && jumps)
		note_jump(d, at, (int64_t)at + target);
	return (int)n;
}

/*
 * Goes from the first byte to the place. What is not known is skipped byte by byte: on
 * architectures where that may begin in the middle of an instruction it falls into step soon, but
 * is not believed before it had time to.
 */
static void look_before(struct access_decoder *d)
{
	unsigned int in_step = IN_STEP;
	int at = 0, prior = NOWHERE;

	while (at < d->at) {
		const int n = access_skim(d, at);

		d->slot[at].prior = prior;
		prior = n ? at : NOWHERE;
		in_step = n ? in_step + 1 : 0;
		at += n ? n : 1;
	}
	d->lost = at != d->at || in_step < IN_STEP || (prior != NOWHERE && !access_insn_at(d, prior));
	d->slot[d->at].prior = d->lost ? NOWHERE : prior;
}

/* Goes on from the place: does something jump back to it? */
static void look_behind(struct access_decoder *d)
{
	int n;

	for (int at = d->at; (n = access_skim(d, at)) && at + n < d->len; at += n)
		d->slot[at + n].prior = at;
}

static void set_code(struct access_decoder *d, const uint8_t *code, size_t len, size_t at)
{
	const size_t skip = at > ACCESS_CODE_BEFORE ? at - ACCESS_CODE_BEFORE : 0;

	memset(d->slot, 0, sizeof(d->slot));
	d->code = code + skip;
	d->len = len - skip < CODE_MAX ? (int)(len - skip) : (int)CODE_MAX;
	d->at = (int)(at - skip);
	d->lost = false;
	d->forward = d->back = d->around = d->around_to = NOWHERE;
	d->miss = MISS_NO_ACCESS;
	look_before(d);
	look_behind(d);
}

/*
 * Where the instruction began that was executed last before the one AT, if no jump led there;
 * NOWHERE = that is not known.
 */
static int executed_before(struct access_decoder *d, int at)
{
	const struct access_insn *i = NULL;

	for (unsigned int n = 0; n <= PADS_MAX && (!n || (i && i->pad)); n++) {
		at = d->slot[at].prior;
		i = access_insn_at(d, at);
	}
	return i && (i->flow == FLOW_NEXT || i->flow == FLOW_BRANCH) ? at : NOWHERE;
}

/* What comes before the place in memory is executed once, and what jumps back to the place again and again. */
static bool is_loop_head(const struct access_decoder *d, int before)
{
	return d->back != NOWHERE && (d->around == NOWHERE || d->around > d->back || d->around_to > before);
}

static uint32_t access_bit_of(const struct access_decoder *d, uint8_t reg)
{
	return reg == ACCESS_REG_NONE || reg == d->arch->pc ? 0 : 1u << reg;
}

/* The registers, as a set of bits, that the address of R is made of; the pc is none of them. */
static uint32_t address_regs(const struct access_decoder *d, const struct access_rule *r)
{
	return access_bit_of(d, r->base) | access_bit_of(d, r->index);
}

/* Adds what I does to registers; SIGN is 1 going forward, -1 going back. */
static void drift_over(const struct access_decoder *d, struct drift *f, const struct access_insn *i, int sign)
{
	f->changed |= i->changes & ~access_bit_of(d, i->moved);
	if (i->moved != ACCESS_REG_NONE)
		f->by[i->moved] += sign * (int64_t)i->move;
}

/* The registers of R that nobody knows. */
static uint32_t unknown_regs(const struct access_decoder *d, const struct access_rule *r, const struct drift *f)
{
	return address_regs(d, r) & f->changed;
}

/* The rule of I, which ends END bytes behind the place (or, negative, before it), when registers have drifted by F. */
static struct access_rule rule_of(const struct access_decoder *d, const struct access_insn *i, int64_t end,
				  enum access_how how, const struct drift *f)
{
	struct access_rule r = i->mem;

	r.how = (uint8_t)how;
	r.miss = MISS_NONE;
	if (r.base == d->arch->pc)
		r.disp += end;
	else if (r.base != ACCESS_REG_NONE)
		r.disp += f->by[r.base];
	if (r.index != ACCESS_REG_NONE)
		r.disp += f->by[r.index] * r.scale;
	return r;
}

/* Remembers why there is no address; reasons that tell more stand. */
static void note_miss(struct access_decoder *d, enum access_miss miss)
{
	static const uint8_t rank[MISS_NR] = {
		[MISS_NO_ACCESS] = 1, [MISS_SEGMENT] = 2, [MISS_OVERWRITTEN] = 3, [MISS_VECTOR] = 4,
	};

	if (rank[miss] > rank[d->miss])
		d->miss = (uint8_t)miss;
}

/* Whether I touches memory that somebody may wait for; if only its address cannot be told, that is noted. */
static bool is_access(struct access_decoder *d, const struct access_insn *i)
{
	if (i->touch == TOUCH_SEGMENT)
		note_miss(d, MISS_SEGMENT);
	return i->touch == TOUCH_MEMORY || i->touch == TOUCH_VECTOR;
}

/* The last access before the place, by one way. */
struct last {
	unsigned int distance;   /* instructions; 0 = none was found */
	uint8_t miss;            /* its address cannot be told: why */
	uint32_t over;           /* it was loaded over these registers of the address */
	struct access_rule rule;
};

/* What I, which begins AT, tells; registers have drifted by F since. */
static struct last access_last_of(const struct access_decoder *d, const struct access_insn *i, int at,
				  const struct drift *f)
{
	struct last l = { .over = i->passed ? 0 : address_regs(d, &i->mem) & i->changes };

	if (i->touch == TOUCH_VECTOR) {
		l.miss = MISS_VECTOR;
	} else if (l.over || unknown_regs(d, &i->mem, f)) {
		l.miss = MISS_OVERWRITTEN;
	} else {
		l.rule = rule_of(d, i, (int64_t)at + i->len - d->at, ACCESS_BEFORE, f);
		l.rule.disp -= i->passed;
	}
	return l;
}

/* Goes back from the instruction AT, which was executed last. */
static struct last look_back(struct access_decoder *d, int at)
{
	struct drift f = { 0 };

	for (unsigned int n = 1; n <= BACK_MAX && at != NOWHERE; n++) {
		const struct access_insn *i = access_insn_at(d, at);

		if (!i)
			break;
		if (is_access(d, i)) {
			struct last l = access_last_of(d, i, at, &f);

			l.distance = n;
			return l;
		}
		drift_over(d, &f, i, -1);
		at = d->slot[at].target ? NOWHERE : executed_before(d, at);
	}
	return (struct last){ 0 };
}

static bool access_same_rule(const struct access_rule *a, const struct access_rule *b)
{
	return a->base == b->base && a->index == b->index && a->scale == b->scale && a->disp == b->disp;
}

/* The nearer of two; none when they are as near and differ. */
static struct last access_nearer(const struct last *a, const struct last *b)
{
	if (!b->distance || (a->distance && a->distance < b->distance))
		return *a;
	if (!a->distance || b->distance < a->distance)
		return *b;
	return a->miss == b->miss && a->over == b->over && access_same_rule(&a->rule, &b->rule) ? *a :
		(struct last){ 0 };
}

/* The last access before the place, by all ways that lead there. *RET_KNOWN: there is such a way. */
static struct last last_access(struct access_decoder *d, bool *ret_known)
{
	const int before = executed_before(d, d->at);
	const int way[] = { is_loop_head(d, before) ? NOWHERE : before, d->back,
			    d->back == NOWHERE ? d->forward : NOWHERE };
	struct last l = { 0 };

	*ret_known = false;
	for (size_t i = 0; i < sizeof(way) / sizeof(*way); i++) {
		const struct last other = look_back(d, way[i]);

		l = *ret_known ? access_nearer(&l, &other) : other;
		*ret_known |= way[i] != NOWHERE;
	}
	return l;
}

/* The first access from the place on; with ONLY, through one of these registers. False when there is none. */
static bool look_ahead(struct access_decoder *d, uint32_t only, struct access_rule *ret)
{
	const struct access_insn *i;
	struct drift f = { 0 };
	int64_t at = d->at;

	for (unsigned int n = 0; n < AHEAD_MAX && (i = access_insn_at(d, at)); n++) {
		if (is_access(d, i) && (!only || address_regs(d, &i->mem) & only)) {
			if (i->touch == TOUCH_MEMORY && !unknown_regs(d, &i->mem, &f)) {
				*ret = rule_of(d, i, at + i->len - d->at, n ? ACCESS_AHEAD : ACCESS_AT, &f);
				return true;
			}
			note_miss(d, i->touch == TOUCH_VECTOR ? MISS_VECTOR : MISS_OVERWRITTEN);
		}
		drift_over(d, &f, i, 1);
		if (i->flow == FLOW_END || (only && !(only & ~f.changed)))
			return false;
		at += i->flow == FLOW_JUMP || (i->flow == FLOW_BRANCH && i->target < 0) ? i->target : i->len;
	}
	return false;
}

static struct access_rule access_missed(uint8_t miss)
{
	return (struct access_rule){ .miss = miss, .base = ACCESS_REG_NONE, .index = ACCESS_REG_NONE };
}

struct access_rule access_decode(struct access_decoder *d, const uint8_t *code, size_t len, size_t at)
{
	struct access_rule r;
	struct last last;
	bool known;

	if (at >= len)
		return access_missed(MISS_NOT_DECODED);
	set_code(d, code, len, at);
	last = last_access(d, &known);
	if (!access_insn_at(d, d->at) || (d->lost && !known))
		return access_missed(MISS_NOT_DECODED);
	if (last.rule.how)
		return last.rule;
	if (last.miss)
		note_miss(d, last.miss);
	if (last.miss != MISS_VECTOR && look_ahead(d, last.over, &r))
		return r;
	return access_missed(d->miss);
}

bool access_address(const struct access_rule *rule, const struct raw_sample *s, uint64_t *ret_addr,
		    enum access_miss *ret_miss)
{
	uint64_t addr = (uint64_t)rule->disp;

	if (s->in_kernel || !rule->how) {
		*ret_miss = s->in_kernel ? MISS_KERNEL : (enum access_miss)rule->miss;
		return false;
	}
	if (!host || s->user.machine != host->machine || s->user.nr_regs < host->nr_regs) {
		*ret_miss = MISS_NO_REGS;
		return false;
	}
	if (rule->base != ACCESS_REG_NONE)
		addr += s->user.regs[rule->base];
	if (rule->index != ACCESS_REG_NONE)
		addr += s->user.regs[rule->index] * rule->scale;
	if (rule->absolute32)
		addr = (uint32_t)addr;
	if (addr >= host->user_end) {
		*ret_miss = MISS_PAGE;
		return false;
	}
	*ret_addr = addr;
	return true;
}
