/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder_slot.c - recorders that join and leave a running capture.
 *
 * Whoever asks for a recording opens and closes its file on a thread of its own, where waiting for
 * a disk does no harm. The engine only takes the recorder in between two turns, and releases it in
 * the same way. So a recording holds exactly the events in between. A recorder that fails is
 * released too, and waits to be closed.
 */
#include "config.h"

#include "engine/engine_private.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* for names that a recording still lacks when it is ended while others go on */
#define NAMES_NS (5 * NSEC_PER_SEC)

bool engine_recorder_spare(const struct engine *en)
{
	return en->sink.recorder && (en->recorder_spare || en->recorder_midway);
}

/* Takes in a recorder that has been opened. */
static void recorder_slot_adopt(struct engine *en, struct recorder *fresh)
{
	struct profile_meta meta;

	engine_measure(en);
	en->recorder_rate = en->rate_changes;
	engine_recorded_meta(en, &meta);
	recorder_since(fresh, &meta, en->sink.numa_state ? &en->sink.numa_state->figures : NULL,
		       en->sink.probe_notes);
	if (en->sink.numa_state)
		recorder_numa(fresh, en->sink.numa_state);
	if (en->sink.probe_notes)
		recorder_probes(fresh, en->sink.probe_notes);
	en->sink.recorder = fresh;
	en->recorder_midway = true;
}

/* Gives the recorder away to whoever closes it. */
static void recorder_slot_let_go(struct engine *en, const struct err *why)
{
	struct recorder *r = take_ptr(en->sink.recorder);

	engine_measure(en);
	en->recorder_midway = false;
	pthread_mutex_lock(&en->lock);
	en->rec.done = r;
	engine_recorded_meta(en, &en->rec.done_meta);
	en->rec.done_meta.complete = true;
	en->rec.let_go = false;
	if (why) {
		en->rec.state = RECORDING_FAILED;
		en->saved = (struct recorder_saved){ .path = "", .err = *why };
		en->saved_new = true;
	}
	pthread_cond_broadcast(&en->changed);
	pthread_mutex_unlock(&en->lock);
}

void engine_serve_recording(struct engine *en)
{
	struct recorder *fresh = NULL;
	bool leave;

	pthread_mutex_lock(&en->lock);
	if (!en->sink.recorder)
		fresh = take_ptr(en->rec.fresh);
	leave = en->rec.let_go;
	pthread_mutex_unlock(&en->lock);
	if (fresh)
		recorder_slot_adopt(en, fresh);
	if (leave && en->recorder_midway)
		recorder_slot_let_go(en, NULL);
}

bool engine_recorder_failed(struct engine *en, struct err *e)
{
	if (!en->sink.recorder || recorder_status(en->sink.recorder, e) >= 0)
		return false;
	if (!engine_recorder_spare(en))
		return true;
	recorder_slot_let_go(en, e);
	return false;
}

void engine_recorder_finish(struct engine *en)
{
	const bool spare = engine_recorder_spare(en);
	struct recorder *r = take_ptr(en->sink.recorder);
	struct recorder_saved saved;
	struct profile_meta meta;
	struct err e = ERR_INIT;

	en->meta.complete = true;
	engine_recorded_meta(en, &meta);
	if (recorder_end(r, &meta, &saved, &e) < 0) {
		saved.path[0] = '\0';
		saved.err = e;
		if (!spare)
			engine_fail(en, -e.code, &e);
	}
	if (!spare) {
		en->meta.file_bytes = saved.bytes;
		return;
	}
	pthread_mutex_lock(&en->lock);
	en->saved = saved;
	en->saved_new = true;
	if (en->recorder_midway)
		en->rec.state = RECORDING_NONE;
	pthread_mutex_unlock(&en->lock);
	en->recorder_midway = false;
}

void engine_recorder_free(struct engine *en)
{
	/* A recorder is left only when the thread was never started, or when nobody ended what it had given away. */
	if (en->sink.recorder)
		recorder_close(en->sink.recorder, &en->meta, NULL, NULL);
	if (en->rec.fresh)
		recorder_close(en->rec.fresh, &en->meta, NULL, NULL);
	if (en->rec.done)
		recorder_close(en->rec.done, &en->rec.done_meta, NULL, NULL);
	event_sink_clear(&en->sink);
}

void engine_record_meta(struct engine *en)
{
	struct profile_meta meta;

	engine_recorded_meta(en, &meta);
	recorder_meta(en->sink.recorder, &meta);
}

/* What the flight recorder holds is wanted, or has been written. */
void engine_serve_save(struct engine *en)
{
	struct recorder_saved saved;

	if (atomic_exchange(&en->save, false)) {
		engine_measure(en);
		engine_record_meta(en);
		recorder_save(en->sink.recorder);
	}
	if (!recorder_saved(en->sink.recorder, &saved))
		return;
	text_format(saved.why, sizeof(saved.why), "%s", en->meta.written_when);
	en->meta.written_when[0] = '\0';
	pthread_mutex_lock(&en->lock);
	en->saved = saved;
	en->saved_new = true;
	pthread_mutex_unlock(&en->lock);
}

