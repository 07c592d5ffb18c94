/* SPDX-License-Identifier: BSD-2-Clause */
/* rawtee.c - see rawtee.h. */
#include "config.h"

#include "capture/rawtee.h"

#include "base/clock.h"
#include "model/probes.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define PIDS_MAX (1u << 22)      /* PID_MAX_LIMIT of Linux */
#define FILE_MODE 0600           /* it holds memory of other processes */

struct rawtee {
	FILE *f;
	char *path;
	int error;               /* a negative errno: nothing is written any more */
	uint64_t met[PIDS_MAX / 64];     /* processes whose mappings are in the file, one bit each */
	uint64_t probes;                 /* numbers whose texts are in the file, one bit each */
	uint64_t buf[RAWFILE_RECORD_MAX / 8];
};

int rawtee_open(const char *path, const struct rawfile_head *head, struct rawtee **ret, struct err *e)
{
	AUTO(rawtee_close) struct rawtee *t = calloc(1, sizeof(*t));
	int fd;

	if (!t || !(t->path = strdup(path)))
		return err_nomem(e, "the raw capture");
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
	t->f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!t->f) {
		const int error = errno;

		if (fd >= 0)
			close(fd);
		return err_set(e, error, "cannot write '%s': %s", path, strerror(error));
	}
	t->error = rawfile_begin(t->f, head);
	*ret = take_ptr(t);
	return 0;
}

_Static_assert(PROBES_MAX <= 64, "a bit for each probe");

static void rawtee_write(struct rawtee *t, const struct rawfile_item *item)
{
	if (!t->error)
		t->error = rawfile_put(t->f, item, t->buf);
}

static void rawtee_tell(struct rawtee *t, const struct raw_event *ev)
{
	const struct rawfile_item item = { .what = RAWFILE_EVENT, .told = true, .event = *ev };

	rawtee_write(t, &item);
}

/* Whether PID is met for the first time. */
static bool meet(struct rawtee *t, pid_t pid)
{
	const uint32_t i = (uint32_t)pid;
	uint64_t bit;

	if (pid <= 0 || i >= PIDS_MAX)
		return false;
	bit = 1ull << i % 64;
	if (t->met[i / 64] & bit)
		return false;
	t->met[i / 64] |= bit;
	return true;
}

/* Lines of maps become events. */
struct mapping_told {
	struct rawtee *tee;
	struct raw_event ev;     /* whose process, and when */
	char path[PROC_PATH_MAX];
};

static void tell_mapping(void *ctx, const struct maps_line *m)
{
	struct mapping_told *told = ctx;
	const size_t len = m->name_len < sizeof(told->path) ? m->name_len : sizeof(told->path) - 1;

	if (!m->exec)
		return;
	memcpy(told->path, m->name, len);
	told->path[len] = '\0';
	told->ev.mmap = (struct raw_mmap){
		.start = m->start, .len = m->end - m->start, .pgoff = m->pgoff, .prot = PROT_READ | PROT_EXEC,
		.flags = m->shared ? MAP_SHARED : MAP_PRIVATE, .maj = m->maj, .min = m->min, .ino = m->ino,
		.path = len ? told->path : "//anon",
	};
	rawtee_tell(told->tee, &told->ev);
}

/* PID was there before: as if it had just been executed, with all that it has mapped. */
static void tell_process(struct rawtee *t, pid_t pid, uint64_t time_ns)
{
	struct mapping_told told = { .tee = t, .ev = { .kind = RAW_COMM, .time_ns = time_ns, .pid = pid, .tid = pid } };
	AUTO_FD int dir = proc_open(pid);
	struct proc_stat st;

	if (dir < 0 || proc_read_stat(dir, &st))
		return;
	told.ev.comm = (struct raw_comm){ .exec = !st.kthread, .comm = st.comm };
	rawtee_tell(t, &told.ev);
	told.ev.kind = RAW_MMAP;
	if (!st.kthread)
		(void)proc_read_maps(dir, tell_mapping, &told);
}

void rawtee_begin(struct rawtee *t, const uint32_t *pids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (meet(t, (pid_t)pids[i]))
			tell_process(t, (pid_t)pids[i], clock_mono_ns());
}

void rawtee_begun(struct rawtee *t, uint64_t begun_ns)
{
	if (!t->error)
		rawfile_begun(t->f, begun_ns);
}

static void rawtee_tell_probe(struct rawtee *t, uint32_t number)
{
	const struct measure *m = probes_measure(number);

	if (!m || t->probes >> number & 1)
		return;
	t->probes |= 1ull << number;
	rawtee_write(t, &(struct rawfile_item){
		.what = RAWFILE_PROBE, .probe = { .number = number, .unit = m->unit, .text = m->name } });
}

/* Whoever EV is about has to be known by then. */
static void introduce(struct rawtee *t, const struct raw_event *ev)
{
	switch (ev->kind) {
	case RAW_FORK:
		if (meet(t, ev->fork.ppid))
			tell_process(t, ev->fork.ppid, ev->time_ns);
		(void)meet(t, ev->pid);
		break;
	case RAW_COMM:
		if (ev->comm.exec)
			(void)meet(t, ev->pid);
		break;
	case RAW_EXIT:
		break;
	default:
		if (meet(t, ev->pid))
			tell_process(t, ev->pid, ev->time_ns);
		break;
	}
	if (ev->kind == RAW_EVENT && ev->hit.probe >= RAW_PROBE_PLACED)
		rawtee_tell_probe(t, ev->hit.probe - RAW_PROBE_PLACED);
	if (ev->kind == RAW_SAMPLE || ev->kind == RAW_WAIT || ev->kind == RAW_WAIT_STACK)
		for (unsigned int i = 0; i < RAW_INSIDE_MAX && ev->sample.inside[i]; i++)
			if (ev->sample.inside[i] != RAW_INSIDE_UNKNOWN)
				rawtee_tell_probe(t, raw_inside_probe(ev->sample.inside[i]));
}

/* Whoever a list names, too: there may be no event of it. */
static void introduce_pid(struct rawtee *t, pid_t pid)
{
	if (meet(t, pid))
		tell_process(t, pid, clock_mono_ns());
}

void rawtee_put(struct rawtee *t, const struct rawfile_item *item)
{
	if (item->what == RAWFILE_EVENT)
		introduce(t, &item->event);
	else if (item->what == RAWFILE_OPEN)
		introduce_pid(t, item->open.pid);
	else if (item->what == RAWFILE_TOTAL)
		introduce_pid(t, item->total.pid);
	rawtee_write(t, item);
}

int rawtee_turn(struct rawtee *t, const struct rawfile_turn *turn, struct err *e)
{
	rawtee_write(t, &(struct rawfile_item){ .what = RAWFILE_TURN, .turn = *turn });
	if (!t->error && fflush(t->f))
		t->error = -errno;
	return t->error ? err_set(e, -t->error, "cannot write '%s': %s", t->path, strerror(-t->error)) : 0;
}

void rawtee_close(struct rawtee *t)
{
	if (!t)
		return;
	if (t->f)
		fclose(t->f);
	free(t->path);
	free(t);
}
