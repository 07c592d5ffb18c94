/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names_worker.c - one batch at a time: tells the worker what it does not know yet, asks, does its errands, and
 * keeps what it says until the next batch.
 */
#include "config.h"

#include "symbol/names_worker.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/sizes.h"
#include "base/text.h"
#include "base/vec.h"
#include "plugin/worker_blame.h"
#include "symbol/target_root.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TRIES_MAX 128u                   /* of one batch, with longer and longer pauses after one that was killed */
#define FILE_BYTES_MAX (16ull << 30)     /* of a debug file that is handed out */
/* A worker that has used so much is replaced before its limit ends it. */
#define RETIRE_NS (300 * NSEC_PER_SEC)

struct told_module {
	bool known;
	bool told;                   /* to the worker that there is */
	bool plain;                  /* it has no details */
	bool said;                   /* what could not be read of it */
	struct worker_blame blame;
	struct names_module is;
	char *path, *called;
};

/* A function that the worker that there is has said. */
struct told_function {
	char *text;                  /* NULL = the number tells all */
	uint32_t user;               /* the caller's number of it; 0 = none yet */
};

struct kept_name {
	struct names_record record;
	const char *text, *file, *dir;       /* TEXT: of a name without a token */
};

struct kept_place {
	struct names_question q;
	size_t first, n;             /* of the names */
};

struct names_worker {
	struct elf_names_files files;
	char *symfs;
	struct symbolizer_stats *stats;
	struct unread *unread;
	struct worker worker;
	VEC(struct told_module) modules;     /* by id */
	module_id at;                /* that the worker works on; ID_NONE = none */
	struct names_counts counts;  /* of the worker */
	VEC(struct told_function) functions; /* by token - 1 */
	/* of the last batch */
	bool details;
	VEC(struct kept_place) places;
	VEC(struct kept_name) names;
	struct arena texts;
	size_t next;                 /* of places: where the last one was found */
	unsigned int kills;          /* by somebody else, since a batch was answered last */
	bool start_failed;
	bool only;                   /* no other worker is started */
	struct names_message in, out;
};

struct names_worker *names_worker_new(const struct elf_names_files *files, const char *symfs,
				      struct symbolizer_stats *stats, struct unread *unread)
{
	AUTO(names_worker_free) struct names_worker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->files = *files;
	w->stats = stats;
	w->unread = unread;
	w->worker.socket = -1;
	w->at = ID_NONE;
	/* The worker has no folder that a path could be relative to. */
	w->symfs = symfs ? realpath(symfs, NULL) : strdup("");
	if (!w->symfs)
		w->symfs = strdup("");
	return w->symfs ? take_ptr(w) : NULL;
}

struct names_worker *names_worker_of(int socket, const struct elf_names_files *files, struct symbolizer_stats *stats,
				     struct unread *unread)
{
	struct names_worker *w = names_worker_new(files, NULL, stats, unread);

	if (w) {
		w->worker.socket = socket;
		w->only = true;
	}
	return w;
}

/* Forgets what the last batch said. */
static void names_worker_forget(struct names_worker *w)
{
	w->places.n = w->names.n = w->next = 0;
	arena_reset(&w->texts);
}

/* Ends the worker, and forgets what only that one knew. How it had ended before, to DST. */
static void names_worker_end(struct names_worker *w, bool is_ending, char *dst, size_t dst_size)
{
	worker_stop(&w->worker, is_ending, dst, dst_size);
	for (size_t i = 0; i < w->modules.n; i++)
		w->modules.v[i].told = false;
	for (size_t i = 0; i < w->functions.n; i++)
		free(w->functions.v[i].text);
	w->functions.n = 0;
	w->counts = (struct names_counts){ 0 };
	w->at = ID_NONE;
}

void names_worker_free(struct names_worker *w)
{
	char how[96];

	if (!w)
		return;
	names_worker_end(w, false, how, sizeof(how));
	names_worker_forget(w);
	for (size_t i = 0; i < w->modules.n; i++) {
		free(w->modules.v[i].path);
		free(w->modules.v[i].called);
	}
	vec_free(&w->modules);
	vec_free(&w->functions);
	vec_free(&w->places);
	vec_free(&w->names);
	free(w->symfs);
	free(w);
}

