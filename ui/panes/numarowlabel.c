/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numarowlabel.c - builds the texts for rows of the view by node, from the functions of
 * query/numalabel.c.
 */
#include "config.h"

#include "ui/panes/numaview.h"

#include "base/units.h"
#include "ui/text_builder.h"

#include <string.h>

#define ARROW " \xE2\x80\xBA "   /* between the functions of a call path */

static void put_note(const struct numaview *nv, uint32_t note, struct text_builder *ret)
{
	switch (note) {
	case NUMA_NOTE_NOTHING:
		text_builder_put(ret, nv->live ? "Nothing is known of nodes yet." :
			  "Nothing is known of nodes and memory: --numa tells (not with --split).");
		break;
	case NUMA_NOTE_ONE:
		text_builder_put(ret, "One NUMA node: no memory is far. All the rest is shown.");
		break;
	default:
		text_builder_put(ret, nv->live ? "Accesses, page faults: sampled from now on." :
			  "Accesses, page faults: not sampled, --numa does that (not with --split).");
		break;
	}
}

static void numarowlabel_put_part(const struct numaview *nv, enum numa_part part, struct text_builder *ret)
{
	static const char *const texts[NUMA_PARTS] = {
		[NUMA_PART_NODES] = "nodes", [NUMA_PART_MATRIX] = "accesses from",
		[NUMA_PART_FUNCS] = "functions by far time", [NUMA_PART_SITES] = "memory first touched by",
		[NUMA_PART_THREADS] = "threads", [NUMA_PART_MOVES] = "moves between nodes",
		[NUMA_PART_MAPPINGS] = "memory by kind", [NUMA_PART_PROCESSES] = "policy and cpuset",
		[NUMA_PART_MISSES] = "samples without an address",
	};

	text_builder_put(ret, "%s", part == NUMA_PART_FUNCS &&
			 numaview_is_one(nv->v) ? "functions by accesses" : texts[part]);
}

static void numarowlabel_put_node(const struct numa_view *v, uint32_t i, struct text_builder *ret)
{
	const struct numa_node *n = v->node[i].node;
	char size[UNITS_MAX];

	text_builder_put(ret, "node %u", v->node[i].id);
	if (numa_node_offline(v, i))
		text_builder_put(ret, TEXT_BUILDER_DOT "offline");
	else if (n && !n->nr_cpus && !n->size_bytes)
		text_builder_put(ret, TEXT_BUILDER_DOT "empty");
	else if (n && !n->nr_cpus)
		text_builder_put(ret, TEXT_BUILDER_DOT "memory only");
	/* First what no column says: the end goes where there is little room. */
	if (n && n->nr_cpus)
		text_builder_put(ret, TEXT_BUILDER_DOT "CPU%s %s%s", n->nr_cpus == 1 ? "" : "s", n->cpus,
				 n->size_bytes ? "" : TEXT_BUILDER_DOT "no memory");
	if (n && n->size_bytes)
		text_builder_put(ret, TEXT_BUILDER_DOT "%s", units_bytes(size, n->size_bytes));
}

static const char *or_none(const char *list)
{
	return *list ? list : "none";
}

static void numarowlabel_put_process(const struct numa_process *p, struct text_builder *ret)
{
	text_builder_put(ret, "%s%s%d" TEXT_BUILDER_DOT "%s" TEXT_BUILDER_DOT "nodes %s" TEXT_BUILDER_DOT "CPUs %s",
		  p->comm, *p->comm ? " " : "",
		  (int)p->pid, *p->policy ? p->policy : "policy unknown", or_none(p->mems), or_none(p->cpus));
}

static void numarowlabel_put_row(const struct numaview *nv, const struct numa_line *l, struct text_builder *ret)
{
	const struct numa_view *v = nv->v;

	switch (l->part) {
	case NUMA_PART_NOTES:
		put_note(nv, l->i, ret);
		return;
	case NUMA_PART_NODES:
		numarowlabel_put_node(v, l->i, ret);
		return;
	case NUMA_PART_MATRIX:
		text_builder_put(ret, "node %u", v->node[l->i].id);
		return;
	case NUMA_PART_FUNCS:
		numa_func_label(v, l->i, text_builder_end(ret), text_builder_room(ret));
		break;
	case NUMA_PART_THREADS:
		text_builder_thread(ret, v->dict, v->thread[l->i].thread);
		return;
	case NUMA_PART_MAPPINGS:
		numa_mapping_label(v, &v->mapping[l->i], text_builder_end(ret), text_builder_room(ret));
		break;
	case NUMA_PART_PROCESSES:
		numarowlabel_put_process(&v->state->process.v[l->i], ret);
		return;
	case NUMA_PART_MISSES:
		text_builder_put(ret, "%s", access_miss_word(l->i)->text);
		return;
	default:
		numa_path_label(v, numaview_stack(nv, l), text_builder_end(ret), text_builder_room(ret));
		break;
	}
	text_builder_grown(ret);
}

static void numarowlabel_put_share(struct text_builder *ret, const char *before, uint64_t part, uint64_t whole,
				   const char *behind)
{
	char share[UNITS_MAX];

	text_builder_put(ret, "%s%s%s", before, units_percent(share, whole ? (double)part / (double)whole : 0), behind);
}

