/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_hold.c - what sberf and the collector that holds the kernel half tell each other: plans, what they say of
 * probes, and requests by values, also plans that are changed at random; which places in programs the program itself
 * takes; and that a stream of random requests is answered, ends nothing and leaves no file open.
 */
#include "config.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fdmessage.h"
#include "capture/hold_tables.h"
#include "collector/collector_policy.h"
#include "collector/request.h"
#include "system/cpus.h"
#include "tests/unit/cmocka_all.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY "65534"

static struct capture_plan usual(void)
{
	return (struct capture_plan){
		.target = TARGET_PIDS, .event = EVENT_CPU_CLOCK, .freq_hz = 99, .kernel = true, .walk_rules = true,
		.walk_or_copy = true, .stack_bytes = 16384, .off_cpu = true, .min_block_ns = 1000, .numa = NUMA_OFF,
	};
}

/* The plan of a capture of this process, with probes that are in its program, on the heap. */
static struct hold_plan *told(void)
{
	static const struct sb_loads none[SB_LOAD_SETS];
	struct hold_plan *p = malloc(sizeof(*p));
	struct capture_plan plan = usual();
	struct err e = ERR_INIT;
	uint32_t *id = vec_push(&plan.ids);

	assert_non_null(p);
	assert_non_null(id);
	*id = (uint32_t)getpid();
	plan.places_to_come = true;
	plan.loads = none;
	assert_int_equal(hold_plan_of(&plan, p, &e), 0);
	vec_free(&plan.ids);
	return p;
}

static void a_plan_comes_back_as_it_was(void **state)
{
	AUTO_FREE struct hold_plan *p = told();
	struct capture_plan back;

	(void)state;
	assert_int_equal(hold_plan_check(p, NULL), 0);
	assert_int_equal(hold_plan_back(p, &back, NULL), 0);
	assert_int_equal(back.target, TARGET_PIDS);
	assert_int_equal(back.ids.n, 1);
	assert_int_equal(back.ids.v[0], getpid());
	assert_true(back.kernel && back.walk_rules && back.walk_or_copy && back.off_cpu);
	assert_false(back.wakers || back.frame_pointers || back.stay || back.to_come || back.name || back.cgroup);
	assert_int_equal(back.min_block_ns, 1000);
	vec_free(&back.ids);
	/* Another process with this number. */
	p->ids[0].start_ticks++;
	assert_int_equal(hold_plan_back(p, &back, NULL), -ESRCH);
}

/* What cannot be, by what of a good plan is another value. */
static void damage(struct hold_plan *p, unsigned int what)
{
	switch (what) {
	case 0: p->version[0] ^= 1; break;
	case 1: memset(p->version, 'v', sizeof(p->version)); break;
	case 2: p->target = TARGET_CGROUP + 1; break;
	case 3: p->target = TARGET_CGROUP; break;
	case 4: p->target = TARGET_ALL; break;
	case 5: p->event = EVENT_CPU_CLOCK + 1; break;
	case 6: p->numa = NUMA_OFF + 1; break;
	case 7: p->kernel = 2; break;
	case 8: p->stay = 255; break;
	case 9: p->name[sizeof(p->name) - 1] = 'x'; break;
	case 10: memset(p->cgroup, 'x', sizeof(p->cgroup)); break;
	case 11: p->cgroup[0] = 'x'; break;
	case 12: p->nr_ids = HOLD_IDS_MAX + 1; break;
	case 13: p->ids[0].id = 0; break;
	case 14: p->ids[0].id = UINT32_MAX; break;
	case 15: p->ids[0].start_ticks = 0; break;
	case 17: p->wishes = 2; break;
	case 18: p->loaded = 255; break;
	case 19: p->loaded = 0; p->nr_loads = 1; break;
	default: p->ids[0].reserved = 1; break;
	}
}

static void a_plan_that_cannot_be_is_refused(void **state)
{
	(void)state;
	for (unsigned int what = 0; what <= 19; what++) {
		AUTO_FREE struct hold_plan *p = told();
		struct err e = ERR_INIT;

		damage(p, what);
		if (hold_plan_check(p, &e) != -EINVAL || !e.text[0])
			fail_msg("damage %u is not found", what);
	}
}