bool names_worker_add(struct names_worker *w, module_id id, const struct module *m, const char *path,
		      const char *called)
{
	struct told_module fresh = { .known = true, .is = { .kind = m->kind, .build_id_len = m->build_id_len } };

	while (w->modules.n <= id) {
		struct told_module *more = vec_push(&w->modules);

		if (!more)
			return false;
		*more = (struct told_module){ 0 };
	}
	memcpy(fresh.is.build_id, m->build_id, sizeof(fresh.is.build_id));
	fresh.path = strndup(path, NAMES_FILE_MAX);
	fresh.called = strndup(called, NAMES_FILE_MAX);
	if (!fresh.path || !fresh.called) {
		free(fresh.path);
		free(fresh.called);
		return false;
	}
	w->modules.v[id] = fresh;
	return true;
}

static struct told_module *names_worker_module(const struct names_worker *w, module_id id)
{
	return id < w->modules.n && w->modules.v[id].known ? &w->modules.v[id] : NULL;
}

/* The message is in w->out but for its length. False: the worker does not take it. */
static bool names_worker_send(struct names_worker *w, enum names_op op, module_id module, uint32_t flag, size_t length,
			      int fd)
{
	struct pollfd p = { .fd = w->worker.socket, .events = POLLOUT };
	int r;

	w->out.head = (struct names_head){ .op = op, .length = (uint32_t)length, .module = module, .flag = flag,
					   .result = w->out.head.result };
	do
		r = names_message_send(w->worker.socket, &w->out, fd);
	while (r == -EAGAIN && poll(&p, 1, worker_patience_ms()) > 0);
	w->out.head.result = 0;
	return !r;
}

/* The text TEXT, shorter than PATH_MAX, as a message. */
static bool names_worker_send_text(struct names_worker *w, enum names_op op, module_id module, const char *text)
{
	const size_t len = strlen(text);

	memcpy(w->out.body, text, len + 1);
	return names_worker_send(w, op, module, 0, len + 1, -1);
}

void names_worker_call(struct names_worker *w, module_id id, const char *called)
{
	struct told_module *m = names_worker_module(w, id);
	char *copy = m ? strndup(called, NAMES_FILE_MAX) : NULL;

	if (!copy)
		return;
	free(m->called);
	m->called = copy;
	/* A worker that is gone is found when it is asked. */
	if (m->told && w->worker.socket >= 0)
		(void)names_worker_send_text(w, NAMES_CALLED, id, copy);
}

bool names_worker_may_detail(const struct names_worker *w, module_id id)
{
	const struct told_module *m = names_worker_module(w, id);

	return m && m->is.kind == MODULE_FILE && !m->plain && !m->blame.left;
}

/* The worker is of no use any more: WHY, NULL = it has ended. Whatever it was at may be to blame. False. */
static bool names_worker_fail(struct names_worker *w, const char *why)
{
	struct told_module *m = names_worker_module(w, w->at);
	char how[96];

	names_worker_end(w, !why, how, sizeof(how));
	w->stats->workers_ended++;
	if (!why && worker_was_killed(&w->worker)) {
		w->kills++;
		return false;
	}
	if (m && worker_blame(&m->blame, m->path, why ? why : how, w->unread))
		w->stats->files_left++;
	return false;
}

/* Waits for a message, to w->in. False: a fault, or nobody wants to know any more. */
static bool names_worker_take(struct names_worker *w)
{
	struct pollfd p = { .fd = w->worker.socket, .events = POLLIN };
	struct worker_patience silence = { 0 };
	ssize_t n;

	while (poll(&p, 1, WORKER_LOOK_MS) <= 0) {
		const char *why;

		/* Mostly it answers at once. */
		if (!silence.start_ns)
			worker_patience_begin(&silence, &w->worker);
		why = worker_patience_over(&silence, &w->worker);
		if (atomic_load(w->files.stop))
			return false;
		if (why && poll(&p, 1, 0) <= 0)
			return names_worker_fail(w, why);
	}
	n = names_message_take(w->worker.socket, true, &w->in, NULL);
	if (n == 0 || n == -ECONNRESET)
		return names_worker_fail(w, NULL);
	return n > 0 || names_worker_fail(w, "it sent what makes no sense");
}

