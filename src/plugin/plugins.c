/* SPDX-License-Identifier: BSD-2-Clause */
/* plugins.c - one lock for all; who has attached to what is kept by process, and begins anew with each new worker. */
#include "config.h"

#include "plugin/plugins.h"

#include "base/text.h"
#include "base/thread.h"
#include "base/vec.h"
#include "plugin/find.h"
#include "plugin/hosted.h"
#include "plugin/in_process.h"
#include "plugin/in_worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KILLED_MAX 8u                     /* workers that are killed during one call, before it has no answer */

struct plugin {
	struct plugin_info info;
	char *path;
	uint32_t has;                /* bit for each enum plugin_op that it answers; 0 = it is not loaded */
	uint32_t generation;         /* of its worker */
	int code;                    /* of outside; -1 = none */
	const struct plugin_built_in *built_in;      /* NULL = it is of a file */
	uint32_t own_faults;         /* that are not laid to a process */
	struct in_process *inside;
	struct in_worker *outside;
};

enum attached {
	ATTACHED_NOT_YET,
	ATTACHED_MINE,
	ATTACHED_NOT_MINE,
};

struct attachment {
	enum attached state;
	uint32_t generation;
	bool counted;                /* in info.processes */
	bool left;                   /* alone, since the plug-in made so many faults at it: */
	uint8_t faults;
};

struct plugin_process {
	struct plugins *set;
	uint32_t number;
	struct plugin_target target;
	struct attachment *of;       /* one for each plug-in */
	uint64_t ended;              /* workers, at this process, since that was told last */
	struct err left;             /* why it is left alone, if that has not been told yet */
};

struct plugins {
	pthread_mutex_t lock;
	int refs;
	const struct plugin_elf *elf;
	VEC(struct plugin) v;
	VEC(uint32_t) free_numbers;
	uint32_t next_number;
};

struct plugins *plugins_new(const struct plugin_elf *elf)
{
	struct plugins *ps = calloc(1, sizeof(*ps));

	if (ps) {
		thread_mutex_init(&ps->lock);
		ps->refs = 1;
		ps->elf = elf;
	}
	return ps;
}

struct plugins *plugins_ref(struct plugins *ps)
{
	pthread_mutex_lock(&ps->lock);
	ps->refs++;
	pthread_mutex_unlock(&ps->lock);
	return ps;
}

void plugins_free(struct plugins *ps)
{
	int refs;

	if (!ps)
		return;
	pthread_mutex_lock(&ps->lock);
	refs = --ps->refs;
	pthread_mutex_unlock(&ps->lock);
	if (refs)
		return;
	for (size_t i = 0; i < ps->v.n; i++) {
		struct plugin *p = &ps->v.v[i];

		in_process_free(p->inside);
		in_worker_free(p->outside);
		if (p->code >= 0)
			close(p->code);
		free(p->path);
	}
	vec_free(&ps->v);
	vec_free(&ps->free_numbers);
	pthread_mutex_destroy(&ps->lock);
	free(ps);
}

/* A new plug-in with the file PATH, "" = none; NULL when out of memory. */
static struct plugin *plugins_push(struct plugins *ps, const char *path, enum plugin_place place)
{
	char *copy = strdup(path);
	struct plugin *p = copy ? vec_push(&ps->v) : NULL;

	if (!p) {
		free(copy);
		return NULL;
	}
	*p = (struct plugin){ .path = copy, .code = -1, .info = { .place = place } };
	return p;
}

/* What P has said of itself. */
static void plugin_greet(struct plugin *p, const struct plugin_hello *hello)
{
	p->has = hello->has;
	text_sanitise(p->info.name, sizeof(p->info.name), hello->name, strlen(hello->name));
	text_sanitise(p->info.runtime, sizeof(p->info.runtime), hello->runtime, strlen(hello->runtime));
	text_sanitise(p->info.versions, sizeof(p->info.versions), hello->versions, strlen(hello->versions));
}

