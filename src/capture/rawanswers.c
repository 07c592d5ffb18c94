/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rawanswers.c - records of what a source is asked between readings, and of probes. Each is a
 * struct of fixed-width fields; lists follow behind it.
 */
#include "config.h"

#include "capture/rawfile_private.h"

#include "model/event.h"
#include "model/probes.h"

#include <errno.h>
#include <string.h>

/* An answer that is a moment: REC_STOP, REC_TOTALS, REC_SUMS_TURN, REC_LOOK, REC_HOMES. */
struct moment_record {
	struct record_head head;
	uint64_t ns;
};

struct probe_record {
	struct record_head head;
	uint32_t number, unit;
	/* text and its end, padded */
};

#define TOTAL_LAST 1u            /* record_head.flags */

struct total_record {
	struct record_head head;
	uint32_t pid, tid;
	uint64_t start_ns;
	uint32_t kind, call;
	uint64_t running_ns, count, blocked_ns, runnable_ns, long_count, long_blocked_ns, long_runnable_ns;
	uint64_t short_count, short_ns, moves, kernel_moves;
};

struct sum_record {
	struct record_head head;
	uint32_t pid, tid;
	uint64_t start_ns, id, last_ns, longest_ns, longest_blocked_ns, longest_runnable_ns;
	uint32_t cpu, node, call, state;
	uint32_t n, pad;
	struct {
		uint64_t blocked_ns, runnable_ns, count;
	} part[SOURCE_SUM_PARTS];
};

#define OPEN_SEEDED 1u
#define OPEN_HAS_STACK 2u
#define OPEN_THROTTLED 4u

struct open_record {
	struct record_head head;
	uint32_t pid, tid;
	uint64_t start_ns, cgroup_id, exe_id, id, since_ns, woken_ns;
	uint32_t call, state, cpu, node, machine, nr_regs, nr_kernel, pad;
	char comm[16];
	/* registers, kernel addresses */
};

struct asked_record {
	struct record_head head;
	uint64_t start_ns, id;
	uint32_t tid, pad;
};

struct home_record {
	struct record_head head;
	uint32_t pid, tid;
	uint64_t start_ns;
	int32_t home;
	uint32_t node, policy, pad;
	uint64_t nodes[SOURCE_POLICY_NODES / 64];
};

static struct record_head rawanswers_head(size_t size, uint16_t type, unsigned int flags)
{
	return (struct record_head){ .size = (uint32_t)size, .type = type, .flags = (uint16_t)flags };
}

static int rawanswers_put_moment(FILE *f, uint16_t type, uint64_t ns)
{
	const struct moment_record r = { .head = rawanswers_head(sizeof(r), type, 0), .ns = ns };

	return rawfile_put_bytes(f, &r, sizeof(r));
}

static int rawanswers_put_probe(FILE *f, const struct rawfile_probe *p)
{
	const size_t len = strnlen(p->text, PROBES_TEXT_MAX - 1), padded = (len + 8) & ~(size_t)7;
	const struct probe_record r = { .head = rawanswers_head(sizeof(r) + padded, REC_PROBE, 0),
					.number = p->number, .unit = p->unit };
	char text[PROBES_TEXT_MAX + 8] = "";
	const int error = rawfile_put_bytes(f, &r, sizeof(r));

	memcpy(text, p->text, len);
	return error ? error : rawfile_put_bytes(f, text, padded);
}

static int rawanswers_put_total(FILE *f, const struct source_total *t)
{
	const struct total_record r = {
		.head = rawanswers_head(sizeof(r), REC_TOTAL, t->last ? TOTAL_LAST : 0),
		.pid = (uint32_t)t->pid, .tid = (uint32_t)t->tid, .start_ns = t->start_ns, .kind = t->kind,
		.call = t->call, .running_ns = t->running_ns, .count = t->count, .blocked_ns = t->blocked_ns,
		.runnable_ns = t->runnable_ns, .long_count = t->long_count, .long_blocked_ns = t->long_blocked_ns,
		.long_runnable_ns = t->long_runnable_ns, .short_count = t->short_count, .short_ns = t->short_ns,
		.moves = t->moves, .kernel_moves = t->kernel_moves,
	};

	return rawfile_put_bytes(f, &r, sizeof(r));
}

