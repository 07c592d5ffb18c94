// SPDX-License-Identifier: BSD-2-Clause
/* handle.c - a handle of libsberf: what it is made of, the processes that it knows, and what they have mapped. */
#include "config.h"

#include "lib/handle.h"

#include "base/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define MODULES_MAX 16384u       /* that sberf_modules() tells of one process */
#define OPTIONS_MAX 4096u        /* bytes of any structure that a caller may give */

int lib_take_struct(struct sberf *s, void *ret, size_t size, const void *given)
{
	struct err *e = s ? &s->err : NULL;
	size_t theirs;

	memcpy(&theirs, given, sizeof(theirs));
	if (theirs < sizeof(theirs) || theirs > OPTIONS_MAX)
		return err_set(e, EINVAL, "a structure says that it has %zu bytes: set its size to its sizeof",
			       theirs);
	for (size_t i = size; i < theirs; i++)
		if (((const unsigned char *)given)[i])
			return err_set(e, EINVAL, "a structure has members that this libsberf does not know");
	memset(ret, 0, size);
	memcpy(ret, given, theirs < size ? theirs : size);
	return 0;
}

static struct sberf *new_handle(const struct sberf_options *o, int *ret_error)
{
	struct sberf *s = calloc(1, sizeof(*s));

	*ret_error = -ENOMEM;
	if (!s)
		return NULL;
	s->mode = o->mode;
	s->flags = o->flags;
	s->symfs = o->symfs ? strdup(o->symfs) : NULL;
	s->dict = dict_new();
	s->texts = strtab_new();
	s->unwinder = unwinder_new();
	if (o->remote) {
		*ret_error = remote_new(o->remote, &s->remote, NULL);
		if (*ret_error) {
			sberf_close(s);
			return NULL;
		}
		*ret_error = -ENOMEM;
	}
	if ((o->symfs && !s->symfs) || !s->dict || !s->texts || !s->unwinder) {
		sberf_close(s);
		return NULL;
	}
	s->ps = o->flags & SBERF_BACKGROUND ? processes_new(s->dict, &s->err) :
		processes_new_waiting(s->dict, &s->err);
	if (!s->ps) {
		*ret_error = -s->err.code;
		sberf_close(s);
		return NULL;
	}
	return s;
}

int sberf_open(struct sberf **ret, const struct sberf_options *options)
{
	struct sberf_options o = { 0 };
	struct sberf *s;
	int rc = 0;

	if (options)
		rc = lib_take_struct(NULL, &o, sizeof(o), options);
	if (rc)
		return rc;
	if (o.mode > SBERF_OFF || o.flags & ~(SBERF_BACKGROUND | SBERF_DEBUGINFOD))
		return -EINVAL;
	s = new_handle(&o, &rc);
	if (!s)
		return rc;
	if (o.mode == SBERF_FORCE)
		unwinder_use_tables_only(s->unwinder);
	else if (o.mode == SBERF_FP)
		unwinder_use_frame_pointers_only(s->unwinder);
	else if (o.mode == SBERF_OFF)
		unwinder_use_no_callers(s->unwinder);
	*ret = s;
	return 0;
}

void sberf_close(struct sberf *s)
{
	if (!s)
		return;
	lib_names_clear(s);
	lib_added_clear(s);
	lib_put_clear(s);
	remote_free(s->remote);
	keyed_free(&s->known);
	keyed_free(&s->told);
	unwinder_free(s->unwinder);
	processes_free(s->ps);
	strtab_free(s->texts);
	dict_free(s->dict);
	free(s->symfs);
	free(s);
}

int sberf_mode(const char *name)
{
	static const struct {
		const char *name;
		enum sberf_mode mode;
	} modes[] = {
		{ "fallback", SBERF_FALLBACK }, { "dwarf", SBERF_FALLBACK }, { "force", SBERF_FORCE },
		{ "fp", SBERF_FP }, { "off", SBERF_OFF },
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!name || !strcmp(name, modes[i].name))
			return (int)modes[i].mode;
	return -EINVAL;
}

