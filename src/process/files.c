/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * files.c - two indexes (build-id, inode) over one table of entries, and the life of an entry:
 * idle, loading, then ready, without code for the unwinder (not ELF), or failed.
 */
#include "config.h"

#include "process/files_impl.h"

#include "base/clock.h"
#include "base/thread.h"
#include "process/vdso_file.h"
#include "system/maps.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#define THREADS 2u               /* readers of files: one may wait for a disk while the other works */
#define RETRY_NS (NSEC_PER_SEC)  /* a failed load is not tried again sooner */
#define COMPARE_NS NSEC_PER_SEC  /* moved text is not compared again sooner */
/* with so many that did not come back nothing is compared any more: files are to be read, too */
#define COMPARES_HUNG_MAX 2u
#define MADE_PAUSE_NS (100 * NSEC_PER_MSEC)      /* a jitdump file is not read again sooner, ... */
#define MADE_COSTS 20u           /* ... nor so that reading it takes more than a twentieth of a reader's time */
#define KEPT_MAX 64u             /* fds of deleted files that are kept */
#define CROWD_MIN 4096u          /* entries before a sweep is considered */
#define IMAGES_MIN (64u << 20)   /* bytes of images before one is */
#define IMAGES_MAX (1ull << 30)  /* with so many no more are taken: of a thousand libraries they are a third of that */

int files_new(struct dict *dict, load_fn *load, void *ctx, uint64_t limit_ns, struct files **ret, struct err *e)
{
	struct files *fs = calloc(1, sizeof(*fs));
	int r;

	if (!fs)
		return err_nomem(e, "the table of files");
	fs->dict = dict;
	fs->crowd = CROWD_MIN;
	fs->image_limit = IMAGES_MIN;
	fs->vdso = BACKING_NONE;
	r = loader_new(load, ctx, limit_ns ? THREADS : 0, limit_ns, &fs->loader, e);
	if (r) {
		free(fs);
		return r;
	}
	thread_mutex_init(&fs->lock);
	*ret = fs;
	return 0;
}

static void file_free(struct file *f)
{
	if (!f)
		return;
	place_clear(&f->place);
	image_free(f->image);
	made_code_free(f->made);
	if (f->kept_fd >= 0)
		close(f->kept_fd);
	free(f);
}

void files_free(struct files *fs)
{
	if (!fs)
		return;
	loader_free(fs->loader);
	for (size_t i = 0; i < fs->entry.n; i++)
		file_free(fs->entry.v[i]);
	vec_free(&fs->entry);
	vec_free(&fs->unused);
	vec_free(&fs->by_module);
	hidx_free(&fs->by_build_id);
	hidx_free(&fs->by_inode);
	pthread_mutex_destroy(&fs->lock);
	free(fs);
}

/* The entry that stands for B. */
static struct file *files_resolve(const struct files *fs, backing_id b)
{
	struct file *f = fs->entry.v[b];

	return f->same == BACKING_NONE ? f : fs->entry.v[f->same];
}

static uint64_t build_id_hash(const struct file_id *id)
{
	return hash_bytes(id->build_id, id->build_id_len);
}

static uint64_t inode_hash(const struct file_id *id)
{
	return hash_2u64(id->dev, id->ino);
}

static uint64_t rehash_build_id(const void *ctx, uint32_t b)
{
	const struct files *fs = ctx;

	return build_id_hash(&fs->entry.v[b]->id);
}

static uint64_t rehash_inode(const void *ctx, uint32_t b)
{
	const struct files *fs = ctx;

	return inode_hash(&fs->entry.v[b]->id);
}

static backing_id find_build_id(const struct files *fs, const struct file_id *id)
{
	const uint64_t h = build_id_hash(id);
	backing_id b;

	hidx_each(&fs->by_build_id, h, b) {
		const struct file_id *have = &fs->entry.v[b]->id;

		if (have->build_id_len == id->build_id_len &&
		    !memcmp(have->build_id, id->build_id, id->build_id_len))
			return b;
	}
	return BACKING_NONE;
}

/*
 * Inode numbers are used again for new files. The kernel's generation tells them apart;
 * /proc/PID/maps does not show it, and then the name has to be equal too.
 */
static bool files_same_file(const struct file *f, const struct file_id *id, const char *path)
{
	if (f->id.dev != id->dev || f->id.ino != id->ino)
		return false;
	if (f->id.generation && id->generation)
		return f->id.generation == id->generation;
	return !strcmp(f->place.path, path);
}

