/* SPDX-License-Identifier: BSD-2-Clause */
/* title.c - see title.h. */
#include "config.h"

#include "ui/title.h"

#include "base/text.h"
#include "base/units.h"
#include "ui/words.h"

#include <string.h>

unsigned int title_kinds(const struct query *q)
{
	const uint32_t events = q->kinds ? q->kinds : KINDS_WALL;
	unsigned int kinds = 0;

	if ((events & 1u << EVENT_SAMPLE) && !q->states && !q->nr_calls)
		kinds |= 1u << TIME_RUNNING;
	if (events & 1u << EVENT_RUNNABLE)
		kinds |= 1u << TIME_RUNNABLE;
	if (events & 1u << EVENT_BLOCKED)
		kinds |= 1u << TIME_BLOCKED;
	return kinds;
}

const char *title_kinds_text(unsigned int kinds)
{
	static const char *const texts[1u << TIME_NR] = {
		[0] = "on-CPU",
		[1u << TIME_RUNNING] = "on-CPU",
		[1u << TIME_RUNNABLE] = "runnable",
		[1u << TIME_BLOCKED] = "blocked",
		[1u << TIME_RUNNING | 1u << TIME_RUNNABLE] = "on-CPU and runnable",
		[1u << TIME_RUNNING | 1u << TIME_BLOCKED] = "on-CPU and blocked",
		[1u << TIME_RUNNABLE | 1u << TIME_BLOCKED] = "off-CPU",
		[1u << TIME_RUNNING | 1u << TIME_RUNNABLE | 1u << TIME_BLOCKED] = "all time",
	};

	return texts[kinds & ((1u << TIME_NR) - 1)];
}

static void put_states(struct words *w, uint32_t states)
{
	const char *before = WORDS_DOT "state ";

	for (unsigned int s = 0; s < 32; s++) {
		if (states & 1u << s) {
			words_put(w, "%s%s", before, wait_state_name(s));
			before = ",";
		}
	}
}

static void put_calls(struct words *w, const struct query *q)
{
	char name[CALL_NAME_MAX];

	for (uint32_t i = 0; i < q->nr_calls && i < QUERY_CALLS_MAX; i++)
		words_put(w, "%s%s", i ? "," : WORDS_DOT "in ", call_name(q->calls[i], q->arch, name));
}

static void put_filters(struct words *w, const struct query *q, const struct ui_options *o)
{
	char text[3 * QUERY_THREAD_MAX + 1], least[UNITS_MAX];

	put_states(w, q->states);
	put_calls(w, q);
	if (q->thread[0]) {
		text_sanitise(text, sizeof(text), q->thread, strnlen(q->thread, sizeof(q->thread)));
		words_put(w, WORDS_DOT "thread %s", text);
	}
	if (o->min_block_ns)
		words_put(w, WORDS_DOT "waits from %s", units_time(least, o->min_block_ns));
}

char *title_tree(const struct query *q, unsigned int kinds, const struct ui_options *o, char *dst, size_t size)
{
	static const char *const groups[] = { "all together", "by process", "by executable", "by command name", "by thread",
					      "by cgroup" };
	struct words w = words_in(dst, size);

	words_put(&w, "%s" WORDS_DOT "%s%s%s", title_kinds_text(kinds), groups[q->group_by],
		  q->inverted ? WORDS_DOT "inverted" : "", q->hide_kernel ? WORDS_DOT "no kernel" : "");
	put_filters(&w, q, o);
	return dst;
}

char *title_waits(const struct query *q, uint64_t idle_ns, const struct ui_options *o, char *dst, size_t size)
{
	const uint32_t kinds = q->kinds & KINDS_OFF_CPU;
	struct words w = words_in(dst, size);
	char idle[UNITS_MAX];

	words_put(&w, "waits%s", kinds == 1u << EVENT_BLOCKED ? WORDS_DOT "blocked" :
		  kinds == 1u << EVENT_RUNNABLE ? WORDS_DOT "run queue" : "");
	if (idle_ns)
		words_put(&w, WORDS_DOT "%s%s idle%s", q->fold_idle ? "" : "with ", units_time(idle, idle_ns),
			  q->fold_idle ? " hidden" : "");
	put_filters(&w, q, o);
	return dst;
}
