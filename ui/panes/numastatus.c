/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numastatus.c - builds the line below the view by node, which says in words what the columns of
 * the line under the cursor have no room for.
 */
#include "config.h"

#include "ui/panes/numapane.h"

#include "base/text.h"
#include "ui/panes/numapane_private.h"
#include "ui/panes/pane_common.h"
#include "ui/text_builder.h"

#include <inttypes.h>
#include <string.h>

#define DISTANCES_MAX 16u        /* of one node, in words */

/* "12 moves"; PLURAL is what is appended to WHAT when it is not one. */
static void numastatus_put_count(struct text_builder *ret, uint64_t n, const char *what, const char *plural)
{
	char text[UNITS_MAX];

	text_builder_put(ret, "%s %s%s", units_thousands(text, n), what, n == 1 ? "" : plural);
}

/* "304 sampled accesses . ~64.0 % of them far . ~31.0 % of all by distance" */
static void numastatus_put_accesses(const struct numa_view *v, const struct numa_accesses *a, struct text_builder *ret)
{
	const uint64_t all = a->near_ns + a->far_ns, cost = v->all.near_ns + v->all.cost_ns;
	char share[UNITS_MAX];

	numastatus_put_count(ret, numa_accesses_count(a), "sampled access", "es");
	if (!all || numaview_is_one(v))
		return;
	text_builder_put(ret, TEXT_BUILDER_DOT "~%s of them far",
			 units_percent(share, (double)a->far_ns / (double)all));
	if (a->cost_ns && cost)
		text_builder_put(ret, TEXT_BUILDER_DOT "~%s of all time by distance",
				 units_percent(share, (double)a->cost_ns / (double)cost));
}

static void put_distances(const struct numa_view *v, uint32_t i, struct text_builder *ret)
{
	if (!v->state || numaview_is_one(v))
		return;
	text_builder_put(ret, "distances");
	for (uint32_t to = 0; to < v->nr_nodes && to < DISTANCES_MAX; to++)
		text_builder_put(ret, " %u", topology_distance(&v->state->topology, v->node[i].id, v->node[to].id));
	text_builder_put(ret, "%s" TEXT_BUILDER_DOT, v->nr_nodes > DISTANCES_MAX ? " ..." : "");
}

static void numastatus_put_node(const struct numa_view *v, uint32_t i, struct text_builder *ret)
{
	const struct numa_node_row *r = &v->node[i];

	put_distances(v, i, ret);
	numastatus_put_accesses(v, &r->from, ret);
	if (r->fault_samples) {
		text_builder_put(ret, TEXT_BUILDER_DOT);
		numastatus_put_count(ret, r->fault_samples, "sampled fault", "s");
	}
	if (r->moves_in || r->moves_out) {
		text_builder_put(ret, TEXT_BUILDER_DOT);
		numastatus_put_count(ret, r->moves_in, "move", "s");
		text_builder_put(ret, " here, %" PRIu64 " away", r->moves_out);
	}
}

static void put_path_thread(const struct numa_view *v, const struct numa_path *p, struct text_builder *ret)
{
	if (p->thread == ID_NONE)
		return;
	text_builder_put(ret, TEXT_BUILDER_DOT "mostly ");
	text_builder_thread(ret, v->dict, p->thread);
}

static void numastatus_put_site(const struct numa_view *v, const struct numa_site_row *r, struct text_builder *ret)
{
	char pages[UNITS_MAX], away[UNITS_MAX];

	text_builder_put(ret, "~%s page%s of kind %s", units_thousands(pages, r->path.count),
		  r->path.count == 1 ? "" : "s", mapping_word(r->mapping)->name);
	if (r->away_count)
		text_builder_put(ret, TEXT_BUILDER_DOT "~%s on another node than who touched them",
				 units_thousands(away, r->away_count));
	put_path_thread(v, &r->path, ret);
}

static void numastatus_put_thread(const struct numa_view *v, const struct numa_thread_row *r, struct text_builder *ret)
{
	const struct thread *t = dict_get_thread(v->dict, r->thread);
	const struct numa_thread *known = t && v->state ? numa_state_thread(v->state, t->pid, t->tid) : NULL;

	if (r->home >= 0)
		text_builder_put(ret, "home is node %d, %s" TEXT_BUILDER_DOT, (int)r->home,
			  r->home_by_kernel ? "says the kernel" : "where it ran most");
	if (known && *known->policy)
		text_builder_put(ret, "policy %s" TEXT_BUILDER_DOT, known->policy);
	numastatus_put_accesses(v, &r->accesses, ret);
	if (r->moves && v->seconds > 0)
		text_builder_put(ret, TEXT_BUILDER_DOT "%.1f moves/s", (double)r->moves / v->seconds);
	if (known)
		text_builder_put(ret, TEXT_BUILDER_DOT "put elsewhere %" PRIu64 " times", known->kernel_moves);
}

static void numastatus_put_mapping(const struct numa_view *v, const struct numa_mapping_row *r,
				   struct text_builder *ret)
{
	text_builder_put(ret, "%s" TEXT_BUILDER_DOT, mapping_word(r->mapping)->text);
	numastatus_put_accesses(v, &r->accesses, ret);
}