/* P is not asked any more, because of E. */
static void plugin_give_up(struct plugin *p, const struct err *e)
{
	p->info.off = true;
	text_format(p->info.trouble, sizeof(p->info.trouble), "it cannot be used: %s", e->text);
}

/* Its own. */
static void plugin_fault(struct plugin *p, const struct err *fault)
{
	p->info.faults++;
	p->info.off = ++p->own_faults >= PLUGIN_FAULTS_MAX;
	text_format(p->info.trouble, sizeof(p->info.trouble), "%s%s",
		    p->info.off ? "it is not asked any more after its third fault: " : "", fault->text);
}

/* Loads P, unless that has been done. 0, or a sentence. */
static int plugin_load_now(struct plugin *p, struct err *e)
{
	struct plugin_hello hello;
	bool fresh = false;
	int r = 0;

	if (p->info.place == PLUGIN_IN_WORKER) {
		if (p->code < 0 && p->path[0])
			p->code = r = plugin_file_open(p->path, false, e);
		if (r >= 0 && !p->outside)
			p->outside = in_worker_new(p->code, p->built_in);
		r = r < 0 ? r : p->outside ? in_worker_start(p->outside, &hello, &fresh, e) : err_nomem(e, "a plug-in");
		p->generation += fresh;
	} else if (!p->inside) {
		AUTO_FD int code = plugin_file_open(p->path, true, e);

		fresh = true;
		r = code < 0 ? code : in_process_load(code, &p->inside, &hello, e);
	}
	if (r >= 0 && fresh)
		plugin_greet(p, &hello);
	return r < 0 ? r : 0;
}

int plugins_add_built_in(struct plugins *ps, const struct plugin_built_in *which, bool in_worker, struct err *e)
{
	struct plugin *p = plugins_push(ps, "", in_worker ? PLUGIN_IN_WORKER : PLUGIN_BUILT_IN);
	struct sberf_plugin used;
	struct plugin_hello hello;
	int r;

	if (!p)
		return err_nomem(e, "a plug-in");
	p->built_in = which;
	r = in_worker ? hosted_accept(which->entry, &used, &hello, e) :
			in_process_new(which->entry, &p->inside, &hello, e);
	if (r)
		return r;
	plugin_greet(p, &hello);
	return 0;
}

int plugins_add_file(struct plugins *ps, const char *path, bool in_process, struct err *e)
{
	struct plugin *p = plugins_push(ps, path, in_process ? PLUGIN_IN_PROCESS : PLUGIN_IN_WORKER);
	int r = p ? plugin_load_now(p, e) : err_nomem(e, "a plug-in");

	return r ? err_prefix(e, "plug-in %s cannot be used", path) : 0;
}

static void plugins_add_one_installed(void *ctx, const char *path)
{
	struct plugin *p = plugins_push(ctx, path, PLUGIN_IN_WORKER);
	struct err e = ERR_INIT;

	if (!p)
		return;
	p->code = plugin_file_open(path, true, &e);
	if (p->code < 0)
		plugin_give_up(p, &e);
}

void plugins_add_installed(struct plugins *ps)
{
	struct err e = ERR_INIT;
	struct plugin *p;

	if (!plugin_folder_each(plugins_add_one_installed, ps, &e))
		return;
	p = plugins_push(ps, "", PLUGIN_IN_WORKER);
	if (!p)
		return;
	p->info.off = true;
	text_format(p->info.trouble, sizeof(p->info.trouble), "%s", e.text);
}

void plugins_load_all(struct plugins *ps)
{
	pthread_mutex_lock(&ps->lock);
	for (size_t i = 0; i < ps->v.n; i++) {
		struct plugin *p = &ps->v.v[i];
		struct err e = ERR_INIT;

		if (!p->info.off && !p->has && plugin_load_now(p, &e))
			plugin_give_up(p, &e);
	}
	pthread_mutex_unlock(&ps->lock);
}

size_t plugins_count(const struct plugins *ps)
{
	return ps->v.n;
}