/* From the CPUs of node I to the memory of node TO. */
static void numarowlabel_put_cell(const struct numa_view *v, uint32_t i, uint32_t to, struct text_builder *ret)
{
	const struct numa_cell *c = &v->cell[i * v->nr_nodes + to];
	char n[UNITS_MAX];

	text_builder_put(ret, "to node %u", v->node[to].id);
	if (c->count)
		numarowlabel_put_share(ret, TEXT_BUILDER_DOT "~", c->ns, v->all.near_ns + v->all.far_ns, "");
	else
		text_builder_put(ret, TEXT_BUILDER_DOT "no access seen");
	if (v->state)
		text_builder_put(ret, TEXT_BUILDER_DOT "distance %u",
				 topology_distance(&v->state->topology, v->node[i].id, v->node[to].id));
	if (c->count)
		text_builder_put(ret, TEXT_BUILDER_DOT "%s sample%s", units_thousands(n, c->count),
				 c->count == 1 ? "" : "s");
}

static void put_of_node(const struct numa_view *v, const struct numa_line *l, struct text_builder *ret)
{
	char size[UNITS_MAX];

	switch (l->part) {
	case NUMA_PART_THREADS:
		text_builder_put(ret, "on node %u", v->node[l->sub].id);
		numarowlabel_put_share(ret, TEXT_BUILDER_DOT, v->thread[l->i].node_ns[l->sub],
				       v->thread[l->i].running_ns, " of its running time");
		break;
	case NUMA_PART_MAPPINGS:
		text_builder_put(ret, "on node %u" TEXT_BUILDER_DOT "~%s", v->node[l->sub].id,
			  units_bytes(size, v->mapping[l->i].node_bytes[l->sub]));
		break;
	default:
		numarowlabel_put_cell(v, l->i, l->sub, ret);
		break;
	}
}

static void put_pages(const struct numa_state *s, const struct numa_process *p, struct text_builder *ret)
{
	char rss[UNITS_MAX], asked[UNITS_MAX], found[UNITS_MAX], ago[UNITS_MAX];

	if (p->denied) {
		text_builder_put(ret, "where its memory is may not be asked: that needs the permission to trace it");
		return;
	}
	text_builder_put(ret, "%s resident", units_bytes(rss, p->rss_bytes));
	if (!p->moment_ns)
		text_builder_put(ret, TEXT_BUILDER_DOT "where, was not asked yet");
	else
		text_builder_put(ret, TEXT_BUILDER_DOT
			  "%s of %s pages that were asked for are in memory" TEXT_BUILDER_DOT "%s ago",
			  units_thousands(found, p->found), units_thousands(asked, p->asked),
			  units_time(ago, s->time_ns > p->moment_ns ? s->time_ns - p->moment_ns : 0));
}

static void put_words(const struct numa_state *s, const struct numa_line *l, struct text_builder *ret)
{
	const struct numa_process *p = &s->process.v[l->i];
	char faults[UNITS_MAX], major[UNITS_MAX];

	switch (l->sub) {
	case NUMA_WORDS_POLICY:
		text_builder_put(ret, "policy of its first thread: %s" TEXT_BUILDER_DOT
				 "other policies of mappings: %s",
			  *p->policy ? p->policy : "unknown",
			  p->policies_read ? or_none(p->mapped_policy) : "not read, it is too large");
		break;
	case NUMA_WORDS_ALLOWED:
		text_builder_put(ret, "allowed by cpuset and affinity: memory of nodes %s" TEXT_BUILDER_DOT "CPUs %s",
			  or_none(p->mems), or_none(p->cpus));
		break;
	case NUMA_WORDS_PAGES:
		put_pages(s, p, ret);
		break;
	default:
		text_builder_put(ret, "%s page faults since it began" TEXT_BUILDER_DOT "%s of them waited for a disk",
			  units_thousands(faults, p->faults), units_thousands(major, p->major_faults));
		break;
	}
}

/*
 * A call path below its function begins with who calls that; one that is told otherwise, with
 * whatever it begins with.
 */
static void numarowlabel_put_path(const struct numa_view *v, const struct numa_line *l, struct text_builder *ret)
{
	char path[LABEL_MAX], func[LABEL_MAX];
	const char *behind = path;

	numa_path_label(v, v->path[l->sub].stack, path, sizeof(path));
	numa_func_label(v, l->i, func, sizeof(func));
	if (!strncmp(path, func, strlen(func)) && !strncmp(path + strlen(func), ARROW, strlen(ARROW)))
		behind = path + strlen(func) + 1;
	text_builder_put(ret, "%s", behind);
}

char *numaview_label(const struct numaview *nv, uint32_t node, char *dst, size_t size)
{
	const struct numa_line *l = &nv->line[node];
	struct text_builder words = text_builder_in(dst, size);
	struct tree_node place;
	struct tree one;
	char n[UNITS_MAX];

	switch (l->level) {
	case NUMA_LEVEL_PART:
		numarowlabel_put_part(nv, (enum numa_part)l->part, &words);
		break;
	case NUMA_LEVEL_ROW:
		numarowlabel_put_row(nv, l, &words);
		break;
	case NUMA_LEVEL_PATH:
		numarowlabel_put_path(nv->v, l, &words);
		break;
	case NUMA_LEVEL_PLACE:
		one = outline_as_tree(nv->rows, node, &place);
		return tree_label(&one, 0, dst, size);
	case NUMA_LEVEL_NODE:
		put_of_node(nv->v, l, &words);
		break;
	case NUMA_LEVEL_WORDS:
		put_words(nv->v->state, l, &words);
		break;
	default:
		text_builder_put(&words, "\xE2\x8B\xAF %s in all", units_thousands(n, l->i));
		break;
	}
	return dst;
}

char *numaview_place_line(const struct numaview *nv, uint32_t node, char *dst, size_t size)
{
	struct tree_node place;
	const struct tree one = outline_as_tree(nv->rows, node, &place);

	return tree_line(&one, 0, dst, size);
}
