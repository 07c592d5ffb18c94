/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_placement.c - real memory of this test and of its children, asked for as the engine does:
 * what it is in, where it is, who may not be asked, who has ended, and who does not answer. Needs
 * no privileges; where root can do more, the test says so.
 */
#include "config.h"

#include "numa/placement.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "system/cpus.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <numaif.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096u
#define MB (1u << 20)
#define NOBODY 65534
#define PATIENCE_NS (60 * NSEC_PER_SEC)

struct got {
	struct page_answer a;
	char path[256];
	unsigned int n;
};

static void take(void *ctx, const struct page_answer *a)
{
	struct got *g = ctx;

	g->a = *a;
	snprintf(g->path, sizeof(g->path), "%s", a->path ? a->path : "");
	g->n++;
}

static struct placement *start(const struct placement_config *c)
{
	static const struct placement_config kernel = { 0 };
	struct placement *p = NULL;

	assert_int_equal(placement_new(c ? c : &kernel, &p, NULL), 0);
	return p;
}

/* Waits for N answers; the last one. */
static struct got wait_for(struct placement *p, unsigned int n)
{
	const uint64_t end = clock_mono_ns() + PATIENCE_NS;
	struct got g = { 0 };

	while (g.n < n) {
		assert_true(clock_mono_ns() < end);
		placement_poll(p, take, &g);
		poll(NULL, 0, 1);
	}
	assert_int_equal(g.n, n);
	return g;
}

static struct got ask_with(struct placement *p, pid_t pid, const void *addr, const void *sp)
{
	struct got g;

	assert_true(placement_ask(p, pid, (uintptr_t)addr, (uintptr_t)sp, 0x1234567890));
	g = wait_for(p, 1);
	assert_int_equal(g.a.tag, 0x1234567890);
	return g;
}

static struct got ask(struct placement *p, const void *addr)
{
	return ask_with(p, getpid(), addr, NULL);
}

static struct numa_process wait_for_survey(struct placement *p)
{
	const uint64_t end = clock_mono_ns() + PATIENCE_NS;
	struct numa_process got;

	while (!placement_surveyed(p, &got)) {
		assert_true(clock_mono_ns() < end);
		poll(NULL, 0, 1);
	}
	return got;
}

/* The nodes of this machine, for what must be on one of them. */
static bool is_node(unsigned int node)
{
	struct numa_topology t;
	bool is;

	assert_int_equal(topology_read(SYSTEM_DIR, &t, NULL), 0);
	is = topology_index(&t, node) >= 0;
	topology_free(&t);
	return is;
}

static char *map(size_t bytes, int flags, int fd)
{
	char *m = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

	assert_true(m != MAP_FAILED);
	return m;
}

