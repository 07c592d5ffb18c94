/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * link.c - see link.h. The call that makes a link of many is made by hand, with its arguments as
 * include/uapi/linux/bpf.h has them since Linux 6.6.
 */
#include "config.h"

#include "capture/link.h"

#include "base/clock.h"
#include "base/thread.h"
#include "base/vec.h"
#include "capture/features.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* enum bpf_attach_type and flags that headers of before 6.6 and 6.13 lack. */
#define ATTACH_UPROBE_MULTI 48
#define ATTACH_UPROBE_SESSION 57
#define UPROBE_MULTI_RETURN 1u

/* As much of union bpf_attr as BPF_LINK_CREATE has of it for these. */
struct many_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, semaphores, cookies;
	uint32_t n, multi_flags, pid, pad;
};

_Static_assert(sizeof(struct many_attr) == 64, "as union bpf_attr has it");

/* A set of probes: one descriptor for all, or links of libbpf. */
struct links {
	VEC(int) fds;
	VEC(struct bpf_link *) single;
	VEC(uint64_t) elsewhere; /* numbers, for DROP */
	link_drop_fn *drop;
	void *ctx;
	struct links *next;      /* to be taken off after it */
};

static uint32_t attach_type(enum link_kind kind)
{
	return kind == LINK_SESSION ? ATTACH_UPROBE_SESSION : ATTACH_UPROBE_MULTI;
}

/* A link of many for N places of P from FIRST on: a descriptor or a negative errno. */
static int create_many(int prog_fd, const struct link_places *p, uint32_t first, uint32_t n)
{
	const struct many_attr attr = {
		.prog_fd = (uint32_t)prog_fd,
		.attach_type = attach_type(p->kind),
		.path = (uintptr_t)p->path,
		.offsets = (uintptr_t)(p->offset + first),
		.semaphores = p->semaphore ? (uintptr_t)(p->semaphore + first) : 0,
		.cookies = p->cookie ? (uintptr_t)(p->cookie + first) : 0,
		.n = n,
		.multi_flags = p->kind == LINK_RETURN ? UPROBE_MULTI_RETURN : 0,
		.pid = (uint32_t)p->pid,
	};
	const long fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return fd < 0 ? -errno : (int)fd;
}

/*
 * A directory has no code, which a kernel that can do it says when it comes to the path, EBADF. One
 * that looks whose probes they are to be by process says before that there is no process -1,
 * EINVAL; from 6.6 to 6.9 it went by thread, and ESRCH, or EBADF, came.
 */
static bool try_many(enum link_kind kind)
{
	static const struct bpf_insn nothing[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K },
						   { .code = BPF_JMP | BPF_EXIT } };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = (enum bpf_attach_type)attach_type(kind));
	const uint64_t offset = 0;
	struct link_places p = { .kind = kind, .path = "/", .n = 1, .offset = &offset };
	AUTO_FD int prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "sb_probe", "Dual BSD/GPL", nothing,
					 sizeof(nothing) / sizeof(nothing[0]), &opts);

	if (prog < 0 || create_many(prog, &p, 0, 1) != -EBADF)
		return false;
	p.pid = -1;
	return create_many(prog, &p, 0, 1) == -EINVAL;
}

static bool has_many, has_session;

static void try_all(void)
{
	has_many = features_allow("uprobe_multi") && try_many(LINK_ENTRY);
	has_session = has_many && try_many(LINK_SESSION);
}

static pthread_once_t tried = PTHREAD_ONCE_INIT;

static void try_nothing(void)
{
}

void links_can(bool many, bool session)
{
	pthread_once(&tried, try_nothing);
	has_many = many;
	has_session = session;
}

enum link_way link_way_of(enum link_kind kind)
{
	pthread_once(&tried, try_all);
	if (kind == LINK_SESSION)
		return has_session ? LINK_MANY : LINK_NOT;
	return has_many ? LINK_MANY : LINK_SINGLE;
}

int link_prepare(struct bpf_program *prog, enum link_kind kind, enum link_way way)
{
	if (way == LINK_NOT || (way == LINK_SINGLE && kind == LINK_SESSION))
		return -ENOTSUP;
	return way == LINK_MANY ? bpf_program__set_expected_attach_type(prog, (enum bpf_attach_type)attach_type(kind))
				: 0;
}

/* What is being attached. */
struct attaching {
	const struct bpf_program *prog;
	const struct link_places *places;
	struct links *links;
	link_failed_fn *failed;
	void *ctx;
	uint32_t n;              /* so far */
};

/* Errors that are not of a place. */
static bool is_general(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EPERM || error == -ESRCH;
}

static const char *place_reason(int error)
{
	switch (error) {
	case -EINVAL:
		return "it is outside of the file's code, or no instruction begins there that can be probed";
	case -EIO:
	case -ENOEXEC:
	case -524:               /* ENOTSUPP */
	case -EOPNOTSUPP:
		return "the instruction there cannot be probed";
	default:
		return strerror(-error);
	}
}

