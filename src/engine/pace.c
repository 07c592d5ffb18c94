/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pace.c - changes the sampling rate and the refresh interval of a running capture.
 *
 * Every event carries its weight, so a change of the rate changes no sum. The stated rate is
 * another matter: the figures show the present one, and a recording or file whose rate has changed
 * states none.
 */
#include "config.h"

#include "engine/engine_private.h"

static void tell_failure(struct engine *en, const struct err *e)
{
	pthread_mutex_lock(&en->lock);
	en->rate_error = *e;
	pthread_mutex_unlock(&en->lock);
}

void engine_serve_rate(struct engine *en)
{
	const uint32_t hz = atomic_exchange(&en->wanted_hz, 0);
	struct source_stats st;
	struct err e = ERR_INIT;

	if (!hz || hz == en->meta.freq_asked)
		return;
	if (source_set_rate(en->source, hz, &e) < 0) {
		tell_failure(en, &e);
		return;
	}
	en->meta.freq_asked = hz;
	en->meta.rate_changed = true;
	en->rate_changes++;
	source_stats(en->source, &st);
	en->rate_hz = 0;
	en->rate_ns = clock_mono_ns();
	en->rate_gaps = st.gaps;
	en->rate_gaps_ns = st.gaps_ns;
}

void engine_recorded_meta(const struct engine *en, struct profile_meta *ret)
{
	*ret = en->meta;
	ret->rate_changed = en->rate_changes != en->recorder_rate;
	meta_of_file(ret);
}

/* ---- from other threads ---- */

void engine_set_rate(struct engine *en, uint32_t hz)
{
	atomic_store(&en->wanted_hz, hz);
	source_wake(en->source);
}

void engine_set_refresh(struct engine *en, uint64_t ns)
{
	atomic_store(&en->refresh_ns, ns);
	source_wake(en->source);
}

uint64_t engine_refresh(const struct engine *en)
{
	return atomic_load(&en->refresh_ns);
}

bool engine_rate_failed(struct engine *en, struct err *e)
{
	bool failed;

	pthread_mutex_lock(&en->lock);
	failed = en->rate_error.code;
	if (failed)
		*e = en->rate_error;
	en->rate_error = (struct err)ERR_INIT;
	pthread_mutex_unlock(&en->lock);
	return failed;
}
