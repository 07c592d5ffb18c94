/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open.c - every way is tried in turn until a file proves to be the one; of the failures, the most
 * telling one is reported. What is refused to us by the kernel is asked of the collector, if there is
 * one.
 */
#include "config.h"

#include "process/open.h"

#include "base/regular.h"
#include "collector/ask.h"
#include "system/maps.h"
#include "unwind/image_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Not in the headers of every kernel that is built with. */
#ifndef BCACHEFS_SUPER_MAGIC
#define BCACHEFS_SUPER_MAGIC 0xca451a4e
#endif
#ifndef EROFS_SUPER_MAGIC_V1
#define EROFS_SUPER_MAGIC_V1 0xE0F5E1E2
#endif
#ifndef ZFS_SUPER_MAGIC
#define ZFS_SUPER_MAGIC 0x2fc12fc1       /* OpenZFS, include/sys/fs/zfs.h */
#endif
#ifndef BTRFS_SUPER_MAGIC
#define BTRFS_SUPER_MAGIC 0x9123683E
#endif
#ifndef OVERLAYFS_SUPER_MAGIC
#define OVERLAYFS_SUPER_MAGIC 0x794c7630
#endif

bool place_copy(const struct place *from, struct place *ret)
{
	char *path = strdup(from->path);

	if (!path)
		return false;
	*ret = *from;
	ret->path = path;
	ret->root = root_ref(from->root);
	return true;
}

void place_clear(struct place *p)
{
	free(p->path);
	root_unref(p->root);
	memset(p, 0, sizeof(*p));
}

void loaded_clear(struct loaded *l)
{
	image_free(l->image);
	made_code_free(l->made);
	if (l->fd >= 0)
		close(l->fd);
	*l = (struct loaded){ .fd = -1 };
}

int open_in_root(const struct root *root, const char *path, bool no_links)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | (no_links ? O_NOFOLLOW : 0),
				.resolve = RESOLVE_NO_MAGICLINKS | (no_links ? RESOLVE_NO_SYMLINKS : 0) };
	AUTO_FD int fd = -1;
	int dir = AT_FDCWD;

	if (root) {
		dir = root->fd;
		how.resolve |= RESOLVE_IN_ROOT;
	}
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	/*
	 * A seccomp filter may refuse openat2. Without it an absolute symbolic link inside ROOT
	 * leads astray into our own root; that is harmless where the identity of the file is
	 * checked, and refused where links are.
	 */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM) && !no_links)
		fd = openat(dir, root ? path + strspn(path, "/") : path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : regular_reopen(fd);
}

bool root_is_ours(const struct root *root)
{
	struct stat theirs, ours, ns;

	return !root || fstat(root->fd, &theirs) < 0 || stat("/", &ours) < 0 || stat("/proc/self/ns/mnt", &ns) < 0 ||
	       (theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino && root->mnt_ns == ns.st_ino);
}

enum way { WAY_MAP_FILES, WAY_ROOT, WAY_ROOT_UNDELETED, WAY_OWN, WAY_EXE, WAY_NR };