static backing_id find_inode(const struct files *fs, const struct file_id *id, const char *path)
{
	const uint64_t h = inode_hash(id);
	backing_id b;

	hidx_each(&fs->by_inode, h, b)
		if (!fs->entry.v[b]->outdated && files_same_file(fs->entry.v[b], id, path))
			return b;
	return BACKING_NONE;
}

static bool index_entry(struct files *fs, backing_id b)
{
	const struct file_id *id = &fs->entry.v[b]->id;

	if (fs->entry.v[b]->place.moved.end)
		return true;
	if (id->build_id_len && !hidx_add(&fs->by_build_id, build_id_hash(id), b, rehash_build_id, fs))
		return false;
	return !id->ino || hidx_add(&fs->by_inode, inode_hash(id), b, rehash_inode, fs);
}

/* A free slot of the table, holding F from now on. */
static backing_id put_entry(struct files *fs, struct file *f)
{
	backing_id b;

	if (fs->unused.n) {
		b = fs->unused.v[--fs->unused.n];
		fs->entry.v[b] = f;
	} else {
		if (fs->entry.n >= BACKING_ANON || !vec_reserve(&fs->entry, 1))
			return BACKING_NONE;
		b = (backing_id)fs->entry.n;
		fs->entry.v[fs->entry.n++] = f;
	}
	fs->used++;
	return b;
}

static backing_id new_entry(struct files *fs, const struct file_id *id, const struct place *p, enum module_kind kind)
{
	struct file *f = calloc(1, sizeof(*f));
	backing_id b;

	if (!f)
		return BACKING_NONE;
	f->kept_fd = -1;
	f->kind = kind;
	f->id = *id;
	f->born = ++fs->births;
	f->module = ID_NONE;
	f->same = BACKING_NONE;
	b = place_copy(p, &f->place) ? put_entry(fs, f) : BACKING_NONE;
	if (b == BACKING_NONE) {
		file_free(f);
		return b;
	}
	/* An entry that could not be indexed is only not found again: another one is made. */
	index_entry(fs, b);
	return b;
}

/*
 * F is mapped at P too: remembers P when the file could not be read where it was seen before, or
 * may not stay readable.
 */
static void move_place(struct files *fs, struct file *f, const struct place *p)
{
	struct place copy;

	const bool settled = f->life == LIFE_READY && f->place.root && f->place.root->users;

	if (settled || f->life == LIFE_SPECIAL || f->life == LIFE_PROBES || p->pid == f->place.pid ||
	    !place_copy(p, &copy))
		return;
	pthread_mutex_lock(&fs->lock);
	place_clear(&f->place);
	f->place = copy;
	pthread_mutex_unlock(&fs->lock);
	f->new_place = true;
}

/*
 * A file that somebody copied another one into keeps its inode, and its generation. B was read
 * before: what is mapped now gets an entry of its own. If it was only touched, the build-id will
 * tell.
 */
static backing_id new_edition(struct files *fs, backing_id b, const struct file_id *id, const struct place *p)
{
	const uint32_t edition = fs->entry.v[b]->edition + 1;

	fs->entry.v[b]->outdated = true;
	b = new_entry(fs, id, p, MODULE_FILE);
	if (b != BACKING_NONE)
		fs->entry.v[b]->edition = edition;
	return b;
}

/* Had the file of F been written to when it was mapped at P, at SINCE_NS? */
static bool is_rewritten(struct file *f, const struct place *p, uint64_t since_ns)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);
	int r;

	if (since_ns < f->looked_ns)
		return false;
	r = was_rewritten(p, &f->mark);
	if (!r)
		f->looked_ns = now;
	return r > 0;
}

backing_id files_add(struct files *fs, const struct file_id *id, const struct place *p, uint64_t since_ns)
{
	backing_id b = BACKING_NONE;

	if (id->build_id_len)
		b = find_build_id(fs, id);
	else if (id->ino)
		b = find_inode(fs, id, p->path);
	if (b == BACKING_NONE)
		return new_entry(fs, id, p, MODULE_FILE);
	if (!id->build_id_len && is_rewritten(fs->entry.v[b], p, since_ns))
		return new_edition(fs, b, id, p);
	move_place(fs, files_resolve(fs, b), p);
	return b;
}