/* Whatever of NUMBERS is below the least or above the most of its row, it is refused; both of these are taken. */
static void numbers_of_a_plan_are_bounded(void **state)
{
	(void)state;
#define X(type, field, least, most) \
	do { \
		AUTO_FREE struct hold_plan *p = told(); \
		struct err e = ERR_INIT; \
		\
		p->field = (type)(most); \
		assert_int_equal(hold_plan_check(p, &e), 0); \
		p->field = (type)(least); \
		assert_int_equal(hold_plan_check(p, &e), 0); \
		p->field = (type)((uint64_t)(most) + 1); \
		assert_int_equal(hold_plan_check(p, &e), -EINVAL); \
		p->field = (type)-1; \
		assert_int_equal(hold_plan_check(p, &e), -EINVAL); \
		p->field = (type)((uint64_t)(least) - 1); \
		assert_int_equal(hold_plan_check(p, &e), -EINVAL); \
	} while (0);
	HOLD_NUMBERS(X)
#undef X
}

static void what_a_collector_does_not_do_is_said(void **state)
{
	struct capture_plan plan = usual();
	AUTO_FREE struct hold_plan *p = malloc(sizeof(*p));
	struct err e = ERR_INIT;

	(void)state;
	plan.probes_may_come = true;
	assert_int_equal(hold_plan_of(&plan, p, &e), -ENOTSUP);
	assert_string_equal(e.text, "sberf-collector does not follow probes that come later: leave --split out");
}

static void a_request_has_what_its_row_says(void **state)
{
	(void)state;
	for (uint32_t op = 0; op < HOLD_OPS + 3; op++) {
		const struct hold_row *row = hold_row(op);
		struct hold_request q = { .op = op, .b = row ? row->b_min : 0 };

		assert_int_equal(!row, op == 0 || op >= HOLD_OPS);
		assert_int_equal(hold_check_request(&q), row ? 0 : -EINVAL);
		if (!row)
			continue;
		q.a = row->a_max + 1;
		assert_int_equal(hold_check_request(&q), -EINVAL);
		q.a = row->a_max;
		q.b = row->b_max + 1;
		assert_int_equal(hold_check_request(&q), -EINVAL);
	}
	assert_int_equal(hold_check_request(&(struct hold_request){ .op = HOLD_SAMPLER }), -EINVAL);
}

/* What the options of a capture take, a collector takes. */
static void rings_of_a_gigabyte_and_no_more(void **state)
{
	AUTO_FREE struct hold_plan *p = told();
	struct err e = ERR_INIT;

	(void)state;
	p->ring_bytes = 1u << 30;
	assert_int_equal(hold_plan_check(p, &e), 0);
	p->ring_bytes++;
	assert_int_equal(hold_plan_check(p, &e), -EINVAL);
	assert_string_equal(e.text, "sberf-collector was told of a capture that cannot be");
}

/* A plan with one of each, and what it says of them. */
struct asked {
	struct capture_plan plan;
	struct capture_call call;
	struct capture_trace trace;
	struct capture_filter filter;
	struct sb_loads loads[3];
	struct sb_call_wish wishes[SB_CALLS_MAX];
};

static void ask_for_probes(struct asked *a)
{
	*a = (struct asked){
		.plan = usual(), .call = { .nr = 39, .probe = 1, .loads = 2 },
		.trace = { .name = "do_exit", .how = CAPTURE_TRACE_FUNCTION, .id = 4096, .probe = 2, .loads = 1 },
		.filter = { .probe = 2 },
	};
	a->loads[1].load[0] = (struct sb_load){ .size = 8, .hops = 1, .from = SB_LOAD_ARG };
	a->loads[2].print = 1;
	a->plan.target = TARGET_ALL;
	a->plan.calls = &a->call;
	a->plan.traces = &a->trace;
	a->plan.filters = &a->filter;
	a->plan.loads = a->loads;
	a->plan.call_wishes = a->wishes;
	a->plan.nr_calls = a->plan.nr_traces = a->plan.nr_filters = 1;
	a->plan.nr_loads = 3;
}

