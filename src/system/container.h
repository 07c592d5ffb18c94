/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * container.h - which container a cgroup is of, and what people call it: by the path of the cgroup, and by files
 * that the runtimes keep. No daemon is asked.
 *
 * Paths are those of cgroup v2 as Docker, containerd, CRI-O, Podman and LXC make them, with systemd or without;
 * pods are those of the kubelet. A unit of systemd counts as a container, too: it is what a host runs services in.
 * Where the runtimes keep what they know: docs/containers.md.
 */
#ifndef SBERF_SYSTEM_CONTAINER_H
#define SBERF_SYSTEM_CONTAINER_H

#include "base/err.h"
#include "base/parse.h"
#include "system/cgroup.h"
#include "system/procfs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTAINER_ID_MAX 128u    /* bytes with the NUL; ids have 64 digits, names of LXC and of units may be longer */
#define CONTAINER_TEXT_MAX 256u
#define CONTAINER_LABEL_MAX CGROUP_LABEL_MAX     /* three of these, with slashes */

enum container_runtime {
	CONTAINER_UNKNOWN,       /* there is an id, and nothing says whose */
	CONTAINER_DOCKER,
	CONTAINER_CONTAINERD,
	CONTAINER_CRIO,
	CONTAINER_PODMAN,
	CONTAINER_LXC,           /* the id is its name */
	CONTAINER_UNIT,          /* of systemd: the same */
};

/* What a path says. */
struct container_place {
	uint8_t runtime;         /* enum container_runtime */
	char id[CONTAINER_ID_MAX];
	char pod[37];            /* the uid of its pod, as Kubernetes writes it; "" = it is in none */
	uint32_t user;           /* who runs it, below whose slice it is; 0 = root */
	size_t len;              /* bytes of the path up to the end of the container's own cgroup */
};

/* What it is called. Texts are sanitised (base/text.h); "" = not known. */
struct container {
	char name[CONTAINER_TEXT_MAX], image[CONTAINER_TEXT_MAX];
	char pod[CONTAINER_TEXT_MAX], space[CONTAINER_TEXT_MAX];         /* space: the namespace of the pod */
};

/*
 * The container in which the cgroup PATH is: the innermost part of it that names one; where no part has an id, the
 * innermost unit. False when there is none.
 */
bool container_parse(const char *path, struct container_place *ret);

/*
 * Reads from files below ROOT ("" = those of this machine) what the container at P is called. Files of more than
 * 4 MB, and what is no JSON, are as if they were not there; the first 12 digits of the id stand for a name that is not
 * known. Some milliseconds.
 */
void container_read(const char *root, const struct container_place *p, struct container *ret);

/*
 * The same of this machine; when sberf runs in a container (system/hostroot.h), by files of the host. What is refused
 * to us is asked for as the process PID, which is in the container; 0 = it is not asked for.
 */
void container_read_here(const struct container_place *p, pid_t pid, struct container *ret);

/*
 * Who else may open the file PATH, which is of root and about the container that PID is in: an fd, or a negative
 * errno. NULL = nobody. Set while no thread reads of containers.
 */
typedef int container_denied_fn(pid_t pid, const char *path);
void container_on_denied(container_denied_fn *fn);

/* "NAMESPACE/POD/NAME" of a container in a pod, else its name, to DST. Returns DST. */
char *container_label(const struct container *c, char dst[CONTAINER_LABEL_MAX]);

/*
 * Finds the container that processes of this machine run in and that NAME means: its label, its name, the name of its
 * pod with the namespace or without, or the first 4 or more digits of its id. Its label to LABEL, its cgroup to PATH;
 * where that is of version 1, *PIDS, whose memory is the caller's, gets the processes in it, and else none. 0, or a
 * negative errno with a sentence: -ENOENT when there is none, -EEXIST when there are several.
 */
int container_find(const char *name, char label[CONTAINER_LABEL_MAX], char path[PROC_PATH_MAX], u32_vec *pids,
		   struct err *e);

/* Of the cgroup PATH of this machine, in which PID is, for cgroups_set_namer() of system/cgroup.h. */
void container_name_cgroup(const char *path, pid_t pid, char label[CONTAINER_LABEL_MAX],
			   char image[CONTAINER_LABEL_MAX]);

#endif