static bool names_worker_start(struct names_worker *w)
{
	struct err e = ERR_INIT;
	char how[96];

	if (w->worker.pid && worker_cpu_ns(&w->worker) > RETIRE_NS)
		names_worker_end(w, false, how, sizeof(how));
	if (w->worker.socket >= 0 || w->only)
		return w->worker.socket >= 0;
	if (worker_start(NAMES_JOB, -1, &w->worker, &e)) {
		if (!w->start_failed)
			unread_add(w->unread, "files of code", &e);
		w->start_failed = true;
		return false;
	}
	if (!names_worker_take(w))
		return false;
	if (w->in.head.op != NAMES_HELLO || w->in.head.result)
		return names_worker_fail(w, "it could not begin");
	return names_worker_send_text(w, NAMES_SETUP, 0, w->symfs) || names_worker_fail(w, NULL);
}

static bool names_worker_tell(struct names_worker *w, module_id id)
{
	struct told_module *m = names_worker_module(w, id);
	const size_t path = strlen(m->path) + 1, called = strlen(m->called) + 1;
	struct names_module *is = (struct names_module *)w->out.body;

	if (m->told)
		return true;
	*is = m->is;
	memcpy(is->text, m->path, path);
	memcpy(is->text + path, m->called, called);
	m->told = names_worker_send(w, NAMES_MODULE, id, 0, offsetof(struct names_module, text) + path + called, -1);
	return m->told || names_worker_fail(w, NULL);
}

/* An ELF file at PATH, in the root of module ID or ours. */
static int names_worker_open_path(const struct names_worker *w, module_id id, const char *path, bool in_root)
{
	AUTO_FD int root = in_root ? w->files.root(w->files.ctx, id) : -1;
	AUTO_FD int fd = -1;
	char head[4];
	struct stat st;

	if (path[0] != '/' || (in_root && root < 0))
		return -ENOENT;
	fd = target_root_open(root, path);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || (uint64_t)st.st_size > FILE_BYTES_MAX ||
	    pread(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head) || memcmp(head, "\177ELF", sizeof(head)) != 0)
		return -ENOEXEC;
	return take_fd(&fd);
}

/* Does what the worker asks for in w->in. False: it is gone. */
static bool names_worker_errand(struct names_worker *w)
{
	const module_id id = w->in.head.module;
	struct told_module *m = names_worker_module(w, id);
	struct err e = ERR_INIT;
	AUTO_FD int fd = -ENOENT;
	bool hidden = false;

	if (!m || atomic_load(w->files.stop))
		fd = -ENOENT;
	else if (w->in.head.op == NAMES_OPEN)
		fd = w->files.open(w->files.ctx, id, &e);
	else if (w->in.head.op == NAMES_PATH)
		fd = names_worker_open_path(w, id, (const char *)w->in.body, w->in.head.flag);
	else if (w->in.head.op == NAMES_FETCH)
		fd = w->files.debuginfo(w->files.ctx, id, w->in.body, (uint8_t)w->in.head.length, m->path);
	else
		fd = w->files.root(w->files.ctx, id);
	hidden = w->in.head.op == NAMES_ROOT;
	if (e.code && m && !m->said) {
		m->said = true;
		unread_add(w->unread, m->path, &e);
	}
	w->out.head.result = fd < 0 ? fd : 0;
	/* A root is used here alone. */
	return names_worker_send(w, NAMES_FILE, id, 0, 0, hidden ? -1 : fd);
}

