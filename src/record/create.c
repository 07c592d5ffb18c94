/* SPDX-License-Identifier: BSD-2-Clause */
/* create.c - see create.h. Every step that could follow a link or meet a file of another kind is told not to. */
#include "config.h"

#include "record/create.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "record/bytes.h"
#include "record/format.h"

#include <errno.h>
#include <fcntl.h>
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

static bool has_magic(const char *path)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	char magic[RECORD_MAGIC_SIZE];

	return fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
	       !memcmp(magic, RECORD_MAGIC, RECORD_MAGIC_SIZE);
}

/* What is at PATH: an enum existing, or a negative errno with a sentence for what must stay as it is. */
static int look(const char *path, struct err *e)
{
	struct stat st;

	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return NOTHING;
		return err_set(e, errno, "cannot create %s: %s; choose another file with -o", path, strerror(errno));
	}
	if (S_ISREG(st.st_mode) && st.st_size == 0)
		return EMPTY;
	if (S_ISREG(st.st_mode) && has_magic(path))
		return RECORDING;
	return err_set(e, EEXIST, "%s is %s and stays as it is; choose another file with -o", path, kind_text(st.st_mode));
}

static int keep_old(const char *path, struct err *e)
{
	AUTO_FREE char *old = NULL;
	int r;

	if (asprintf(&old, "%s.old", path) < 0) {
		old = NULL;
		return err_nomem(e, "a file name");
	}
	r = look(old, e);
	if (r < 0)
		return r;
	if (rename(path, old))
		return err_set(e, errno, "cannot keep the recording %s as %s: %s; choose another file with -o", path, old,
			       strerror(errno));
	return 0;
}

static int make_room(const char *path, struct err *e)
{
	const int r = look(path, e);

	if (r == RECORDING)
		return keep_old(path, e);
	if (r == EMPTY && unlink(path))
		return err_set(e, errno, "cannot replace the empty file %s: %s; choose another file with -o", path,
			       strerror(errno));
	return r < 0 ? r : 0;
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

int recording_create(const char *path, int *ret_fd, struct err *e)
{
	AUTO_FD int fd = -1;
	int r = make_room(path, e);

	if (r < 0)
		return r;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0)
		return err_set(e, errno, "cannot create %s: %s; choose another file with -o", path, strerror(errno));
	r = give_to_invoker(fd, path, e);
	if (r < 0)
		return r;
	*ret_fd = take_fd(&fd);
	return 0;
}
