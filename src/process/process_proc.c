/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_proc.c - reads a process as /proc shows it.
 *
 * What is read at a moment T replaces all that events have said before T, and events from before T
 * that arrive later are ignored (process.c compares with read_ns, taken before the first byte is
 * read). An event from after T that the text already shows is applied again, which changes nothing.
 * In between the order of events corrects what they repeat: if A is mapped at T+1 and B over it at
 * T+2 and the text shows B, then A comes back only until B's own event follows.
 */
#include "config.h"

#include "process/process_private.h"

#include "base/clock.h"
#include "base/hash.h"
#include "process/open.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#define START_SLACK_NS (100 * NSEC_PER_MSEC)     /* a start time in clock ticks is this vague at most */

/*
 * The path by which P, whose first thread is called COMM, runs FILE, 0 when it is by none that can be found; false when
 * that is not known now. execve() calls a process by the last part of the path that it was given: so when that is the
 * name of a link beside the file, it was the link.
 */
static bool find_run_path(const struct process *p, str_id file, const char *comm, str_id *ret)
{
	struct strtab *strings = dict_strings(p->ps->dict);
	const char *path = strtab_get(strings, file), *slash = strrchr(path, '/');
	char link[PROC_PATH_MAX];
	int led;

	*ret = 0;
	if (!slash || strchr(comm, '/'))
		return true;
	if (!strncmp(slash + 1, comm, COMM_MAX - 1)) {   /* comm is cut to so many bytes */
		*ret = file;
		return true;
	}
	if ((size_t)(slash + 1 - path) + strlen(comm) >= sizeof(link))
		return true;
	snprintf(link, sizeof(link), "%.*s%s", (int)(slash + 1 - path), path, comm);
	led = is_link_to(p->root, link, path);
	if (led == 1)
		*ret = strtab_adds(strings, link);
	return led >= 0;
}

static str_id run_path(const struct process *p, str_id file)
{
	const char *comm = thread_comm(p, p->pid);
	struct run_name *known = &p->ps->run_names[hash_2u64(file, hash_bytes(comm, strlen(comm))) % RUN_NAMES];
	str_id path;

	if (!comm[0])
		return 0;
	if (known->file != file || known->root != p->root || strcmp(known->comm, comm)) {
		if (!find_run_path(p, file, comm, &path))
			return 0;                /* and asked again */
		known->file = file;
		known->root = p->root;
		snprintf(known->comm, sizeof(known->comm), "%s", comm);
		known->path = path;
	}
	return known->path == STR_NONE ? 0 : known->path;
}

void process_set_exe(struct process *p, const char *path, size_t len, backing_id b)
{
	const str_id file = strtab_add(dict_strings(p->ps->dict), path, len);
	const str_id run_as = file == STR_NONE || !len ? 0 : run_path(p, file);
	const str_id exe = run_as ? run_as : file;

	if (file == STR_NONE)
		return;
	p->exe_file = file;
	p->exe_known = run_as;
	if (run_as && b != BACKING_NONE)
		files_run_as(p->ps->files, b, run_as);
	if (exe == p->exe)
		return;
	p->exe = exe;
	p->exe_changes++;
}

/*
 * Is NAME that of a jitdump file, "DIR/jit-NUMBER.dump"? Those of other processes are told apart
 * when it is opened (owner.c).
 */
static bool is_jitdump(const char *name, size_t len)
{
	const char *slash = memrchr(name, '/', len), *end;

	if (!slash || len < sizeof("/jit-1.dump") - 1)
		return false;
	end = name + len - (sizeof(".dump") - 1);
	if (memcmp(end, ".dump", sizeof(".dump") - 1) || end - slash < 6 || memcmp(slash, "/jit-", 5))
		return false;
	for (const char *p = slash + 5; p < end; p++)
		if (*p < '0' || *p > '9')
			return false;
	return true;
}

