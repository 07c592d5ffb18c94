/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numatext.c - where threads run, where their memory is, and which functions pay for the distance,
 * as text of 100 columns:
 *
 *	2 nodes, distances 10/21
 *	far ~38.2 % of the time of 9,812 accesses, ~56.5 % weighed by distance
 *	addresses: 84.1 % of 11,667 samples
 *	migrations: 18 (0.3/s)
 *
 *	nodes
 *	  node   running  run queue   memory     free   target      faults   moves in  moves out  CPUs
 *	     0    1.20 s    12.0 ms    16 GB   4.0 GB   ~12 GB      ~1,200         12          6  0-3
 *	     1    987 ms          ·    16 GB    15 GB  ~1.0 GB           ·          6         12  4-7
 *
 *	accesses from the CPUs of a node to the memory of another, in brackets the distance
 *	  from \ to                0                1
 *	     0        ~58.0 %   (10)    ~3.0 %   (21)
 *	     1        ~36.0 %   (21)    ~3.0 %   (10)
 *
 *	functions by what their far accesses cost
 *	      cost       far     share   of time  accesses   samples
 *	   ~2.10 s   ~1.00 s   ~50.0 %   ~2.00 s       812     1,020  lookup
 *	   ~2.10 s   ~1.00 s   ~50.0 %   ~2.00 s       812    lookup › call › main
 *
 * and so on for first touches, migrations, threads, kinds of memory, processes and why samples gave
 * no address. A section without rows is left out, and on one node every column that would be empty
 * there. ~ stands before what is estimated from samples, whose number stands in its line; . is
 * nothing.
 */
#include "config.h"

#include "export/exporter.h"

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "export/out.h"
#include "query/numacolumns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MATRIX_NODES 16u         /* at most in a table; of more, a line for each two that have to do with each other */
#define PAIRS 200u               /* such lines at most */
#define FUNCS 50u                /* and of these; the first are those that matter */
#define FUNC_PATHS 5u            /* of one function */
#define SITES 40u
#define MOVES 40u
#define THREADS 100u
#define PROCESSES 40u
#define SOME_NODES 8u            /* named for one row */
#define COLUMNS 100u
#define THREAD_MAX 272u
#define SPREAD_MAX (SOME_NODES * (UNITS_MAX + 16u))
#define PATH_LINES 3u            /* of a call path that is nowhere else; others have one */
#define ARROW " \xe2\x80\xba "

struct numa_text {
	const struct numa_view *v;
	bool ascii, one;
	bool no_waits;           /* waits were not followed, and so migrations are not known */
	struct out o;
};

/* TEXT right-aligned in WIDTH, with ~ when it is a GUESS; a dot when it would say NOTHING. */
static void numatext_put_cell(struct numa_text *x, int width, bool nothing, bool guess, const char *text)
{
	if (nothing)
		out_format(&x->o, "%*s%s", width - 1, "", x->ascii ? "." : "·");
	else
		out_guess(&x->o, width, 1, guess, text);
}

static void put_bytes(struct numa_text *x, int width, uint64_t bytes, bool guess)
{
	char text[UNITS_MAX];

	numatext_put_cell(x, width, !bytes, guess, units_bytes(text, bytes));
}

static void numatext_put_count(struct numa_text *x, int width, uint64_t n, bool guess)
{
	char text[UNITS_MAX];

	numatext_put_cell(x, width, !n, guess, units_thousands(text, n));
}

static const char *numatext_share(uint64_t part, uint64_t of, char dst[UNITS_MAX])
{
	return units_percent(dst, of ? (double)part / (double)of : 0);
}

static void numatext_put_share(struct numa_text *x, int width, uint64_t part, uint64_t of, bool guess)
{
	char text[UNITS_MAX];

	numatext_put_cell(x, width, !part, guess, numatext_share(part, of, text));
}

/* The next column of PART after AT, which is NULL at first; NULL = there is none. */
static const struct numa_column *numatext_next(const struct numa_text *x, enum numa_part part,
					       const struct numa_column *at)
{
	const unsigned int when = x->one ? NUMA_WHEN_ONE : NUMA_WHEN_SEVERAL;
	const struct numa_column *first;
	size_t n;

	first = numa_columns(&n);
	for (at = at ? at + 1 : first; at < first + n; at++) {
		if (at->part == part && at->text_cols && at->when & when)
			return at;
	}
	return NULL;
}

