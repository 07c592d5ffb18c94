/* SPDX-License-Identifier: BSD-2-Clause */
/* placing_look.c - looks for probes in the files that a process executes; see placing.h. */
#include "config.h"

#include "engine/placing_private.h"

#include "base/text.h"
#include "base/vec.h"
#include "bpf/wire.h"
#include "collector/proclink.h"
#include "model/probes.h"
#include "probe/kinds.h"
#include "probe/memory_notes.h"
#include "probe/unreturning.h"
#include "symbol/elffile.h"
#include "system/lookup.h"
#include "system/maps.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMM_BYTES 16u           /* of the name of a process, with its end */
#define FILES_MAX 4096u          /* executable files of one process that are looked at */

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

/* Is what X is about in the file PATH? */
static bool is_about(const struct in_program *x, const char *path)
{
	return probe_target_is(x->spec.point[0].target, path) || (x->target && !strcmp(x->target, path));
}

/*
 * Where redis-server is a link to redis-check-rdb, who runs by that name is meant by it: is X about the program of a
 * process that is called COMM? The kernel keeps 15 bytes of it.
 */
static bool is_about_program(const struct in_program *x, const char *comm)
{
	const char *target = x->spec.point[0].target;

	return target[0] && !strchr(target, '/') && !strncmp(target, comm, COMM_BYTES - 1) &&
		(strlen(comm) == COMM_BYTES - 1 || strlen(comm) == strlen(target));
}

bool placing_is_about(const struct placing *p, const char *path, const char *comm)
{
	if (p->interval)
		return true;
	for (size_t i = 0; i < p->points.n; i++)
		if ((path && is_about(&p->points.v[i], path)) || (comm && is_about_program(&p->points.v[i], comm)))
			return true;
	return false;
}

/* One process that is looked at. */
struct looking {
	const struct placing *p;
	pid_t pid;
	const struct placing_visitor *v;
	/* probes of which there are places, by their number, as a mask: the second of ends of spans */
	uint64_t met[2];
	uint64_t about[2];       /* the same of those that are about a file of the process, whatever is in it */
	int places;
	bool allocates;          /* it has functions that do */
	uint64_t own_met;        /* which of placing.own there are, as a mask */
	bool unwinds;            /* it can throw exceptions */
	bool preloaded;          /* the library of ours is in it, which tells of all blocks */
	/* its executable, and what it is called itself, which a link to it may have named; own: as a probe says */
	char exe[PATH_MAX], comm[64];
	bool own;
	struct err *e;
};

/* Tells of what was found in the file ID, which is at PATH: its places of KIND, ALL from number FROM on. */
static void tell_places(struct looking *l, const struct placing_file *id, const char *path,
			const struct places_in_file *all, size_t from, enum link_kind kind, enum link_of of)
{
	struct link_places places = {
		.kind = kind, .of = of, .path = path, .pid = l->pid, .n = (uint32_t)(all->offset.n - from),
		.loads = l->p->loads->set,
	};

	if (!places.n)
		return;
	places.offset = all->offset.v + from;
	places.semaphore = all->semaphore.v + from;
	places.cookie = all->cookie.v + from;
	places.cost_ns = all->cost_ns.v + from;
	if (l->v && l->v->place)
		l->v->place(l->v->ctx, id, &places);
}

/* Opens X, at PATH, unless it is. */
static bool placing_open(struct looking *l, const struct executed *x, const char *path, struct file_at_hand *f)
{
	if (f->elf)
		return true;
	if (f->fd < 0)
		f->fd = proclink_open(path);
	if (f->fd < 0) {
		err_set(l->e, -f->fd, "cannot open %s of process %d: %s", x->path, (int)l->pid, strerror(-f->fd));
		return false;
	}
	return elf_file_open(f->fd, &f->elf, l->e) >= 0;
}

/* WHY a probe has no place, or not all of them, in a file of L. */
static void placing_note_why(struct looking *l, uint32_t probe, const struct err *why)
{
	if (!why->text[0])
		return;
	if (l->e)
		*l->e = *why;
	if (l->v && l->v->missed)
		l->v->missed(l->v->ctx, probe, why->text);
}

/* How many places of each kind F has. */
struct places_before {
	size_t moments, calls, begins, ends, returned;
};

static struct places_before places_in(const struct file_at_hand *f)
{
	return (struct places_before){ f->moments.offset.n, f->calls.offset.n, f->begins.offset.n, f->ends.offset.n,
				       f->returned.offset.n };
}

/* Tells of the places of one probe in F, which is X at PATH: those that have come since BEFORE. */
static void tell_probe(struct looking *l, const struct executed *x, const char *path, const struct file_at_hand *f,
		       const struct places_before *before)
{
	/* A return without an entry is left out; an entry without its return would look like an exception. */
	tell_places(l, &x->id, path, &f->returned, before->returned, LINK_RETURN, LINK_OF_MOMENTS);
	tell_places(l, &x->id, path, &f->moments, before->moments, LINK_ENTRY, LINK_OF_MOMENTS);
	/* In this order each return belongs to an entry that was seen ... */
	tell_places(l, &x->id, path, &f->calls, before->calls, LINK_ENTRY, LINK_OF_BEGINS);
	tell_places(l, &x->id, path, &f->calls, before->calls, LINK_RETURN, LINK_OF_ENDS);
	/* ... and each entry that is seen has its end seen. */
	tell_places(l, &x->id, path, &f->ends, before->ends, LINK_ENTRY, LINK_OF_ENDS);
	tell_places(l, &x->id, path, &f->begins, before->begins, LINK_ENTRY, LINK_OF_BEGINS);
}