static int rawanswers_put_sum(FILE *f, const struct source_sum *s)
{
	struct sum_record r = {
		.head = rawanswers_head(sizeof(r), REC_SUM, 0),
		.pid = (uint32_t)s->pid, .tid = (uint32_t)s->tid, .start_ns = s->start_ns, .id = s->id,
		.last_ns = s->last_ns, .longest_ns = s->longest_ns, .longest_blocked_ns = s->longest_blocked_ns,
		.longest_runnable_ns = s->longest_runnable_ns, .cpu = s->cpu, .node = s->node, .call = s->call,
		.state = s->state, .n = s->n < SOURCE_SUM_PARTS ? s->n : SOURCE_SUM_PARTS,
	};

	for (uint32_t i = 0; i < r.n; i++) {
		r.part[i].blocked_ns = s->part[i].blocked_ns;
		r.part[i].runnable_ns = s->part[i].runnable_ns;
		r.part[i].count = s->part[i].count;
	}
	return rawfile_put_bytes(f, &r, sizeof(r));
}

static int rawanswers_put_open(FILE *f, const struct source_open *w, void *buf)
{
	const uint32_t nr_regs = w->nr_regs < RAW_REGS_MAX ? w->nr_regs : RAW_REGS_MAX;
	const size_t lists = 8 * ((size_t)nr_regs + w->nr_kernel);
	struct open_record *r = buf;

	if (sizeof(*r) + lists > RAWFILE_RECORD_MAX)
		return -EMSGSIZE;
	*r = (struct open_record){
		.head = rawanswers_head(sizeof(*r) + lists, REC_OPEN,
					(w->seeded ? OPEN_SEEDED : 0) | (w->has_stack ? OPEN_HAS_STACK : 0) |
					(w->throttled ? OPEN_THROTTLED : 0)),
		.pid = (uint32_t)w->pid, .tid = (uint32_t)w->tid, .start_ns = w->start_ns, .cgroup_id = w->cgroup_id,
		.exe_id = w->exe_id, .id = w->id, .since_ns = w->since_ns, .woken_ns = w->woken_ns, .call = w->call,
		.state = w->state, .cpu = w->cpu, .node = w->node, .machine = w->machine, .nr_regs = nr_regs,
		.nr_kernel = w->nr_kernel,
	};
	memcpy(r->comm, w->comm, sizeof(r->comm));
	memcpy(r + 1, w->regs, 8 * (size_t)nr_regs);
	if (w->nr_kernel)
		memcpy((uint64_t *)(r + 1) + nr_regs, w->kernel, 8 * (size_t)w->nr_kernel);
	return rawfile_put_bytes(f, r, r->head.size);
}

static int rawanswers_put_asked(FILE *f, const struct rawfile_asked *a)
{
	const struct asked_record r = { .head = rawanswers_head(sizeof(r), REC_COMES, 0), .start_ns = a->start_ns,
					.id = a->id, .tid = (uint32_t)a->tid };

	return rawfile_put_bytes(f, &r, sizeof(r));
}

static int rawanswers_put_home(FILE *f, const struct source_home *h)
{
	struct home_record r = { .head = rawanswers_head(sizeof(r), REC_HOME, 0), .pid = (uint32_t)h->pid,
				 .tid = (uint32_t)h->tid, .start_ns = h->start_ns, .home = h->home, .node = h->node,
				 .policy = h->policy };

	memcpy(r.nodes, h->nodes, sizeof(r.nodes));
	return rawfile_put_bytes(f, &r, sizeof(r));
}