/* What a part is about. */
static const char *part_text(enum numa_part part)
{
	static const char *const texts[NUMA_PARTS] = {
		[NUMA_PART_NODES] = "where threads ran and queued, where memory is, where pages came to "
			"be, moves there",
		[NUMA_PART_MATRIX] = "of all sampled accesses, in %: from the CPUs of a node, to the memory of a node",
		[NUMA_PART_FUNCS] = "by time of samples whose access was far, weighed by distance",
		[NUMA_PART_SITES] = "pages that came to be by page faults there; away: not on the node of the CPU",
		[NUMA_PART_THREADS] = "home: where the kernel wants it, else where it ran most; off home: of "
		"its running time",
		[NUMA_PART_MOVES] = "where threads left a CPU of one node, to come back on one of another",
		[NUMA_PART_MAPPINGS] = "what was accessed, and where what is resident is",
		[NUMA_PART_PROCESSES] = "as the kernel says; pages: of the sample, in memory",
		[NUMA_PART_MISSES] = "why an address was not known, or not its page",
	};

	return texts[part] ? texts[part] : "";
}

/* Of which nothing is in PART, for want of room. */
static void numastatus_put_left(const struct numa_view *v, enum numa_part part, struct text_builder *ret)
{
	const struct numa_figures *f = v->state ? &v->state->figures : NULL;
	const uint64_t left = !f ? 0 : part == NUMA_PART_THREADS ? f->threads_left :
			      part == NUMA_PART_PROCESSES ? f->processes_left : 0;

	if (!left)
		return;
	text_builder_put(ret, TEXT_BUILDER_DOT "not looked at: up to ");
	numastatus_put_count(ret, left, "more", "");
}

/* Faults that are none of those that PART has. */
static void numastatus_put_balancing(const struct numa_view *v, enum numa_part part, struct text_builder *ret)
{
	const uint64_t n = v->state && part == NUMA_PART_SITES ? v->state->figures.balancing_faults : 0;
	char text[UNITS_MAX];

	if (n)
		text_builder_put(ret, TEXT_BUILDER_DOT "not ~%s faults of automatic balancing",
				 units_thousands(text, n));
}

static void numastatus_put_row(const struct numa_view *v, const struct numa_line *l, struct text_builder *ret)
{
	const struct numa_row row = numapane_row(v, l);

	switch (l->part) {
	case NUMA_PART_NODES:
	case NUMA_PART_MATRIX:
		numastatus_put_node(v, l->i, ret);
		break;
	case NUMA_PART_FUNCS:
		numastatus_put_accesses(v, numa_row_accesses(&row), ret);
		if (l->level == NUMA_LEVEL_PATH)
			put_path_thread(v, &v->path[l->sub], ret);
		break;
	case NUMA_PART_SITES:
		numastatus_put_site(v, &v->site[l->i], ret);
		break;
	case NUMA_PART_THREADS:
		numastatus_put_thread(v, &v->thread[l->i], ret);
		break;
	case NUMA_PART_MOVES:
		numastatus_put_count(ret, v->move[l->i].path.count, "move", "s");
		put_path_thread(v, &v->move[l->i].path, ret);
		break;
	case NUMA_PART_MAPPINGS:
		numastatus_put_mapping(v, &v->mapping[l->i], ret);
		break;
	default:
		break;
	}
}

/* What is said beside the name. */
static void numastatus_put_figures(const struct treeview *tv, uint32_t node, struct text_builder *ret)
{
	const struct numa_line *l = &numapane_of(tv)->line[node];

	if (l->level == NUMA_LEVEL_PART) {
		text_builder_put(ret, "%s", part_text((enum numa_part)l->part));
		numastatus_put_left(numapane_of(tv)->v, (enum numa_part)l->part, ret);
		numastatus_put_balancing(numapane_of(tv)->v, (enum numa_part)l->part, ret);
	} else if (l->level == NUMA_LEVEL_ROW || l->level == NUMA_LEVEL_PATH) {
		numastatus_put_row(numapane_of(tv)->v, l, ret);
	}
}

/* "name . place . figures": the name goes first when it is long, then what is said last of the figures. */
void numapane_status(const struct treeview *tv, struct canvas *cv, int y)
{
	const uint32_t node = treeview_node(tv);
	char label[LABEL_MAX], line[LABEL_MAX] = "", figures[512];
	struct text_builder words = text_builder_in(figures, sizeof(figures));
	int end, x, room;

	if (!numapane_of(tv) || node == NODE_NONE)
		return;
	end = pane_common_place(tv, cv, y) - 2;
	numastatus_put_figures(tv, node, &words);
	numaview_place_line(numapane_of(tv), node, line, sizeof(line));
	treeview_label(tv, node, label, sizeof(label));
	room = *figures ? end / 2 : end;
	x = 1 + pane_common_list(cv, 1, y, (room > LINE_NAME_MIN ? room : end) - 1, STYLE_TITLE, label);
	if (*line && x + 3 + (int)text_width(line, strlen(line)) <= end) {
		x += canvas_put(cv, x, y, STYLE_FAINT, TEXT_BUILDER_DOT);
		x += canvas_put(cv, x, y, STYLE_TEXT, line);
	}
	if (*figures && x + 3 + LINE_NAME_MIN <= end) {
		x += canvas_put(cv, x, y, STYLE_FAINT, TEXT_BUILDER_DOT);
		pane_common_list(cv, x, y, end - x, STYLE_TEXT, figures);
	}
}
