// SPDX-License-Identifier: BSD-2-Clause
/*
 * locked.c - threads t0, t1, ... that wait for each other's locks, from before "ready" on, for ever.
 *
 *	locked SECONDS cycle N   tI holds lock[I] and waits for that of the next one, the last one for that of t0
 *	locked SECONDS chain N   the same, but that the last one sleeps
 *	locked SECONDS kinds     a thread for each kind of lock: see start_kinds()
 *	locked SECONDS shared    two processes, each with a mutex that the other waits for, in shared memory
 *	locked SECONDS files     the same with locks on files
 *	locked SECONDS apart     the first holds a mutex in shared memory, and its child "other" waits for it
 *	locked SECONDS forked    it has forked its child "other" while a thread held a mutex, for which that waits
 *	locked SECONDS truth N   N threads that take one mutex in turns, hold it for milliseconds, and say at the end,
 *	                         when the alarm comes, who held it when: "held TID FROM TO", CLOCK_MONOTONIC in ns; and
 *	                         "ahead NS", how far CLOCK_REALTIME is ahead of that
 *	locked SECONDS rwlock N  the same with an rwlock, which each third thread reads: "reads TID FROM TO"
 *	locked SECONDS rwread N  the same, but that each third thread writes and readers are preferred
 *	locked SECONDS kmutex N  the same with a mutex of the kernel, that of the position in a file, which each
 *	                         holds while it reads
 *	locked SECONDS krwsem N  the same with the semaphore of an inode, while it writes; from SIGUSR1 on whoever has
 *	                         one of these keeps it
 *	locked SECONDS kspin N   N threads that take a lock of the kernel that is spun for, that of the list of tasks,
 *	                         half of them to read it
 *	locked SECONDS heap N    the same with another mutex every 77 ms, each in a block that table_new() allocates
 *	locked SECONDS busy N    N threads that take two locks each, in one order, over and over: nothing hangs
 *	locked SECONDS convoy N  N threads that take an inheriting mutex in turns, which the kernel hands over, and
 *	                         hold it for microseconds
 *	locked SECONDS inverted N  on one CPU: "high" (real-time) waits for a mutex that "low" (nice 10) has while it
 *	                         computes, and cannot, as "middle" (real-time) computes for N ms of each N + 20
 *	locked SECONDS request N N times, from SIGUSR1 on: "request" computes for 2 ms in handles() and hands work to
 *	                         "worker", which waits for a mutex that "keeper" holds and sleeps with, and then
 *	                         computes for 3 ms. Says how long all of that took by its own clock, in ns:
 *	                         "requests N ALL OWN WORKER KEEPER"
 */
#include "truth.h"

#include <linux/userfaultfd.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define LOCKS_MAX 64

struct table {
	char head[0x28];
	pthread_mutex_t lock;
};
static pthread_mutex_t *taken_in_turns, lock[LOCKS_MAX], inheriting, robust, left, itself = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER, being_read = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t of_condition = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static pthread_barrier_t all_hold, barrier;
static pid_t tids[LOCKS_MAX];
static pthread_t thread[LOCKS_MAX];
static int count, cycle, held_file, wanted_file;

/* Keeps a frame pointer, as whole distributions do: its caller is found by a register. */
__attribute__((optimize("no-omit-frame-pointer"))) NOINLINE void takes_next(int i)
{
	pthread_mutex_lock(&lock[(i + 1) % count]);
	sink++;
}

NOINLINE void sleeps(void)
{
	for (;;)
		pause();
}

NOINLINE void *holder(void *arg)
{
	const int i = (int)(intptr_t)arg;

	tids[i] = gettid();
	pthread_mutex_lock(&lock[i]);
	pthread_barrier_wait(&all_hold);
	if (!cycle && i == count - 1)
		sleeps();
	takes_next(i);
	return arg;
}

static pthread_t start_kind(const char *name, int i, void *(*run)(void *))
{
	thread[i] = start_thread(name, run, (void *)(intptr_t)i);
	return thread[i];
}

#define KIND(name, ...)                               \
	static void *name(void *arg)                  \
	{                                             \
		tids[(intptr_t)arg] = gettid();       \
		__VA_ARGS__;                          \
		sink++;                               \
		return arg;                           \
	}

