/* SPDX-License-Identifier: BSD-2-Clause */
/* container.c - reads paths of cgroups part by part, and the JSON that runtimes keep of each container. */
#include "config.h"

#include "system/container.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "base/text.h"
#include "system/hostroot.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <mntent.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID_LEAST 4u              /* digits of an id that may stand for it */
#define FILE_BYTES (4u << 20)
#define PASSWD_BYTES 4096u
#define SPACES_MAX 256u          /* namespaces of containerd that are looked into, and folders of pods' logs */
#define UID_LEN 36u

/* ---- paths ---- */

/* A part of a path. */
struct part {
	const char *at;
	size_t len;
};

static bool part_begins(struct part p, const char *with)
{
	return p.len >= strlen(with) && !memcmp(p.at, with, strlen(with));
}

static bool part_ends(struct part p, const char *with)
{
	const size_t n = strlen(with);

	return p.len > n && !memcmp(p.at + p.len - n, with, n);
}

static bool part_is(struct part p, const char *text)
{
	return p.len == strlen(text) && part_begins(p, text);
}

static void part_copy(struct part p, char *dst, size_t size)
{
	text_sanitise(dst, size, p.at, p.len);
}

/* The id in P; LEN 0 = there is none. */
static struct part part_id(struct part p)
{
	size_t len = 0;
	const char *id = cgroup_container_id(p.at, p.len, &len);

	return (struct part){ id ? id : p.at, len };
}

/*
 * What follows the uid of a pod in P, "pod" and the uid or "kubepods-...-pod" and the uid; then it is in RET, in which
 * systemd has "_" for "-". All of P when it is no pod.
 */
static struct part part_behind_pod(struct part p, char ret[UID_LEN + 1])
{
	const char *end = p.at + p.len, *uid = NULL;
	char text[UID_LEN + 1] = "";
	size_t n = 0;

	if (part_begins(p, "pod"))
		uid = p.at + strlen("pod");
	else if (part_begins(p, "kubepods") && memmem(p.at, p.len, "-pod", strlen("-pod")))
		uid = (const char *)memmem(p.at, p.len, "-pod", strlen("-pod")) + strlen("-pod");
	for (; uid && n < UID_LEN && uid + n < end; n++) {
		if (!isxdigit((unsigned char)uid[n]) && uid[n] != '-' && uid[n] != '_')
			break;
		text[n] = uid[n];
		if (uid[n] == '_')
			text[n] = '-';
	}
	/* Those of static pods are hashes. */
	if (n != UID_LEN && n != CGROUP_ID_DIGITS)
		return p;
	memcpy(ret, text, sizeof(text));
	return (struct part){ uid + n, (size_t)(end - uid - n) };
}

/* By what stands before the id in its part, and by the part above; false for what watches over a container. */
static bool part_runtime(struct part p, struct part id, struct part above, uint8_t *ret)
{
	static const struct {
		const char *prefix;
		uint8_t runtime;
	} prefixes[] = {
		{ "docker-", CONTAINER_DOCKER }, { "cri-containerd-", CONTAINER_CONTAINERD },
		{ "nerdctl-", CONTAINER_CONTAINERD }, { "crio-", CONTAINER_CRIO }, { "libpod-", CONTAINER_PODMAN },
	};
	const struct part before = { p.at, (size_t)(id.at - p.at) };

	*ret = CONTAINER_UNKNOWN;
	if (part_ends(before, "conmon-"))
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (part_begins(before, prefixes[i].prefix))
			*ret = prefixes[i].runtime;
	if (memmem(before.at, before.len, ":cri-containerd:", 16))
		*ret = CONTAINER_CONTAINERD;
	else if (*ret == CONTAINER_UNKNOWN && part_is(above, "docker"))
		*ret = CONTAINER_DOCKER;
	else if (*ret == CONTAINER_UNKNOWN && part_is(above, "libpod_parent"))
		*ret = CONTAINER_PODMAN;
	return true;
}

