/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.c - keeps a table of rules in front of a thread that reads files.
 *
 * The table belongs to the engine: a rule that is known costs a lookup and no lock. What is not
 * known goes through a bounded queue to the worker, which keeps some files open, with where their
 * functions begin, and answers. Rules that have not been asked for lately are forgotten: there are
 * two halves, and when the younger one is full the older one goes.
 *
 * The worker's state belongs to it and to us together; whoever leaves last frees it. When it has
 * not come back from a file for HUNG_NS it is left behind, with that file marked as unreadable, and
 * another one takes over what was waiting.
 */
#include "config.h"

#include "numa/code.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/thread.h"
#include "base/vec.h"
#include "symbol/ehframe.h"
#include "symbol/elfsyms.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#define RULES_MAX 32768u                 /* in each half */
#define QUEUE_MAX 1024u                  /* places asked for and not yet answered */
#define FILES_MAX 32u                    /* open at a time */
#define TABLES_BYTES_MAX (64u << 20)     /* where functions begin, of all open files but the one in use */
#define HUNG_MAX 4u                      /* workers left behind before no more are started */
#define HUNG_NS (5 * NSEC_PER_SEC)
/* what was read of memory is read again after that: run-time compilers use it again */
#define MEMORY_NS (NSEC_PER_SEC)
#define GOODBYE_NS (200 * NSEC_PER_MSEC) /* how long code_free() waits for the worker */
#define STACK_BYTES (1024u * 1024u)

struct answer {
	struct frame place;
	struct access_rule rule;
};

struct file {
	bool used;
	module_id module;
	uint64_t last;                   /* worker.clock when it was asked last */
	int fd;                          /* -1: it could not be opened */
	struct elf_file *elf;            /* NULL: it is none; its code can be read all the same */
	struct fde_starts *starts;       /* NULL: none */
	struct elf_syms *syms;           /* NULL: not needed yet, or none */
	bool no_syms;
};

struct worker {
	pthread_mutex_t lock;
	pthread_cond_t work, left;
	unsigned int refs;
	bool stop, ended;
	struct frame queue[QUEUE_MAX];   /* from first on, around the end */
	uint32_t first, waiting;
	bool busy;
	struct frame current;            /* while busy */
	uint64_t started_ns;             /* CLOCK_MONOTONIC; when it took that up */
	struct answer done[QUEUE_MAX];
	uint32_t nr_done;
	struct code_figures figures;     /* of the worker: files, failed, cpu_ns, bytes */

	/* the thread's alone */
	struct code_config config;
	struct access_decoder *decoder;
	struct file file[FILES_MAX];
	uint64_t clock;
	struct code_figures counts;
};

enum rule_state {
	RULE_ASKED,
	RULE_KNOWN,
	RULE_MOVED,                      /* to the other half */
};

struct rule {
	struct frame place;
	uint8_t state;                   /* enum rule_state */
	struct access_rule rule;
	uint64_t until_ns;               /* CLOCK_MONOTONIC: not known any more; UINT64_MAX = of a file */
};

/* One half of the table. */
struct half {
	VEC(struct rule) rule;
	struct hidx index;
};

struct code {
	struct code_config config;
	struct worker *worker;           /* NULL: too many were left behind */
	struct half half[2];
	unsigned int young;              /* the half that rules are added to */
	uint32_t asked;                  /* not yet answered */
	unsigned int hung;
	module_id unreadable[HUNG_MAX];  /* modules in which workers were left behind */
	struct code_figures past;        /* of workers that were left behind */
};

/* Is MODULE the memory of a process, not a file? */
static bool is_memory(const struct code_config *c, module_id module)
{
	const struct module *m = dict_get_module(c->dict, module);

	return m && m->kind == MODULE_ANON;
}

static void file_close(struct file *f)
{
	if (!f->used)
		return;
	elf_syms_free(f->syms);
	fde_starts_free(f->starts);
	elf_file_free(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct file){ .fd = -1 };
}