const char *sberf_error(const struct sberf *s)
{
	return s->err.text;
}

struct process *lib_process(struct sberf *s, pid_t pid, int *ret_error)
{
	struct process *p;

	if (pid <= 0) {
		*ret_error = err_set(&s->err, ESRCH, "%d is not the number of a process", (int)pid);
		return NULL;
	}
	p = processes_get(s->ps, pid);
	if (!p)
		*ret_error = err_nomem(&s->err, "the table of processes");
	else if (process_denied(p))
		*ret_error = err_set(&s->err, EPERM, "the mappings of process %d may not be read: that needs "
				     "CAP_SYS_PTRACE, or to be its user", (int)pid);
	else if (process_gone(p))
		*ret_error = err_set(&s->err, ESRCH, "there is no process %d", (int)pid);
	else
		return p;
	return NULL;
}

int sberf_process_add(struct sberf *s, pid_t pid)
{
	int rc = 0;

	lib_begin(s);
	(void)lib_process(s, pid, &rc);
	return rc;
}

int sberf_process_forget(struct sberf *s, pid_t pid)
{
	lib_begin(s);
	processes_forget(s->ps, pid);
	lib_drop_rules(s, pid);
	return 0;
}

/* EV as the table of processes wants it. */
static int to_raw(struct sberf *s, const struct sberf_event *ev, struct raw_event *ret)
{
	*ret = (struct raw_event){ .time_ns = ev->time_ns, .pid = ev->pid, .tid = ev->tid };
	if (ev->pid <= 0 || ev->tid < 0 || ev->build_id_length > BUILD_ID_MAX)
		return err_set(&s->err, EINVAL, "an event of process %d makes no sense", (int)ev->pid);
	switch (ev->kind) {
	case SBERF_EVENT_MAP:
		if (!ev->path || ev->start + ev->length < ev->start)
			return err_set(&s->err, EINVAL, "an event tells a mapping without a path, or of no length");
		ret->kind = RAW_MMAP;
		ret->mmap = (struct raw_mmap){ .start = ev->start, .len = ev->length, .pgoff = ev->offset,
					       .prot = ev->protection, .maj = ev->major_number,
					       .min = ev->minor_number, .ino = ev->inode,
					       .ino_generation = ev->inode_generation, .path = ev->path };
		if (ev->build_id) {
			ret->mmap.build_id_len = (uint8_t)ev->build_id_length;
			memcpy(ret->mmap.build_id, ev->build_id, ev->build_id_length);
		}
		return 0;
	case SBERF_EVENT_EXEC:
		ret->kind = RAW_COMM;
		ret->comm = (struct raw_comm){ .exec = true, .comm = "" };
		return 0;
	case SBERF_EVENT_FORK:
		ret->kind = RAW_FORK;
		ret->fork = (struct raw_fork){ .ppid = ev->parent_pid, .ptid = ev->parent_tid };
		return 0;
	case SBERF_EVENT_EXIT:
		ret->kind = RAW_EXIT;
		return 0;
	case SBERF_EVENT_UNMAP:
		return 0;
	default:
		return err_set(&s->err, EINVAL, "there is no kind %u of events", ev->kind);
	}
}

/* What PID has mapped is read again when it is next asked for. */
static int forget_mappings(struct sberf *s, pid_t pid)
{
	struct process *p = processes_get(s->ps, pid);

	if (!p)
		return err_nomem(&s->err, "the table of processes");
	process_doubt(p);
	lib_drop_rules(s, pid);
	return 0;
}

int sberf_process_event(struct sberf *s, const struct sberf_event *event)
{
	struct sberf_event ev;
	struct raw_event raw;
	int rc;

	lib_begin(s);
	rc = lib_take_struct(s, &ev, sizeof(ev), event);
	if (!rc)
		rc = to_raw(s, &ev, &raw);
	if (rc)
		return rc;
	if (ev.kind == SBERF_EVENT_UNMAP)
		return forget_mappings(s, ev.pid);
	processes_apply(s->ps, &raw);
	if (ev.kind == SBERF_EVENT_EXEC || (ev.kind == SBERF_EVENT_MAP && ev.protection & PROT_EXEC) ||
	    (ev.kind == SBERF_EVENT_EXIT && ev.pid == ev.tid))
		lib_drop_rules(s, ev.pid);
	return 0;
}