/* LXC names its cgroup after the container. */
static bool part_lxc(struct part p, struct part above, struct part *ret)
{
	static const char payload[] = "lxc.payload.";

	if (part_begins(p, payload) && p.len > strlen(payload)) {
		*ret = (struct part){ p.at + strlen(payload), p.len - strlen(payload) };
		return true;
	}
	*ret = p;
	return part_is(above, "lxc");
}

static bool part_unit(struct part p)
{
	return part_ends(p, ".service") || (part_ends(p, ".scope") && !part_is(p, "init.scope"));
}

/* The number in "user-1000.slice"; 0 of other parts. */
static uint32_t part_user(struct part p)
{
	const char *at = p.at + strlen("user-"), *end = p.at + p.len;
	uint64_t uid;

	if (!part_begins(p, "user-") || !part_ends(p, ".slice") || !parse_dec(&at, end, &uid) || *at != '.')
		return 0;
	return uid < UINT32_MAX ? (uint32_t)uid : 0;
}

bool container_parse(const char *path, struct container_place *ret)
{
	struct part above = { "", 0 }, part;
	bool found = false;

	*ret = (struct container_place){ 0 };
	for (const char *at = path; *at; at += part.len + (at[part.len] != '\0')) {
		struct part id, rest;
		uint8_t runtime = CONTAINER_UNIT;

		part = (struct part){ at, (size_t)(strchrnul(at, '/') - at) };
		rest = part_behind_pod(part, ret->pod);
		ret->user = ret->user ? ret->user : part_user(part);
		id = part_id(rest);
		if (!id.len && (rest.at != part.at || !part.len)) {
			above = part;
			continue;
		}
		if (id.len ? part_runtime(part, id, above, &runtime) : part_lxc(part, above, &id)) {
			ret->runtime = id.len && runtime != CONTAINER_UNIT ? runtime : CONTAINER_LXC;
		} else if (part_unit(part) && (!found || ret->runtime == CONTAINER_UNIT)) {
			ret->runtime = CONTAINER_UNIT;
			id = part;
		} else {
			above = part;
			continue;
		}
		found = true;
		part_copy(id, ret->id, sizeof(ret->id));
		ret->len = (size_t)(part.at + part.len - path);
		above = part;
	}
	return found;
}

/* ---- files ---- */

static container_denied_fn *container_denied;

void container_on_denied(container_denied_fn *fn)
{
	container_denied = fn;
}

/* Where files of a container are looked for. */
struct container_way {
	const char *root;        /* paths are below it */
	pid_t pid;               /* a process in the container, for whom else may open them; 0 = nobody is asked */
};

/* The file PATH, for reading: an fd or a negative errno. */
static int container_open(const struct container_way *w, const char *path, uid_t owner)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (owner ? O_NOFOLLOW : 0));

	if (fd >= 0 || errno != EACCES || owner || !w->pid || !container_denied)
		return fd < 0 ? -errno : fd;
	return container_denied(w->pid, path);
}

/* The JSON in the file PATH, which is of OWNER or of root; NULL. */
static json_t *container_json(const struct container_way *w, const char *path, uid_t owner)
{
	AUTO_FD int fd = container_open(w, path, owner);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_BYTES ||
	    (owner && st.st_uid && st.st_uid != owner))
		return NULL;
	return json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
}

/* The text KEY of O to DST, unless there is one already. */
static void container_take(char dst[CONTAINER_TEXT_MAX], const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (!*dst && s)
		text_sanitise(dst, CONTAINER_TEXT_MAX, s + (*s == '/'), strlen(s + (*s == '/')));
}

