/* SPDX-License-Identifier: BSD-2-Clause */
/* entries.c - see entries.h. */
#include "config.h"

#include "branch/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As struct perf_branch_entry of linux/perf_event.h: its bits, from the least one on. */
struct records_entry {
	uint64_t from, to, bits;
};

_Static_assert(sizeof(struct records_entry) == 24, "as the kernel has it");

#define ENTRY_MISPREDICTED(bits) ((bits) & 1u)
#define ENTRY_PREDICTED(bits) ((bits) >> 1 & 1u)
#define ENTRY_IN_TRANSACTION(bits) ((bits) >> 2 & 1u)
#define ENTRY_ABORTED(bits) ((bits) >> 3 & 1u)
#define ENTRY_CYCLES(bits) ((uint16_t)((bits) >> 4))
#define ENTRY_TYPE(bits) ((bits) >> 20 & 0xfu)

/* enum of PERF_BR_* */
#define TYPE_CALL 4u
#define TYPE_INDIRECT_CALL 5u
#define TYPE_RETURN 6u
#define TYPE_SYSCALL 7u
#define TYPE_SYSRET 8u
#define TYPE_CONDITIONAL_CALL 9u
#define TYPE_CONDITIONAL_RETURN 10u

#define STRAIGHT_MAX 65536u              /* bytes of code between two branches of one function */
#define STRAIGHT_UNNAMED_MAX 4096u       /* the same where no function is known */
/* so far behind its begin a call of a function may lead: there are endbr64 and a patched nop */
#define ENTRY_BYTES 16u

/* An entry with what is known of it. */
struct records_one {
	struct records_entry entry;
	struct branch_symbol from, to;           /* name NULL = not known */
	bool own;
};

/* ---- names ---- */

static bool records_begins(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(name, list[i], strlen(list[i])))
			return true;
	return false;
}

/* Whether only what takes the records is called NAME. */
static bool records_is_own(const char *name)
{
	static const char *const own[] = {
		"bpf_trampoline_", "bpf_get_branch_snapshot", "__bpf_prog_enter", "__bpf_prog_exit",
		"__bpf_tramp_enter", "__bpf_tramp_exit", "intel_pmu_snapshot_", "__intel_pmu_snapshot_",
		"amd_pmu_lbr_read", "intel_pmu_lbr_read",
	};

	return name && (records_begins(name, own, sizeof(own) / sizeof(own[0])) ||
			(!strncmp(name, "bpf_prog_", 9) && strstr(name, "_sb_")));
}

/* Whether what takes the records calls NAME, which others do as well. */
static bool records_is_shared(const char *name)
{
	static const char *const shared[] = {
		"migrate_disable", "migrate_enable", "__rcu_read_lock", "__rcu_read_unlock", "rcu_read_unlock_strict",
		"__intel_pmu_disable_all", "__intel_pmu_lbr_disable", "intel_pmu_disable_all", "intel_pmu_lbr_disable",
		"native_write_msr", "native_read_msr", "ktime_get", "rcu_read_lock_trace", "__x86_return_thunk",
		"__x86_indirect_thunk", "srso_",
	};

	return name && records_begins(name, shared, sizeof(shared) / sizeof(shared[0]));
}

static void records_name(const struct branch_symbols *s, uint64_t address, struct branch_symbol *ret)
{
	if (!address || !s->find(s->ctx, address, ret) || !ret->name || address < ret->start)
		*ret = (struct branch_symbol){ .name = NULL };
}

/* Whether S is the function F, or one of its parts, of whichever module. */
static bool records_is_function(const struct branch_symbol *s, const char *f)
{
	const size_t len = f ? strlen(f) : 0;

	return s->name && f && !strncmp(s->name, f, len) &&
		(!s->name[len] || s->name[len] == ' ' || s->name[len] == '.');
}

/* ---- entries ---- */

/*
 * Whether ONE is of what takes the records. It is LEADING as long as all newer ones are. That the function returns to
 * the trampoline is not: it says by which return.
 */
