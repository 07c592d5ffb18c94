/* SPDX-License-Identifier: BSD-2-Clause */
/* top_targets.c - see top_targets.h. */
#include "config.h"

#include "cmd/top_targets.h"

#include "base/clock.h"
#include "base/text.h"
#include "cmd/record_split.h"
#include "cmd/top_page.h"
#include "session/backends.h"
#include "session/recording_text.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAST_NAMES_NS (5 * NSEC_PER_SEC) /* for names that a recording still lacks when its capture is left */

static int resolve_launch(struct launch *s, const struct options *o, struct err *e)
{
	s->config.refresh_ns = o->refresh_ns;
	s->live = true;
	if (o->keep_ns) {
		s->config.record = (struct recorder_config){
			.path = RECORDING_PREFIX, .numbered = true, .keep_ns = o->keep_ns, .keep_bytes = KEEP_BYTES,
		};
		s->config.record_spare = true;
	}
	return launch_resolve(s, o, true, e);
}

int capture_open(struct targets *t, const struct options *o, struct capture **ret, int *ret_status, struct err *e)
{
	AUTO(capture_free) struct capture *c = calloc(1, sizeof(*c));
	int r = 0;

	if (!c)
		return err_nomem(e, "the capture");
	c->all = t;
	c->s = (struct launch)LAUNCH_INIT;
	if (o->target == OPT_TARGET_NONE)
		c->names = names_new();
	else
		r = resolve_launch(&c->s, o, e);
	*ret_status = c->s.status;
	if (r < 0)
		return r;
	if (o->target == OPT_TARGET_NONE && !c->names)
		return err_nomem(e, "the view");
	*ret = take_ptr(c);
	return 0;
}

/*
 * The flight recorder is that of the newest capture: when that is given up before the view went on
 * with it, the one before again.
 */
static void choose_keeper(struct targets *t)
{
	atomic_store(&t->keeper, t->newest && t->o->keep_ns ? t->newest->s.engine : NULL);
}

int capture_start(struct capture *c, struct err *e)
{
	int r = c->names ? 0 : launch_load(&c->s, e);

	if (!r && c->s.engine)
		r = launch_start(&c->s, e);
	if (r >= 0) {
		c->older = c->all->newest;
		c->all->newest = c;
		choose_keeper(c->all);
	}
	return r;
}

void capture_end_recording(struct capture *c, char *text, size_t size)
{
	struct engine *en = c->s.engine;
	struct recording_status now;
	struct recorder_saved saved;

	text[0] = '\0';
	if (!en)
		return;
	engine_recording(en, &now);
	if (now.state != RECORDING_NONE) {
		engine_stop(en);
		if (!engine_wait(en, LAST_NAMES_NS))
			engine_hurry(en);
		engine_wait(en, 0);
	}
	if (engine_saved(en, &saved))
		recording_text(&saved, "nothing of it was saved", text, size);
}

void capture_free(struct capture *c)
{
	struct capture **at;

	if (!c)
		return;
	for (at = &c->all->newest; *at && *at != c; at = &(*at)->older)
		;
	if (*at) {
		*at = c->older;
		choose_keeper(c->all);
	}
	page_close(c->page);
	launch_close(&c->s);
	names_free(c->names);
	free(c);
}

/* ---- as a session ---- */

/* Between the list and the choice a process may have ended, and another one got its number. */
static int check_same(pid_t pid, uint64_t start_ticks, struct err *e)
{
	const int dir = proc_open(pid);
	struct proc_stat st;
	const int r = dir < 0 ? dir : proc_read_stat(dir, &st);

	if (dir >= 0)
		close(dir);
	if (r < 0)
		return err_set(e, ESRCH, "process %d has ended", (int)pid);
	if (st.start_ticks != start_ticks)
		return err_set(e, ESRCH, "that process has ended, and another one is number %d now: choose again",
			       (int)pid);
	return 0;
}

/* A capture of PID, or of all, as if sberf had been started with it, at the pace of now. */
static int top_targets_attach(void *owner, pid_t pid, uint64_t start_ticks, struct session *ret, struct err *e)
{
	const struct capture *c = owner;
	struct options o = *c->all->o;
	AUTO(capture_free) struct capture *fresh = NULL;
	struct profile_meta now;
	uint32_t id = (uint32_t)pid;
	int status, r;

	if (c->s.engine) {
		engine_status(c->s.engine, &now);
		o.freq_hz = now.freq_asked;
		o.refresh_ns = engine_refresh(c->s.engine);
	}
	o.target = pid ? OPT_TARGET_PIDS : OPT_TARGET_ALL;
	o.ids = (u32_vec){ .v = &id, .n = 1, .cap = 1 };
	/* Root, who could not go on to yet another one then, stays root. */
	o.split |= geteuid() && split_is_usual(&o);
	r = capture_open(c->all, &o, &fresh, &status, e);
	if (!r)
		r = capture_start(fresh, e);
	if (r >= 0 && start_ticks)
		r = check_same(pid, start_ticks, e);
	if (r < 0)
		return r;
	*ret = capture_session(take_ptr(fresh));
	return 0;
}

/* The command behind `--` goes on, as it would have if the view had not been left for another target. */
static void top_targets_leave(void *owner, char *text, size_t size)
{
	struct capture *c = owner;

	capture_end_recording(c, text, size);
	if (c->s.engine && launch_command(&c->s))
		c->all->command = launch_command(&c->s);
	capture_free(c);
}

static int top_targets_serve(void *owner, char *text, size_t size, struct err *e)
{
	struct capture *c = owner;
	const struct session session = capture_session(c);
	const int r = c->page ? 0 : page_open(c->all->o, &session, &c->page, e);

	if (r >= 0)
		text_format(text, size, "%s", page_address(c->page));
	return r;
}

static struct snapshot *no_snapshot(void *ctx)
{
	return NULL;
}

static uint64_t none_published(void *ctx)
{
	return 0;
}

static void no_status(void *ctx, struct profile_meta *ret)
{
	const struct capture *c = ctx;

	*ret = (struct profile_meta){ .off_cpu = c->all->o->off_cpu, .file_bytes = META_UNKNOWN,
				      .bpf_cpu_ns = META_UNKNOWN };
}

static bool not_ended(void *ctx)
{
	return false;
}

struct session capture_session(struct capture *c)
{
	struct session f = { .ctx = c, .names = c->names, .snapshot = no_snapshot, .published = none_published,
			     .status = no_status, .ended = not_ended, .none = true };

	if (c->s.engine)
		f = session_from_engine(c->s.engine);
	f.code.symfs = c->all->o->symfs;
	f.owner = c;
	f.note = c->s.note;
	/* Privileges are given up once. */
	if (!c->s.split) {
		f.attach = top_targets_attach;
		f.leave = top_targets_leave;
	}
	if (c->s.engine)
		f.serve = top_targets_serve;
	return f;
}
