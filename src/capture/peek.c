/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peek.c - a helper process, one request at a time.
 *
 * A request goes to the helper over a socket, the bytes come back in memory that both share, the
 * answer over the socket. The helper notes in that memory when it begins to read: the time limit
 * counts from then, so a machine too busy to run the helper at all does not make an innocent
 * process look like one that hangs. All other requests wait in a queue of this process, so what
 * hangs takes nothing with it. A helper that is killed keeps its shared memory: what it might still
 * write, it writes there.
 *
 * What comes first must be readable, or nothing is (vmread.h): the red zone may reach into a missing
 * page.
 *
 * A page fault on behalf of another process can be killed (mm/gup.c sets FAULT_FLAG_KILLABLE), and
 * so can the waits of userfaultfd. A request that a FUSE server has taken and does not answer can
 * not (fs/fuse/dev.c, request_wait_answer()): such a helper stays in state D. It is left behind,
 * and after a few of those no more are made.
 */
#include "config.h"

#include "capture/peek.h"

#include "base/clock.h"
#include "base/spawn.h"
#include "collector/ask.h"
#include "model/machine.h"
#include "system/vmread.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_NS (PEEK_LIMIT_MS * NSEC_PER_MSEC)
#define START_LIMIT_NS (10 * NSEC_PER_SEC)       /* for the helper to take a request up */
#define KEPT_BYTES (128u << 10)          /* of memory for answers: of larger ones, which are rare, nothing stays */
#define SHUNNED_MAX 64u

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

struct request {
	uint64_t cookie, sp;
	pid_t pid;
	uint32_t want;
};

struct reply {
	uint64_t addr;
	uint32_t len;
	int32_t code;            /* 0 or a negative errno */
	bool unreadable;
};

struct shared {
	_Atomic uint64_t reading_ns;     /* since when the helper reads; 0 = it does not yet */
	uint8_t bytes[PEEK_BYTES_MAX];
};

struct helper {
	pid_t pid;               /* 0 = there is none */
	int pidfd, sock;
	struct shared *shared;
};

struct shunned {
	pid_t pid;
	uint64_t until_ns;
};

/* What becomes of the oldest request. */
enum stage {
	STAGE_WAITS,             /* nothing yet, or there is none */
	STAGE_ASKED,             /* the helper has it */
	STAGE_DUE,               /* its answer is `verdict` */
};

struct peek {
	struct request queue[PEEK_QUEUE_MAX];
	uint32_t first, n;
	enum stage stage;
	enum peek_status verdict;
	bool again;              /* a helper has died over it already */
	uint64_t sent_ns;
	struct helper helper;
	struct helper left[PEEK_ABANDONED_MAX];  /* killed, not ended */
	uint32_t nr_left;
	struct shunned shunned[SHUNNED_MAX];
	uint32_t next_shunned;
	int epoll_fd, timer_fd;
	long page_size;
	struct peek_stats stats;
	uint8_t *bytes;          /* PEEK_BYTES_MAX, mapped */
	uint32_t nr_bytes;       /* of the latest answer */
};

/*
 * The helper's side. It comes from a process with threads: from the fork on only what
 * signal-safety(7) lists, and system calls.
 */

/* The same as vmread(), by who may: ASK is the socket of the collector, -1 = ourselves. */
static ssize_t peek_read(int ask, pid_t pid, uint64_t from, uint32_t want, uint64_t page_size, uint8_t *dst)
{
	return ask < 0 ? vmread(pid, from, want, page_size, dst) : ask_stack(ask, pid, from, want, dst);
}

static void read_stack(const struct request *q, int ask, uint64_t page_size, uint8_t *dst, struct reply *ret)
{
	const uint64_t page = q->sp & ~(page_size - 1), red_zone = machine_host_red_zone();
	uint64_t from = q->sp > red_zone ? (q->sp - red_zone) & ~7ull : 0;
	uint32_t want = q->want < PEEK_BYTES_MAX ? q->want : PEEK_BYTES_MAX;
	ssize_t got;

	if (want > UINT64_MAX - from)
		want = (uint32_t)(UINT64_MAX - from);
	got = peek_read(ask, q->pid, from, want, page_size, dst);
	if (got == -EFAULT && from < page && want > page - from) {
		want -= (uint32_t)(page - from);
		from = page;
		got = peek_read(ask, q->pid, from, want, page_size, dst);
	}
	*ret = (struct reply){ .addr = from };
	if (got >= 0)
		ret->len = (uint32_t)got;
	else if (got != -EFAULT)
		ret->code = (int32_t)got;
	ret->unreadable = !ret->code && ret->len < want;
}

/*
 * All signals as they are by default. signal() leaves out the two that the C library keeps to
 * itself, so the kernel is asked.
 */
