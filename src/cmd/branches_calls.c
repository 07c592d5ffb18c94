/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branches_calls.c - calls that are told, and call graphs: each is judged, and then counted, kept, or written.
 */
#include "config.h"

#include "cmd/branches_private.h"

#include "base/clock.h"
#include "base/text.h"
#include "cmd/branch_listing.h"
#include "model/probecode.h"
#include "model/probevalues.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_NS (5 * NSEC_PER_SEC)      /* that names of a stack are waited for */
#define FUNCTION_BYTES 512u
#define FUNCTIONS_MAX 4096u              /* whose times are kept apart */

/* ---- calls ---- */

static const struct branch_wish *branches_wish(const struct branches *b, uint32_t probe)
{
	for (size_t i = 0; i < b->wish.n; i++)
		if (b->wish.v[i].number == probe)
			return &b->wish.v[i];
	return NULL;
}

/* How CODE is called, without its parameters, which have their values. Returns DST. */
static const char *branches_called(const struct probe_code *code, char dst[FUNCTION_BYTES])
{
	const char *at = code->name;

	while (*at && (*at != '(' || !strncmp(at, "(anonymous", 10)))
		at += strncmp(at, "operator()", 10) ? 1 : 10;
	text_format(dst, FUNCTION_BYTES, "%.*s", (int)(at - code->name), code->name);
	return *dst ? dst : code->symbol;
}

/*
 * RESULT of CALL, with the name of the error, into DST, where it is one of the kernel, or of what it means for a BPF
 * program. Returns what to show.
 */
static const char *branches_error(const struct branches *b, const struct branch_call *call, const char *result,
				  char dst[48])
{
	const bool pointer = probe_param_get(call->probe, BRANCH_ARGS).is_pointer && (int64_t)call->result < 0;
	const int64_t code = pointer ? -(int64_t)call->result : -(int64_t)(int32_t)call->result;
	struct probe_code of;
	const char *name = code > 0 && code < 4096 && (pointer || *result == '-') ? strerrorname_np((int)code) : NULL;

	if (b->programs) {
		const char *verdict = branch_programs_verdict(b->programs, call);

		if (*verdict)
			text_format(dst, 48, "%s (%s)", result, verdict);
		return *verdict ? dst : result;
	}
	if (!name || !probe_code_find(call->probe, BRANCH_SPACE_NUMBER(call->space), &of) ||
	    !branch_names_is_kernel(&of))
		return result;
	if (pointer)
		text_format(dst, 48, "-%d (%s)", (int)code, name);
	else
		text_format(dst, 48, "%s (%s)", result, name);
	return dst;
}

/* Is FRAME, as "name (module)", the function CALLED? */
static bool branches_is_frame(const char *frame, const char *called)
{
	const size_t len = strlen(called);

	return len && !strncmp(frame, called, len) && (!frame[len] || frame[len] == ' ');
}

/* Has the frames of STACK in TEXT, from who calls the function CALLED on, until the next question. */
static void branches_stack(struct branches *b, stack_id stack, const char *called, struct branch_call_text *text)
{
	struct engine *en = b->launch.engine;

	if (!b->o->branch_stacks || !en || stack == ID_NONE)
		return;
	symbolizer_kick(engine_symbolizer(en));
	symbolizer_wait(engine_symbolizer(en), NAMES_NS);
	if (!stacktext_of(&b->stack, engine_dict(en), engine_names(en), stack)) {
		b->loss[LOSS_UNTOLD]++;
		return;
	}
	text->frame = (const char *const *)b->stack.frame.v;
	text->frames = (uint32_t)b->stack.frame.n;
	/* The kernel calls a program bpf_prog_TAG_NAME. */
	if (text->frames > 1 && (branches_is_frame(text->frame[0], called) ||
				 (b->programs && !strncmp(text->frame[0], "bpf_prog_", 9)))) {
		text->frame++;
		text->frames--;
	}
}

/* What there is to say of a call; its texts are valid until the next one. */
struct branches_said {
	struct branch_call_text text;
	const char *symbol;      /* of its function */
	bool kernel;             /* it is one of the kernel */
	char called[FUNCTION_BYTES], error[48], place[PROBE_VALUE_TEXT_MAX];
	struct probe_code code;
};