int rawanswers_put(FILE *f, const struct rawfile_item *item, void *buf)
{
	switch (item->what) {
	case RAWFILE_STOP:
		return rawanswers_put_moment(f, REC_STOP, item->ns);
	case RAWFILE_TOTALS:
		return rawanswers_put_moment(f, REC_TOTALS, item->ns);
	case RAWFILE_SUMS_TURN:
		return rawanswers_put_moment(f, REC_SUMS_TURN, item->ns);
	case RAWFILE_LOOK:
		return rawanswers_put_moment(f, REC_LOOK, item->ns);
	case RAWFILE_HOMES:
		return rawanswers_put_moment(f, REC_HOMES, 0);
	case RAWFILE_PROBE:
		return rawanswers_put_probe(f, &item->probe);
	case RAWFILE_TOTAL:
		return rawanswers_put_total(f, &item->total);
	case RAWFILE_SUM:
		return rawanswers_put_sum(f, &item->sum);
	case RAWFILE_OPEN:
		return rawanswers_put_open(f, &item->open, buf);
	case RAWFILE_COMES:
		return rawanswers_put_asked(f, &item->asked);
	case RAWFILE_HOME:
		return rawanswers_put_home(f, &item->home);
	default:
		return 0;
	}
}

/* ---- reading ---- */

static bool rawanswers_read_moment(const struct record_head *h, enum rawfile_what what, struct rawfile_item *item)
{
	const struct moment_record *r = (const void *)h;

	if (h->size < sizeof(*r))
		return false;
	item->what = what;
	item->ns = r->ns;
	return true;
}

static bool rawanswers_read_probe(const struct record_head *h, struct rawfile_item *item)
{
	const struct probe_record *r = (const void *)h;
	const char *text = (const char *)(r + 1);

	if (h->size <= sizeof(*r) || !memchr(text, '\0', h->size - sizeof(*r)) ||
	    !(r->unit == UNIT_COUNT || r->unit == UNIT_TIME || r->unit == UNIT_BYTES))
		return false;
	item->what = RAWFILE_PROBE;
	item->probe = (struct rawfile_probe){ .number = r->number, .unit = r->unit, .text = text };
	return true;
}

static bool rawanswers_read_total(const struct record_head *h, struct rawfile_item *item)
{
	const struct total_record *r = (const void *)h;

	if (h->size < sizeof(*r) || !(r->kind == EVENT_SAMPLE || r->kind == EVENT_BLOCKED))
		return false;
	item->what = RAWFILE_TOTAL;
	item->total = (struct source_total){
		.pid = (pid_t)r->pid, .tid = (pid_t)r->tid, .start_ns = r->start_ns, .kind = (uint8_t)r->kind,
		.call = r->call, .last = h->flags & TOTAL_LAST, .running_ns = r->running_ns, .count = r->count,
		.blocked_ns = r->blocked_ns, .runnable_ns = r->runnable_ns, .long_count = r->long_count,
		.long_blocked_ns = r->long_blocked_ns, .long_runnable_ns = r->long_runnable_ns,
		.short_count = r->short_count, .short_ns = r->short_ns, .moves = r->moves,
		.kernel_moves = r->kernel_moves,
	};
	return true;
}

static bool rawanswers_read_sum(const struct record_head *h, struct rawfile_item *item)
{
	const struct sum_record *r = (const void *)h;

	if (h->size < sizeof(*r) || r->n > SOURCE_SUM_PARTS || r->state > UINT8_MAX)
		return false;
	item->what = RAWFILE_SUM;
	item->sum = (struct source_sum){
		.pid = (pid_t)r->pid, .tid = (pid_t)r->tid, .start_ns = r->start_ns, .id = r->id,
		.last_ns = r->last_ns, .longest_ns = r->longest_ns, .longest_blocked_ns = r->longest_blocked_ns,
		.longest_runnable_ns = r->longest_runnable_ns, .cpu = r->cpu, .node = r->node, .call = r->call,
		.state = (uint8_t)r->state, .n = r->n,
	};
	for (uint32_t i = 0; i < r->n; i++) {
		if (r->part[i].count > UINT32_MAX)
			return false;
		item->sum.part[i] = (struct source_sum_part){ r->part[i].blocked_ns, r->part[i].runnable_ns,
							      (uint32_t)r->part[i].count };
	}
	return true;
}

