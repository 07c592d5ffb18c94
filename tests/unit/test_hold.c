/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_hold.c - what sberf and the collector that holds the kernel half tell each other: plans and requests by values;
 * and that a stream of random requests to the program itself is answered, ends nothing and leaves no file open.
 */
#include "config.h"

#include "base/cleanup.h"
#include "base/fdmessage.h"
#include "capture/hold.h"
#include "collector/request.h"
#include "tests/unit/cmocka_all.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
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

/* The plan of a capture of this process, on the heap. */
static struct hold_plan *told(void)
{
	struct hold_plan *p = malloc(sizeof(*p));
	struct capture_plan plan = usual();
	struct err e = ERR_INIT;
	uint32_t *id = vec_push(&plan.ids);

	assert_non_null(p);
	assert_non_null(id);
	*id = (uint32_t)getpid();
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
	case 6: p->numa = NUMA_ON; break;
	case 7: p->freq_hz = 0; break;
	case 8: p->freq_hz = HOLD_RATE_MAX + 1; break;
	case 9: p->stack_bytes = SB_STACK_MAX + 1; break;
	case 10: p->stack_bytes = SB_STACK_MIN - 1; break;
	case 11: p->kernel = 2; break;
	case 12: p->stay = 255; break;
	case 13: p->name[sizeof(p->name) - 1] = 'x'; break;
	case 14: memset(p->cgroup, 'x', sizeof(p->cgroup)); break;
	case 15: p->cgroup[0] = 'x'; break;
	case 16: p->nr_ids = HOLD_IDS_MAX + 1; break;
	case 17: p->ids[0].id = 0; break;
	case 18: p->ids[0].id = UINT32_MAX; break;
	case 19: p->ids[0].start_ticks = 0; break;
	default: p->ids[0].reserved = 1; break;
	}
}

static void a_plan_that_cannot_be_is_refused(void **state)
{
	(void)state;
	for (unsigned int what = 0; what <= 20; what++) {
		AUTO_FREE struct hold_plan *p = told();
		struct err e = ERR_INIT;

		damage(p, what);
		if (hold_plan_check(p, &e) != -EINVAL || !e.text[0])
			fail_msg("damage %u is not found", what);
	}
}

static void what_a_collector_does_not_do_is_said(void **state)
{
	struct capture_plan plan = usual();
	AUTO_FREE struct hold_plan *p = malloc(sizeof(*p));
	struct err e = ERR_INIT;

	(void)state;
	plan.probes_may_come = true;
	assert_int_equal(hold_plan_of(&plan, p, &e), -ENOTSUP);
	assert_string_equal(e.text, "sberf-collector does not follow probes: leave --split out");
	plan = usual();
	plan.growth_interval = 1;
	assert_int_equal(hold_plan_of(&plan, p, &e), -ENOTSUP);
	plan = usual();
	plan.numa = NUMA_AUTO;
	assert_int_equal(hold_plan_of(&plan, p, &e), -ENOTSUP);
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

static uint64_t random_of(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 33;
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

static void random_requests_change_nothing(void **state)
{
	AUTO_FREE struct hold_plan *p = told();
	AUTO_FREE struct hold_reply *reply = malloc(sizeof(*reply));
	struct collector_hello hello;
	unsigned int files;
	uint64_t seed = 20;
	int socket, status;
	pid_t pid;

	(void)state;
	if (geteuid() || access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
	pid = start_collector(&socket);
	assert_int_equal(fdmessage_take(socket, &hello, sizeof(hello), NULL), sizeof(hello));
	if (hello.err == -EPERM) {
		close(socket);
		waitpid(pid, NULL, 0);
		skip();
	}
	assert_int_equal(hello.err, 0);
	assert_int_equal(fdmessage_send(socket, p, sizeof(*p), -1), 0);
	assert_int_equal(fdmessage_take(socket, reply, sizeof(*reply), NULL), sizeof(*reply));
	if (reply->err)
		fail_msg("%s", reply->text);
	/* What the first of them opens stays: the iterator. */
	ask_op(socket, HOLD_TASKS);
	ask_op(socket, HOLD_STOP);
	files = count_files(pid);
	for (uint32_t i = 0; i < 400; i++)
		ask_something(socket, &seed, i);
	ask_op(socket, HOLD_STOP);
	assert_int_equal(count_files(pid), files);
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
		cmocka_unit_test(what_a_collector_does_not_do_is_said),
		cmocka_unit_test(a_request_has_what_its_row_says),
		cmocka_unit_test(random_requests_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
