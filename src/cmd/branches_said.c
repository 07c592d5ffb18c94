/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branches_said.c - what is said beside calls: the way and its price before the first one, and what is missing after
 * the last one.
 */
#include "config.h"

#include "cmd/branches_private.h"

#include "base/text.h"
#include "base/units.h"
#include "capture/branchrecords.h"
#include "engine/placing.h"
#include "model/probecode.h"
#include "probe/catalog.h"

#include <stdio.h>
#include <string.h>

static void branches_say_price(const struct branches *b, const struct probe_code *code)
{
	char dearest[UNITS_MAX], all[UNITS_MAX], name[256];
	uint32_t places = code->returns;

	for (uint32_t i = 0; i < code->n; i++)
		places += code->block[i].probed;
	text_sanitise(name, sizeof(name), code->name, strlen(code->name));
	fprintf(stderr, "sberf branches: %s: %u probes at %u basic blocks; a hit costs up to %s, a call that comes to "
		"each of them once %s more\n", name, places, code->n, units_time(dearest, code->dearest_ns),
		units_time(all, code->all_ns));
	if (b->names)
		branch_names_open(b->names, code);
}

/* Which way was chosen, and why, where that was left open. */
void branches_say_way(const struct branches *b)
{
	struct branchrecords_facts facts;
	struct err why = ERR_INIT;
	char text[SPEC_TEXT_MAX];

	if (b->o->how != BRANCHES_AUTO || (b->o->branch_entry && !b->graphs))
		return;
	for (size_t i = 0; i < b->wish.n; i++)
		if (b->wish.v[i].several) {
			text_sanitise(text, sizeof(text), b->wish.v[i].probe, strlen(b->wish.v[i].probe));
			fprintf(stderr, "sberf branches: by --how graph, since %s may be several functions\n", text);
			return;
		}
	branchrecords_gather(&facts);
	(void)branchrecords_judge(&facts, &why);
	fprintf(stderr, "sberf branches: by --how step%s%s\n", why.text[0] ? ": " : "", why.text);
}

/* Says of each function that is found what its probes cost, once. */
static void branches_say_block_prices(struct branches *b)
{
	uint32_t called = 0, each_ns = 0;
	struct probe_code code;
	char each[UNITS_MAX];

	for (size_t i = 0; i < b->wish.n; i++) {
		const uint32_t probe = b->wish.v[i].number;

		while (probe < PROBES_MAX && probe_code_get(probe, b->priced[probe], &code)) {
			if (branch_names_is_pointed(&code)) {
				if (b->pointed++ == b->pointed_said)
					text_sanitise(b->pointed_name, sizeof(b->pointed_name), code.name,
						      strlen(code.name));
				branch_names_open(b->names, &code);
			} else if (branch_names_is_graph(&code)) {
				called = ++b->called;
				branch_names_open(b->names, &code);
			} else {
				branches_say_price(b, &code);
			}
			b->priced[probe]++;
			each_ns = code.dearest_ns;
		}
	}
	if (called)
		fprintf(stderr, "sberf branches: %u function%s of the kernel %s probed at entry and return; a call of "
			"one costs up to %s\n", called, called == 1 ? "" : "s", called == 1 ? "is" : "are",
			units_time(each, each_ns));
}

/* Says which functions were found behind pointers, once they are probed: calls that come from then on are seen. */
static void branches_say_pointed(struct branches *b)
{
	struct placer_figures f;
	uint32_t n;

	engine_probes(b->launch.engine, &f);
	n = f.pointed.functions < b->pointed ? f.pointed.functions : b->pointed;
	if (n <= b->pointed_said)
		return;
	n -= b->pointed_said;
	fprintf(stderr, "sberf branches: %u function%s called by pointer, or below that, %s found and %s followed from "
		"now on: %s%s\n", n, n == 1 ? "" : "s", n == 1 ? "was" : "were", n == 1 ? "is" : "are",
		b->pointed_name, n == 1 ? "" : " ...");
	b->pointed_said += n;
}