/* What labels or annotations say, in the words of the kubelet, of containerd and of CRI-O. */
static void container_take_labels(struct container *c, const json_t *labels)
{
	static const char *const names[] = { "io.kubernetes.cri.container-name", "io.kubernetes.container.name",
					     "nerdctl/name", "io.kubernetes.cri-o.Name" };
	static const char *const images[] = { "io.kubernetes.cri.image-name", "io.kubernetes.cri-o.ImageName" };
	static const char *const pods[] = { "io.kubernetes.cri.sandbox-name", "io.kubernetes.pod.name" };
	static const char *const spaces[] = { "io.kubernetes.cri.sandbox-namespace", "io.kubernetes.pod.namespace" };
	const char *type = json_string_value(json_object_get(labels, "io.kubernetes.cri.container-type"));

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		container_take(c->name, labels, names[i]);
	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++)
		container_take(c->image, labels, images[i]);
	for (size_t i = 0; i < sizeof(pods) / sizeof(pods[0]); i++)
		container_take(c->pod, labels, pods[i]);
	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++)
		container_take(c->space, labels, spaces[i]);
	/* It holds the namespaces of its pod, and has no name of its own. */
	if (!*c->name && type && !strcmp(type, "sandbox"))
		snprintf(c->name, sizeof(c->name), "pause");
}

static bool container_read_docker(const struct container_way *w, const char *id, struct container *ret)
{
	char path[PATH_MAX];
	json_t *j, *config;
	bool found;

	snprintf(path, sizeof(path), "%s/var/lib/docker/containers/%s/config.v2.json", w->root, id);
	j = container_json(w, path, 0);
	found = j;
	config = json_object_get(j, "Config");
	container_take_labels(ret, json_object_get(config, "Labels"));
	container_take(ret->name, j, "Name");
	container_take(ret->image, config, "Image");
	json_decref(j);
	return found;
}

/* The configuration that runc was given, with its annotations. */
static bool container_read_oci(const struct container_way *w, const char *path, struct container *ret)
{
	json_t *j = container_json(w, path, 0);
	const bool found = j;

	container_take_labels(ret, json_object_get(j, "annotations"));
	json_decref(j);
	return found;
}

/* The same of ID, of the namespace SPACE of containerd, whose folder is TASKS. */
static bool container_read_task(const struct container_way *w, const char *tasks, const char *space, const char *id,
				struct container *ret)
{
	char file[PATH_MAX];

	return snprintf(file, sizeof(file), "%s/%s/%s/config.json", tasks, space, id) < (int)sizeof(file) &&
		container_read_oci(w, file, ret);
}

static bool container_read_containerd(const struct container_way *w, const char *id, struct container *ret)
{
	static const char *const states[] = { "/run/containerd", "/run/k3s/containerd",
					      "/var/snap/microk8s/common/run/containerd" };
	/* Who may not list them tries those of Kubernetes, of nerdctl and of Docker. */
	static const char *const usual[] = { "k8s.io", "default", "moby" };

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		char path[PATH_MAX];
		AUTO_DIR DIR *d = NULL;
		const struct dirent *space;
		unsigned int left = SPACES_MAX;

		snprintf(path, sizeof(path), "%s%s/io.containerd.runtime.v2.task", w->root, states[i]);
		d = opendir(path);
		for (size_t j = 0; !d && errno == EACCES && j < sizeof(usual) / sizeof(usual[0]); j++, errno = EACCES)
			if (container_read_task(w, path, usual[j], id, ret))
				return true;
		while (d && left-- && (space = readdir(d)))
			if (space->d_name[0] != '.' && container_read_task(w, path, space->d_name, id, ret))
				return true;
	}
	return false;
}

#define STORAGE_RUN "/run/containers/storage"
#define STORAGE "/var/lib/containers/storage"
/* Below these, a folder of each way of storing layers of images: "overlay-containers" nearly always. */
static const char *const drivers[] = { "overlay", "vfs", "btrfs", "zfs" };
#define NR_DRIVERS (sizeof(drivers) / sizeof(drivers[0]))

static bool container_read_crio(const struct container_way *w, const char *id, struct container *ret)
{
	bool found = false;

	for (size_t i = 0; i < NR_DRIVERS && !found; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s" STORAGE_RUN "/%s-containers/%s/userdata/config.json", w->root,
			 drivers[i], id);
		found = container_read_oci(w, path, ret);
	}
	return found;
}

/* One list has all containers; what Podman knows of one is JSON again, in a text. */
static bool container_read_list(const struct container_way *w, const char *path, uid_t owner, const char *id,
				struct container *ret)
{
	bool found = false;
	json_t *list, *one;
	size_t i;