/*
 * A run-time compiler maps its jitdump file as a mark for whoever looks. The name is kept, unless
 * there is none any more: the mapping goes with the process. Returns the entry of the file.
 */
static backing_id add_jitdump(struct process *p, const struct place *place, const struct file_id *id, uint64_t since_ns)
{
	struct strtab *strings = dict_strings(p->ps->dict);
	const size_t len = strlen(place->path);
	const str_id dump = is_jitdump(place->path, len) ? strtab_add(strings, place->path, len) : STR_NONE;

	p->dump_file = files_add(p->ps->files, id, place, since_ns);
	if (dump == STR_NONE || dump == p->dump)
		return p->dump_file;
	p->dump = dump;
	if (p->anon != ID_NONE)
		owners_set_dump(p->ps->owners, p->anon, strtab_get(strings, dump));
	return p->dump_file;
}

backing_id process_backing(struct process *p, const char *name, size_t len, const struct file_id *id,
			   const struct mapping *m, uint64_t since_ns)
{
	struct files *fs = p->ps->files;
	char path[PROC_PATH_MAX];
	const enum map_what what = map_what(name, len);
	struct place place = { .pid = p->pid, .start = m->start, .end = m->end, .path = path, .root = p->root };

	/* A file without any identity could never be checked, so it is not looked for: the kernel was out of memory. */
	if (what == WHAT_ANON || (what == WHAT_FILE && !id->ino && !id->build_id_len))
		return BACKING_ANON;
	/* A longer path cannot be opened by name; what is left of it does for looking at. */
	if (len >= sizeof(path))
		len = sizeof(path) - 1;
	memcpy(path, name, len);
	path[len] = '\0';
	if (what == WHAT_FILE) {
		place.dump = is_jitdump(path, map_name_len(path, len, NULL));
		return place.dump ? add_jitdump(p, &place, id, since_ns) : files_add(fs, id, &place, since_ns);
	}
	return files_add_special(fs, path, what == WHAT_VDSO, m->end - m->start);
}

void process_renew(struct process *p, uint64_t start_ns, uint64_t start_ticks)
{
	struct space *empty = space_new();

	if (empty) {
		space_free(p->space);
		p->space = empty;
	} else if (space_own(&p->space)) {
		p->space->maps.n = 0;
	}
	root_leave(p->root);
	p->root = NULL;
	p->start_ns = start_ns;
	p->start_ticks = start_ticks;
	p->maps_known = p->kthread = p->denied = p->gone = p->dead = p->exe_next = false;
	p->read_ns = p->tried_ns = 0;
	p->exe = p->exe_file = 0;
	p->exe_known = false;
	p->exe_changes++;
	p->anon = ID_NONE;
	p->dump = 0;
	p->dump_file = BACKING_NONE;
	memset(&p->status, 0, sizeof(p->status));
	p->threads.n = p->nr_live = 0;
}

struct reading {
	struct process *p;
	struct space *space;
	uint64_t now_ns;
	struct maps_line file;   /* the last line of a file, named PATH; end 0 = none yet */
	char path[PROC_PATH_MAX];
	uint64_t reach;          /* up to where memory has followed it without a gap */
	/* the last line of executable memory, while the next one of a file is to come; end 0 = none */
	struct mapping memory;
	bool touches;            /* it follows FILE without a gap */
};

static struct file_id id_of(const struct maps_line *m)
{
	return (struct file_id){ .dev = makedev(m->maj, m->min), .ino = m->ino };
}

/*
 * The line of the file whose text may be in the memory that was read last; NULL = there is none.
 * NEXT is the line of a file behind it. That memory is between two mappings of one file, or at one:
 * a first mapping that is not of its beginning has lost that to the memory before.
 */
static const struct maps_line *moved_file(const struct reading *r, const struct maps_line *next)
{
	const struct maps_line *last = r->file.end ? &r->file : NULL;
	const bool at_next = next && next->start == r->memory.end;

	if (last && next && last->ino == next->ino && last->maj == next->maj && last->min == next->min)
		return last;
	if (at_next && (next->pgoff || !r->touches))
		return next;
	return r->touches ? last : NULL;
}

