/* SPDX-License-Identifier: BSD-2-Clause */
/* cgroup.c - one mount point, one cache from id to path, three ways to fill it. */
#include "config.h"

#include "system/cgroup.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/vec.h"
#include "system/hostroot.h"
#include "system/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FILEID_KERNFS_TYPE 0xfe  /* FILEID_KERNFS of include/linux/exportfs.h: the handle is the 64-bit id */
#define CACHE_MAX 65536u         /* paths that are kept */
#define OLD_MAX 4096u            /* of containers that no cgroup of version 2 tells of */
#define MOUNTS_MAX 512u          /* of a process that are looked at for the files of its container */
#define SEARCH_MAX 8192u         /* directories that one search looks at */
#define SEARCH_DEPTH 16u
#define SEARCH_EVERY NSEC_PER_SEC

struct known {
	uint64_t id;
	str_id path;
	uint64_t missed_ns;      /* when it was not found; 0 = it was */
	str_id container, image;
	bool named;              /* these are known */
};

struct cgroups {
	struct strtab *strings;
	cgroup_namer *namer;     /* NULL = none */
	VEC(struct known) named_old;     /* containers that no cgroup of version 2 tells of, by PATH alone */
	int mount;               /* O_RDONLY directory, -1 = none */
	char mount_path[PROC_PATH_MAX];
	VEC(struct known) known;
	struct hidx index;
	uint64_t searched_ns;
};

const char *cgroup_container_id(const char *part, size_t len, size_t *ret_len)
{
	for (size_t i = 0; i < len;) {
		size_t n = 0;

		while (i + n < len && isxdigit((unsigned char)part[i + n]))
			n++;
		if (n >= CGROUP_ID_DIGITS) {
			if (ret_len)
				*ret_len = n;
			return part + i;
		}
		i += n + 1;
	}
	return NULL;
}

/* Whether the cgroup PATH, of LEN bytes, has a part that names a container. */
static bool cgroup_names_container(const char *path, size_t len)
{
	static const char *const lxc[] = { "/lxc/", "/lxc.payload" };

	for (const char *at = path, *end = path + len; at < end;) {
		const char *slash = memchr(at, '/', (size_t)(end - at));

		if (cgroup_container_id(at, (size_t)((slash ? slash : end) - at), NULL))
			return true;
		at = slash ? slash + 1 : end;
	}
	for (size_t i = 0; i < sizeof(lxc) / sizeof(lxc[0]); i++)
		if (memmem(path, len, lxc[i], strlen(lxc[i])))
			return true;
	return false;
}

/* Is PATH, of version 1, that of a container? Other programs give their cgroups ids, too: a runtime must be named. */
static bool cgroup_is_container(const char *path)
{
	static const char *const runtimes[] = { "docker", "kubepods", "libpod", "crio", "containerd", "/lxc" };
	bool is = false;

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		is |= strstr(path, runtimes[i]) != NULL;
	return is && cgroup_names_container(path, strlen(path));
}

bool cgroup_read_container(int dir, char *buf, size_t size, bool *ret_old)
{
	const bool v2 = proc_read_cgroup(dir, buf, size);
	char text[4 * PROC_PATH_MAX], old[PROC_PATH_MAX];

	if (ret_old)
		*ret_old = false;
	if (v2 && cgroup_names_container(buf, strlen(buf)))
		return true;
	proc_read_start(dir, "cgroup", text, sizeof(text));
	for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
		const char *path = strchr(line, ':');

		end = strchrnul(line, '\n');
		path = path ? strchr(path + 1, ':') : NULL;
		if (!path || path >= end || !strncmp(line, "0::", 3) || (size_t)(end - path) > sizeof(old) ||
		    (size_t)(end - path) > size)
			continue;
		snprintf(old, sizeof(old), "%.*s", (int)(end - path - 1), path + 1);
		if (!cgroup_is_container(old))
			continue;
		snprintf(buf, size, "%s", old);
		if (ret_old)
			*ret_old = true;
		return true;
	}
	return v2;
}

/* Is the process at DIR in another mount namespace than sberf? False where that may not be known. */
static bool cgroup_mounts_differ(int dir)
{
	char own[64], other[64];
	const ssize_t n = readlink("/proc/self/ns/mnt", own, sizeof(own));
	const ssize_t m = readlinkat(dir, "ns/mnt", other, sizeof(other));

	return n > 0 && m > 0 && (n != m || memcmp(own, other, (size_t)n) != 0);
}