backing_id files_add_moved(struct files *fs, backing_id of, pid_t pid, const struct moved *where, backing_id otherwise)
{
	const struct file *file = files_resolve(fs, of);
	struct place p = file->place;
	const struct file_id id = file->id;
	backing_id b;

	p.pid = pid;
	p.moved = *where;
	b = new_entry(fs, &id, &p, MODULE_FILE);
	if (b != BACKING_NONE) {
		fs->entry.v[b]->of = of;
		fs->entry.v[b]->otherwise = otherwise;
	}
	return b;
}

static bool is_moved(const struct files *fs, backing_id b)
{
	return b < BACKING_ANON && fs->entry.v[b]->place.moved.end;
}

static void start_compare(struct files *fs, backing_id b)
{
	struct file *f = fs->entry.v[b];

	f->compared_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	f->reading = fs->hung < COMPARES_HUNG_MAX && loader_add(fs->loader, b, &f->id, &f->place);
	if (f->reading)
		f->life = f->life == LIFE_IDLE ? LIFE_LOADING : f->life;
	else
		f->life = f->life == LIFE_IDLE ? LIFE_NOT_ELF : f->life;
}

bool files_moved_again(struct files *fs, backing_id b, const struct moved *where)
{
	struct file *f = is_moved(fs, b) ? fs->entry.v[b] : NULL;

	if (!f || f->place.moved.start != where->start || f->place.moved.end != where->end)
		return false;
	if (!f->reading && (f->life == LIFE_READY || f->life == LIFE_NOT_ELF) &&
	    clock_ns(CLOCK_MONOTONIC_COARSE) - f->compared_ns >= COMPARE_NS)
		start_compare(fs, b);
	return true;
}

bool files_text_before(const struct files *fs, const struct mapping *before, backing_id *ret_of, struct moved *m)
{
	const struct file *f = before->backing < BACKING_ANON ? fs->entry.v[before->backing] : NULL;

	if (!f || f->is_path_key)
		return false;
	*ret_of = is_moved(fs, before->backing) ? f->of : before->backing;
	m->addr = is_moved(fs, before->backing) ? f->place.moved.addr : before->start;
	m->pgoff = is_moved(fs, before->backing) ? f->place.moved.pgoff : before->pgoff;
	m->exec = is_moved(fs, before->backing) ? f->place.moved.exec : true;
	return true;
}

/* What lies behind the moved text B, if that is known: then RET has its offset. BACKING_NONE = not yet. */
static backing_id behind_moved(struct files *fs, backing_id b, struct unwind_map *ret)
{
	const struct file *f = fs->entry.v[b];

	if (f->life == LIFE_IDLE)
		start_compare(fs, b);
	if (f->life == LIFE_LOADING)
		return BACKING_NONE;
	if (f->life != LIFE_READY)
		return f->otherwise;
	ret->pgoff = f->moved_offset + (ret->start - f->place.moved.start);
	return f->of;
}

/* Asks for F, a jitdump file, if it has never been read or was written to since. */
static void read_made(struct files *fs, backing_id b, struct file *f, uint64_t now_ns)
{
	const bool stale = !f->read_once || was_rewritten(&f->place, &f->mark);

	f->again_ns = now_ns + MADE_PAUSE_NS;
	if (!stale || !loader_add(fs->loader, b, &f->id, &f->place))
		return;
	f->began_ns = now_ns;
	f->reading = true;
	f->life = f->life == LIFE_IDLE ? LIFE_LOADING : f->life;
}

const struct made_code *files_made(struct files *fs, backing_id b, bool *ret_pending)
{
	struct file *f = b < BACKING_ANON ? fs->entry.v[b] : NULL;
	uint64_t now_ns;

	*ret_pending = false;
	if (!f || !f->place.dump)
		return NULL;
	now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	if (!f->reading && f->life != LIFE_LOADING && now_ns >= f->again_ns)
		read_made(fs, b, f, now_ns);
	*ret_pending = f->life == LIFE_LOADING && !f->read_once;
	return f->made;
}