/* Settles what may lie behind the memory that was read last. */
static void settle_memory(struct reading *r, const struct maps_line *next)
{
	struct files *fs = r->p->ps->files;
	const struct maps_line *file = r->memory.end ? moved_file(r, next) : NULL;
	struct mapping map = r->memory;
	const struct mapping *known = space_find(r->p->space, map.start);
	char path[PROC_PATH_MAX];
	struct place place = { .pid = r->p->pid, .path = path, .root = r->p->root };
	struct moved where = { .start = map.start, .end = map.end };
	struct file_id id;
	size_t len;

	r->memory.end = 0;
	if (!file)
		return;
	id = id_of(file);
	len = file->name_len < sizeof(path) ? file->name_len : sizeof(path) - 1;
	memcpy(path, file->name, len);
	path[len] = '\0';
	place.start = file->start;
	place.end = file->end;
	where.addr = file->start;
	where.pgoff = file->pgoff;
	where.exec = file->exec;
	if (known && files_moved_again(fs, known->backing, &where)) {
		map.backing = known->backing;
	} else {
		const backing_id of = files_add(fs, &id, &place, r->now_ns);

		map.backing = of == BACKING_NONE ? of : files_add_moved(fs, of, r->p->pid, &where, map.backing);
	}
	if (map.backing != BACKING_NONE)
		space_map(r->space, &map);
}

/* Notes where the line M stands: by that, moved text is found. */
static void note_line(struct reading *r, const struct maps_line *m, bool memory)
{
	if (!memory && m->ino) {
		const size_t len = m->name_len < sizeof(r->path) ? m->name_len : sizeof(r->path) - 1;

		settle_memory(r, m);
		r->file = *m;
		memcpy(r->path, m->name, len);
		r->file.name = r->path;
		r->file.name_len = len;
		r->reach = m->end;
		return;
	}
	if (m->exec && memory)
		settle_memory(r, NULL);
	if (m->exec && memory)
		r->touches = m->start == r->reach;
	if (m->start == r->reach)
		r->reach = m->end;
}

/* Whether M is of the file that P runs, which it is known by which path. */
static bool is_executable(const struct process *p, const struct maps_line *m)
{
	const struct strtab *strings = dict_strings(p->ps->dict);

	return p->exe_known && m->ino && m->name_len == strtab_len(strings, p->exe_file) &&
	       !memcmp(m->name, strtab_get(strings, p->exe_file), m->name_len);
}

static void process_proc_take_line(void *ctx, const struct maps_line *m)
{
	const bool memory = map_is_memory(m->name, m->name_len) ||
		(m->exec && map_may_be_huge(m->maj, m->start, m->end, m->pgoff));
	struct reading *r = ctx;
	const struct file_id id = id_of(m);
	struct mapping map = { .start = m->start, .end = m->end, .pgoff = m->pgoff };

	note_line(r, m, memory);
	if (!m->exec)
		return;
	map.backing = process_backing(r->p, m->name, m->name_len, &id, &map, r->now_ns);
	if (is_executable(r->p, m))
		files_run_as(r->p->ps->files, map.backing, r->p->exe);
	if (map.backing == BACKING_ANON)
		map.pgoff = m->start;
	space_map(r->space, &map);
	if (memory)
		r->memory = map;
}

static bool same_maps(const struct space *a, const struct space *b)
{
	if (a->maps.n != b->maps.n)
		return false;
	for (size_t i = 0; i < a->maps.n; i++) {
		const struct mapping *x = &a->maps.v[i], *y = &b->maps.v[i];

		if (x->start != y->start || x->end != y->end || x->pgoff != y->pgoff || x->backing != y->backing)
			return false;
	}
	return true;
}

