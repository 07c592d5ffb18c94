/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process.c - the table of processes, and what each kind of event does to it.
 *
 * A process is found by number. It stays for a while after its end, because samples arrive later
 * than they were taken, and goes then; what the symbolizer needs of it (roots, owners, files) has
 * owners of its own. A number that is used again makes a fresh process: a fork event says so, or
 * the start time in /proc when events were lost.
 */
#include "config.h"

#include "process/process_private.h"

#include "base/clock.h"
#include "base/parse.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#define LOAD_LIMIT_NS (2 * NSEC_PER_SEC)     /* a file that does not answer for so long counts as unreadable */
#define REREAD_NS (100 * NSEC_PER_MSEC)
/* reading maps takes at most a twentieth of the engine's time, per process */
#define REREAD_COSTS 20u
#define SWEEP_NS NSEC_PER_SEC
#define CHECK_NS (60 * NSEC_PER_SEC)         /* how often ends whose events were lost are looked for */
#define DEAD_NS (10 * NSEC_PER_SEC)          /* a process is kept so long after its end or its last sample */
#define DEAD_MAX 4096u                       /* and not so long when there are more of them, ... */
/* ... or when they have more mappings: 64 MB, and as much between two sweeps */
#define DEAD_MAPS_MAX (2u << 20)

/*
 * The clock of every sample and event: some milliseconds behind clock_mono_ns(), never ahead of it,
 * and ten times cheaper.
 */
static uint64_t coarse_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE);
}

int processes_new_with(struct dict *dict, load_fn *load, void *ctx, uint64_t limit_ns,
		       struct processes **ret, struct err *e)
{
	AUTO(processes_free) struct processes *ps = calloc(1, sizeof(*ps));
	int r;

	if (!ps)
		return err_nomem(e, "the table of processes");
	ps->dict = dict;
	ps->swept_ns = ps->checked_ns = coarse_ns();
	ps->cgroups = cgroups_new(dict_strings(dict));
	ps->owners = owners_new();
	if (!ps->cgroups || !ps->owners)
		return err_nomem(e, "the table of processes");
	r = files_new(dict, load, ctx, limit_ns, &ps->files, e);
	if (r)
		return r;
	*ret = take_ptr(ps);
	return 0;
}

void processes_name_containers(struct processes *ps, cgroup_namer *namer)
{
	cgroups_set_namer(ps->cgroups, namer);
}

struct processes *processes_new(struct dict *dict, struct err *e)
{
	struct processes *ps = NULL;

	processes_new_with(dict, load_file, NULL, LOAD_LIMIT_NS, &ps, e);
	return ps;
}

struct processes *processes_new_waiting(struct dict *dict, struct err *e)
{
	struct processes *ps = NULL;

	processes_new_with(dict, load_file, NULL, 0, &ps, e);
	return ps;
}

static void process_free(struct process *p)
{
	space_free(p->space);
	root_leave(p->root);
	vec_free(&p->threads);
	vec_free(&p->inside);
	free(p);
}

void processes_free(struct processes *ps)
{
	if (!ps)
		return;
	files_free(ps->files);
	for (size_t i = 0; i < ps->v.n; i++)
		process_free(ps->v.v[i]);
	vec_free(&ps->v);
	hidx_free(&ps->by_pid);
	cgroups_free(ps->cgroups);
	owners_free(ps->owners);
	roots_free(&ps->roots);
	free(ps);
}

static uint64_t pid_hash(pid_t pid)
{
	return hash_u64((uint64_t)(uint32_t)pid + 1);
}

static uint64_t process_rehash(const void *ctx, uint32_t i)
{
	const struct processes *ps = ctx;

	return pid_hash(ps->v.v[i]->pid);
}

static struct process *process_find(const struct processes *ps, pid_t pid)
{
	const uint64_t h = pid_hash(pid);
	uint32_t i;

	hidx_each(&ps->by_pid, h, i)
		if (ps->v.v[i]->pid == pid)
			return ps->v.v[i];
	return NULL;
}

/* The process PID, added empty when it is not known; NULL when out of memory. */
static struct process *find_or_add(struct processes *ps, pid_t pid)
{
	struct process *p = process_find(ps, pid);

	if (p || !vec_reserve(&ps->v, 1))
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->ps = ps;
	p->pid = pid;
	p->anon = ID_NONE;
	p->dump_file = BACKING_NONE;
	p->space = space_new();
	if (!p->space || !hidx_add(&ps->by_pid, pid_hash(pid), (uint32_t)ps->v.n, process_rehash, ps)) {
		process_free(p);
		return NULL;
	}
	ps->v.v[ps->v.n++] = p;
	return p;
}