KIND(waits_to_read, pthread_rwlock_rdlock(&written))
KIND(waits_to_write, pthread_rwlock_wrlock(&being_read))
KIND(waits_inheriting, pthread_mutex_lock(&inheriting))
KIND(waits_robust, pthread_mutex_lock(&robust))
KIND(waits_condition, pthread_mutex_lock(&of_condition); pthread_cond_wait(&condition, &of_condition))
KIND(waits_semaphore, sem_wait(&semaphore))
KIND(waits_barrier, pthread_barrier_wait(&barrier))
KIND(leaves, pthread_mutex_lock(&left))
KIND(waits_left, pthread_mutex_lock(&left))
KIND(waits_itself, pthread_mutex_lock(&itself); pthread_mutex_lock(&itself))
KIND(waits_file, flock(wanted_file, LOCK_EX))
KIND(waits_end, pthread_join(thread[0], NULL))

/* The first thread holds what the others wait for. */
static void *owns(void *arg)
{
	tids[0] = gettid();
	pthread_rwlock_wrlock(&written);
	pthread_rwlock_rdlock(&being_read);
	pthread_mutex_lock(&inheriting);
	pthread_mutex_lock(&robust);
	flock(held_file, LOCK_EX);
	pthread_barrier_wait(&all_hold);
	sleeps();
	return arg;
}

static void make_file(void)
{
	char name[] = "/tmp/sberf-locked.XXXXXX";

	held_file = mkstemp(name);
	wanted_file = open(name, O_RDWR | O_CLOEXEC);
	unlink(name);
}

/* What both processes have mapped. */
struct common {
	pthread_mutex_t lock[2];
	int hold;                /* so many hold their own */
};
static struct common *common;
static int file[2][2];           /* each opened by each process, as locks belong to the opened file */

/* Takes what is this one's, waits until the other one has done so, and takes the other's. */
NOINLINE void crosses(int mine, int files)
{
	for (int step = 0; step < 2; step++) {
		if (files)
			flock(file[mine][step ? !mine : mine], LOCK_EX);
		else
			pthread_mutex_lock(&common->lock[step ? !mine : mine]);
		__atomic_add_fetch(&common->hold, 1, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&common->hold, __ATOMIC_SEQ_CST) < 2)
			sleep_ns(NSEC_PER_MSEC);
	}
	sink++;
}

static void open_files(void)
{
	for (int i = 0; i < 2; i++) {
		char name[] = "/tmp/sberf-locked.XXXXXX";

		file[0][i] = mkstemp(name);
		file[1][i] = open(name, O_RDWR | O_CLOEXEC);
		unlink(name);
	}
}

/* Says "ready" from a third process, as both of the others hang. */
static void start_crossing(int files)
{
	pthread_mutexattr_t attr;
	pid_t parent = getpid(), child;

	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	for (int i = 0; i < 2; i++)
		pthread_mutex_init(&common->lock[i], &attr);
	open_files();
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_setname_np(pthread_self(), "other");
		crosses(1, files);
	}
	if (!fork()) {
		while (__atomic_load_n(&common->hold, __ATOMIC_SEQ_CST) < 2)
			sleep_ns(NSEC_PER_MSEC);
		sleep_ns(20 * NSEC_PER_MSEC);
		until_asleep(parent);
		until_asleep(child);
		ready();
		_exit(0);
	}
	crosses(0, files);
}

/* The child waits for MUTEX; says so. */
static void start_child(pthread_mutex_t *mutex)
{
	const pid_t child = fork();

	if (!child) {
		pthread_setname_np(pthread_self(), "other");
		pthread_mutex_lock(mutex);
		sink++;
		_exit(0);
	}
	until_asleep(child);
	ready();
	sleeps();
}

static void start_apart(void)
{
	pthread_mutexattr_t attr;

	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&common->lock[0], &attr);
	pthread_mutex_lock(&common->lock[0]);
	start_child(&common->lock[0]);
}

static void *holds_for_good(void *arg)
{
	pthread_mutex_lock(&lock[0]);
	pthread_barrier_wait(&all_hold);
	sleeps();
	return arg;
}

