/* SPDX-License-Identifier: BSD-2-Clause */
/* show.c - see show.h. */
#include "config.h"

#include "branch/show.h"

#include "base/text.h"
#include "base/units.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define CLEAN_BYTES 2048u        /* of a foreign text, sanitised */
#define BAR_WIDTH 40u

/* ---- text ---- */

static void show_put(const struct branch_show *s, const char *text)
{
	char clean[CLEAN_BYTES];

	text_sanitise(clean, sizeof(clean), text, strlen(text));
	fputs(clean, s->out);
}

/* "file.c:12", without folders. */
static void show_put_line(const struct branch_show *s, const struct branch_line *l)
{
	const char *slash = strrchr(l->file, '/');

	show_put(s, slash ? slash + 1 : l->file);
	if (l->line)
		fprintf(s->out, ":%" PRIu32, l->line);
}

/* "check+0x26 (parts.c:8)"; of inlined functions "check+0x26 (digit parts.c:3 < check parts.c:8)". */
static void show_put_place(const struct branch_show *s, const struct branch_place *p, uint64_t address)
{
	if (*p->function) {
		show_put(s, p->function);
		if (!p->whole)
			fprintf(s->out, "+0x%" PRIx64, p->offset);
	} else {
		fprintf(s->out, "0x%" PRIx64, address);
	}
	if (!p->n || (p->n == 1 && !*p->at[0].file))
		return;
	fputs(" (", s->out);
	for (uint32_t i = 0; i < p->n; i++) {
		if (i == p->n - 1 && p->more)
			fprintf(s->out, " < %" PRIu32 " more", p->more);
		if (i)
			fputs(" < ", s->out);
		if (p->n > 1) {
			show_put(s, p->at[i].name);
			fputs(*p->at[i].file ? " " : "", s->out);
		}
		if (*p->at[i].file)
			show_put_line(s, &p->at[i]);
	}
	fputc(')', s->out);
}

static void show_put_address(const struct branch_show *s, uint32_t space, uint64_t address)
{
	struct branch_place p = { .function = "" };

	s->name(s->ctx, space, address, &p);
	show_put_place(s, &p, address);
}

/* What the source has in the innermost line of the place, on a line of its own. */
static void show_put_source(const struct branch_show *s, uint32_t space, uint64_t address, const char *indent)
{
	struct branch_place p = { .function = "" };
	char text[SHOW_SOURCE_MAX];

	if (!s->source)
		return;
	s->name(s->ctx, space, address, &p);
	if (p.n && p.at[0].line && s->source(s->ctx, &p.at[0], text))
		fprintf(s->out, "%s%6" PRIu32 " | %s\n", indent, p.at[0].line, text + strspn(text, " \t"));
}

static const char *show_how(unsigned int how)
{
	return how == BRANCH_PASSED ? "  not taken" : "";
}

