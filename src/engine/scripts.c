/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scripts.c - the engine's side: which processes to look at, and frames put into stacks.
 *
 * Native frames of the interpreter and runs of its frames are matched from the root where both are known
 * up to there: then the innermost call of the interpreter may have no frame yet. Else they are matched
 * from the innermost one.
 */
#include "config.h"

#include "engine/scripts_private.h"

#include "base/clock.h"
#include "base/sorted.h"
#include "base/thread.h"
#include "bpf/wire.h"
#include "model/wait.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define READER_STACK (1u << 20)
#define GOODBYE_NS (200 * NSEC_PER_MSEC) /* how long scripts_free() waits for the thread */
#define MAPPED_NS (200 * NSEC_PER_MSEC)  /* after a file was mapped, before a process is looked at again */
#define EXPECT_NS NSEC_PER_SEC           /* how long scripts_expect() waits */
#define THREAD_TRIES 4u                  /* how often a thread is asked about that has no name yet */
#define NAME_NS (100 * NSEC_PER_MSEC)    /* how long a name is waited for */
#define FIRST_ARGUMENT 5u                /* of a system call: rdi, by its DWARF number */
#define SCRIPT_MODULE "python"           /* name of the one language that there is */
#define AT_ITS_ENDS 3u                   /* native frames up to a call of the interpreter that begins or ends */
#define RUNS_MAX (SB_PLAN_TURNS + 1)

static uint64_t script_pid_hash(pid_t pid)
{
	return hash_u64((uint64_t)(uint32_t)pid);
}

static uint64_t hash_of_process(const void *ctx, uint32_t id)
{
	const struct scripts *s = ctx;

	return script_pid_hash(s->process.v[id]->pid);
}

static uint64_t hash_of_frame(const void *ctx, uint32_t id)
{
	const struct scripts *s = ctx;

	return s->frame.v[id].key[0];
}

static void script_threads_clear(struct script_process *p)
{
	for (size_t i = 0; i < p->thread.n; i++)
		free(p->thread.v[i].name);
	vec_free(&p->thread);
}

static void frame_clear(struct script_frame *f)
{
	free(f->function);
	free(f->file);
	free(f->record);
}

