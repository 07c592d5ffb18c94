/* SPDX-License-Identifier: BSD-2-Clause */
/* memoryview.c - turns the list of sites that allocate (query/leaks.h) into rows that a treeview can show. */
#include "config.h"

#include "ui/panes/memoryview.h"

#include "base/hash.h"
#include "base/units.h"
#include "ui/text_builder.h"

#include <stdlib.h>

#define SEED 0x6d656d6f7279ull
#define PLACES_A_PATH 256u       /* deeper ones are recursion */
#define SITE_WEIGHT (1u << 20)           /* sites may open by themselves, the sizes of processes do not */

/* Adds a row below PARENT that IDENTITY tells from its siblings; its number, or 0 when out of memory. */
static uint32_t memoryview_add(struct memoryview *mv, uint32_t parent, struct outline_row what,
			       struct memory_line line, uint64_t identity)
{
	struct memory_line *more = realloc(mv->line, (mv->rows->n + 1ul) * sizeof(*more));

	if (!more) {
		mv->rows->failed = true;
		return 0;
	}
	mv->line = more;
	mv->line[mv->rows->n] = line;
	what.key = parent == NODE_NONE ? identity : hash_2u64(mv->rows->row[parent].key, identity);
	return outline_add(mv->rows, parent, what);
}

static void memoryview_add_part(struct memoryview *mv, uint32_t above, unsigned int level)
{
	const struct memory_line line = { .level = (uint8_t)level, .site = mv->line[above].site };

	memoryview_add(mv, above, (struct outline_row){ .kind = NODE_GROUP, .place = ID_NONE }, line, level);
}

static void memoryview_add_parts(struct memoryview *mv, uint32_t above, const struct leak_site *r)
{
	unsigned int first, last;

	if (r->grown ? r->growth.error > 0 : !r->unfollowed)
		memoryview_add_part(mv, above, MEMORY_LEVEL_VERDICT);
	if (leak_powers(r->sizes, &first, &last))
		memoryview_add_part(mv, above, MEMORY_LEVEL_SIZES);
	if (!r->unfollowed && leak_powers(r->ages, &first, &last))
		memoryview_add_part(mv, above, MEMORY_LEVEL_AGES);
	if (!r->unfollowed && leak_powers(r->lives, &first, &last))
		memoryview_add_part(mv, above, MEMORY_LEVEL_LIVES);
	if (r->threads)
		memoryview_add_part(mv, above, MEMORY_LEVEL_THREADS);
}

/* The row of site I, which is known by the function that allocates, with that of its call path below. */
static void memoryview_add_site(struct memoryview *mv, uint32_t i)
{
	const struct leak_site *r = &mv->leaks->row[i];
	struct outline_row path[PLACES_A_PATH] = { { .kind = NODE_GROUP, .place = ID_NONE } };
	size_t n = 0;
	uint32_t row;

	if (r->key) {
		const struct leak_first first = leak_first(mv->leaks, r);

		n = outline_functions(mv->rows, first.stack, first.name, path, PLACES_A_PATH);
	}
	path[0].weight = SITE_WEIGHT;
	row = memoryview_add(mv, 0, path[0], (struct memory_line){ .level = MEMORY_LEVEL_SITE, .site = i },
			     r->key + 1);
	if (row)
		memoryview_add_parts(mv, row, r);
	path[0].weight = 0;
	for (size_t k = 0; row && k < n; k++)
		if (!memoryview_add(mv, row, path[k], (struct memory_line){ .level = MEMORY_LEVEL_PLACE, .site = i },
				    OCTAVE_POWERS + k))
			return;
}

/* What all processes have now, or had when they were last read. */
static const struct memory_sizes *memoryview_last(const struct memoryview *mv)
{
	return mv->sizes->moment.n ? &mv->sizes->moment.v[mv->sizes->moment.n - 1].sizes : NULL;
}

/* What is resident, with a row for each size that there is. */
static void memoryview_add_resident(struct memoryview *mv)
{
	const struct outline_row group = { .kind = NODE_GROUP, .place = ID_NONE };
	uint32_t above;

	if (!mv->sizes->moment.n)
		return;
	above = memoryview_add(mv, 0, group, (struct memory_line){ .level = MEMORY_LEVEL_RESIDENT }, UINT64_MAX);
	for (unsigned int i = 0; above && i < SIZE_NR; i++) {
		const struct memory_line line = { .level = MEMORY_LEVEL_SIZE, .sub = (uint8_t)i };
		bool some = false;

		for (size_t k = 0; k < mv->sizes->moment.n; k++)
			some |= mv->sizes->moment.v[k].sizes.bytes[i];
		if (some)
			memoryview_add(mv, above, group, line, i);
	}
}