static void what_a_plan_says_of_probes_comes_back_as_it_was(void **state)
{
	AUTO_FREE struct hold_plan *p = malloc(sizeof(*p));
	AUTO_FREE struct asked *a = malloc(sizeof(*a));
	struct hold_tables got;
	struct capture_plan back;
	int pair[2];

	(void)state;
	ask_for_probes(a);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(hold_plan_of(&a->plan, p, NULL), 0);
	assert_int_equal(hold_tables_send(pair[0], p, &a->plan), 0);
	assert_int_equal(hold_tables_take(pair[1], p, &got), 0);
	assert_int_equal(hold_tables_check(&got, p, NULL), 0);
	assert_int_equal(hold_plan_back(p, &back, NULL), 0);
	hold_tables_plan(&got, p, &back);
	assert_int_equal(back.nr_calls, 1);
	assert_memory_equal(back.calls, &a->call, sizeof(a->call));
	assert_int_equal(back.nr_traces, 1);
	assert_memory_equal(back.traces, &a->trace, sizeof(a->trace));
	assert_memory_equal(back.filters, &a->filter, sizeof(a->filter));
	assert_int_equal(back.nr_loads, 3);
	assert_memory_equal(back.loads, a->loads, sizeof(a->loads));
	assert_memory_equal(back.call_wishes, a->wishes, sizeof(a->wishes));
	hold_tables_clear(&got);
	/* One that does not come, as the other side has ended; and a message of another size. */
	assert_int_equal(write(pair[0], p, 5), 5);
	assert_int_equal(hold_tables_take(pair[1], p, &got), -EPIPE);
	hold_tables_clear(&got);
	close(pair[0]);
	assert_int_equal(hold_tables_take(pair[1], p, &got), -EPIPE);
	hold_tables_clear(&got);
	close(pair[1]);
}

static void damage_probes(struct asked *a, unsigned int what)
{
	switch (what) {
	case 0: a->call.nr = SB_CALLS_MAX; break;
	case 1: a->call.probe = PROBES_MAX; break;
	case 2: a->call.loads = 3; break;
	case 3: memset(a->trace.name, 'x', sizeof(a->trace.name)); break;
	case 4: a->trace.how = CAPTURE_TRACE_HOWS; break;
	case 5: a->trace.probe = PROBES_MAX; break;
	case 6: a->trace.span = SB_SPAN_END + 1; break;
	case 7: a->trace.loads = 3; break;
	/* What another field says. */
	case 8: a->trace.more = SB_COOKIE_OF_LOADS(1); break;
	case 9: a->trace.more = SB_COOKIE_OF_SPAN(0, SB_SPAN_END); break;
	case 10: a->filter.probe = SB_PROBES; break;
	case 11: a->loads[2].print = 3; break;
	default: a->loads[1].args = 3; break;
	}
}

static void probes_that_cannot_be_are_refused(void **state)
{
	AUTO_FREE struct hold_plan *p = malloc(sizeof(*p));
	AUTO_FREE struct asked *a = malloc(sizeof(*a));

	(void)state;
	for (unsigned int what = 0; what <= 12; what++) {
		struct hold_tables t = { &a->call, &a->trace, &a->filter, a->loads, a->wishes };
		struct err e = ERR_INIT;

		ask_for_probes(a);
		assert_int_equal(hold_plan_of(&a->plan, p, NULL), 0);
		assert_int_equal(hold_tables_check(&t, p, NULL), 0);
		damage_probes(a, what);
		if (hold_tables_check(&t, p, &e) != -EINVAL || !e.text[0])
			fail_msg("damage %u is not found", what);
	}
}