static void start_forked(void)
{
	pthread_barrier_init(&all_hold, NULL, 2);
	start_kind("holder", 0, holds_for_good);
	pthread_barrier_wait(&all_hold);
	start_child(&lock[0]);
}

static void *works(void *arg)
{
	const int i = (int)(intptr_t)arg;

	for (;;) {
		pthread_mutex_lock(&lock[i % 3]);
		pthread_mutex_lock(&lock[3]);
		burn(20000);
		pthread_mutex_unlock(&lock[3]);
		pthread_mutex_unlock(&lock[i % 3]);
	}
	return arg;
}

#define TURNS_MAX 65536

static struct {
	pid_t tid;
	int reads;
	uint64_t from_ns, to_ns;
} turn[TURNS_MAX];
static int turns, of_rwlock, mostly_read;
static pthread_rwlock_t shared_in_turns = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

NOINLINE void holds(int i)
{
	if (i % 2)
		sleep_ns(2 * NSEC_PER_MSEC);
	else
		burn(1500000);
}

/* Where it may: nobody gets in the way of who has just let a lock go, so that its clock says when that was. */
static void run_first(void)
{
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 1 });
}

static void *takes_turns(void *arg)
{
	const int i = (int)(intptr_t)arg;

	run_first();
	while (!time_is_over && turns < TURNS_MAX) {
		pthread_mutex_t *mutex = __atomic_load_n(&taken_in_turns, __ATOMIC_ACQUIRE);
		const int reads = of_rwlock && (i % 3 == 2) != mostly_read;
		uint64_t from;
		int at;

		if (!of_rwlock)
			pthread_mutex_lock(mutex);
		else if (reads)
			pthread_rwlock_rdlock(&shared_in_turns);
		else
			pthread_rwlock_wrlock(&shared_in_turns);
		from = now_ns();
		holds(i);
		at = __atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED);
		if (at < TURNS_MAX) {
			turn[at].tid = gettid();
			turn[at].reads = reads;
			turn[at].from_ns = from;
			turn[at].to_ns = now_ns();
		}
		if (of_rwlock)
			pthread_rwlock_unlock(&shared_in_turns);
		else
			pthread_mutex_unlock(mutex);
		/* Up to a millisecond, so that others come at any time of a turn; more, so that readers come at all. */
		sleep_ns((uint64_t)turns * 7919 % 1000 * NSEC_PER_USEC * (of_rwlock ? 20 : 1));
	}
	return arg;
}

/* ---- locks of the kernel: a call sleeps while it holds one, as the page of its buffer is late ---- */

#define HOLE_BYTES (1ll << 34)
#define PAGE 4096u

static int of_kernel_mutex, of_kernel_rwsem, hole, late;
static char *late_pages;

/* Of what has no pages nothing is stored, however much is read. */
NOINLINE void reads_hole(char *page)
{
	if (read(hole, page, PAGE) != PAGE)
		abort();
	sink++;
}

NOINLINE void writes_again(const char *page)
{
	if (pwrite(hole, page, PAGE, 0) != PAGE)
		abort();
	sink++;
}

static void *calls_in_turns(void *arg)
{
	char *page = late_pages + (size_t)(intptr_t)arg * PAGE;

	run_first();
	while (!time_is_over && turns < TURNS_MAX) {
		uint64_t from;
		int at;

		madvise(page, PAGE, MADV_DONTNEED);
		from = now_ns();
		if (of_kernel_mutex)
			reads_hole(page);
		else
			writes_again(page);
		at = __atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED);
		if (at < TURNS_MAX) {
			turn[at].tid = gettid();
			turn[at].from_ns = from;
			turn[at].to_ns = now_ns();
		}
		sleep_ns((uint64_t)turns * 7919 % 1000 * NSEC_PER_USEC);
	}
	return arg;
}

/* For ever, for a lock of the kernel that is spun for. */
NOINLINE void *sets_group(void *arg)
{
	for (;;)
		setpgid(0, 0);
	return arg;
}

NOINLINE void *asks_group(void *arg)
{
	for (;;)
		kill(0, 0);
	return arg;
}

/* Each page comes two milliseconds late; from SIGUSR1 on none comes. */
static volatile sig_atomic_t stuck;