/* Whether /proc may be read again for P. */
static bool may_read(const struct process *p, uint64_t now)
{
	const uint64_t wait = p->cost_ns * REREAD_COSTS;

	return !p->tried_ns || now - p->tried_ns >= (wait > REREAD_NS ? wait : REREAD_NS);
}

struct process *processes_get(struct processes *ps, pid_t pid)
{
	struct process *p = find_or_add(ps, pid);

	if (!p)
		return NULL;
	p->used_ns = coarse_ns();
	if (!p->kthread && (p->doubted || (!p->maps_known && may_read(p, clock_mono_ns())))) {
		p->doubted = false;
		process_read(p);
	}
	return p;
}

void processes_recorded(struct processes *ps)
{
	ps->recorded = true;
}

int process_dir(const struct process *p)
{
	return p->ps->recorded ? -ESRCH : proc_open(p->pid);
}

void process_doubt(struct process *p)
{
	p->doubted = true;
}

void processes_doubt(struct processes *ps)
{
	for (size_t i = 0; i < ps->v.n; i++)
		ps->v.v[i]->doubted = true;
}

/* What lies behind MAP, memory that takes the place of a file's text: perhaps that text, moved there. */
static backing_id in_place_of(struct process *p, const struct mapping *map)
{
	struct moved where = { .start = map->start, .end = map->end };
	const struct mapping *before = space_find(p->space, map->start);
	backing_id of, b;

	if (!before || !files_text_before(p->ps->files, before, &of, &where))
		return map->backing;
	b = files_add_moved(p->ps->files, of, p->pid, &where, map->backing);
	return b == BACKING_NONE ? map->backing : b;
}

static void apply_mmap(struct processes *ps, const struct raw_event *ev)
{
	const struct raw_mmap *m = &ev->mmap;
	struct mapping map = { .start = m->start, .end = m->start + m->len, .pgoff = m->pgoff,
			       .backing = BACKING_NONE };
	struct file_id id = { .build_id_len = m->build_id_len, .ino = m->ino, .generation = m->ino_generation,
			      .dev = makedev(m->maj, m->min) };
	struct process *p = find_or_add(ps, ev->pid);
	const size_t len = strlen(m->path);

	/* A reading of /proc that is younger has seen this mapping, or what came after it. */
	if (!p || ev->time_ns <= p->read_ns || map.end <= map.start || id.build_id_len > BUILD_ID_MAX)
		return;
	memcpy(id.build_id, m->build_id, id.build_id_len);
	if (m->prot & PROT_EXEC)
		map.backing = process_backing(p, m->path, len, &id, &map, ev->time_ns);
	if (map.backing == BACKING_ANON)
		map.pgoff = map.start;
	if (map.backing != BACKING_NONE && (map_is_memory(m->path, len) ||
					    map_may_be_huge(m->maj, map.start, map.end, m->pgoff)))
		map.backing = in_place_of(p, &map);
	if (p->exe_next && map.backing != BACKING_NONE && map_what(m->path, len) == WHAT_FILE) {
		p->exe_next = false;
		process_set_exe(p, m->path, map_name_len(m->path, len, NULL), map.backing);
	}
	if (space_own(&p->space))
		space_map(p->space, &map);
}

/* A new program: nothing of the old one is mapped. It may have come with another root (a container that starts). */
static void apply_exec(struct processes *ps, struct process *p, uint64_t time_ns)
{
	AUTO_FD int dir = -1;
	struct space *empty;
	struct root *root;

	if (time_ns <= p->read_ns)
		return;
	empty = space_new();
	if (empty) {
		space_free(p->space);
		p->space = empty;
	}
	p->maps_known = true;
	p->gone = p->denied = p->kthread = false;
	p->exe_next = true;
	p->dump = 0;
	p->dump_file = BACKING_NONE;
	if (p->anon != ID_NONE)
		owners_set_dump(ps->owners, p->anon, NULL);
	/* A container that starts does so with a child in a pid namespace of its own, and then executes its program. */
	memset(&p->status, 0, sizeof(p->status));
	dir = process_dir(p);
	root = dir >= 0 ? roots_get(&ps->roots, dir) : NULL;
	if (root) {
		root_leave(p->root);
		p->root = root;
	}
}

