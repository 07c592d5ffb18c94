/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroup.h - finds the path of a cgroup v2 by its id, which is the inode of its directory.
 *
 * It tries three ways, the cheapest first: the kernel opens the directory by its id (needs
 * CAP_DAC_READ_SEARCH); the process that was sampled says where it is (/proc/PID/cgroup, checked
 * against the id); the hierarchy is searched, which is bounded and done seldom. What was found once
 * is kept; a cgroup that is renamed or removed later keeps the path that it had.
 */
#ifndef SBERF_SYSTEM_CGROUP_H
#define SBERF_SYSTEM_CGROUP_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strtab.h"
#include "system/procfs.h"

#include <stdint.h>
#include <sys/types.h>

struct cgroups;

/*
 * Where the cgroup v2 hierarchy is mounted for this process (/proc/self/mountinfo, see
 * proc_pid_mountinfo(5)); where that is nowhere or not the whole, for the host (hostroot.h): an
 * O_RDONLY descriptor of that directory, the caller's, and its path; -1 when it is mounted nowhere.
 */
int cgroup_mount(char ret_path[PROC_PATH_MAX]);

/*
 * Opens the directory of the cgroup NAME: a path in the file system, or what cgroups_path() calls
 * it, with or without the slash at its beginning ("/" is the root). Returns the descriptor, the
 * caller's, or a negative errno with a sentence.
 */
int cgroup_open(const char *name, struct err *e);

/* The path below the mount of the cgroup whose directory FD is, starting with "/"; false when it cannot be told. */
bool cgroup_path_of(int fd, char ret[PROC_PATH_MAX]);

#define CGROUP_ID_DIGITS 32u     /* the id of a container has so many at least; other numbers in paths have fewer */
#define CGROUP_ID_SHOWN 12       /* digits that stand for it, as the tools of all runtimes show it */

/*
 * The id of a container in the LEN bytes at PART of a path, between two slashes, and its digits in *RET_LEN, which may
 * be NULL. NULL = there is none.
 */
const char *cgroup_container_id(const char *part, size_t len, size_t *ret_len);

/*
 * The path of the cgroup by which the container of a process is known, DIR being its directory of /proc, to BUF: that
 * of a hierarchy of version 1 where only that has the id of a container, or a container of LXC; else of version 2.
 * False when it is in none. In *RET_OLD, which may be NULL: it is of version 1.
 */
bool cgroup_read_container(int dir, char *buf, size_t size, bool *ret_old);

/*
 * The same; and where no cgroup tells of a container, by the files that Podman mounts in each of its own: without
 * root it may leave them in the cgroup that they were started from. The path is then one that Podman would have made,
 * "/user.slice/user-UID.slice/libpod-ID.scope", and *RET_OLD is set, since no cgroup v2 has that path. A process says
 * that of itself, so nothing is to be granted for it.
 */
bool cgroup_find_container(int dir, char *buf, size_t size, bool *ret_old);

/* STRINGS receives the paths. NULL when out of memory; without a cgroup v2 mount every path is "". */
struct cgroups *cgroups_new(struct strtab *strings);
void cgroups_free(struct cgroups *cg);           /* NULL is fine */

/*
 * The path below the mount, starting with "/"; 0 ("") when ID is 0 or cannot be found. PID is a
 * process that is in it.
 */
str_id cgroups_path(struct cgroups *cg, uint64_t id, pid_t pid);

/*
 * What the container is called in which the cgroup PATH is, and the process PID, 0 = not known (system/container.h):
 * texts into LABEL and IMAGE, of CGROUP_LABEL_MAX bytes, "" for none. It may read files.
 */
#define CGROUP_LABEL_MAX 768u
typedef void cgroup_namer(const char *path, pid_t pid, char label[CGROUP_LABEL_MAX], char image[CGROUP_LABEL_MAX]);

/* NAMER is asked once for each cgroup, from the first cgroups_container() on that finds its path. */
void cgroups_set_namer(struct cgroups *cg, cgroup_namer *namer);
/*
 * The container of the cgroup ID, as cgroups_path() finds it: what it is called, and in *RET_IMAGE its image. 0 ("")
 * where nobody names containers, and for what is in none.
 */
str_id cgroups_container(struct cgroups *cg, uint64_t id, pid_t pid, str_id *ret_image);

DEFINE_AUTO(cgroups_free, struct cgroups);

#endif