static void numatext_put_heads(struct numa_text *x, enum numa_part part)
{
	for (const struct numa_column *c = NULL; (c = numatext_next(x, part, c));)
		out_format(&x->o, "%*s", c->text_cols, c->text_head);
}

/* The figures of row I of PART, or of its call path PATH. */
static void numatext_put_figures(struct numa_text *x, enum numa_part part, uint32_t i, uint32_t path)
{
	const struct numa_row row = { .v = x->v, .part = (uint8_t)part, .i = i, .path = path };
	char text[UNITS_MAX];

	for (const struct numa_column *c = NULL; (c = numatext_next(x, part, c));) {
		const struct list_figure f = c->figure(&row);

		if (f.unit != LIST_BLANK)
			numatext_put_cell(x, c->text_cols, f.unit == LIST_NONE, f.doubt, list_figure_text(&f, text));
	}
}

/* After MAX of N lines: how many are left out. */
static void put_more(struct numa_text *x, int width, size_t n, size_t max)
{
	if (n > max)
		out_format(&x->o, "%*s %zu more\n", width + (x->ascii ? 0 : 2), x->ascii ? "..." : "…", n - max);
}

/* What a state of nodes had no room for is said, and that WHAT of it is not known. */
static void numatext_put_left(struct numa_text *x, uint64_t n, const char *who, const char *what)
{
	char text[UNITS_MAX];

	if (n)
		out_format(&x->o, "  up to %s %s more at a time were not looked at: their %s not known\n",
			   units_thousands(text, n), who, what);
}

/* TEXT from column AT on, in at most LINES lines. */
static void numatext_put_parts(struct numa_text *x, const char *text, const char *between, unsigned int at,
			       unsigned int lines)
{
	const struct out_place place = { .between = between, .from = at, .to = COLUMNS, .lines = lines,
					 .ascii = x->ascii };

	out_parts(&x->o, text, &place);
}

static void numatext_put_path(struct numa_text *x, stack_id stack, unsigned int at, unsigned int lines)
{
	char label[LABEL_MAX];

	numatext_put_parts(x, numa_path_label(x->v, stack, label, sizeof(label)), ARROW, at, lines);
}

/* "bio_aof 1236" */
static const char *numatext_thread_text(const struct numa_text *x, thread_id id, char dst[THREAD_MAX])
{
	const struct thread *t = dict_get_thread(x->v->dict, id);
	const struct strtab *strings = dict_strings(x->v->dict);
	char comm[THREAD_MAX - 16];

	text_sanitise(comm, sizeof(comm), strtab_get(strings, t->comm), strtab_len(strings, t->comm));
	snprintf(dst, THREAD_MAX, "%s %d", comm, (int)t->tid);
	return dst;
}

/* The head */

static bool is_one(const struct numa_view *v)
{
	return v->state ? v->state->topology.nr == 1 && v->nr_nodes == 1 : v->nr_nodes <= 1;
}

static void put_machine(struct numa_text *x)
{
	const struct numa_state *state = x->v->state;
	char distances[256];

	if (!state)
		out_text(&x->o, "the nodes of this machine are not known: what follows is about those that "
			 "events name\n");
	else if (x->one)
		out_text(&x->o, "1 node: all memory is near, and what follows has no distances\n");
	else
		out_format(&x->o, "%" PRIu32 " nodes, distances %s\n", state->topology.nr,
			   topology_distances(&state->topology, distances, sizeof(distances)));
}

static void numatext_put_far(struct numa_text *x)
{
	const struct numa_view *v = x->v;
	const uint64_t n = numa_accesses_count(&v->all);
	char count[UNITS_MAX], far[UNITS_MAX], weighed[UNITS_MAX];

	units_thousands(count, n);
	if (n && x->one)
		out_format(&x->o, "accesses with an address: %s\n", count);
	else if (n)
		out_format(&x->o, "far ~%s of the time of %s accesses, ~%s weighed by distance\n",
			   units_percent(far, v->far_share), count, units_percent(weighed, v->far_weighed));
	else if (v->state && v->state->sampled)
		out_text(&x->o, "no access has an address\n");
	else
		out_text(&x->o, "where accesses and page faults go was not sampled (--numa)\n");
}

