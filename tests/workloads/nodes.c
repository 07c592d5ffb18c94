// SPDX-License-Identifier: BSD-2-Clause
/*
 * nodes.c - threads on NUMA nodes that read memory on NUMA nodes: nodes [S] NAME:CPUS:MEMORY...
 *
 * NAME is one of the functions below, of which each runs in a thread of its name: near_reader,
 * far_reader, even_reader, touched_reader, free_reader; both_reader reads the first half of its
 * memory and the second in turns; naps_there sleeps instead of reading. CPUS is the node that the
 * thread stays on, "-" for any. MEMORY is
 *
 *	N      on node N: bound there (mbind, MPOL_BIND) and touched first by main in fills()
 *	all    interleaved over all nodes with memory (MPOL_INTERLEAVE), touched first by main in fills()
 *	half   the first half on the first node, the second on the last one: each bound there and touched
 *	       first by main in fills()
 *	main   of no policy, touched first by main, which stays on the first node, in touches_first(): 48 MB
 *	-      of no policy, touched first by the thread itself
 *
 * Others are 16 MB. Each thread has used 4 MB of its stack. Beside them main has 8 MB of heap, 1 MB
 * of stack, 8 MB of a file, which is bound to the last node where files have policies (tmpfs), 32
 * MB of shared memory without a name, which is interleaved, 8 MB on the last node that the kernel
 * may make huge pages of, and there 4 MB of hugetlbfs if the machine has them to give. When the
 * time is over it tells where the memory of each thread is (move_pages), and of the whole process
 * as the kernel counts it (numa_maps, and move_pages for the stacks of threads, which the kernel
 * does not tell from other memory), in pages of 4 KB, and how many KB came to be transparent huge
 * pages:
 *
 *	truth: pages near_reader node 1 4096
 *	truth: resident anon node 0 20480
 *	truth: transparent 8192
 *
 * A node that is not there is the first one.
 */
#include "truth.h"

#include <numa.h>
#include <numaif.h>
#include <sys/mman.h>

#define MB ((size_t)1 << 20)
#define PAGE 4096u
#define AREA (16 * MB)
#define TOUCHED (48 * MB)
#define HEAP (8 * MB)
#define STACK (1 * MB)
#define FILE_BYTES (8 * MB)
#define SHARED (32 * MB)        /* pages enough for whoever samples their faults */
#define HUGE_BYTES (4 * MB)
#define TRANSPARENT (8 * MB)
#define HUGE_PAGE (2 * MB)
#define OWN_STACK (4 * MB)       /* of a thread */
#define TICK_NS (10 * NSEC_PER_MSEC)
#define BLOCK (64u << 10)        /* of the heap: small enough for malloc() to take it from there */
#define READERS_MAX 16
#define NODES 64
#define LONG_BITS (8 * sizeof(unsigned long))

typedef void reads_fn(const volatile uint64_t *p, size_t n);

/* A cache line a step, so that each access is one of its own. */
#define READER(name) \
	NOINLINE void name(const volatile uint64_t *p, size_t n) \
	{ \
		uint64_t sum = 0; \
\
		for (size_t i = 0; i < n; i += 8) \
			sum += p[i]; \
		sink += sum; \
	}

READER(near_reader)
READER(far_reader)
READER(even_reader)
READER(touched_reader)
READER(free_reader)

/*
 * As much to do behind each access as behind the other, so that a CPU that never waits for memory
 * is found at both alike.
 */
NOINLINE void both_reader(const volatile uint64_t *p, size_t n)
{
	const volatile uint64_t *second = p + n / 2;
	uint64_t sum = sink;

	/* In a register of its own, that no access overwrites. */
	__asm__("" : "+r"(second));
	for (size_t i = 0; i < n / 2; i += 8) {
		sum += p[i];
		sum = sum << 7 ^ sum >> 3;
		sum += second[i];
		sum = sum << 7 ^ sum >> 3;
	}
	sink = sum;
}

NOINLINE void naps_there(const volatile uint64_t *p, size_t n)
{
	sleep_ns(5 * NSEC_PER_MSEC);
	sink += p[n - 1];
}

static const struct {
	const char *name;
	reads_fn *fn;
} functions[] = {
	{ "near_reader", near_reader }, { "far_reader", far_reader },   { "even_reader", even_reader },
	{ "touched_reader", touched_reader }, { "free_reader", free_reader }, { "naps_there", naps_there },
	{ "both_reader", both_reader },
};

struct reader {
	char name[16];
	reads_fn *fn;
	int cpus;                /* -1 = any */
	bool own;                /* touches its memory itself */
	char *memory, *stack;    /* STACK: all that belongs to it, once the thread has touched what is its own */
	size_t bytes, stack_bytes;
	pthread_t thread;
};

static cpu_set_t everywhere;
static struct reader readers[READERS_MAX];
static size_t nr_readers;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- nodes ---- */

static bool has_memory(int node)
{
	return node >= 0 && node < NODES && numa_bitmask_isbitset(numa_get_mems_allowed(), (unsigned int)node);
}