/* Whether the process behind ST is another one than P was: a number that was used again. */
static bool is_another(const struct process *p, const struct proc_stat *st)
{
	if (p->start_ticks)
		return st->start_ticks != p->start_ticks;
	return p->start_ns && proc_ticks_to_ns(st->start_ticks) > p->start_ns + START_SLACK_NS;
}

/* The identity of P: start, name of the first thread, root, executable. */
static bool process_proc_read_identity(struct process *p, int dir)
{
	char exe[PROC_PATH_MAX];
	const uint32_t changes = p->exe_changes;
	struct thread_now *leader;
	struct proc_stat st;
	struct root *root;
	ssize_t n;

	if (proc_read_stat(dir, &st))
		return false;
	if (is_another(p, &st))
		process_renew(p, 0, 0);
	if (!p->start_ns)
		p->start_ns = proc_ticks_to_ns(st.start_ticks);
	p->start_ticks = st.start_ticks;
	p->kthread = st.kthread;
	leader = thread_of(p, p->pid);
	if (leader && !leader->comm[0])
		thread_set_comm(leader, st.comm);
	if (p->kthread)
		return p->exe_changes != changes;
	root = roots_get(&p->ps->roots, dir);
	if (root) {
		root_leave(p->root);
		p->root = root;
	}
	n = proc_read_exe(dir, exe);
	if (n > 0)
		process_set_exe(p, exe, (size_t)n, BACKING_NONE);
	return p->exe_changes != changes;
}

/* The mappings of P. Nothing that was known is lost when they cannot be read. */
static bool process_proc_read_maps(struct process *p, int dir, uint64_t now)
{
	AUTO(space_free) struct space *fresh = space_new();
	struct reading r;
	struct space *old;
	ssize_t lines;

	if (!fresh)
		return false;
	r.p = p;
	r.space = fresh;
	r.now_ns = now;
	r.file.end = r.memory.end = r.reach = 0;
	p->ps->maps_read++;
	lines = proc_read_maps(dir, process_proc_take_line, &r);
	settle_memory(&r, NULL);
	if (lines <= 0) {
		/* A process whose memory is gone already shows no line: a zombie. */
		p->denied = lines == -EACCES || lines == -EPERM;
		p->gone = !p->denied && !p->maps_known;
		return false;
	}
	p->maps_known = true;
	p->denied = p->gone = p->exe_next = false;
	p->read_ns = now;
	if (same_maps(p->space, fresh))
		return false;
	old = p->space;
	p->space = take_ptr(fresh);
	space_free(old);
	return true;
}

bool process_read(struct process *p)
{
	const uint64_t now = clock_mono_ns();
	AUTO_FD int dir = process_dir(p);
	bool changed;

	p->tried_ns = now;
	if (dir < 0) {
		p->gone = !p->maps_known;
		return false;
	}
	changed = process_proc_read_identity(p, dir);
	if (!p->kthread)
		changed |= process_proc_read_maps(p, dir, now);
	p->tried_ns = clock_mono_ns();
	p->cost_ns = p->tried_ns - now;
	return changed;
}

struct glimpse {
	const struct files *files;
	struct unwind_map *map;
	size_t n, max;
};

static void glimpse_line(void *ctx, const struct maps_line *m)
{
	struct glimpse *g = ctx;
	struct unwind_map map = { .start = m->start, .end = m->end, .pgoff = m->pgoff };

	if (!m->exec || g->n == g->max)
		return;
	if (m->ino ? files_loaded(g->files, makedev(m->maj, m->min), m->ino, &map)
		   : g->n && map_what(m->name, m->name_len) == WHAT_VDSO &&
		   	files_vdso(g->files, m->end - m->start, &map))
		g->map[g->n++] = map;
}

size_t processes_glimpse(struct processes *ps, pid_t pid, struct unwind_map *ret, size_t max)
{
	struct glimpse g = { .files = ps->files, .map = ret, .max = max };

	ps->maps_read++;
	(void)proc_read_exec_maps(pid, glimpse_line, &g);
	return g.n;
}