static void branches_describe(struct branches *b, const struct branch_call *call, struct branches_said *ret)
{
	struct hit params = { .probe = call->probe, .nr_args = BRANCH_ARGS + (call->end == BRANCH_RETURNED) };
	const struct branch_wish *w = branches_wish(b, call->probe);

	ret->text = (struct branch_call_text){ .function = "", .real_ns = b->real_ns };
	memcpy(params.arg, call->arg, sizeof(call->arg));
	params.arg[BRANCH_ARGS] = call->result;
	hitfields_of_params(&params, &b->fields);
	ret->text.args = b->fields.text;
	ret->text.result = branches_error(b, call, b->fields.result, ret->error);
	ret->kernel = w && w->kernel;
	ret->symbol = ret->text.function = b->programs ? branch_programs_name(b->programs, call->probe) :
		w ? w->spec.point[0].name : "";
	if (w && *w->symbol)
		ret->symbol = w->symbol;
	if (!b->programs && call->end != BRANCH_BEGUN &&
	    probe_code_find(call->probe, BRANCH_SPACE_NUMBER(call->space), &ret->code)) {
		ret->text.function = branches_called(&ret->code, ret->called);
		ret->symbol = ret->code.symbol;
	}
	ret->text.meets = b->part.n && branch_condition_of(&b->part, call) == VERDICT_YES;
}

/* ADDRESS of SPACE as "f+0x25 (file.c:1218)", or behind another place of FUNCTION as "+0x25 (file.c:1218)". */
static size_t branches_place(struct branches *b, uint32_t space, uint64_t address, const char *function, char *dst,
			     size_t size)
{
	struct branch_place p = { .function = "" };
	const char *slash;
	size_t n;

	branch_names_of(b->names, space, address, &p);
	n = text_format(dst, size, "%s+0x%llx", strcmp(p.function, function) ? p.function : "",
			(unsigned long long)p.offset);
	slash = p.n ? strrchr(p.at[0].file, '/') : NULL;
	if (p.n && p.at[0].line)
		n += text_format(dst + n, size - n, " (%s:%u)", slash ? slash + 1 : p.at[0].file, p.at[0].line);
	return n;
}

/* The last branch of CALL that is known, into DST; "" = there is none. */
static void branches_last(struct branches *b, const struct branch_call *call, const char *function,
			  char dst[PROBE_VALUE_TEXT_MAX])
{
	size_t i = call->branch.n, n;

	dst[0] = '\0';
	while (i && call->branch.v[i - 1].how == BRANCH_GAP)
		i--;
	if (!i)
		return;
	n = branches_place(b, call->branch.v[i - 1].space, call->branch.v[i - 1].from, "", dst, PROBE_VALUE_TEXT_MAX);
	n += text_format(dst + n, PROBE_VALUE_TEXT_MAX - n, " -> ");
	branches_place(b, call->branch.v[i - 1].space, call->branch.v[i - 1].to, function, dst + n,
		       PROBE_VALUE_TEXT_MAX - n);
}

/* Puts CALL into the recording, if one is made. */
static void branches_record(struct branches *b, const struct branch_call *call)
{
	struct branches_said s;

	if (!b->record)
		return;
	branches_describe(b, call, &s);
	branches_last(b, call, s.text.function, s.place);
	if (!branch_record_put(b->record, &(struct branch_recorded){
			       .probe = call->probe, .pid = call->pid, .tid = call->tid, .comm = call->comm,
			       .function = s.text.function, .begun_ns = call->begun_ns, .ended_ns = call->ended_ns,
			       .timed = call->end != BRANCH_BEGUN, .fields = &b->fields, .result =
			       call->end == BRANCH_RETURNED ? s.text.result : "", .place = s.place }))
		b->loss[LOSS_UNRECORDED]++;
}

