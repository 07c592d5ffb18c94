/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording_out.c - what a view asks for as a recording: of a capture that nobody records, from its
 * sums.
 *
 * Its events make the facts that the view asks for: the same stacks, threads, waits and weights.
 * Times are those of slices, so a second at best, and which CPU it was is not known any more.
 * Figures of losses and of sberf itself are those of the whole. A wait of its own is an event,
 * others stand in one, as do samples.
 */
#include "config.h"

#include "export/exporter.h"

#include "numa/state.h"
#include "profile/carried.h"
#include "query/filter.h"
#include "record/stream.h"

#include <errno.h>
#include <string.h>

#define WAITS_MAX 4096u                  /* events that one fact becomes; the rest of its waits are in the last */

struct writing {
	FILE *out;
	int error;                       /* errno of a failed write */
	const struct dict *d;
	struct filter filter;
	struct stream stream;
};

static bool recording_out_write_bytes(void *ctx, const uint8_t *p, size_t n)
{
	struct writing *w = ctx;

	errno = 0;
	if (fwrite(p, 1, n, w->out) == n)
		return true;
	w->error = errno ? errno : EIO;
	return false;
}

/* Whether the stack of EV has a user side, and how that ends: its outermost frame tells. */
static void tell_ends(const struct dict *d, struct event *ev)
{
	stack_id id = ev->stack;
	const struct frame *f;
	unsigned int kind;

	if (id == STACK_ROOT)
		return;
	while (dict_get_stack(d, id)->parent != STACK_ROOT)
		id = dict_get_stack(d, id)->parent;
	f = dict_get_frame(d, dict_get_stack(d, id)->frame);
	kind = dict_get_module(d, f->module)->kind;
	if (kind == MODULE_KERNEL || (kind == MODULE_NOTE && f->offset < NOTE_CUT))
		return;
	ev->flags |= EVENT_F_USER;
	if (kind == MODULE_NOTE && f->offset - NOTE_CUT < CUT_NR)
		ev->cut = (uint8_t)(f->offset - NOTE_CUT);
}

static struct event recording_out_event_of(const struct dict *d, const struct slice_view *v, const struct fact *f,
					   uint64_t inside)
{
	struct event ev = {
		.kind = f->kind, .cut = CUT_COMPLETE, .node = f->node, .thread = f->thread, .stack = f->stack,
		.time_ns = v->provisional && v->to_ns > v->from_ns ? v->to_ns - 1 : v->from_ns, .cut_module = ID_NONE,
		.wait.waker = ID_NONE, .place.file = ID_NONE, .inside = inside,
	};

	carried_of(f->kind)->tell(d, f->carried, &ev);
	tell_ends(d, &ev);
	return ev;
}

static bool recording_out_write_event(struct writing *w, struct event *ev, uint64_t count, uint64_t weight)
{
	ev->count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	ev->weight = weight;
	if (!count)
		ev->flags |= EVENT_F_PIECE;
	return encoder_event(w->stream.enc, ev) && (!encoder_full(w->stream.enc) || stream_tables(&w->stream));
}

/* A length that is in the bucket of the waits of F, whose longest is not known to the nanosecond. */
static uint64_t recording_out_length_of(const struct writing *w, const struct fact *f)
{
	const unsigned int bucket = dict_get_wait(w->d, f->wait)->bucket;
	const uint64_t longest = (uint64_t)f->longest_ns, from = wait_bucket_from_ns(bucket);

	if (wait_bucket(longest) == bucket)
		return longest;
	return longest < from ? from : wait_bucket_from_ns(bucket + 1) - 1;
}

/* The waits of F that have stacks of their own: one event each, the longest first, the others of equal length. */
static bool write_each(struct writing *w, struct event *ev, const struct fact *f)
{
	const uint64_t first_ns = recording_out_length_of(w, f) < f->weight ? recording_out_length_of(w, f) : f->weight;
	uint64_t left = f->count, left_ns = f->weight;
	bool ok = true;

	for (uint32_t i = 0; ok && left; i++) {
		const uint64_t n = i == WAITS_MAX - 1 ? left : 1,
			ns = left == n ? left_ns : i ? left_ns / left : first_ns;

		ev->wait.own_ns = ns / n;
		ok = recording_out_write_event(w, ev, n, ns);
		left -= n;
		left_ns -= ns;
	}
	return ok;
}

/* The calls of F, hits of a probe: the longest apart, as it was told. */
static bool write_calls(struct writing *w, struct event *ev, const struct fact *f)
{
	const uint64_t longest = (uint64_t)f->longest_ns, rest = f->weight - longest;

	if (f->count < 2 || !longest || longest > f->weight || rest / (f->count - 1) > longest)
		return recording_out_write_event(w, ev, f->count, f->weight);
	return recording_out_write_event(w, ev, 1, longest) && recording_out_write_event(w, ev, f->count - 1, rest);
}

static bool write_fact(struct writing *w, const struct slice_view *v, const struct fact *f, uint64_t inside)
{
	struct event ev = recording_out_event_of(w->d, v, f, inside);

	if (EVENT_IS_WAIT(f->kind) && f->count && !(ev.flags & (EVENT_F_OPEN | EVENT_F_EXTRAPOLATED)))
		return write_each(w, &ev, f);
	if (EVENT_IS_WAIT(f->kind))
		ev.wait.own_ns = recording_out_length_of(w, f);
	if (f->kind == EVENT_HIT)
		return write_calls(w, &ev, f);
	return recording_out_write_event(w, &ev, f->count, f->weight);
}

static bool write_facts(struct writing *w)
{
	struct asked a = { 0 };

	while (filter_next(&w->filter, &a))
		if (!write_fact(w, &a.v, a.fact, a.inside))
			return false;
	return true;
}

static bool recording_out_write_all(struct writing *w, const struct export_view *v)
{
	struct profile_meta meta = *v->meta;
	bool too_large = false;

	meta.complete = true;
	if (!stream_begin(&w->stream, &meta) || !write_facts(w) || !stream_names(&w->stream) ||
	    !stream_tables(&w->stream))
		return false;
	if (snapshot_numa(v->snapshot) && !stream_numa(&w->stream, snapshot_numa(v->snapshot), &too_large))
		return false;
	meta.numa_too_large += too_large;
	if (snapshot_probes(v->snapshot) && !stream_probes(&w->stream, snapshot_probes(v->snapshot)))
		return false;
	return stream_meta(&w->stream, &meta) && stream_end(&w->stream);
}

static int recording_out_write(FILE *out, const struct export_view *v, struct err *e)
{
	struct writing w = { .out = out, .d = snapshot_dict(v->snapshot) };
	bool ok;

	w.stream = (struct stream){ .write = recording_out_write_bytes, .ctx = &w, .enc = encoder_new(w.d, v->names) };
	ok = w.stream.enc && filter_init(&w.filter, v->snapshot, v->names, &v->query) && recording_out_write_all(&w, v);
	if (ok && fflush(out)) {
		ok = false;
		w.error = errno;
	}
	filter_free(&w.filter);
	encoder_free(w.stream.enc);
	stream_free(&w.stream);
	if (ok)
		return 0;
	return w.error ? err_set(e, w.error, "cannot write the recording: %s", strerror(w.error)) :
		err_nomem(e, "the recording");
}

const struct exporter exporter_recording = {
	.name = "recording", .extensions = "sberf",
	.about = "a recording, as sberf record makes it",
	.subject = EXPORT_RECORDING,
	.write = recording_out_write,
	.save = { .letter = 'r', .place = 5, .word = "recording", .help = "a recording", .use = "for sberf report" },
};