static void apply_comm(struct processes *ps, const struct raw_event *ev)
{
	struct process *p = find_or_add(ps, ev->pid);
	struct thread_now *t = p ? thread_of(p, ev->tid) : NULL;

	if (t)
		thread_set_comm(t, ev->comm.comm);
	if (p && ev->comm.exec)
		apply_exec(ps, p, ev->time_ns);
}

/* CHILD starts with what PARENT has. */
static void process_inherit(struct process *child, struct process *parent)
{
	if (!parent->maps_known && !parent->kthread)
		process_read(parent);
	space_free(child->space);
	child->space = space_ref(parent->space);
	child->maps_known = parent->maps_known;
	child->kthread = parent->kthread;
	root_leave(child->root);
	child->root = root_use(parent->root);
	child->exe = parent->exe;
	child->exe_file = parent->exe_file;
	child->exe_known = parent->exe_known;
	child->dump_file = parent->dump_file;
	child->exe_changes++;
	if (parent->status.root_ns)
		child->status = (struct proc_status){ .ns_pid = child->pid, .root_ns = true,
						      .uid = parent->status.uid };
}

static void apply_fork(struct processes *ps, const struct raw_event *ev)
{
	struct process *parent = find_or_add(ps, ev->fork.ppid);
	struct process *p = find_or_add(ps, ev->pid);
	struct thread_now *from = parent ? thread_of(parent, ev->fork.ptid) : NULL;
	char comm[COMM_MAX + 1] = "";
	struct thread_now *t;

	if (!p || !parent)
		return;
	if (from)
		memcpy(comm, from->comm, sizeof(comm));
	if (p != parent && ev->time_ns > p->read_ns) {
		process_renew(p, ev->time_ns, 0);
		process_inherit(p, parent);
	}
	t = thread_of(p, ev->tid);
	if (!t)
		return;
	if (t->dead)
		thread_revive(p, t);
	if (!t->comm[0])
		thread_set_comm(t, comm);
	p->dead = false;
}

/*
 * P's part of the mappings that it may share with others: those who share them are all of them
 * together, dead or not.
 */
static size_t part_of_maps(const struct process *p)
{
	return p->space->maps.n / p->space->refs;
}

static void apply_exit(struct processes *ps, const struct raw_event *ev)
{
	struct process *p = process_find(ps, ev->pid);

	if (!p || !threads_end(p, ev->tid))
		return;
	p->dead = true;
	p->used_ns = coarse_ns();
	ps->ends++;
	ps->ended_maps += part_of_maps(p);
}

/* Forgets the dead that nobody has asked for during AGE_NS. Whether more are left than are kept for long. */
static bool process_retire(struct processes *ps, uint64_t now, uint64_t age_ns)
{
	size_t kept = 0, dead = 0, maps = 0;

	for (size_t i = 0; i < ps->v.n; i++) {
		struct process *p = ps->v.v[i];

		if (p->dead && now - p->used_ns >= age_ns) {
			process_free(p);
			ps->retired++;
			continue;
		}
		if (p->dead) {
			dead++;
			maps += part_of_maps(p);
		}
		ps->v.v[kept++] = p;
	}
	ps->v.n = kept;
	return dead > DEAD_MAX || maps > DEAD_MAPS_MAX;
}

/* Looks for processes whose end was not seen, because an event was lost or came before they were known. */
static void check_alive(struct processes *ps, uint64_t now)
{
	for (size_t i = 0; i < ps->v.n; i++) {
		struct process *p = ps->v.v[i];

		threads_trim(p);
		if (!p->dead && !ps->recorded && kill(p->pid, 0) && errno == ESRCH) {
			p->dead = true;
			p->used_ns = now;
		}
	}
}

/* Files that are still mapped somewhere, or were when a sample that waits was taken. */
static void mark_files(struct processes *ps)
{
	for (size_t i = 0; i < ps->v.n; i++) {
		files_mark(ps->files, ps->v.v[i]->space);
		files_mark_one(ps->files, ps->v.v[i]->dump_file);
	}
	for (const struct process_hold *h = ps->holds; h; h = h->next)
		files_mark(ps->files, h->space);
}

static void index_processes(struct processes *ps)
{
	hidx_free(&ps->by_pid);
	for (size_t i = 0; i < ps->v.n; i++)
		hidx_add(&ps->by_pid, pid_hash(ps->v.v[i]->pid), (uint32_t)i, process_rehash, ps);
}

void processes_forget(struct processes *ps, pid_t pid)
{
	for (size_t i = 0; i < ps->v.n; i++)
		if (ps->v.v[i]->pid == pid) {
			process_free(ps->v.v[i]);
			ps->v.v[i] = ps->v.v[--ps->v.n];
			index_processes(ps);
			return;
		}
}

