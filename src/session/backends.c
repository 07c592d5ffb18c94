/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * backends.c - the two kinds of session: a running engine and a loaded recording. Each function
 * passes a question on to the one behind it.
 */
#include "config.h"

#include "session/backends.h"

#include "base/numbered.h"
#include "base/strtab.h"
#include "base/text.h"
#include "base/units.h"
#include "engine/placer.h"
#include "model/probes.h"
#include "process/open.h"
#include "process/process.h"
#include "session/recording_text.h"
#include "symbol/elffile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct snapshot *live_snapshot(void *ctx)
{
	return engine_snapshot(ctx);
}

static uint64_t live_published(void *ctx)
{
	return engine_published(ctx);
}

static void live_status(void *ctx, struct profile_meta *ret)
{
	engine_status(ctx, ret);
}

static void live_prefer(void *ctx, const frame_id *frames, size_t n)
{
	symbolizer_prefer(engine_symbolizer(ctx), frames, n);
}

static void live_reset(void *ctx)
{
	engine_reset(ctx);
}

static void live_wakers(void *ctx, bool on)
{
	engine_wakers(ctx, on);
}

static void live_numa(void *ctx, bool on)
{
	engine_numa(ctx, on);
}

static void live_rate(void *ctx, uint32_t hz)
{
	engine_set_rate(ctx, hz);
}

static void live_refresh(void *ctx, uint64_t ns)
{
	engine_set_refresh(ctx, ns);
}

static void live_recording(void *ctx, struct recording_status *ret)
{
	engine_recording(ctx, ret);
}

static int begin_recording(struct engine *en, char *text, size_t size, struct err *e)
{
	char name[64];
	int r = numbered_name(name, sizeof(name), RECORDING_PREFIX "-", RECORDING_SUFFIX, e);

	if (r < 0)
		return r;
	r = engine_record(en, name, e);
	if (r < 0 && r != -EBUSY && r != -ESRCH)
		return err_set(e, -r, "cannot record into %s: %s; %s", name, strerror(-r), numbered_remedy(-r));
	if (r >= 0)
		snprintf(text, size, "recording into %s from now on; R ends it", name);
	return r;
}

static int end_recording(struct engine *en, char *text, size_t size, struct err *e)
{
	struct recorder_saved saved;
	const int r = engine_record_end(en, &saved, e);

	if (r >= 0)
		recording_text(&saved, "", text, size);
	return r;
}

static int live_record(void *ctx, char *text, size_t size, struct err *e)
{
	struct recording_status now;

	text[0] = '\0';
	engine_recording(ctx, &now);
	if (now.state == RECORDING_GOING)
		return end_recording(ctx, text, size, e);
	if (now.state != RECORDING_KEEPING)
		return begin_recording(ctx, text, size, e);
	engine_save(ctx);
	return 0;
}

static bool live_news(void *ctx, char *text, size_t size)
{
	struct recorder_saved saved;
	struct err e = ERR_INIT;

	if (engine_rate_failed(ctx, &e)) {
		snprintf(text, size, "%s", e.text);
		return true;
	}
	if (!engine_saved(ctx, &saved))
		return false;
	recording_text(&saved, "the view goes on", text, size);
	return true;
}

static void live_add_probe(void *ctx, const char *text)
{
	engine_add_probe(ctx, text);
}

static void live_drop_probe(void *ctx, uint32_t probe)
{
	engine_remove_probe(ctx, probe);
}

/* "12,034 hits/s, 2.27 us each: 2.7 % of one CPU; in place 1/3 of the time (--budget)" behind the name of the probe. */
static void put_price(const struct placer_answer *a, const char *name, char *dst, size_t size)
{
	char hits[UNITS_MAX], cost[UNITS_MAX], share[UNITS_MAX];
	size_t n = text_format(dst, size, "%.160s: %s hits/s", name, units_thousands(hits, a->hits_per_s));

	if (a->cost_ns)
		n += text_format(dst + n, size - n, ", %s each: the target pays %s of one CPU",
				 units_time(cost, a->cost_ns), units_percent(share, a->share / 1e6));
	if (a->scale > 1)
		n += text_format(dst + n, size - n, "; in place 1/%u of the time (--budget)", a->scale);
	if (a->thin > 1)
		text_format(dst + n, size - n, "; stacks of one hit in %u (--budget)", a->thin);
}

static void live_growth(void *ctx, bool on)
{
	engine_growth(ctx, on);
}

static bool live_growing(void *ctx)
{
	return engine_growing(ctx);
}

static void live_blocks(void *ctx, bool on)
{
	engine_blocks(ctx, on);
}

static bool live_has_blocks(void *ctx)
{
	struct placer_figures f;

	engine_probes(ctx, &f);
	return f.blocks;
}

static void live_targets(void *ctx, u32_vec *ret)
{
	engine_targets(ctx, ret);
}

