/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quality.c - the content of the pane of quality: which doubts there are about the figures, how
 * large they are, and what to do about them. qualitypane.c draws it.
 */
#include "config.h"

#include "ui/panes/qualitypane.h"

#include "base/hash.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"
#include "query/frameshare.h"
#include "query/stripped.h"
#include "ui/text_builder.h"

#include <stdlib.h>
#include <string.h>

#define SEED 0x7175616cull
#define MODULES_MAX 20u          /* of a cut that have a line each */
#define RATE_SHARE 10u           /* 1/RATE_SHARE fewer samples than asked for are worth a word */

/*     id, name, what it is, what can be done about it */
#define DOUBTS(X) \
	X(RATE, "rate", "samples came less often than asked for", "lower -F, or leave the machine more room") \
	X(NO_STACK, "no_stack", "time of waits without a stack", "") \
	X(EXTRAPOLATED, "extrapolated", "time of waits with stacks of similar waits", "") \
	X(LATE, "late", "events that came out of order", "") \
	X(REFUSED, "refused", "frames, stacks and threads without room in memory: (other)", "r forgets what was seen") \
	X(FOLDED, "folded", "old facts that were added to (other)", "r forgets what was seen") \
	X(HUNG, "hung", "stacks of waits whose memory did not answer", "") \
	X(DENIED, "denied", "stacks of waits whose memory may not be read", "run as root, or with cap_sys_ptrace") \
	X(INFERRED, "inferred", "switches that the kernel did not report", "") \
	X(UNSUMMED, "unsummed", "short waits that were sampled: there was no room to sum them", "") \
	X(NOT_HANDED, "not_handed", "handovers of locks beyond those that are told: waits name the first holder", "") \
	X(SYMBOLS, "symbols", "frames that wait for their names", "") \
	X(NO_TABLE, "no_table", "frames followed by frame pointers: their code has no unwind table", "") \
	X(STRIPPED, "stripped", "files whose functions have no names", "install debug symbols, or use --debuginfod") \
	X(UNREAD, "unread", "files that could not be read in part", "") \
	X(SCRIPT_UNREAD, "script_unread", "stacks whose frames of Python could not be read to the end", "") \
	X(SCRIPT_CUT, "script_cut", "stacks with more frames of Python than there is room for", "") \
	X(SCRIPT_UNMATCHED, "script_unmatched", "stacks with frames of Python missing, or not in their places", "") \
	X(SCRIPT_NAMELESS, "script_nameless", "frames of Python whose code was gone before its name was read", "") \
	X(SPLIT_REFUSED, "split_refused", "files that sberf-collector would not open: names may be missing", "") \
	X(WORKER_ENDED, "worker_ended", "times that sberf-worker, which reads files, ended and was started again", "") \
	X(FILES_LEFT, "files_left", "files at which it ended twice, and of which no more is read", "") \
	X(PLUGINS, "plugins", "what plug-ins have named, and what they failed at", "")

enum doubt {
#define X(id, name, text, remedy) DOUBT_##id,
	DOUBTS(X)
#undef X
	DOUBT_NR
};

static const struct reason_info doubts[] = {
#define X(id, name, text, remedy) [DOUBT_##id] = { name, text, remedy },
	DOUBTS(X)
#undef X
};

/*
 * Lines of how stacks were unwound: first the ways, then the following, of which all but the first
 * are those of QUALITY_RULES.
 */
enum {
	WAYS_LEARNED = WAY_NR,
	WAYS_RULES,
	WAYS_EVICTED,
	WAYS_MEMORY,
	WAYS_CHECKED,
	WAYS_UNCHECKED,
	WAYS_HOPS_CHECKED,
	WAYS_HOPS_DIFFERENT,
	WAYS_DIFFERENT,          /* and on: enum verify_cause */
};

