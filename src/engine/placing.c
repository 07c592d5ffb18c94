/* SPDX-License-Identifier: BSD-2-Clause */
/* placing.c - see placing.h. */
#include "config.h"

#include "engine/placing.h"

#include "base/vec.h"
#include "bpf/wire.h"
#include "model/probes.h"
#include "probe/find_syscalls.h"
#include "probe/functions.h"
#include "probe/kinds.h"
#include "probe/site.h"
#include "probe/spec.h"
#include "probe/usdt.h"
#include "symbol/elffile.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_MAX 4096u          /* executable files of one process that are looked at */

/* A probe in programs. */
struct in_program {
	struct spec spec;
	uint32_t probe;          /* its number */
	char *target;            /* its file without symbolic links, where it is named by a path; NULL */
};

struct placing {
	VEC(struct capture_call) calls;
	VEC(struct in_program) points;
};

/* The number of S; PROBE_NONE. */
static uint32_t placing_number(const struct spec *s)
{
	char text[SPEC_TEXT_MAX];

	spec_text(s, text);
	return probes_add(text, strlen(text), s->measure != SPEC_COUNT && spec_has_latency(s) ? UNIT_TIME : UNIT_COUNT);
}

static int placing_read(const char *text, struct spec *s, uint32_t *ret, struct err *e)
{
	const int r = spec_parse(text, s, e);

	if (r < 0)
		return r;
	*ret = placing_number(s);
	if (*ret != PROBE_NONE)
		return 0;
	return err_set(e, ENOSPC, "probe '%.100s' has no place: there can be %u probes, with %u bytes of text each",
		       text, PROBES_MAX, PROBES_TEXT_MAX - 1);
}

int placing_measure(const char *text, unsigned int *ret, struct err *e)
{
	struct spec s;
	uint32_t probe;
	const int r = placing_read(text, &s, &probe, e);

	if (!r)
		*ret = probes_measure_id(probe);
	return r;
}

static bool is_in_program(const struct spec_point *p)
{
	return p->kind == PROBE_ENTRY || p->kind == PROBE_USDT;
}

/* What is understood, and cannot be placed. */
static int refuse_unplaced(const struct spec *s, const char *text, struct err *e)
{
	const struct spec_point *p = &s->point[0];

	if (s->span)
		return err_set(e, EOPNOTSUPP, "probe '%.100s' is a span, which sberf cannot place yet", text);
	if (p->kind != PROBE_SYSCALL && !is_in_program(p))
		return err_set(e, EOPNOTSUPP, "probe '%.100s' is a %s, and sberf can place system calls "
			       "(sys:), functions "
			       "(uprobe:) and static probes (usdt:) only", text, probe_kind_info(p->kind)->name);
	if (p->when.n || s->sum.n)
		return err_set(e, EOPNOTSUPP, "probe '%.100s' has a condition or a sum, which sberf cannot "
			       "evaluate yet", text);
	return 0;
}

static int placing_calls(struct placing *p, const struct spec *s, const char *text, uint32_t probe, struct err *e)
{
	found_syscalls found = { 0 };
	int r = find_syscalls(&s->point[0], NULL, &found, e);

	for (size_t i = 0; r >= 0 && i < found.n; i++) {
		const struct capture_call call = { .nr = found.v[i].number, .probe = probe };

		for (size_t k = 0; k < p->calls.n; k++)
			if (p->calls.v[k].nr == call.nr)
				r = err_set(e, EEXIST, "probes '%.100s' and '%.100s' are both about %s: leave one of "
					    "them out", text,
					    probes_measure(p->calls.v[k].probe)->name, found.v[i].name);
		if (r >= 0 && !vec_reserve(&p->calls, 1))
			r = err_nomem(e, "probes");
		if (r >= 0)
			p->calls.v[p->calls.n++] = call;
	}
	vec_free(&found);
	return r < 0 ? r : 0;
}

static int placing_point(struct placing *p, const struct spec *s, uint32_t probe, struct err *e)
{
	struct in_program *at = vec_push(&p->points);

	if (!at)
		return err_nomem(e, "probes");
	*at = (struct in_program){ .spec = *s, .probe = probe };
	if (strchr(s->point[0].target, '/'))
		at->target = realpath(s->point[0].target, NULL);
	return 0;
}