static void put_addresses(struct numa_text *x)
{
	const struct numa_figures *f = x->v->state ? &x->v->state->figures : NULL;
	char text[UNITS_MAX], count[UNITS_MAX];
	uint64_t without = 0;

	if (!f || !f->samples)
		return;
	for (unsigned int i = MISS_NONE + 1; i < MISS_NR; i++)
		without += f->miss[i];
	out_format(&x->o, "addresses: %s of %s samples\n",
		   numatext_share(without < f->samples ? f->samples - without : 0, f->samples, text),
		   units_thousands(count, f->samples));
}

static void put_moves_total(struct numa_text *x)
{
	const struct numa_figures *f = x->v->state ? &x->v->state->figures : NULL;
	char text[UNITS_MAX];

	if (x->one || (!f && !x->v->moves))
		return;
	if (x->no_waits && !x->v->moves) {
		out_text(&x->o, "migrations: not known, as waits were not followed\n");
		return;
	}
	out_format(&x->o, "migrations: %s", units_thousands(text, x->v->moves));
	if (x->v->moves && x->v->seconds > 0)
		out_format(&x->o, " (%.1f/s)", (double)x->v->moves / x->v->seconds);
	if (f && f->kernel_moves)
		out_format(&x->o, "; the scheduler put threads to another node %s times",
			   units_thousands(text, f->kernel_moves));
	out_text(&x->o, "\n");
}

/* Faults that could be taken for first touches, and are none. */
static void numatext_put_balancing(struct numa_text *x)
{
	const struct numa_figures *f = x->v->state ? &x->v->state->figures : NULL;
	char text[UNITS_MAX];

	if (f && f->balancing_faults)
		out_format(&x->o, "automatic balancing: ~%s page faults, which are no first touches\n",
			   units_thousands(text, f->balancing_faults));
}

/* Nodes */

static const char *cpus_of(const struct numa_text *x, const struct numa_node_row *r)
{
	if (!r->node)
		return x->v->state ? "not online" : "not known";
	return r->node->nr_cpus ? r->node->cpus : "none";
}

static void numatext_put_nodes(struct numa_text *x)
{
	if (!x->v->nr_nodes)
		return;
	out_text(&x->o, "\nnodes\n  node");
	numatext_put_heads(x, NUMA_PART_NODES);
	out_text(&x->o, "  CPUs\n");
	for (uint32_t i = 0; i < x->v->nr_nodes; i++) {
		out_format(&x->o, "%6" PRIu16, x->v->node[i].id);
		numatext_put_figures(x, NUMA_PART_NODES, i, ID_NONE);
		out_format(&x->o, "  %s\n", cpus_of(x, &x->v->node[i]));
	}
}

static unsigned int numatext_distance(const struct numa_text *x, uint32_t from, uint32_t to)
{
	static const struct numa_topology nothing;

	return topology_distance(x->v->state ? &x->v->state->topology : &nothing, x->v->node[from].id,
				 x->v->node[to].id);
}

static void put_table(struct numa_text *x)
{
	const struct numa_view *v = x->v;
	char text[32];

	out_format(&x->o, "%12s", "from \\ to");
	for (uint32_t to = 0; to < v->nr_nodes; to++)
		out_format(&x->o, "%17" PRIu16, v->node[to].id);
	out_text(&x->o, "\n");
	for (uint32_t from = 0; from < v->nr_nodes; from++) {
		out_format(&x->o, "%6" PRIu16 "%6s", v->node[from].id, "");
		for (uint32_t to = 0; to < v->nr_nodes; to++) {
			numatext_put_share(x, 10, v->cell[(size_t)from * v->nr_nodes + to].ns,
					   numa_accesses_ns(&v->all), true);
			snprintf(text, sizeof(text), "(%u)", numatext_distance(x, from, to));
			out_format(&x->o, "%7s", text);
		}
		out_text(&x->o, "\n");
	}
}

static void put_pairs(struct numa_text *x)
{
	const struct numa_view *v = x->v;
	uint32_t n = 0;

	out_format(&x->o, "%10s%8s%10s%12s%12s\n", "from", "to", "distance", "share", "accesses");
	for (uint32_t from = 0; from < v->nr_nodes; from++) {
		for (uint32_t to = 0; to < v->nr_nodes; to++) {
			const struct numa_cell *c = &v->cell[(size_t)from * v->nr_nodes + to];

			if (!c->count || n++ >= PAIRS)
				continue;
			out_format(&x->o, "%10" PRIu16 "%8" PRIu16 "%10u", v->node[from].id, v->node[to].id,
				   numatext_distance(x, from, to));
			numatext_put_share(x, 12, c->ns, numa_accesses_ns(&v->all), true);
			numatext_put_count(x, 12, c->count, false);
			out_text(&x->o, "\n");
		}
	}
	put_more(x, 10, n, PAIRS);
}