void scripts_unref(struct scripts *s)
{
	int refs;

	pthread_mutex_lock(&s->lock);
	refs = --s->refs;
	pthread_mutex_unlock(&s->lock);
	if (refs)
		return;
	for (size_t i = 0; i < s->process.n; i++) {
		script_threads_clear(s->process.v[i]);
		free(s->process.v[i]);
	}
	for (size_t i = 0; i < s->frame.n; i++)
		frame_clear(&s->frame.v[i]);
	vec_free(&s->process);
	vec_free(&s->frame);
	vec_free(&s->looks);
	vec_free(&s->names);
	vec_free(&s->crowds);
	hidx_free(&s->by_pid);
	hidx_free(&s->by_key);
	free(s->merged);
	plugins_free(s->plugins);
	pthread_cond_destroy(&s->work);
	pthread_cond_destroy(&s->named);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int scripts_new(struct source *source, struct dict *dict, struct processes *ps, struct plugins *plugins,
		struct scripts **ret, struct err *e)
{
	struct scripts *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_nomem(e, "frames of scripts");
	thread_mutex_init(&s->lock);
	thread_cond_init(&s->work);
	thread_cond_init(&s->named);
	s->refs = 2;
	s->source = source;
	s->dict = dict;
	s->ps = ps;
	s->plugins = plugins_ref(plugins);
	s->module = ID_NONE;
	s->merged = malloc(sizeof(*s->merged));
	r = s->merged ? thread_start(script_reader, s, READER_STACK) : ENOMEM;
	if (r) {
		s->refs = 1;
		scripts_unref(s);
		return err_set(e, r, "cannot start the thread that reads frames of scripts: %s", strerror(r));
	}
	*ret = s;
	return 0;
}

void scripts_free(struct scripts *s)
{
	const struct timespec deadline = clock_timespec(clock_mono_ns() + GOODBYE_NS);
	int r = 0;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_broadcast(&s->work);
	while (!s->ended && !r)
		r = pthread_cond_timedwait(&s->named, &s->lock, &deadline);
	pthread_mutex_unlock(&s->lock);
	scripts_unref(s);
}

static struct script_process *scripts_find(struct scripts *s, pid_t pid, uint32_t *ret_at)
{
	uint32_t at;

	hidx_each(&s->by_pid, script_pid_hash(pid), at)
		if (s->process.v[at]->pid == pid) {
			*ret_at = at;
			return s->process.v[at];
		}
	return NULL;
}

static struct script_process *scripts_add(struct scripts *s, pid_t pid, uint32_t *ret_at)
{
	struct script_process *p = s->process.n < SCRIPT_PROCESSES_MAX ? calloc(1, sizeof(*p)) : NULL;

	if (!p || !vec_reserve(&s->process, 1)) {
		s->figures.refused++;
		free(p);
		return NULL;
	}
	p->pid = pid;
	*ret_at = (uint32_t)s->process.n;
	s->process.v[s->process.n++] = p;
	if (hidx_add(&s->by_pid, script_pid_hash(pid), *ret_at, hash_of_process, s))
		return p;
	s->process.n--;
	free(p);
	return NULL;
}

/* Has the process AT looked at, by the thread. */
static void scripts_ask(struct scripts *s, struct script_process *p, uint32_t at)
{
	uint32_t *slot = vec_push(&s->looks);

	if (!slot)
		return;
	*slot = at;
	p->state = SCRIPT_STATE_ASKED;
	pthread_cond_signal(&s->work);
}

void scripts_expect(struct scripts *s, const pid_t *pids, size_t n)
{
	const struct timespec deadline = clock_timespec(clock_mono_ns() + EXPECT_NS);
	int r = 0;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < n; i++) {
		uint32_t at;
		struct script_process *p = scripts_find(s, pids[i], &at);

		p = p ? p : scripts_add(s, pids[i], &at);
		if (p && p->state == SCRIPT_STATE_NEW)
			scripts_ask(s, p, at);
	}
	while (s->looked < s->looks.n && !r)
		r = pthread_cond_timedwait(&s->named, &s->lock, &deadline);
	pthread_mutex_unlock(&s->lock);
}

/* P is another process, or executes another program. */
static void scripts_forget(struct scripts *s, struct script_process *p)
{
	if (p->state == SCRIPT_STATE_PLANNED) {
		source_set_plan(s->source, p->pid, NULL);
		s->figures.processes--;
	}
	script_threads_clear(p);
	p->life++;
	p->state = SCRIPT_STATE_NEW;
	p->tries = 0;
	p->serial = 0;
}

void scripts_event(struct scripts *s, const struct raw_event *ev)
{
	const bool other = (ev->kind == RAW_COMM && ev->comm.exec) || (ev->kind == RAW_EXIT && ev->pid == ev->tid) ||
			   (ev->kind == RAW_FORK && ev->pid != ev->fork.ppid);
	struct script_process *p;
	uint32_t at;

	if (!other && ev->kind != RAW_MMAP)
		return;
	pthread_mutex_lock(&s->lock);
	p = scripts_find(s, ev->pid, &at);
	if (p && other) {
		scripts_forget(s, p);
	} else if (p && p->state == SCRIPT_STATE_NONE && ev->mmap.path[0] == '/') {
		/* It may be the library of an interpreter; more of them follow most often. */
		p->state = SCRIPT_STATE_LATER;
		p->later_ns = clock_mono_ns() + MAPPED_NS;
	}
	pthread_mutex_unlock(&s->lock);
}