static void memoryview_fill(struct memoryview *mv)
{
	const struct outline_row group = { .kind = NODE_GROUP, .place = ID_NONE };
	struct outline_row root = group;

	root.kind = NODE_ROOT;
	root.weight = SITE_WEIGHT;
	memoryview_add(mv, NODE_NONE, root, (struct memory_line){ 0 }, SEED);
	memoryview_add_resident(mv);
	if (mv->leaks->n && (mv->leaks->all.grown || !mv->leaks->all.unfollowed))
		memoryview_add(mv, 0, group, (struct memory_line){ .level = MEMORY_LEVEL_ALL }, 0);
	for (uint32_t i = 0; i < mv->leaks->n && !mv->rows->failed; i++)
		memoryview_add_site(mv, i);
}

struct memoryview *memoryview_new(struct leaks *leaks, struct memory_history *sizes)
{
	AUTO(memoryview_free) struct memoryview *mv = calloc(1, sizeof(*mv));

	if (!mv) {
		leaks_free(leaks);
		memory_history_free(sizes);
		return NULL;
	}
	mv->leaks = leaks;
	mv->sizes = sizes;
	mv->rows = outline_new(leaks->dict, leaks->names, &leaks->query);
	if (!mv->rows)
		return NULL;
	memoryview_fill(mv);
	return mv->rows->failed ? NULL : take_ptr(mv);
}

void memoryview_free(struct memoryview *mv)
{
	if (!mv)
		return;
	outline_free(mv->rows);
	free(mv->line);
	leaks_free(mv->leaks);
	memory_history_free(mv->sizes);
	free(mv);
}

const struct leak_site *memoryview_site(const struct memoryview *mv, uint32_t node)
{
	return mv->line[node].level == MEMORY_LEVEL_ALL ? &mv->leaks->all : &mv->leaks->row[mv->line[node].site];
}

const struct leak_amount *memoryview_histogram(const struct memoryview *mv, uint32_t node)
{
	const struct leak_site *r = memoryview_site(mv, node);

	switch (mv->line[node].level) {
	case MEMORY_LEVEL_SIZES:
		return r->sizes;
	case MEMORY_LEVEL_AGES:
		return r->ages;
	case MEMORY_LEVEL_LIVES:
		return r->lives;
	default:
		return NULL;
	}
}

static double memoryview_moment(const struct sizes_moment *m, const struct memory_line *line)
{
	return (double)(line->level == MEMORY_LEVEL_RESIDENT ? memory_resident(&m->sizes) : m->sizes.bytes[line->sub]);
}

/* What was in the middle of each part of the time. */
static void memoryview_size_series(const struct memoryview *mv, const struct memory_line *line, double ret[GROWTH_BINS])
{
	const struct sizes_moment *m = mv->sizes->moment.v;
	const size_t n = mv->sizes->moment.n;
	const double width = (double)(m[n - 1].to_ns - m[0].from_ns) / GROWTH_BINS;
	size_t at = 0;

	for (unsigned int b = 0; b < GROWTH_BINS; b++) {
		while (at + 1 < n && (double)(m[at + 1].from_ns - m[0].from_ns) <= (b + 0.5) * width)
			at++;
		ret[b] = memoryview_moment(&m[at], line);
	}
}

bool memoryview_series(const struct memoryview *mv, uint32_t node, double ret[GROWTH_BINS])
{
	const struct memory_line *line = &mv->line[node];
	const struct growth_history *h = &mv->leaks->all.history;
	double in_use = 0;

	if (line->level == MEMORY_LEVEL_RESIDENT || line->level == MEMORY_LEVEL_SIZE) {
		memoryview_size_series(mv, line, ret);
		return true;
	}
	for (unsigned int b = 0; line->level == MEMORY_LEVEL_ALL && b < GROWTH_BINS; b++) {
		in_use += h->allocated[b] - h->freed[b];
		ret[b] = in_use > 0 ? in_use : 0;
	}
	return line->level == MEMORY_LEVEL_ALL;
}

const char *memoryview_word(const struct memoryview *mv, uint32_t node)
{
	static const char *const words[] = {
		[MEMORY_LEVEL_RESIDENT] = "resident", [MEMORY_LEVEL_ALL] = "in use", [MEMORY_LEVEL_SIZES] = "sizes",
		[MEMORY_LEVEL_AGES] = "ages", [MEMORY_LEVEL_LIVES] = "freed at", [MEMORY_LEVEL_PLACE] = NULL,
	};
	const struct memory_line *line = &mv->line[node];
	const char *word = words[line->level];

	if (line->level == MEMORY_LEVEL_SIZE)
		word = memory_size_word(line->sub)->name;
	else if (line->level == MEMORY_LEVEL_ALL && mv->leaks->all.grown)
		word = "grown";
	return word ? word : "";
}

