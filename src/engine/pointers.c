/* SPDX-License-Identifier: BSD-2-Clause */
/* pointers.c - see pointers.h. */
#include "config.h"

#include "engine/pointers.h"

#include "base/text.h"
#include "bpf/wire.h"
#include "model/probecode.h"
#include "probe/catalog.h"
#include "probe/kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(POINTERS_MAX < SB_POINTERS, "each has a number");

struct pointer_graph {
	uint32_t probe, depth;
	kernel_callees known;    /* its functions */
};

/* An instruction that calls where a register says. */
struct pointer_site {
	size_t graph;
	uint32_t depth;          /* of what it calls */
	uint64_t start, end;     /* the function that has it */
};

/* Where it led. */
struct pointer_target {
	uint32_t site;
	uint64_t address, count;
	uint64_t before;         /* of these, those before it was followed */
	bool seen;               /* it was looked at whether it can be followed, and is it? */
	bool followed;
	bool within;             /* it is a jump within a function, and no call */
};

struct pointers {
	const struct kernel_code *k;
	VEC(struct pointer_graph) graph;
	VEC(struct pointer_site) site;
	VEC(struct pointer_target) target;
	uint32_t left_out, called, functions;
	uint64_t full;
};

struct pointers *pointers_new(const struct kernel_code *k)
{
	struct pointers *p = calloc(1, sizeof(*p));

	if (p)
		p->k = k;
	return p;
}

void pointers_free(struct pointers *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->graph.n; i++)
		vec_free(&p->graph.v[i].known);
	vec_free(&p->graph);
	vec_free(&p->site);
	vec_free(&p->target);
	free(p);
}

/* ---- places ---- */

int pointers_place_called(uint32_t probe, const char *path, const struct kernel_callee *all, size_t n, bool tries,
			  const char *text, traces_vec *ret, struct err *e)
{
	AUTO_FREE uint32_t *number = calloc(n ? n : 1, sizeof(*number));

	if (!number || !vec_reserve(ret, 2 * n))
		return err_nomem(e, "functions of the kernel");
	for (size_t i = 0; i < n && !tries; i++) {
		const struct code_block block = { .vaddr = all[i].address, .size = 1, .end = CODE_END, .probed = true };
		const struct probe_code code = {
			.path = path, .symbol = all[i].symbol, .name = all[i].name, .start = all[i].address, .n = 1,
			.block = &block, .returns = true, .dearest_ns = catalog_kernel_ns(PROBE_KRETPROBE),
		};

		number[i] = probe_code_note(probe, &code);
		if (number[i] == CODE_NUMBERS_MAX)
			return err_set(e, E2BIG, "probe '%.100s' has too many functions: name fewer", text);
	}
	for (unsigned int turn = 0; turn < 2; turn++)
		for (size_t i = n; i--;) {
			struct capture_trace *at = &ret->v[ret->n++];

			*at = (struct capture_trace){
				.how = turn ? CAPTURE_TRACE_CALLED : CAPTURE_TRACE_CALLED_RETURN,
				.id = all[i].address, .probe = probe,
				.loads = all[i].depth ? 0 : turn ? all[i].loads : all[i].returned,
				.more = SB_COOKIE(SB_COOKIE_BRANCH | (all[i].depth ? 0 : SB_COOKIE_ROOT), number[i]),
			};
			snprintf(at->name, sizeof(at->name), "%s", all[i].name);
		}
	return 0;
}

/* Adds the calls SITES of the graph NR, and where they are to RET. */
static int pointers_add_sites(struct pointers *p, size_t nr, const kernel_pointers *sites, traces_vec *ret,
			      struct err *e)
{
	for (size_t i = 0; i < sites->n; i++) {
		const struct kernel_pointer *from = &sites->v[i];
		struct pointer_site *site;
		struct capture_trace *at;

		if (p->site.n >= POINTERS_MAX) {
			p->left_out++;
			continue;
		}
		at = vec_push(ret);
		site = at ? vec_push(&p->site) : NULL;
		if (!site) {
			ret->n -= at != NULL;
			return err_nomem(e, "calls of the kernel");
		}
		*site = (struct pointer_site){ .graph = nr, .depth = from->depth + 1, .start = from->start,
					       .end = from->end };
		*at = (struct capture_trace){ .how = CAPTURE_TRACE_POINTER, .id = from->address,
					      .probe = p->graph.v[nr].probe,
					      .more = SB_COOKIE_POINTER(p->site.n - 1, (uint32_t)from->reg) };
		snprintf(at->name, sizeof(at->name), "a call by a pointer");
	}
	return 0;
}

int pointers_graph(struct pointers *p, uint32_t probe, uint32_t depth, const kernel_callees *all,
		   const kernel_pointers *sites, traces_vec *ret, struct err *e)
{
	struct pointer_graph *g = vec_push(&p->graph);

	if (!g)
		return err_nomem(e, "functions of the kernel");
	*g = (struct pointer_graph){ .probe = probe, .depth = depth };
	if (all->n && !vec_reserve(&g->known, all->n))
		return err_nomem(e, "functions of the kernel");
	if (all->n)
		memcpy(g->known.v, all->v, all->n * sizeof(*all->v));
	g->known.n = all->n;
	return pointers_add_sites(p, p->graph.n - 1, sites, ret, e);
}