int link_explain_place(const struct link_places *p, uint32_t i, int error, struct err *e)
{
	if (p->name)
		return err_set(e, -error, "cannot probe %s in '%s': %s", p->name[i], p->path, place_reason(error));
	return err_set(e, -error, "cannot probe '%s' at 0x%llx: %s", p->path, (unsigned long long)p->offset[i],
		       place_reason(error));
}

static void place_failed(struct attaching *a, uint32_t i, int error)
{
	struct err e = ERR_INIT;

	link_explain_place(a->places, i, error, &e);
	if (a->failed)
		a->failed(a->ctx, i, &e);
}

/*
 * N places from FIRST on by one link. The kernel takes all or none, and does not say which it did
 * not like: that is found by halves, so that a few bad ones cost as many links more, times the
 * steps of a search.
 */
static int attach_many(struct attaching *a, uint32_t first, uint32_t n)
{
	const int fd = create_many(bpf_program__fd(a->prog), a->places, first, n);
	int r;

	if (fd >= 0) {
		a->links->fds.v[a->links->fds.n++] = fd;
		a->n += n;
		return 0;
	}
	if (is_general(fd))
		return fd;
	if (n == 1) {
		place_failed(a, first, fd);
		return 0;
	}
	r = attach_many(a, first, n / 2);
	return r ? r : attach_many(a, first + n / 2, n - n / 2);
}

/* Each place by its own link. */
static int attach_each(struct attaching *a)
{
	const struct link_places *p = a->places;

	for (uint32_t i = 0; i < p->n; i++) {
		LIBBPF_OPTS(bpf_uprobe_opts, opts, .retprobe = p->kind == LINK_RETURN,
			    .bpf_cookie = p->cookie ? p->cookie[i] : 0,
			    .ref_ctr_offset = p->semaphore ? (size_t)p->semaphore[i] : 0);
		struct bpf_link *link = bpf_program__attach_uprobe_opts(a->prog, p->pid ? p->pid : -1, p->path,
									(size_t)p->offset[i], &opts);
		const int error = link ? 0 : -errno;

		if (is_general(error))
			return error;
		if (error) {
			place_failed(a, i, error);
			continue;
		}
		a->links->single.v[a->links->single.n++] = link;
		a->n++;
	}
	return 0;
}

static int check_places(const struct link_places *p, struct err *e)
{
	struct stat st;

	if (!p->n || p->n > LINK_PLACES_MAX)
		return err_set(e, E2BIG, "%u places of '%s' cannot be probed at once: %u can", p->n, p->path,
			       LINK_PLACES_MAX);
	if (stat(p->path, &st))
		return err_set(e, errno, "cannot probe '%s': %s", p->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "cannot probe '%s': it is no file with code", p->path);
	return 0;
}

int link_explain(const struct link_places *p, int error, struct err *e)
{
	switch (error) {
	case -ESRCH:
		return err_set(e, ESRCH, "cannot probe '%s' in process %d: there is no such process", p->path,
			       (int)p->pid);
	case -EMFILE:
	case -ENFILE:
		return err_set(e, -error,
			       "cannot hold %u probes of '%s': %s (each takes a descriptor here: see ulimit -n)", p->n,
			       p->path, strerror(-error));
	default:
		return err_set(e, -error, "cannot probe '%s': %s", p->path, strerror(-error));
	}
}

int links_attach(const struct bpf_program *prog, enum link_way way, const struct link_places *places,
		 link_failed_fn *failed, void *ctx, struct links **ret, struct err *e)
{
	AUTO(links_free) struct links *l = calloc(1, sizeof(*l));
	struct attaching a = { prog, places, l, failed, ctx, 0 };
	int r = check_places(places, e);

	if (r)
		return r;
	if (!l || (way == LINK_MANY ? !vec_reserve(&l->fds, places->n) : !vec_reserve(&l->single, places->n)))
		return err_nomem(e, "probes");
	r = way == LINK_MANY ? attach_many(&a, 0, places->n) : way == LINK_SINGLE ? attach_each(&a) : -ENOTSUP;
	if (r)
		return link_explain(places, r, e);
	*ret = a.n ? take_ptr(l) : NULL;
	return (int)a.n;
}

struct links *links_new(uint32_t n)
{
	AUTO(links_free) struct links *l = calloc(1, sizeof(*l));

	return l && vec_reserve(&l->fds, n) ? take_ptr(l) : NULL;
}

void links_add(struct links *l, int fd)
{
	l->fds.v[l->fds.n++] = fd;
}

struct links *links_elsewhere(uint32_t n, link_drop_fn *drop, void *ctx)
{
	AUTO(links_free) struct links *l = calloc(1, sizeof(*l));