static int open_proc_link(const char *path)
{
	AUTO_FD int fd = open(path, O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : regular_reopen(fd);
}

/* The path that WAY tries, in BUF when it is not P's own; NULL when WAY does not apply. */
static const char *way_path(enum way way, const struct place *p, char *buf, size_t size)
{
	bool deleted;
	const size_t len = map_name_len(p->path, strlen(p->path), &deleted);

	switch (way) {
	case WAY_MAP_FILES:
		snprintf(buf, size, "/proc/%d/map_files/%lx-%lx", (int)p->pid, (unsigned long)p->start,
			 (unsigned long)p->end);
		return p->end ? buf : NULL;
	case WAY_ROOT:
		return p->root && p->path[0] == '/' ? p->path : NULL;
	case WAY_ROOT_UNDELETED:
		/* A file really named "x (deleted)", or one that was replaced by an equal copy. */
		if (!p->root || !deleted || len >= size)
			return NULL;
		memcpy(buf, p->path, len);
		buf[len] = '\0';
		return buf;
	case WAY_OWN:
		/* maps shows the paths of a chrooted process from the outer root. */
		return p->path[0] == '/' ? p->path : NULL;
	case WAY_EXE:
		snprintf(buf, size, "/proc/%d/exe", (int)p->pid);
		return buf;
	case WAY_NR:
		break;
	}
	return NULL;
}

static int try_way_here(enum way way, const struct place *p)
{
	char buf[4200];
	const char *path = way_path(way, p, buf, sizeof(buf));

	if (!path)
		return -ENOENT;
	switch (way) {
	case WAY_MAP_FILES:
	case WAY_EXE:
		return open_proc_link(path);
	case WAY_ROOT:
	case WAY_ROOT_UNDELETED:
		return open_in_root(p->root, path, false);
	default:
		return open_in_root(NULL, path, false);
	}
}

/* By who may what we may not. */
static int ask_way(enum way way, const struct place *p)
{
	switch (way) {
	case WAY_MAP_FILES:
		/* Only what is executed is handed out so. */
		return p->end && !p->dump ? ask_mapped(p->pid, p->start, p->end) : -ENOENT;
	case WAY_ROOT:
		return ask_path(p->dump ? COLLECTOR_JITDUMP : COLLECTOR_FILE, p->pid, p->path);
	case WAY_EXE:
		return ask_for(COLLECTOR_EXE, p->pid);
	default:
		return -ENOENT;
	}
}

static int try_way(enum way way, const struct place *p)
{
	const int r = try_way_here(way, p);
	/* The root of a process that may not be looked at is not known. */
	const bool refused = r == -EACCES || r == -EPERM || (way == WAY_ROOT && !p->root);

	return refused && collector_is_there() ? ask_way(way, p) : r;
}

/*
 * Mappings show the device of the superblock, and stat() on btrfs shows that of the subvolume; on overlayfs the mapping
 * may show the lower file system. There the inode alone has to do.
 */
static bool device_is_vague(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return false;
	return (uint64_t)fs.f_type == BTRFS_SUPER_MAGIC || (uint64_t)fs.f_type == OVERLAYFS_SUPER_MAGIC;
}

static bool same_inode(int fd, const struct stat *st, const struct file_id *id)
{
	return id->ino && st->st_ino == id->ino && (st->st_dev == id->dev || device_is_vague(fd));
}

static bool same_mark(const struct stat *st, const struct file_mark *m)
{
	return m->known && st->st_dev == m->dev && st->st_ino == m->ino && st->st_size == m->size &&
	       st->st_mtim.tv_sec == m->mtime.tv_sec && st->st_mtim.tv_nsec == m->mtime.tv_nsec;
}

static bool look_at_fd(int fd, struct statx *ret)
{
	return !statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO | STATX_SIZE | STATX_MTIME, ret);
}

/* What is at PATH, an absolute one, below ROOT, if the kernel can tell at once; errno EAGAIN if it cannot. */
static bool look_at_once(const struct root *root, const char *path, struct statx *ret)
{
	const struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				      .resolve = RESOLVE_NO_MAGICLINKS | RESOLVE_CACHED |
				      (root ? RESOLVE_IN_ROOT : 0) };
	AUTO_FD int fd = -1;

	if (path[0] != '/') {
		errno = EINVAL;
		return false;
	}
	fd = (int)syscall(SYS_openat2, root ? root->fd : AT_FDCWD, path, &how, sizeof(how));
	return fd >= 0 && look_at_fd(fd, ret);
}

int was_rewritten(const struct place *p, const struct file_mark *mark)
{
	struct statx now;

	if (!mark->known || !look_at_once(p->root, p->path, &now))
		return -ENODATA;
	if (makedev(now.stx_dev_major, now.stx_dev_minor) != mark->dev || now.stx_ino != mark->ino)
		return -ENODATA;
	return (off_t)now.stx_size != mark->size || now.stx_mtime.tv_sec != mark->mtime.tv_sec ||
	       (long)now.stx_mtime.tv_nsec != mark->mtime.tv_nsec;
}