/* ---- running ---- */

static void pointers_note(void *ctx, uint32_t number, uint64_t target, uint64_t count)
{
	struct pointers *p = ctx;
	struct pointer_target *t = NULL;

	if (number >= p->site.n)
		return;
	for (size_t i = 0; i < p->target.n && !t; i++)
		if (p->target.v[i].site == number && p->target.v[i].address == target)
			t = &p->target.v[i];
	if (!t) {
		t = vec_push(&p->target);
		if (!t)
			return;
		*t = (struct pointer_target){ .site = number, .address = target };
	}
	t->count = count;
}

static bool pointers_knows(const struct pointer_graph *g, uint64_t address)
{
	for (size_t i = 0; i < g->known.n; i++)
		if (g->known.v[i].address == address)
			return true;
	return false;
}

/*
 * Adds to RET what is to be placed so that T is followed, which is called for the first time. Returns how many
 * functions that is.
 */
static uint32_t pointers_follow(struct pointers *p, struct pointer_target *t, traces_vec *ret)
{
	const struct pointer_site site = p->site.v[t->site];
	struct pointer_graph *g = &p->graph.v[site.graph];
	const size_t had = g->known.n;
	kernel_pointers more = { 0 };
	uint32_t dropped;

	t->seen = true;
	t->before = t->count;
	t->within = t->address - site.start < site.end - site.start && t->address != site.start;
	t->followed = pointers_knows(g, t->address);
	if (t->within || t->followed)
		return 0;
	if (!kernel_code_graph(p->k, t->address, site.depth, g->depth, &g->known, &more, &dropped, NULL) &&
	    g->known.n > had &&
	    !pointers_place_called(g->probe, KERNEL_POINTED_PATH, g->known.v + had, g->known.n - had, false, "", ret,
				   NULL)) {
		t->followed = true;
		p->called++;
		(void)pointers_add_sites(p, site.graph, &more, ret, NULL);
	}
	if (!t->followed)
		g->known.n = had;
	vec_free(&more);
	return (uint32_t)(g->known.n - had);
}

static int pointers_compare_probes(const void *a, const void *b)
{
	const struct capture_trace *x = a, *y = b;

	/* Within a probe: returns, entries, calls by pointers, each together. */
	if (x->probe != y->probe)
		return x->probe < y->probe ? -1 : 1;
	if (x->how != y->how) {
		static const int order[CAPTURE_TRACE_HOWS] = {
			[CAPTURE_TRACE_CALLED] = 1, [CAPTURE_TRACE_POINTER] = 2,
		};

		return order[x->how] - order[y->how];
	}
	return (x->id > y->id) - (x->id < y->id);
}

void pointers_turn(struct pointers *p, struct source *s)
{
	struct capture_plan plan = { .more_traces = true };
	const size_t known = p->target.n;
	uint32_t found = 0;
	traces_vec traces = { 0 };

	p->full = source_pointed(s, pointers_note, p);
	for (size_t i = known; i < p->target.n; i++)
		found += pointers_follow(p, &p->target.v[i], &traces);
	if (traces.n) {
		qsort(traces.v, traces.n, sizeof(*traces.v), pointers_compare_probes);
		plan.traces = traces.v;
		plan.nr_traces = (uint32_t)traces.n;
		if (source_add_probes(s, &plan, NULL) < 0)
			for (size_t i = known; i < p->target.n; i++)
				p->target.v[i].followed = false;
		else
			p->functions += found;
		/* Those that came until now were not seen. */
		source_pointed(s, pointers_note, p);
		for (size_t i = known; i < p->target.n; i++)
			p->target.v[i].before = p->target.v[i].count;
	}
	vec_free(&traces);
}

void pointers_end(struct pointers *p, const struct source *s)
{
	p->full = source_pointed(s, pointers_note, p);
}

/* Adds the name of T to NAMES, unless it is there. */
static void pointers_name(const struct pointers *p, const struct pointer_target *t, char names[POINTED_NAMES])
{
	char name[POINTED_NAMES];
	const size_t n = strlen(names);

	kernel_code_name(p->k, t->address, name, sizeof(name));
	if (strstr(names, name))
		return;
	if (n + strlen(name) + 8 < POINTED_NAMES)
		text_format(names + n, POINTED_NAMES - n, "%s%s", n ? ", " : "", name);
	else if (n < 4 || strcmp(names + n - 4, " ..."))
		text_format(names + n, POINTED_NAMES - n, " ...");
}

void pointers_figures(const struct pointers *p, struct pointed_figures *ret)
{
	*ret = (struct pointed_figures){ .sites = (uint32_t)p->site.n, .left_out = p->left_out, .called = p->called,
					 .functions = p->functions, .full = p->full };
	for (size_t i = 0; i < p->target.n; i++) {
		const struct pointer_target *t = &p->target.v[i];

		if (t->within)
			continue;
		if (t->followed || !t->seen) {
			ret->early += t->seen ? t->before : t->count;
			continue;
		}
		ret->unfollowed += t->count;
		pointers_name(p, t, ret->names);
	}
}