static bool rawanswers_read_open(const struct record_head *h, struct rawfile_item *item)
{
	const struct open_record *r = (const void *)h;
	const uint64_t *lists = (const uint64_t *)(r + 1);
	struct source_open *w = &item->open;

	if (h->size < sizeof(*r) || r->nr_regs > RAW_REGS_MAX || r->state > UINT8_MAX ||
	    r->nr_regs + (uint64_t)r->nr_kernel > (h->size - sizeof(*r)) / 8)
		return false;
	item->what = RAWFILE_OPEN;
	*w = (struct source_open){
		.pid = (pid_t)r->pid, .tid = (pid_t)r->tid, .start_ns = r->start_ns, .cgroup_id = r->cgroup_id,
		.exe_id = r->exe_id, .id = r->id, .since_ns = r->since_ns, .woken_ns = r->woken_ns, .call = r->call,
		.state = (uint8_t)r->state, .seeded = h->flags & OPEN_SEEDED,
		.has_stack = h->flags & OPEN_HAS_STACK, .throttled = h->flags & OPEN_THROTTLED,
		.cpu = r->cpu, .node = r->node, .machine = r->machine, .nr_regs = r->nr_regs,
		.nr_kernel = r->nr_kernel, .kernel = r->nr_kernel ? lists + r->nr_regs : NULL,
	};
	memcpy(w->comm, r->comm, sizeof(r->comm));
	memcpy(w->regs, lists, 8 * (size_t)r->nr_regs);
	return true;
}

static bool rawanswers_read_asked(const struct record_head *h, struct rawfile_item *item)
{
	const struct asked_record *r = (const void *)h;

	if (h->size < sizeof(*r))
		return false;
	item->what = RAWFILE_COMES;
	item->asked = (struct rawfile_asked){ .tid = (pid_t)r->tid, .start_ns = r->start_ns, .id = r->id };
	return true;
}

static bool rawanswers_read_home(const struct record_head *h, struct rawfile_item *item)
{
	const struct home_record *r = (const void *)h;

	if (h->size < sizeof(*r) || r->policy > UINT16_MAX)
		return false;
	item->what = RAWFILE_HOME;
	item->home = (struct source_home){ .pid = (pid_t)r->pid, .tid = (pid_t)r->tid, .start_ns = r->start_ns,
					   .home = r->home, .node = r->node, .policy = (uint16_t)r->policy };
	memcpy(item->home.nodes, r->nodes, sizeof(item->home.nodes));
	return true;
}

bool rawanswers_read(const struct record_head *h, struct rawfile_item *item)
{
	switch (h->type) {
	case REC_STOP:
		return rawanswers_read_moment(h, RAWFILE_STOP, item);
	case REC_TOTALS:
		return rawanswers_read_moment(h, RAWFILE_TOTALS, item);
	case REC_SUMS_TURN:
		return rawanswers_read_moment(h, RAWFILE_SUMS_TURN, item);
	case REC_LOOK:
		return rawanswers_read_moment(h, RAWFILE_LOOK, item);
	case REC_HOMES:
		return rawanswers_read_moment(h, RAWFILE_HOMES, item);
	case REC_PROBE:
		return rawanswers_read_probe(h, item);
	case REC_TOTAL:
		return rawanswers_read_total(h, item);
	case REC_SUM:
		return rawanswers_read_sum(h, item);
	case REC_OPEN:
		return rawanswers_read_open(h, item);
	case REC_COMES:
		return rawanswers_read_asked(h, item);
	case REC_HOME:
		return rawanswers_read_home(h, item);
	default:
		return true;
	}
}