/* What places in programs read is memory of theirs. */
static void named_values_of_programs_read_nothing_of_the_kernel(void **state)
{
	static struct sb_loads sets[SB_LOAD_SETS];
	struct sb_load *l = &sets[1].load[3];

	(void)state;
	assert_true(hold_loads_of_user(sets, 1));
	assert_false(hold_loads_of_user(sets, SB_LOAD_SETS));
	*l = (struct sb_load){ .size = 8, .from = SB_LOAD_ARG };
	assert_true(hold_loads_of_user(sets, 1));
	l->hops = 3;
	for (uint8_t user = 0; user < 7; user++) {
		l->user = user;
		assert_false(hold_loads_of_user(sets, 1));
	}
	l->user = 7;
	assert_true(hold_loads_of_user(sets, 1));
	l->hops = SB_HOPS + 1;
	l->user = 255;
	assert_false(hold_loads_of_user(sets, 1));
	/* Texts: where it is, and what is there. */
	*l = (struct sb_load){ .size = SB_LOAD_TEXT, .hops = 1, .user = 1 };
	assert_true(hold_loads_of_user(sets, 1));
	l->scale = SB_STRING_AT;
	assert_false(hold_loads_of_user(sets, 1));
	*l = (struct sb_load){ .size = SB_LOAD_TEXT };
	assert_false(hold_loads_of_user(sets, 1));
	/* What a set refers to counts, too: what is shown is read at its address. */
	*l = (struct sb_load){ 0 };
	sets[1].print = 2;
	sets[2].load[0] = (struct sb_load){ .size = 8, .from = SB_LOAD_ARG };
	assert_true(hold_loads_of_user(sets, 2));
	assert_false(hold_loads_of_user(sets, 1));
	sets[2].load[0].hops = sets[2].load[0].user = 1;
	assert_true(hold_loads_of_user(sets, 1));
	sets[1].args = 3;
	sets[3].load[7] = (struct sb_load){ .size = 1, .hops = 1 };
	assert_false(hold_loads_of_user(sets, 1));
	sets[1].args = SB_LOAD_SETS;
	assert_false(hold_loads_of_user(sets, 1));
}

static void places_have_what_their_request_says(void **state)
{
	AUTO_FREE struct hold_places *p = calloc(1, sizeof(*p));

	(void)state;
	p->n = HOLD_PLACES;
	assert_int_equal(hold_check_places(p, HOLD_PLACES), 0);
	assert_int_equal(hold_check_places(p, HOLD_PLACES - 1), -EINVAL);
	p->n = 2;
	p->offset[1] = p->cookie[1] = p->semaphore[1] = 1;
	assert_int_equal(hold_check_places(p, 2), 0);
	p->n = 1;
	assert_int_equal(hold_check_places(p, 1), -EINVAL);
	p->offset[1] = p->cookie[1] = p->semaphore[1] = 0;
	p->n = 0;
	assert_int_equal(hold_check_places(p, 0), -EINVAL);
	p->n = 1;
	p->kind = LINK_SESSION + 1;
	assert_int_equal(hold_check_places(p, 1), -EINVAL);
	p->kind = LINK_ENTRY;
	p->of = LINK_OF_TOLD_FREES + 1;
	assert_int_equal(hold_check_places(p, 1), -EINVAL);
	p->of = LINK_OF_MOMENTS;
	p->pid = -1;
	assert_int_equal(hold_check_places(p, 1), -EINVAL);
}

static uint64_t random_of(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 33;
}

/* Bytes of a plan that are numbers, flags and texts, and not the list of ids. */
static void change_anything(struct hold_plan *p, uint64_t *seed)
{
	const size_t from = sizeof(p->version), n = offsetof(struct hold_plan, cgroup) - from;
	uint8_t *byte = (uint8_t *)p + from + random_of(seed) % n;

	*byte = random_of(seed) % 3 ? (uint8_t)random_of(seed) : (uint8_t)(random_of(seed) % 2);
}

/* Of plans that are changed at random, what is taken asks for no more memory than options can. */
static void random_plans_are_refused_or_bounded(void **state)
{
	const struct cpu_layout cpus = { .nr_cpus = 2, .nr_rings = 1 };
	unsigned int taken = 0;
	uint64_t seed = 7;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		AUTO_FREE struct hold_plan *p = told();
		struct capture_plan back;
		struct map_sizes n;

		for (unsigned int times = random_of(&seed) % 3; times < 3; times++)
			change_anything(p, &seed);
		if (hold_plan_check(p, NULL) || hold_plan_back(p, &back, NULL))
			continue;
		taken++;
		n = map_sizes_of(&back, &cpus, (struct target_size){ .threads = back.nr_threads });
		vec_free(&back.ids);
		assert_true(cpu_ring_bytes(2, 1, back.freq_hz, back.stack_bytes, back.ring_bytes) <= RING_MAX);
		assert_true(cpu_ring_bytes(2, 1, back.freq_hz, back.stack_bytes, back.ring_least) <= RING_DEFAULT_MAX);
		assert_true(n.slots <= SLOTS_MAX && n.totals <= TOTALS_MAX);
		assert_true(n.slot_bytes <= SB_STACK_MAX + SLOT_EXTRA);
	}
	assert_in_range(taken, 100, 19900);
}