static int first_node(void)
{
	int node = 0;

	while (node < NODES - 1 && !has_memory(node))
		node++;
	return node;
}

static int last_node(void)
{
	int node = NODES - 1;

	while (node > 0 && !has_memory(node))
		node--;
	return node;
}

static void set_policy(void *p, size_t bytes, int mode, unsigned long nodes)
{
	if (mbind(p, bytes, mode, &nodes, LONG_BITS, 0))
		fail("mbind");
}

static void interleave(void *p, size_t bytes)
{
	unsigned long nodes = 0;

	for (int node = 0; node < NODES; node++)
		nodes |= has_memory(node) ? 1ul << node : 0;
	set_policy(p, bytes, MPOL_INTERLEAVE, nodes);
}

/* NODE < 0: anywhere. One without CPUs, or none at all: where it is. */
static void stay_on(int node)
{
	struct bitmask *cpus = numa_allocate_cpumask();

	if (node < 0)
		sched_setaffinity(0, sizeof(everywhere), &everywhere);
	if (node >= 0 && numa_node_to_cpus(node, cpus) == 0 && numa_bitmask_weight(cpus))
		numa_sched_setaffinity(0, cpus);
	numa_free_cpumask(cpus);
}

/* ---- memory ---- */

NOINLINE void fills(char *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += PAGE)
		p[i] = 1;
}

NOINLINE void touches_first(char *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += PAGE)
		p[i] = 1;
}

static char *map(size_t bytes, int flags, int fd)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED)
		fail("mmap");
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