static bool records_judge(const struct records_one *one, const struct branch_records_rules *r, bool leading)
{
	if (records_is_own(one->from.name) || (leading && records_is_shared(one->from.name)))
		return true;
	if (records_is_function(&one->from, r->function))
		return false;
	return records_is_own(one->to.name) || (leading && records_is_shared(one->to.name));
}

/* Does the code go straight from where A leads to where B is from? */
static bool records_straight(const struct records_one *a, const struct records_one *b)
{
	const uint64_t between = b->entry.from - a->entry.to;

	if (a->to.name && b->from.name)
		return a->to.start == b->from.start && between < STRAIGHT_MAX;
	return !a->to.name && !b->from.name && between < STRAIGHT_UNNAMED_MAX;
}

static bool records_is_kind(const struct records_entry *x, uint8_t kinds)
{
	const unsigned int type = ENTRY_TYPE(x->bits);

	if (kinds == RECORDS_CALLS)
		return type == TYPE_CALL || type == TYPE_INDIRECT_CALL || type == TYPE_SYSCALL ||
			type == TYPE_CONDITIONAL_CALL;
	if (kinds == RECORDS_RETURNS)
		return type == TYPE_RETURN || type == TYPE_SYSRET || type == TYPE_CONDITIONAL_RETURN;
	return true;
}

static uint8_t records_flags(uint64_t bits)
{
	return (uint8_t)((ENTRY_MISPREDICTED(bits) ? BRANCH_MISPREDICTED : 0) |
			 (ENTRY_PREDICTED(bits) ? BRANCH_PREDICTED : 0) |
			 (ENTRY_IN_TRANSACTION(bits) ? BRANCH_IN_TRANSACTION : 0) |
			 (ENTRY_ABORTED(bits) ? BRANCH_ABORTED : 0));
}

/* Takes the N entries at BYTES that have a branch, the oldest first, to ALL. Returns how many. */
static size_t records_take(const uint8_t *bytes, size_t n, const struct branch_records_rules *r,
			   struct records_one *all, struct branch_records_figures *f)
{
	size_t used = 0, to = n;
	bool leading = true;

	for (size_t i = 0; i < n; i++) {
		struct records_one one = { .own = false };

		memcpy(&one.entry, bytes + i * sizeof(one.entry), sizeof(one.entry));
		if (!one.entry.from && !one.entry.to) {
			f->unused++;
			continue;
		}
		records_name(r->symbols, one.entry.from, &one.from);
		records_name(r->symbols, one.entry.to, &one.to);
		one.own = records_judge(&one, r, leading);
		leading &= one.own;
		all[--to] = one;
		used++;
	}
	memmove(all, all + to, used * sizeof(*all));
	return used;
}

/* The first of the N at ALL that is of the last call of the function; 0 when that is not among them. */
static size_t records_first(const struct records_one *all, size_t n, const struct branch_records_rules *r,
			    bool *ret_begun)
{
	for (size_t i = n; i--;)
		if (!all[i].own && records_is_function(&all[i].to, r->function) &&
		    !records_is_function(&all[i].from, r->function) &&
		    all[i].entry.to - all[i].to.start < ENTRY_BYTES) {
			*ret_begun = true;
			return i;
		}
	return 0;
}

static bool records_put(branch_vec *ret, const struct branch *b)
{
	struct branch *at = vec_push(ret);

	if (at)
		*at = *b;
	return at;
}

/* Appends ONE, behind a gap where what was BEFORE does not lead to it. False when out of memory. */
static bool records_keep(const struct records_one *one, const struct records_one *before, branch_vec *ret,
			 struct branch_records_figures *f)
{
	const uint64_t bits = one->entry.bits;
	const struct branch gap = { .how = BRANCH_GAP, .space = BRANCH_KERNEL };
	const struct branch b = {
		.from = one->entry.from, .to = one->entry.to, .space = BRANCH_KERNEL, .how = BRANCH_TAKEN,
		.flags = records_flags(bits), .type = (uint8_t)ENTRY_TYPE(bits), .cycles = ENTRY_CYCLES(bits),
	};
	const bool broken = before && !records_straight(before, one);