int placing_new(const char *const *texts, size_t n, struct placing **ret, struct err *e)
{
	AUTO(placing_free) struct placing *p = calloc(1, sizeof(*p));

	if (!p)
		return err_nomem(e, "probes");
	for (size_t i = 0; i < n; i++) {
		struct spec s;
		uint32_t probe;
		int r = placing_read(texts[i], &s, &probe, e);

		r = r ? r : refuse_unplaced(&s, texts[i], e);
		if (!r)
			r = is_in_program(&s.point[0]) ? placing_point(p, &s, probe, e) :
				placing_calls(p, &s, texts[i], probe, e);
		if (r)
			return r;
	}
	*ret = take_ptr(p);
	return 0;
}

void placing_free(struct placing *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->points.n; i++)
		free(p->points.v[i].target);
	vec_free(&p->points);
	vec_free(&p->calls);
	free(p);
}

void placing_plan(const struct placing *p, struct capture_plan *plan)
{
	plan->calls = p->calls.v;
	plan->nr_calls = (uint32_t)p->calls.n;
	plan->places_to_come = placing_in_programs(p);
}

bool placing_in_programs(const struct placing *p)
{
	return p->points.n;
}

/* A file that a process executes, and where it is mapped: what is in /proc/PID/map_files. */
struct executed {
	struct placing_file id;
	uint64_t start, end;
	char *path;
};

typedef VEC(struct executed) executed_vec;

static void add_executed(void *ctx, const struct maps_line *m)
{
	executed_vec *files = ctx;
	struct executed *at;

	if (!m->exec || !m->ino || files->n >= FILES_MAX)
		return;
	for (size_t i = 0; i < files->n; i++)
		if (files->v[i].id.ino == m->ino && files->v[i].id.maj == m->maj && files->v[i].id.min == m->min)
			return;
	at = vec_push(files);
	if (at)
		*at = (struct executed){ .id = { m->maj, m->min, m->ino }, .start = m->start, .end = m->end,
					 .path = strndup(m->name, map_name_len(m->name, m->name_len, NULL)) };
}

/* The places of all probes in one file. */
struct places_in_file {
	VEC(uint64_t) offset;
	VEC(uint64_t) semaphore;
	VEC(uint64_t) cookie;
};

static int add_place(struct places_in_file *to, uint64_t offset, uint64_t semaphore, uint32_t probe, struct err *e)
{
	uint64_t *o, *s, *c;

	if (to->offset.n >= LINK_PLACES_MAX)
		return err_set(e, E2BIG, "the probes mean more than %u places in one file: name fewer",
			       LINK_PLACES_MAX);
	o = vec_push(&to->offset);
	s = vec_push(&to->semaphore);
	c = vec_push(&to->cookie);
	if (!o || !s || !c)
		return err_nomem(e, "probes");
	*o = offset;
	*s = semaphore;
	*c = SB_COOKIE(SB_PROBE_PLACED + probe, 0);
	return 0;
}

static int add_functions(struct places_in_file *to, const struct elf_file *elf,
			 const struct in_program *x, struct err *e)
{
	AUTO(functions_free) struct functions *all = NULL;
	const struct site_wish wish = { 0 };
	found_functions found = { 0 };
	int r = functions_new(elf, NULL, &all, e);

	r = r < 0 ? r : find_functions(all, &x->spec.point[0], &found, e);
	for (size_t i = 0; r >= 0 && i < found.n; i++) {
		struct probe_site site;

		/* A resolver runs once, and is not what was meant. */
		if (found.v[i].resolver)
			continue;
		r = site_of_function(elf, &found.v[i], &wish, &site, e);
		r = r < 0 ? r : add_place(to, site.offset, 0, x->probe, e);
	}
	vec_free(&found);
	return r;
}

static int add_static_probes(struct places_in_file *to, const struct elf_file *elf, const struct in_program *x,
			     struct err *e)
{
	usdt_sites found = { 0 };
	int r = find_usdt(elf, &x->spec.point[0], &found, NULL, e);