	list = container_json(w, path, owner);
	json_array_foreach(list, i, one) {
		const char *is = json_string_value(json_object_get(one, "id"));
		const char *text = json_string_value(json_object_get(one, "metadata"));
		json_t *told = NULL;

		if (!is || strcmp(is, id) != 0)
			continue;
		told = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
		container_take(ret->name, told, "name");
		container_take(ret->image, told, "image-name");
		json_decref(told);
		found = true;
	}
	json_decref(list);
	return found;
}

/* Of the lists NAME below STORAGE, one of each driver. */
static bool container_read_lists(const struct container_way *w, const char *storage, const char *name, uid_t owner,
				 const char *id, struct container *ret)
{
	bool found = false;

	for (size_t i = 0; i < NR_DRIVERS && !found; i++) {
		char path[2 * PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s-containers/%s", storage, drivers[i], name);
		found = container_read_list(w, path, owner, id, ret);
	}
	return found;
}

/* Containers that are removed when they end (--rm) may be in another list. */
static bool container_read_podman(const struct container_way *w, const char *id, struct container *ret)
{
	char kept[PATH_MAX], run[PATH_MAX];

	snprintf(kept, sizeof(kept), "%s" STORAGE, w->root);
	snprintf(run, sizeof(run), "%s" STORAGE_RUN, w->root);
	return container_read_lists(w, kept, "containers.json", 0, id, ret) ||
		container_read_lists(w, run, "volatile-containers.json", 0, id, ret);
}

/* The home of the user UID by /etc/passwd alone, since others who know users may have to ask a network; false. */
static bool container_home(const char *root, uint32_t uid, char home[PATH_MAX])
{
	char path[PATH_MAX], buf[PASSWD_BYTES];
	AUTO_FILE FILE *f = NULL;
	struct passwd pw, *is;

	snprintf(path, sizeof(path), "%s/etc/passwd", root);
	f = fopen(path, "re");
	while (f && !fgetpwent_r(f, &pw, buf, sizeof(buf), &is))
		if (is->pw_uid == uid)
			return snprintf(home, PATH_MAX, "%s%s", root, is->pw_dir) < PATH_MAX && *is->pw_dir == '/';
	return false;
}

/* Is PATH on a file system of this machine, which does not keep one waiting? By the mount with the longest path. */
static bool container_is_local(const char *path)
{
	static const char *const local[] = { "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "tmpfs",
					     "overlay" };
	AUTO_FILE FILE *f = fopen("/proc/self/mounts", "re");
	char buf[PATH_MAX], type[16] = "";
	size_t longest = 0;
	struct mntent m;

	while (f && getmntent_r(f, &m, buf, sizeof(buf))) {
		const size_t n = strlen(m.mnt_dir);

		if (n < longest || strncmp(path, m.mnt_dir, n) != 0 || (n > 1 && path[n] != '/' && path[n]))
			continue;
		longest = n;
		snprintf(type, sizeof(type), "%s", m.mnt_type);
	}
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if (!strcmp(type, local[i]))
			return true;
	return false;
}

/* Podman of a user who is not root keeps its lists where the user keeps the like. */
static bool container_read_rootless(const struct container_way *w, const struct container_place *p,
				    struct container *ret)
{
	char home[PATH_MAX], path[PATH_MAX + 80];

	snprintf(path, sizeof(path), "%s/run/user/%u/containers", w->root, (unsigned int)p->user);
	if (container_read_lists(w, path, "volatile-containers.json", p->user, p->id, ret))
		return true;
	if (!container_home(w->root, p->user, home) || !container_is_local(home))
		return false;
	snprintf(path, sizeof(path), "%s/.local/share/containers/storage", home);
	return container_read_lists(w, path, "containers.json", p->user, p->id, ret);
}

/* The kubelet keeps logs in folders "NAMESPACE_POD_UID". */
static void container_read_logs(const char *root, const char *uid, struct container *ret)
{
	char path[PATH_MAX];
	AUTO_DIR DIR *d = NULL;
	const struct dirent *e;
	unsigned int left = SPACES_MAX;

	snprintf(path, sizeof(path), "%s/var/log/pods", root);
	d = opendir(path);
	while (d && left-- && (e = readdir(d))) {
		const char *pod = strchr(e->d_name, '_'), *own = pod ? strchr(pod + 1, '_') : NULL;

		if (!own || strcmp(own + 1, uid) != 0)
			continue;
		part_copy((struct part){ e->d_name, (size_t)(pod - e->d_name) }, ret->space, sizeof(ret->space));
		part_copy((struct part){ pod + 1, (size_t)(own - pod - 1) }, ret->pod, sizeof(ret->pod));
		return;
	}
}

static void container_read_by(const struct container_way *w, const struct container_place *p, struct container *ret)
{
	typedef bool read_fn(const struct container_way *w, const char *id, struct container *ret);
	static read_fn *const readers[] = {
		[CONTAINER_DOCKER] = container_read_docker, [CONTAINER_CONTAINERD] = container_read_containerd,
		[CONTAINER_CRIO] = container_read_crio, [CONTAINER_PODMAN] = container_read_podman,
	};

	*ret = (struct container){ 0 };
	if (p->runtime == CONTAINER_LXC || p->runtime == CONTAINER_UNIT) {
		snprintf(ret->name, sizeof(ret->name), "%s", p->id);
		return;
	}
	if (p->runtime == CONTAINER_PODMAN && p->user)
		(void)container_read_rootless(w, p, ret);
	else if (p->runtime != CONTAINER_UNKNOWN)
		readers[p->runtime](w, p->id, ret);
	else
		for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
			if (readers[i] && readers[i](w, p->id, ret))
				break;
	if (*p->pod && !*ret->pod)
		container_read_logs(w->root, p->pod, ret);
	if (!*ret->name)
		snprintf(ret->name, sizeof(ret->name), "%.*s", CGROUP_ID_SHOWN, p->id);
}

void container_read(const char *root, const struct container_place *p, struct container *ret)
{
	container_read_by(&(struct container_way){ .root = root }, p, ret);
}

void container_read_here(const struct container_place *p, pid_t pid, struct container *ret)
{
	container_read_by(&(struct container_way){ "", pid }, p, ret);
	if (*host_root() && !strncmp(ret->name, p->id, CGROUP_ID_SHOWN))
		container_read(host_root(), p, ret);
}

char *container_label(const struct container *c, char dst[CONTAINER_LABEL_MAX])
{
	if (*c->pod)
		snprintf(dst, CONTAINER_LABEL_MAX, "%s/%s/%s", c->space, c->pod, c->name);
	else
		snprintf(dst, CONTAINER_LABEL_MAX, "%s", c->name);
	return dst;
}

/* ---- by name ---- */

static bool container_is(const struct container_place *p, const struct container *c, const char *name)
{
	char label[CONTAINER_LABEL_MAX];
	const size_t n = strlen(name), space = strlen(c->space);

	if (!strcmp(container_label(c, label), name) || !strcmp(c->name, name))
		return true;
	if (p->runtime == CONTAINER_UNIT && !strncmp(p->id, name, n) && !strcmp(p->id + n, ".service"))
		return true;
	if (*c->pod && (!strcmp(c->pod, name) || (n > space + 1 && !strncmp(name, c->space, space) &&
						   name[space] == '/' && !strcmp(name + space + 1, c->pod))))
		return true;
	return p->runtime != CONTAINER_UNIT && p->runtime != CONTAINER_LXC && n >= ID_LEAST &&
		!strncmp(p->id, name, n);
}

struct container_search {
	const char *name;
	char label[CONTAINER_LABEL_MAX], path[PROC_PATH_MAX];
	char other[CONTAINER_LABEL_MAX + CGROUP_ID_SHOWN + 8];  /* another one that NAME means; "" = there is none */
	char seen[PROC_PATH_MAX];                /* the cgroup of the process before */
	bool old;                                /* PATH is of version 1 */
};

/* Is PATH, or some cgroup above it, the container's own cgroup at OWN? */
static bool container_is_in(const char *path, const char *own)
{
	const size_t n = strlen(own);

	return !strncmp(path, own, n) && (!path[n] || path[n] == '/');
}

/* PATH is the cgroup of a process, OLD one of version 1. */
static void container_try(struct container_search *s, const char *path, bool old)
{
	char label[CONTAINER_LABEL_MAX];
	struct container_place p;
	struct container c;

	/* Processes of one cgroup come one after the other, mostly. */
	if (!strcmp(path, s->seen) || !container_parse(path, &p))
		return;
	snprintf(s->seen, sizeof(s->seen), "%s", path);
	if (!strncmp(path, s->path, p.len) && !s->path[p.len])
		return;
	container_read_here(&p, 0, &c);
	if (!container_is(&p, &c, s->name))
		return;
	container_label(&c, label);
	if (*s->path) {
		snprintf(s->other, sizeof(s->other), "%s (%.*s)", label, CGROUP_ID_SHOWN, p.id);
		return;
	}
	snprintf(s->label, sizeof(s->label), "%s", label);
	snprintf(s->path, sizeof(s->path), "%.*s", (int)p.len, path);
	s->old = old;
}

/* Which processes are in the cgroup OWN of version 1. */
static int container_gather(const char *own, u32_vec *pids, struct err *e)
{
	AUTO_DIR DIR *proc = opendir("/proc");
	const struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		AUTO_FD int dir = pid > 0 ? proc_open(pid) : -1;
		char path[PROC_PATH_MAX];
		uint32_t *id;
		bool old;

		if (dir < 0 || !cgroup_find_container(dir, path, sizeof(path), &old) || !old ||
		    !container_is_in(path, own))
			continue;
		id = vec_push(pids);
		if (!id)
			return err_nomem(e, "the target list");
		*id = (uint32_t)pid;
	}
	return pids->n ? 0 : err_set(e, ENOENT, "the container has ended");
}