/* Writes CALL. */
static void branches_put(struct branches *b, const struct branch_call *call)
{
	struct branches_said s;

	branches_describe(b, call, &s);
	branch_prints_tell(b->prints, &(struct branch_printed){
			   s.symbol, s.kernel, call->probe, call->tid, call->begun_ns, call->ended_ns,
			   call->end == BRANCH_RETURNED, call->arg, call->result,
			   b->programs ? branch_programs_print : NULL, b->programs }, &s.text);
	branches_stack(b, call->stack, s.text.function, &s.text);
	if (!branch_show_call(&b->show, call, &s.text))
		b->loss[LOSS_UNTOLD]++;
}

bool branches_copy(const struct branch_call *call, struct branch_call *ret)
{
	*ret = *call;
	ret->branch = (branch_vec){ 0 };
	if (!call->branch.n)
		return true;
	if (!vec_reserve(&ret->branch, call->branch.n))
		return false;
	memcpy(ret->branch.v, call->branch.v, call->branch.n * sizeof(*call->branch.v));
	ret->branch.n = call->branch.n;
	return true;
}

/* Keeps CALL as one of the last. */
static void branches_keep(struct branches *b, const struct branch_call *call)
{
	struct branch_call copy, *at;

	if (!branches_copy(call, &copy)) {
		b->loss[LOSS_UNTOLD]++;
		return;
	}
	if (b->last.n < b->o->last) {
		at = vec_push(&b->last);
	} else {
		at = &b->last.v[b->last_at];
		vec_free(&at->branch);
	}
	if (!at) {
		vec_free(&copy.branch);
		b->loss[LOSS_UNTOLD]++;
		return;
	}
	*at = copy;
	b->last_at = (b->last_at + 1) % b->o->last;
}

/* A call of the function of SPACE took NS. */
static void branches_time(struct branches *b, uint32_t space, uint64_t ns)
{
	struct counted_function *at = NULL;

	for (size_t i = 0; i < b->function.n && !at; i++)
		if (b->function.v[i].space == space)
			at = &b->function.v[i];
	if (!at && b->function.n < FUNCTIONS_MAX) {
		at = vec_push(&b->function);
		if (at)
			*at = (struct counted_function){ .space = space };
	}
	if (!at) {
		b->loss[LOSS_UNTOLD]++;
		return;
	}
	branch_times_add(&at->times, ns);
}

/* Whether CALL counts. If so it is counted, and *RET_MEETS says on which side it is. */
static bool branches_judge(struct branches *b, const struct branch_call *call, bool *ret_meets)
{
	const struct branch_wish *w = branches_wish(b, call->probe);
	const enum branch_verdict wanted = w ? branch_condition_of(&w->when, call) : VERDICT_NO;
	const enum branch_verdict side = b->part.n ? branch_condition_of(&b->part, call) : VERDICT_NO;

	if (wanted == VERDICT_NO) {
		b->loss[LOSS_UNMET]++;
		return false;
	}
	if (wanted == VERDICT_UNKNOWN || side == VERDICT_UNKNOWN) {
		b->loss[LOSS_UNKNOWN]++;
		return false;
	}
	*ret_meets = side == VERDICT_YES;
	if (b->sums && !branch_sums_add(b->sums, call, *ret_meets ? SIDE_MEETS : SIDE_OTHER))
		b->loss[LOSS_UNTOLD]++;
	return true;
}

void branches_ended(void *ctx, const struct branch_call *call)
{
	struct branches *b = ctx;
	bool meets;

	if (!branches_judge(b, call, &meets))
		return;
	branches_record(b, call);
	if (b->o->branch_count)
		branches_time(b, call->space, call->ended_ns - call->begun_ns);
	if (b->o->last)
		branches_keep(b, call);
	else if (!b->sums)
		branches_put(b, call);
}

/* Keeps G as one of the last. */
static void branches_keep_graph(struct branches *b, const struct graph *g)
{
	const bool more = b->last_graph.n < b->o->last;
	struct graph copy = *g, *at = more ? vec_push(&b->last_graph) : &b->last_graph.v[b->last_at];

	if (more && at)
		*at = (struct graph){ 0 };
	memset(&copy.call, 0, sizeof(copy.call));
	if (!at || !vec_reserve(&copy.call, g->call.n)) {
		b->last_graph.n -= at && more;
		b->loss[LOSS_UNTOLD]++;
		return;
	}
	memcpy(copy.call.v, g->call.v, g->call.n * sizeof(*g->call.v));
	copy.call.n = g->call.n;
	vec_free(&at->call);
	*at = copy;
	b->last_at = (b->last_at + 1) % b->o->last;
}