static bool placing_is_ours(const struct executed *x)
{
	return x->path && probe_target_is(MEMORY_NOTES_LIBRARY, x->path);
}

/* The places of F where it tells of blocks that it has sampled, unless another one does of the same blocks. */
static void tell_told(struct looking *l, const struct executed *x, const char *path, struct file_at_hand *f)
{
	if (l->preloaded && !placing_is_ours(x))
		return;
	at_hand_add_told(f, l->p->frees, l->e);
	l->allocates |= f->allocs.offset.n;
	/* As of functions: no block that is known stays for ever. */
	tell_places(l, &x->id, path, &f->frees, 0, LINK_ENTRY, LINK_OF_TOLD_FREES);
	tell_places(l, &x->id, path, &f->allocs, 0, LINK_ENTRY, LINK_OF_TOLD_ALLOCS);
}

/* The functions of F that allocate memory. */
static void tell_allocators(struct looking *l, const struct executed *x, const char *path, struct file_at_hand *f)
{
	const bool pairs = link_way_of(LINK_SESSION) == LINK_NOT;

	at_hand_add_allocators(f, l->p, &l->own_met, l->e);
	l->allocates |= f->allocs.offset.n || f->go_allocs.offset.n;
	tell_places(l, &x->id, path, &f->go_allocs, 0, LINK_ENTRY, LINK_OF_GO_ALLOCS);
	/* A free that comes between is of nothing that is known; a block that does would stay for ever. */
	tell_places(l, &x->id, path, &f->frees, 0, LINK_ENTRY, LINK_OF_FREES);
	if (pairs)
		tell_places(l, &x->id, path, &f->allocs, 0, LINK_RETURN, LINK_OF_ALLOC_ENDS);
	tell_places(l, &x->id, path, &f->allocs, 0, pairs ? LINK_ENTRY : LINK_SESSION, LINK_OF_ALLOCS);
}

static void look_into(struct looking *l, const struct executed *x)
{
	struct file_at_hand f = { .fd = -1, .debug_fd = -1, .loads = l->p->loads, .name = x->path,
				  .passed = l->unwinds, .tries = l->p->tries, .pid = l->pid };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)l->pid, (unsigned long long)x->start,
		 (unsigned long long)x->end);
	for (size_t i = 0; i < l->p->points.n; i++) {
		const struct in_program *point = &l->p->points.v[i];
		const struct places_before before = places_in(&f);
		const size_t had = at_hand_places(&f);
		struct err why = ERR_INIT;

		if (!is_about(point, x->path) &&
		    !(l->own && !strcmp(l->exe, x->path) && is_about_program(point, l->comm)))
			continue;
		if (!placing_open(l, x, path, &f))
			break;
		l->about[point->span == SB_SPAN_END] |= (uint64_t)1 << point->probe;
		(void)(point->spec.point[0].kind == PROBE_USDT ? at_hand_add_static(&f, point, &why) :
		       at_hand_add_functions(&f, point, &why));
		placing_note_why(l, point->probe, &why);
		if (at_hand_places(&f) > had)
			l->met[point->span == SB_SPAN_END] |= (uint64_t)1 << point->probe;
		tell_probe(l, x, path, &f, &before);
	}
	if (l->p->interval && placing_open(l, x, path, &f))
		(l->p->told ? tell_told : tell_allocators)(l, x, path, &f);
	l->places += (int)at_hand_places(&f);
	if (l->v && l->v->gone && !proclink_is_there(path))
		l->v->gone(l->v->ctx, &x->id);
	at_hand_close(&f);
}

/* Does IS hold for the program of PID? */
static bool program_is(pid_t pid, bool (*is)(const struct elf_file *f))
{
	AUTO(elf_file_free) struct elf_file *elf = NULL;
	AUTO_FD int fd = -1;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = proclink_open(path);
	return fd >= 0 && elf_file_open(fd, &elf, NULL) >= 0 && is(elf);
}

static bool has_unreturning(const struct elf_file *f)
{
	return unreturning_file(f);
}

/* Can PID, which executes FILES, throw exceptions? By its libraries, or what is linked into it. */
static bool executed_unwinds(pid_t pid, const executed_vec *files)
{
	for (size_t i = 0; i < files->n; i++)
		if (files->v[i].path && unreturning_library(files->v[i].path))
			return true;
	return program_is(pid, has_unreturning);
}

/*
 * Is PID, which executes FILES, at its start still, with no library behind program and loader? Ours comes as the first.
 * Whoever tells of blocks by itself is left alone until then: it is looked at again when there is more.
 */
static bool has_no_library_yet(pid_t pid, const executed_vec *files)
{
	return files->n <= 2 && program_is(pid, memory_notes_has_loader);
}