int container_find(const char *name, char label[CONTAINER_LABEL_MAX], char path[PROC_PATH_MAX], u32_vec *pids,
		   struct err *e)
{
	AUTO_FREE struct container_search *s = calloc(1, sizeof(*s));
	AUTO_DIR DIR *proc = opendir("/proc");
	const struct dirent *entry;

	if (!s)
		return err_nomem(e, "the search for a container");
	s->name = name;
	while (proc && (entry = readdir(proc))) {
		const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		AUTO_FD int dir = pid > 0 ? proc_open(pid) : -1;
		char path_of[PROC_PATH_MAX];
		bool old;

		if (dir >= 0 && cgroup_find_container(dir, path_of, sizeof(path_of), &old))
			container_try(s, path_of, old);
	}
	if (!*s->path && host_closed())
		return err_set(e, ENOENT, "no container, pod or unit with running processes is called '%s', as far as "
			       "sberf may see: the names are on the host, and CAP_SYS_PTRACE is missing to look there "
			       "(in a container: --cap-add SYS_PTRACE)", name);
	if (!*s->path)
		return err_set(e, ENOENT, "no container, pod or unit with running processes is called '%s'; key t of "
			       "'sberf top -a' shows those that run", name);
	if (!s->old && host_cgroups_hidden())
		return err_set(e, EPERM, "sberf runs in a cgroup namespace of its own, so it cannot follow that of "
			       "'%s': start its container with --cgroupns=host, or name processes with -p", s->label);
	if (*s->other)
		return err_set(e, EEXIST, "'%s' is more than one container: %s and %s; name one as NAMESPACE/POD/NAME, "
			       "or by the first digits of its id", name, s->label, s->other);
	memcpy(label, s->label, sizeof(s->label));
	memcpy(path, s->path, sizeof(s->path));
	return s->old ? container_gather(s->path, pids, e) : 0;
}

void container_name_cgroup(const char *path, pid_t pid, char label[CONTAINER_LABEL_MAX],
			   char image[CONTAINER_LABEL_MAX])
{
	struct container_place p;
	struct container c;

	if (!container_parse(path, &p))
		return;
	container_read_here(&p, pid, &c);
	container_label(&c, label);
	snprintf(image, CONTAINER_LABEL_MAX, "%s", c.image);
}