static void comes_no_more(int sig)
{
	stuck = 1;
}

static void *delays(void *arg)
{
	struct uffd_msg m;

	signal(SIGUSR1, comes_no_more);

	run_first();
	while (read(late, &m, sizeof(m)) == sizeof(m)) {
		const uint64_t at = m.arg.pagefault.address & ~(PAGE - 1ull);
		struct uffdio_zeropage z = { .range = { .start = at, .len = PAGE } };

		do
			sleep_ns(2 * NSEC_PER_MSEC);
		while (stuck);
		ioctl(late, UFFDIO_ZEROPAGE, &z);
	}
	return arg;
}

static void make_hole(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register all = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	char name[] = "/tmp/sberf-locked.XXXXXX";

	hole = mkstemp(name);
	unlink(name);
	late = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	late_pages = mmap(NULL, LOCKS_MAX * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	all.range = (struct uffdio_range){ .start = (uintptr_t)late_pages, .len = LOCKS_MAX * PAGE };
	if (hole < 0 || late < 0 || late_pages == MAP_FAILED || ftruncate(hole, HOLE_BYTES) ||
	    ioctl(late, UFFDIO_API, &api) || ioctl(late, UFFDIO_REGISTER, &all))
		exit(77);
	start_thread("delays", delays, NULL);
}

static int compare_ends(const void *va, const void *vb)
{
	const typeof(turn[0]) *a = va, *b = vb;

	return (a->to_ns > b->to_ns) - (a->to_ns < b->to_ns);
}

/* Calls that exclude each other end one after the other: each had the lock since the one before it ended. */
static void calls_to_turns(void)
{
	const int n = turns < TURNS_MAX ? turns : TURNS_MAX;

	qsort(turn, (size_t)n, sizeof(turn[0]), compare_ends);
	for (int i = 1; i < n; i++)
		if (turn[i].from_ns < turn[i - 1].to_ns)
			turn[i].from_ns = turn[i - 1].to_ns;
}

static void is_over(int sig)
{
	time_is_over = 1;
}

/* Of some readings of both clocks the one for which they were least apart. */
static uint64_t ahead_ns(void)
{
	uint64_t best = UINT64_MAX, ahead = 0;

	for (int i = 0; i < 20; i++) {
		const uint64_t before = now_ns();
		struct timespec day;
		uint64_t took;

		clock_gettime(CLOCK_REALTIME, &day);
		took = now_ns() - before;
		if (took < best) {
			best = took;
			ahead = (uint64_t)day.tv_sec * NSEC_PER_SEC + (uint64_t)day.tv_nsec - before - took / 2;
		}
	}
	return ahead;
}

NOINLINE struct table *table_new(void)
{
	struct table *t = calloc(1, sizeof(*t));

	pthread_mutex_init(&t->lock, NULL);
	sink++;
	return t;
}

static void start_spinning(void)
{
	setpgid(0, 0);
	for (int i = 0; i < count; i++)
		start_kind("spins", i, i & 1 ? asks_group : sets_group);
	ready();
	sleeps();
}

static void start_truth(int heap)
{
	signal(SIGALRM, is_over);
	signal(SIGTERM, is_over);
	taken_in_turns = &lock[0];
	pthread_mutex_init(taken_in_turns, NULL);
	if (of_kernel_mutex || of_kernel_rwsem)
		make_hole();
	for (int i = 0; i < count; i++)
		start_kind("turns", i, hole ? calls_in_turns : takes_turns);
	ready();
	do {
		sleep_ns(77 * NSEC_PER_MSEC);
		if (heap)
			__atomic_store_n(&taken_in_turns, &table_new()->lock, __ATOMIC_RELEASE);
	} while (!time_is_over);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	if (hole)
		calls_to_turns();
	printf("ahead %" PRIu64 "\n", ahead_ns());
	for (int i = 0; i < turns && i < TURNS_MAX; i++)
		printf("%s %d %" PRIu64 " %" PRIu64 "\n", turn[i].reads ? "reads" : "held", turn[i].tid,
		       turn[i].from_ns, turn[i].to_ns);
	exit(0);
}

static void start_busy(void)
{
	for (int i = 0; i < 4; i++)
		pthread_mutex_init(&lock[i], NULL);
	for (int i = 0; i < count; i++)
		start_kind("works", i, works);
	ready();
	sleeps();
}

/* ---- a request, and what it waits for ---- */

#define KEEPS_NS (12 * NSEC_PER_MSEC)

static sem_t to_keep, kept, to_work, worked;
static uint64_t all_ns, own_ns, worker_ns, keeper_ns;      /* sums */
/* The last: the worker asks for the mutex, begins and ends; the keeper has slept. */
static uint64_t asks_ns, works_ns, worked_ns, kept_ns;

NOINLINE void keeper_sleeps(void)
{
	sleep_ns(KEEPS_NS);
	sink++;
}

static void *keeps(void *arg)
{
	for (;;) {
		sem_wait(&to_keep);
		pthread_mutex_lock(&lock[0]);
		sem_post(&kept);
		keeper_sleeps();
		kept_ns = now_ns();
		pthread_mutex_unlock(&lock[0]);
	}
	return arg;
}

NOINLINE void worker_computes(void)
{
	spin_ns(3 * NSEC_PER_MSEC);
	sink++;
}

static void *serves(void *arg)
{
	for (;;) {
		sem_wait(&to_work);
		asks_ns = now_ns();
		pthread_mutex_lock(&lock[0]);
		works_ns = now_ns();
		worker_computes();
		worked_ns = now_ns();
		pthread_mutex_unlock(&lock[0]);
		sem_post(&worked);
	}
	return arg;
}

NOINLINE void request_computes(void)
{
	spin_ns(2 * NSEC_PER_MSEC);
	sink++;
}

static uint64_t since(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

NOINLINE void handles(void)
{
	const uint64_t from = now_ns();
	uint64_t waits;

	request_computes();
	own_ns += now_ns() - from;
	sem_post(&to_work);
	waits = now_ns();
	sem_wait(&worked);
	all_ns += now_ns() - from;
	/* Of what the others did, what this one waited for. */
	keeper_ns += since(waits > asks_ns ? waits : asks_ns, kept_ns);
	worker_ns += since(waits > works_ns ? waits : works_ns, worked_ns);
}

static void *requests(void *arg)
{
	while (!time_is_over)
		sleep_ns(NSEC_PER_MSEC);
	for (int i = 0; i < count; i++) {
		sem_post(&to_keep);
		sem_wait(&kept);
		handles();
	}
	printf("requests %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", count, all_ns, own_ns, worker_ns,
	       keeper_ns);
	fflush(stdout);
	return arg;
}

static void start_requests(void)
{
	signal(SIGUSR1, is_over);
	pthread_mutex_init(&lock[0], NULL);
	for (sem_t *const *s = (sem_t *const[]){ &to_keep, &kept, &to_work, &worked, NULL }; *s; s++)
		sem_init(*s, 0, 0);
	start_kind("keeper", 0, keeps);
	start_kind("worker", 1, serves);
	start_kind("request", 2, requests);
	ready();
	sleeps();
}

static void *takes_part(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&inheriting);
		burn(4000);
		pthread_mutex_unlock(&inheriting);
	}
	return arg;
}