/* Drops a reference; called with the lock, which is gone afterwards. */
static void code_unref_unlock(struct worker *w)
{
	const bool last = !--w->refs;

	pthread_mutex_unlock(&w->lock);
	if (!last)
		return;
	for (unsigned int i = 0; i < FILES_MAX; i++)
		file_close(&w->file[i]);
	access_decoder_free(w->decoder);
	pthread_cond_destroy(&w->work);
	pthread_cond_destroy(&w->left);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

static size_t tables_bytes(const struct file *f)
{
	return fde_starts_bytes(f->starts) + (f->syms ? elf_syms_bytes(f->syms) : 0);
}

/*
 * Closes files, the one not asked for longest first, until the tables of the rest fit; never KEEP.
 * Returns their bytes.
 */
static size_t bound_tables(struct worker *w, const struct file *keep)
{
	for (;;) {
		struct file *oldest = NULL;
		size_t bytes = 0;

		for (unsigned int i = 0; i < FILES_MAX; i++) {
			struct file *f = &w->file[i];

			bytes += tables_bytes(f);
			if (f != keep && tables_bytes(f) && (!oldest || f->last < oldest->last))
				oldest = f;
		}
		if (bytes <= TABLES_BYTES_MAX || !oldest)
			return bytes;
		file_close(oldest);
	}
}

static void file_open(struct worker *w, struct file *f, module_id module)
{
	*f = (struct file){ .used = true, .module = module };
	f->fd = w->config.open(w->config.ctx, module, NULL);
	w->counts.files += f->fd >= 0;
	w->counts.failed += f->fd < 0;
	if (f->fd >= 0 && !elf_file_open(f->fd, &f->elf, NULL))
		f->starts = fde_starts_new(f->elf);
	w->counts.bytes = bound_tables(w, f);
}

/* The file of MODULE, which may be one that could not be opened. */
static struct file *get_file(struct worker *w, module_id module)
{
	struct file *oldest = &w->file[0];

	w->clock++;
	for (unsigned int i = 0; i < FILES_MAX; i++) {
		struct file *f = &w->file[i];

		if (f->used && f->module == module) {
			f->last = w->clock;
			return f;
		}
		if (!f->used || (oldest->used && f->last < oldest->last))
			oldest = f;
	}
	file_close(oldest);
	file_open(w, oldest, module);
	oldest->last = w->clock;
	return oldest;
}

static const struct elf_syms *get_syms(struct worker *w, struct file *f)
{
	if (!f->syms && !f->no_syms) {
		f->no_syms = elf_syms_new(f->elf, NULL, &f->syms, NULL) != 0;
		w->counts.bytes = bound_tables(w, f);
	}
	return f->syms;
}

/*
 * Where in the file the function that covers OFFSET begins: by the unwind tables, which are small,
 * else by the symbols.
 */
static bool function_start(struct worker *w, struct file *f, uint64_t offset, uint64_t *ret)
{
	uint64_t vaddr, start;
	const struct elf_syms *syms;
	struct fde_start fde;
	struct elf_sym sym;

	if (!f->elf || !elf_file_vaddr(f->elf, offset, &vaddr))
		return false;
	if (f->starts && fde_starts_find(f->starts, vaddr, &fde)) {
		start = fde.start;
	} else {
		syms = get_syms(w, f);
		if (!syms || !elf_syms_find(syms, vaddr, &sym))
			return false;
		start = sym.start;
	}
	if (vaddr - start > offset)
		return false;
	*ret = offset - (vaddr - start);
	return true;
}

/* Up to LEN bytes at OFFSET; returns how many there are. */
static size_t code_read_some(int fd, uint64_t offset, uint8_t *buf, size_t len)
{
	ssize_t n;

	if (offset > INT64_MAX - len)
		return 0;
	do
		n = pread(fd, buf, len, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n > 0 ? (size_t)n : 0;
}

static struct access_rule no_code(void)
{
	return (struct access_rule){ .miss = MISS_NO_CODE, .base = ACCESS_REG_NONE, .index = ACCESS_REG_NONE };
}

/*
 * The instructions around OFFSET of F, from *FROM on or from where they can be read, to CODE.
 * Returns how many bytes.
 */
static size_t code_read_bytes(const struct file *f, uint64_t offset, uint64_t *from, uint8_t *code)
{
	const uint64_t page = offset & ~UINT64_C(4095);
	const size_t len = code_read_some(f->fd, *from, code, (size_t)(offset - *from) + ACCESS_CODE_BEHIND);

	if (len)
		return len;
	/* In memory, what is not mapped cannot be read: the page of the place is. */
	*from = *from > page ? *from : page;
	return code_read_some(f->fd, *from, code, (size_t)(offset - *from) + ACCESS_CODE_BEHIND);
}

static struct access_rule find_rule(struct worker *w, const struct frame *place)
{
	struct file *f = get_file(w, place->module);
	uint64_t from = place->offset > ACCESS_CODE_BEFORE ? place->offset - ACCESS_CODE_BEFORE : 0, start;
	uint8_t code[ACCESS_CODE_BEFORE + ACCESS_CODE_BEHIND];
	size_t len;

	if (f->fd < 0)
		return no_code();
	if (function_start(w, f, place->offset, &start) && start > from)
		from = start;
	len = code_read_bytes(f, place->offset, &from, code);
	if (!len && is_memory(&w->config, place->module)) {
		/*
		 * Who has executed another program since has other memory, and what was opened is
		 * that of before (mem_rw(), fs/proc/base.c).
		 */
		file_close(f);
		file_open(w, f, place->module);
		f->last = w->clock;
		len = f->fd < 0 ? 0 : code_read_bytes(f, place->offset, &from, code);
	}
	if (len <= place->offset - from)
		return no_code();
	return access_decode(w->decoder, code, len, (size_t)(place->offset - from));
}

/* Waits for a place; false = stop. Called with the lock. */
static bool next_place(struct worker *w)
{
	while (!w->stop && !w->waiting)
		pthread_cond_wait(&w->work, &w->lock);
	if (w->stop)
		return false;
	w->current = w->queue[w->first];
	w->first = (w->first + 1) % QUEUE_MAX;
	w->waiting--;
	w->busy = true;
	w->started_ns = clock_mono_ns();
	return true;
}

static void *code_work(void *arg)
{
	struct worker *w = arg;

	pthread_mutex_lock(&w->lock);
	while (next_place(w)) {
		struct answer a = { .place = w->current };

		pthread_mutex_unlock(&w->lock);
		a.rule = find_rule(w, &a.place);
		w->counts.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		pthread_mutex_lock(&w->lock);
		w->busy = false;
		w->figures = w->counts;
		if (!w->stop)
			w->done[w->nr_done++] = a;
	}
	w->ended = true;
	pthread_cond_signal(&w->left);
	code_unref_unlock(w);
	return NULL;
}

static int code_worker_new(const struct code_config *c, struct worker **ret, struct err *e)
{
	struct worker *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return err_nomem(e, "the thread that reads instructions");
	thread_mutex_init(&w->lock);
	thread_cond_init(&w->work);
	thread_cond_init(&w->left);
	w->config = *c;
	w->refs = 2;
	rc = access_decoder_new(&w->decoder, e);
	if (!rc) {
		rc = thread_start(code_work, w, STACK_BYTES);
		if (rc)
			rc = err_set(e, rc, "cannot start the thread that reads instructions: %s", strerror(rc));
	}
	if (rc) {
		w->refs = 1;
		pthread_mutex_lock(&w->lock);
		code_unref_unlock(w);
		return rc;
	}
	*ret = w;
	return 0;
}

int code_new(const struct code_config *c, struct code **ret, struct err *e)
{
	AUTO(code_free) struct code *co = calloc(1, sizeof(*co));
	int rc;

	if (!co)
		return err_nomem(e, "the table of instructions");
	co->config = *c;
	rc = code_worker_new(c, &co->worker, e);
	if (rc)
		return rc;
	*ret = take_ptr(co);
	return 0;
}

static void half_clear(struct half *h)
{
	vec_free(&h->rule);
	hidx_free(&h->index);
}

/* Tells the worker to stop, and waits for it a little. */
static void worker_free(struct worker *w)
{
	const struct timespec until = clock_timespec(clock_mono_ns() + GOODBYE_NS);

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->work);
	while (!w->ended && !pthread_cond_timedwait(&w->left, &w->lock, &until))
		;
	code_unref_unlock(w);
}

void code_free(struct code *c)
{
	if (!c)
		return;
	worker_free(c->worker);
	half_clear(&c->half[0]);
	half_clear(&c->half[1]);
	free(c);
}

static uint64_t hash_place(const struct frame *place)
{
	return hash_2u64(place->module, place->offset);
}

static uint64_t code_rehash(const void *ctx, uint32_t id)
{
	const struct half *h = ctx;

	return hash_place(&h->rule.v[id].place);
}

static struct rule *find_in(const struct half *h, const struct frame *place, uint64_t hash)
{
	uint32_t id;

	hidx_each(&h->index, hash, id) {
		struct rule *r = &h->rule.v[id];

		if (r->place.offset == place->offset && r->place.module == place->module && r->state != RULE_MOVED)
			return r;
	}
	return NULL;
}

/* Adds R to the younger half; when that is full, it becomes the older one and what was there is forgotten. */
static bool code_add(struct code *c, const struct rule *r)
{
	struct half *h = &c->half[c->young];
	struct rule *slot;

	if (h->rule.n == RULES_MAX) {
		c->young = !c->young;
		h = &c->half[c->young];
		half_clear(h);
	}
	slot = vec_push(&h->rule);
	if (!slot)
		return false;
	*slot = *r;
	if (hidx_add(&h->index, hash_place(&r->place), (uint32_t)h->rule.n - 1, code_rehash, h))
		return true;
	h->rule.n--;
	return false;
}

/* What is known of PLACE, kept for a while longer; NULL = nothing. */
static struct rule *code_find(struct code *c, const struct frame *place)
{
	const uint64_t hash = hash_place(place);
	struct rule *r = find_in(&c->half[c->young], place, hash), copy;

	if (r)
		return r;
	r = find_in(&c->half[!c->young], place, hash);
	if (!r)
		return NULL;
	copy = *r;
	r->state = RULE_MOVED;
	return code_add(c, &copy) ? find_in(&c->half[c->young], place, hash) : NULL;
}

static bool is_readable(const struct code *c, module_id id)
{
	const struct module *m = dict_get_module(c->config.dict, id);

	for (unsigned int i = 0; i < c->hung; i++)
		if (c->unreadable[i] == id)
			return false;
	return m && (m->kind == MODULE_FILE || m->kind == MODULE_ANON);
}

/* Puts PLACE into the queue of W, which has room. */
static void code_give(struct worker *w, const struct frame *place)
{
	pthread_mutex_lock(&w->lock);
	w->queue[(w->first + w->waiting) % QUEUE_MAX] = *place;
	w->waiting++;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

static bool code_ask(struct code *c, const struct frame *place)
{
	const struct rule r = { .place = *place };

	if (!c->worker || c->asked == QUEUE_MAX || !code_add(c, &r))
		return false;
	code_give(c->worker, place);
	c->asked++;
	return true;
}

/* There may be other code by now where R was read. Stays as it is when too much has been asked for. */
static void code_ask_again(struct code *c, struct rule *r)
{
	if (!c->worker || c->asked == QUEUE_MAX)
		return;
	r->state = RULE_ASKED;
	code_give(c->worker, &r->place);
	c->asked++;
}

bool code_rule(struct code *c, const struct frame *place, struct access_rule *ret)
{
	struct rule *r = code_find(c, place);

	if (r) {
		if (r->state == RULE_KNOWN && r->until_ns != UINT64_MAX && clock_mono_ns() > r->until_ns)
			code_ask_again(c, r);
		if (r->state == RULE_KNOWN)
			*ret = r->rule;
		return r->state == RULE_KNOWN;
	}
	if (is_readable(c, place->module)) {
		if (code_ask(c, place))
			return false;
		*ret = (struct access_rule){ .miss = MISS_BACKLOG, .base = ACCESS_REG_NONE, .index = ACCESS_REG_NONE };
		return true;
	}
	*ret = no_code();
	return true;
}

static void code_take(struct code *c, const struct frame *place, const struct access_rule *rule)
{
	const bool memory = is_memory(&c->config, place->module);
	const struct rule known = { .place = *place, .state = RULE_KNOWN, .rule = *rule,
				    .until_ns = memory ? clock_mono_ns() + MEMORY_NS : UINT64_MAX };
	struct rule *r = code_find(c, place);

	c->asked--;
	if (r)
		*r = known;
	else
		code_add(c, &known);
}

static void code_add_figures(struct code_figures *sum, const struct code_figures *more)
{
	sum->files += more->files;
	sum->failed += more->failed;
	sum->cpu_ns += more->cpu_ns;
	sum->bytes += more->bytes;
}

/*
 * Leaves the worker behind, which hangs in a file, and starts another one for what is waiting;
 * called with the lock, which is gone afterwards. Its tables are its own until it comes back.
 */
static void replace_worker(struct code *c)
{
	struct worker *old = c->worker, *w = NULL;
	const struct access_rule none = no_code();

	code_add_figures(&c->past, &old->figures);
	c->past.failed++;
	c->unreadable[c->hung++] = old->current.module;
	code_take(c, &old->current, &none);
	old->stop = true;
	if (c->hung < HUNG_MAX)
		code_worker_new(&c->config, &w, NULL);
	c->worker = w;
	for (; old->waiting; old->waiting--, old->first = (old->first + 1) % QUEUE_MAX) {
		const struct frame *place = &old->queue[old->first];

		if (!w || !is_readable(c, place->module))
			code_take(c, place, &none);
		else
			code_give(w, place);
	}
	code_unref_unlock(old);
}

unsigned int code_poll(struct code *c)
{
	struct worker *w = c->worker;
	unsigned int n = 0;

	if (!w || !c->asked)
		return 0;
	pthread_mutex_lock(&w->lock);
	for (; n < w->nr_done; n++)
		code_take(c, &w->done[n].place, &w->done[n].rule);
	w->nr_done = 0;
	if (w->busy && clock_mono_ns() - w->started_ns > HUNG_NS) {
		replace_worker(c);
		n++;
	} else {
		pthread_mutex_unlock(&w->lock);
	}
	return n;
}

void code_figures(const struct code *c, struct code_figures *ret)
{
	*ret = c->past;
	if (c->worker) {
		pthread_mutex_lock(&c->worker->lock);
		code_add_figures(ret, &c->worker->figures);
		pthread_mutex_unlock(&c->worker->lock);
	}
	ret->bytes += sizeof(*c) + sizeof(struct worker);
	for (unsigned int i = 0; i < 2; i++) {
		const struct half *h = &c->half[i];

		ret->bytes += h->rule.cap * sizeof(*h->rule.v) + hidx_bytes(&h->index);
		for (size_t k = 0; k < h->rule.n; k++) {
			ret->rules += h->rule.v[k].state == RULE_KNOWN;
			ret->with_address += h->rule.v[k].state == RULE_KNOWN && h->rule.v[k].rule.how;
		}
	}
}