/* ---- the program ---- */

static pid_t start_collector(int *ret_socket)
{
	const char *top = getenv("top_builddir");
	int pair[2];
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid = fork();
	if (!pid) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/sberf-collector", top ? top : ".");
		/* Not the one that has the flag to close. */
		dup2(pair[1] == COLLECTOR_SOCKET ? dup(pair[1]) : pair[1], COLLECTOR_SOCKET);
		execl(path, "sberf-collector", COLLECTOR_HOLDS, NOBODY, NOBODY, (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	*ret_socket = pair[0];
	return pid;
}

static unsigned int count_files(pid_t pid)
{
	char path[64];
	unsigned int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	AUTO_DIR DIR *d = opendir(path);

	while (d && readdir(d))
		n++;
	return n;
}

/* What follows Q at random, if something does: now and then what can be. */
static void tell_more(int socket, const struct hold_request *q, uint64_t *seed)
{
	const struct hold_row *row = hold_row(q->op);
	uint8_t bytes[sizeof(struct hold_places)];
	AUTO_FD int fd = open(random_of(seed) % 3 ? "/proc/self/exe" : "/dev/null", O_RDONLY | O_CLOEXEC);

	_Static_assert(sizeof(bytes) >= sizeof(struct sb_loads), "has room for either");
	if (!row || !row->more)
		return;
	memset(bytes, 0, sizeof(bytes));
	for (size_t i = 0; i < row->more && random_of(seed) % 4; i++)
		bytes[random_of(seed) % row->more] = (uint8_t)random_of(seed);
	if (q->op == HOLD_PLACE && random_of(seed) % 2) {
		const struct hold_places p = { .pid = getpid(), .n = (uint32_t)q->a % (HOLD_PLACES + 1) };

		memcpy(bytes, &p, offsetof(struct hold_places, offset));
	}
	assert_int_equal(fdmessage_send(socket, bytes, row->more, random_of(seed) % 5 ? fd : -1), 0);
}

static void ask_something(int socket, uint64_t *seed, uint32_t seq)
{
	const uint32_t any = random_of(seed) % (HOLD_OPS + 2);
	/* These two take long. */
	const uint32_t op = (any == HOLD_START || any == HOLD_STOP) && random_of(seed) % 10 ? HOLD_SIDE : any;
	struct hold_request q = {
		.seq = seq, .op = op, .a = random_of(seed) % 7 ? random_of(seed) % 100 : *seed,
		.b = op == HOLD_SAMPLER || !(random_of(seed) % 5) ? random_of(seed) % 2000 : 0,
	};
	struct hold_answer a;
	AUTO_FD int fd = -1;

	assert_int_equal(fdmessage_send(socket, &q, sizeof(q), -1), 0);
	tell_more(socket, &q, seed);
	assert_int_equal(fdmessage_take(socket, &a, sizeof(a), &fd), sizeof(a));
	assert_int_equal(a.seq, seq);
	assert_true(a.err <= 0);
	assert_int_equal(fd >= 0, !a.err && hold_row(op)->file);
	assert_non_null(memchr(a.text, 0, sizeof(a.text)));
}

static void ask_op(int socket, enum hold_op op)
{
	struct hold_request q = { .op = op };
	struct hold_answer a;

	assert_int_equal(fdmessage_send(socket, &q, sizeof(q), -1), 0);
	assert_int_equal(fdmessage_take(socket, &a, sizeof(a), NULL), sizeof(a));
	assert_int_equal(a.err, 0);
}

/* Has places taken off, if there are some with that NUMBER. */
static void drop(int socket, uint64_t number)
{
	struct hold_request q = { .op = HOLD_DROP, .a = number };
	struct hold_answer a;

	assert_int_equal(fdmessage_send(socket, &q, sizeof(q), -1), 0);
	assert_int_equal(fdmessage_take(socket, &a, sizeof(a), NULL), sizeof(a));
}

/* Sends what is no request; the error that comes back. */
static int ask_for_nothing(int socket)
{
	struct hold_request q = { .op = HOLD_OPS };
	struct hold_answer a;

	assert_int_equal(fdmessage_send(socket, &q, sizeof(q), -1), 0);
	assert_int_equal(fdmessage_take(socket, &a, sizeof(a), NULL), sizeof(a));
	return a.err;
}

/* A collector that holds the kernel half of told(). Skips the test where there can be none. */
static pid_t start_capture(int *ret_socket)
{
	AUTO_FREE struct hold_plan *p = told();
	AUTO_FREE struct hold_reply *reply = malloc(sizeof(*reply));
	struct collector_hello hello;
	pid_t pid;

	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
	pid = start_collector(ret_socket);
	assert_int_equal(fdmessage_take(*ret_socket, &hello, sizeof(hello), NULL), sizeof(hello));
	if (hello.err == -EPERM) {
		close(*ret_socket);
		waitpid(pid, NULL, 0);
		skip();
	}
	assert_int_equal(hello.err, 0);
	assert_int_equal(fdmessage_send(*ret_socket, p, sizeof(*p), -1), 0);
	assert_int_equal(fdmessage_take(*ret_socket, reply, sizeof(*reply), NULL), sizeof(*reply));
	if (reply->err)
		fail_msg("%s", reply->text);
	return pid;
}

/* Where the program of this test begins, in its file. */
static uint64_t begin_of_program(void)
{
	AUTO_FD int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr head;
	Elf64_Phdr at;

	assert_int_equal(pread(fd, &head, sizeof(head), 0), sizeof(head));
	for (unsigned int i = 0; i < head.e_phnum; i++) {
		assert_int_equal(pread(fd, &at, sizeof(at), (off_t)(head.e_phoff + i * sizeof(at))), sizeof(at));
		if (at.p_type == PT_LOAD && at.p_vaddr <= head.e_entry && head.e_entry < at.p_vaddr + at.p_filesz)
			return head.e_entry - at.p_vaddr + at.p_offset;
	}
	fail();
	return 0;
}

/* Asks for OP with A, which M and the file at PATH (NULL = none) follow: the answer. */
static struct hold_answer tell(int socket, enum hold_op op, uint64_t a, const void *m, const char *path)
{
	AUTO_FD int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) : -1;
	struct hold_request q = { .op = op, .a = a };
	struct hold_answer answer;

	if (path && fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	assert_true(!path || fd >= 0);
	assert_int_equal(fdmessage_send(socket, &q, sizeof(q), -1), 0);
	assert_int_equal(fdmessage_send(socket, m, hold_row(op)->more, fd), 0);
	assert_int_equal(fdmessage_take(socket, &answer, sizeof(answer), NULL), sizeof(answer));
	return answer;
}

static void places_are_taken_in_programs_of_the_target_alone(void **state)
{
	AUTO_FREE struct hold_places *p = calloc(1, sizeof(*p));
	struct sb_loads loads = { .load = { { .size = 8, .hops = 1, .from = SB_LOAD_REG } } };
	char folder[] = "/tmp/sberf-test-hold-XXXXXX", fifo[64];
	const char *own = "/proc/self/exe";
	struct hold_answer a;
	int socket, status;
	pid_t pid;

	(void)state;
	pid = start_capture(&socket);
	*p = (struct hold_places){ .pid = getpid(), .n = 2, .offset = { begin_of_program(), 1ull << 40 },
				   .cookie = { SB_PROBE_PLACED, SB_PROBE_PLACED } };
	/* Before anything is the target nothing is. */
	assert_int_equal(tell(socket, HOLD_PLACE, 2, p, own).err, -EPERM);
	ask_op(socket, HOLD_AIM);
	a = tell(socket, HOLD_PLACE, 2, p, own);
	assert_int_equal(a.err, 0);
	assert_true(a.value > 0);
	assert_int_equal(a.failed[0], 0);
	assert_int_equal(a.failed[1], EINVAL);
	/* Other processes, and all. */
	p->pid = getppid();
	assert_int_equal(tell(socket, HOLD_PLACE, 2, p, own).err, -EPERM);
	p->pid = 0;
	assert_int_equal(tell(socket, HOLD_PLACE, 2, p, own).err, -EPERM);
	p->pid = getpid();
	/* What is no program: nothing, a text, a device, a file of /proc, a FIFO. */
	assert_int_equal(tell(socket, HOLD_PLACE, 2, p, NULL).err, -EBADF);
	assert_int_equal(tell(socket, HOLD_PLACE, 2, p, "/etc/passwd").err, -ENOEXEC);
	assert_int_equal(tell(socket, HOLD_PLACE, 2, p, "/dev/null").err, -ENOTSUP);
	assert_int_equal(tell(socket, HOLD_PLACE, 2, p, "/proc/self/maps").err, -ENOTSUP);
	assert_true(mkdtemp(folder));
	snprintf(fifo, sizeof(fifo), "%s/fifo", folder);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	a = tell(socket, HOLD_PLACE, 2, p, fifo);
	unlink(fifo);
	rmdir(folder);
	assert_int_equal(a.err, -ENOTSUP);
	/* Kinds of places that the plan has no program for; and other numbers of places. */
	p->of = LINK_OF_ALLOCS;
	assert_int_equal(tell(socket, HOLD_PLACE, 2, p, own).err, -ENOTSUP);
	p->of = LINK_OF_MOMENTS;
	assert_int_equal(tell(socket, HOLD_PLACE, 1, p, own).err, -EINVAL);
	assert_int_equal(tell(socket, HOLD_PLACE, HOLD_PLACES + 1, p, own).err, -EINVAL);
	/* Memory of the kernel is not read. */
	assert_int_equal(tell(socket, HOLD_LOADS, 1, &loads, NULL).err, -EPERM);
	loads.load[0].user = 1;
	assert_int_equal(tell(socket, HOLD_LOADS, 1, &loads, NULL).err, 0);
	p->cookie[0] |= SB_COOKIE_OF_LOADS(1);
	assert_int_equal(tell(socket, HOLD_PLACE, 2, p, own).err, 0);
	assert_int_equal(tell(socket, HOLD_LOADS, 0, &loads, NULL).err, -EPERM);
	close(socket);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void random_requests_change_nothing(void **state)
{
	unsigned int files, asked = 0;
	bool flooded = false;
	uint64_t seed = 20, since_ns, passed_ns;
	int socket, status;
	pid_t pid;

	(void)state;
	pid = start_capture(&socket);
	/* What the first of them opens stays: the iterator. */
	ask_op(socket, HOLD_TASKS);
	ask_op(socket, HOLD_STOP);
	files = count_files(pid);
	for (uint32_t i = 0; i < 400; i++)
		ask_something(socket, &seed, i);
	ask_op(socket, HOLD_STOP);
	/* Places that it took are taken off by a thread of it. */
	for (uint64_t number = 1; number <= 400; number++)
		drop(socket, number);
	for (unsigned int i = 0; i < 200 && count_files(pid) > files; i++)
		usleep(50000);
	assert_int_equal(count_files(pid), files);
	/* And more than there is a use for are not served, unless they come no faster than they may. */
	since_ns = clock_mono_ns();
	while (!flooded && asked++ <= 2 * POLICY_BURST)
		flooded = ask_for_nothing(socket) == -EDQUOT;
	passed_ns = clock_mono_ns() - since_ns;
	assert_true(flooded || asked <= POLICY_BURST + passed_ns / (NSEC_PER_SEC / POLICY_PER_SECOND));
	/* What is no request ends it. */
	assert_int_equal(fdmessage_send(socket, &seed, sizeof(seed), -1), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	close(socket);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_comes_back_as_it_was),
		cmocka_unit_test(a_plan_that_cannot_be_is_refused),
		cmocka_unit_test(numbers_of_a_plan_are_bounded),
		cmocka_unit_test(rings_of_a_gigabyte_and_no_more),
		cmocka_unit_test(random_plans_are_refused_or_bounded),
		cmocka_unit_test(what_a_collector_does_not_do_is_said),
		cmocka_unit_test(a_request_has_what_its_row_says),
		cmocka_unit_test(what_a_plan_says_of_probes_comes_back_as_it_was),
		cmocka_unit_test(probes_that_cannot_be_are_refused),
		cmocka_unit_test(named_values_of_programs_read_nothing_of_the_kernel),
		cmocka_unit_test(places_have_what_their_request_says),
		cmocka_unit_test(places_are_taken_in_programs_of_the_target_alone),
		cmocka_unit_test(random_requests_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
