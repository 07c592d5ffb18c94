// SPDX-License-Identifier: BSD-2-Clause
/*
 * waits.c - a thread for each way of waiting, for S seconds: waits [S] [WAY...], all of them
 * without names
 *
 * Each calls its function, which waits once, again and again. What does not end by itself is ended
 * by a partner thread of its own after some ms of sleep. The threads are called as the ways are.
 */
#include "truth.h"

#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>

/* Small primes: no two threads run in step. */
#define CONDITION_MS 7
#define EPOLL_MS 5
#define POLL_MS 11
#define SELECT_MS 13
#define SIGNAL_MS 17
#define CHILD_MS 19
#define VFORK_MS 23
#define SLEEP_MS 29
#define FEED_MS 10

static sem_t fed, wanted, lock_wanted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int epoll_fd, timer_fd, pipe_fd[2], sockets[2], event_fd, listener;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t address_length;

NOINLINE void wait_sleep(void)
{
	sleep_ns(SLEEP_MS * NSEC_PER_MSEC);
	sink++;
}

NOINLINE void wait_condition(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_nsec += CONDITION_MS * (long)NSEC_PER_MSEC;
	ts.tv_sec += ts.tv_nsec / (long)NSEC_PER_SEC;
	ts.tv_nsec %= (long)NSEC_PER_SEC;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&never, &mutex, &ts);
	pthread_mutex_unlock(&mutex);
	sink++;
}

NOINLINE void wait_epoll(void)
{
	struct epoll_event ev;
	uint64_t n;

	epoll_wait(epoll_fd, &ev, 1, -1);
	sink += (uint64_t)read(timer_fd, &n, sizeof(n));
}

NOINLINE void wait_poll(void)
{
	poll(NULL, 0, POLL_MS);
	sink++;
}

NOINLINE void wait_select(void)
{
	struct timeval tv = { .tv_usec = SELECT_MS * 1000 };

	select(0, NULL, NULL, NULL, &tv);
	sink++;
}

NOINLINE void wait_signal(void)
{
	struct timespec ts = { .tv_nsec = SIGNAL_MS * NSEC_PER_MSEC };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigtimedwait(&set, NULL, &ts);
	sink++;
}

/* The fork is not part of what is measured. */
static pid_t child;

static void make_child(void)
{
	child = fork();
	if (!child) {
		sleep_ns(CHILD_MS * NSEC_PER_MSEC);
		_exit(0);
	}
}

NOINLINE void wait_child(void)
{
	waitpid(child, NULL, 0);
	sink++;
}