/* The same of functions that are probed where they begin, as soon as it is known what a hit costs there. */
static void branches_say_begin_prices(struct branches *b)
{
	struct placer_figures f;
	char cost[UNITS_MAX], name[SPEC_NAME_MAX];

	engine_probes(b->launch.engine, &f);
	for (size_t i = 0; i < b->wish.n; i++) {
		const struct branch_wish *w = &b->wish.v[i];
		const uint32_t ns = w->kernel ? catalog_kernel_ns(PROBE_KPROBE) : w->number < PROBES_MAX ?
			f.cost_ns[w->number] : 0;

		if (!ns || w->number >= PROBES_MAX || b->priced[w->number])
			continue;
		b->priced[w->number] = 1;
		text_sanitise(name, sizeof(name), w->spec.point[0].name, strlen(w->spec.point[0].name));
		fprintf(stderr, "sberf branches: %s is probed where it begins; a hit costs up to %s\n", name,
			units_time(cost, ns));
	}
}

void branches_say_prices(struct branches *b)
{
	if (b->o->branch_entry && !b->graphs)
		branches_say_begin_prices(b);
	else
		branches_say_block_prices(b);
	branches_say_pointed(b);
}

/* Says that there was nothing, and why, where that is known. */
static void branches_say_nothing(struct branches *b)
{
	struct placer_figures f = { 0 };

	if (!b->programs)
		engine_probes(b->launch.engine, &f);
	fprintf(stderr, "sberf branches: no call has %s while it was looked at%s\n",
		b->o->branch_entry ? "begun" : "ended",
		b->launch.child.pid && !f.places ?
		": the command was over before there were probes; let it run for longer, or use -p" : "");
}

/* What calls by pointers led to that is not followed. */
static void branches_pointed_losses(const struct branches *b, uint64_t loss[BRANCH_LOSSES])
{
	struct placer_figures f;
	char names[POINTED_NAMES];

	engine_probes(b->launch.engine, &f);
	loss[LOSS_EARLY] = f.pointed.early;
	loss[LOSS_POINTED] = f.pointed.unfollowed;
	loss[LOSS_POINTED_FULL] = f.pointed.full;
	loss[LOSS_POINTERS] = f.pointed.left_out;
	text_sanitise(names, sizeof(names), f.pointed.names, strlen(f.pointed.names));
	if (*names)
		fprintf(stderr, "sberf branches: called by pointer, and not followed: %s\n", names);
}

/* What is missing in graphs, to LOSS. Returns how many there were. */
static uint64_t branches_graph_losses(const struct branches *b, uint64_t loss[BRANCH_LOSSES])
{
	struct graphs_figures g;

	graphs_figures(b->graphs, &g);
	loss[LOSS_OPEN] = g.open;
	loss[LOSS_UNBEGUN] = g.unbegun;
	loss[LOSS_REFUSED] = g.refused;
	loss[LOSS_END] = g.left;
	loss[LOSS_UNRETURNED] = g.unreturned;
	loss[LOSS_CALLS] = g.dropped;
	branches_pointed_losses(b, loss);
	return g.graphs;
}

/* The same of calls. */
static uint64_t branches_call_losses(const struct branches *b, uint64_t loss[BRANCH_LOSSES])
{
	struct branch_calls_figures f;

	branch_calls_figures(b->calls, &f);
	loss[LOSS_OPEN] = f.open;
	loss[LOSS_UNBEGUN] = f.unbegun;
	loss[LOSS_REFUSED] = f.refused;
	loss[LOSS_LEFT] = f.left;
	loss[LOSS_SLICES] = f.unended;
	loss[LOSS_WAYS] = f.gaps;
	loss[LOSS_BRANCHES] = f.dropped;
	return f.calls + b->begun;
}

void branches_say_end(struct branches *b)
{
	struct hitorder_figures h;
	struct profile_meta m;
	uint64_t calls;

	if (b->programs) {
		branch_programs_losses(b->programs, b->loss);
		calls = branch_programs_calls(b->programs);
	} else {
		calls = b->graphs ? branches_graph_losses(b, b->loss) : branches_call_losses(b, b->loss);
		hitorder_figures(b->order, &h);
		engine_status(b->launch.engine, &m);
		b->loss[LOSS_HITS] = losses_total(&m.lost) + h.dropped;
		b->loss[LOSS_LATE] = h.late;
	}
	if (!calls)
		branches_say_nothing(b);
	branch_losses_say(b->loss, b->o->trace_json ? b->show.out : NULL);
}