	if (!l || !vec_reserve(&l->elsewhere, n))
		return NULL;
	l->drop = drop;
	l->ctx = ctx;
	return take_ptr(l);
}

void links_add_elsewhere(struct links *l, uint64_t number)
{
	l->elsewhere.v[l->elsewhere.n++] = number;
}

void links_free(struct links *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->elsewhere.n; i++)
		l->drop(l->ctx, l->elsewhere.v[i]);
	vec_free(&l->elsewhere);
	for (size_t i = 0; i < l->fds.n; i++)
		close(l->fds.v[i]);
	for (size_t i = 0; i < l->single.n; i++)
		bpf_link__destroy(l->single.v[i]);
	vec_free(&l->fds);
	vec_free(&l->single);
	free(l);
}

/*
 * Sets to be taken off, those that are many probes by one link first, and the threads that do it, while
 * there are any. The kernel takes the breakpoints of a link away at once, and then waits for tens of
 * milliseconds until nobody is in one. So one thread for all would leave the last set in place for long. Links
 * of a single probe hold a lock of the kernel meanwhile, for which whoever closes another one would wait.
 */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct links *first;
	uint32_t n;              /* of them, with those that are at hand */
	uint32_t threads;
	bool single;             /* one of them is at a set of single probes */
} dropped = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *drop_main(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "sberf-links");
	pthread_mutex_lock(&dropped.lock);
	while (dropped.first && !(dropped.first->single.n && dropped.single)) {
		struct links *l = dropped.first;
		const bool single = l->single.n;

		dropped.first = l->next;
		dropped.single |= single;
		pthread_mutex_unlock(&dropped.lock);
		links_free(l);
		pthread_mutex_lock(&dropped.lock);
		dropped.n--;
		dropped.single &= !single;
		pthread_cond_broadcast(&dropped.changed);
	}
	dropped.threads--;
	pthread_mutex_unlock(&dropped.lock);
	return NULL;
}

static void make_changed(void)
{
	thread_cond_init(&dropped.changed);
}

#define DROP_STACK_BYTES (64u * 1024)
#define DROP_THREADS_MAX 8u

void links_drop(struct links *l)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct links **at = &dropped.first;

	if (!l)
		return;
	if (l->drop) {
		/* Nobody waits there, either. */
		links_free(l);
		return;
	}
	pthread_once(&once, make_changed);
	pthread_mutex_lock(&dropped.lock);
	if (dropped.threads < (l->single.n ? 1 : DROP_THREADS_MAX) && dropped.threads <= dropped.n &&
	    !thread_start(drop_main, NULL, DROP_STACK_BYTES))
		dropped.threads++;
	if (!dropped.threads) {
		pthread_mutex_unlock(&dropped.lock);
		links_free(l);
		return;
	}
	while (*at && (*at)->single.n <= l->single.n)
		at = &(*at)->next;
	l->next = *at;
	*at = l;
	dropped.n++;
	pthread_mutex_unlock(&dropped.lock);
}

uint32_t links_dropping(uint64_t timeout_ns)
{
	const struct timespec until = clock_timespec(clock_mono_ns() + timeout_ns);
	int r = 0;
	uint32_t n;

	pthread_mutex_lock(&dropped.lock);
	while (dropped.n && r != ETIMEDOUT)
		r = pthread_cond_timedwait(&dropped.changed, &dropped.lock, &until);
	n = dropped.n;
	pthread_mutex_unlock(&dropped.lock);
	return n;
}

/* The highest descriptor that this process has open. */
static int highest_fd(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *d;
	int highest = 2;

	while (dir && (d = readdir(dir))) {
		const int fd = atoi(d->d_name);

		highest = fd > highest ? fd : highest;
	}
	if (dir)
		closedir(dir);
	return highest;
}

/*
 * In a process that has this one's descriptors: waits for its end, which STAY tells. What is not of the
 * kernel's own making, such as links, is closed: nobody is to wait for a pipe or a terminal. Between
 * fork() and the end of a process that has threads only system calls are safe.
 */
static _Noreturn void hold_links(int stay, int highest)
{
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct stat st;
	char byte;

	(void)setsid();
	for (int fd = 0; fd <= highest; fd++) {
		if (fd == stay || fd == null || fstat(fd, &st))
			continue;
		if (fd <= 2)
			(void)dup2(null, fd);
		else if (st.st_mode & S_IFMT)
			close(fd);
	}
	while (read(stay, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

void links_leave(void)
{
	int stay[2], highest;
	pid_t pid;

	if (!links_dropping(0) || pipe2(stay, O_CLOEXEC))
		return;
	highest = highest_fd();
	pid = fork();
	if (!pid) {
		close(stay[1]);
		hold_links(stay[0], highest);
	}
	close(stay[0]);
	/* The other end is closed by the end of this process. */
	if (pid < 0)
		close(stay[1]);
}