/* Of those that answer from this machine alone. */
static bool is_local(const struct statfs *fs)
{
	static const uint32_t local[] = { BCACHEFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, EROFS_SUPER_MAGIC_V1,
					  EXT4_SUPER_MAGIC, F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC, RAMFS_MAGIC,
					  SQUASHFS_MAGIC, TMPFS_MAGIC, XFS_SUPER_MAGIC, ZFS_SUPER_MAGIC };

	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if ((uint32_t)fs->f_type == local[i])
			return true;
	return false;
}

/*
 * What LINK leads to. Following a link also notes in it when it was used, at most once a day, and that is more than the
 * kernel does at once; so where the directory is on a file system that always answers, it may take its time, as long
 * as the link does not leave that one.
 */
static bool look_at_link(const struct root *root, const char *link, struct statx *ret)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_NO_MAGICLINKS | RESOLVE_CACHED | (root ? RESOLVE_IN_ROOT : 0) };
	const char *slash = strrchr(link, '/');
	AUTO_FD int dir = -1;
	AUTO_FD int fd = -1;
	char parent[PATH_MAX];
	struct statfs fs;

	if (look_at_once(root, link, ret))
		return true;
	if (errno != EAGAIN || !slash || (size_t)(slash - link) + 2 > sizeof(parent))
		return false;
	snprintf(parent, sizeof(parent), "%.*s", (int)(slash - link) + 1, link);
	dir = (int)syscall(SYS_openat2, root ? root->fd : AT_FDCWD, parent, &how, sizeof(how));
	if (dir < 0 || fstatfs(dir, &fs) || !is_local(&fs))
		return false;
	how.flags = O_PATH | O_CLOEXEC;
	how.resolve = RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV | (root_is_ours(root) ? 0 : RESOLVE_BENEATH);
	fd = (int)syscall(SYS_openat2, dir, slash + 1, &how, sizeof(how));
	return fd >= 0 && look_at_fd(fd, ret);
}

int is_link_to(const struct root *root, const char *link, const char *file)
{
	struct statx sf, sl;

	if (!look_at_once(root, file, &sf) || !look_at_link(root, link, &sl))
		return errno == ENOENT ? 0 : -ENODATA;
	return sf.stx_ino == sl.stx_ino && sf.stx_dev_major == sl.stx_dev_major && sf.stx_dev_minor == sl.stx_dev_minor;
}

static bool is_elf(int fd)
{
	char magic[4];

	return pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) && !memcmp(magic, "\177ELF", 4);
}

/*
 * 0 when FD, which is at PATH, is the file meant by ID, with its image (NULL when it is no ELF file); -ESTALE when it
 * is another one.
 */
static int open_check(int fd, const char *path, const struct stat *st, const struct file_id *id, struct image **ret,
		      struct err *e)
{
	AUTO(image_free) struct image *im = NULL;
	uint8_t have[BUILD_ID_MAX];
	int r;

	if (!id->build_id_len && !same_inode(fd, st, id))
		return err_set(e, ESTALE, "another file is there now: device or inode differ");
	if (!is_elf(fd)) {
		*ret = NULL;
		return id->build_id_len ? err_set(e, ESTALE, "another file is there now: it is not an ELF file") : 0;
	}
	r = image_worker_is_used() ? image_worker_open(fd, path, &im, e) : image_open(fd, &im, e);
	if (r)
		return r;
	if (id->build_id_len &&
	    (image_build_id(im, have) != id->build_id_len || memcmp(have, id->build_id, id->build_id_len) != 0))
		return err_set(e, ESTALE, "another file is there now: the build-id differs");
	*ret = take_ptr(im);
	return 0;
}

/* How much a failure says: a wrong file more than a file that cannot be read, and that more than none at all. */
static int open_telling(int code)
{
	switch (code) {
	case ESTALE:
		return 3;
	case ENOENT:
	case ESRCH:
		return 1;
	default:
		return code ? 2 : 0;
	}
}