static const struct reason_info more_ways[] = {
	[WAYS_LEARNED - WAY_NR] = { "learned", "copies from which the kernel got new rules", "" },
	[WAYS_RULES - WAY_NR] = { "rules", "pages of code that the kernel has rules for", "" },
	[WAYS_EVICTED - WAY_NR] = { "evicted", "pages and processes removed to make room", "watch fewer programs" },
	[WAYS_MEMORY - WAY_NR] = { "memory", "of rules", "" },
	[WAYS_CHECKED - WAY_NR] = { "verified", "stacks unwound in the kernel and from a copy", "" },
	[WAYS_UNCHECKED - WAY_NR] = { "incomplete", "stacks whose copy did not lead to the root: not verified", "" },
	[WAYS_HOPS_CHECKED - WAY_NR] = { "kernel_verified", "kernel stacks read by learned rules and unwound too", "" },
	[WAYS_HOPS_DIFFERENT - WAY_NR] = { "kernel_different", "of these, with other frames", "" },
};

struct maker {
	struct outline *rows;
	VEC(struct quality_line) line;
};

/* Adds LINE below PARENT; 0 when out of memory. WEIGHT says how much it wants to be opened. */
static uint32_t quality_add(struct maker *m, uint32_t parent, struct quality_line line, uint64_t weight)
{
	const uint64_t what = hash_2u64(SEED + line.part, (uint64_t)line.level << 8 | line.reason);
	const struct outline_row row = { .key = hash_2u64(what, line.module), .place = ID_NONE, .weight = weight,
					 .kind = parent == NODE_NONE ? NODE_ROOT : NODE_GROUP };

	if (!vec_reserve(&m->line, 1)) {
		m->rows->failed = true;
		return 0;
	}
	m->line.v[m->line.n++] = line;
	return outline_add(m->rows, parent, row);
}

/* Stacks */

/* The sums of the stacks of a kind. */
struct stacks {
	uint64_t all, cut[CUT_NR], ns[CUT_NR];
};

static unsigned int cut_of(const struct quality_row *r)
{
	return r->cut < CUT_NR ? r->cut : CUT_COMPLETE;
}

static struct stacks sum_stacks(const struct quality_row *row, size_t n, unsigned int kind)
{
	struct stacks s = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (row[i].kind != kind)
			continue;
		s.all += row[i].count;
		s.cut[cut_of(&row[i])] += row[i].count;
		s.ns[cut_of(&row[i])] += row[i].weight;
	}
	return s;
}

/* The modules of REASON, of which the heaviest come first already. */
static void add_modules(struct maker *m, uint32_t parent, const struct quality_row *row, size_t n, unsigned int kind,
			struct quality_line line)
{
	struct quality_line rest = line;
	uint32_t modules = 0;

	rest.level = QUALITY_REST;
	rest.count = rest.ns = 0;
	line.level = QUALITY_MODULE;
	for (size_t i = 0; i < n; i++) {
		if (row[i].kind != kind || cut_of(&row[i]) != line.reason || row[i].module == ID_NONE)
			continue;
		line.module = row[i].module;
		line.count = row[i].count;
		line.ns = row[i].weight;
		if (++modules <= MODULES_MAX) {
			quality_add(m, parent, line, 0);
			continue;
		}
		rest.count += line.count;
		rest.ns += line.ns;
	}
	rest.module = modules - MODULES_MAX;
	if (modules > MODULES_MAX)
		quality_add(m, parent, rest, 0);
}