/* The ranges of the interpreter's code as places in files. False while a file is being loaded. */
static bool scripts_place(struct scripts *s, struct script_process *p, struct process *process)
{
	const struct unwind_space space = process_space(s->ps, process);

	p->nr_ranges = 0;
	for (uint32_t i = 0; i < p->plan.nr_ranges && i < SBERF_PLAN_RANGES_MAX; i++) {
		const struct sberf_range *r = &p->plan.ranges[i];
		struct unwind_map m;

		if (!space.find(space.ctx, r->start, &m) || r->end > m.end || r->end < r->start)
			continue;
		if (m.module == ID_NONE)
			return false;
		p->range[p->nr_ranges++] = (struct script_range){ m.module, unwind_place(&m, r->start),
								  unwind_place(&m, r->end) };
	}
	return true;
}

static bool is_interpreter(const struct script_process *p, const struct frame *f)
{
	for (uint32_t i = 0; i < p->nr_ranges; i++)
		if (f->module == p->range[i].module && f->offset >= p->range[i].start && f->offset < p->range[i].end)
			return true;
	return false;
}

static uint64_t script_word(const uint8_t *record, uint32_t offset)
{
	uint64_t w;

	memcpy(&w, record + offset, sizeof(w));
	return w;
}

/* Has the thread name the frame ID, whose record is RECORD of BYTES. */
static void frame_ask(struct scripts *s, uint32_t id, const uint8_t *record, uint32_t bytes)
{
	struct script_frame *f = &s->frame.v[id];
	uint32_t *slot;

	f->record = malloc(bytes);
	slot = f->record ? vec_push(&s->names) : NULL;
	if (!slot) {
		f->naming = NAMING_FAILED;
		return;
	}
	memcpy(f->record, record, bytes);
	f->record_bytes = bytes;
	*slot = id;
	pthread_cond_signal(&s->work);
}

/* The number of the frame of P, which is AT, that RECORD of BYTES has; ID_NONE when there are too many. */
static uint32_t scripts_number(struct scripts *s, const struct script_process *p, uint32_t at, const uint8_t *record,
			       uint32_t bytes)
{
	uint64_t key[2] = { hash_2u64(p->life, at), 0 };
	uint32_t id;

	key[1] = ~key[0];
	for (uint32_t i = 0; i < bytes / 8; i++) {
		if (p->plan.key_words && !(p->plan.key_words >> i & 1))
			continue;
		key[0] = hash_2u64(key[0], script_word(record, 8 * i));
		key[1] = hash_2u64(script_word(record, 8 * i), key[1]);
	}
	hidx_each(&s->by_key, key[0], id)
		if (s->frame.v[id].key[0] == key[0] && s->frame.v[id].key[1] == key[1])
			return id;
	if (s->frame.n >= SCRIPT_FRAMES_MAX || !vec_reserve(&s->frame, 1)) {
		s->figures.refused++;
		return ID_NONE;
	}
	id = (uint32_t)s->frame.n++;
	s->frame.v[id] = (struct script_frame){ .key = { key[0], key[1] }, .process = at, .life = p->life };
	if (!hidx_add(&s->by_key, key[0], id, hash_of_frame, s)) {
		s->frame.n--;
		return ID_NONE;
	}
	frame_ask(s, id, record, bytes);
	return id;
}

/* A run of frames: records from FROM up to END, innermost first. */
struct script_run {
	uint32_t from, end;
};

/* Cuts the records of T into runs. *RET_OPEN: the last one does not end with the end of a run. */
static uint32_t scripts_runs(const struct sberf_plan *plan, const struct raw_taken *t, struct script_run *run,
			     bool *ret_open)
{
	uint32_t n = 0, from = 0;

	*ret_open = false;
	for (uint32_t i = 0; i < t->nr; i++) {
		const bool mark = (script_word(t->bytes + (size_t)i * t->record, plan->run_offset) & plan->run_mask) ==
				  plan->run_value;

		if (plan->run_end == SBERF_RUN_EACH || (plan->run_end == SBERF_RUN_LAST && mark)) {
			run[n++] = (struct script_run){ from, i + 1 };
			from = i + 1;
		} else if (mark) {
			run[n++] = (struct script_run){ from, i };
			from = i + 1;
		}
	}
	if (from < t->nr) {
		run[n++] = (struct script_run){ from, t->nr };
		*ret_open = true;
	}
	return n;
}