static void make_memory(struct reader *r, const char *where)
{
	const bool by_main = !strcmp(where, "main"), all = !strcmp(where, "all");
	int node = atoi(where);

	r->bytes = by_main ? TOUCHED : AREA;
	r->own = !strcmp(where, "-");
	r->memory = map(r->bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (by_main)
		touches_first(r->memory, r->bytes);
	if (by_main || r->own)
		return;
	if (all) {
		interleave(r->memory, r->bytes);
	} else if (!strcmp(where, "half")) {
		set_policy(r->memory, r->bytes / 2, MPOL_BIND, 1ul << first_node());
		set_policy(r->memory + r->bytes / 2, r->bytes / 2, MPOL_BIND, 1ul << last_node());
	} else {
		set_policy(r->memory, r->bytes, MPOL_BIND, 1ul << (has_memory(node) ? node : first_node()));
	}
	fills(r->memory, r->bytes);
}

static void make_file(void)
{
	char path[] = "nodes.XXXXXX";
	int fd = mkstemp(path);
	char *p;

	if (fd < 0 || unlink(path) || ftruncate(fd, (off_t)FILE_BYTES))
		fail(path);
	p = map(FILE_BYTES, MAP_SHARED, fd);
	set_policy(p, FILE_BYTES, MPOL_BIND, 1ul << last_node());
	fills(p, FILE_BYTES);
}

static void make_huge(void)
{
	char *p = mmap(NULL, HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (p == MAP_FAILED)
		return;
	set_policy(p, HUGE_BYTES, MPOL_BIND, 1ul << last_node());
	fills(p, HUGE_BYTES);
}

static void make_transparent(void)
{
	char *p = mmap(NULL, TRANSPARENT + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		fail("mmap");
	p += HUGE_PAGE - (uintptr_t)p % HUGE_PAGE;
	madvise(p, TRANSPARENT, MADV_HUGEPAGE);
	set_policy(p, TRANSPARENT, MPOL_BIND, 1ul << last_node());
	fills(p, TRANSPARENT);
}

static void make_shared(void)
{
	char *shared = map(SHARED, MAP_SHARED | MAP_ANONYMOUS, -1);

	interleave(shared, SHARED);
	fills(shared, SHARED);
}

static void make_others(void)
{
	for (size_t i = 0; i < HEAP / BLOCK; i++) {
		char *block = malloc(BLOCK);

		if (!block)
			fail("malloc");
		fills(block, BLOCK);
	}
	make_shared();
	make_file();
	make_transparent();
	make_huge();
}

/* ---- truth ---- */

static void count_pages(const char *p, size_t bytes, unsigned long count[NODES])
{
	const size_t n = bytes / PAGE;
	void **page = calloc(n, sizeof(*page));
	int *status = calloc(n, sizeof(*status));

	for (size_t i = 0; i < n; i++)
		page[i] = (void *)(p + i * PAGE);
	if (numa_move_pages(0, n, page, NULL, status, 0))
		fail("move_pages");
	for (size_t i = 0; i < n; i++)
		if (status[i] >= 0 && status[i] < NODES)
			count[status[i]]++;
	free(page);
	free(status);
}

static void tell_pages(const struct reader *r)
{
	unsigned long count[NODES] = { 0 };

	count_pages(r->memory, r->bytes, count);
	for (int node = 0; node < NODES; node++)
		if (count[node])
			printf("truth: pages %s node %d %lu\n", r->name, node, count[node]);
}

enum kind { ANON, HEAP_KIND, STACK_KIND, FILE_KIND, SHARED_KIND, HUGE_KIND, KINDS };
static const char *const kind_name[] = { "anon", "heap", "stack", "file", "shared", "huge" };
static unsigned long resident[KINDS][NODES];

static enum kind kind_of(const char *line)
{
	/* Shared memory without a name is a deleted file of the kernel's own. */
	if (strstr(line, " huge"))
		return HUGE_KIND;
	if (strstr(line, "file=/dev/zero"))
		return SHARED_KIND;
	return strstr(line, "file=") ? FILE_KIND : strstr(line, " heap") ? HEAP_KIND : strstr(line, " stack") ?
		STACK_KIND : ANON;
}

static void add_line(char *line)
{
	const enum kind kind = kind_of(line);
	const char *size = strstr(line, "kernelpagesize_kB=");
	const unsigned long pages = size ? strtoul(strchr(size, '=') + 1, NULL, 10) * 1024 / PAGE : 1;

	for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n")) {
		char *end;
		unsigned long node = word[0] == 'N' ? strtoul(word + 1, &end, 10) : NODES;

		if (node < NODES && *end == '=')
			resident[kind][node] += strtoul(end + 1, NULL, 10) * pages;
	}
}

/* What is anonymous memory to the kernel. */
static void add_stacks(void)
{
	for (size_t i = 0; i < nr_readers; i++) {
		unsigned long count[NODES] = { 0 };

		count_pages(readers[i].stack, readers[i].stack_bytes, count);
		for (int node = 0; node < NODES; node++) {
			resident[STACK_KIND][node] += count[node];
			resident[ANON][node] -= count[node];
		}
	}
}

static unsigned long transparent_kb;

static void add_transparent(char *line)
{
	if (!strncmp(line, "AnonHugePages:", 14))
		transparent_kb += strtoul(line + 14, NULL, 10);
}

static void read_lines(const char *path, void (*each)(char *line))
{
	FILE *f = fopen(path, "re");
	static char line[8192];

	while (f && fgets(line, sizeof(line), f))
		each(line);
	if (f)
		fclose(f);
}

static void tell_resident(void)
{
	read_lines("/proc/self/numa_maps", add_line);
	add_stacks();
	for (int kind = 0; kind < KINDS; kind++)
		for (int node = 0; node < NODES; node++)
			if (resident[kind][node])
				printf("truth: resident %s node %d %lu\n", kind_name[kind], node, resident[kind][node]);
	read_lines("/proc/self/smaps", add_transparent);
	printf("truth: transparent %lu\n", transparent_kb);
}

/* ---- threads ---- */

/* Deep, once. */
NOINLINE void fills_stack(void)
{
	char stack[OWN_STACK];

	fills(stack, sizeof(stack));
	/* Nobody may find out that nobody reads it. */
	__asm__ volatile("" : : "r"(stack) : "memory");
}

static void tell_stack(struct reader *r)
{
	pthread_attr_t attr;
	void *stack;

	if (pthread_getattr_np(pthread_self(), &attr) || pthread_attr_getstack(&attr, &stack, &r->stack_bytes))
		exit(1);
	pthread_attr_destroy(&attr);
	__atomic_store_n(&r->stack, stack, __ATOMIC_RELEASE);
}

static void *reader(void *arg)
{
	struct reader *r = arg;

	stay_on(r->cpus);
	fills_stack();
	if (r->own)
		touches_first(r->memory, r->bytes);
	tell_stack(r);
	for (;;)
		r->fn((const volatile uint64_t *)r->memory, r->bytes / sizeof(uint64_t));
	return NULL;
}

static void add_reader(char *spec)
{
	char *name = strtok(spec, ":"), *cpus = strtok(NULL, ":"), *memory = strtok(NULL, ":");
	struct reader *r = &readers[nr_readers];

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (name && !strcmp(name, functions[i].name))
			r->fn = functions[i].fn;
	if (!r->fn || !cpus || !memory || nr_readers == READERS_MAX)
		exit(2);
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->cpus = strcmp(cpus, "-") ? atoi(cpus) : -1;
	make_memory(r, memory);
	nr_readers++;
}

static void start(struct reader *r)
{
	r->thread = start_thread(r->name, reader, r);
	while (!__atomic_load_n(&r->stack, __ATOMIC_ACQUIRE))
		sleep_ns(TICK_NS);
}

NOINLINE void work_with_stack(int argc, char **argv)
{
	char stack[STACK];

	fills(stack, sizeof(stack));
	for (size_t i = 0; i < nr_readers; i++)
		start(&readers[i]);
	tell_after(argc, argv);
	ready();
	while (!time_is_over)
		sleep_ns(TICK_NS);
	/* While the stacks of threads are there. */
	for (size_t i = 0; i < nr_readers; i++)
		tell_pages(&readers[i]);
	tell_resident();
	/* At once, threads and all: whoever asks where its memory is finds all of it or nothing. */
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	if (numa_available() < 0)
		return 77;
	sched_getaffinity(0, sizeof(everywhere), &everywhere);
	stay_on(first_node());
	for (int i = 2; i < argc; i++)
		add_reader(argv[i]);
	make_others();
	work_with_stack(argc, argv);
}