static bool live_probe_told(void *ctx, struct session_probe *ret)
{
	struct placer_answer a;
	const struct measure *m;
	char why[PROBE_WHY_MAX];
	bool absent;

	if (!engine_probe_told(ctx, &a))
		return false;
	m = a.probe == PROBE_NONE ? NULL : probes_measure(a.probe);
	absent = m && !a.off && !probes_places(a.probe).sites && *probes_why(a.probe, why);
	*ret = (struct session_probe){ .probe = m ? a.probe : PROBE_NONE, .added = m && !a.priced && !a.off };
	if (!m)
		text_format(ret->text, sizeof(ret->text), "%s", a.err.text);
	else if (absent)
		text_format(ret->text, sizeof(ret->text), "%.160s: %s", m->name, why);
	else if (a.priced)
		put_price(&a, m->name, ret->text, sizeof(ret->text));
	else
		text_format(ret->text, sizeof(ret->text), a.off ? "%.160s is off; what was counted stays" :
			    "%.160s is placed; in 0.1 s its price is known", m->name);
	return true;
}

static int live_open_code(void *ctx, module_id module, struct err *e)
{
	return processes_open_code(ctx, module, e);
}

static int live_open_source(void *ctx, module_id module, const char *path)
{
	return processes_open_source(ctx, module, path);
}

static int live_open_root(void *ctx, module_id module)
{
	return processes_open_root(ctx, module);
}

static bool live_ended(void *ctx)
{
	return engine_wait(ctx, 1);
}

struct session session_from_engine(struct engine *en)
{
	return (struct session){
		.ctx = en,
		.names = engine_names(en),
		.snapshot = live_snapshot,
		.published = live_published,
		.status = live_status,
		.prefer = live_prefer,
		.reset = live_reset,
		.wakers = live_wakers,
		.numa = engine_can_numa(en) ? live_numa : NULL,
		.rate = live_rate,
		.refresh = live_refresh,
		.recording = live_recording,
		.add_probe = engine_takes_probes(en) ? live_add_probe : NULL,
		.remove_probe = engine_takes_probes(en) ? live_drop_probe : NULL,
		.growth = engine_takes_probes(en) ? live_growth : NULL,
		.growing = engine_takes_probes(en) ? live_growing : NULL,
		.blocks = engine_takes_probes(en) ? live_blocks : NULL,
		.has_blocks = engine_takes_probes(en) ? live_has_blocks : NULL,
		.targets = live_targets,
		.complete = complete_probe,
		.probe_told = engine_takes_probes(en) ? live_probe_told : NULL,
		.record = live_record,
		.news = live_news,
		.code = { .open = live_open_code, .open_source = live_open_source, .open_root = live_open_root,
			  .ctx = engine_processes(en) },
		.ended = live_ended,
	};
}

static struct snapshot *still_snapshot(void *ctx)
{
	return snapshot_ref(((struct still *)ctx)->snapshot);
}

static uint64_t still_published(void *ctx)
{
	return 1;
}

static void still_status(void *ctx, struct profile_meta *ret)
{
	*ret = ((struct still *)ctx)->meta;
}

static bool same_build(const struct module *m, const struct elf_file *f)
{
	uint8_t id[BUILD_ID_MAX];

	return elf_file_build_id(f, id) == m->build_id_len && !memcmp(id, m->build_id, m->build_id_len);
}

/* A recording may be of another machine, or old: only a build-id tells that a file is the one that ran. */
static int still_open_code(void *ctx, module_id module, struct err *e)
{
	const struct dict *d = snapshot_dict(((struct still *)ctx)->snapshot);
	const struct module *m = dict_get_module(d, module);
	const char *known = m ? strtab_get(dict_strings(d), m->path) : "";
	AUTO(elf_file_free) struct elf_file *f = NULL;
	AUTO_FREE char *path = strdup(known);
	struct module wanted;
	AUTO_FD int fd = -1;
	int r;

	if (!path)
		return err_nomem(e, "a file of code");
	if (!m || m->kind != MODULE_FILE)
		return err_set(e, ENOENT, "this code was in no file, and a recording does not hold code");
	if (!m->build_id_len)
		return err_set(e, ENOENT, "%s had no build-id when it ran, so the file that is there now may be "
			       "another one", path);
	/* From here on a file can hang for longer than the recording is there. */
	wanted = *m;
	fd = open_in_root(NULL, path, false);
	if (fd < 0)
		return err_set(e, -fd, "cannot open %s: %s", path, strerror(-fd));
	r = elf_file_open(fd, &f, e);
	if (r < 0)
		return r;
	if (!same_build(&wanted, f))
		return err_set(e, ESTALE, "%s is not the one that ran: it has another build-id", path);
	return take_fd(&fd);
}

static int still_open_source(void *ctx, module_id module, const char *path)
{
	return open_in_root(NULL, path, false);
}

struct code_access code_of_still(struct still *st)
{
	return (struct code_access){ .open = still_open_code, .open_source = still_open_source, .ctx = st };
}

static bool still_ended(void *ctx)
{
	return true;
}

struct session session_from_still(struct still *st)
{
	return (struct session){
		.ctx = st,
		.names = st->names,
		.snapshot = still_snapshot,
		.published = still_published,
		.status = still_status,
		.code = code_of_still(st),
		.ended = still_ended,
	};
}