static void quality_add_stacks(struct maker *m, const struct quality_row *row, size_t n, enum quality_part part,
			       unsigned int kind)
{
	const struct stacks s = sum_stacks(row, n, kind);
	struct quality_line line = { (uint8_t)part, QUALITY_PART, 0, ID_NONE, s.all - s.cut[CUT_COMPLETE], s.all, 0 };
	uint64_t last = UINT64_MAX;
	uint32_t head;

	if (!s.all)
		return;
	head = quality_add(m, 0, line, line.count ? 9 : 1);
	for (;;) {
		unsigned int next = CUT_COMPLETE;
		uint32_t reason;

		/* By falling count; of equal ones by number. */
		for (unsigned int i = CUT_COMPLETE + 1; i < CUT_NR; i++) {
			const uint64_t rank = s.cut[i] << 8 | (CUT_NR - i);

			if (s.cut[i] && rank < last && (next == CUT_COMPLETE || s.cut[i] > s.cut[next]))
				next = i;
		}
		if (next == CUT_COMPLETE || m->rows->failed)
			return;
		last = s.cut[next] << 8 | (CUT_NR - next);
		line = (struct quality_line){ (uint8_t)part, QUALITY_REASON, (uint8_t)next, ID_NONE, s.cut[next], s.all,
					      s.ns[next] };
		reason = quality_add(m, head, line, 5);
		if (reason)
			add_modules(m, reason, row, n, kind, line);
	}
}

static uint64_t quality_known(uint64_t figure)
{
	return figure == META_UNKNOWN ? 0 : figure;
}

/* Ways */

static uint32_t add_way(struct maker *m, uint32_t parent, enum quality_part part, unsigned int reason,
			uint64_t count, uint64_t of)
{
	return quality_add(m, parent,
			   (struct quality_line){ (uint8_t)part, QUALITY_REASON, (uint8_t)reason, ID_NONE,
						  count, of, 0 }, 1);
}

/* Why copies were needed, in a capture that was to need none. */
static void add_whys(struct maker *m, uint32_t parent, enum quality_part part, const struct unwound *u, uint64_t all)
{
	struct quality_line line = { (uint8_t)part, QUALITY_WHY, 0, ID_NONE, 0, all, 0 };

	if (u->learned)
		add_way(m, parent, part, WAYS_LEARNED, u->learned, all);
	for (unsigned int i = 0; i < WALK_NR; i++) {
		line.reason = (uint8_t)i;
		line.count = u->walk[i];
		if (line.count)
			quality_add(m, parent, line, 0);
	}
}

static void add_ways(struct maker *m, enum quality_part part, const struct unwound *u)
{
	const uint64_t all = unwound_total(u), in_kernel = u->way[WAY_KERNEL] + u->way[WAY_FRAME_POINTERS];
	uint32_t head;

	if (!all)
		return;
	head = quality_add(m, 0, (struct quality_line){ (uint8_t)part, QUALITY_PART, 0, ID_NONE,
							all - in_kernel, all, 0 }, 7);
	for (unsigned int i = 0; i < WAY_NR && head; i++) {
		const uint32_t way = u->way[i] ? add_way(m, head, part, i, u->way[i], all) : 0;

		if (way && i == WAY_COPY)
			add_whys(m, way, part, u, all);
	}
}

/* What --verify-unwind found. */
static void add_verified(struct maker *m, uint32_t head, const struct profile_meta *meta)
{
	const uint64_t hops = quality_known(meta->verify_kernel_checked),
		other = quality_known(meta->verify_kernel_different);

	if (meta->verify_checked)
		add_way(m, head, QUALITY_RULES, WAYS_CHECKED, meta->verify_checked, 0);
	if (meta->verify_incomplete)
		add_way(m, head, QUALITY_RULES, WAYS_UNCHECKED, meta->verify_incomplete, 0);
	for (unsigned int i = 0; i < VERIFY_NR; i++)
		if (meta->verify_cause[i])
			add_way(m, head, QUALITY_RULES, WAYS_DIFFERENT + i, meta->verify_cause[i],
				meta->verify_checked);
	if (hops)
		add_way(m, head, QUALITY_RULES, WAYS_HOPS_CHECKED, hops, 0);
	if (other)
		add_way(m, head, QUALITY_RULES, WAYS_HOPS_DIFFERENT, other, hops);
}