static void inherit(void)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&inheriting, &attr);
}

static void start_convoy(void)
{
	inherit();
	for (int i = 0; i < count; i++)
		start_kind("convoy", i, takes_part);
	ready();
	sleeps();
}

/* The calling thread, on the last CPU alone; PRIORITY 0: by nice value. Ends the program where that is not allowed. */
static void run_at(int priority, int nice_value)
{
	const struct sched_param p = { .sched_priority = priority };
	cpu_set_t all, one;

	CPU_ZERO(&one);
	sched_getaffinity(0, sizeof(all), &all);
	for (int cpu = CPU_SETSIZE; cpu-- && !CPU_COUNT(&one);)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) || (priority && sched_setscheduler(0, SCHED_FIFO, &p)) ||
	    (nice_value && setpriority(PRIO_PROCESS, (id_t)gettid(), nice_value)))
		exit(77);
}

NOINLINE void low_computes(void)
{
	spin_ns(5 * NSEC_PER_MSEC);
	sink++;
}

static void *has_it_low(void *arg)
{
	run_at(0, 10);
	for (;;) {
		pthread_mutex_lock(&lock[0]);
		low_computes();
		pthread_mutex_unlock(&lock[0]);
		sleep_ns(NSEC_PER_MSEC);
	}
	return arg;
}