/* As the number of PERF_BR_* says. */
static const char *show_type(uint8_t type)
{
	static const char *const names[] = {
		"", "cond", "uncond", "ind", "call", "ind_call", "ret", "syscall", "sysret", "cond_call", "cond_ret",
		"eret", "irq", "serror", "no_tx",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "";
}

/* What a CPU says of B: "mispredicted, 12 cycles, cond". Returns DST, which is "" when it says nothing. */
static const char *show_said(const struct branch *b, char *dst, size_t size)
{
	size_t n = 0;

	dst[0] = '\0';
	if (b->flags & BRANCH_MISPREDICTED)
		n += text_format(dst + n, size - n, "mispredicted");
	if (b->cycles)
		n += text_format(dst + n, size - n, "%s%u cycle%s", n ? ", " : "", b->cycles,
				 b->cycles == 1 ? "" : "s");
	if (*show_type(b->type))
		n += text_format(dst + n, size - n, "%s%s", n ? ", " : "", show_type(b->type));
	if (b->flags & BRANCH_IN_TRANSACTION)
		n += text_format(dst + n, size - n, "%sin a transaction", n ? ", " : "");
	if (b->flags & BRANCH_ABORTED)
		text_format(dst + n, size - n, "%sabort", n ? ", " : "");
	return dst;
}

static void show_put_branch(const struct branch_show *s, const struct branch *b, uint64_t times)
{
	char said[96];

	fputs("  ", s->out);
	if (b->how == BRANCH_GAP && !b->from && !b->to) {
		fputs("... what was between is not known\n", s->out);
		return;
	}
	show_put_address(s, b->space, b->from);
	fputs(b->how == BRANCH_GAP ? " ... " : " -> ", s->out);
	if (b->to)
		show_put_address(s, b->space, b->to);
	fputs(b->how == BRANCH_GAP ? "  what was between is not known" : show_how(b->how), s->out);
	if (*show_said(b, said, sizeof(said)))
		fprintf(s->out, "  [%s]", said);
	if (times > 1)
		fprintf(s->out, "  (%" PRIu64 " times)", times);
	fputc('\n', s->out);
	show_put_source(s, b->space, b->from, "    ");
}

static bool show_is_same(const struct branch *a, const struct branch *b)
{
	return a->from == b->from && a->to == b->to && a->space == b->space && a->how == b->how &&
		a->flags == b->flags && a->cycles == b->cycles;
}

static void show_put_branches(const struct branch_show *s, const struct branch_call *call)
{
	for (size_t i = 0, to; i < call->branch.n; i = to) {
		for (to = i + 1; to < call->branch.n && show_is_same(&call->branch.v[i], &call->branch.v[to]); to++)
			;
		show_put_branch(s, &call->branch.v[i], to - i);
	}
	if (call->dropped)
		fprintf(s->out, "  ... %" PRIu64 " further branches are left out\n", call->dropped);
}

void branch_show_prints(const struct branch_show *s, const struct branch_call_text *text, int indent)
{
	for (uint32_t i = 0; i < text->prints; i++) {
		fprintf(s->out, "%*s", indent, "");
		show_put(s, text->print[i].what);
		fputs(" = ", s->out);
		show_put(s, text->print[i].value);
		fputc('\n', s->out);
	}
}

void branch_show_frames(const struct branch_show *s, const char *const *frame, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		fputs(i ? "            " : "    called by ", s->out);
		fputs(i ? "  " : "", s->out);
		show_put(s, frame[i]);
		fputc('\n', s->out);
	}
}

static void show_text_call(const struct branch_show *s, const struct branch_call *call,
			   const struct branch_call_text *text)
{
	char took[UNITS_MAX];

	show_put(s, text->function);
	fputc('(', s->out);
	show_put(s, text->args);
	fputc(')', s->out);
	if (call->end == BRANCH_RETURNED && *text->result) {
		fputs(" = ", s->out);
		show_put(s, text->result);
	}
	fputs("  ", s->out);
	show_put(s, call->comm);
	fprintf(s->out, "/%d", (int)call->tid);
	if (call->end != BRANCH_BEGUN)
		fprintf(s->out, "  %s", units_time(took, call->ended_ns - call->begun_ns));
	if (call->depth)
		fprintf(s->out, "  within %" PRIu32 " more", call->depth);
	if (call->end == BRANCH_LEFT_BY_JUMP)
		fputs("  it went on in another function", s->out);
	else if (call->end == BRANCH_LEFT)
		fputs("  left without a return (exception, longjmp)", s->out);
	if (s->condition && text->meets) {
		fputs("  meets ", s->out);
		show_put(s, s->condition);
	}
	fputc('\n', s->out);
	branch_show_prints(s, text, 4);
	show_put_branches(s, call);
	branch_show_frames(s, text->frame, text->frames);
}

/* ---- JSON ---- */

static json_t *show_string(const char *text)
{
	char clean[CLEAN_BYTES];

	text_sanitise(clean, sizeof(clean), text, strlen(text));
	return json_string(clean);
}