static uint32_t kind_of(enum module_kind kind)
{
	switch (kind) {
	case MODULE_VDSO:
		return SBERF_MODULE_VDSO;
	case MODULE_KERNEL:
		return SBERF_MODULE_KERNEL;
	case MODULE_ANON:
		return SBERF_MODULE_MEMORY;
	default:
		return SBERF_MODULE_FILE;
	}
}

static void tell_module(const struct sberf *s, module_id id, const struct module *m, struct sberf_module *ret)
{
	*ret = (struct sberf_module){ .id = id, .kind = kind_of(m->kind),
				      .path = strtab_get(dict_strings(s->dict), m->path),
				      .build_id = m->build_id_len ? m->build_id : NULL,
				      .build_id_length = m->build_id_len };
}

int sberf_module_info(struct sberf *s, uint32_t id, struct sberf_module *ret)
{
	const struct module *m = dict_get_module(s->dict, id);

	if (!m)
		return err_set(&s->err, ENOENT, "there is no module %u", id);
	tell_module(s, id, m, ret);
	return 0;
}

int sberf_modules(struct sberf *s, pid_t pid, sberf_module_fn *fn, void *arg)
{
	AUTO_FREE struct unwind_map *map = malloc(MODULES_MAX * sizeof(*map));
	struct unwind_space space;
	struct sberf_module told;
	struct process *p;
	int rc = 0;
	size_t n;

	lib_begin(s);
	p = map ? lib_process(s, pid, &rc) : NULL;
	if (!map)
		return err_nomem(&s->err, "a list of modules");
	if (!p)
		return rc;
	space = process_space(s->ps, p);
	n = space.list(space.ctx, map, MODULES_MAX, true);
	if (processes_poll(s->ps))
		n = space.list(space.ctx, map, MODULES_MAX, true);
	for (size_t i = 0; i < n && !rc; i++) {
		const struct module *m = dict_get_module(s->dict, map[i].module);

		if (!m)
			continue;
		tell_module(s, map[i].module, m, &told);
		told.start = map[i].start;
		told.end = map[i].end;
		told.offset = map[i].pgoff;
		rc = fn(&told, arg);
	}
	return rc;
}

int sberf_fd(const struct sberf *s)
{
	return processes_fd(s->ps);
}

int sberf_poll(struct sberf *s)
{
	lib_begin(s);
	return (int)processes_poll(s->ps);
}

int sberf_stats(const struct sberf *s, struct sberf_stats *ret)
{
	struct sberf_stats st = { .size = ret->size };
	struct process_stats ps;
	struct unwind_stats u;

	if (ret->size < sizeof(ret->size) || ret->size > sizeof(st))
		return -EINVAL;
	processes_stats(s->ps, &ps);
	unwinder_stats(s->unwinder, &u);
	st.stacks = u.samples;
	st.frames = u.frames;
	st.guessed_frames = u.fp_frames;
	st.cut_stacks = s->cut_stacks;
	st.processes = ps.processes;
	st.files_read = ps.loads;
	st.files_failed = ps.load_failures;
	st.unreadable_files = s->counts.unreadable_modules + s->counts.unreadable_details;
	st.damaged = s->counts.damaged_symbols + s->counts.damaged_details + s->counts.refused_lines;
	st.bytes = ps.bytes + u.bytes + dict_bytes(s->dict) + strtab_bytes(s->texts);
	st.tokens = s->told.n;
	st.rules = s->put.next_row;
	st.remote_failed = s->remote_failed;
	st.rules_refused = s->put.refused;
	memcpy(ret, &st, ret->size);
	return 0;
}