static void *is_in_the_way(void *arg)
{
	run_at(10, 0);
	for (;;) {
		spin_ns((uint64_t)count * NSEC_PER_MSEC);
		sleep_ns(20 * NSEC_PER_MSEC);
	}
	return arg;
}

static void *waits_high(void *arg)
{
	run_at(50, 0);
	for (;;) {
		pthread_mutex_lock(&lock[0]);
		pthread_mutex_unlock(&lock[0]);
		sleep_ns(2 * NSEC_PER_MSEC);
	}
	return arg;
}

static void start_inverted(void)
{
	pthread_mutex_init(&lock[0], NULL);
	start_kind("low", 0, has_it_low);
	start_kind("middle", 1, is_in_the_way);
	start_kind("high", 2, waits_high);
	ready();
	sleeps();
}

static void start_kinds(void)
{
	pthread_mutexattr_t attr;

	make_file();
	inherit();
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attr);
	sem_init(&semaphore, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	start_kind("owner", 0, owns);
	pthread_barrier_wait(&all_hold);
	pthread_join(start_kind("leaver", 1, leaves), NULL);
	tids[1] = 0;
	start_kind("reader", 2, waits_to_read);
	start_kind("writer", 3, waits_to_write);
	start_kind("inheritor", 4, waits_inheriting);
	start_kind("robust", 5, waits_robust);
	start_kind("condition", 6, waits_condition);
	start_kind("semaphore", 7, waits_semaphore);
	start_kind("barrier", 8, waits_barrier);
	start_kind("heir", 9, waits_left);
	start_kind("itself", 10, waits_itself);
	start_kind("file", 11, waits_file);
	start_kind("joiner", 12, waits_end);
	count = 13;
}

static void start_holders(void)
{
	char name[16];

	for (int i = 0; i < count; i++) {
		pthread_mutex_init(&lock[i], NULL);
		snprintf(name, sizeof(name), "t%d", i);
		start_kind(name, i, holder);
	}
	pthread_barrier_wait(&all_hold);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[2] : "cycle";

	end_after(argc, argv);
	count = argc > 3 ? atoi(argv[3]) : 2;
	cycle = !strcmp(mode, "cycle");
	if (!strcmp(mode, "kinds"))
		count = 1;
	if (!strcmp(mode, "shared") || !strcmp(mode, "files"))
		start_crossing(!strcmp(mode, "files"));
	mostly_read = !strcmp(mode, "rwread");
	of_rwlock = mostly_read || !strcmp(mode, "rwlock");
	if (mostly_read)
		shared_in_turns = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
	of_kernel_mutex = !strcmp(mode, "kmutex");
	of_kernel_rwsem = !strcmp(mode, "krwsem");
	if (!strcmp(mode, "kspin"))
		start_spinning();
	if (!strcmp(mode, "truth") || !strcmp(mode, "heap") || of_rwlock || of_kernel_mutex || of_kernel_rwsem)
		start_truth(!strcmp(mode, "heap"));
	if (!strcmp(mode, "busy"))
		start_busy();
	if (!strcmp(mode, "apart"))
		start_apart();
	if (!strcmp(mode, "forked"))
		start_forked();
	if (!strcmp(mode, "convoy"))
		start_convoy();
	if (!strcmp(mode, "inverted"))
		start_inverted();
	if (!strcmp(mode, "request"))
		start_requests();
	pthread_barrier_init(&all_hold, NULL, (unsigned int)count + 1);
	if (!strcmp(mode, "kinds"))
		start_kinds();
	else
		start_holders();
	for (int i = 0; i < count; i++)
		while (thread[i] && !__atomic_load_n(&tids[i], __ATOMIC_ACQUIRE) && strcmp(mode, "kinds"))
			sleep_ns(NSEC_PER_MSEC);
	sleep_ns(50 * NSEC_PER_MSEC);
	for (int i = 0; i < count; i++)
		if (tids[i])
			until_asleep(tids[i]);
	ready();
	sleeps();
}