/* The entry booked for MODULE; B is booked when there was none. The module is what other threads find an entry by. */
static backing_id book_module(struct files *fs, backing_id b, module_id module)
{
	backing_id had = b;

	pthread_mutex_lock(&fs->lock);
	while (fs->by_module.n <= module) {
		backing_id *slot = vec_push(&fs->by_module);

		if (!slot)
			break;
		*slot = BACKING_NONE;
	}
	if (module < fs->by_module.n) {
		if (fs->by_module.v[module] == BACKING_NONE)
			fs->by_module.v[module] = b;
		had = fs->by_module.v[module];
	}
	pthread_mutex_unlock(&fs->lock);
	return had;
}

/* F is the file that ELDER stands for: ELDER gets what F has and lacks itself. F's image was not handed out yet. */
static void files_merge(struct files *fs, struct file *f, backing_id b)
{
	struct file *elder = fs->entry.v[b];

	f->same = b;
	if (elder->image && f->image)
		fs->image_bytes -= image_bytes(f->image);
	if (!elder->image && f->image) {
		elder->image = take_ptr(f->image);
		elder->life = LIFE_READY;
	}
	image_free(take_ptr(f->image));
}

/* Gives the entry its module; equal files that came by other keys or paths meet here. */
static void name_module(struct files *fs, backing_id b)
{
	struct file *f = fs->entry.v[b];
	/*
	 * A generation is of 32 bits (FS_IOC_GETVERSION); without a build-id, editions of a file
	 * are told apart by what lies above.
	 */
	struct module m = { .kind = f->kind, .build_id_len = f->id.build_id_len, .dev = f->id.dev, .ino = f->id.ino,
			    .generation = f->id.generation | (uint64_t)f->edition << 32 };
	backing_id elder;

	if (f->module != ID_NONE)
		return;
	memcpy(m.build_id, f->id.build_id, sizeof(m.build_id));
	m.path = strtab_add(dict_strings(fs->dict), f->place.path,
			    map_name_len(f->place.path, strlen(f->place.path), NULL));
	if (m.path == STR_NONE)
		return;
	f->module = dict_module(fs->dict, &m);
	if (f->module == ID_NONE)
		return;
	for (unsigned int i = 0; i < 2; i++)
		dict_module_run_as(fs->dict, f->module, f->run_as[i]);
	elder = book_module(fs, b, f->module);
	if (fs->entry.v[elder]->same != BACKING_NONE)
		elder = fs->entry.v[elder]->same;
	if (elder != b)
		files_merge(fs, f, elder);
}

void files_run_as(struct files *fs, backing_id b, str_id path)
{
	struct file *f = b < fs->entry.n ? fs->entry.v[b] : NULL;

	if (!f)
		return;
	if (f->module != ID_NONE)
		dict_module_run_as(fs->dict, f->module, path);
	else if (!f->run_as[0])
		f->run_as[0] = path;
	else if (f->run_as[0] != path)
		f->run_as[1] = path;
}

backing_id files_add_special(struct files *fs, const char *path, bool is_vdso, uint64_t bytes)
{
	struct place p = { .path = (char *)path };       /* copied, never written */
	struct file_id id = { 0 };
	const void *vdso;
	size_t len = 0;
	struct file *f;
	backing_id b;

	/*
	 * There are a handful of them in a system, so they need no index. A vDSO of another size is
	 * of another kind (32-bit).
	 */
	for (b = 0; b < fs->entry.n; b++)
		if (fs->entry.v[b] && fs->entry.v[b]->is_path_key && fs->entry.v[b]->place.end == bytes &&
		    !strcmp(fs->entry.v[b]->place.path, path))
			return b;
	p.end = bytes;
	vdso = is_vdso ? vdso_find(&len) : NULL;
	b = new_entry(fs, &id, &p, vdso && len == bytes ? MODULE_VDSO : MODULE_FILE);
	if (b == BACKING_NONE)
		return b;
	f = fs->entry.v[b];
	f->is_path_key = true;
	f->life = strcmp(path, "[uprobes]") == 0 ? LIFE_PROBES : LIFE_SPECIAL;
	if (f->kind == MODULE_VDSO && !image_from_memory(vdso, len, &f->image, NULL)) {
		f->life = LIFE_READY;
		fs->vdso = b;
		f->id.build_id_len = image_build_id(f->image, f->id.build_id);
		fs->image_bytes += image_bytes(f->image);
	}
	return b;
}

static void files_fail(struct files *fs, struct file *f)
{
	fs->failures++;
	f->life = LIFE_FAILED;
	f->failed_ns = clock_mono_ns();
	f->new_place = false;
}

