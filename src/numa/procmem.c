/* SPDX-License-Identifier: BSD-2-Clause */
/* procmem.c - see procmem.h. */
#include "config.h"

#include "numa/procmem.h"

#include "base/hash.h"
#include "base/text.h"
#include "numa/placement.h"
#include "numa/proctext.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define REREAD_NS (100 * NSEC_PER_MSEC)
#define REREAD_COSTS 20u                 /* reading takes at most a twentieth of the time, per process */
#define STALE_NS NSEC_PER_SEC
#define STALE_COSTS 200u                 /* and much less of it when nothing is missing */
#define BATCH 512u                       /* addresses of one system call */
#define HUGE_SHARE 5u                    /* one part in so many of a survey is for huge pages, when there are any */
#define STATUS_BYTES 32768u              /* its lists of CPUs and nodes can be long */
#define THREADS_LOOK 128u                /* threads whose stacks are looked for in one survey */

struct procmem *procmem_new(pid_t pid, const dev_vec *kernel_devs)
{
	AUTO(procmem_free) struct procmem *m = calloc(1, sizeof(*m));

	if (!m || !vec_reserve(&m->devs, kernel_devs->n))
		return NULL;
	m->pid = pid;
	m->huge.huge = true;
	for (size_t i = 0; i < kernel_devs->n; i++)
		*vec_push(&m->devs) = kernel_devs->v[i];
	return take_ptr(m);
}

void procmem_free(struct procmem *m)
{
	if (!m)
		return;
	areas_free(&m->areas);
	vec_free(&m->devs);
	residency_free(&m->small);
	residency_free(&m->huge);
	free(m);
}

size_t procmem_bytes(const struct procmem *m)
{
	return sizeof(*m) + areas_bytes(&m->areas);
}

/* Another process has the number now: nothing holds any more but the kernel's own devices. */
static void procmem_renew(struct procmem *m)
{
	areas_free(&m->areas);
	residency_free(&m->small);
	residency_free(&m->huge);
	m->read_ns = m->policies_ns = 0;
}

/* Who DIR is about. False: it has ended. */
static bool procmem_read_identity(struct procmem *m, int dir, struct proc_stat *ret)
{
	if (dir < 0 || proc_read_stat(dir, ret))
		return false;
	if (m->start_ticks && m->start_ticks != ret->start_ticks)
		procmem_renew(m);
	if (m->start_ticks != ret->start_ticks)
		hugedevs_of_process(dir, &m->devs);
	m->start_ticks = ret->start_ticks;
	return !ret->zombie;
}

static void procmem_take_line(void *ctx, const struct maps_line *line)
{
	struct procmem *m = ctx;

	/* Over the limit what is higher up is not known. */
	areas_add(&m->areas, line, m->devs.v, m->devs.n);
}

static void procmem_read_maps(struct procmem *m, int dir)
{
	const uint64_t now = clock_mono_ns();
	ssize_t lines;

	areas_reset(&m->areas);
	lines = proc_read_maps(dir, procmem_take_line, m);
	m->denied = lines == -EACCES || lines == -EPERM;
	m->gone = lines == -ESRCH;
	m->read_ns = now;
	m->tried_ns = clock_mono_ns();
	m->cost_ns = m->tried_ns - now;
}

static void procmem_reread(struct procmem *m)
{
	AUTO_FD int dir = proc_open(m->pid);
	struct proc_stat st;

	m->gone = !procmem_read_identity(m, dir, &st);
	m->tried_ns = clock_mono_ns();
	if (m->gone)
		areas_reset(&m->areas);
	else
		procmem_read_maps(m, dir);
}

/* Whether AFTER_NS, or so many times what the last reading took, have passed since. */
static bool is_due(const struct procmem *m, uint64_t after_ns, unsigned int costs)
{
	const uint64_t wait = m->cost_ns * costs > after_ns ? m->cost_ns * costs : after_ns;

	return !m->tried_ns || clock_mono_ns() - m->tried_ns >= wait;
}

const struct area *procmem_find(struct procmem *m, uint64_t addr)
{
	const struct area *a = areas_find(&m->areas, addr);

	if (a ? !is_due(m, STALE_NS, STALE_COSTS) : !is_due(m, REREAD_NS, REREAD_COSTS))
		return a;
	procmem_reread(m);
	return areas_find(&m->areas, addr);
}

void procmem_saw_stack(struct procmem *m, uint64_t sp)
{
	if (procmem_find(m, sp))
		areas_saw_stack(&m->areas, sp);
}

/* Surveys. */

/* Asks where N pages are. 0, or a negative errno for all that are left. */
static int procmem_ask(const struct procmem *m, const struct page_query *q, struct sampled_page *s, size_t n)
{
	void *addr[BATCH];
	int status[BATCH];

	for (size_t i = 0; i < n; i++)
		s[i].status = -ENOENT;
	for (size_t at = 0; at < n; at += BATCH) {
		const size_t some = n - at < BATCH ? n - at : BATCH;
		int r;

		for (size_t i = 0; i < some; i++)
			addr[i] = (void *)(uintptr_t)s[at + i].addr;
		r = q->fn(q->ctx, m->pid, some, addr, status);
		if (r < 0)
			return r;
		for (size_t i = 0; i < some; i++)
			s[at + i].status = status[i];
	}
	return 0;
}