static void touched_and_not(void **state)
{
	AUTO(placement_free) struct placement *p = start(NULL);
	char *m = map(64 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct placement_figures f;
	struct got g;

	m[3 * PAGE] = 1;
	g = ask(p, m + 3 * PAGE + 77);
	assert_true(is_node(g.a.node));
	assert_int_equal(g.a.mapping, MAPPING_ANON);
	assert_false(g.a.gone);
	assert_int_equal(g.a.ino, 0);
	assert_null(g.a.path);
	g = ask(p, m + 4 * PAGE);
	assert_int_equal(g.a.node, NODE_UNKNOWN);
	assert_int_equal(g.a.mapping, MAPPING_ANON);
	munmap(m, 64 * PAGE);
	g = ask(p, (void *)64);
	assert_int_equal(g.a.node, NODE_UNKNOWN);
	assert_int_equal(g.a.mapping, MAPPING_UNKNOWN);
	assert_false(g.a.gone);
	placement_figures(p, &f);
	assert_int_equal(f.asked, 3);
	assert_int_equal(f.answered, 3);
	assert_int_equal(f.refused, 0);
}

static int the_data = 5;

static void kinds_of_memory(void **state)
{
	AUTO(placement_free) struct placement *p = start(NULL);
	char *shared = map(PAGE, MAP_SHARED | MAP_ANONYMOUS, -1), *heap = sbrk(64 * PAGE);
	const int fd = memfd_create("ring", MFD_CLOEXEC);
	char *ring;
	int local = 1;

	assert_true(heap != (char *)-1 && fd >= 0 && !ftruncate(fd, PAGE));
	ring = map(PAGE, MAP_SHARED, fd);
	heap[PAGE] = shared[0] = ring[0] = 1;
	assert_int_equal(ask(p, shared).a.mapping, MAPPING_SHARED);
	assert_string_equal(ask(p, ring).path, "/memfd:ring");
	assert_int_equal(ask(p, ring).a.mapping, MAPPING_SHARED);
	assert_int_equal(ask(p, heap + PAGE).a.mapping, MAPPING_HEAP);
	assert_int_equal(ask(p, &local).a.mapping, MAPPING_STACK);
	assert_int_equal(ask(p, (void *)getauxval(AT_SYSINFO_EHDR)).a.mapping, MAPPING_KERNEL);
	assert_int_equal(ask(p, &the_data).a.mapping, MAPPING_FILE);
	close(fd);
	munmap(ring, PAGE);
	munmap(shared, PAGE);
}

static void a_file(void **state)
{
	AUTO(placement_free) struct placement *p = start(NULL);
	char path[] = "/tmp/sberf-placement.XXXXXX";
	const int fd = mkstemp(path);
	struct stat st;
	struct got g;
	char *m;

	assert_true(fd >= 0 && !ftruncate(fd, 4 * PAGE) && !fstat(fd, &st));
	m = map(4 * PAGE, MAP_SHARED, fd);
	m[PAGE] = 1;
	g = ask(p, m + PAGE);
	assert_true(is_node(g.a.node));
	assert_int_equal(g.a.mapping, MAPPING_FILE);
	assert_int_equal(g.a.ino, st.st_ino);
	assert_string_equal(g.path, path);
	assert_int_equal(ask(p, m + 2 * PAGE).a.node, NODE_UNKNOWN);
	munmap(m, 4 * PAGE);
	close(fd);
	unlink(path);
}

/* Huge pages are known by their device: there need not be any of them. */
static void huge_pages(void **state)
{
	AUTO(placement_free) struct placement *p = start(NULL);
	const int fd = memfd_create("huge", MFD_CLOEXEC | MFD_HUGETLB);
	char *m;

	if (fd < 0)
		return;          /* a kernel without hugetlbfs */
	m = mmap(NULL, 2 * MB, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
	assert_true(m != MAP_FAILED);
	assert_int_equal(ask(p, m).a.mapping, MAPPING_HUGE);
	munmap(m, 2 * MB);
	m = mmap(NULL, 2 * MB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0);
	assert_true(m != MAP_FAILED);
	assert_int_equal(ask(p, m).a.mapping, MAPPING_HUGE);
	munmap(m, 2 * MB);
	close(fd);
}

static int gate[2];

/* A thread with something on its stack, that waits until the gate is closed. */
static void *stand(void *arg)
{
	char local[4 * PAGE], c;
	_Atomic(char *) *at = arg;

	memset(local, 1, sizeof(local));
	*at = local;
	if (read(gate[0], &c, 1) < 0)
		abort();
	return *at;
}

static void stacks_of_threads(void **state)
{
	struct placement *p = start(NULL);
	_Atomic(char *) at = NULL;
	pthread_t thread;

	assert_int_equal(pipe(gate), 0);
	assert_int_equal(pthread_create(&thread, NULL, stand, &at), 0);
	while (!at)
		poll(NULL, 0, 1);
	assert_int_equal(ask(p, at + PAGE).a.mapping, MAPPING_ANON);
	assert_int_equal(ask_with(p, getpid(), at + PAGE, at).a.mapping, MAPPING_STACK);
	assert_int_equal(ask(p, at + PAGE).a.mapping, MAPPING_STACK);
	placement_free(p);
	close(gate[1]);
	pthread_join(thread, NULL);
	close(gate[0]);
}

/* A child that did what BODY says and waits for its end. */
static pid_t child_of(void (*body)(void))
{
	int ready[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		body();
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void *stand_on_a_stack(void *arg)
{
	char local[256 * 1024];
	_Atomic bool *ready = arg;

	memset(local, 1, sizeof(local));
	*ready = local[sizeof(local) / 2];
	while (*(volatile char *)local)
		pause();
	return NULL;
}

/*
 * 64 MB of anonymous memory, 1 GB that is not used, 32 MB shared, 8 MB bound to node 0, eight
 * threads with 256 KB of stack each.
 */
static void known_memory(void)
{
	const unsigned long node0 = 1;
	char *a = mmap(NULL, 64 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *s = mmap(NULL, 32 * MB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *b = mmap(NULL, 8 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (a == MAP_FAILED || s == MAP_FAILED || b == MAP_FAILED)
		_exit(1);
	if (mmap(NULL, 1024 * MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		 0) == MAP_FAILED)
		_exit(1);
	mbind(b, 8 * MB, MPOL_BIND, &node0, 8 * sizeof(node0), 0);
	memset(a, 1, 64 * MB);
	memset(s, 1, 32 * MB);
	memset(b, 1, 8 * MB);
	for (int i = 0; i < 8; i++) {
		static _Atomic bool ready;
		pthread_t thread;

		ready = false;
		if (pthread_create(&thread, NULL, stand_on_a_stack, &ready))
			_exit(1);
		while (!ready)
			poll(NULL, 0, 1);
	}
}

static uint64_t bytes_of(const struct numa_process *p, enum mapping_kind kind)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->resident.n; i++)
		if (kind == MAPPING_NR || p->resident.v[i].mapping == kind)
			n += p->resident.v[i].bytes;
	return n;
}

static void check_survey(const struct numa_process *got, pid_t pid)
{
	uint32_t pages = 0;

	assert_int_equal(got->pid, pid);
	assert_int_equal(got->start_ns, 99);
	assert_string_equal(got->comm, "test_placement");
	assert_false(got->denied);
	assert_in_range(got->rss_bytes, 106 * MB, 160 * MB);
	assert_in_range(bytes_of(got, MAPPING_ANON), 60 * MB, 84 * MB);
	assert_in_range(bytes_of(got, MAPPING_SHARED), 24 * MB, 40 * MB);
	assert_in_range(bytes_of(got, MAPPING_NR), got->rss_bytes / 10 * 8, got->rss_bytes + MB);
	assert_in_range(got->asked, 900, RESIDENT_PAGES + 300);
	assert_in_range(got->found, 300, got->asked);
	assert_true(got->moment_ns && got->faults >= 106 * MB / PAGE / 2);
	assert_true(got->cpus[0] != '\0' && got->policy[0] == '\0');
	for (size_t i = 0; i < got->resident.n; i++) {
		assert_true(is_node(got->resident.v[i].node));
		pages += got->resident.v[i].pages;
	}
	assert_int_equal(pages, got->found);
}

static void where_a_process_has_its_memory(void **state)
{
	AUTO(placement_free) struct placement *p = start(NULL);
	const pid_t pid = child_of(known_memory);
	const bool numa = !access("/proc/self/numa_maps", R_OK);
	uint64_t stacks = 0;

	for (int i = 0; i < 4; i++) {
		struct numa_process got;

		placement_survey(p, pid, 99);
		got = wait_for_survey(p);
		check_survey(&got, pid);
		assert_int_equal(got.policies_read, numa);
		if (numa)
			assert_string_equal(got.mapped_policy, "bind:0 8.0 MB");
		stacks += bytes_of(&got, MAPPING_STACK);
		numa_process_clear(&got);
	}
	/* 2 MB of stacks, where threads that wait may be asked for theirs. */
	if (!access("/proc/self/syscall", R_OK))
		assert_in_range(stacks, MB, 4 * 8 * MB);
	assert_false(placement_surveyed(p, &(struct numa_process){ 0 }));
	end_child(pid);
}

/* Surveys process 1 as nobody, and asks for a page of it. */
static int survey_as_nobody(void)
{
	AUTO(placement_free) struct placement *p = NULL;
	struct numa_process got;
	struct got g;
	bool ok;

	if (!geteuid() && setresuid(NOBODY, NOBODY, NOBODY))
		return 2;
	p = start(NULL);
	g = ask_with(p, 1, &the_data, NULL);
	placement_survey(p, 1, 5);
	got = wait_for_survey(p);
	ok = g.a.node == NODE_UNKNOWN && !g.a.gone && got.denied && got.rss_bytes && got.comm[0] && !got.found &&
	     !got.policies_read;
	numa_process_clear(&got);
	return ok ? 0 : 1;
}

static void others_processes_are_denied(void **state)
{
	const pid_t pid = fork();
	int status;

	if (!pid)
		_exit(survey_as_nobody());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void nothing(void)
{
}

static void processes_end(void **state)
{
	AUTO(placement_free) struct placement *p = start(NULL);
	const pid_t pid = child_of(nothing);
	struct numa_process got;
	siginfo_t info;

	assert_false(ask_with(p, pid, &the_data, NULL).a.gone);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	placement_survey(p, pid, 1);
	end_child(pid);
	assert_true(ask_with(p, pid, &the_data, NULL).a.gone);
	placement_survey(p, pid, 1);
	placement_survey(p, getpid(), 1);
	got = wait_for_survey(p);
	assert_int_equal(got.pid, getpid());
	numa_process_clear(&got);
	/* Nobody waits for what does not come. */
	placement_survey(p, pid, 1);
	for (const uint64_t end = clock_mono_ns() + PATIENCE_NS; placement_surveying(p); poll(NULL, 0, 1))
		assert_true(clock_mono_ns() < end);
	assert_false(placement_surveyed(p, &got));
}

/* A machine of four nodes, page by page in turn, of which every fifth is nowhere. */
static int four_nodes(void *ctx, pid_t pid, unsigned long n, void **addr, int *status)
{
	_Atomic unsigned int *calls = ctx;

	(*calls)++;
	for (unsigned long i = 0; i < n; i++) {
		const uintptr_t page = (uintptr_t)addr[i] / PAGE;

		status[i] = page % 5 ? (int)(page % 4) : -ENOENT;
	}
	return 0;
}

static void nodes_are_told_apart(void **state)
{
	_Atomic unsigned int calls = 0;
	const struct placement_config c = { .query = four_nodes, .ctx = &calls };
	AUTO(placement_free) struct placement *p = start(&c);
	char *m = map(1024 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct numa_process got;
	uint64_t node[4] = { 0 };

	for (uintptr_t i = 0; i < 20; i++)
		assert_int_equal(ask(p, (void *)(i * PAGE)).a.node, i % 5 ? i % 4 : NODE_UNKNOWN);
	memset(m, 1, 1024 * PAGE);
	placement_survey(p, getpid(), 1);
	got = wait_for_survey(p);
	for (size_t i = 0; i < got.resident.n; i++) {
		const struct numa_resident *r = &got.resident.v[i];

		assert_in_range(r->node, 0, 3);
		assert_true(!i || r->mapping > r[-1].mapping || r->node > r[-1].node);
		node[r->node] += r->bytes;
	}
	for (int i = 0; i < 4; i++)
		assert_in_range(node[i], got.rss_bytes / 100 * 15, got.rss_bytes / 100 * 35);
	numa_process_clear(&got);
	munmap(m, 1024 * PAGE);
}

/* A machine on which the process that is asked about has lost its memory: it is ending. */
static int lost(void *ctx, pid_t pid, unsigned long n, void **addr, int *status)
{
	const _Atomic bool *is_lost = ctx;

	if (*is_lost)
		return -EINVAL;
	for (unsigned long i = 0; i < n; i++)
		status[i] = 0;
	return 0;
}

static void half_a_survey_is_none(void **state)
{
	_Atomic bool is_lost = true;
	const struct placement_config c = { .query = lost, .ctx = &is_lost };
	AUTO(placement_free) struct placement *p = start(&c);
	struct numa_process got;

	placement_survey(p, getpid(), 1);
	for (const uint64_t end = clock_mono_ns() + PATIENCE_NS; placement_surveying(p); poll(NULL, 0, 1))
		assert_true(clock_mono_ns() < end);
	assert_false(placement_surveyed(p, &got));
	is_lost = false;
	placement_survey(p, getpid(), 1);
	got = wait_for_survey(p);
	assert_true(got.found);
	numa_process_clear(&got);
}

static void many_at_once(void **state)
{
	_Atomic unsigned int calls = 0;
	const struct placement_config c = { .query = four_nodes, .ctx = &calls };
	AUTO(placement_free) struct placement *p = start(&c);

	for (uint64_t i = 0; i < 20000; i++)
		assert_true(placement_ask(p, i % 2 ? getpid() : getppid(), i * PAGE, 0, i));
	wait_for(p, 20000);
	/* Two processes, 512 addresses of each at most. */
	assert_in_range(calls, 20000 / 512, 20000 / 10);
}

/* Processes that are asked for behind a gate, which stands for a lock that nobody lets go. */
static int behind_the_gate(void *ctx, pid_t pid, unsigned long n, void **addr, int *status)
{
	char c;

	if (pid == 1 && read(gate[0], &c, 1) < 0)
		return -EIO;
	for (unsigned long i = 0; i < n; i++)
		status[i] = 2;
	return 0;
}

static void one_process_that_does_not_answer(void **state)
{
	const struct placement_config c = { .query = behind_the_gate };
	AUTO(placement_free) struct placement *p = NULL;
	struct placement_figures f;
	struct numa_process got;
	uint64_t n = 0;

	assert_int_equal(pipe(gate), 0);
	p = start(&c);
	/* It hangs at process 1, whose question is answered all the same; all others have to wait a little. */
	assert_true(placement_ask(p, 1, 0, 0, n++));
	while (placement_ask(p, getpid(), (uintptr_t)&the_data, 0, n))
		n++;
	assert_true(n > 10000);
	placement_survey(p, 1, 1);
	placement_survey(p, getpid(), 7);
	placement_survey(p, getpid(), 8);
	assert_int_equal(wait_for(p, (unsigned int)n).a.mapping, MAPPING_FILE);
	got = wait_for_survey(p);
	assert_int_equal(got.start_ns, 7);
	numa_process_clear(&got);
	/* It is not asked again. */
	assert_false(placement_ask(p, 1, 0, 0, 1));
	assert_int_equal(ask(p, &the_data).a.node, 2);
	assert_false(placement_surveyed(p, &got));
	placement_figures(p, &f);
	assert_int_equal(f.asked, n + 1);
	assert_int_equal(f.answered, n + 1);
	assert_int_equal(f.refused, 2);
	/* The thread that was left behind reads its end of the pipe, and goes. */
	close(gate[1]);
}

/* The thread hangs, and no other one can be started. 0 when all questions are answered nevertheless. */
static int ask_without_threads(void)
{
	const struct placement_config c = { .query = behind_the_gate };
	const uint64_t end = clock_mono_ns() + PATIENCE_NS;
	const struct rlimit none = { 0 };
	struct placement *p = NULL;
	struct got g = { 0 };
	unsigned int n = 0;

	if (pipe(gate) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ||
	    placement_new(&c, &p, NULL) || setrlimit(RLIMIT_NPROC, &none))
		return 2;
	/* More than one batch of questions. */
	for (n = 0; n < 1500; n++)
		if (!placement_ask(p, 1, 0, 0, n))
			return 3;
	while (g.n < n && clock_mono_ns() < end) {
		placement_poll(p, take, &g);
		poll(NULL, 0, 1);
	}
	/* Nobody is asked any more. */
	return g.n != n ? 4 : g.a.node != NODE_UNKNOWN ? 5 : placement_ask(p, getpid(), 0, 0, n);
}

static void nobody_is_left_to_ask(void **state)
{
	const pid_t pid = geteuid() ? 0 : fork();
	int status;

	if (geteuid())
		skip();
	if (!pid)
		_exit(ask_without_threads());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(touched_and_not),
		cmocka_unit_test(kinds_of_memory),
		cmocka_unit_test(a_file),
		cmocka_unit_test(huge_pages),
		cmocka_unit_test(stacks_of_threads),
		cmocka_unit_test(where_a_process_has_its_memory),
		cmocka_unit_test(others_processes_are_denied),
		cmocka_unit_test(processes_end),
		cmocka_unit_test(nodes_are_told_apart),
		cmocka_unit_test(half_a_survey_is_none),
		cmocka_unit_test(many_at_once),
		cmocka_unit_test(one_process_that_does_not_answer),
		cmocka_unit_test(nobody_is_left_to_ask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