static void start_load(struct files *fs, backing_id b)
{
	struct file *f = fs->entry.v[b];

	if (f->life == LIFE_FAILED && (!f->new_place || clock_mono_ns() - f->failed_ns < RETRY_NS))
		return;
	if (fs->image_bytes >= IMAGES_MAX) {
		files_fail(fs, f);
		return;
	}
	if (!loader_add(fs->loader, b, &f->id, &f->place))
		return;
	f->life = LIFE_LOADING;
	f->new_place = false;
}

static void files_fill(const struct file *f, struct unwind_map *ret)
{
	static const enum map_state state[] = {
		[LIFE_IDLE] = MAP_LOADING, [LIFE_LOADING] = MAP_LOADING, [LIFE_READY] = MAP_READY,
			[LIFE_NOT_ELF] = MAP_ANON,
		[LIFE_FAILED] = MAP_NO_FILE, [LIFE_SPECIAL] = MAP_SPECIAL, [LIFE_PROBES] = MAP_PROBES,
	};

	ret->state = state[f->life];
	ret->module = f->module;
	ret->image = f->image;
}

void files_state(struct files *fs, backing_id b, struct unwind_map *ret)
{
	struct file *f;

	if (is_moved(fs, b))
		b = behind_moved(fs, b, ret);
	if (b >= BACKING_ANON) {
		ret->state = b == BACKING_ANON ? MAP_ANON : MAP_LOADING;
		ret->module = ID_NONE;
		ret->image = NULL;
		return;
	}
	f = files_resolve(fs, b);
	if (f->module == ID_NONE && (f->id.build_id_len || f->is_path_key)) {
		name_module(fs, f == fs->entry.v[b] ? b : fs->entry.v[b]->same);
		f = files_resolve(fs, b);
	}
	if (f->life == LIFE_IDLE || (f->life == LIFE_FAILED && f->new_place))
		start_load(fs, f == fs->entry.v[b] ? b : fs->entry.v[b]->same);
	files_fill(f, ret);
}

bool files_is_ready(struct files *fs, backing_id b, struct unwind_map *ret)
{
	const struct file *f = files_resolve(fs, b);

	if ((f->life != LIFE_READY || f->module == ID_NONE) && f->life != LIFE_NOT_ELF)
		return false;
	files_fill(f, ret);
	return true;
}

/* If all is there that a walk needs. */
static bool fill_ready(const struct file *f, struct unwind_map *ret)
{
	if (f->life != LIFE_READY || f->module == ID_NONE)
		return false;
	files_fill(f, ret);
	return true;
}

bool files_vdso(const struct files *fs, uint64_t bytes, struct unwind_map *ret)
{
	const struct file *f = fs->vdso == BACKING_NONE ? NULL : fs->entry.v[fs->vdso];

	return f && f->place.end == bytes && fill_ready(f, ret);
}

/* Of an inode that was given to one file after the other it is the last one, if that is loaded. */
bool files_loaded(const struct files *fs, uint64_t dev, uint64_t ino, struct unwind_map *ret)
{
	const struct file_id id = { .dev = dev, .ino = ino };
	const uint64_t h = inode_hash(&id);
	backing_id b, last = BACKING_NONE;

	hidx_each(&fs->by_inode, h, b) {
		const struct file *f = fs->entry.v[b];

		if (f->id.dev == dev && f->id.ino == ino && (last == BACKING_NONE || f->born > fs->entry.v[last]->born))
			last = b;
	}
	return last != BACKING_NONE && fill_ready(files_resolve(fs, last), ret);
}

/* Keeps FD, the only way to a deleted file, and lets go of the one kept longest when there are too many. */
static void keep_fd(struct files *fs, struct file *f, int fd)
{
	struct file *eldest = NULL;

	if (fd < 0)
		return;
	if (f->kept_fd >= 0) {
		close(fd);
		return;
	}
	for (size_t i = 0; fs->kept >= KEPT_MAX && i < fs->entry.n; i++) {
		struct file *g = fs->entry.v[i];

		if (g && g->kept_fd >= 0 && (!eldest || g->kept_at < eldest->kept_at))
			eldest = g;
	}
	if (eldest) {
		close(eldest->kept_fd);
		eldest->kept_fd = -1;
		fs->kept--;
	}
	f->kept_fd = fd;
	f->kept_at = ++fs->kept_seq;
	fs->kept++;
}

