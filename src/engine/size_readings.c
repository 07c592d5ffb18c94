/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * size_readings.c - the processes of the target by their numbers, each with when it was read, and when its mappings
 * were.
 */
#include "config.h"

#include "engine/size_readings.h"

#include "base/clock.h"
#include "base/order.h"
#include "base/sorted.h"
#include "base/vec.h"
#include "engine/task_thread.h"
#include "numa/mapping_reader.h"
#include "system/procfs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_NS NSEC_PER_SEC
#define YOUNG_NS (NSEC_PER_SEC / 20)     /* in its first second a process is read so often */
#define YOUNG_AT_ONCE 16u                /* processes, each time: 0.5 ms */
#define READ_AT_ONCE 64u                 /* processes: 2 ms; of more, each is read less often */
#define PROCESSES_MAX 1024u              /* further ones are not read; they are those that came last */
#define MAPPINGS_NS (5 * NSEC_PER_SEC)
#define MAPPINGS_COST 100u               /* of the time, at most one part is spent on reading mappings ... */
#define FINISH_NS (100 * NSEC_PER_MSEC)  /* in the end mappings are waited for as long as that */
#define FINISH_LOOK_US 200u              /* between looks whether they are there */
#define FRESH_NS (20 * NSEC_PER_MSEC)    /* what was read so lately is not read once more then */
#define MAPPINGS_BYTES (4ull << 30)      /* ... and none of a process with more than that: its lock is held for long */

struct sized {
	pid_t pid;
	uint64_t mapped_ns;              /* when its mappings are due to be read */
	uint64_t resident;               /* lately */
	unsigned int young;              /* how often it is read beside the others, as it came lately */
};

struct sizes {
	struct processes *ps;
	struct dict *dict;
	struct event_sink *sink;
	struct mapping_reader *reader;   /* NULL = there is none: mappings are not told */
	bool asking;                     /* and has not answered yet */
	uint64_t due_ns, mappings_due_ns, young_due_ns;
	VEC(struct sized) all;           /* by pid */
	size_t next;                     /* who is read next */
};

struct sizes *sizes_new(struct processes *ps, struct dict *dict, struct event_sink *sink)
{
	struct sizes *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->ps = ps;
	s->dict = dict;
	s->sink = sink;
	s->reader = mapping_reader_new();
	return s;
}

void sizes_free(struct sizes *s)
{
	if (!s)
		return;
	mapping_reader_free(s->reader);
	vec_free(&s->all);
	free(s);
}

static struct sized *sizes_of(struct sizes *s, pid_t pid)
{
	const size_t at = count_below(s->all.v, s->all.n, pid, pid);

	return at < s->all.n && s->all.v[at].pid == pid ? &s->all.v[at] : NULL;
}

void sizes_add(struct sizes *s, pid_t pid)
{
	const size_t at = count_below(s->all.v, s->all.n, pid, pid);

	if ((at < s->all.n && s->all.v[at].pid == pid) || s->all.n >= PROCESSES_MAX || !vec_reserve(&s->all, 1))
		return;
	memmove(&s->all.v[at + 1], &s->all.v[at], (s->all.n++ - at) * sizeof(s->all.v[0]));
	s->all.v[at] = (struct sized){ .pid = pid, .young = READ_NS / YOUNG_NS };
}

void sizes_process(struct sizes *s, const struct raw_event *raw)
{
	struct sized *p = raw->kind == RAW_EXIT && raw->pid == raw->tid ? sizes_of(s, raw->pid) : NULL;

	if (p)
		memmove(p, p + 1, (size_t)(s->all.v + s->all.n-- - p - 1) * sizeof(*p));
}

/* Tells of what is known of SIZES, from FIRST on, of the process PID at NOW_NS. */
static void sizes_tell(struct sizes *s, pid_t pid, uint64_t now_ns, const struct memory_sizes *sizes)
{
	const struct reconcile_task leader = { .pid = pid, .tid = pid };
	struct event ev = {
		.kind = EVENT_SIZE, .time_ns = now_ns, .count = 1, .thread = task_thread(s->ps, s->dict, &leader),
		.stack = STACK_ROOT, .cut_module = ID_NONE, .wait = { .waker = ID_NONE },
		.place = { .file = ID_NONE },
	};

	for (unsigned int i = 0; ev.thread != ID_NONE && i < SIZE_NR; i++)
		if (sizes->known >> i & 1) {
			ev.weight = sizes->bytes[i];
			ev.argument = i;
			event_sink_add(s->sink, &ev);
		}
}