/* Sets KEY of O to VALUE, which is given up; NULL is for want of memory. */
static bool show_set(json_t *o, const char *key, json_t *value)
{
	return !json_object_set_new(o, key, value);
}

static bool show_set_u64(json_t *o, const char *key, uint64_t v)
{
	return show_set(o, key, json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v));
}

static bool show_set_line(json_t *o, const struct branch_line *l)
{
	return (!*l->file || show_set(o, "file", show_string(l->file))) &&
		(!l->line || show_set_u64(o, "line", l->line));
}

static json_t *show_json_place(const struct branch_show *s, uint32_t space, uint64_t address)
{
	struct branch_place p = { .function = "" };
	json_t *o = json_object(), *inlined;
	bool ok = o;
	char text[24];

	s->name(s->ctx, space, address, &p);
	if (*p.function) {
		ok = ok && show_set(o, "function", show_string(p.function)) &&
			(p.whole || show_set_u64(o, "offset", p.offset));
	} else {
		text_format(text, sizeof(text), "0x%" PRIx64, address);
		ok = ok && show_set(o, "address", json_string(text));
	}
	ok = ok && (!p.n || show_set_line(o, &p.at[p.n - 1]));
	inlined = ok && p.n > 1 ? json_array() : NULL;
	for (uint32_t i = 0; inlined && i + 1 < p.n; i++) {
		json_t *one = json_object();

		ok = ok && show_set(one, "function", show_string(p.at[i].name)) && show_set_line(one, &p.at[i]) &&
			!json_array_append(inlined, one);
		json_decref(one);
	}
	if (inlined)
		ok = show_set(o, "inlined", inlined) && ok;
	if (ok)
		return o;
	json_decref(o);
	return NULL;
}

static bool show_set_ends(const struct branch_show *s, json_t *o, uint32_t space, uint64_t from, uint64_t to,
			  unsigned int how)
{
	bool ok = o;

	if (from)
		ok = ok && show_set(o, "from", show_json_place(s, space, from));
	if (to)
		ok = ok && show_set(o, "to", show_json_place(s, space, to));
	return ok && (how == BRANCH_GAP ? show_set(o, "gap", json_true()) :
		      show_set(o, "taken", json_boolean(how == BRANCH_TAKEN)));
}