/* Takes the image over into F, which becomes ready. */
static void become_ready(struct files *fs, struct file *f, struct loaded *l)
{
	pthread_mutex_lock(&fs->lock);
	keep_fd(fs, f, take_fd(&l->fd));
	pthread_mutex_unlock(&fs->lock);
	f->image = take_ptr(l->image);
	f->life = l->not_elf ? LIFE_NOT_ELF : LIFE_READY;
	if (f->image)
		fs->image_bytes += image_bytes(f->image);
}

/* The entry that B's file turned out to be, now that its build-id is known; B itself when it is the first. */
static backing_id files_meet(struct files *fs, backing_id b, const struct image *im)
{
	struct file *f = fs->entry.v[b];
	struct file_id id = { 0 };
	backing_id elder;

	if (!im || f->id.build_id_len)
		return b;
	id.build_id_len = image_build_id(im, id.build_id);
	if (!id.build_id_len)
		return b;
	elder = find_build_id(fs, &id);
	if (elder != BACKING_NONE) {
		f->same = elder;
		return elder;
	}
	pthread_mutex_lock(&fs->lock);
	f->id.build_id_len = id.build_id_len;
	memcpy(f->id.build_id, id.build_id, sizeof(f->id.build_id));
	pthread_mutex_unlock(&fs->lock);
	hidx_add(&fs->by_build_id, build_id_hash(&f->id), b, rehash_build_id, fs);
	return b;
}

/* Is R what is said of a load that was given up, and whose thread may still bring a result? */
static bool has_thread(const struct load_result *r)
{
	return r->status == -ETIMEDOUT && !r->late;
}

/* What came of comparing memory with a file. What cannot be told now changes nothing. */
static void take_compared(struct files *fs, struct file *f, struct load_result *r)
{
	fs->hung += r->status == -ETIMEDOUT;
	f->reading = has_thread(r);
	if (!r->status)
		f->moved_offset = r->loaded.moved_offset;
	if (!r->status || r->status == -ESTALE || f->life == LIFE_LOADING)
		f->life = r->status ? LIFE_NOT_ELF : LIFE_READY;
}

/* Takes what the jitdump file F says now. */
static void take_made(struct file *f, struct load_result *r)
{
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE),
		took_ns = f->began_ns < now_ns ? now_ns - f->began_ns : 0;

	f->reading = has_thread(r);
	f->read_once = true;
	f->again_ns = now_ns + (took_ns * MADE_COSTS > MADE_PAUSE_NS ? took_ns * MADE_COSTS : MADE_PAUSE_NS);
	if (r->status || !r->loaded.not_elf)
		return;
	made_code_free(f->made);
	f->made = take_ptr(r->loaded.made);
	f->mark = r->loaded.mark;
}

static void take_in(struct files *fs, struct load_result *r)
{
	backing_id b = r->tag;
	struct file *f = fs->entry.v[b];
	/* An equal file, or this one in a second attempt, may have brought the image meanwhile. */
	const bool settled = f->life != LIFE_LOADING && !(r->late && f->life == LIFE_FAILED && f->same == BACKING_NONE);

	if (r->status) {
		fs->failures++;
		if (settled)
			return;
		f->life = LIFE_FAILED;
		f->failed_ns = clock_mono_ns();
		name_module(fs, b);
		return;
	}
	fs->loads++;
	if (r->loaded.image && image_lacks(r->loaded.image)->code)
		unread_add(&fs->unread, f->place.path, image_lacks(r->loaded.image));
	/* Of the file that was read, which is not the entry that holds its image when another one equals it. */
	if (!settled || !f->mark.known) {
		pthread_mutex_lock(&fs->lock);
		f->mark = r->loaded.mark;
		pthread_mutex_unlock(&fs->lock);
	}
	if (!settled) {
		f->life = LIFE_FAILED;
		b = files_meet(fs, b, r->loaded.image);
		f = fs->entry.v[b];
		if (f->life != LIFE_READY && fs->image_bytes < IMAGES_MAX)
			become_ready(fs, f, &r->loaded);
		else if (f->life != LIFE_READY)
			files_fail(fs, f);
		if (f->life == LIFE_READY)
			name_module(fs, b);
	}
	loaded_clear(&r->loaded);
}