void plugins_info(struct plugins *ps, size_t i, struct plugin_info *ret)
{
	pthread_mutex_lock(&ps->lock);
	*ret = ps->v.v[i].info;
	ret->path = ps->v.v[i].path;
	pthread_mutex_unlock(&ps->lock);
}

struct plugin_process *plugin_process_new(struct plugins *ps, const struct plugin_source *source)
{
	struct plugin_process *p = calloc(1, sizeof(*p));

	if (p)
		p->of = calloc(ps->v.n + 1, sizeof(*p->of));
	if (!p || !p->of) {
		free(p);
		return NULL;
	}
	p->set = ps;
	plugin_target_init(&p->target, source, ps->elf);
	pthread_mutex_lock(&ps->lock);
	p->number = ps->free_numbers.n ? ps->free_numbers.v[--ps->free_numbers.n] : ps->next_number++;
	pthread_mutex_unlock(&ps->lock);
	return p;
}

static int plugin_do(struct plugin *p, const struct plugin_call *c, struct err *fault)
{
	int r;

	if (c->op != PLUGIN_ATTACH && !(p->has & 1u << c->op) && c->op != PLUGIN_DETACH)
		return -ENOSYS;
	plugin_target_begin(c->target);
	r = p->inside ? in_process_call(p->inside, c, fault) : in_worker_call(p->outside, c, fault);
	plugin_target_end(c->target);
	return r;
}

/*
 * The plug-in I made the fault FAULT when it was asked about P. One that sberf has itself was made to by what it read
 * there: P is left alone after the second time, and other processes are not.
 */
static void process_fault(struct plugin_process *p, size_t i, const struct err *fault)
{
	struct plugin *plugin = &p->set->v.v[i];
	struct attachment *a = &p->of[i];

	p->ended += plugin->outside != NULL;
	a->state = ATTACHED_NOT_YET;
	if (!plugin->built_in) {
		plugin_fault(plugin, fault);
		return;
	}
	plugin->info.faults++;
	text_format(plugin->info.trouble, sizeof(plugin->info.trouble), "process %d: %s", (int)p->target.source.pid,
		    fault->text);
	a->left = ++a->faults >= PLUGIN_PROCESS_FAULTS_MAX;
	if (a->left)
		err_set(&p->left, EFAULT, "no more of it is read: sberf-worker ended twice while it read it: %s",
			fault->text);
}

/*
 * Has the plug-in I attach to P, unless it has been asked. 0: the process is of its runtime; -ENOENT: it is not;
 * -EAGAIN: that will be known later.
 */
static int process_attach(struct plugin_process *p, size_t i)
{
	struct plugin *plugin = &p->set->v.v[i];
	struct attachment *a = &p->of[i];
	const struct plugin_call c = { .op = PLUGIN_ATTACH, .process = p->number, .target = &p->target,
				       .log = plugin->info.log };
	struct err fault = ERR_INIT;
	int r;

	if (a->state != ATTACHED_NOT_YET && a->generation == plugin->generation)
		return a->state == ATTACHED_MINE ? 0 : -ENOENT;
	r = plugin_do(plugin, &c, &fault);
	a->generation = plugin->generation;
	if (fault.code) {
		process_fault(p, i, &fault);
		return -ENOENT;
	}
	a->state = !r ? ATTACHED_MINE : r == -EAGAIN || r == -EINTR ? ATTACHED_NOT_YET : ATTACHED_NOT_MINE;
	if (!r && !a->counted)
		plugin->info.processes += a->counted = true;
	return !r || r == -EAGAIN || r == -EINTR ? r : -ENOENT;
}