	f->gaps += broken;
	f->kept++;
	f->unnamed += !one->from.name;
	f->unnamed += !one->to.name;
	return (!broken || records_put(ret, &gap)) && records_put(ret, &b);
}

int branch_records_read(const void *bytes, size_t len, const struct branch_records_rules *rules, branch_vec *ret,
			struct branch_records_figures *figures, struct err *e)
{
	const size_t entries = len / sizeof(struct records_entry), had = ret->n;
	struct records_one *all;
	size_t n, first;
	bool ok = true, seen = false;

	if (len % sizeof(struct records_entry) || entries > RECORDS_MAX)
		return err_set(e, EBADMSG, "%zu bytes are no branch records: an entry has %zu bytes, and there are at "
			       "most %u", len, sizeof(struct records_entry), RECORDS_MAX);
	all = calloc(entries + 1, sizeof(*all));
	if (!all)
		return err_nomem(e, "branch records");
	figures->entries += entries;
	n = records_take(bytes, entries, rules, all, figures);
	first = records_first(all, n, rules, &figures->begun);
	figures->before += first;
	for (size_t i = first; i < n && ok; i++) {
		const bool kind = records_is_kind(&all[i].entry, rules->kinds);

		figures->own += all[i].own;
		figures->other += !all[i].own && !kind;
		if (all[i].own || !kind)
			continue;
		/* What own entries hide is no gap: they lead from one to the other. */
		ok = records_keep(&all[i], rules->all && rules->kinds == RECORDS_ANY && seen ? &all[i - 1] : NULL, ret,
				  figures);
		seen = true;
	}
	free(all);
	if (ok)
		return 0;
	ret->n = had;
	return err_nomem(e, "branch records");
}

/* ---- branches that were not taken ---- */

bool branch_sources_add(branch_sources *s, const struct branch *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t *at = b[i].how == BRANCH_TAKEN ? vec_push(s) : NULL;

		if (at)
			*at = b[i].from;
		else if (b[i].how == BRANCH_TAKEN)
			return false;
	}
	return true;
}

static int sources_compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void branch_sources_sort(branch_sources *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof(s->v[0]), sources_compare);
	for (size_t i = 0; i < s->n; i++)
		if (!n || s->v[n - 1] != s->v[i])
			s->v[n++] = s->v[i];
	s->n = n;
}

/* Appends to RET those of S from address FROM on, below TO. False when out of memory. */
static bool sources_between(const branch_sources *s, uint64_t from, uint64_t to, branch_vec *ret)
{
	size_t i = 0, end = s->n;

	while (i < end) {
		const size_t middle = i + (end - i) / 2;

		if (s->v[middle] < from)
			i = middle + 1;
		else
			end = middle;
	}
	for (; i < s->n && s->v[i] < to; i++)
		if (!records_put(ret, &(struct branch){ .from = s->v[i], .to = s->v[i], .space = BRANCH_KERNEL,
							.how = BRANCH_PASSED }))
			return false;
	return true;
}

bool branch_sources_pass(const branch_sources *s, branch_vec *b)
{
	branch_vec all = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < b->n; i++) {
		const struct branch *before = i ? &b->v[i - 1] : NULL, *now = &b->v[i];

		if (before && before->how == BRANCH_TAKEN && now->how == BRANCH_TAKEN && now->from > before->to &&
		    now->from - before->to < STRAIGHT_MAX)
			ok = sources_between(s, before->to, now->from, &all);
		ok = ok && records_put(&all, now);
	}
	if (!ok) {
		vec_free(&all);
		return false;
	}
	vec_free(b);
	*b = all;
	return true;
}

void branch_records_place(const struct branch_symbols *s, uint64_t address, struct branch_place *ret)
{
	struct branch_symbol symbol;

	records_name(s, address, &symbol);
	*ret = (struct branch_place){ .function = symbol.name ? symbol.name : "", .offset = address - symbol.start };
}