static void sizes_read(struct sizes *s, struct sized *p, uint64_t now_ns)
{
	const int dir = proc_open(p->pid);
	struct memory_sizes sizes;

	if (dir < 0)
		return;
	if (memory_sizes_read(dir, &sizes)) {
		p->resident = memory_resident(&sizes);
		sizes_tell(s, p->pid, now_ns, &sizes);
	}
	close(dir);
}

/* Reads those that came lately, since many end within a second. */
static void sizes_read_young(struct sizes *s, uint64_t now_ns)
{
	unsigned int left = YOUNG_AT_ONCE;

	for (size_t i = 0; i < s->all.n && left; i++) {
		struct sized *p = &s->all.v[i];

		if (!p->young)
			continue;
		sizes_read(s, p, now_ns);
		p->young--;
		left--;
	}
}

/* The one whose mappings are due for longest; NULL. */
static struct sized *sizes_most_due(struct sizes *s, uint64_t now_ns)
{
	struct sized *most = NULL;

	for (size_t i = 0; i < s->all.n; i++) {
		struct sized *p = &s->all.v[i];

		if (p->mapped_ns <= now_ns && p->resident && p->resident <= MAPPINGS_BYTES &&
		    (!most || p->mapped_ns < most->mapped_ns))
			most = p;
	}
	return most;
}

static void sizes_take_mappings(struct sizes *s, uint64_t now_ns)
{
	struct mapping_answer a;

	if (!mapping_reader_poll(s->reader, &a))
		return;
	s->asking = false;
	s->mappings_due_ns = now_ns + a.took_ns * MAPPINGS_COST;
	if (a.ok)
		sizes_tell(s, a.pid, now_ns, &a.sizes);
}

/* Asks for those of one process, if one is due. */
static bool sizes_ask_mappings(struct sizes *s, uint64_t now_ns)
{
	struct sized *p = now_ns >= s->mappings_due_ns ? sizes_most_due(s, now_ns) : NULL;

	if (!p || !mapping_reader_ask(s->reader, p->pid))
		return false;
	p->mapped_ns = now_ns + MAPPINGS_NS;
	s->asking = true;
	return true;
}

void sizes_turn(struct sizes *s, uint64_t now_ns)
{
	if (now_ns >= s->due_ns) {
		s->due_ns = now_ns + READ_NS;
		for (size_t i = 0; i < s->all.n && i < READ_AT_ONCE; i++) {
			s->next = s->next < s->all.n ? s->next : 0;
			sizes_read(s, &s->all.v[s->next++], now_ns);
		}
	}
	if (now_ns >= s->young_due_ns) {
		s->young_due_ns = now_ns + YOUNG_NS;
		sizes_read_young(s, now_ns);
	}
	if (!s->reader)
		return;
	sizes_take_mappings(s, now_ns);
	sizes_ask_mappings(s, now_ns);
}

/* Reads the mappings of all once more, those whose reading is oldest first, as long as there is time for that. */
static void sizes_finish_mappings(struct sizes *s, uint64_t now_ns)
{
	const uint64_t until = clock_mono_ns() + FINISH_NS;

	for (size_t i = 0; i < s->all.n; i++)
		if (s->all.v[i].mapped_ns < now_ns + MAPPINGS_NS - FRESH_NS)
			s->all.v[i].mapped_ns = 0;
	for (; clock_mono_ns() < until; usleep(FINISH_LOOK_US)) {
		sizes_take_mappings(s, now_ns);
		s->mappings_due_ns = 0;
		if (!s->asking && !sizes_ask_mappings(s, now_ns))
			break;
	}
}

void sizes_finish(struct sizes *s, uint64_t now_ns)
{
	for (size_t i = 0; i < s->all.n; i++)
		sizes_read(s, &s->all.v[i], now_ns);
	if (s->reader)
		sizes_finish_mappings(s, now_ns);
}