/* Once. -EINTR: somebody has killed the worker. */
static int process_try(struct plugin_process *p, size_t i, struct plugin_call *c)
{
	struct plugin *plugin = &p->set->v.v[i];
	struct err e = ERR_INIT;
	int r;

	/* Of what is loaded it is known what it has no answer to: then no process is looked at. */
	if (plugin->info.off || p->of[i].left || (plugin->has && !(plugin->has & 1u << c->op)))
		return -ENOSYS;
	r = plugin_load_now(plugin, &e);
	if (r == -EINTR)
		return r;
	if (r) {
		/* What has been loaded before has made a fault this time. */
		if (plugin->has)
			plugin_fault(plugin, &e);
		else
			plugin_give_up(plugin, &e);
		return -ENOSYS;
	}
	if (plugin->outside && p->number >= PLUGIN_PROCESSES_MAX)
		return -ENOSPC;
	r = process_attach(p, i);
	if (r)
		return r;
	c->process = p->number;
	c->target = &p->target;
	c->log = plugin->info.log;
	r = plugin_do(plugin, c, &e);
	if (e.code)
		process_fault(p, i, &e);
	else if (r == -EINTR)
		p->of[i].state = ATTACHED_NOT_YET;
	return r;
}

/* Makes the call C of the plug-in I, all but process and target of which is set. Its result. */
static int process_call(struct plugin_process *p, size_t i, struct plugin_call *c)
{
	int r = -EINTR;

	for (unsigned int tries = 0; tries < KILLED_MAX && r == -EINTR; tries++) {
		r = process_try(p, i, c);
		p->ended += r == -EINTR;
	}
	return r;
}

void plugin_process_free(struct plugin_process *p)
{
	uint32_t *slot;

	if (!p)
		return;
	pthread_mutex_lock(&p->set->lock);
	for (size_t i = 0; i < p->set->v.n; i++) {
		struct plugin_call c = { .op = PLUGIN_DETACH, .process = p->number, .target = &p->target };
		struct plugin *plugin = &p->set->v.v[i];
		struct err fault = ERR_INIT;

		if (p->of[i].state == ATTACHED_MINE && p->of[i].generation == plugin->generation && !plugin->info.off)
			plugin_do(plugin, &c, &fault);
		if (fault.code)
			plugin_fault(plugin, &fault);
	}
	slot = vec_push(&p->set->free_numbers);
	if (slot)
		*slot = p->number;
	pthread_mutex_unlock(&p->set->lock);
	plugin_target_clear(&p->target);
	free(p->of);
	free(p);
}

/* What a plug-in says goes to whoever has asked, and is counted. */
struct telling {
	plugin_said_fn *say;
	void *ctx;
	size_t n;
};

static void process_tell(void *ctx, size_t i, const struct sberf_said *said)
{
	struct telling *t = ctx;

	t->n++;
	t->say(t->ctx, i, said);
}

/* Addresses that are being named. */
struct naming {
	struct telling told;
	const uint64_t *pc;
	size_t n;
	bool named[PLUGIN_NAME_MAX];
	/* what one plug-in is asked for: WANTED[i] is pc[index[i]] */
	uint64_t wanted[PLUGIN_NAME_MAX];
	size_t index[PLUGIN_NAME_MAX], nr_wanted;
};

static void process_tell_named(void *ctx, size_t i, const struct sberf_said *said)
{
	struct naming *g = ctx;

	g->named[g->index[i]] = true;
	process_tell(&g->told, g->index[i], said);
}

/* What of G has no name yet, and is not another's by what the plug-in I says. */
static void process_choose(struct plugin_process *p, size_t i, struct naming *g)
{
	g->nr_wanted = 0;
	for (size_t k = 0; k < g->n; k++) {
		struct plugin_call claims = { .op = PLUGIN_CLAIMS, .pc = &g->pc[k], .n = 1 };
		const int claim = g->named[k] ? SBERF_CLAIM_NONE : process_call(p, i, &claims);

		if (claim != SBERF_CLAIM_NAME && claim != -ENOSYS)
			continue;
		g->wanted[g->nr_wanted] = g->pc[k];
		g->index[g->nr_wanted++] = k;
	}
}

