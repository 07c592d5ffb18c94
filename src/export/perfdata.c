/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfdata.c - a file that `perf report` and `perf script` read: samples and waits as records of
 * perf, one by one.
 *
 * There are no names in it: perf finds functions in the files that modules were read from, where
 * they still are. Every process has each of its modules mapped where address_layout.h says; the
 * mapping is told before the first sample that needs it, without a time, so perf knows it from the
 * beginning. The kernel's symbols are moved by perf to where the mapping says that _text is.
 *
 * How long the records are stands before them, so they are made twice: a first pass only counts.
 */
#include "config.h"

#include "export/address_layout.h"
#include "export/events.h"
#include "export/exporter.h"
#include "export/frames.h"
#include "export/out.h"
#include "export/perfdata.h"
#include "query/label.h"

#include "base/keyed.h"
#include "base/text.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RECORD_BYTES_MAX 65528u          /* a record's size has 16 bits, and is a multiple of 8 */
#define CHAIN_MAX ((RECORD_BYTES_MAX - 128) / sizeof(uint64_t))
#define RECORD_FINISHED_ROUND 68u        /* of perf's own: what was read so far can be put in order */
#define COMM_BYTES 16
#define ALIGN 8

/* A module in a process, and what a thread was called last. */
struct mapped {
	pid_t pid;
	module_id module;
};

struct called {
	pid_t pid, tid;
	thread_id thread;
};

struct writer {
	const struct export_view *v;
	struct query q;
	const struct dict *d;
	struct span *span;
	struct perf_event_kind event[PERF_EVENTS_MAX];
	unsigned int events;
	struct frame_reader frames;
	KEYED(struct mapped) mapped;
	KEYED(struct called) called;
	uint8_t *used;           /* by module */
	VEC(uint64_t) chain;
	perf_bytes record;
	struct out out;
	bool counting, ok;
	uint64_t bytes;          /* of records */
};

static const struct perf_event_kind all_events[PERF_EVENTS_MAX] = {
	{ EVENT_SAMPLE, PERF_COUNT_SW_CPU_CLOCK },
	{ EVENT_BLOCKED, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ EVENT_RUNNABLE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ EVENT_ACCESS, PERF_COUNT_SW_DUMMY },
};

static void choose_events(struct writer *w)
{
	const measure_mask measures = query_measures(&w->q, w->v->snapshot);

	for (unsigned int i = 0; i < PERF_EVENTS_MAX; i++)
		if (measures & measures_of_kind(all_events[i].kind) && snapshot_has(w->v->snapshot, all_events[i].kind))
			w->event[w->events++] = all_events[i];
	if (!w->events)
		w->event[w->events++] = all_events[measures & MEASURES_FAR ? PERF_EVENTS_MAX - 1 : 0];
}

/* Records. */

static void perfdata_begin(struct writer *w, unsigned int type, unsigned int misc)
{
	const struct perf_event_header h = { .type = type, .misc = (uint16_t)misc };

	w->record.n = 0;
	perf_put(&w->record, &w->ok, &h, sizeof(h));
}

static void perfdata_end(struct writer *w)
{
	struct perf_event_header *h = (struct perf_event_header *)w->record.v;

	if (!w->ok)
		return;
	h->size = (uint16_t)w->record.n;
	w->bytes += w->record.n;
	if (!w->counting && !w->out.error && fwrite(w->record.v, 1, w->record.n, w->out.file) != w->record.n)
		w->out.error = errno ? errno : EIO;
}

/* What stands behind records that are no samples. */
static void put_sample_id(struct writer *w, pid_t pid, pid_t tid, uint64_t time_ns)
{
	perf_put_u32(&w->record, &w->ok, (uint32_t)pid);
	perf_put_u32(&w->record, &w->ok, (uint32_t)tid);
	perf_put_u64(&w->record, &w->ok, time_ns);
	perf_put_u64(&w->record, &w->ok, 0);     /* CPU */
	perf_put_u64(&w->record, &w->ok, 1);     /* the first event */
}