	if (!r)
		r = err_set(e, ENOENT, "it has no static probes");
	for (size_t i = 0; r >= 0 && i < found.n; i++)
		r = add_place(to, found.v[i].offset, found.v[i].semaphore, x->probe, e);
	vec_free(&found);
	return r;
}

/* Is what X is about in the file PATH? */
static bool is_about(const struct in_program *x, const char *path)
{
	return probe_target_is(x->spec.point[0].target, path) || (x->target && !strcmp(x->target, path));
}

/* One process that is looked at. */
struct looking {
	const struct placing *p;
	pid_t pid;
	const struct placing_visitor *v;
	uint64_t met;            /* probes of which there are places, by their number, as a mask */
	int places;
	struct err *e;
};

static void look_into(struct looking *l, const struct executed *x)
{
	AUTO(elf_file_free) struct elf_file *elf = NULL;
	struct places_in_file found = { 0 };
	struct link_places places = { .kind = LINK_ENTRY, .pid = l->pid };
	char path[64];
	AUTO_FD int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)l->pid, (unsigned long long)x->start,
		 (unsigned long long)x->end);
	for (size_t i = 0; i < l->p->points.n; i++) {
		const struct in_program *point = &l->p->points.v[i];
		const size_t before = found.offset.n;

		if (!is_about(point, x->path))
			continue;
		if (fd < 0)
			fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd < 0) {
			err_set(l->e, errno, "cannot open %s of process %d: %s", x->path, (int)l->pid, strerror(errno));
			break;
		}
		if (!elf && elf_file_open(fd, &elf, l->e) < 0)
			break;
		(void)(point->spec.point[0].kind == PROBE_USDT ? add_static_probes(&found, elf, point, l->e) :
		       add_functions(&found, elf, point, l->e));
		if (found.offset.n > before)
			l->met |= (uint64_t)1 << point->probe;
	}
	places.path = path;
	places.n = (uint32_t)found.offset.n;
	places.offset = found.offset.v;
	places.semaphore = found.semaphore.v;
	places.cookie = found.cookie.v;
	l->places += (int)found.offset.n;
	if (places.n && l->v && l->v->place)
		l->v->place(l->v->ctx, &x->id, &places);
	vec_free(&found.offset);
	vec_free(&found.semaphore);
	vec_free(&found.cookie);
}

static int look_at(struct looking *l)
{
	executed_vec files = { 0 };
	AUTO_FD int dir = proc_open(l->pid);
	const ssize_t r = dir < 0 ? dir : proc_read_maps(dir, add_executed, &files);

	for (size_t i = 0; i < files.n; i++) {
		const struct executed *x = &files.v[i];

		if (r >= 0 && x->path && (!l->v || !l->v->wants || l->v->wants(l->v->ctx, &x->id)))
			look_into(l, x);
		free(x->path);
	}
	vec_free(&files);
	return r < 0 ? err_set(l->e, (int)-r, "cannot read what process %d has mapped: %s", (int)l->pid,
			       strerror((int)-r)) : 0;
}

int placing_look(const struct placing *p, pid_t pid, const struct placing_visitor *v, struct err *e)
{
	struct looking l = { .p = p, .pid = pid, .v = v, .e = e };
	const int r = look_at(&l);

	return r < 0 ? r : l.places;
}

int placing_check(const struct placing *p, const uint32_t *pids, size_t n, struct err *e)
{
	struct err why = ERR_INIT;
	uint64_t met = 0;

	for (size_t i = 0; i < n; i++) {
		struct looking l = { .p = p, .pid = (pid_t)pids[i], .e = &why };

		(void)look_at(&l);
		met |= l.met;
	}
	for (size_t i = 0; i < p->points.n; i++) {
		const struct in_program *x = &p->points.v[i];

		if (!(met >> x->probe & 1))
			return err_set(e, ENOENT, "probe '%.100s' has no place in the target%s%s",
				       probes_measure(x->probe)->name,
				       why.text[0] ? ": " : ": no file that it executes is called so", why.text);
	}
	return 0;
}