static void default_signals(void)
{
	/* The kernel's struct sigaction: zeroes are SIG_DFL, whatever the order of its fields. */
	static const unsigned long by_default[8];

	for (int sig = 1; sig < NSIG; sig++)
		syscall(SYS_rt_sigaction, sig, by_default, NULL, NSIG / 8);
}

static _Noreturn void run_helper(struct shared *sh, int sock, int ask, pid_t parent, uint64_t page_size)
{
	struct request q;
	struct reply r;
	struct timespec ts;
	sigset_t none;

	default_signals();
	/* Out of sberf's session: Ctrl-C and Ctrl-Z of the terminal are for sberf. */
	setsid();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent || dup2(sock, 0) < 0 ||
	    (ask >= 0 && dup2(ask, 1) < 0) || chdir("/"))
		_exit(1);
	ask = ask < 0 ? -1 : 1;
	syscall(SYS_close_range, ask < 0 ? 1u : 2u, ~0u, 0u);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	while (recv(0, &q, sizeof(q), 0) == (ssize_t)sizeof(q)) {
		clock_gettime(CLOCK_MONOTONIC, &ts);
		/* The collector has a limit of its own. */
		if (ask < 0)
			atomic_store(&sh->reading_ns, (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec);
		read_stack(&q, ask, page_size, sh->bytes, &r);
		if (send(0, &r, sizeof(r), MSG_NOSIGNAL) != (ssize_t)sizeof(r))
			break;
	}
	_exit(0);
}

/* The other side. */

static void helper_close(struct peek *p, struct helper *h)
{
	if (h->sock >= 0) {
		/*
		 * By hand: an epoll forgets a file when its last descriptor goes, and a child of
		 * ours may just have one.
		 */
		epoll_ctl(p->epoll_fd, EPOLL_CTL_DEL, h->sock, NULL);
		close(take_fd(&h->sock));
	}
	if (h->shared)
		munmap(take_ptr(h->shared), sizeof(*h->shared));
}

/* True when it has ended. By pidfd: the number may be somebody else's already where SIGCHLD is ignored. */
static bool helper_ended(struct helper *h)
{
	siginfo_t info = { 0 };

	if (!waitid(P_PIDFD, (id_t)h->pidfd, &info, WEXITED | WNOHANG) && !info.si_pid)
		return false;
	close(take_fd(&h->pidfd));
	return true;
}

static void peek_reap(struct peek *p)
{
	for (uint32_t i = 0; i < p->nr_left;) {
		if (helper_ended(&p->left[i]))
			p->left[i] = p->left[--p->nr_left];
		else
			i++;
	}
}

/* Kills the helper, and keeps of it what is needed to see it end. */
static void helper_drop(struct peek *p)
{
	struct helper *h = &p->helper;

	if (!h->pid)
		return;
	spawn_ends(h->pid);
	syscall(SYS_pidfd_send_signal, h->pidfd, SIGKILL, NULL, 0);
	helper_close(p, h);
	p->left[p->nr_left++] = *h;
	*h = (struct helper){ .pidfd = -1, .sock = -1 };
	peek_reap(p);
}

/*
 * With every signal blocked: a handler of this process must not run in the child before it has put
 * them back. And with its name from the first moment on: the kernel half knows it by that
 * (bpf/target.bpf.h).
 */
static pid_t fork_quietly(void)
{
	char name[16] = "";
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, SB_HELPER_NAME);
	pid = fork();
	if (pid) {
		prctl(PR_SET_NAME, name);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	return pid;
}

static int helper_fork(struct peek *p, struct helper *h, int theirs)
{
	const pid_t self = getpid();
	struct epoll_event ev = { .events = EPOLLIN };

	h->pid = fork_quietly();
	if (h->pid < 0)
		return -errno;
	if (!h->pid)
		run_helper(h->shared, theirs, ask_stacks_socket(), self, (uint64_t)p->page_size);
	spawn_count(h->pid);
	h->pidfd = (int)syscall(SYS_pidfd_open, h->pid, 0);
	if (h->pidfd < 0 || epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, h->sock, &ev)) {
		const int code = errno;

		kill(h->pid, SIGKILL);
		spawn_ends(h->pid);
		waitpid(h->pid, NULL, 0);        /* it has not read anything yet: nothing it could hang in */
		return -code;
	}
	return 0;
}