static void put_kernel(struct writer *w)
{
	perfdata_begin(w, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	perf_put_u32(&w->record, &w->ok, UINT32_MAX);
	perf_put_u32(&w->record, &w->ok, 0);
	perf_put_u64(&w->record, &w->ok, LAYOUT_KERNEL);
	perf_put_u64(&w->record, &w->ok, UINT64_MAX - LAYOUT_KERNEL);
	perf_put_u64(&w->record, &w->ok, LAYOUT_KERNEL); /* where _text was */
	perf_put_text(&w->record, &w->ok, "[kernel.kallsyms]_text", ALIGN);
	put_sample_id(w, -1, 0, 0);
	perfdata_end(w);
}

/* Which file it is: by its build-id, else by device and inode. */
static unsigned int put_identity(struct writer *w, const struct module *m)
{
	const uint8_t len[4] = { m->build_id_len };

	if (m->build_id_len && m->build_id_len <= BUILD_ID_MAX) {
		perf_put(&w->record, &w->ok, len, sizeof(len));
		perf_put(&w->record, &w->ok, m->build_id, BUILD_ID_MAX);
		return PERF_RECORD_MISC_MMAP_BUILD_ID;
	}
	perf_put_u32(&w->record, &w->ok, (uint32_t)(m->dev >> 8 & 0xfff));
	perf_put_u32(&w->record, &w->ok, (uint32_t)((m->dev & 0xff) | (m->dev >> 12 & 0xfff00)));
	perf_put_u64(&w->record, &w->ok, m->ino);
	perf_put_u64(&w->record, &w->ok, m->generation);
	return 0;
}

static void perfdata_put_mapping(struct writer *w, pid_t pid, module_id id)
{
	const struct module *m = dict_get_module(w->d, id);
	const struct span *s = &w->span[id];
	char name[LABEL_MAX];
	unsigned int misc;

	if (m->kind == MODULE_KERNEL) {
		put_kernel(w);
		return;
	}
	perfdata_begin(w, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	perf_put_u32(&w->record, &w->ok, (uint32_t)pid);
	perf_put_u32(&w->record, &w->ok, (uint32_t)pid);
	perf_put_u64(&w->record, &w->ok, s->base + s->low);
	perf_put_u64(&w->record, &w->ok, s->high - s->low);
	perf_put_u64(&w->record, &w->ok, m->kind == MODULE_ANON ? 0 : s->low);
	misc = put_identity(w, m);
	perf_put_u32(&w->record, &w->ok, PROT_READ | PROT_EXEC);
	perf_put_u32(&w->record, &w->ok, MAP_PRIVATE);
	perf_put_text(&w->record, &w->ok, perf_module_name(w->d, m, name, sizeof(name)), ALIGN);
	put_sample_id(w, pid, pid, 0);
	if (w->ok)
		((struct perf_event_header *)w->record.v)->misc |= (uint16_t)misc;
	perfdata_end(w);
}

static void put_comm(struct writer *w, const struct thread *t, uint64_t time_ns)
{
	const struct strtab *st = dict_strings(w->d);
	char comm[COMM_BYTES];

	text_sanitise(comm, sizeof(comm), strtab_get(st, t->comm), strtab_len(st, t->comm));
	perfdata_begin(w, PERF_RECORD_COMM, PERF_RECORD_MISC_USER);
	perf_put_u32(&w->record, &w->ok, (uint32_t)t->pid);
	perf_put_u32(&w->record, &w->ok, (uint32_t)t->tid);
	perf_put_text(&w->record, &w->ok, comm, ALIGN);
	put_sample_id(w, t->pid, t->tid, time_ns);
	perfdata_end(w);
}

/* What has been told of processes and threads. */

/* Tells that PID has MODULE mapped, unless that was told. */
static void want_mapping(struct writer *w, pid_t pid, module_id module)
{
	const bool kernel = dict_get_module(w->d, module)->kind == MODULE_KERNEL;
	const struct mapped want = { .pid = kernel ? -1 : pid, .module = module };
	const size_t told = w->mapped.n;

	w->ok = w->ok && keyed_get_whole(&w->mapped, &want) != HIDX_NONE;
	if (w->mapped.n == told)
		return;
	w->used[module] = 1;
	perfdata_put_mapping(w, pid, module);
}

/* Tells what THREAD is called, unless that was told and its thread has not been called otherwise since. */
static void want_comm(struct writer *w, thread_id thread, uint64_t time_ns)
{
	const struct thread *t = dict_get_thread(w->d, thread);
	const struct called want = { .pid = t->pid, .tid = t->tid, .thread = thread };
	const size_t told = w->called.n;
	const uint32_t id = w->ok ? keyed_get(&w->called, &want, thread) : HIDX_NONE;

	w->ok = id != HIDX_NONE;
	if (!w->ok || (w->called.n == told && w->called.v[id].thread == thread))
		return;
	w->called.v[id].thread = thread;
	put_comm(w, t, time_ns);
}

/* Samples. */

/*
 * Fills w->chain with what is in w->frames.path, with a mark before each run of kernel or user
 * frames. Returns the kind of the first.
 */
static unsigned int make_chain(struct writer *w, pid_t pid)
{
	unsigned int first = PERF_RECORD_MISC_USER, last = 0;

	w->chain.n = 0;
	w->ok = w->ok && vec_reserve(&w->chain, 2 * w->frames.path.n);
	for (size_t i = 0; w->ok && i < w->frames.path.n; i++) {
		const frame_id frame = w->frames.path.v[i];
		const module_id module = dict_get_frame(w->d, frame)->module;
		const unsigned int kind = dict_get_module(w->d, module)->kind;
		const unsigned int mode = kind == MODULE_KERNEL ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

		if (kind == MODULE_NOTE)
			continue;
		if (w->chain.n + 2 > CHAIN_MAX)
			break;
		if (!last)
			first = mode;
		if (mode != last)
			w->chain.v[w->chain.n++] = mode == PERF_RECORD_MISC_KERNEL ? PERF_CONTEXT_KERNEL :
				PERF_CONTEXT_USER;
		last = mode;
		want_mapping(w, pid, module);
		w->chain.v[w->chain.n++] = layout_address(w->span, w->d, frame);
	}
	return first;
}

static uint64_t event_id(const struct writer *w, unsigned int kind)
{
	for (unsigned int i = 0; i < w->events; i++)
		if (w->event[i].kind == kind)
			return i + 1;
	return 1;
}

static int perfdata_write_event(void *ctx, const struct event *ev, unsigned int is)
{
	struct writer *w = ctx;
	const struct thread *t = dict_get_thread(w->d, ev->thread);
	unsigned int mode;

	w->frames.path.n = 0;
	if (!(is & FACT_IDLE && w->q.fold_idle))
		w->ok = w->ok && frames_of(&w->frames, ev->stack);
	want_comm(w, ev->thread, ev->time_ns);
	mode = make_chain(w, t->pid);
	perfdata_begin(w, PERF_RECORD_SAMPLE, mode);
	perf_put_u64(&w->record, &w->ok, event_id(w, ev->kind));
	perf_put_u64(&w->record, &w->ok, w->chain.n ? w->chain.v[1] : 0);
	perf_put_u32(&w->record, &w->ok, (uint32_t)t->pid);
	perf_put_u32(&w->record, &w->ok, (uint32_t)t->tid);
	perf_put_u64(&w->record, &w->ok, ev->time_ns);
	perf_put_u64(&w->record, &w->ok, ev->cpu);
	perf_put_u64(&w->record, &w->ok, ev->weight);
	perf_put_u64(&w->record, &w->ok, w->chain.n);
	perf_put(&w->record, &w->ok, w->chain.v, w->chain.n * sizeof(*w->chain.v));
	perfdata_end(w);
	return !w->ok ? -ENOMEM : w->out.error ? -w->out.error : 0;
}

static void perfdata_forget(struct writer *w)
{
	keyed_free(&w->mapped);
	keyed_free(&w->called);
}

/* perf takes a file without records for one that was never ended, and reads what stands behind them as samples. */
static void write_nothing(struct writer *w)
{
	perfdata_begin(w, RECORD_FINISHED_ROUND, 0);
	perfdata_end(w);
}

/* One pass over all events. */
static int write_records(struct writer *w, bool counting, struct err *e)
{
	int r;

	perfdata_forget(w);
	w->counting = counting;
	w->bytes = 0;
	r = events_each(w->v, &w->q, perfdata_write_event, w, e);
	if (!r && !w->bytes)
		write_nothing(w);
	if (r == -ENOMEM || !w->ok)
		return err_nomem(e, "the samples");
	return w->out.error ? out_end(&w->out, e) : r;
}

static void perfdata_write_bytes(struct writer *w, const perf_bytes *b)
{
	if (!w->out.error && fwrite(b->v, 1, b->n, w->out.file) != b->n)
		w->out.error = errno ? errno : EIO;
}

static int perfdata_write_file(struct writer *w, struct err *e)
{
	perf_bytes part = { 0 };
	uint64_t bytes;
	bool ok;
	int r = write_records(w, true, e);

	if (r < 0)
		return r;
	bytes = w->bytes;
	ok = perf_head(&part, w->event, w->events, bytes);
	if (ok)
		perfdata_write_bytes(w, &part);
	r = ok ? write_records(w, false, e) : 0;
	part.n = 0;
	ok = ok && perf_tail(&part, w->event, w->events, perf_head_bytes(w->events) + bytes, w->v->meta, w->d, w->used);
	if (ok && r >= 0)
		perfdata_write_bytes(w, &part);
	vec_free(&part);
	if (r < 0)
		return r;
	if (!ok)
		return err_nomem(e, "the file");
	if (w->bytes != bytes)
		return err_set(e, EAGAIN, "the recording has grown while it was read: try again when it has ended");
	return out_end(&w->out, e);
}

static int perfdata_write(FILE *out, const struct export_view *v, struct err *e)
{
	const struct dict *d = snapshot_dict(v->snapshot);
	struct writer w = {
		.v = v, .q = v->query, .d = d, .out = { .file = out }, .ok = true,
		.frames = { .d = d, .names = v->names },
	};
	int r = out_binary(out, "perf-data", e);

	if (r < 0)
		return r;
	w.frames.q = &w.q;
	w.span = layout_modules(d);
	w.used = calloc(dict_modules(d) + 1ul, 1);
	choose_events(&w);
	r = w.span && w.used ? perfdata_write_file(&w, e) : err_nomem(e, "the addresses");
	perfdata_forget(&w);
	frames_free(&w.frames);
	vec_free(&w.chain);
	vec_free(&w.record);
	free(w.span);
	free(w.used);
	return r;
}

const struct exporter exporter_perf_data = {
	.name = "perf-data", .extensions = "perf.data",
	.about = "a file for `perf report -i` and `perf script -i` with the samples of perf-script, read in the same "
		"way. perf looks for names in the binaries, and reads 127 frames of a stack unless --max-stack says "
		"otherwise. perf-data has no place for names: those of JIT compilers are shown as addresses unless "
		"/tmp/perf-PID.map is still there, and notes such as [cut: ...] are left out",
	.reads = EXPORT_EVENTS,
	.write = perfdata_write,
};
