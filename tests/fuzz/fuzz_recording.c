/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_recording.c - no bytes may make the reader crash, hang, misjudge a size or hand out an id
 * that does not exist.
 *
 * The checksums are put right first, where a block header stands where it should, so that a
 * mutation reaches what lies behind them; an input that begins with another byte than 'S' is read
 * as it is behind that byte.
 */
#include "config.h"

#include "model/kind.h"
#include "numa/state.h"
#include "record/check_stats.h"
#include "record/reader.h"
#include "tests/fuzz/seal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void check_event(void *ctx, const struct event *ev)
{
	const struct dict *d = profile_dict(ctx);

	must(ev->kind >= EVENT_SAMPLE && ev->kind < EVENT_KINDS);
	must(dict_get_thread(d, ev->thread) && dict_get_stack(d, ev->stack));
	must(ev->cut_module == ID_NONE || dict_get_module(d, ev->cut_module));
	if (kind_carries(ev->kind) == CARRIES_PLACE) {
		must(ev->place.node < NODES_MAX || ev->place.node == NODE_UNKNOWN);
		must(ev->place.file == ID_NONE || dict_get_module(d, ev->place.file));
	}
	if (!EVENT_IS_WAIT(ev->kind))
		return;
	must(ev->wait.call <= CALL_MAX && ev->wait.own_ns <= WEIGHT_MAX);
	must(ev->wait.waker == ID_NONE || dict_get_thread(d, ev->wait.waker));
	must(ev->wait.waker_stack == STACK_ROOT || dict_get_stack(d, ev->wait.waker_stack));
}

static void check_names(const struct dict *d, const struct names *ns)
{
	for (frame_id id = 0; id < dict_frames(d); id++) {
		const struct frame_names *fn = names_get(ns, id);

		for (uint16_t i = 0; fn && i < fn->n; i++)
			must(names_func(ns, fn->name[i].func) && fn->name[i].file < names_strings(ns));
	}
}

static void check_numa(struct profile *p)
{
	AUTO(snapshot_unref) struct snapshot *snap = profile_snapshot(p);
	const struct numa_state *s;

	must(snap);
	s = snapshot_numa(snap);
	if (!s)
		return;
	must(s->topology.nr <= NODES_MAX && s->process.n <= NUMA_PROCESSES_MAX && s->thread.n <= NUMA_THREADS_MAX);
	for (uint32_t i = 0; i < s->topology.nr; i++)
		must(s->topology.node[i].id < NODES_MAX &&
		     topology_index(&s->topology, s->topology.node[i].id) == (int)i);
	for (size_t i = 0; i < s->process.n; i++)
		for (size_t k = 0; k < s->process.v[i].resident.n; k++)
			must(s->process.v[i].resident.v[k].node < NODES_MAX &&
			     s->process.v[i].resident.v[k].mapping < MAPPING_NR);
	for (size_t i = 0; i < s->thread.n; i++)
		must(s->thread.v[i].home < (int32_t)NODES_MAX &&
		     numa_state_thread(s, s->thread.v[i].pid, s->thread.v[i].tid) == &s->thread.v[i]);
}

/* Blocks and damages lie in the SIZE bytes, and are told of once each. */
static void check_survey(const struct check_stats *s, const struct load_report *report, size_t size)
{
	uint64_t blocks = 0, bytes = 0, events = 0;

	for (int i = 0; i < BLOCK_TYPES; i++) {
		blocks += s->type[i].blocks;
		bytes += s->type[i].stored_bytes;
	}
	for (int i = 1; i < EVENT_KINDS; i++)
		events += s->kind[i];
	for (size_t i = 0; i < s->damage.n; i++) {
		must(s->damage.v[i].at <= size);
		if (s->damage.v[i].kind != DAMAGE_MISSING && s->damage.v[i].kind != DAMAGE_GAVE_UP)
			must(s->damage.v[i].n <= size - s->damage.v[i].at);
		if (s->damage.v[i].kind == DAMAGE_BYTES)
			bytes += s->damage.v[i].n;
	}
	must(blocks == report->blocks && events == report->events && bytes <= size && s->damage.n <= s->damages);
	must(!report->damaged_blocks || s->damages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool as_it_is = size && data[0] != RECORD_MAGIC[0];
	AUTO(profile_free) struct profile *p = profile_new(NULL);
	AUTO(names_free) struct names *ns = names_new();
	AUTO_FREE uint8_t *copy = malloc(size + 1);
	struct check_stats survey = { 0 };
	struct load_report report;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	const struct load_target t = {
		.profile = p, .names = ns, .meta = &meta, .report = &report,
		/* One input in two leaves waits out. */
		.options = { .min_block_ns = size & 1 ? 1000000 : 0, .each = check_event, .ctx = p, .survey = &survey },
	};
	struct cursor in;
	int r;

	must(p && ns && copy);
	memcpy(copy, data + as_it_is, size - as_it_is);
	in = (struct cursor){ copy, copy + size - as_it_is };
	if (!as_it_is)
		seal_recording(copy, size);
	r = recording_read("fuzz.data", seal_read, &in, &t, &e);
	if (!r)
		check_survey(&survey, &report, size - as_it_is);
	check_stats_free(&survey);
	must((r == 0) == (e.code == 0) && r <= 0);
	check_names(profile_dict(p), ns);
	check_numa(p);
	return 0;
}