/* SIZE bytes that take no memory until they are written to; NULL with errno when there are none. */
static void *peek_map_bytes(int how, size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int helper_start(struct peek *p)
{
	struct helper h = { .pidfd = -1, .sock = -1 };
	int pair[2], r;

	if (p->nr_left >= PEEK_ABANDONED_MAX)
		return -EIO;
	h.shared = peek_map_bytes(MAP_SHARED, sizeof(*h.shared));
	if (!h.shared)
		return -errno;
	r = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) ? -errno : 0;
	if (!r) {
		h.sock = pair[0];
		r = helper_fork(p, &h, pair[1]);
		close(pair[1]);
	}
	if (r) {
		helper_close(p, &h);
		if (h.pidfd >= 0)
			close(h.pidfd);
		return r;
	}
	p->helper = h;
	return 0;
}

static struct shunned *find_shunned(struct peek *p, pid_t pid)
{
	for (uint32_t i = 0; i < SHUNNED_MAX; i++)
		if (p->shunned[i].pid == pid)
			return &p->shunned[i];
	return NULL;
}

static void peek_shun(struct peek *p, pid_t pid, uint64_t now)
{
	struct shunned *s = find_shunned(p, pid);

	if (!s)
		s = &p->shunned[p->next_shunned++ % SHUNNED_MAX];
	*s = (struct shunned){ pid, now + PEEK_SHUN_S * NSEC_PER_SEC };
}

static bool is_shunned(struct peek *p, pid_t pid)
{
	const struct shunned *s = find_shunned(p, pid);

	return s && s->until_ns > clock_mono_ns();
}

/* Gives the oldest request to a helper; to a second one when the first has died meanwhile. */
static bool peek_hand_over(struct peek *p)
{
	const struct request *q = &p->queue[p->first];

	for (int i = 0; i < 2; i++) {
		if (!p->helper.pid && helper_start(p))
			return false;
		atomic_store(&p->helper.shared->reading_ns, 0);
		if (send(p->helper.sock, q, sizeof(*q), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(*q))
			return true;
		helper_drop(p);
	}
	return false;
}

static void set_verdict(struct peek *p, enum peek_status verdict)
{
	p->stage = STAGE_DUE;
	p->verdict = verdict;
}

/* When somebody has to look, CLOCK_MONOTONIC; 0 = not before something happens, 1 = long ago. */
static uint64_t due_ns(const struct peek *p)
{
	uint64_t reading;

	if (p->stage != STAGE_ASKED)
		return p->stage == STAGE_DUE;
	reading = atomic_load(&p->helper.shared->reading_ns);
	return (reading ? reading : clock_mono_ns()) + LIMIT_NS;
}

/* Sets the oldest request going when it is not, and the clock. */
static void peek_advance(struct peek *p)
{
	struct itimerspec t = { 0 };
	uint64_t due;

	if (p->stage == STAGE_WAITS && p->n) {
		if (is_shunned(p, p->queue[p->first].pid)) {
			set_verdict(p, PEEK_HUNG);
		} else if (peek_hand_over(p)) {
			p->stage = STAGE_ASKED;
			p->sent_ns = clock_mono_ns();
		} else {
			set_verdict(p, PEEK_FAILED);
		}
	}
	due = due_ns(p);
	t.it_value.tv_sec = (time_t)(due / NSEC_PER_SEC);
	t.it_value.tv_nsec = (long)(due % NSEC_PER_SEC);
	timerfd_settime(p->timer_fd, TFD_TIMER_ABSTIME, &t, NULL);
}

int peek_new(struct peek **ret, struct err *e)
{
	AUTO(peek_free) struct peek *p = calloc(1, sizeof(*p));
	struct epoll_event ev = { .events = EPOLLIN };
	int r;

	if (!p)
		return err_nomem(e, "the reader of other processes' stacks");
	p->helper.pidfd = p->helper.sock = -1;
	p->page_size = sysconf(_SC_PAGESIZE);
	p->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	p->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	p->bytes = peek_map_bytes(MAP_PRIVATE, PEEK_BYTES_MAX);
	if (p->epoll_fd < 0 || p->timer_fd < 0 || !p->bytes || epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, p->timer_fd, &ev))
		r = -errno;
	else
		r = helper_start(p);
	if (r)
		return err_set(e, -r, "cannot start the reader of other processes' stacks: %s%s", strerror(-r),
			       r == -EMFILE ? " (see ulimit -n)" : r == -EAGAIN ? " (see ulimit -u)" : "");
	*ret = take_ptr(p);
	return 0;
}

void peek_free(struct peek *p)
{
	struct pollfd end;

	if (!p)
		return;
	helper_drop(p);
	if (p->nr_left) {
		end = (struct pollfd){ .fd = p->left[p->nr_left - 1].pidfd, .events = POLLIN };
		poll(&end, 1, PEEK_LIMIT_MS);
		peek_reap(p);
	}
	for (uint32_t i = 0; i < p->nr_left; i++)
		close(p->left[i].pidfd);
	if (p->bytes)
		munmap(p->bytes, PEEK_BYTES_MAX);
	if (p->timer_fd >= 0)
		close(p->timer_fd);
	if (p->epoll_fd >= 0)
		close(p->epoll_fd);
	free(p);
}