/* A survey of the pages that R is of, PAGES in all, of which BYTES are in memory. 0 or a negative errno. */
static int procmem_survey_now(struct procmem *m, struct residency *r, const struct page_query *q,
			      size_t pages, uint64_t bytes, struct numa_process *ret)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), there = bytes == RESIDENCY_UNKNOWN ?
		bytes : bytes / page;
	struct residency_sum sum = { 0 };
	struct sampled_page *s = NULL;
	int rc = 0;

	if (!residency_begin(r, &m->areas, there, page, hash_2u64((uint64_t)m->pid, m->surveys)))
		return -ENOMEM;
	for (unsigned int i = 0; i < RESIDENCY_ROUNDS && !rc; i++) {
		const size_t n = residency_round(r, pages / RESIDENCY_ROUNDS, &s);

		rc = n ? procmem_ask(m, q, s, n) : 0;
	}
	if (!residency_end(r, bytes, &ret->resident, &sum))
		return -ENOMEM;
	ret->asked += sum.asked;
	ret->found += sum.found;
	return rc;
}

static bool has_huge_pages(const struct areas *a)
{
	for (size_t i = 0; i < a->v.n; i++)
		if (a->v.v[i].kind == MAPPING_HUGE && !a->v.v[i].none)
			return true;
	return false;
}

static int survey_all(struct procmem *m, const struct page_query *q, const struct node_status *st,
		      struct numa_process *ret)
{
	const size_t huge = has_huge_pages(&m->areas) ? RESIDENT_PAGES / HUGE_SHARE : 0;
	int rc;

	ret->moment_ns = clock_mono_ns();
	m->surveys++;
	rc = procmem_survey_now(m, &m->small, q, RESIDENT_PAGES - huge, ret->rss_bytes, ret);
	if (!rc && huge)
		rc = procmem_survey_now(m, &m->huge, q, huge, st->huge_known ? st->huge_bytes : RESIDENCY_UNKNOWN, ret);
	numa_process_tidy(ret);
	return rc;
}

/* Where the stack of thread NAME under TASKS is, unless it runs. False: that may not be asked. */
static bool look_at_thread(struct procmem *m, int tasks, const char *name)
{
	char path[64], text[256];
	uint64_t sp;
	ssize_t n;

	snprintf(path, sizeof(path), "%.20s/syscall", name);
	n = proc_read_text(tasks, path, text, sizeof(text));
	if (n > 0 && syscall_parse_sp(text, (size_t)n, &sp))
		areas_saw_stack(&m->areas, sp);
	/* A thread may have ended meanwhile; then another file tells whether there is such a file at all. */
	return n >= 0 || n == -ENOENT || n == -ESRCH;
}

/*
 * Looks for the stacks of some threads, of others in the next survey. A process with one thread has
 * none that is not named.
 */
static void look_for_stacks(struct procmem *m, int dir)
{
	AUTO_FD int fd = openat(dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_DIR DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;
	unsigned int n = 0;

	if (!d)
		return;
	fd = -1;
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.' || n++ < m->threads_seen)
			continue;
		if (n > m->threads_seen + THREADS_LOOK || !look_at_thread(m, dirfd(d), entry->d_name))
			break;
	}
	m->threads_seen = entry ? n - 1 : 0;
}

static void take_policy_line(void *ctx, char *line, size_t len)
{
	policies_add(ctx, line, len);
}

/* What policies its mappings have, kept for a while; not of a big process. */
static void tell_policies(struct procmem *m, int dir, struct numa_process *ret)
{
	const uint64_t now = clock_mono_ns();
	struct policies p = { 0 };

	if (ret->rss_bytes > POLICIES_RSS_MAX)
		return;
	if (!m->policies_ns || now - m->policies_ns >= POLICIES_EVERY_NS ||
	    ret->rss_bytes > m->policies_rss + m->policies_rss / 2) {
		m->policies_ns = now;
		m->policies_rss = ret->rss_bytes;
		m->policies_read = proc_read_lines(dir, "numa_maps", take_policy_line, &p) > 0;
		policies_text(&p, m->mapped_policy, sizeof(m->mapped_policy));
	}
	ret->policies_read = m->policies_read;
	if (m->policies_read)
		memcpy(ret->mapped_policy, m->mapped_policy, sizeof(ret->mapped_policy));
}

/* What is told in words and numbers. */
static bool procmem_tell(struct procmem *m, int dir, struct node_status *st, struct numa_process *ret)
{
	AUTO_FREE char *text = malloc(STATUS_BYTES);
	struct proc_stat stat;
	uint64_t pages = 0;
	ssize_t n;

	if (!text || !procmem_read_identity(m, dir, &stat))
		return false;
	text_sanitise(ret->comm, sizeof(ret->comm), stat.comm, strlen(stat.comm));
	ret->faults = stat.faults;
	ret->major_faults = stat.major_faults;
	n = proc_read_text(dir, "status", text, STATUS_BYTES);
	node_status_parse(n > 0 ? text : "", st);
	memcpy(ret->mems, st->mems, sizeof(ret->mems));
	memcpy(ret->cpus, st->cpus, sizeof(ret->cpus));
	n = proc_read_text(dir, "statm", text, STATUS_BYTES);
	if (n > 0 && statm_parse(text, (size_t)n, &pages))
		ret->rss_bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return n > 0;
}

bool procmem_survey(struct procmem *m, const struct page_query *q, struct numa_process *ret)
{
	AUTO_FD int dir = proc_open(m->pid);
	struct node_status st;
	int rc;

	if (!procmem_tell(m, dir, &st, ret))
		return false;
	if (!m->read_ns || is_due(m, REREAD_NS, REREAD_COSTS))
		procmem_read_maps(m, dir);
	look_for_stacks(m, dir);
	rc = m->denied ? -EPERM : survey_all(m, q, &st, ret);
	ret->denied = rc == -EPERM || rc == -EACCES;
	/*
	 * It has ended meanwhile (-ESRCH, or -EINVAL: it has no memory any more, kernel's
	 * mm/migrate.c): half of a survey is none.
	 */
	if (rc && !ret->denied)
		return false;
	if (!ret->denied)
		tell_policies(m, dir, ret);
	return true;
}