/* Nothing when stacks were not to be walked in the kernel, and none was. */
static void add_rules(struct maker *m, const struct profile_meta *meta)
{
	uint32_t head;

	if (!quality_known(meta->rules_pages) && !quality_known(meta->rules_evicted) && !meta->verify_checked)
		return;
	head = quality_add(m, 0, (struct quality_line){ .part = QUALITY_RULES, .module = ID_NONE },
			   meta->verify_different || quality_known(meta->verify_kernel_different) ? 8 : 7);
	if (head && quality_known(meta->rules_pages)) {
		add_way(m, head, QUALITY_RULES, WAYS_RULES, meta->rules_pages, 0);
		add_way(m, head, QUALITY_RULES, WAYS_MEMORY, 0, 0);
	}
	if (head && quality_known(meta->rules_evicted))
		add_way(m, head, QUALITY_RULES, WAYS_EVICTED, meta->rules_evicted, 0);
	if (head)
		add_verified(m, head, meta);
}

/* Events that were lost, and the rest */

static void quality_add_losses(struct maker *m, const struct profile_meta *meta)
{
	const uint64_t total = losses_total(&meta->lost);
	const uint32_t head = quality_add(m, 0, (struct quality_line){ QUALITY_LOST, QUALITY_PART, 0,
								       ID_NONE, total, 0, 0 },
					  total ? 9 : 1);

	for (unsigned int i = 0; i < LOST_NR && head; i++) {
		struct quality_line line = { QUALITY_LOST, QUALITY_REASON, (uint8_t)i, ID_NONE, meta->lost.n[i], 0, 0 };

		if (line.count)
			quality_add(m, head, line, 0);
	}
}


/* What the facts say of doubts. */
struct seen_doubts {
	struct frame_share frames;
	stripped_vec stripped;
};

/* How many sentences PLUGINS has, which semicolons separate. */
static uint8_t quality_plugins(const char *plugins)
{
	uint8_t n = plugins[0] != '\0';

	for (; *plugins && n < UINT8_MAX; plugins++)
		n += *plugins == ';';
	return n;
}

/* How often DOUBT applies, or, in *RET_NS, to how much time. */
static uint64_t doubt_count(const struct profile_meta *m, const struct seen_doubts *seen, enum doubt doubt,
			    uint64_t *ret_ns)
{
	const uint64_t off = quality_known(m->blocked_ns) + quality_known(m->runnable_ns);
	const uint64_t told = quality_known(m->wait_own_ns) + quality_known(m->wait_none_ns);

	*ret_ns = 0;
	switch (doubt) {
	case DOUBT_RATE:
		return m->freq_got && m->freq_got < m->freq_asked - m->freq_asked / RATE_SHARE ? m->freq_got : 0;
	case DOUBT_NO_STACK:
		*ret_ns = quality_known(m->wait_none_ns);
		return 0;
	case DOUBT_EXTRAPOLATED:
		*ret_ns = off > told ? off - told : 0;
		return 0;
	case DOUBT_LATE:
		return quality_known(m->late);
	case DOUBT_REFUSED:
		return quality_known(m->refused);
	case DOUBT_FOLDED:
		return quality_known(m->folded);
	case DOUBT_HUNG:
		return quality_known(m->wait_hung);
	case DOUBT_DENIED:
		return quality_known(m->wait_denied);
	case DOUBT_INFERRED:
		return quality_known(m->wait_inferred);
	case DOUBT_UNSUMMED:
		return quality_known(m->wait_unsummed);
	case DOUBT_NOT_HANDED:
		return quality_known(m->wait_not_handed);
	case DOUBT_SYMBOLS:
		return quality_known(m->symbols_pending);
	case DOUBT_NO_TABLE:
		return seen->frames.no_table;
	case DOUBT_STRIPPED:
		return seen->stripped.n;
	case DOUBT_UNREAD:
		return quality_known(m->unread.n);
	case DOUBT_SCRIPT_UNREAD:
		return quality_known(m->script_unread);
	case DOUBT_SCRIPT_CUT:
		return quality_known(m->script_cut);
	case DOUBT_SCRIPT_UNMATCHED:
		return quality_known(m->script_unmatched);
	case DOUBT_SCRIPT_NAMELESS:
		return quality_known(m->script_nameless);
	case DOUBT_SPLIT_REFUSED:
		return quality_known(m->split_refused);
	case DOUBT_WORKER_ENDED:
		return quality_known(m->worker_ended);
	case DOUBT_FILES_LEFT:
		return quality_known(m->files_left);
	case DOUBT_PLUGINS:
		return quality_plugins(m->plugins);
	default:
		return 0;
	}
}