size_t plugin_process_name(struct plugin_process *p, const uint64_t *pc, size_t n, plugin_said_fn *say, void *ctx)
{
	struct naming g = { .told = { .say = say, .ctx = ctx }, .pc = pc,
			    .n = n < PLUGIN_NAME_MAX ? n : PLUGIN_NAME_MAX };

	pthread_mutex_lock(&p->set->lock);
	for (size_t i = p->set->v.n; i-- > 0;) {
		struct plugin_call c = { .op = PLUGIN_RESOLVE, .pc = g.wanted, .say = process_tell_named, .ctx = &g };
		const size_t before = g.told.n;

		process_choose(p, i, &g);
		c.n = g.nr_wanted;
		if (c.n)
			process_call(p, i, &c);
		p->set->v.v[i].info.names += g.told.n - before;
	}
	pthread_mutex_unlock(&p->set->lock);
	return g.told.n;
}

bool plugin_process_changed(struct plugin_process *p, uint32_t what)
{
	bool more = false;

	pthread_mutex_lock(&p->set->lock);
	if (what & SBERF_CHANGED_MAPPINGS)
		plugin_target_remap(&p->target);
	for (size_t i = 0; i < p->set->v.n; i++) {
		struct plugin_call c = { .op = PLUGIN_CHANGED, .what = what };
		const bool mine = p->of[i].state == ATTACHED_MINE;
		int r;

		/* It may have loaded the runtime since. */
		if (p->of[i].state == ATTACHED_NOT_MINE && (what & SBERF_CHANGED_MAPPINGS))
			p->of[i].state = ATTACHED_NOT_YET;
		r = process_call(p, i, &c);
		if (r == -EFBIG || r == -ENOMEM)
			p->target.refused_files++;
		more |= r == 1 || (!mine && p->of[i].state == ATTACHED_MINE);
	}
	pthread_mutex_unlock(&p->set->lock);
	return more;
}

int plugin_process_plan(struct plugin_process *p, struct sberf_plan *ret, size_t *ret_plugin)
{
	int found = -ENOENT;

	pthread_mutex_lock(&p->set->lock);
	for (size_t i = p->set->v.n; i-- > 0 && found;) {
		struct plugin_call c = { .op = PLUGIN_PLAN, .plan = ret };
		const uint32_t has = p->set->v.v[i].has;
		/* Nothing is looked for in the process for one that has no plans. */
		const int r = has && !(has & 1u << PLUGIN_PLAN) ? -ENOSYS : process_call(p, i, &c);

		if (!r && ret->nr_steps)
			found = 0;
		else if (r == -EAGAIN)
			found = r;
		*ret_plugin = i;
	}
	pthread_mutex_unlock(&p->set->lock);
	return found;
}

size_t plugin_process_expand(struct plugin_process *p, size_t plugin, const struct sberf_taken *taken,
			     plugin_said_fn *say, void *ctx)
{
	struct telling t = { .say = say, .ctx = ctx };
	struct plugin_call c = { .op = PLUGIN_EXPAND, .taken = taken, .say = process_tell, .ctx = &t };

	pthread_mutex_lock(&p->set->lock);
	process_call(p, plugin, &c);
	p->set->v.v[plugin].info.names += t.n;
	pthread_mutex_unlock(&p->set->lock);
	return t.n;
}

size_t plugin_process_threads(struct plugin_process *p, size_t plugin, const uint64_t *tid, size_t n,
			      plugin_said_fn *say, void *ctx)
{
	struct telling t = { .say = say, .ctx = ctx };
	struct plugin_call c = { .op = PLUGIN_THREADS, .pc = tid, .n = n, .say = process_tell, .ctx = &t };

	pthread_mutex_lock(&p->set->lock);
	process_call(p, plugin, &c);
	pthread_mutex_unlock(&p->set->lock);
	return t.n;
}

bool plugin_process_trouble(struct plugin_process *p, struct plugin_trouble *ret)
{
	bool any;

	pthread_mutex_lock(&p->set->lock);
	any = p->target.refused || p->target.refused_files || p->ended || p->left.code;
	if (any)
		*ret = (struct plugin_trouble){ .things = p->target.refused, .files = p->target.refused_files,
						.ended = p->ended, .left = p->left };
	p->target.refused = p->target.refused_files = p->ended = 0;
	p->left.code = 0;
	pthread_mutex_unlock(&p->set->lock);
	return any;
}