/* What the worker could not read of a module, once. */
static void names_worker_take_unread(struct names_worker *w)
{
	struct told_module *m = names_worker_module(w, w->in.head.module);
	struct unread u, clean = { .n = 1 };

	if (!m || m->said)
		return;
	m->said = true;
	memcpy(&u, w->in.body, sizeof(u));
	for (size_t i = 0; i < UNREAD_MAX; i++)
		text_sanitise(clean.text[i], sizeof(clean.text[i]), u.text[i],
			      strnlen(u.text[i], sizeof(u.text[i]) - 1));
	unread_join(w->unread, &clean);
}

/* The function of the record R, which has a token; false: that makes no sense. */
static bool names_worker_take_function(struct names_worker *w, const struct names_record *r, const char *text)
{
	struct told_function *f;

	if (r->token <= w->functions.n)
		return !r->text;
	if (r->token != w->functions.n + 1 || !r->text || !vec_reserve(&w->functions, 1))
		return false;
	f = &w->functions.v[w->functions.n];
	*f = (struct told_function){ .text = strdup(text) };
	w->functions.n += f->text != NULL;
	return f->text;
}

/* What is said in w->in of the places Q, of which there are N. */
static bool names_worker_take_said(struct names_worker *w, const struct names_question *q, size_t n)
{
	struct names_record r;
	struct names_texts t;
	size_t at = 0;
	int more;

	while ((more = names_record_next(w->in.body, w->in.head.length, &at, &r, &t)) > 0) {
		struct kept_place *p;
		struct kept_name *name;

		if (r.place >= n || r.place + 1 < w->places.n ||
		    (r.token && !names_worker_take_function(w, &r, t.text)))
			return false;
		while (w->places.n <= r.place) {
			p = vec_push(&w->places);
			if (!p)
				return false;
			*p = (struct kept_place){ .q = q[w->places.n - 1], .first = w->names.n };
		}
		p = &w->places.v[r.place];
		name = p->n < ANSWER_MAX ? vec_push(&w->names) : NULL;
		if (!name)
			return false;
		*name = (struct kept_name){ r, r.token ? NULL : arena_strndup(&w->texts, t.text, r.text),
					    arena_strndup(&w->texts, t.file, r.file),
					    arena_strndup(&w->texts, t.dir, r.dir) };
		if ((!r.token && !name->text) || !name->file || !name->dir)
			return false;
		p->n++;
	}
	return !more;
}

/* All has been answered: those without names, too. */
static bool names_worker_take_done(struct names_worker *w, const struct names_question *q, size_t n)
{
	const struct names_counts had = w->counts;
	struct symbolizer_stats *s = w->stats;

	memcpy(&w->counts, w->in.body, sizeof(w->counts));
#define MORE(count) s->count += w->counts.count > had.count ? w->counts.count - had.count : 0
	MORE(unreadable_modules);
	MORE(damaged_symbols);
	MORE(unreadable_details);
	MORE(damaged_details);
	MORE(deep_inlining);
	MORE(tables_dropped);
#undef MORE
	while (w->places.n < n) {
		struct kept_place *p = vec_push(&w->places);

		if (!p)
			return false;
		*p = (struct kept_place){ .q = q[w->places.n - 1], .first = w->names.n };
	}
	w->kills = 0;
	w->at = ID_NONE;
	return true;
}

/* One message of the worker; *RET_DONE: the last one. False: it is gone. */
static bool names_worker_hear(struct names_worker *w, const struct names_question *q, size_t n, bool *ret_done)
{
	struct told_module *m;
	bool ok = true;

	if (!names_worker_take(w))
		return false;
	m = names_worker_module(w, w->in.head.module);
	switch (w->in.head.op) {
	case NAMES_OPEN:
	case NAMES_ROOT:
	case NAMES_PATH:
	case NAMES_FETCH:
		return names_worker_errand(w) || names_worker_fail(w, NULL);
	case NAMES_AT:
		w->at = w->in.head.module;
		break;
	case NAMES_PLAIN:
		ok = m;
		if (m)
			m->plain = true;
		break;
	case NAMES_UNREAD:
		names_worker_take_unread(w);
		break;
	case NAMES_SAID:
		ok = names_worker_take_said(w, q, n);
		break;
	case NAMES_DONE:
		*ret_done = true;
		ok = names_worker_take_done(w, q, n);
		break;
	default:
		ok = false;
	}
	return ok || names_worker_fail(w, "it sent what makes no sense");
}

