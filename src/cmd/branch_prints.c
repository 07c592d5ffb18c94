/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_prints.c - see branch_prints.h. What is kept stands in a table of fixed size, by thread and time: a later hit
 * may take the place of an earlier one, which is not known any more then.
 */
#include "config.h"

#include "cmd/branch_prints.h"

#include "base/hash.h"
#include "base/text.h"
#include "engine/loads.h"
#include "model/probes.h"
#include "model/probevalues.h"
#include "probe/ktypes_all.h"
#include "symbol/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 65536u              /* a power of two */
#define PRINT_TEXT_MAX 1024u
#define RESULT "retval"

/* What a hit came with: its texts, and behind them their bytes. */
struct print_kept {
	pid_t tid;
	uint64_t time_ns;
	uint32_t n;
	struct hit_text text[PLACING_PRINTS_MAX];
	char bytes[];
};

struct branch_prints {
	struct placing_prints asked;
	char *texts;             /* of all of these */
	const char *expr[PLACING_PRINTS_MAX];
	struct ktypes_all types;
	struct ksyms *syms;      /* NULL = nobody has asked yet */
	struct print_kept *kept[KEPT];
	struct branch_print print[PLACING_PRINTS_MAX];
	char value[PLACING_PRINTS_MAX][PRINT_TEXT_MAX];
};

/* ---- what is asked for ---- */

static bool print_is_result(const char *expr)
{
	const size_t len = strlen(RESULT);

	expr += *expr == '*';
	return !strncmp(expr, RESULT, len) && (!expr[len] || strchr(".-[", expr[len]));
}

static int print_add(struct branch_prints *p, const char *expr, bool begin, struct err *e)
{
	if (!*expr)
		return err_set(e, EINVAL, "--print takes what is to be shown: --print '*file,file->f_op->read'");
	if (begin && print_is_result(expr))
		return err_set(e, EINVAL, "--entry tells calls when they begin, before their result is known: leave "
			       "out --print '%.100s'", expr);
	if (p->asked.n == PLACING_PRINTS_MAX)
		return err_set(e, E2BIG, "--print shows %u values at most", PLACING_PRINTS_MAX);
	p->expr[p->asked.n++] = expr;
	return 0;
}

int branch_prints_new(const struct options *o, struct branch_prints **ret, struct err *e)
{
	AUTO(branch_prints_free) struct branch_prints *p = o->branch_print.n ? calloc(1, sizeof(*p)) : NULL;
	size_t bytes = 1;
	char *at;
	int r = 0;

	if (!o->branch_print.n)
		return 0;
	for (size_t i = 0; i < o->branch_print.n; i++)
		bytes += strlen(o->branch_print.v[i]) + 1;
	at = p ? calloc(1, bytes) : NULL;
	if (!at)
		return err_nomem(e, "what is to be shown");
	p->texts = at;
	for (size_t i = 0; i < o->branch_print.n && !r; i++) {
		char *next = at;

		strcpy(at, o->branch_print.v[i]);
		at += strlen(at) + 1;
		while (next && !r) {
			char *expr = strsep(&next, ",");

			r = print_add(p, expr + strspn(expr, " "), o->branch_entry, e);
		}
	}
	p->asked.expr = p->expr;
	if (!r)
		*ret = take_ptr(p);
	return r;
}

void branch_prints_free(struct branch_prints *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < KEPT; i++)
		free(p->kept[i]);
	ktypes_all_free(&p->types);
	ksyms_free(p->syms);
	free(p->texts);
	free(p);
}

const struct placing_prints *branch_prints_asked(const struct branch_prints *p)
{
	return &p->asked;
}

/* ---- keeping ---- */

static struct print_kept **print_slot(struct branch_prints *p, pid_t tid, uint64_t time_ns)
{
	return &p->kept[hash_2u64(time_ns, (uint64_t)tid) & (KEPT - 1)];
}

void branch_prints_take(struct branch_prints *p, const struct hit *h)
{
	if (p && h->nr_texts)
		branch_prints_keep(p, h->tid, h->time_ns, h->text, h->nr_texts);
}

void branch_prints_keep(struct branch_prints *p, pid_t tid, uint64_t time_ns, const struct hit_text *text, uint32_t n)
{
	struct print_kept *k, **slot;
	size_t bytes = 0;
	char *at;

	for (uint32_t i = 0; i < n; i++)
		bytes += text[i].len;
	k = calloc(1, sizeof(*k) + bytes);
	if (!k)
		return;
	k->tid = tid;
	k->time_ns = time_ns;
	at = k->bytes;
	for (uint32_t i = 0; i < n && k->n < PLACING_PRINTS_MAX; i++) {
		memcpy(at, text[i].bytes, text[i].len);
		k->text[k->n] = text[i];
		k->text[k->n++].bytes = at;
		at += text[i].len;
	}
	slot = print_slot(p, tid, time_ns);
	free(*slot);
	*slot = k;
}

/* Expression AT of the hit of thread TID at TIME_NS; NULL = it is not there. */
static const struct hit_text *print_find(struct branch_prints *p, pid_t tid, uint64_t time_ns, uint32_t at)
{
	const struct print_kept *k = *print_slot(p, tid, time_ns);

	if (!k || k->tid != tid || k->time_ns != time_ns)
		return NULL;
	for (uint32_t i = 0; i < k->n; i++)
		if (k->text[i].arg == HIT_PRINT + at)
			return &k->text[i];
	return NULL;
}

static void print_forget(struct branch_prints *p, pid_t tid, uint64_t time_ns)
{
	struct print_kept **slot = print_slot(p, tid, time_ns);

	if (!*slot || (*slot)->tid != tid || (*slot)->time_ns != time_ns)
		return;
	free(*slot);
	*slot = NULL;
}