/* Has what CALL of G was given, and has returned, in TEXT. */
static void branches_graph_prints(struct branches *b, const struct graph *g, const struct graph_call *call,
				  struct branch_call_text *text)
{
	struct probe_code code;

	if (probe_code_find(g->probe, call->number, &code))
		branch_prints_tell(b->prints, &(struct branch_printed){
				   code.symbol, true, g->probe, g->tid, call->begun_ns, call->ended_ns, call->returned,
				   call->arg, call->result, NULL, NULL }, text);
}

static void branches_put_graph(struct branches *b, const struct graph *g, bool meets)
{
	struct branch_call_text text = { .real_ns = b->real_ns, .meets = meets };

	branches_graph_prints(b, g, &g->call.v[0], &text);
	branches_stack(b, g->stack, branch_graph_name(b->graph, g), &text);
	if (!branch_graph_put(b->graph, &b->show, g, &text))
		b->loss[LOSS_UNTOLD]++;
}

/* Puts G into the recording, if one is made, as a call of its first function. */
static void branches_record_graph(struct branches *b, const struct graph *g)
{
	struct branch_graph_said s;

	if (b->record && (!branch_graph_say(b->graph, g, &s) || !branch_record_put(b->record, &(struct branch_recorded){
			.probe = g->probe, .pid = g->pid, .tid = g->tid, .comm = g->comm, .function = s.name,
			.begun_ns = g->call.v[0].begun_ns, .ended_ns = g->call.v[0].ended_ns, .timed = true,
			.fields = &s.fields, .result = s.result, .place = "" })))
		b->loss[LOSS_UNRECORDED]++;
}

void branches_graph_begun(void *ctx, const struct graph *g)
{
	struct branches *b = ctx;
	struct branch_call_text text = { .real_ns = b->real_ns };

	branches_graph_prints(b, g, &g->call.v[g->call.n - 1], &text);
	if (g->call.n == 1)
		branches_stack(b, g->stack, branch_graph_name(b->graph, g), &text);
	if (!branch_graph_put_begun(b->graph, &b->show, g, &text))
		b->loss[LOSS_UNTOLD]++;
}

void branches_graph_ended(void *ctx, const struct graph *g)
{
	struct branches *b = ctx;
	struct branch_call call;
	bool meets;

	/* Each call of it was told when it began. */
	if (b->o->branch_entry)
		return;
	if (!branch_graph_call(b->graph, g, &call))
		b->loss[LOSS_UNTOLD]++;
	else if (branches_judge(b, &call, &meets)) {
		branches_record_graph(b, g);
		for (size_t i = 0; b->o->branch_count && i < g->call.n; i++)
			branches_time(b, BRANCH_SPACE(g->probe, g->call.v[i].number),
				      g->call.v[i].ended_ns - g->call.v[i].begun_ns);
		if (b->o->last)
			branches_keep_graph(b, g);
		else if (!b->sums)
			branches_put_graph(b, g, meets);
	}
	vec_free(&call.branch);
}

/* The first function of a probe is the one that was noted first (placing.c); of several each may be. */
bool branches_is_first(void *ctx, uint32_t probe, uint32_t number)
{
	const struct branch_wish *w = branches_wish(ctx, probe);
	struct probe_code code;

	if (w && w->several)
		return true;
	return probe_code_get(probe, 0, &code) && code.first == number;
}

bool branches_is_late(void *ctx, uint32_t probe, uint32_t number)
{
	struct probe_code code;

	(void)ctx;
	return probe_code_find(probe, number, &code) && branch_names_is_pointed(&code);
}

bool branches_code(void *ctx, uint32_t probe, uint32_t number, struct probe_code *ret)
{
	(void)ctx;
	return probe_code_find(probe, number, ret);
}