void engine_show_recording(struct engine *en)
{
	en->rec.keeping = en->sink.recorder && en->recorder_spare && !en->recorder_midway;
	en->rec.bytes = !en->sink.recorder ? 0 : en->rec.keeping ? recorder_held(en->sink.recorder) :
		recorder_bytes(en->sink.recorder);
}

/* ---- from other threads ---- */

void engine_save(struct engine *en)
{
	atomic_store(&en->save, true);
	source_wake(en->source);
}

bool engine_saved(struct engine *en, struct recorder_saved *ret)
{
	bool is_new;

	pthread_mutex_lock(&en->lock);
	is_new = en->saved_new;
	en->saved_new = false;
	if (is_new)
		*ret = en->saved;
	pthread_mutex_unlock(&en->lock);
	return is_new;
}

void engine_recording(struct engine *en, struct recording_status *ret)
{
	pthread_mutex_lock(&en->lock);
	*ret = (struct recording_status){ .state = en->rec.state, .bytes = en->rec.bytes, .keep_ns = en->keep_ns };
	if (atomic_load(&en->ended))
		ret->state = RECORDING_NONE;
	else if (en->rec.state == RECORDING_NONE && en->rec.keeping)
		ret->state = RECORDING_KEEPING;
	pthread_mutex_unlock(&en->lock);
}

/* Whether a recording can begin: then that is said, so that there is but one. */
static int recorder_slot_reserve(struct engine *en, struct profile_meta *ret_meta, struct recorder **ret_old,
				 struct err *e)
{
	int r = 0;

	pthread_mutex_lock(&en->lock);
	if (atomic_load(&en->ended))
		r = err_set(e, ESRCH, "nothing new comes any more that could be recorded");
	else if (en->rec.keeping || (en->rec.state != RECORDING_NONE &&
				     en->rec.state != RECORDING_FAILED))
		r = err_set(e, EBUSY, "a recording goes on already");
	if (r >= 0) {
		*ret_old = take_ptr(en->rec.done);
		*ret_meta = en->shown;
		en->rec.state = RECORDING_GOING;
	}
	pthread_mutex_unlock(&en->lock);
	return r;
}

int engine_record(struct engine *en, const char *path, struct err *e)
{
	const struct recorder_config c = { .path = path, .midway = true };
	struct recorder *fresh = NULL, *old = NULL;
	struct profile_meta meta;
	int r = recorder_slot_reserve(en, &meta, &old, e);

	if (r < 0)
		return r;
	if (old)
		recorder_close(old, &meta, NULL, NULL);
	r = recorder_open(&c, profile_dict(en->profile), en->names, &meta, &fresh, e);
	pthread_mutex_lock(&en->lock);
	if (r < 0)
		en->rec.state = RECORDING_NONE;
	en->rec.fresh = fresh;
	pthread_mutex_unlock(&en->lock);
	source_wake(en->source);
	return r;
}

/* Waits until the engine has given the recorder away, or has closed it itself at the end: NULL. */
static struct recorder *wait_for_recorder(struct engine *en, struct profile_meta *ret_meta)
{
	struct recorder *r;

	pthread_mutex_lock(&en->lock);
	en->rec.let_go = !en->rec.done;
	if (en->rec.state == RECORDING_GOING)
		en->rec.state = RECORDING_ENDING;
	source_wake(en->source);
	while (!en->rec.done && !atomic_load(&en->ended))
		pthread_cond_wait(&en->changed, &en->lock);
	r = take_ptr(en->rec.done);
	if (!r)
		r = take_ptr(en->rec.fresh);
	*ret_meta = en->rec.done_meta;
	pthread_mutex_unlock(&en->lock);
	return r;
}

int engine_record_end(struct engine *en, struct recorder_saved *ret, struct err *e)
{
	struct profile_meta meta;
	struct recorder *rec;
	int r = 0;

	rec = wait_for_recorder(en, &meta);
	if (rec) {
		/* What is recorded last is what has no name yet. */
		symbolizer_look_again(en->symbolizer);
		symbolizer_wait(en->symbolizer, NAMES_NS);
		meta.symbols_pending = symbolizer_pending(en->symbolizer);
		r = recorder_end(rec, &meta, ret, e);
	} else if (!engine_saved(en, ret)) {
		r = err_set(e, ESRCH, "nothing is being recorded any more: the capture has ended");
	} else if (!ret->path[0]) {
		*e = ret->err;
		r = -e->code;
	}
	pthread_mutex_lock(&en->lock);
	en->rec.state = RECORDING_NONE;
	pthread_mutex_unlock(&en->lock);
	return r;
}