static void process_sweep(struct processes *ps)
{
	uint64_t now = coarse_ns();

	if (now - ps->swept_ns < SWEEP_NS && ps->ends < DEAD_MAX && ps->ended_maps < DEAD_MAPS_MAX &&
	    !files_crowded(ps->files))
		return;
	ps->swept_ns = now;
	ps->ends = 0;
	ps->ended_maps = 0;
	now = clock_mono_ns();
	if (now - ps->checked_ns >= CHECK_NS) {
		ps->checked_ns = now;
		check_alive(ps, now);
	}
	for (uint64_t age = DEAD_NS; process_retire(ps, now, age); age /= 2)
		;
	index_processes(ps);
	roots_trim(&ps->roots, now);
	if (!files_crowded(ps->files))
		return;
	mark_files(ps);
	files_sweep(ps->files);
}

void processes_apply(struct processes *ps, const struct raw_event *ev)
{
	switch (ev->kind) {
	case RAW_SAMPLE:
	case RAW_WAIT:
	case RAW_WAIT_STACK:
	case RAW_WAKE:
	case RAW_MOVE:
	case RAW_FAULT:
	case RAW_EVENT:
	case RAW_INSIDE:
	case RAW_HANDOVER:
		return;
	case RAW_MMAP:
		apply_mmap(ps, ev);
		break;
	case RAW_COMM:
		apply_comm(ps, ev);
		break;
	case RAW_FORK:
		apply_fork(ps, ev);
		break;
	case RAW_EXIT:
		apply_exit(ps, ev);
		break;
	}
	process_sweep(ps);
}

int processes_scan(struct processes *ps, const pid_t *pids, size_t n, struct err *e)
{
	AUTO_DIR DIR *d = NULL;
	const struct dirent *de;

	if (ps->recorded)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!processes_get(ps, pids[i]))
			return err_nomem(e, "the table of processes");
	if (n)
		return 0;
	d = opendir("/proc");
	if (!d)
		return err_set(e, errno, "cannot read /proc: %s (is it mounted?)", strerror(errno));
	while ((de = readdir(d))) {
		const char *p = de->d_name, *end = p + strlen(p);
		uint64_t pid;

		if (parse_dec(&p, end, &pid) && p == end && pid && pid <= INT32_MAX && !processes_get(ps, (pid_t)pid))
			return err_nomem(e, "the table of processes");
	}
	return 0;
}

/* The module of P's memory without a file. Its owner is written down now, while it can still be asked. */
static module_id anon_module(struct process *p)
{
	struct module m = { .kind = MODULE_ANON, .pid = p->pid, .start_ns = p->start_ns };
	AUTO_FD int dir = -1;
	struct owner o;

	if (p->anon != ID_NONE)
		return p->anon;
	p->anon = dict_module(p->ps->dict, &m);
	if (p->anon == ID_NONE)
		return p->anon;
	dir = process_dir(p);
	if (dir >= 0)
		proc_read_status(dir, &p->status);
	o = (struct owner){ .pid = p->pid, .start_ticks = p->start_ticks, .status = p->status, .root = p->root,
			    .dump = p->dump ? strtab_get(dict_strings(p->ps->dict), p->dump) : NULL };
	owners_add(p->ps->owners, p->anon, &o);
	return p->anon;
}

/*
 * What a walk is told of M in V. LOAD: when its file is not loaded, that is asked for; else it is
 * not told of then, and that is false.
 */
static bool tell_map(const struct view *v, const struct mapping *m, bool load, struct unwind_map *ret)
{
	bool pending;

	*ret = (struct unwind_map){ .start = m->start, .end = m->end, .pgoff = m->pgoff, .state = MAP_ANON };
	if (m->backing != BACKING_ANON && load)
		files_state(v->p->ps->files, m->backing, ret);
	else if (m->backing != BACKING_ANON && !files_is_ready(v->p->ps->files, m->backing, ret))
		return false;
	if (ret->state == MAP_ANON) {
		ret->module = anon_module(v->p);
		ret->pgoff = ret->start;
		ret->made = files_made(v->p->ps->files, v->p->dump_file, &pending);
		ret->state = pending ? MAP_LOADING : MAP_ANON;
	}
	return true;
}

static bool find_map(void *ctx, uint64_t pc, struct unwind_map *ret)
{
	const struct view *v = ctx;
	const struct mapping *m = space_find(v->space, pc);

	return m && tell_map(v, m, true, ret);
}