/* The call of H begins, of which that is all that is probed. */
static void branches_begun(struct branches *b, const struct hit *h)
{
	struct branch_call call = {
		.begun_ns = h->time_ns, .ended_ns = h->time_ns, .pid = h->pid, .tid = h->tid, .probe = h->probe,
		.space = BRANCH_SPACE(h->probe, 0), .stack = h->stack, .end = BRANCH_BEGUN,
	};

	memcpy(call.comm, h->comm, sizeof(call.comm));
	memcpy(call.arg, h->arg, sizeof(call.arg));
	b->begun++;
	branches_ended(b, &call);
}

void branches_hit(struct branches *b, const struct hit *h)
{
	struct branch_hit hit = {
		.time_ns = h->time_ns, .pid = h->pid, .tid = h->tid, .comm = h->comm, .scale = h->count,
		.probe = h->probe, .stack = h->stack,
	};
	struct hit_branch at;

	branch_prints_take(b->prints, h);
	branch_record_take(b->record, h);
	if (!hit_of_branch(h, &at)) {
		branches_begun(b, h);
		return;
	}
	hit.number = at.number;
	hit.sp = at.sp;
	hit.result = at.result;
	hit.returned = at.returned;
	memcpy(hit.arg, h->arg, sizeof(hit.arg));
	if (b->graphs)
		graphs_hit(b->graphs, &hit);
	else
		branch_calls_hit(b->calls, &hit);
}
/* ---- the end ---- */

static void branches_put_last(struct branches *b)
{
	const size_t first = b->last.n < b->o->last ? 0 : b->last_at;
	const size_t first_graph = b->last_graph.n < b->o->last ? 0 : b->last_at;

	for (size_t i = 0; i < b->last.n; i++)
		branches_put(b, &b->last.v[(first + i) % b->last.n]);
	for (size_t i = 0; i < b->last_graph.n; i++)
		branches_put_graph(b, &b->last_graph.v[(first_graph + i) % b->last_graph.n], false);
}

/* Those that took longest together come first. */
static int branches_compare_times(const void *a, const void *b)
{
	const struct counted_function *x = a, *y = b;

	return (x->times.total_ns < y->times.total_ns) - (x->times.total_ns > y->times.total_ns);
}

static void branches_put_times(struct branches *b)
{
	char called[FUNCTION_BYTES];

	if (b->function.n)
		qsort(b->function.v, b->function.n, sizeof(*b->function.v), branches_compare_times);

	for (size_t i = 0; i < b->function.n; i++) {
		const uint32_t space = (uint32_t)b->function.v[i].space;
		struct probe_code code;

		const char *name = b->programs ? branch_programs_name(b->programs, BRANCH_SPACE_PROBE(space)) :
			probe_code_find(BRANCH_SPACE_PROBE(space), BRANCH_SPACE_NUMBER(space), &code) ?
			branches_called(&code, called) : NULL;

		if (name && !branch_show_times(&b->show, name, &b->function.v[i].times))
			b->loss[LOSS_UNTOLD]++;
	}
}

void branches_put_listings(struct branches *b)
{
	struct probe_code code;

	for (size_t i = 0; i < b->wish.n; i++)
		for (uint32_t k = 0; probe_code_get(b->wish.v[i].number, k, &code); k++) {
			struct err why = ERR_INIT;

			if (branch_listing(&b->show, &code, b->sums, &why) < 0)
				fprintf(stderr, "sberf branches: no instructions: %s\n", why.text);
		}
}

/* Everything that is shown in the end. */
void branches_put_all(struct branches *b)
{
	bool ok = true;

	branches_put_last(b);
	branches_put_times(b);
	if (b->o->branch_count)
		ok = branch_show_counts(&b->show, b->sums);
	if (b->o->branch_disasm)
		branches_put_listings(b);
	if (b->o->part)
		ok &= branch_show_part(&b->show, b->sums);
	if (!ok)
		b->loss[LOSS_UNTOLD]++;
}
void branches_calls_free(struct branches *b)
{
	stacktext_free(&b->stack);
	vec_free(&b->function);
	for (size_t i = 0; i < b->last.n; i++)
		vec_free(&b->last.v[i].branch);
	vec_free(&b->last);
	for (size_t i = 0; i < b->last_graph.n; i++)
		vec_free(&b->last_graph.v[i].call);
	vec_free(&b->last_graph);
}
