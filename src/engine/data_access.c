/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * data_access.c - two queues: samples whose instruction is being decoded keep their registers;
 * accesses with an address wait for the node of their page, under a number that goes with the
 * question.
 */
#include "config.h"

#include "engine/data_access.h"

#include "base/vec.h"
#include "unwind/unwind.h"

#include <stdlib.h>
#include <string.h>

#define UNDECODED_MAX 2048u              /* samples; at 99 Hz more than a second of twenty busy CPUs */
#define ASKED_MAX 32768u                 /* addresses */
#define FILES_MAX 4096u                  /* of data that get a name of their own */

/* A sample that waits for the rule of its place. */
struct undecoded {
	struct raw_sample sample;        /* registers only */
	struct event ev;
	struct frame place;
	pid_t pid;
};

/* An event that waits for the node of its page. */
struct asked {
	struct event ev;
	uint32_t next_free;
	bool used;
};

struct data_access {
	struct data_access_config config;
	struct numa_figures figures;
	VEC(struct undecoded) undecoded;
	VEC(struct asked) asked;
	uint32_t free;                   /* first free one of ASKED, UINT32_MAX = none */
	uint32_t nr_asked;
	uint32_t nr_files;
};

int data_access_new(const struct data_access_config *c, struct data_access **ret, struct err *e)
{
	struct data_access *t = calloc(1, sizeof(*t));

	if (!t)
		return err_nomem(e, "the engine");
	t->config = *c;
	t->free = UINT32_MAX;
	*ret = t;
	return 0;
}

void data_access_free(struct data_access *t)
{
	if (!t)
		return;
	vec_free(&t->undecoded);
	vec_free(&t->asked);
	free(t);
}

static void data_access_miss(struct data_access *t, const struct event *ev, enum access_miss why)
{
	if (ev->kind == EVENT_ACCESS)
		t->figures.miss[why]++;
	else
		t->figures.fault_misses++;
}

/* ---- where is the page? ---- */

static bool data_access_take_number(struct data_access *t, uint32_t *ret)
{
	if (t->free != UINT32_MAX) {
		*ret = t->free;
		t->free = t->asked.v[*ret].next_free;
		return true;
	}
	if (t->asked.n >= ASKED_MAX || !vec_reserve(&t->asked, 1))
		return false;
	*ret = (uint32_t)t->asked.n++;
	return true;
}

static void give_number(struct data_access *t, uint32_t number)
{
	t->asked.v[number].used = false;
	t->asked.v[number].next_free = t->free;
	t->free = number;
	t->nr_asked--;
}

/* EV gets no answer. An access is nothing without it; a fault is one all the same. */
static void go_without(struct data_access *t, const struct event *ev)
{
	data_access_miss(t, ev, MISS_BACKLOG);
	if (ev->kind == EVENT_FAULT)
		event_sink_add(t->config.sink, ev);
}

static void data_access_ask(struct data_access *t, pid_t pid, uint64_t addr, uint64_t sp, const struct event *ev)
{
	uint32_t number;

	if (!data_access_take_number(t, &number)) {
		go_without(t, ev);
		return;
	}
	t->asked.v[number] = (struct asked){ .ev = *ev, .used = true };
	t->nr_asked++;
	if (placement_ask(t->config.placement, pid, addr, sp, number))
		return;
	give_number(t, number);
	go_without(t, ev);
}

/*
 * An executable is known already, as the module of its code, which has a build-id and maybe the
 * name by which it runs. ID, the module of its data, gets that name, too.
 */
static void run_as_its_code(struct dict *d, module_id id)
{
	const struct module *m = dict_get_module(d, id);

	for (module_id other = 0; other < id && m->ino; other++) {
		const struct module *code = dict_get_module(d, other);

		if (code->dev == m->dev && code->ino == m->ino && module_shown_path(code) != code->path)
			dict_module_run_as(d, id, module_shown_path(code));
	}
}

/* The file that lies behind a mapping, as far as there is room for names: a target may map millions. */
static module_id data_access_file_of(struct data_access *t, const struct page_answer *a)
{
	struct module m = { .kind = MODULE_FILE, .dev = a->dev, .ino = a->ino };
	const uint32_t before = dict_modules(t->config.dict);
	module_id id;

	if (!a->path || t->nr_files >= FILES_MAX)
		return ID_NONE;
	m.path = strtab_adds(dict_strings(t->config.dict), a->path);
	if (m.path == STR_NONE)
		return ID_NONE;
	id = dict_module(t->config.dict, &m);
	if (id != ID_NONE && id >= before)
		run_as_its_code(t->config.dict, id);
	t->nr_files += dict_modules(t->config.dict) - before;
	return id;
}

static void count_access(struct data_access *t, const struct event *ev)
{
	if (ev->place.node == NODE_UNKNOWN)
		t->figures.miss[MISS_PAGE]++;
	else if (topology_is_far(ev->node, ev->place.node))
		t->figures.far++;
	else
		t->figures.near++;
}