/* "most 256 B to 512 B . all 64 B to 2.0 KB": where most blocks are, and where all are. */
static void memoryview_put_powers(struct text_builder *w, const struct leak_amount hist[OCTAVE_POWERS], bool times,
				  const char *noun)
{
	char label[LEAK_POWER_MAX], n[UNITS_MAX];
	unsigned int first, last, most;
	uint64_t blocks = 0;

	if (!leak_powers(hist, &first, &last))
		return;
	most = first;
	for (unsigned int p = first; p <= last; p++) {
		most = hist[p].blocks > hist[most].blocks ? p : most;
		blocks += hist[p].blocks;
	}
	text_builder_put(w, "most %s", leak_powers_label(most, most, times, label));
	if (first < last)
		text_builder_put(w, TEXT_BUILDER_DOT "all %s", leak_powers_label(first, last, times, label));
	text_builder_put(w, TEXT_BUILDER_DOT "%s %s%s", units_thousands(n, blocks), noun, blocks == 1 ? "" : "s");
}

static void memoryview_put_verdict(struct text_builder *w, const struct leak_site *r)
{
	char text[LEAK_VERDICT_MAX], by[LEAK_FIGURE_MAX];

	if (!r->grown)
		text_builder_put(w, "%s", leak_verdict(r, text));
	if (r->growth.error > 0 || r->grown)
		text_builder_put(w, "%s%s a second", r->grown ? "" : TEXT_BUILDER_DOT,
				 leak_figure(r->growth.per_s, r->growth.error, false, by));
}

static void memoryview_put_all(struct text_builder *w, const struct leak_site *r)
{
	char text[LEAK_FIGURE_MAX], n[UNITS_MAX];

	if (r->grown) {
		text_builder_put(w, "%s became resident" TEXT_BUILDER_DOT "%s returned",
				 leak_figure((double)r->allocated, r->allocated_error, false, text),
				 units_bytes(n, r->freed));
		return;
	}
	text_builder_put(w, "%s", leak_figure((double)r->in_use, r->error, false, text));
	text_builder_put(w, TEXT_BUILDER_DOT "%s block%s", units_thousands(n, r->blocks), r->blocks == 1 ? "" : "s");
	if (r->leaked)
		text_builder_put(w, TEXT_BUILDER_DOT "%s when its process ended", units_bytes(n, r->leaked));
}

/* "134 MB . anonymous 120 MB . files 14 MB": the sizes that make it up, and what is in swap. */
static void memoryview_put_resident(struct text_builder *w, const struct memory_sizes *s)
{
	static const uint8_t parts[] = { SIZE_ANON, SIZE_FILE, SIZE_SHARED, SIZE_SWAPPED };
	char bytes[UNITS_MAX];

	text_builder_put(w, "%s", units_bytes(bytes, memory_resident(s)));
	for (size_t i = 0; i < sizeof(parts); i++)
		if (s->bytes[parts[i]])
			text_builder_put(w, TEXT_BUILDER_DOT "%s %s", memory_size_word(parts[i])->name,
					 units_bytes(bytes, s->bytes[parts[i]]));
}

static void memoryview_put_size(struct text_builder *w, const struct memory_sizes *s, unsigned int size)
{
	char bytes[UNITS_MAX];

	text_builder_put(w, "%s" TEXT_BUILDER_DOT "%s", units_bytes(bytes, s->bytes[size]),
			 memory_size_word(size)->text);
}

char *memoryview_label(const struct memoryview *mv, uint32_t node, char *dst, size_t size)
{
	const struct leak_site *r = memoryview_site(mv, node);
	struct text_builder words = text_builder_in(dst, size);
	struct tree_node place;
	struct tree one;

	switch (mv->line[node].level) {
	case MEMORY_LEVEL_RESIDENT:
		memoryview_put_resident(&words, memoryview_last(mv));
		break;
	case MEMORY_LEVEL_SIZE:
		memoryview_put_size(&words, memoryview_last(mv), mv->line[node].sub);
		break;
	case MEMORY_LEVEL_ALL:
		memoryview_put_all(&words, r);
		break;
	case MEMORY_LEVEL_SITE:
		return leak_label(mv->leaks, r, dst, size);
	case MEMORY_LEVEL_VERDICT:
		memoryview_put_verdict(&words, r);
		break;
	case MEMORY_LEVEL_THREADS:
		text_builder_put(&words, "threads: ");
		leak_threads_label(mv->leaks, r, text_builder_end(&words), text_builder_room(&words));
		break;
	case MEMORY_LEVEL_PLACE:
		one = outline_as_tree(mv->rows, node, &place);
		return tree_label(&one, 0, dst, size);
	default:
		memoryview_put_powers(&words, memoryview_histogram(mv, node),
				      mv->line[node].level != MEMORY_LEVEL_SIZES, r->grown ? "change" : "block");
		break;
	}
	return dst;
}