static void put_matrix(struct numa_text *x)
{
	if (!numa_accesses_count(&x->v->all) || x->v->nr_nodes < 2)
		return;
	out_text(&x->o, "\naccesses from the CPUs of a node to the memory of another, in brackets the distance\n");
	if (x->v->nr_nodes <= MATRIX_NODES)
		put_table(x);
	else
		put_pairs(x);
}

/* "on 0 58.0 %, 1 42.0 %" into DST: how the N of OF are spread. Returns the length; 0 where that says nothing. */
static size_t numatext_spread(const struct numa_text *x, const uint64_t *n, uint64_t of, char dst[SPREAD_MAX])
{
	unsigned int named = 0;
	char text[UNITS_MAX];
	size_t len = 0;

	dst[0] = '\0';
	for (uint32_t i = 0; i < x->v->nr_nodes && !x->one; i++) {
		if (!n[i])
			continue;
		if (named++ >= SOME_NODES)
			return len + text_format(dst + len, SPREAD_MAX - len, ", %s", x->ascii ? "..." : "…");
		len += text_format(dst + len, SPREAD_MAX - len, "%s%" PRIu16 " %s", named == 1 ? "on " : ", ",
				   x->v->node[i].id, numatext_share(n[i], of, text));
	}
	return len;
}

/* Functions */

static void put_func(struct numa_text *x, uint32_t i)
{
	const struct numa_func_row *r = &x->v->func[i];
	const unsigned int at = x->one ? 32 : 62;
	char label[LABEL_MAX];

	numatext_put_figures(x, NUMA_PART_FUNCS, i, ID_NONE);
	numa_func_label(x->v, i, label, sizeof(label));
	out_text(&x->o, "  ");
	out_fit(&x->o, label, strlen(label), COLUMNS - at, x->ascii);
	out_text(&x->o, "\n");
	for (uint32_t p = 0; p < r->nr_paths && p < FUNC_PATHS; p++) {
		numatext_put_figures(x, NUMA_PART_FUNCS, i, r->first_path + p);
		out_text(&x->o, "    ");
		numatext_put_path(x, x->v->path[r->first_path + p].stack, at - 8, 1);
		out_text(&x->o, "\n");
	}
	put_more(x, (int)at - 5, r->nr_paths, FUNC_PATHS);
}

static void numatext_put_funcs(struct numa_text *x)
{
	if (!x->v->nr_funcs)
		return;
	out_format(&x->o, "\nfunctions by %s\n", x->one ? "the time of their accesses" :
		   "what their far accesses cost");
	numatext_put_heads(x, NUMA_PART_FUNCS);
	out_text(&x->o, "\n");
	for (uint32_t i = 0; i < x->v->nr_funcs && i < FUNCS; i++)
		put_func(x, i);
	put_more(x, 10, x->v->nr_funcs, FUNCS);
}

/* First touches */

/* "on 0 66.7 %, 1 16.7 %, nowhere 16.7 %; most by app 10" */
static void put_site_nodes(struct numa_text *x, const struct numa_site_row *r, unsigned int at)
{
	char where[SPREAD_MAX], text[UNITS_MAX], thread[THREAD_MAX], all[SPREAD_MAX + UNITS_MAX + THREAD_MAX + 32];
	const size_t len = numatext_spread(x, r->node_count, r->path.count, where);
	size_t n = text_format(all, sizeof(all), "%s", where);

	if (r->unknown_count)
		n += text_format(all + n, sizeof(all) - n, "%snowhere %s", len ? ", " : "",
				 numatext_share(r->unknown_count, r->path.count, text));
	text_format(all + n, sizeof(all) - n, "%smost by %s", n ? ", " : "",
		    numatext_thread_text(x, r->path.thread, thread));
	out_format(&x->o, "\n%*s", (int)at, "");
	numatext_put_parts(x, all, ", ", at, 3);
}