/* Who made the user namespace of the process at DIR; 0 = root, or not known. */
static uid_t cgroup_owner(int dir)
{
	AUTO_FD int fd = openat(dir, "ns/user", O_RDONLY | O_CLOEXEC);
	uid_t uid;

	return fd < 0 || ioctl(fd, NS_GET_OWNER_UID, &uid) ? 0 : uid;
}

/* The id in a line of mountinfo, of ".../DRIVER-containers/ID/userdata/..." that is mounted; NULL = there is none. */
static const char *cgroup_mounted_id(const char *line, size_t *ret_len)
{
	static const char folder[] = "-containers/", data[] = "/userdata/";
	const char *at = line, *end, *id;

	for (int i = 0; i < 3 && at; i++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		return NULL;
	end = strchrnul(at, ' ');
	at = memmem(at, (size_t)(end - at), folder, strlen(folder));
	if (!at)
		return NULL;
	at += strlen(folder);
	id = cgroup_container_id(at, (size_t)(end - at), ret_len);
	return id == at && !strncmp(id + *ret_len, data, strlen(data)) ? id : NULL;
}

bool cgroup_find_container(int dir, char *buf, size_t size, bool *ret_old)
{
	const bool found = cgroup_read_container(dir, buf, size, ret_old);
	AUTO_FILE FILE *f = NULL;
	AUTO_FREE char *line = NULL;
	unsigned int left = MOUNTS_MAX;
	size_t cap = 0;
	int fd;

	if ((found && cgroup_names_container(buf, strlen(buf))) || !cgroup_mounts_differ(dir))
		return found;
	fd = openat(dir, "mountinfo", O_RDONLY | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (fd >= 0 && !f)
		close(fd);
	while (f && left-- && getline(&line, &cap, f) > 0) {
		size_t len;
		const char *id = cgroup_mounted_id(line, &len);
		const uid_t uid = id ? cgroup_owner(dir) : 0;

		if (!id)
			continue;
		if (uid)
			snprintf(buf, size, "/user.slice/user-%u.slice/libpod-%.*s.scope", (unsigned int)uid, (int)len,
				 id);
		else
			snprintf(buf, size, "/libpod-%.*s.scope", (int)len, id);
		if (ret_old)
			*ret_old = true;
		return true;
	}
	return found;
}

static uint64_t cgroup_rehash(const void *ctx, uint32_t i)
{
	const struct cgroups *cg = ctx;

	return hash_u64(cg->known.v[i].id);
}

/*
 * The mount point in a line of mountinfo when it is a cgroup2: field 5, octal escapes restored; see
 * proc_pid_mountinfo(5).
 */
static bool mount_of(char *line, char *ret)
{
	const char *type = strstr(line, " - cgroup2 ");
	char *save = NULL, *word = NULL;
	size_t n = 0;

	if (!type)
		return false;
	for (int i = 0; i < 5; i++)
		word = strtok_r(i ? NULL : line, " ", &save);
	for (; word && *word && n + 1 < PROC_PATH_MAX; n++) {
		unsigned int c;

		if (*word == '\\' && sscanf(word + 1, "%3o", &c) == 1 && strlen(word) >= 4) {
			ret[n] = (char)c;
			word += 4;
		} else {
			ret[n] = *word++;
		}
	}
	ret[n] = '\0';
	return n > 0;
}

/* The mount that the process PID, a number or "self", has, seen from ROOT: a descriptor, and its path there; -1. */
static int cgroup_mount_of(const char *pid, const char *root, char ret_path[PROC_PATH_MAX])
{
	char file[32];
	AUTO_FILE FILE *f = NULL;
	AUTO_FREE char *line = NULL;
	size_t cap = 0;

	snprintf(file, sizeof(file), "/proc/%s/mountinfo", pid);
	f = fopen(file, "re");
	while (f && getline(&line, &cap, f) > 0) {
		char path[PROC_PATH_MAX + 16];
		int fd;

		if (!mount_of(line, ret_path))
			continue;
		snprintf(path, sizeof(path), "%s%s", root, ret_path);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

int cgroup_mount(char ret_path[PROC_PATH_MAX])
{
	const bool hidden = *host_root() && host_cgroups_hidden();
	int fd = hidden ? -1 : cgroup_mount_of("self", "", ret_path);

	if (fd < 0 && *host_root())
		fd = cgroup_mount_of(host_process(), host_root(), ret_path);
	return fd;
}

static bool is_cgroup2(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == CGROUP2_SUPER_MAGIC;
}

int cgroup_open(const char *name, struct err *e)
{
	AUTO_FD int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_FD int mount = -1;
	const char *below = name + strspn(name, "/");
	char path[PROC_PATH_MAX];

	if (fd >= 0 && is_cgroup2(fd))
		return take_fd(&fd);
	mount = cgroup_mount(path);
	if (mount < 0)
		return err_set(e, ENOENT, "there is no cgroup '%s': no cgroup v2 file system is mounted; "
			       "mount it with: "
			       "sudo mount -t cgroup2 none /sys/fs/cgroup", name);
	if (fd >= 0)
		close(fd);
	fd = openat(mount, *below ? below : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && is_cgroup2(fd))
		return take_fd(&fd);
	if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
		return err_set(e, errno, "cannot open the cgroup '%s' below %s: %s", name, path, strerror(errno));
	return err_set(e, ENOENT, "there is no cgroup '%s', neither as a path nor below %s; list them with: "
		       "systemd-cgls, or "
		       "find %s -type d", name, path, path);
}

/* The path of the directory FD below the mount MOUNT; false when it is not there. */
static bool cgroup_path_below(const char *mount, int fd, char ret[PROC_PATH_MAX])
{
	char link[40], path[PROC_PATH_MAX];
	const size_t skip = strlen(mount);
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < (ssize_t)skip || memcmp(path, mount, skip) != 0)
		return false;
	path[n] = '\0';
	snprintf(ret, PROC_PATH_MAX, "%s", (size_t)n == skip ? "/" : path + skip);
	return true;
}

bool cgroup_path_of(int fd, char ret[PROC_PATH_MAX])
{
	char mount[PROC_PATH_MAX];
	AUTO_FD int at = cgroup_mount(mount);

	return at >= 0 && cgroup_path_below(mount, fd, ret);
}

struct cgroups *cgroups_new(struct strtab *strings)
{
	struct cgroups *cg = calloc(1, sizeof(*cg));

	if (!cg)
		return NULL;
	cg->strings = strings;
	cg->mount = cgroup_mount(cg->mount_path);
	return cg;
}

void cgroups_free(struct cgroups *cg)
{
	if (!cg)
		return;
	if (cg->mount >= 0)
		close(cg->mount);
	vec_free(&cg->known);
	vec_free(&cg->named_old);
	hidx_free(&cg->index);
	free(cg);
}

/* The kernel opens it by id, and says what it opened. */
static str_id by_handle(struct cgroups *cg, uint64_t id)
{
	struct {
		struct file_handle h;
		uint64_t id;
	} handle = { .h = { .handle_bytes = sizeof(uint64_t), .handle_type = FILEID_KERNFS_TYPE } };
	AUTO_FD int fd = -1;
	char path[PROC_PATH_MAX];

	memcpy(handle.h.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(cg->mount, &handle.h, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return 0;
	return cgroup_path_below(cg->mount_path, fd, path) ? strtab_adds(cg->strings, path) : 0;
}

static bool is_id(const struct cgroups *cg, const char *below, uint64_t id)
{
	struct stat st;

	return !fstatat(cg->mount, *below ? below : ".", &st, 0) && st.st_ino == id;
}

/* The process says where it is. */
static str_id by_process(struct cgroups *cg, uint64_t id, pid_t pid)
{
	AUTO_FD int dir = proc_open(pid);
	char path[PROC_PATH_MAX];

	if (dir < 0 || !proc_read_cgroup(dir, path, sizeof(path)))
		return 0;
	return is_id(cg, path + 1, id) ? strtab_adds(cg->strings, path) : 0;
}

struct search {
	struct cgroups *cg;
	uint64_t id;
	unsigned int seen;
	char path[PROC_PATH_MAX];
	str_id found;
};

/* Looks at the directories in DIR (consumed), whose path has LEN bytes in S->path. */
static void search_dir(struct search *s, int dir, size_t len, unsigned int depth)
{
	AUTO_DIR DIR *d = fdopendir(dir);
	const struct dirent *de;

	if (!d) {
		close(dir);
		return;
	}
	while (!s->found && s->seen < SEARCH_MAX && (de = readdir(d))) {
		const size_t n = strlen(de->d_name);
		int fd;

		if (de->d_type != DT_DIR || de->d_name[0] == '.' || len + 1 + n >= sizeof(s->path))
			continue;
		s->seen++;
		s->path[len] = '/';
		memcpy(s->path + len + 1, de->d_name, n + 1);
		if (de->d_ino == s->id) {
			s->found = strtab_adds(s->cg->strings, s->path);
			return;
		}
		fd = depth ? openat(dirfd(d), de->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
		if (fd >= 0)
			search_dir(s, fd, len + 1 + n, depth - 1);
	}
}

static str_id by_search(struct cgroups *cg, uint64_t id, uint64_t now)
{
	struct search s = { .cg = cg, .id = id };
	int fd;

	if (cg->searched_ns && now - cg->searched_ns < SEARCH_EVERY)
		return 0;
	cg->searched_ns = now;
	if (is_id(cg, "", id))
		return strtab_adds(cg->strings, "/");
	fd = openat(cg->mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		search_dir(&s, fd, 0, SEARCH_DEPTH);
	return s.found;
}

static struct known *cgroup_lookup(struct cgroups *cg, uint64_t id)
{
	const uint64_t h = hash_u64(id);
	struct known *k;
	uint32_t i;

	hidx_each(&cg->index, h, i)
		if (cg->known.v[i].id == id)
			return &cg->known.v[i];
	k = cg->known.n < CACHE_MAX ? vec_push(&cg->known) : NULL;
	if (!k)
		return NULL;
	i = (uint32_t)cg->known.n - 1;
	*k = (struct known){ .id = id };
	if (hidx_add(&cg->index, h, i, cgroup_rehash, cg))
		return k;
	cg->known.n--;
	return NULL;
}

/* The cgroup ID, whose path was searched for; NULL = it is not known. */
static struct known *cgroup_known(struct cgroups *cg, uint64_t id, pid_t pid)
{
	struct known *k = id && cg->mount >= 0 ? cgroup_lookup(cg, id) : NULL;
	uint64_t now;

	if (!k || k->path)
		return k;
	now = clock_mono_ns();
	if (k->missed_ns && now - k->missed_ns < SEARCH_EVERY)
		return NULL;
	k->path = by_handle(cg, id);
	if (!k->path)
		k->path = by_process(cg, id, pid);
	if (!k->path)
		k->path = by_search(cg, id, now);
	if (k->path == STR_NONE)
		k->path = 0;
	k->missed_ns = k->path ? 0 : now;
	return k->path ? k : NULL;
}

str_id cgroups_path(struct cgroups *cg, uint64_t id, pid_t pid)
{
	const struct known *k = cgroup_known(cg, id, pid);

	return k ? k->path : 0;
}

void cgroups_set_namer(struct cgroups *cg, cgroup_namer *namer)
{
	cg->namer = namer;
}

/* TEXT as one of the strings; 0 also when out of memory. */
static str_id cgroup_text(struct cgroups *cg, const char *text)
{
	const str_id id = strtab_adds(cg->strings, text);

	return id == STR_NONE ? 0 : id;
}

/*
 * The entry of what is not of version 2, by which the container is known in which PID is, whose cgroup of version 2 is
 * NOW, if that is known; NULL = there is none.
 */
static struct known *cgroup_old(struct cgroups *cg, const struct known *now, pid_t pid)
{
	const char *v2 = now ? strtab_get(cg->strings, now->path) : "";
	AUTO_FD int dir = cgroup_names_container(v2, strlen(v2)) ? -1 : proc_open(pid);
	char path[PROC_PATH_MAX];
	struct known *k;
	str_id text;
	bool old;

	if (dir < 0 || !cgroup_find_container(dir, path, sizeof(path), &old) || !old)
		return NULL;
	text = cgroup_text(cg, path);
	for (size_t i = 0; i < cg->named_old.n; i++)
		if (cg->named_old.v[i].path == text)
			return &cg->named_old.v[i];
	k = text && cg->named_old.n < OLD_MAX ? vec_push(&cg->named_old) : NULL;
	if (k)
		*k = (struct known){ .path = text };
	return k;
}

str_id cgroups_container(struct cgroups *cg, uint64_t id, pid_t pid, str_id *ret_image)
{
	struct known *now = cg->namer ? cgroup_known(cg, id, pid) : NULL;
	struct known *k = cg->namer ? cgroup_old(cg, now, pid) : NULL;

	*ret_image = 0;
	k = k ? k : now;
	if (!k)
		return 0;
	if (!k->named) {
		char label[CGROUP_LABEL_MAX] = "", image[CGROUP_LABEL_MAX] = "";

		cg->namer(strtab_get(cg->strings, k->path), pid, label, image);
		k->container = cgroup_text(cg, label);
		k->image = cgroup_text(cg, image);
		k->named = true;
	}
	*ret_image = k->image;
	return k->container;
}