static void keep_worse(struct err *worst, const struct err *now)
{
	if (open_telling(now->code) > open_telling(worst->code))
		*worst = *now;
}

/*
 * The first way to a file for which ACCEPT (0 or a negative errno with a sentence) succeeds. An fd or a negative errno.
 */
static int open_find_file(const struct place *p, int (*accept)(void *ctx, int fd, const struct stat *st, struct err *e),
			  void *ctx, struct err *e)
{
	struct err worst = ERR_INIT;

	for (enum way way = 0; way < WAY_NR; way++) {
		AUTO_FD int fd = try_way(way, p);
		struct err now = ERR_INIT;
		struct stat st;

		if (fd < 0)
			err_set(&now, -fd, "%s", strerror(-fd));
		else if (fstat(fd, &st))
			err_set(&now, errno, "%s", strerror(errno));
		else if (!accept(ctx, fd, &st, &now))
			return take_fd(&fd);
		keep_worse(&worst, &now);
	}
	return err_set(e, worst.code, "cannot use %s of process %d: %s",
		       p->path[0] ? p->path : "a mapped file", (int)p->pid, worst.text);
}

struct loading {
	const struct file_id *id;
	const char *path;
	struct loaded *out;
};

static int accept_load(void *ctx, int fd, const struct stat *st, struct err *e)
{
	struct loading *l = ctx;
	int r = open_check(fd, l->path, st, l->id, &l->out->image, e);

	if (r)
		return r;
	l->out->not_elf = !l->out->image;
	l->out->mark = (struct file_mark){ .known = true, .dev = st->st_dev, .ino = st->st_ino, .size = st->st_size,
					   .mtime = st->st_mtim };
	return 0;
}

/* What is known by its inode need not be read for that. */
static int accept_compared(void *ctx, int fd, const struct stat *st, struct err *e)
{
	const struct loading *l = ctx;
	AUTO(image_free) struct image *im = NULL;

	if (!l->id->build_id_len && same_inode(fd, st, l->id))
		return 0;
	return open_check(fd, l->path, st, l->id, &im, e);
}

/* Compares P.moved with the file. */
static int load_moved(const struct file_id *id, const struct place *p, struct loaded *ret, struct err *e)
{
	struct loading l = { .id = id, .path = p->path };
	AUTO_FD int fd = open_find_file(p, accept_compared, &l, e);

	if (fd < 0)
		return fd;
	*ret = (struct loaded){ .fd = -1 };
	return moved_check(fd, p->pid, &p->moved, &ret->moved_offset, e);
}

int load_file(void *ctx, const struct file_id *id, const struct place *p, struct loaded *ret, struct err *e)
{
	struct loaded got = { .fd = -1 };
	struct loading l = { .id = id, .path = p->path, .out = &got };
	AUTO_FD int fd = -1;
	struct stat st;

	if (p->moved.end)
		return load_moved(id, p, ret, e);
	fd = open_find_file(p, accept_load, &l, e);
	if (fd < 0)
		return fd;
	if (p->dump && got.not_elf)
		(void)made_code_read(fd, &got.made, NULL);
	if (!fstat(fd, &st) && !st.st_nlink)
		got.fd = take_fd(&fd);
	*ret = got;
	return 0;
}

struct reopening {
	const struct file_id *id;
	const char *path;
	const struct file_mark *mark;
};

static int accept_reopen(void *ctx, int fd, const struct stat *st, struct err *e)
{
	const struct reopening *o = ctx;
	AUTO(image_free) struct image *im = NULL;

	if (same_mark(st, o->mark))
		return 0;
	return open_check(fd, o->path, st, o->id, &im, e);
}

int open_file(const struct file_id *id, const struct place *p, const struct file_mark *mark, struct err *e)
{
	struct reopening o = { .id = id, .path = p->path, .mark = mark };

	return open_find_file(p, accept_reopen, &o, e);
}