static void numatext_put_site(struct numa_text *x, uint32_t i)
{
	const struct numa_site_row *r = &x->v->site[i];
	const unsigned int at = x->one ? 37 : 48;

	numatext_put_figures(x, NUMA_PART_SITES, i, ID_NONE);
	out_format(&x->o, "  %-13s", mapping_word(r->mapping)->name);
	numatext_put_path(x, r->path.stack, at, PATH_LINES);
	put_site_nodes(x, r, at);
	out_text(&x->o, "\n");
}

static void put_sites(struct numa_text *x)
{
	if (!x->v->nr_sites)
		return;
	out_format(&x->o, "\nfirst touches of memory%s\n",
		   x->one ? "" : ", by how many pages are on another node than who touched them");
	numatext_put_heads(x, NUMA_PART_SITES);
	out_format(&x->o, "  %-13scall path\n", "memory");
	for (uint32_t i = 0; i < x->v->nr_sites && i < SITES; i++)
		numatext_put_site(x, i);
	put_more(x, 12, x->v->nr_sites, SITES);
}

static void put_moves(struct numa_text *x)
{
	if (!x->v->nr_moves)
		return;
	out_text(&x->o, "\nmigrations between nodes, by where the thread was when it left its CPU\n");
	numatext_put_heads(x, NUMA_PART_MOVES);
	out_text(&x->o, "  call path\n");
	for (uint32_t i = 0; i < x->v->nr_moves && i < MOVES; i++) {
		const struct numa_move_row *r = &x->v->move[i];
		char thread[THREAD_MAX];

		numatext_put_figures(x, NUMA_PART_MOVES, i, ID_NONE);
		out_text(&x->o, "  ");
		numatext_put_path(x, r->path.stack, 26, PATH_LINES);
		out_format(&x->o, "\n%26smost by %s\n", "", numatext_thread_text(x, r->path.thread, thread));
	}
	put_more(x, 12, x->v->nr_moves, MOVES);
}

/* Threads */

static void put_thread_row(struct numa_text *x, uint32_t i)
{
	char thread[THREAD_MAX];

	numatext_put_figures(x, NUMA_PART_THREADS, i, ID_NONE);
	out_text(&x->o, "  ");
	numatext_thread_text(x, x->v->thread[i].thread, thread);
	out_fit(&x->o, thread, strlen(thread), COLUMNS - (x->one ? 22 : 76), x->ascii);
	out_text(&x->o, "\n");
}

static void numatext_put_threads(struct numa_text *x)
{
	if (!x->v->nr_threads)
		return;
	out_format(&x->o, "\nthreads%s\n",
		   x->one ? "" : "; home is the node that the kernel prefers, or with ~ the one where it ran most");
	numatext_put_heads(x, NUMA_PART_THREADS);
	out_text(&x->o, "\n");
	for (uint32_t i = 0; i < x->v->nr_threads && i < THREADS; i++)
		put_thread_row(x, i);
	put_more(x, 10, x->v->nr_threads, THREADS);
	numatext_put_left(x, x->v->state ? x->v->state->figures.threads_left : 0, "threads", "homes are");
}

/* Memory */

static void numatext_put_mapping(struct numa_text *x, uint32_t i)
{
	const struct numa_mapping_row *r = &x->v->mapping[i];
	char label[LABEL_MAX], where[SPREAD_MAX], all[LABEL_MAX + SPREAD_MAX + 2];
	const size_t len = numatext_spread(x, r->node_bytes, r->resident_bytes, where);

	numatext_put_figures(x, NUMA_PART_MAPPINGS, i, ID_NONE);
	out_text(&x->o, "  ");
	text_format(all, sizeof(all), "%s%s%s", numa_mapping_label(x->v, r, label, sizeof(label)),
		    len ? ": " : "", where);
	numatext_put_parts(x, all, ", ", x->one ? 32 : 52, 2);
	out_text(&x->o, "\n");
}

static void put_mappings(struct numa_text *x)
{
	if (!x->v->nr_mappings)
		return;
	out_text(&x->o, "\nmemory by what it is for; what processes share counts in each of them\n");
	numatext_put_heads(x, NUMA_PART_MAPPINGS);
	out_text(&x->o, "\n");
	for (uint32_t i = 0; i < x->v->nr_mappings; i++)
		numatext_put_mapping(x, i);
}