/* What scripts_merge() works on. */
struct merging {
	struct scripts *s;
	const struct script_process *p;
	const struct raw_taken *t;
	uint32_t at;
	uint32_t loops;                  /* frames of the interpreter */
	/*
	 * The innermost of these may have no frame yet, or not any more. What leads to the frames is not whole then:
	 * CPython 3.11 and 3.12 publish where their address is before they have written it there
	 */
	bool at_its_ends;
	struct chain *to;
};

static void merge_frame(struct merging *m, const struct frame *f)
{
	if (m->to->n < CHAIN_MAX)
		m->to->frame[m->to->n++] = *f;
}

static void merge_run(struct merging *m, const struct script_run *run)
{
	for (uint32_t i = run->from; i < run->end; i++) {
		const uint32_t number = scripts_number(m->s, m->p, m->at, m->t->bytes + (size_t)i * m->t->record,
						       m->t->record);

		merge_frame(m, &(struct frame){ .module = number == ID_NONE ? ID_NONE : m->s->module,
						.offset = number });
	}
}

static void merge_note(struct merging *m, enum script_note note)
{
	merge_frame(m, &(struct frame){ .module = m->s->module, .offset = note });
}

/* The last record has been merged: says why there is no more, if there should be. True. */
static bool merge_end(struct merging *m)
{
	if (m->t->why != SB_TAKEN_WHOLE)
		merge_note(m, m->t->why == SB_TAKEN_DEEP || m->t->why == SB_TAKEN_ROOM ? SCRIPT_DEEP : SCRIPT_UNREAD);
	return true;
}

/*
 * How many of the innermost frames of the interpreter have no run, of which there are N. One may just begin or end;
 * others are of another interpreter, whose frames the plug-in could not find.
 */
static uint32_t loops_to_skip(const struct merging *m, uint32_t n)
{
	if (m->loops <= n)
		return 0;
	return m->p->plan.flags & SBERF_PLAN_INNER_FIRST ? m->at_its_ends : m->loops - n;
}

/* Puts the N runs RUN into CHAIN. ROOT: both are known up to their roots. */
static void script_merge_runs(struct merging *m, const struct chain *chain, const struct script_run *run, uint32_t n,
			      bool root)
{
	const uint32_t loops = m->loops, skip = root ? loops_to_skip(m, n) : 0;
	/* None that is missing is told of where it begins or ends. */
	const uint32_t silent = m->at_its_ends ? 1 : 0;
	/* Runs for which there is no loop at the innermost end. */
	uint32_t next = root && n > loops ? n - loops : 0, loop = 0;
	bool ended = false;

	for (uint32_t i = 0; i < next; i++)
		merge_run(m, &run[i]);
	for (uint32_t i = 0; i < chain->n; i++) {
		struct frame f = chain->frame[i];

		if (is_interpreter(m->p, &f)) {
			f.flags |= FRAME_F_INTERPRETER;
			if (loop >= skip && next < n)
				merge_run(m, &run[next++]);
			else if (root && loop >= silent)
				merge_note(m, SCRIPT_MISSING);
			if (loop++ >= skip && next == n && !ended)
				ended = merge_end(m);
		}
		merge_frame(m, &f);
	}
	while (next < n)
		merge_run(m, &run[next++]);
	if (n && !ended)
		merge_end(m);
}

static void scripts_count(const struct merging *m, uint32_t runs)
{
	const struct raw_taken *t = m->t;
	struct scripts *s = m->s;

	s->figures.stacks++;
	s->figures.whole += t->why == SB_TAKEN_WHOLE;
	s->figures.unread += t->why == SB_TAKEN_UNREAD || t->why == SB_TAKEN_BAD;
	s->figures.cut += t->why == SB_TAKEN_DEEP || t->why == SB_TAKEN_ROOM;
	s->figures.unmatched += runs != m->loops && !(m->at_its_ends && runs + 1 == m->loops);
}