NOINLINE void wait_vfork(void)
{
	pid_t pid = vfork();

	if (!pid) {
		/* Where it is preempted is not the thread's own time. */
		name_thread("vforked");
		sleep_ns(VFORK_MS * NSEC_PER_MSEC);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	sink++;
}

static void want(void)
{
	sem_post(&wanted);
}

NOINLINE void wait_semaphore(void)
{
	sem_wait(&fed);
	sink++;
}

static void after_a_while(void)
{
	sleep_ns(FEED_MS * NSEC_PER_MSEC);
}

static void feed_semaphore(void)
{
	sem_wait(&wanted);
	after_a_while();
	sem_post(&fed);
}

/* Held by hold_lock() when wait_lock() is called. */
NOINLINE void wait_lock(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	sink++;
}

static sem_t lock_held;

static void want_lock(void)
{
	sem_post(&lock_wanted);
	sem_wait(&lock_held);
}

NOINLINE void hold_lock(void)
{
	sem_wait(&lock_wanted);
	pthread_mutex_lock(&lock);
	sem_post(&lock_held);
	after_a_while();
	pthread_mutex_unlock(&lock);
	sink++;
}

NOINLINE void wait_pipe(void)
{
	char c;

	sink += (uint64_t)read(pipe_fd[0], &c, 1);
}

static void feed_pipe(void)
{
	after_a_while();
	sink += (uint64_t)write(pipe_fd[1], "", 1);
}

NOINLINE void wait_socket(void)
{
	char c;

	sink += (uint64_t)recv(sockets[0], &c, 1, 0);
}

static void feed_socket(void)
{
	after_a_while();
	sink += (uint64_t)send(sockets[1], "", 1, 0);
}

NOINLINE void wait_eventfd(void)
{
	uint64_t n;

	sink += (uint64_t)read(event_fd, &n, sizeof(n));
}

static void feed_eventfd(void)
{
	const uint64_t one = 1;

	after_a_while();
	sink += (uint64_t)write(event_fd, &one, sizeof(one));
}

NOINLINE void wait_accept(void)
{
	close(accept(listener, NULL, NULL));
	sink++;
}

static void feed_accept(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	after_a_while();
	connect(fd, (struct sockaddr *)&address, address_length);
	close(fd);
}

struct way {
	const char *name, *function;
	void (*wait)(void), (*before)(void), (*feed)(void);      /* before: just before wait(), not measured */
	struct truth t;
};

static struct way ways[] = {
	{ "sleep", "wait_sleep", wait_sleep, NULL, NULL, { 0 } },
	{ "condition", "wait_condition", wait_condition, NULL, NULL, { 0 } },
	{ "epoll", "wait_epoll", wait_epoll, NULL, NULL, { 0 } },
	{ "poll", "wait_poll", wait_poll, NULL, NULL, { 0 } },
	{ "select", "wait_select", wait_select, NULL, NULL, { 0 } },
	{ "signal", "wait_signal", wait_signal, NULL, NULL, { 0 } },
	{ "child", "wait_child", wait_child, make_child, NULL, { 0 } },
	{ "vfork", "wait_vfork", wait_vfork, NULL, NULL, { 0 } },
	{ "semaphore", "wait_semaphore", wait_semaphore, want, feed_semaphore, { 0 } },
	{ "lock", "wait_lock", wait_lock, want_lock, hold_lock, { 0 } },
	{ "pipe", "wait_pipe", wait_pipe, NULL, feed_pipe, { 0 } },
	{ "socket", "wait_socket", wait_socket, NULL, feed_socket, { 0 } },
	{ "eventfd", "wait_eventfd", wait_eventfd, NULL, feed_eventfd, { 0 } },
	{ "accept", "wait_accept", wait_accept, NULL, feed_accept, { 0 } },
};
#define NR_WAYS (sizeof(ways) / sizeof(*ways))

NOINLINE void *waits_one_way(void *arg)
{
	struct way *w = arg;

	name_thread(w->name);
	while (!time_is_over) {
		if (w->before)
			w->before();
		truth_begin(&w->t);
		w->wait();
		truth_end(&w->t, 1);
	}
	return arg;
}

static void *feeds(void *arg)
{
	const struct way *w = arg;

	for (;;)
		w->feed();
	return arg;
}

static void prepare(void)
{
	struct itimerspec every = { { 0, EPOLL_MS * NSEC_PER_MSEC }, { 0, EPOLL_MS * NSEC_PER_MSEC } };
	struct epoll_event ev = { .events = EPOLLIN };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	event_fd = eventfd(0, EFD_CLOEXEC);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* An abstract name that the kernel chooses. */
	if (bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)) || listen(listener, 1))
		exit(1);
	address_length = sizeof(address);
	getsockname(listener, (struct sockaddr *)&address, &address_length);
	if (timerfd_settime(timer_fd, 0, &every, NULL) || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer_fd, &ev) ||
	    pipe(pipe_fd) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		exit(1);
}

static bool chosen(const char *name, int argc, char **argv)
{
	if (argc <= 2)
		return true;
	for (int i = 2; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	pthread_t t[NR_WAYS] = { 0 };
	sigset_t end;
	int sig;

	/* All signals go to main(): none cuts a wait short. */
	sigemptyset(&end);
	sigaddset(&end, SIGALRM);
	sigaddset(&end, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &end, NULL);
	prepare();
	end_after(argc, argv);
	ready();
	for (size_t i = 0; i < NR_WAYS; i++) {
		if (!chosen(ways[i].name, argc, argv))
			continue;
		ways[i].t.name = ways[i].function;
		t[i] = start_thread(ways[i].name, waits_one_way, &ways[i]);
		if (ways[i].feed)
			start_thread("feeder", feeds, &ways[i]);
	}
	sigwait(&end, &sig);
	time_is_over = sig;
	for (size_t i = 0; i < NR_WAYS; i++)
		if (t[i])
			pthread_join(t[i], NULL);
	for (size_t i = 0; i < NR_WAYS; i++)
		if (t[i])
			truth_tell(&ways[i].t);
	return 0;
}