static int look_at(struct looking *l)
{
	executed_vec files = { 0 };
	AUTO_FD int dir = proc_open(l->pid);
	const ssize_t r = dir < 0 ? dir : proc_read_maps(dir, add_executed, &files);
	const ssize_t n = dir < 0 ? -1 : readlinkat(dir, "exe", l->exe, sizeof(l->exe) - 1);
	bool early;

	l->exe[n > 0 ? n : 0] = '\0';
	/* Where that is refused: the program is what is mapped lowest. */
	if (n < 0 && files.n && files.v[0].path)
		text_format(l->exe, sizeof(l->exe), "%s", files.v[0].path);
	lookup_comm(l->pid, l->comm, sizeof(l->comm));
	l->own = placing_is_about(l->p, NULL, l->comm);
	l->unwinds = (l->v && l->v->everywhere) || executed_unwinds(l->pid, &files);
	for (size_t i = 0; i < files.n; i++)
		l->preloaded |= placing_is_ours(&files.v[i]);
	early = l->p->told && l->v && has_no_library_yet(l->pid, &files);
	for (size_t i = 0; i < files.n; i++) {
		const struct executed *x = &files.v[i];

		if (r >= 0 && x->path && !early && (!l->v || !l->v->wants || l->v->wants(l->v->ctx, &x->id, l->own)))
			look_into(l, x);
		free(x->path);
	}
	vec_free(&files);
	return r < 0 ? err_set(l->e, (int)-r, "cannot read what process %d has mapped: %s", (int)l->pid,
			       strerror((int)-r)) : 0;
}

bool placing_unwinds(pid_t pid)
{
	executed_vec files = { 0 };
	AUTO_FD int dir = proc_open(pid);
	const bool r = dir >= 0 && proc_read_maps(dir, add_executed, &files) >= 0 && executed_unwinds(pid, &files);

	for (size_t i = 0; i < files.n; i++)
		free(files.v[i].path);
	vec_free(&files);
	return r;
}

int placing_look(const struct placing *p, pid_t pid, const struct placing_visitor *v, struct err *e)
{
	struct looking l = { .p = p, .pid = pid, .v = v, .e = e };
	const int r = look_at(&l);

	return r < 0 ? r : l.places;
}

int placing_check(const struct placing *p, const uint32_t *pids, size_t n, uint64_t *ret_absent, struct err *e)
{
	struct err why = ERR_INIT;
	uint64_t met[2] = { 0, 0 }, about[2] = { 0, 0 };
	bool allocates = false;
	uint64_t own_met = 0;

	for (size_t i = 0; i < n; i++) {
		struct err last = ERR_INIT;
		struct looking l = { .p = p, .pid = (pid_t)pids[i], .e = &last };

		/* Among all processes of a machine some end meanwhile. */
		if ((!look_at(&l) || !ret_absent) && last.code)
			why = last;
		for (unsigned int k = 0; k < 2; k++) {
			met[k] |= l.met[k];
			about[k] |= l.about[k];
		}
		allocates |= l.allocates;
		own_met |= l.own_met;
	}
	if (ret_absent)
		*ret_absent = 0;
	if (p->told && !allocates)
		return err_set(e, ENOENT, "nothing in the target samples its memory by the static probes "
			       MEMORY_NOTES_PROVIDER ":" MEMORY_NOTES_ALLOC "(address, bytes, weight) and "
			       MEMORY_NOTES_PROVIDER ":" MEMORY_NOTES_FREE "(address): start it by sberf record "
			       "--memory=preload -- COMMAND, or use --memory=allocs%s%s", why.text[0] ? ": " : "",
			       why.text);
	for (size_t i = 0; i < p->own.n; i++)
		if (!(own_met >> i & 1))
			return err_set(e, ENOENT, "no function '%.*s' that can be probed is found in '%.*s' of the "
				       "target, which --allocator names%s%s", (int)p->own.v[i].function_len,
				       p->own.v[i].function, (int)p->own.v[i].target_len, p->own.v[i].target,
				       why.text[0] ? ": " : "", why.text);
	if (p->interval && !allocates)
		return err_set(e, ENOENT, "no function that allocates memory is found in the target, by the names of "
			       "malloc(3)%s%s", why.text[0] ? ": " : "", why.text);
	for (size_t i = 0; i < p->points.n; i++) {
		const struct in_program *x = &p->points.v[i];
		const bool end = x->span == SB_SPAN_END;

		if (met[end] >> x->probe & 1)
			continue;
		if (ret_absent && !(about[end] >> x->probe & 1)) {
			*ret_absent |= (uint64_t)1 << x->probe;
			continue;
		}
		/* Where it was typed nobody has to be told which one it is. */
		if (p->tries)
			return err_set(e, ENOENT, "%s", why.text[0] ? why.text :
				       "no file that the target executes is called so");
		return err_set(e, ENOENT, "probe '%.100s' has no place in the target%s%s",
			       probes_measure(x->probe)->name,
			       why.text[0] ? ": " : ": no file that it executes is called so", why.text);
	}
	return 0;
}