/* Numbers of frames are of this capture, so its module is. */
static module_id scripts_module(struct scripts *s, const char *name)
{
	const struct module m = { .kind = MODULE_SCRIPT, .start_ns = clock_mono_ns(),
				  .path = strtab_adds(dict_strings(s->dict), name) };

	return m.path == STR_NONE ? ID_NONE : dict_module(s->dict, &m);
}

/* Does RAW wait on a futex in the lock of the interpreter of P? */
static bool waits_for_lock(const struct script_process *p, const struct raw_event *raw)
{
	const struct unwind_input *user = &raw->sample.user;
	uint64_t address;

	if ((raw->kind != RAW_WAIT && raw->kind != RAW_WAIT_STACK) || user->machine != EM_X86_64 ||
	    user->nr_regs <= FIRST_ARGUMENT || !call_is_futex(raw->wait.call, NULL))
		return false;
	address = user->regs[FIRST_ARGUMENT];
	return address >= p->plan.lock.start && address < p->plan.lock.end;
}

static void scripts_put(struct scripts *s, const struct script_process *p, uint32_t at, const struct raw_event *raw,
			struct chain *chain)
{
	const struct raw_taken *t = &raw->sample.taken;
	struct script_run run[RUNS_MAX];
	struct merging m = { .s = s, .p = p, .t = t, .at = at, .to = s->merged };
	uint32_t n;
	bool open;

	if (s->module == ID_NONE)
		s->module = scripts_module(s, SCRIPT_MODULE);
	n = scripts_runs(&p->plan, t, run, &open);
	for (uint32_t i = 0; i < chain->n; i++) {
		m.at_its_ends |= i < AT_ITS_ENDS && !m.loops && is_interpreter(p, &chain->frame[i]);
		m.loops += is_interpreter(p, &chain->frame[i]);
	}
	scripts_count(&m, n);
	if (m.at_its_ends && t->why == SB_TAKEN_UNREAD)
		n = 0;
	memcpy(s->merged, chain, offsetof(struct chain, frame));
	s->merged->n = 0;
	if (waits_for_lock(p, raw))
		merge_note(&m, SCRIPT_LOCK);
	script_merge_runs(&m, chain, run, n, chain->cut == CUT_COMPLETE && t->why == SB_TAKEN_WHOLE);
	memcpy(chain, s->merged, offsetof(struct chain, frame) + s->merged->n * sizeof(s->merged->frame[0]));
}

struct script_thread *script_thread_find(struct script_process *p, pid_t tid)
{
	const size_t at = count_below(p->thread.v, p->thread.n, tid, tid);

	return at < p->thread.n && p->thread.v[at].tid == tid ? &p->thread.v[at] : NULL;
}

static struct script_thread *script_thread_add(struct script_process *p, pid_t tid)
{
	const size_t at = count_below(p->thread.v, p->thread.n, tid, tid);
	struct script_thread *t;

	if (p->thread.n >= SCRIPT_THREADS_MAX || !vec_reserve(&p->thread, 1))
		return NULL;
	t = &p->thread.v[at];
	memmove(t + 1, t, (p->thread.n - at) * sizeof(*t));
	p->thread.n++;
	*t = (struct script_thread){ .tid = tid, .state = THREAD_NAMELESS };
	return t;
}