/* Of how many things those are that DOUBT is about; 0 = that is not told. */
static uint64_t doubt_of(const struct profile_meta *m, const struct seen_doubts *seen, enum doubt doubt)
{
	switch (doubt) {
	case DOUBT_RATE:
		return m->freq_asked;
	case DOUBT_NO_TABLE:
		return seen->frames.frames;
	case DOUBT_SPLIT_REFUSED:
		return quality_known(m->split_asked);
	case DOUBT_SCRIPT_UNREAD:
	case DOUBT_SCRIPT_CUT:
	case DOUBT_SCRIPT_UNMATCHED:
		return quality_known(m->script_stacks);
	default:
		return 0;
	}
}

/* Which plug-ins those are. */
static void add_plugins(struct maker *m, uint32_t parent, const char *plugins)
{
	struct quality_line line = { .part = QUALITY_DOUBTS, .level = QUALITY_PLUGIN, .module = ID_NONE };

	for (; line.reason < quality_plugins(plugins); line.reason++)
		quality_add(m, parent, line, 0);
}

/* Which files that are, and why; LEFT: those alone that are left alone. */
static void add_unread(struct maker *m, uint32_t parent, const struct unread *u, bool left)
{
	struct quality_line line = { .part = QUALITY_DOUBTS, .level = left ? QUALITY_LEFT : QUALITY_FILE,
				     .module = ID_NONE };

	for (; line.reason < UNREAD_MAX && u->text[line.reason][0]; line.reason++)
		if (!left || strstr(u->text[line.reason], UNREAD_LEFT))
			quality_add(m, parent, line, 0);
}

/* Which files that are, with how many of the functions that were seen of each. */
static void add_stripped(struct maker *m, uint32_t parent, const stripped_vec *files)
{
	struct quality_line line = { .part = QUALITY_DOUBTS, .level = QUALITY_MODULE, .reason = DOUBT_STRIPPED };
	const size_t shown = files->n < MODULES_MAX ? files->n : MODULES_MAX;

	for (size_t i = 0; i < shown; i++) {
		line.module = files->v[i].module;
		line.count = files->v[i].nameless;
		line.of = files->v[i].functions;
		quality_add(m, parent, line, 0);
	}
	line = (struct quality_line){ .part = line.part, .level = QUALITY_REST, .reason = line.reason,
				      .module = (module_id)(files->n - shown) };
	if (line.module)
		quality_add(m, parent, line, 0);
}

static void add_doubts(struct maker *m, const struct profile_meta *meta, const struct seen_doubts *seen)
{
	uint32_t head = 0, at = 0;

	for (unsigned int i = 0; i < DOUBT_NR; i++) {
		struct quality_line line = { QUALITY_DOUBTS, QUALITY_PART, 0, ID_NONE, 0, 0, 0 };

		line.count = doubt_count(meta, seen, (enum doubt)i, &line.ns);
		if (!line.count && !line.ns)
			continue;
		head = head ? head : quality_add(m, 0,
						 (struct quality_line){ .part = QUALITY_DOUBTS, .module = ID_NONE }, 8);
		line.level = QUALITY_REASON;
		line.reason = (uint8_t)i;
		line.of = doubt_of(meta, seen, (enum doubt)i);
		if (head)
			at = quality_add(m, head, line, 0);
		if (at && i == DOUBT_UNREAD)
			add_unread(m, at, &meta->unread, false);
		if (at && i == DOUBT_FILES_LEFT)
			add_unread(m, at, &meta->unread, true);
		if (at && i == DOUBT_PLUGINS)
			add_plugins(m, at, meta->plugins);
		if (at && i == DOUBT_STRIPPED)
			add_stripped(m, at, &seen->stripped);
	}
}