/* ---- writing ---- */

/* The function or the variable at ADDRESS, if it begins there. */
static bool print_name(void *ctx, uint64_t address, char *dst, size_t size)
{
	struct branch_prints *p = ctx;
	struct ksym sym;

	if (!p->syms && ksyms_load(&p->syms, NULL))
		return false;
	if (!ksyms_find(p->syms, address, &sym) || sym.start != address)
		return false;
	text_format(dst, size, "%s", sym.name);
	return true;
}

/* Why what EXPR leads to cannot be read, of a call C, into DST. */
static void print_unread(const struct ktypes_value *v, const char *expr,
			 const struct branch_printed *c, char *dst, size_t size)
{
	const uint64_t from = v->is_result ? c->result : c->arg[v->arg % BRANCH_ARGS];
	const size_t len = strcspn(expr + (*expr == '*'), ".-[");
	const char *error = (int64_t)from < 0 && (int64_t)from > -4096 ? strerrorname_np((int)-(int64_t)from) : NULL;

	if (!from || error)
		text_format(dst, size, "cannot be read: %.*s is %s%s%s", (int)len, expr + (*expr == '*'),
			    error ? "an error (" : "NULL", error ? error : "", error ? ")" : "");
	else
		text_format(dst, size, "cannot be read");
}

/* The same of a function of a program. */
static bool print_user_value(struct branch_prints *p, uint32_t at, const struct branch_printed *c, char *dst)
{
	const struct probe_print how = probe_print_get(c->probe, at);
	const bool result = how.from >= BRANCH_ARGS;
	const struct hit_text *t;
	uint64_t word = result ? c->result : c->arg[how.from % BRANCH_ARGS];
	const unsigned int unused = how.size ? 64 - 8u * how.size : 0;

	if (how.known && result && !c->returned)
		return false;
	t = how.known && !how.there ? print_find(p, c->tid, result ? c->ended_ns : c->begun_ns, at) : NULL;
	if (!how.known) {
		text_format(dst, PRINT_TEXT_MAX, "is not known: %s", probes_why(c->probe, (char[PROBE_WHY_MAX]){ "" }));
	} else if (!how.there && !t) {
		text_format(dst, PRINT_TEXT_MAX, "was lost");
	} else if (t && t->unread) {
		text_format(dst, PRINT_TEXT_MAX, word ? "cannot be read: a bad address, or not in memory" :
			    "cannot be read: %.*s is NULL", (int)strcspn(p->expr[at], ".-["), p->expr[at]);
	} else if (t && !how.size) {
		text_format(dst, PRINT_TEXT_MAX, "\"%.*s\"%s", (int)strnlen(t->bytes, t->len), t->bytes,
			    t->cut ? "..." : "");
	} else {
		if (t) {
			word = 0;
			memcpy(&word, t->bytes, t->len < sizeof(word) ? t->len : sizeof(word));
		}
		word <<= unused & 63;
		text_format(dst, PRINT_TEXT_MAX, how.is_signed ? "%lld" : word >> unused >> 32 ? "0x%llx" : "%llu",
			    how.is_signed ? (unsigned long long)((int64_t)word >> unused) :
			    (unsigned long long)(word >> unused));
	}
	return true;
}

/* The value of EXPR, number AT, of C, to DST. False = its function has none, or it has not returned. */
static bool print_value(struct branch_prints *p, uint32_t at, const struct branch_printed *c, char *dst)
{
	const char *expr = p->expr[at];
	const struct ktypes_style style = { .errors = !strcmp(expr, RESULT), .name = print_name, .ctx = p };
	const struct hit_text *t;
	struct ktypes_value v;
	struct ktypes *types;
	struct sb_load load;
	uint64_t word;

	if (!c->find && !c->kernel)
		return print_user_value(p, at, c, dst);
	/* Where nothing is known of them, whoever placed the probes has said so. */
	if (c->find ? !c->find(c->ctx, c->probe, expr, &types, &v) :
	    ktypes_all_of(&p->types, c->symbol, &types, NULL) ||
	    load_of_print(expr, types, c->symbol, &load, &v, NULL))
		return false;
	if (v.is_result && !c->returned)
		return false;
	if (!v.hops) {
		word = v.is_result ? c->result : c->arg[v.arg % BRANCH_ARGS];
		ktypes_show(types, v.type, &word, v.bytes < sizeof(word) ? v.bytes : sizeof(word), &style, dst,
			    PRINT_TEXT_MAX);
		return true;
	}
	t = print_find(p, c->tid, v.is_result ? c->ended_ns : c->begun_ns, at);
	if (!t)
		text_format(dst, PRINT_TEXT_MAX, "was lost");
	else if (t->unread)
		print_unread(&v, expr, c, dst, PRINT_TEXT_MAX);
	else if (!v.bytes)
		text_format(dst, PRINT_TEXT_MAX, "\"%.*s\"%s", (int)strnlen(t->bytes, t->len), t->bytes,
			    t->cut ? "..." : "");
	else
		ktypes_show(types, v.type, t->bytes, t->len, &style, dst, PRINT_TEXT_MAX);
	return true;
}

void branch_prints_tell(struct branch_prints *p, const struct branch_printed *c, struct branch_call_text *text)
{
	if (!p)
		return;
	text->print = p->print;
	for (uint32_t i = 0; i < p->asked.n; i++)
		if (print_value(p, i, c, p->value[text->prints])) {
			p->print[text->prints] = (struct branch_print){ p->expr[i], p->value[text->prints] };
			text->prints++;
		}
	print_forget(p, c->tid, c->begun_ns);
	print_forget(p, c->tid, c->ended_ns);
}