static void data_access_answered(void *ctx, const struct page_answer *a)
{
	struct data_access *t = ctx;
	struct event ev;

	if (a->tag >= t->asked.n || !t->asked.v[a->tag].used)
		return;
	ev = t->asked.v[a->tag].ev;
	give_number(t, (uint32_t)a->tag);
	ev.place.node = a->node;
	ev.place.mapping = a->mapping;
	ev.place.file = data_access_file_of(t, a);
	t->figures.pages++;
	if (ev.kind == EVENT_ACCESS)
		count_access(t, &ev);
	else if (a->node == NODE_UNKNOWN)
		t->figures.fault_misses++;
	event_sink_add(t->config.sink, &ev);
}

/* ---- which address? ---- */

/* Where it landed: the innermost frame, which is exact when user code was interrupted. */
static bool data_access_place_of(const struct data_access *t, const struct event *ev, struct frame *ret)
{
	const struct stack *s = dict_get_stack(t->config.dict, ev->stack);
	const struct frame *f = s ? dict_get_frame(t->config.dict, s->frame) : NULL;

	if (!f)
		return false;
	*ret = *f;
	return true;
}

static void data_access_apply(struct data_access *t, const struct access_rule *rule,
			      const struct raw_sample *s, pid_t pid, const struct event *ev)
{
	struct event access = *ev;
	enum access_miss why;
	uint64_t addr;

	if (!access_address(rule, s, &addr, &why)) {
		data_access_miss(t, ev, why);
		return;
	}
	access.place.how = rule->how;
	data_access_ask(t, pid, addr, machine_sp(s->user.machine, s->user.nr_regs, s->user.regs), &access);
}

/* Keeps what is needed once the rule of PLACE is known. */
static void data_access_keep(struct data_access *t, const struct raw_event *raw, const struct event *ev,
			     const struct frame *place)
{
	struct undecoded *u = t->undecoded.n < UNDECODED_MAX ? vec_push(&t->undecoded) : NULL;

	if (!u) {
		data_access_miss(t, ev, MISS_BACKLOG);
		return;
	}
	*u = (struct undecoded){ .ev = *ev, .place = *place, .pid = raw->pid };
	u->sample.user.machine = raw->sample.user.machine;
	u->sample.user.nr_regs = raw->sample.user.nr_regs;
	memcpy(u->sample.user.regs, raw->sample.user.regs, sizeof(u->sample.user.regs));
}

/* What completeness of stacks is judged by are the samples themselves. */
static struct event data_access_event_of(const struct event *ev, enum event_kind kind)
{
	struct event r = *ev;

	r.kind = (uint8_t)kind;
	r.flags = 0;
	r.count = 1;
	r.place = (struct event_place){ .node = NODE_UNKNOWN, .file = ID_NONE };
	return r;
}

void data_access_sample(struct data_access *t, const struct raw_event *raw, const struct event *ev)
{
	const struct event access = data_access_event_of(ev, EVENT_ACCESS);
	struct access_rule rule;
	struct frame place;

	t->figures.samples++;
	if (raw->sample.in_kernel || raw->sample.user.kthread)
		data_access_miss(t, &access, MISS_KERNEL);
	else if (!raw->sample.user.nr_regs)
		data_access_miss(t, &access, MISS_NO_REGS);
	else if (!t->config.code || !data_access_place_of(t, ev, &place))
		data_access_miss(t, &access, MISS_NO_CODE);
	else if (code_rule(t->config.code, &place, &rule))
		data_access_apply(t, &rule, &raw->sample, raw->pid, &access);
	else
		data_access_keep(t, raw, &access, &place);
}

void data_access_fault(struct data_access *t, const struct raw_event *raw, const struct event *ev)
{
	const struct event fault = data_access_event_of(ev, EVENT_FAULT);
	const struct raw_sample *s = &raw->sample;

	t->figures.faults++;
	data_access_ask(t, raw->pid, s->addr, machine_sp(s->user.machine, s->user.nr_regs, s->user.regs), &fault);
}

/*
 * Tries again those whose rule was not known. None waits for ever: code.c answers for a file in
 * which its reader hangs, too.
 */
static void data_access_retry(struct data_access *t)
{
	size_t left = 0;

	for (size_t i = 0; i < t->undecoded.n; i++) {
		const struct undecoded *u = &t->undecoded.v[i];
		struct access_rule rule;

		if (code_rule(t->config.code, &u->place, &rule))
			data_access_apply(t, &rule, &u->sample, u->pid, &u->ev);
		else
			t->undecoded.v[left++] = *u;
	}
	t->undecoded.n = left;
}

bool data_access_poll(struct data_access *t)
{
	if (t->config.code && code_poll(t->config.code) && t->undecoded.n)
		data_access_retry(t);
	placement_poll(t->config.placement, data_access_answered, t);
	return t->undecoded.n || t->nr_asked;
}

void data_access_give_up(struct data_access *t)
{
	for (size_t i = 0; i < t->undecoded.n; i++)
		data_access_miss(t, &t->undecoded.v[i].ev, MISS_BACKLOG);
	t->undecoded.n = 0;
	for (uint32_t i = 0; i < t->asked.n; i++) {
		const struct event ev = t->asked.v[i].ev;

		if (!t->asked.v[i].used)
			continue;
		give_number(t, i);
		go_without(t, &ev);
	}
}

void data_access_figures(const struct data_access *t, struct numa_figures *ret)
{
	const uint64_t moves = ret->moves, kernel_moves = ret->kernel_moves;

	*ret = t->figures;
	ret->moves = moves;
	ret->kernel_moves = kernel_moves;
}