struct quality *quality_new(const struct snapshot *s, const struct names *names, const struct profile_meta *meta)
{
	AUTO(quality_free) struct quality *q = calloc(1, sizeof(*q));
	const struct quality_row *row;
	const size_t n = snapshot_quality(s, &row);
	const struct unwound samples = unwound_without(&meta->unwound, &meta->wait_unwound);
	struct seen_doubts seen = { 0 };
	struct maker m = { 0 };

	if (!q)
		return NULL;
	q->dict = snapshot_dict(s);
	q->rules_bytes = meta->rules_bytes;
	q->unread = meta->unread;
	memcpy(q->plugins, meta->plugins, sizeof(q->plugins));
	q->by_rules = quality_known(meta->rules_pages);
	q->rows = m.rows = outline_new(q->dict, names, NULL);
	if (!q->rows || frame_share_of(s, &seen.frames) < 0 || stripped_files(s, names, &seen.stripped) < 0)
		return NULL;
	quality_add(&m, NODE_NONE, (struct quality_line){ .part = QUALITY_PARTS, .module = ID_NONE }, QUALITY_PARTS);
	quality_add_stacks(&m, row, n, QUALITY_SAMPLES, EVENT_SAMPLE);
	quality_add_stacks(&m, row, n, QUALITY_BLOCKED, EVENT_BLOCKED);
	quality_add_stacks(&m, row, n, QUALITY_QUEUED, EVENT_RUNNABLE);
	quality_add_losses(&m, meta);
	add_ways(&m, QUALITY_WAYS, &samples);
	add_ways(&m, QUALITY_WAIT_WAYS, &meta->wait_unwound);
	add_rules(&m, meta);
	add_doubts(&m, meta, &seen);
	vec_free(&seen.stripped);
	q->line = take_ptr(m.line.v);
	return m.rows->failed ? NULL : take_ptr(q);
}

void quality_free(struct quality *q)
{
	if (!q)
		return;
	outline_free(q->rows);
	free(q->line);
	free(q);
}

/* Words */

static bool tells_ways(const struct quality_line *l)
{
	return l->part == QUALITY_WAYS || l->part == QUALITY_WAIT_WAYS || l->part == QUALITY_RULES;
}

static const struct reason_info *ways_of(unsigned int reason)
{
	if (reason < WAY_NR)
		return unwind_way_info((enum unwind_way)reason);
	return reason < WAYS_DIFFERENT ? &more_ways[reason - WAY_NR] :
		verify_info((enum verify_cause)(reason - WAYS_DIFFERENT));
}

static const struct reason_info *reason_of(const struct quality_line *l)
{
	static const struct reason_info none = { "", "", "" };

	if (l->level == QUALITY_WHY)
		return walk_info(l->reason);
	if (l->level != QUALITY_REASON)
		return &none;
	if (tells_ways(l))
		return ways_of(l->reason);
	if (l->part == QUALITY_DOUBTS)
		return &doubts[l->reason];
	return l->part == QUALITY_LOST ? lost_info(l->reason) : cut_info(l->reason);
}

const char *quality_remedy(const struct quality *q, uint32_t node)
{
	const struct quality_line *l = &q->line[node];

	return l->level == QUALITY_WHY && l->reason == WALK_NOT_ASKED && q->by_rules ? "" : reason_of(l)->remedy;
}