/* Asks for the N places Q, which the worker answers one after the other. */
static bool names_worker_ask(struct names_worker *w, const struct names_question *q, size_t n)
{
	struct names_place *place = (struct names_place *)w->out.body;
	bool done = false;

	names_worker_forget(w);
	if (!names_worker_start(w))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!names_worker_tell(w, q[i].module))
			return false;
	for (size_t i = 0; i < n; i++)
		place[i] = (struct names_place){ .module = q[i].module, .offset = q[i].offset };
	if (!names_worker_send(w, NAMES_ASK, 0, w->details, n * sizeof(*place), -1))
		return names_worker_fail(w, NULL);
	while (!done)
		if (!names_worker_hear(w, q, n, &done))
			return false;
	return true;
}

void names_worker_prepare(struct names_worker *w, const struct names_question *q, size_t n, bool details)
{
	struct names_question wanted[NAMES_BATCH_MAX];

	w->details = details;
	for (unsigned int tries = 0; tries < TRIES_MAX && !atomic_load(w->files.stop); tries++) {
		size_t left = 0;

		for (size_t i = 0; i < n && i < NAMES_BATCH_MAX; i++) {
			const struct told_module *m = names_worker_module(w, q[i].module);

			if (m && !m->blame.left)
				wanted[left++] = q[i];
		}
		if (w->kills && left)
			poll(NULL, 0, w->kills < WORKER_PAUSE_MS ? (int)w->kills : WORKER_PAUSE_MS);
		if (!left || names_worker_ask(w, wanted, left))
			return;
	}
	names_worker_forget(w);
}

/* The answer for a place, NULL = it is not here. Places are mostly asked for in their order. */
static const struct kept_place *names_worker_kept(const struct names_worker *w, module_id id, uint64_t offset,
						  bool details, size_t *ret_at)
{
	for (size_t i = 0; i < w->places.n && w->details == details; i++) {
		const size_t at = (w->next + i) % w->places.n;
		const struct names_question *q = &w->places.v[at].q;

		if (q->module == id && q->offset == offset) {
			*ret_at = at;
			return &w->places.v[at];
		}
	}
	return NULL;
}

bool names_worker_has(const struct names_worker *w, module_id id, uint64_t offset, bool details)
{
	const struct told_module *m = names_worker_module(w, id);
	size_t at;

	return !m || m->blame.left || names_worker_kept(w, id, offset, details, &at);
}

/* One of the names that were said, to RET. False when out of memory. */
static bool names_worker_give(struct names_worker *w, const struct kept_name *name, struct answer_name *ret)
{
	struct told_function *f = name->record.token ? &w->functions.v[name->record.token - 1] : NULL;
	char *text = NULL;

	if (f && f->user)
		free(take_ptr(f->text));
	if (!f || !f->user) {
		text = strdup(f ? f->text : name->text);
		if (!text)
			return false;
	}
	*ret = (struct answer_name){ .text = text, .user = f ? &f->user : NULL, .start = name->record.start,
				     .size = name->record.size, .kind = FUNC_USER, .by_place = name->record.by_place,
				     .file = name->file, .dir = name->dir, .line = name->record.line };
	return true;
}

bool names_worker_find(struct names_worker *w, module_id id, uint64_t offset, bool details, struct answer *answer)
{
	const struct names_question q = { id, offset };
	const struct kept_place *p;

	if (!names_worker_has(w, id, offset, details))
		names_worker_prepare(w, &q, 1, details);
	p = names_worker_kept(w, id, offset, details, &w->next);
	for (size_t i = 0; p && i < p->n; i++) {
		if (!names_worker_give(w, &w->names.v[p->first + i], &answer->name[answer->n])) {
			answer_clear(answer);
			return false;
		}
		answer->n++;
	}
	return answer->n;
}