static json_t *show_json_branch(const struct branch_show *s, const struct branch *b, uint64_t times)
{
	json_t *o = json_object();
	bool ok = show_set_ends(s, o, b->space, b->from, b->to, b->how);

	if (times > 1)
		ok = ok && show_set_u64(o, "times", times);
	if (b->flags & (BRANCH_MISPREDICTED | BRANCH_PREDICTED))
		ok = ok && show_set(o, "mispredicted", json_boolean(b->flags & BRANCH_MISPREDICTED));
	if (b->flags & BRANCH_IN_TRANSACTION)
		ok = ok && show_set(o, "transaction", json_true());
	if (b->flags & BRANCH_ABORTED)
		ok = ok && show_set(o, "abort", json_true());
	if (b->cycles)
		ok = ok && show_set_u64(o, "cycles", b->cycles);
	if (*show_type(b->type))
		ok = ok && show_set(o, "type", json_string(show_type(b->type)));
	if (ok)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *show_json_branches(const struct branch_show *s, const struct branch_call *call)
{
	json_t *list = json_array();

	for (size_t i = 0, to; list && i < call->branch.n; i = to) {
		for (to = i + 1; to < call->branch.n && show_is_same(&call->branch.v[i], &call->branch.v[to]); to++)
			;
		if (json_array_append_new(list, show_json_branch(s, &call->branch.v[i], to - i))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* Writes O, which is given up, on a line. False when out of memory. */
static bool show_put_object(const struct branch_show *s, json_t *o, bool ok)
{
	char *text = ok ? json_dumps(o, JSON_COMPACT) : NULL;

	json_decref(o);
	if (!text)
		return false;
	fputs(text, s->out);
	fputc('\n', s->out);
	free(text);
	return true;
}

struct json_t *branch_show_frames_json(const char *const *frame, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; list && i < n; i++)
		if (json_array_append_new(list, show_string(frame[i]))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

struct json_t *branch_show_prints_json(const struct branch_call_text *text)
{
	json_t *o = json_object();

	for (uint32_t i = 0; o && i < text->prints; i++)
		if (!show_set(o, text->print[i].what, show_string(text->print[i].value))) {
			json_decref(o);
			return NULL;
		}
	return o;
}

static bool show_json_call(const struct branch_show *s, const struct branch_call *call,
			   const struct branch_call_text *text)
{
	static const char *const ends[] = {
		[BRANCH_RETURNED] = "return", [BRANCH_LEFT_BY_JUMP] = "jump", [BRANCH_LEFT] = "left",
		[BRANCH_BEGUN] = "begun",
	};
	json_t *o = json_object();
	bool ok = show_set(o, "call", show_string(text->function));

	ok = ok && show_set_u64(o, "time_ns", call->begun_ns + text->real_ns);
	ok = ok && show_set(o, "comm", show_string(call->comm));
	ok = ok && show_set_u64(o, "pid", (uint64_t)call->pid) && show_set_u64(o, "tid", (uint64_t)call->tid);
	ok = ok && (call->end == BRANCH_BEGUN ||
		    show_set_u64(o, "latency_ns", call->ended_ns - call->begun_ns));
	ok = ok && show_set_u64(o, "depth", call->depth) && show_set(o, "args", show_string(text->args));
	if (call->end == BRANCH_RETURNED && *text->result)
		ok = ok && show_set(o, "result", show_string(text->result));
	ok = ok && show_set(o, "end", json_string(ends[call->end]));
	if (s->condition)
		ok = ok && show_set(o, "meets", json_boolean(text->meets));
	if (call->dropped)
		ok = ok && show_set_u64(o, "dropped", call->dropped);
	if (text->prints)
		ok = ok && show_set(o, "print", branch_show_prints_json(text));
	if (text->frames)
		ok = ok && show_set(o, "stack", branch_show_frames_json(text->frame, text->frames));
	if (call->end != BRANCH_BEGUN || call->branch.n)
		ok = ok && show_set(o, "branches", show_json_branches(s, call));
	return show_put_object(s, o, ok);
}

bool branch_show_call(const struct branch_show *s, const struct branch_call *call, const struct branch_call_text *text)
{
	if (s->json)
		return show_json_call(s, call, text);
	show_text_call(s, call, text);
	return true;
}

/* ---- counts ---- */

void branch_times_add(struct branch_times *t, uint64_t ns)
{
	t->calls++;
	t->total_ns += ns;
	t->longest_ns = ns > t->longest_ns ? ns : t->longest_ns;
	t->power[ns > 1 ? 63 - __builtin_clzll(ns) : 0]++;
}

static void show_text_times(const struct branch_show *s, const char *function, const struct branch_times *t)
{
	char calls[UNITS_MAX], total[UNITS_MAX], average[UNITS_MAX], longest[UNITS_MAX];
	uint64_t most = 1;

	show_put(s, function);
	fprintf(s->out, ": %s call%s, total %s, average %s, longest %s\n", units_thousands(calls, t->calls),
		t->calls == 1 ? "" : "s", units_time(total, t->total_ns),
		units_time(average, t->calls ? t->total_ns / t->calls : 0), units_time(longest, t->longest_ns));
	for (unsigned int i = 0; i < SHOW_POWERS; i++)
		most = t->power[i] > most ? t->power[i] : most;
	for (unsigned int i = 0; i < SHOW_POWERS; i++) {
		const unsigned int width = (unsigned int)((t->power[i] * BAR_WIDTH + most - 1) / most);

		if (t->power[i])
			fprintf(s->out, "%10s and more %10s  %.*s\n", units_time(total, i ? 1ull << i : 0),
				units_thousands(calls, t->power[i]), (int)width,
				"########################################");
	}
}

static bool show_json_times(const struct branch_show *s, const char *function, const struct branch_times *t)
{
	json_t *o = json_object(), *list = json_array();
	bool ok = show_set(o, "function", show_string(function)) && list;

	ok = ok && show_set_u64(o, "calls", t->calls) && show_set_u64(o, "total_ns", t->total_ns);
	ok = ok && show_set_u64(o, "longest_ns", t->longest_ns);
	for (unsigned int i = 0; ok && i < SHOW_POWERS; i++)
		if (t->power[i])
			ok = !json_array_append_new(list, json_pack("{s:I,s:I}", "from_ns",
								    i ? (json_int_t)(1ull << i) : 0, "calls",
								    (json_int_t)t->power[i]));
	ok = show_set(o, "histogram", list) && ok;
	return show_put_object(s, o, ok);
}

bool branch_show_times(const struct branch_show *s, const char *function, const struct branch_times *t)
{
	if (s->json)
		return show_json_times(s, function, t);
	show_text_times(s, function, t);
	return true;
}

static bool show_set_counts(const struct branch_show *s, json_t *o, const struct branch_sum *b)
{
	if (!s->condition)
		return show_set_u64(o, "calls", b->calls[SIDE_OTHER]) && show_set_u64(o, "hits", b->hits[SIDE_OTHER]);
	return show_set_u64(o, "calls_that_meet", b->calls[SIDE_MEETS]) &&
		show_set_u64(o, "other_calls", b->calls[SIDE_OTHER]) &&
		show_set_u64(o, "hits_that_meet", b->hits[SIDE_MEETS]) &&
		show_set_u64(o, "other_hits", b->hits[SIDE_OTHER]);
}

static void show_text_counts(const struct branch_show *s, const struct branch_sum *b)
{
	char calls[UNITS_MAX], hits[UNITS_MAX];

	fprintf(s->out, "%10s %12s  ", units_thousands(calls, b->calls[SIDE_OTHER] + b->calls[SIDE_MEETS]),
		units_thousands(hits, b->hits[SIDE_OTHER] + b->hits[SIDE_MEETS]));
	show_put_address(s, b->space, b->from);
	fputs(" -> ", s->out);
	show_put_address(s, b->space, b->to);
	fputs(show_how(b->how), s->out);
	fputc('\n', s->out);
	show_put_source(s, b->space, b->from, "                         ");
}

bool branch_show_counts(const struct branch_show *s, struct branch_sums *sums)
{
	size_t n;
	const struct branch_sum *all = branch_sums_all(sums, &n);
	bool ok = true;

	if (n && !s->json)
		fprintf(s->out, "%10s %12s  %s\n", "calls", "times", "branch");
	for (size_t i = 0; i < n && ok; i++) {
		if (s->json) {
			json_t *o = json_object();

			ok = show_set_ends(s, o, all[i].space, all[i].from, all[i].to, all[i].how) &&
				show_set_counts(s, o, &all[i]);
			ok = show_put_object(s, o, ok);
		} else {
			show_text_counts(s, &all[i]);
		}
	}
	return ok;
}

/* ---- parting ---- */

static void show_text_way(const struct branch_show *s, const struct branch_sum *w)
{
	char meets[UNITS_MAX], others[UNITS_MAX];

	fprintf(s->out, "%12s %12s  -> ", units_thousands(meets, w->calls[SIDE_MEETS]),
		units_thousands(others, w->calls[SIDE_OTHER]));
	show_put_address(s, w->space, w->to);
	fputs(show_how(w->how), s->out);
	fputc('\n', s->out);
	show_put_source(s, w->space, w->to, "                               ");
}

static void show_text_parting(const struct branch_show *s, const struct branch_parting *p, bool first)
{
	char meets[UNITS_MAX], others[UNITS_MAX];

	fprintf(s->out, "\n%s ", !p->clear ? "No branch is of one side alone. They differ most at" :
		first ? "They part first at" : "Then at");
	show_put_address(s, p->space, p->from);
	fputc('\n', s->out);
	show_put_source(s, p->space, p->from, "    ");
	fprintf(s->out, "%12s %12s\n", "that meet", "others");
	fprintf(s->out, "%12s %12s  come to it\n", units_thousands(meets, p->reached[SIDE_MEETS]),
		units_thousands(others, p->reached[SIDE_OTHER]));
	for (uint32_t i = 0; i < p->n; i++)
		show_text_way(s, &p->way[i]);
	if (p->untold)
		fprintf(s->out, "%25s  and %" PRIu64 " more\n", "", p->untold);
}

static bool show_json_parting(const struct branch_show *s, const struct branch_parting *p, json_t *list)
{
	json_t *o = json_object(), *ways = json_array();
	bool ok = o && ways && show_set(o, "from", show_json_place(s, p->space, p->from));

	ok = ok && show_set(o, "clear", json_boolean(p->clear));
	ok = ok && show_set_u64(o, "calls_that_meet", p->reached[SIDE_MEETS]);
	ok = ok && show_set_u64(o, "other_calls", p->reached[SIDE_OTHER]);
	for (uint32_t i = 0; i < p->n && ok; i++) {
		json_t *one = json_object();

		ok = show_set_ends(s, one, p->space, 0, p->way[i].to, p->way[i].how) &&
			show_set_counts(s, one, &p->way[i]) && !json_array_append(ways, one);
		json_decref(one);
	}
	ok = show_set(o, "ways", ways) && ok;
	return !json_array_append_new(list, o) && ok;
}

static bool show_json_part(const struct branch_show *s, const struct branch_sums *sums,
			   const struct branch_parting *p, size_t n)
{
	json_t *o = json_object(), *list = json_array();
	bool ok = list && show_set(o, "part", show_string(s->condition ? s->condition : ""));

	ok = ok && show_set_u64(o, "calls_that_meet", branch_sums_calls(sums, SIDE_MEETS));
	ok = ok && show_set_u64(o, "other_calls", branch_sums_calls(sums, SIDE_OTHER));
	for (size_t i = 0; i < n; i++)
		ok = ok && show_json_parting(s, &p[i], list);
	ok = show_set(o, "partings", list) && ok;
	return show_put_object(s, o, ok);
}

bool branch_show_part(const struct branch_show *s, struct branch_sums *sums)
{
	struct branch_parting *p = calloc(SHOW_PARTS_MAX, sizeof(*p));
	const uint64_t meets = branch_sums_calls(sums, SIDE_MEETS), others = branch_sums_calls(sums, SIDE_OTHER);
	const size_t n = p ? branch_sums_part(sums, p, SHOW_PARTS_MAX) : 0;
	char a[UNITS_MAX], b[UNITS_MAX];
	bool ok = p;

	if (ok && s->json) {
		ok = show_json_part(s, sums, p, n);
	} else if (ok) {
		fprintf(s->out, "%s calls, %s of them with ", units_thousands(a, meets + others),
			units_thousands(b, meets));
		show_put(s, s->condition ? s->condition : "");
		fputc('\n', s->out);
		if (!n)
			fputs(!meets ? "No call meets the condition: there is nothing to part\n" :
			      !others ? "Every call meets the condition: there is nothing to part\n" :
			      s->partial ? "No jump tells them apart that was watched in calls of both kinds: others "
				"were not, "
			      "yet\n" :
			      "No branch tells them apart: they take the same ways, equally often\n", s->out);
		for (size_t i = 0; i < n; i++)
			show_text_parting(s, &p[i], !i);
	}
	free(p);
	return ok;
}
