/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * create.c - see create.h. Every step that could follow a link or meet a file of another kind is
 * told not to.
 */
#include "config.h"

#include "record/create.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "record/bytes.h"
#include "record/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

enum existing { NOTHING, EMPTY, RECORDING };

static const char *kind_text(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFLNK:
		return "a symbolic link";
	case S_IFREG:
		return "a file that is not a recording";
	default:
		return "not a regular file";
	}
}

/* What is in the regular file at PATH: RECORDING, EMPTY, or a negative errno: EBUSY while it is being written. */
static int look_inside(const char *path)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	char magic[RECORD_MAGIC_SIZE];
	ssize_t n;

	if (fd < 0)
		return -errno;
	/* A file system without locks cannot tell. */
	if (flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		return -EBUSY;
	n = read(fd, magic, sizeof(magic));
	if (!n)
		return EMPTY;
	return n == (ssize_t)sizeof(magic) && !memcmp(magic, RECORD_MAGIC, RECORD_MAGIC_SIZE) ? RECORDING : -EEXIST;
}

/* What is at PATH: an enum existing, or a negative errno with a sentence for what must stay as it is. */
static int create_look(const char *path, struct err *e)
{
	struct stat st;
	int r;

	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return NOTHING;
		return err_set(e, errno, "cannot create %s: %s; choose another file with -o", path, strerror(errno));
	}
	r = S_ISREG(st.st_mode) ? look_inside(path) : -EEXIST;
	if (r == -EBUSY)
		return err_set(e, EBUSY, "%s is being written by another sberf record; choose another file "
			       "with -o", path);
	/* An empty file need not be readable to hold nothing. */
	if (r < 0 && S_ISREG(st.st_mode) && !st.st_size)
		return EMPTY;
	if (r == -EACCES)
		return err_set(e, EACCES, "%s is another user's, who may read it alone, and stays as it is; choose "
			       "another file with -o", path);
	if (r < 0)
		return err_set(e, EEXIST, "%s is %s and stays as it is; choose another file with -o", path,
			       kind_text(st.st_mode));
	return r;
}

/* The name under which the recording at PATH is kept, checked; the caller's. */
static int old_name(const char *path, char **ret, struct err *e)
{
	AUTO_FREE char *old = NULL;
	int r;

	if (asprintf(&old, "%s.old", path) < 0) {
		old = NULL;
		return err_nomem(e, "a file name");
	}
	r = create_look(old, e);
	if (r < 0)
		return r;
	*ret = take_ptr(old);
	return 0;
}

/* Whether PATH can be taken: NOTHING, EMPTY, or RECORDING with *RET_OLD, the caller's. */
static int check_place(const char *path, char **ret_old, struct err *e)
{
	const int r = create_look(path, e);
	const int code = r == RECORDING ? old_name(path, ret_old, e) : 0;

	return code < 0 ? code : r;
}

static bool env_id(const char *name, uint64_t *ret)
{
	const char *s = getenv(name);

	return s && parse_u64(s, name, 0, UINT32_MAX - 1, ret, NULL) == 0;
}

/* Where the kernel forbids it (a container without CAP_CHOWN) the file stays root's, which loses nothing. */
static int give_to_invoker(int fd, const char *path, struct err *e)
{
	uint64_t uid, gid;

	if (geteuid() != 0 || !env_id("SUDO_UID", &uid) || !env_id("SUDO_GID", &gid))
		return 0;
	if (fchown(fd, (uid_t)uid, (gid_t)gid) && errno != EPERM && errno != EINVAL)
		return err_set(e, errno, "cannot give %s to the user who called sudo: %s", path, strerror(errno));
	return 0;
}

static int cannot_create(const char *path, int code, struct err *e)
{
	return err_set(e, code, "cannot create %s: %s; choose another file with -o", path, strerror(code));
}

/* Opens BESIDE, locked; what goes wrong is told of PATH. */
static int create_open_beside(const char *beside, const char *path, int *ret_fd, struct err *e)
{
	AUTO_FD int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
	int r;

	if (fd < 0)
		return cannot_create(path, errno, e);
	(void)flock(fd, LOCK_EX | LOCK_NB);
	r = give_to_invoker(fd, path, e);
	if (r < 0) {
		unlink(beside);
		return r;
	}
	*ret_fd = take_fd(&fd);
	return 0;
}

int recording_create(const char *path, int *ret_fd, char **ret_beside, struct err *e)
{
	AUTO_FREE char *old = NULL, *beside = NULL;
	int r = check_place(path, &old, e);

	if (r < 0)
		return r;
	if (asprintf(&beside, "%s.%d.part", path, (int)getpid()) < 0) {
		beside = NULL;
		return err_nomem(e, "a file name");
	}
	r = create_open_beside(beside, path, ret_fd, e);
	if (r < 0)
		return r;
	*ret_beside = take_ptr(beside);
	return 0;
}

/* Does not replace what came to PATH after the last look, where the file system can do that. */
static int rename_to_nothing(const char *from, const char *path)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, path, RENAME_NOREPLACE))
		return 0;
	return errno == EINVAL || errno == ENOSYS ? rename(from, path) : -1;
}

int recording_place(const char *beside, const char *path, struct err *e)
{
	AUTO_FREE char *old = NULL;
	const int r = check_place(path, &old, e);

	if (r < 0)
		return r;
	if (r == RECORDING && rename(path, old))
		return err_set(e, errno, "cannot keep the recording %s as %s: %s; choose another file with "
			       "-o", path, old, strerror(errno));
	if (r == EMPTY ? rename(beside, path) : rename_to_nothing(beside, path))
		return cannot_create(path, errno, e);
	return 0;
}

/* PATH.NR, or PATH for 0; the caller's, NULL when out of memory. */
static char *part_name(const char *path, unsigned int nr)
{
	char *name;

	if ((nr ? asprintf(&name, "%s.%u", path, nr) : asprintf(&name, "%s", path)) < 0)
		return NULL;
	return name;
}

/* How many of the parts there are in a row, or a negative errno when one of them must stay. */
static int count_parts(const char *path, unsigned int files, struct err *e)
{
	unsigned int n = 0;

	for (unsigned int nr = 0; nr < files; nr++) {
		AUTO_FREE char *name = part_name(path, nr);
		const int r = name ? create_look(name, e) : err_nomem(e, "a file name");

		if (r < 0)
			return r;
		if (r != NOTHING && n == nr)
			n++;
	}
	return (int)n;
}

static int move_part(const char *path, unsigned int from, struct err *e)
{
	AUTO_FREE char *old = part_name(path, from), *new = part_name(path, from + 1);

	if (!old || !new)
		return err_nomem(e, "a file name");
	return rename(old, new) ? err_set(e, errno, "cannot rename %s to %s: %s", old, new, strerror(errno)) : 0;
}

int recording_shift(const char *path, unsigned int files, struct err *e)
{
	int n = count_parts(path, files, e), r = 0;

	/* The last one is overwritten by the one before, or removed when there is no other. */
	if (n == (int)files && files == 1 && unlink(path))
		return err_set(e, errno, "cannot remove %s: %s", path, strerror(errno));
	if (n == (int)files)
		n--;
	for (int nr = n - 1; r >= 0 && nr >= 0; nr--)
		r = move_part(path, (unsigned int)nr, e);
	return n < 0 ? n : r;
}