static void put_residents(struct numa_text *x, const struct numa_process *p)
{
	char text[UNITS_MAX], pages[UNITS_MAX];

	if (p->denied) {
		out_text(&x->o, "      where its memory is may not be asked\n");
		return;
	}
	if (!p->moment_ns)
		return;
	for (size_t i = 0; i < p->resident.n; i++) {
		const struct numa_resident *r = &p->resident.v[i];

		out_format(&x->o, "      %-12s node %-4" PRIu16, mapping_word(r->mapping)->name, r->node);
		put_bytes(x, 10, r->bytes, true);
		out_format(&x->o, "  %s of %s pages looked at\n", units_thousands(pages, r->pages),
			   units_thousands(text, p->asked));
	}
	if (p->asked && !p->resident.n)
		out_format(&x->o, "      none of %s pages looked at is in memory\n", units_thousands(text, p->asked));
}

static void numatext_put_process(struct numa_text *x, const struct numa_process *p)
{
	char rss[UNITS_MAX], faults[UNITS_MAX], major[UNITS_MAX];

	out_format(&x->o, "  %s %d: %s in memory, %s page faults since it began, %s of them major\n",
		   p->comm, (int)p->pid,
		   units_bytes(rss, p->rss_bytes), units_thousands(faults, p->faults),
		   units_thousands(major, p->major_faults));
	out_format(&x->o, "      policy %s%s%s; memory of nodes %s, CPUs %s\n", p->policy[0] ? p->policy : "not known",
		   p->mapped_policy[0] ? ", of mappings " : p->policies_read ? "" : ", of mappings not read",
		   p->mapped_policy, p->mems[0] ? p->mems : "not known", p->cpus[0] ? p->cpus : "not known");
	put_residents(x, p);
}

static void numatext_put_processes(struct numa_text *x)
{
	const struct numa_state *state = x->v->state;

	if (!state || !state->process.n)
		return;
	out_text(&x->o, "\nprocesses\n");
	for (size_t i = 0; i < state->process.n && i < PROCESSES; i++)
		numatext_put_process(x, &state->process.v[i]);
	put_more(x, 5, state->process.n, PROCESSES);
	numatext_put_left(x, state->figures.processes_left, "processes", "memory is");
}

/* Samples that have no address */

static void put_misses(struct numa_text *x)
{
	const struct numa_figures *f = x->v->state ? &x->v->state->figures : NULL;
	bool any = false;

	for (unsigned int i = MISS_NONE + 1; f && f->samples && i < MISS_NR; i++) {
		if (!f->miss[i])
			continue;
		if (!any) {
			out_text(&x->o, "\nsamples without an address\n");
			numatext_put_heads(x, NUMA_PART_MISSES);
			out_text(&x->o, "\n");
		}
		any = true;
		numatext_put_figures(x, NUMA_PART_MISSES, i, ID_NONE);
		out_format(&x->o, "  %s\n", access_miss_word(i)->text);
	}
}

static int numatext_write(FILE *out, const struct export_view *v, struct err *e)
{
	AUTO(numa_view_free) struct numa_view *n = NULL;
	struct numa_text x = { .ascii = v->ascii, .no_waits = !v->meta->off_cpu, .o = { .file = out } };
	int r = numa_view_build(v->snapshot, v->names, &v->query, &n, e);

	if (r < 0)
		return r;
	if (v->meta->duration_ns)
		n->seconds = (double)v->meta->duration_ns / NSEC_PER_SEC;
	x.v = n;
	x.one = is_one(n);
	put_machine(&x);
	numatext_put_far(&x);
	put_addresses(&x);
	put_moves_total(&x);
	numatext_put_balancing(&x);
	numatext_put_nodes(&x);
	put_matrix(&x);
	numatext_put_funcs(&x);
	put_sites(&x);
	put_moves(&x);
	numatext_put_threads(&x);
	put_mappings(&x);
	numatext_put_processes(&x);
	put_misses(&x);
	return out_end(&x.o, e);
}

const struct exporter exporter_numa = {
	.name = "numa", .extensions = "",
	.about = "which NUMA nodes the target runs on, where its memory is, and which functions pay for the distance: "
	"nodes and the accesses "
		"between them, functions, first touches of memory and migrations with their call paths, threads, "
		"memory, processes; within 100 "
		"columns (see below)",
	.subject = EXPORT_NODES,
	.write = numatext_write,
};