/* Hands over what the thread TID of PROCESS is called, or has it asked for. The first one is what the process is. */
static void scripts_thread(struct scripts *s, struct script_process *p, uint32_t at, struct process *process, pid_t tid)
{
	struct script_thread *t = tid == p->pid ? NULL : script_thread_find(p, tid);
	uint32_t *slot;

	t = t || tid == p->pid ? t : script_thread_add(p, tid);
	if (!t)
		return;
	if (t->state == THREAD_NAMED) {
		process_name_thread(s->ps, process, tid, t->name);
		free(take_ptr(t->name));
		t->state = THREAD_DONE;
	}
	if (t->state != THREAD_NAMELESS || (t->later_ns && clock_mono_ns() < t->later_ns))
		return;
	t->state = t->tries++ < THREAD_TRIES ? THREAD_ASKED : THREAD_DONE;
	slot = p->threads_asked || t->state == THREAD_DONE ? NULL : vec_push(&s->crowds);
	if (!slot)
		return;
	*slot = at;
	p->threads_asked = true;
	pthread_cond_signal(&s->work);
}

/* Is P, which is not planned, due to be looked at? */
static bool script_is_due(const struct script_process *p)
{
	return p->state == SCRIPT_STATE_NEW || (p->state == SCRIPT_STATE_LATER && clock_mono_ns() >= p->later_ns);
}

void scripts_merge(struct scripts *s, struct process *process, const struct raw_event *raw, struct chain *chain)
{
	const struct raw_taken *t = &raw->sample.taken;
	struct script_process *p;
	uint32_t at;

	pthread_mutex_lock(&s->lock);
	p = scripts_find(s, raw->pid, &at);
	p = p ? p : scripts_add(s, raw->pid, &at);
	if (p && script_is_due(p))
		scripts_ask(s, p, at);
	if (p && p->state == SCRIPT_STATE_PLANNED)
		scripts_thread(s, p, at, process, raw->tid);
	if (p && p->state == SCRIPT_STATE_PLANNED && t->serial == p->serial) {
		if (!p->placed)
			p->placed = scripts_place(s, p, process);
		if (p->placed && t->record >= p->plan.run_offset + 8)
			scripts_put(s, p, at, raw, chain);
	}
	pthread_mutex_unlock(&s->lock);
}

static enum script_answer scripts_name_note(uint64_t note, struct script_name *ret)
{
	static const char *const text[] = {
		[UINT32_MAX - SCRIPT_LOCK] = "[waiting for the GIL]",
		[UINT32_MAX - SCRIPT_MISSING] = "[python: frames that were not found]",
		[UINT32_MAX - SCRIPT_UNREAD] = "[python: frames that could not be read]",
		[UINT32_MAX - SCRIPT_DEEP] = "[python: more frames than are read]",
	};

	*ret = (struct script_name){ .function = strdup(text[UINT32_MAX - note]), .file = strdup(""), .note = true };
	if (ret->function && ret->file)
		return SCRIPT_NAMED;
	free(ret->function);
	free(ret->file);
	return SCRIPT_PENDING;
}

enum script_answer scripts_name(struct scripts *s, uint64_t offset, struct script_name *ret)
{
	const struct timespec deadline = clock_timespec(clock_mono_ns() + NAME_NS);
	enum script_answer answer = SCRIPT_UNKNOWN;
	int r = 0;

	if (offset >= SCRIPT_DEEP && offset <= SCRIPT_LOCK)
		return scripts_name_note(offset, ret);
	pthread_mutex_lock(&s->lock);
	while (offset < s->frame.n && s->frame.v[offset].naming == NAMING_ASKED && !s->stop && !r)
		r = pthread_cond_timedwait(&s->named, &s->lock, &deadline);
	if (offset < s->frame.n) {
		struct script_frame *f = &s->frame.v[offset];

		if (f->naming == NAMING_ASKED)
			answer = SCRIPT_PENDING;
		else if (f->naming == NAMING_DONE && f->function && f->file)
			answer = SCRIPT_NAMED;
		if (answer == SCRIPT_NAMED)
			*ret = (struct script_name){ take_ptr(f->function), take_ptr(f->file), f->line, f->first_line,
						     f->note };
	}
	pthread_mutex_unlock(&s->lock);
	return answer;
}

void scripts_figures(struct scripts *s, struct scripts_figures *ret)
{
	pthread_mutex_lock(&s->lock);
	*ret = s->figures;
	pthread_mutex_unlock(&s->lock);
}