/* Gives the memory of the latest answer back where it was much. */
static void peek_shrink(struct peek *p)
{
	if (p->nr_bytes > KEPT_BYTES)
		madvise(p->bytes, PEEK_BYTES_MAX, MADV_DONTNEED);
	p->nr_bytes = 0;
}

/* Takes the LEN bytes that the helper, which is done with them, has left. */
static void take_bytes(struct peek *p, uint32_t len)
{
	memcpy(p->bytes, p->helper.shared->bytes, len);
	p->nr_bytes = len;
	if (len > KEPT_BYTES)
		madvise(p->helper.shared, sizeof(*p->helper.shared), MADV_REMOVE);
}

static int may_ask(struct peek *p, pid_t pid)
{
	peek_reap(p);
	if (p->n == PEEK_QUEUE_MAX)
		return -EAGAIN;
	if (is_shunned(p, pid))
		return -ETIMEDOUT;
	return p->nr_left >= PEEK_ABANDONED_MAX ? -EIO : 0;
}

int peek_ask(struct peek *p, uint64_t cookie, pid_t pid, uint64_t sp, uint32_t want)
{
	const int r = may_ask(p, pid);

	if (r) {
		p->stats.refused++;
		return r;
	}
	p->queue[(p->first + p->n++) % PEEK_QUEUE_MAX] = (struct request){ cookie, sp, pid, want };
	p->stats.asked++;
	peek_advance(p);
	return 0;
}

int peek_fd(const struct peek *p)
{
	return p->epoll_fd;
}

static enum peek_status status_of(int code)
{
	switch (code) {
	case 0:
		return PEEK_OK;
	case -EPERM:
	case -EACCES:
		return PEEK_DENIED;
	case -ESRCH:
		return PEEK_GONE;
	case -ETIMEDOUT:
		return PEEK_HUNG;
	default:
		return PEEK_FAILED;
	}
}

/* The helper has ended by itself, or by somebody else's hand: another one may try once more. */
static void helper_lost(struct peek *p)
{
	helper_drop(p);
	if (p->stage != STAGE_ASKED)
		return;
	if (p->again)
		set_verdict(p, PEEK_FAILED);
	else
		p->stage = STAGE_WAITS;
	p->again = true;
}

/* Has it had its time? */
static void watch_clock(struct peek *p)
{
	const uint64_t reading = atomic_load(&p->helper.shared->reading_ns), now = clock_mono_ns();

	if (reading ? now < reading + LIMIT_NS : now < p->sent_ns + START_LIMIT_NS)
		return;
	helper_drop(p);
	set_verdict(p, reading ? PEEK_HUNG : PEEK_FAILED);
	if (reading)
		peek_shun(p, p->queue[p->first].pid, now);
}

/* What the helper has to say. True with RET filled when it is an answer. */
static bool listen_to_helper(struct peek *p, struct peek_answer *ret)
{
	struct reply r;
	ssize_t n;

	n = recv(p->helper.sock, &r, sizeof(r), MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		if (p->stage == STAGE_ASKED)
			watch_clock(p);
		return false;
	}
	if (n != (ssize_t)sizeof(r) || p->stage != STAGE_ASKED || r.len > PEEK_BYTES_MAX) {
		helper_lost(p);
		return false;
	}
	take_bytes(p, r.len);
	ret->status = status_of(r.code);
	if (ret->status == PEEK_HUNG)
		peek_shun(p, p->queue[p->first].pid, clock_mono_ns());
	ret->addr = r.addr;
	ret->len = r.len;
	ret->unreadable = r.unreadable;
	ret->bytes = p->bytes;
	return true;
}

bool peek_take(struct peek *p, struct peek_answer *ret)
{
	struct peek_answer a = { 0 };
	bool got;

	peek_reap(p);
	peek_shrink(p);
	got = p->helper.pid && listen_to_helper(p, &a);
	if (!got && p->stage == STAGE_DUE) {
		a.status = p->verdict;
		got = true;
	}
	if (got) {
		a.cookie = p->queue[p->first].cookie;
		p->first = (p->first + 1) % PEEK_QUEUE_MAX;
		p->n--;
		p->stage = STAGE_WAITS;
		p->again = false;
		p->stats.answered[a.status]++;
		*ret = a;
	}
	peek_advance(p);
	return got;
}

uint32_t peek_pending(const struct peek *p)
{
	return p->n;
}

pid_t peek_pid(const struct peek *p)
{
	return p->helper.pid;
}

void peek_stats(const struct peek *p, struct peek_stats *ret)
{
	*ret = p->stats;
	ret->abandoned = p->nr_left;
}