static size_t list_maps(void *ctx, struct unwind_map *ret, size_t max, bool load)
{
	const struct view *v = ctx;
	size_t n = 0;

	for (size_t i = 0; i < v->space->maps.n && n < max; i++)
		if (tell_map(v, &v->space->maps.v[i], load && i < max, &ret[n]) &&
		    (ret[n].state == MAP_READY || ret[n].state == MAP_ANON))
			n++;
	return n;
}

static struct unwind_space space_of_view(struct processes *ps)
{
	return (struct unwind_space){ .find = find_map, .list = list_maps, .ctx = &ps->view };
}

struct unwind_space process_space(struct processes *ps, struct process *p)
{
	ps->view = (struct view){ .p = p, .space = p->space };
	return space_of_view(ps);
}

module_id process_data_at(struct processes *ps, struct process *p, uint64_t addr, uint64_t *ret_vaddr)
{
	const struct mapping *m = space_find_before(p->space, addr);
	struct unwind_map map = { 0 };
	uint64_t vaddr;

	if (!m || m->backing == BACKING_ANON || !files_is_ready(ps->files, m->backing, &map) ||
	    map.state != MAP_READY || !map.image || !image_vaddr(map.image, m->pgoff, &vaddr))
		return ID_NONE;
	vaddr += addr - m->start;
	if (!image_holds(map.image, vaddr))
		return ID_NONE;
	*ret_vaddr = vaddr;
	return map.module;
}

struct process_hold *process_hold(struct processes *ps, struct process *p)
{
	struct process_hold *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->space = space_ref(p->space);
	h->next = ps->holds;
	if (h->next)
		h->next->prev = h;
	ps->holds = h;
	return h;
}

void process_release(struct processes *ps, struct process_hold *h)
{
	if (!h)
		return;
	if (h->next)
		h->next->prev = h->prev;
	if (h->prev)
		h->prev->next = h->next;
	else
		ps->holds = h->next;
	space_free(h->space);
	free(h);
}

struct unwind_space process_held_space(struct processes *ps, struct process *p, const struct process_hold *h)
{
	ps->view = (struct view){ .p = p, .space = h->space };
	return space_of_view(ps);
}

bool process_reread(struct processes *ps, struct process *p)
{
	return !p->kthread && may_read(p, clock_mono_ns()) && process_read(p);
}

bool process_gone(const struct process *p)
{
	return p->gone;
}

bool process_denied(const struct process *p)
{
	return p->denied;
}

unsigned int processes_poll(struct processes *ps)
{
	return files_poll(ps->files);
}

int processes_fd(const struct processes *ps)
{
	return files_fd(ps->files);
}

int processes_open_symbols(struct processes *ps, module_id module, uid_t *ret_uid, struct err *e)
{
	const struct module *m = dict_get_module(ps->dict, module);

	if (m && m->kind == MODULE_ANON)
		return owners_open_map(ps->owners, module, ret_uid, e);
	return files_open(ps->files, module, e);
}

int processes_open_process(struct processes *ps, module_id module)
{
	return owners_open_process(ps->owners, module);
}

int processes_open_code(struct processes *ps, module_id module, struct err *e)
{
	const struct module *m = dict_get_module(ps->dict, module);

	if (m && m->kind == MODULE_ANON)
		return owners_open_memory(ps->owners, module, e);
	return files_open(ps->files, module, e);
}

int processes_open_source(struct processes *ps, module_id module, const char *path)
{
	return files_open_beside(ps->files, module, path);
}

int processes_open_root(struct processes *ps, module_id module)
{
	return files_open_root(ps->files, module);
}

const struct unread *processes_unread(const struct processes *ps)
{
	return files_unread(ps->files);
}

struct image *processes_image(struct processes *ps, module_id module)
{
	return files_image(ps->files, module);
}

void processes_stats(const struct processes *ps, struct process_stats *ret)
{
	struct files_stats fs;

	files_stats(ps->files, &fs);
	*ret = (struct process_stats){ .processes = (uint32_t)ps->v.n, .loading = fs.loading,
				       .maps_read = ps->maps_read,
				       .loads = fs.loads, .load_failures = fs.failures, .retired = ps->retired,
				       .bytes = fs.bytes };
	for (size_t i = 0; i < ps->v.n; i++) {
		const struct process *p = ps->v.v[i];

		ret->denied += p->denied;
		ret->bytes += sizeof(*p) + p->threads.cap * sizeof(*p->threads.v) +
			      p->inside.cap * sizeof(*p->inside.v) +
			space_bytes(p->space) / p->space->refs;
	}
}