static void quality_put_module(const struct quality *q, module_id id, struct text_builder *ret)
{
	const struct module *m = dict_get_module(q->dict, id);
	const struct strtab *st = dict_strings(q->dict);
	char text[LABEL_MAX];

	if (m && m->kind == MODULE_KERNEL) {
		text_builder_put(ret, "[kernel]");
	} else if (!m || !strtab_len(st, m->path)) {
		text_builder_put(ret, m && m->kind == MODULE_ANON ? "[anon]" : "[unknown]");
	} else {
		text_sanitise(text, sizeof(text), strtab_get(st, m->path), strtab_len(st, m->path));
		text_builder_put(ret, "%s", text);
	}
}

static void quality_put_part(const struct quality_line *l, struct text_builder *ret)
{
	static const char *const names[] = { [QUALITY_SAMPLES] = "stacks of samples",
					     [QUALITY_BLOCKED] = "stacks of waits",
					     [QUALITY_QUEUED] = "stacks of waits for a CPU",
					     [QUALITY_LOST] = "lost events",
					     [QUALITY_WAYS] = "how stacks of samples were unwound",
					     [QUALITY_WAIT_WAYS] = "how stacks of waits were unwound",
					     [QUALITY_RULES] = "learned rules in the kernel",
					     [QUALITY_DOUBTS] = "what makes figures less certain" };
	char share[UNITS_MAX], n[UNITS_MAX];

	text_builder_put(ret, "%s", names[l->part]);
	if (l->part == QUALITY_WAYS || l->part == QUALITY_WAIT_WAYS)
		text_builder_put(ret, ": %s of %s in the kernel",
			  units_percent(share, 1 - (double)l->count / (double)l->of), units_thousands(n, l->of));
	else if (l->of)
		text_builder_put(ret, ": %s of %s complete", units_percent(share, 1 - (double)l->count / (double)l->of),
			  units_thousands(n, l->of));
	else if (l->part == QUALITY_LOST && !l->count)
		text_builder_put(ret, ": none");
}

/* Sentence I of PLUGINS. */
static void quality_put_plugin(const char *plugins, unsigned int i, struct text_builder *ret)
{
	while (i-- && strstr(plugins, "; "))
		plugins = strstr(plugins, "; ") + 2;
	text_builder_put(ret, "%.*s", (int)strcspn(plugins, ";"), plugins);
}

static char *quality_label_of(const struct quality *q, uint32_t node, bool brief, char *dst, size_t size)
{
	const struct quality_line *l = &q->line[node];
	struct text_builder words = text_builder_in(dst, size);
	char n[UNITS_MAX];

	if (l->level == QUALITY_PART && l->part < QUALITY_PARTS)
		quality_put_part(l, &words);
	else if (l->level == QUALITY_MODULE)
		quality_put_module(q, l->module, &words);
	else if (l->level == QUALITY_FILE || l->level == QUALITY_LEFT)
		text_builder_put(&words, "%s", q->unread.text[l->reason]);
	else if (l->level == QUALITY_PLUGIN)
		quality_put_plugin(q->plugins, l->reason, &words);
	else if (l->level == QUALITY_REST)
		text_builder_put(&words, "%s more", units_thousands(n, l->module));
	else if (l->part == QUALITY_RULES && l->level == QUALITY_REASON && l->reason == WAYS_MEMORY)
		text_builder_put(&words, "memory of rules: %s", units_bytes(n, q->rules_bytes));
	else if ((l->level == QUALITY_REASON || l->level == QUALITY_WHY) && !brief)
		text_builder_put(&words, "%s: %s", reason_of(l)->name, reason_of(l)->text);
	else if (l->level == QUALITY_REASON || l->level == QUALITY_WHY)
		text_builder_put(&words, "%s", reason_of(l)->name);
	return dst;
}

char *quality_label(const struct quality *q, uint32_t node, char *dst, size_t size)
{
	return quality_label_of(q, node, false, dst, size);
}

char *quality_brief(const struct quality *q, uint32_t node, char *dst, size_t size)
{
	return quality_label_of(q, node, true, dst, size);
}