unsigned int files_poll(struct files *fs)
{
	struct load_result r;
	unsigned int n = 0;

	while (loader_take(fs->loader, &r)) {
		if (is_moved(fs, r.tag))
			take_compared(fs, fs->entry.v[r.tag], &r);
		else {
			if (fs->entry.v[r.tag]->place.dump)
				take_made(fs->entry.v[r.tag], &r);
			take_in(fs, &r);
		}
		n++;
	}
	return n;
}

const struct unread *files_unread(const struct files *fs)
{
	return &fs->unread;
}

int files_fd(const struct files *fs)
{
	return loader_fd(fs->loader);
}

struct image *files_image(struct files *fs, module_id module)
{
	const backing_id b = module < fs->by_module.n ? fs->by_module.v[module] : BACKING_NONE;

	return b == BACKING_NONE ? NULL : files_resolve(fs, b)->image;
}

bool files_crowded(const struct files *fs)
{
	return fs->used >= fs->crowd || fs->image_bytes >= fs->image_limit;
}

static void files_mark_used(struct files *fs, backing_id b)
{
	if (b >= BACKING_ANON)
		return;
	fs->entry.v[b]->marked = true;
	if (!is_moved(fs, b))
		return;
	fs->entry.v[fs->entry.v[b]->of]->marked = true;
	if (fs->entry.v[b]->otherwise < BACKING_ANON)
		fs->entry.v[fs->entry.v[b]->otherwise]->marked = true;
}

void files_mark_one(struct files *fs, backing_id b)
{
	if (b != BACKING_NONE)
		files_mark_used(fs, b);
}

void files_mark(struct files *fs, const struct space *s)
{
	for (size_t i = 0; i < s->maps.n; i++)
		files_mark_used(fs, s->maps.v[i].backing);
}

static bool files_droppable(const struct file *f)
{
	return !f->marked && !f->reading && f->module == ID_NONE && !f->is_path_key && (f->life == LIFE_IDLE ||
									 f->life == LIFE_NOT_ELF ||
									 f->same != BACKING_NONE ||
									 (f->place.moved.end && f->life == LIFE_READY));
}

/*
 * Those of files that nobody maps go: on a machine that links and runs one program after the other
 * they would have no end.
 */
static void drop_images(struct files *fs)
{
	for (backing_id b = 0; b < fs->entry.n; b++)
		if (fs->entry.v[b] && fs->entry.v[b]->marked)
			files_resolve(fs, b)->marked = true;
	for (backing_id b = 0; b < fs->entry.n; b++) {
		struct file *f = fs->entry.v[b];

		if (!f || f->marked || f->is_path_key || f->life != LIFE_READY || f->kept_fd >= 0 || !f->image)
			continue;
		fs->image_bytes -= image_bytes(f->image);
		image_free(take_ptr(f->image));
		f->life = LIFE_IDLE;
	}
	fs->image_limit = fs->image_bytes * 2 < IMAGES_MIN ? IMAGES_MIN : fs->image_bytes * 2;
}

void files_sweep(struct files *fs)
{
	if (fs->image_bytes >= fs->image_limit)
		drop_images(fs);
	pthread_mutex_lock(&fs->lock);
	for (backing_id b = 0; b < fs->entry.n; b++) {
		struct file *f = fs->entry.v[b];

		if (f && files_droppable(f) && vec_reserve(&fs->unused, 1)) {
			fs->unused.v[fs->unused.n++] = b;
			fs->kept -= f->kept_fd >= 0;
			file_free(f);
			fs->entry.v[b] = NULL;
			fs->used--;
		} else if (f) {
			f->marked = false;
		}
	}
	pthread_mutex_unlock(&fs->lock);
	hidx_free(&fs->by_build_id);
	hidx_free(&fs->by_inode);
	for (backing_id b = 0; b < fs->entry.n; b++)
		if (fs->entry.v[b])
			index_entry(fs, b);
	fs->crowd = fs->used * 2 < CROWD_MIN ? CROWD_MIN : fs->used * 2;
}

void files_stats(const struct files *fs, struct files_stats *ret)
{
	*ret = (struct files_stats){
		.entries = fs->used,
		.loading = loader_pending(fs->loader),
		.loads = fs->loads,
		.failures = fs->failures,
		.bytes = fs->image_bytes + fs->used * sizeof(struct file) + fs->by_module.cap *
		sizeof(*fs->by_module.v) +
			 fs->entry.cap * sizeof(*fs->entry.v),
	};
}
