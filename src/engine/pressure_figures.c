/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "engine/pressure_figures.h"

#include "base/clock.h"
#include "base/text.h"
#include "system/cgroup.h"
#include "system/container.h"
#include "system/pressure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(META_PRESSURES == PRESSURE_NR && META_UNKNOWN == PRESSURE_UNKNOWN, "they are copied");

struct pressure_figures {
	int cgroup;              /* its directory */
	char of[META_TEXT];
	struct pressure base[PRESSURE_NR];       /* when it began */
	uint64_t read_ns;
	bool ended;
};

/* What people call the cgroup PATH, whose directory is FD, to OF. */
static void pressure_figures_name(const char *path, int fd, char of[META_TEXT])
{
	char label[CONTAINER_LABEL_MAX] = "", image[CONTAINER_LABEL_MAX], first[16];

	(void)proc_read_start(fd, "cgroup.procs", first, sizeof(first));
	container_name_cgroup(path, (pid_t)strtol(first, NULL, 10), label, image);
	text_sanitise(of, META_TEXT, *label ? label : path, strlen(*label ? label : path));
}

/* The cgroup of PLAN's target, or of the container or unit that its first process is in: a descriptor; -1 = none. */
static int pressure_figures_cgroup(const struct capture_plan *plan, char of[META_TEXT])
{
	struct err ignored = ERR_INIT;
	struct container_place place;
	char path[PROC_PATH_MAX];
	int fd;

	if (plan->target == TARGET_CGROUP) {
		fd = cgroup_open(plan->cgroup, &ignored);
		if (fd >= 0)
			pressure_figures_name(cgroup_path_of(fd, path) ? path : plan->cgroup, fd, of);
		return fd < 0 ? -1 : fd;
	}
	if (plan->target == TARGET_PIDS && plan->ids.n && !plan->to_come) {
		AUTO_FD int dir = proc_open((pid_t)plan->ids.v[0]);

		if (dir < 0 || !proc_read_cgroup(dir, path, sizeof(path)) || !container_parse(path, &place))
			return -1;
		path[place.len] = '\0';
		fd = cgroup_open(path, &ignored);
		if (fd >= 0)
			pressure_figures_name(path, fd, of);
		return fd < 0 ? -1 : fd;
	}
	return -1;
}

struct pressure_figures *pressure_figures_new(const struct capture_plan *plan)
{
	char of[META_TEXT] = "";
	AUTO_FD int cgroup = pressure_figures_cgroup(plan, of);
	struct pressure_figures *p = cgroup < 0 ? NULL : calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->cgroup = take_fd(&cgroup);
	snprintf(p->of, sizeof(p->of), "%s", of);
	pressure_figures_begin(p);
	return p;
}

void pressure_figures_begin(struct pressure_figures *p)
{
	if (!p)
		return;
	(void)pressure_read(p->cgroup, p->base);
	p->read_ns = 0;
}

void pressure_figures_free(struct pressure_figures *p)
{
	if (p)
		close(p->cgroup);
	free(p);
}

static uint64_t pressure_figures_since(uint64_t now, uint64_t base)
{
	return now == PRESSURE_UNKNOWN || base == PRESSURE_UNKNOWN ? META_UNKNOWN : now > base ? now - base : 0;
}

static const char *pressure_figures_why(int r)
{
	switch (r) {
	case -EOPNOTSUPP:
		return "none, the kernel was started with psi=0";
	case -ENOENT:
		return "none, the kernel keeps none of this cgroup (CONFIG_PSI, and psi=1 on its command line)";
	case -ENODEV:
		return "ended, the cgroup was removed";
	default:
		return "cannot be read";
	}
}

void pressure_figures_measure(struct pressure_figures *p, bool last, struct profile_meta *m)
{
	const uint64_t now = clock_mono_ns();
	struct pressure is[PRESSURE_NR];
	int r;

	if (!p || p->ended || (!last && p->read_ns && now - p->read_ns < NSEC_PER_SEC))
		return;
	p->ended = last;
	snprintf(m->pressure_of, sizeof(m->pressure_of), "%s", p->of);
	r = pressure_read(p->cgroup, is);
	/* Of a cgroup that was removed, what there was is still known. */
	if (r && p->read_ns && !m->pressure_said[0])
		return;
	p->read_ns = now;
	snprintf(m->pressure_said, sizeof(m->pressure_said), "%s", r ? pressure_figures_why(r) : "");
	for (unsigned int i = 0; i < PRESSURE_NR; i++) {
		m->pressure_some_ns[i] = pressure_figures_since(is[i].some_ns, p->base[i].some_ns);
		m->pressure_full_ns[i] = pressure_figures_since(is[i].full_ns, p->base[i].full_ns);
		m->pressure_now[i] = is[i].now;
	}
}
