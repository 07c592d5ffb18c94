/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_process.c - what events do to processes, threads, mappings and modules. The processes are
 * made up (their numbers are above every pid_max), and files are "loaded" by a function of this
 * test.
 */
#include "config.h"

#include "base/clock.h"
#include "process/process_private.h"
#include "process/vdso_file.h"
#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define P1 10000001
#define P2 10000002
#define P3 10000003
#define PAGE 0x1000ull

struct world {
	struct dict *dict;
	struct processes *ps;
	uint64_t time;           /* of the next event; real processes are read at later times than these */
};

static int gate[2];              /* what stands for a file system that does not answer */

/*
 * "/missing..." is not there, "/jit..." holds no ELF file, "/hang..." waits for the gate;
 * everything else is an image: that of the vDSO.
 */
static int load(void *ctx, const struct file_id *id, const struct place *p, struct loaded *ret, struct err *e)
{
	struct loaded got = { .fd = -1 };
	size_t len = 0;
	const void *vdso = vdso_find(&len);
	int r = 0;
	char c;

	if (!strncmp(p->path, "/hang", 5) && read(gate[0], &c, 1) < 0)
		return err_set(e, errno, "the gate failed");
	if (!strncmp(p->path, "/missing", 8))
		return err_set(e, ENOENT, "there is no %s", p->path);
	got.not_elf = !strncmp(p->path, "/jit", 4);
	if (!got.not_elf)
		r = image_from_memory(vdso, len, &got.image, e);
	if (!r)
		*ret = got;
	return r;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->dict = dict_new();
	w->time = 1;
	assert_int_equal(processes_new_with(w->dict, load, NULL, NSEC_PER_SEC / 2, &w->ps, NULL), 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	processes_free(w->ps);
	dict_free(w->dict);
	free(w);
	return 0;
}

static void apply(struct world *w, struct raw_event ev)
{
	ev.time_ns = ev.time_ns ? ev.time_ns : w->time++;
	processes_apply(w->ps, &ev);
}

static void fork_thread(struct world *w, pid_t ppid, pid_t ptid, pid_t pid, pid_t tid)
{
	apply(w, (struct raw_event){ .kind = RAW_FORK, .pid = pid, .tid = tid,
				     .fork = { .ppid = ppid, .ptid = ptid } });
}

static void comm(struct world *w, pid_t pid, pid_t tid, const char *name, bool exec)
{
	apply(w, (struct raw_event){ .kind = RAW_COMM, .pid = pid, .tid = tid,
				     .comm = { .exec = exec, .comm = name } });
}

static void end(struct world *w, pid_t pid, pid_t tid)
{
	apply(w, (struct raw_event){ .kind = RAW_EXIT, .pid = pid, .tid = tid });
}

static struct raw_event mmap_event(pid_t pid, uint64_t page, uint64_t n, const char *path, uint64_t ino)
{
	return (struct raw_event){ .kind = RAW_MMAP, .pid = pid, .tid = pid,
				   .mmap = { .start = page * PAGE, .len = n * PAGE, .prot = PROT_READ | PROT_EXEC,
					     .maj = 8, .min = 1, .ino = ino, .ino_generation = ino ? 1 : 0,
					     .path = path } };
}

static void map(struct world *w, pid_t pid, uint64_t page, uint64_t n, const char *path, uint64_t ino)
{
	apply(w, mmap_event(pid, page, n, path, ino));
}

static void map_build_id(struct world *w, pid_t pid, uint64_t page, const char *path, uint8_t id)
{
	struct raw_event ev = mmap_event(pid, page, 1, path, 0);

	ev.mmap.build_id_len = 20;
	memset(ev.mmap.build_id, id, 20);
	apply(w, ev);
}

/* A process that started here and has not exec'ed. */
static void start(struct world *w, pid_t pid)
{
	comm(w, pid, pid, "prog", true);
	map(w, pid, 1, 1, "/bin/prog", 1);
}

static bool look(struct world *w, pid_t pid, uint64_t page, struct unwind_map *ret)
{
	const struct unwind_space s = process_space(w->ps, processes_get(w->ps, pid));

	return s.find(s.ctx, page * PAGE + 5, ret);
}

/* Looks until the file is loaded or has failed. */
static struct unwind_map settled(struct world *w, pid_t pid, uint64_t page)
{
	const uint64_t limit = clock_mono_ns() + 10 * NSEC_PER_SEC;
	struct unwind_map m = { .module = ID_NONE };

	while (look(w, pid, page, &m) && m.state == MAP_LOADING) {
		struct pollfd pfd = { .fd = processes_fd(w->ps), .events = POLLIN };

		assert_true(clock_mono_ns() < limit);
		poll(&pfd, 1, 10000);
		processes_poll(w->ps);
	}
	return m;
}

static const char *path_of(struct world *w, module_id module)
{
	const struct module *m = dict_get_module(w->dict, module);

	return m ? strtab_get(dict_strings(w->dict), m->path) : "no module";
}

static const struct thread *thread_at(struct world *w, pid_t pid, pid_t tid, uint64_t start_ns, const char *name)
{
	return dict_get_thread(w->dict, process_thread(w->ps, processes_get(w->ps, pid), tid, start_ns, 0, name));
}

static const char *text(struct world *w, str_id id)
{
	return strtab_get(dict_strings(w->dict), id);
}

static void a_file_is_loaded_when_asked_for(void **state)
{
	struct world *w = *state;
	struct process_stats st;
	struct unwind_map m;

	start(w, P1);
	map(w, P1, 10, 2, "/lib/a.so", 2);
	processes_stats(w->ps, &st);
	assert_int_equal(st.loading, 0);
	assert_true(look(w, P1, 10, &m));
	assert_int_equal(m.state, MAP_LOADING);
	m = settled(w, P1, 11);
	assert_int_equal(m.state, MAP_READY);
	assert_non_null(m.image);
	assert_int_equal(m.start, 10 * PAGE);
	assert_string_equal(path_of(w, m.module), "/lib/a.so");
	assert_ptr_equal(processes_image(w->ps, m.module), m.image);
	processes_stats(w->ps, &st);
	assert_int_equal(st.loads, 1);
	assert_false(look(w, P1, 12, &m));
}

static void a_build_id_names_the_module_at_once(void **state)
{
	struct world *w = *state;
	struct unwind_map a, b;

	start(w, P1);
	map_build_id(w, P1, 10, "/lib/a.so", 7);
	map_build_id(w, P1, 20, "/container/lib/a.so", 7);
	map_build_id(w, P1, 30, "/lib/a.so", 8);
	assert_true(look(w, P1, 10, &a));
	assert_int_not_equal(a.module, ID_NONE);
	assert_true(look(w, P1, 20, &b));
	assert_int_equal(a.module, b.module);
	assert_true(look(w, P1, 30, &b));
	assert_int_not_equal(a.module, b.module);
}

/* Here every file has the build-id of the vDSO, so files that come by inode turn out to be one when they are loaded. */
static void files_meet_when_they_are_loaded(void **state)
{
	struct world *w = *state;
	struct unwind_map a, b;
	struct raw_event ev = mmap_event(P1, 30, 1, "/third", 0);

	start(w, P1);
	map(w, P1, 10, 1, "/one", 2);
	map(w, P1, 20, 1, "/two", 3);
	a = settled(w, P1, 10);
	b = settled(w, P1, 20);
	assert_int_equal(a.module, b.module);
	assert_ptr_equal(a.image, b.image);
	ev.mmap.build_id_len = image_build_id(a.image, ev.mmap.build_id);
	apply(w, ev);
	assert_true(look(w, P1, 30, &b));
	assert_int_equal(b.state, MAP_READY);
	assert_int_equal(b.module, a.module);
}

static void an_inode_that_is_used_again_is_another_file(void **state)
{
	struct world *w = *state;
	struct raw_event ev = mmap_event(P1, 20, 1, "/jit", 5);
	struct process *p;

	start(w, P1);
	map(w, P1, 10, 1, "/jit", 5);
	map(w, P1, 11, 1, "/jit/link", 5);
	ev.mmap.ino_generation = 2;
	apply(w, ev);
	p = processes_get(w->ps, P1);
	assert_int_equal(space_find(p->space, 10 * PAGE)->backing, space_find(p->space, 11 * PAGE)->backing);
	assert_int_not_equal(space_find(p->space, 10 * PAGE)->backing, space_find(p->space, 20 * PAGE)->backing);
}

static bool is_loaded(const struct world *w, uint64_t ino, struct unwind_map *ret)
{
	return files_loaded(w->ps->files, makedev(8, 1), ino, ret);
}

/* By its inode, without a name or a generation: then it is the last file that had it. */
static void what_is_loaded_of_an_inode(void **state)
{
	struct world *w = *state;
	struct raw_event ev = mmap_event(P1, 20, 1, "/lib/two", 5);
	struct unwind_map a, b;

	start(w, P1);
	map(w, P1, 10, 1, "/lib/one", 5);
	assert_false(is_loaded(w, 5, &b));
	a = settled(w, P1, 10);
	assert_true(is_loaded(w, 5, &b));
	assert_int_equal(b.state, MAP_READY);
	assert_int_equal(b.module, a.module);
	assert_ptr_equal(b.image, a.image);
	assert_false(is_loaded(w, 6, &b));
	ev.mmap.ino_generation = 2;
	apply(w, ev);
	assert_false(is_loaded(w, 5, &b));
	a = settled(w, P1, 20);
	assert_true(is_loaded(w, 5, &b));
	assert_int_equal(b.module, a.module);
}

static void memory_without_a_file(void **state)
{
	struct world *w = *state;
	struct unwind_map a, b, c;

	start(w, P1);
	start(w, P2);
	map(w, P1, 10, 1, "//anon", 0);
	map(w, P1, 20, 1, "/jit (deleted)", 4);
	map(w, P2, 10, 1, "", 0);
	assert_true(look(w, P1, 10, &a));
	assert_int_equal(a.state, MAP_ANON);
	assert_int_equal(a.pgoff, a.start);
	b = settled(w, P1, 20);
	assert_int_equal(b.state, MAP_ANON);
	assert_int_equal(b.module, a.module);
	assert_int_equal(b.pgoff, b.start);
	assert_true(look(w, P2, 10, &c));
	assert_int_not_equal(c.module, a.module);
	assert_int_equal(dict_get_module(w->dict, a.module)->pid, P1);
	/* A file that shows no identity at all could never be checked. */
	map(w, P1, 30, 1, "//enomem", 0);
	assert_true(look(w, P1, 30, &c));
	assert_int_equal(c.state, MAP_ANON);
}

static void pages_that_the_kernel_made(void **state)
{
	struct world *w = *state;
	struct unwind_map m;
	size_t len = 0;

	assert_non_null(vdso_find(&len));
	start(w, P1);
	map(w, P1, 10, len / PAGE, "[vdso]", 0);
	map(w, P1, 20, len / PAGE + 1, "[vdso]", 0);
	map(w, P1, 40, 1, "[vsyscall]", 0);
	map(w, P1, 50, 1, "[uprobes]", 0);
	assert_true(look(w, P1, 10, &m));
	assert_int_equal(m.state, MAP_READY);
	assert_int_equal(dict_get_module(w->dict, m.module)->kind, MODULE_VDSO);
	assert_true(look(w, P1, 20, &m));
	assert_int_equal(m.state, MAP_SPECIAL);
	assert_true(look(w, P1, 40, &m));
	assert_int_equal(m.state, MAP_SPECIAL);
	assert_string_equal(path_of(w, m.module), "[vsyscall]");
	assert_true(look(w, P1, 50, &m));
	assert_int_equal(m.state, MAP_PROBES);
}

static void children_start_with_what_their_parent_has(void **state)
{
	struct world *w = *state;
	struct process_hold *hold;
	struct unwind_space old;
	struct unwind_map m;

	start(w, P1);
	map(w, P1, 10, 1, "/lib/a.so", 2);
	fork_thread(w, P1, P1, P2, P2);
	map(w, P1, 20, 1, "/lib/b.so", 3);
	map(w, P2, 30, 1, "/lib/c.so", 4);
	assert_true(look(w, P2, 1, &m));
	assert_true(look(w, P2, 10, &m));
	assert_false(look(w, P2, 20, &m));
	assert_true(look(w, P2, 30, &m));
	assert_false(look(w, P1, 30, &m));
	assert_false(process_gone(processes_get(w->ps, P2)));
	assert_string_equal(text(w, thread_at(w, P2, P2, 5, NULL)->comm), "prog");
	assert_string_equal(text(w, thread_at(w, P2, P2, 5, NULL)->exe), "/bin/prog");

	/*
	 * A new program has nothing of the old one, but what was held stays: other files in its
	 * place, other programs.
	 */
	hold = process_hold(w->ps, processes_get(w->ps, P2));
	map(w, P2, 1, 2, "/lib/instead.so", 8);
	comm(w, P2, P2, "other", true);
	assert_false(look(w, P2, 1, &m));
	old = process_held_space(w->ps, processes_get(w->ps, P2), hold);
	assert_true(old.find(old.ctx, PAGE, &m));
	assert_int_equal(m.end, 2 * PAGE);
	process_release(w->ps, hold);
	map(w, P2, 5, 1, "/bin/other (deleted)", 6);
	map(w, P2, 6, 1, "/lib/ld.so", 7);
	assert_true(look(w, P2, 5, &m));
	assert_string_equal(text(w, thread_at(w, P2, P2, 5, NULL)->comm), "other");
	assert_string_equal(text(w, thread_at(w, P2, P2, 5, NULL)->exe), "/bin/other");
	assert_true(look(w, P1, 1, &m));
}

static void memory_that_may_no_longer_run(void **state)
{
	struct world *w = *state;
	struct raw_event ev = mmap_event(P1, 10, 1, "/data", 9);
	struct unwind_map m;

	start(w, P1);
	map(w, P1, 10, 2, "/lib/a.so", 2);
	ev.mmap.prot = PROT_READ;
	apply(w, ev);
	assert_false(look(w, P1, 10, &m));
	assert_true(look(w, P1, 11, &m));
	assert_int_equal(m.pgoff, PAGE);
	/* Sizes that no kernel sends change nothing. */
	ev.mmap.len = UINT64_MAX;
	apply(w, ev);
	ev.mmap.len = 0;
	apply(w, ev);
	assert_true(look(w, P1, 11, &m));
}

static void a_process_outlives_its_end(void **state)
{
	struct world *w = *state;
	struct unwind_map m;

	start(w, P1);
	fork_thread(w, P1, P1, P1, P1 + 100);
	end(w, P1, P1);
	assert_false(processes_get(w->ps, P1)->dead);
	end(w, P1, P1 + 100);
	end(w, P1, P1 + 100);
	assert_true(processes_get(w->ps, P1)->dead);
	assert_true(look(w, P1, 1, &m));
	assert_string_equal(text(w, thread_at(w, P1, P1, 5, NULL)->comm), "prog");
}

static void a_number_that_is_used_again(void **state)
{
	struct world *w = *state;
	struct unwind_map m;
	module_id anon;

	start(w, P1);
	start(w, P2);
	map(w, P2, 10, 1, "", 0);
	look(w, P2, 10, &m);
	anon = m.module;
	comm(w, P2, P2, "old", false);
	end(w, P2, P2);
	fork_thread(w, P1, P1, P2, P2);
	assert_false(look(w, P2, 10, &m));
	assert_true(look(w, P2, 1, &m));
	assert_string_equal(text(w, thread_at(w, P2, P2, 50, NULL)->comm), "prog");
	map(w, P2, 10, 1, "", 0);
	look(w, P2, 10, &m);
	assert_int_not_equal(m.module, anon);
}

static void threads_have_names_of_their_own(void **state)
{
	struct world *w = *state;
	thread_id id;

	start(w, P1);
	fork_thread(w, P1, P1, P1, P1 + 1);
	assert_string_equal(text(w, thread_at(w, P1, P1 + 1, 5, NULL)->comm), "prog");
	comm(w, P1, P1 + 1, "worker", false);
	assert_string_equal(text(w, thread_at(w, P1, P1 + 1, 5, NULL)->comm), "worker");
	assert_string_equal(text(w, thread_at(w, P1, P1, 5, NULL)->comm), "prog");
	id = process_thread(w->ps, processes_get(w->ps, P1), P1 + 1, 5, 0, "worker");
	assert_int_equal(process_thread(w->ps, processes_get(w->ps, P1), P1 + 1, 5, 0, NULL), id);
	/* What a sample says counts, and comm is cut where the kernel cuts it. */
	assert_string_equal(text(w, thread_at(w, P1, P1 + 1, 5, "renamed")->comm), "renamed");
	assert_string_equal(text(w, thread_at(w, P1, P1 + 1, 5, "0123456789abcdefXYZ")->comm), "0123456789abcdef");

	/* The number is used again: by start time when the events were lost, else by the fork. */
	assert_string_equal(text(w, thread_at(w, P1, P1 + 1, 6, NULL)->comm), "prog");
	assert_int_equal(thread_at(w, P1, P1 + 1, 6, NULL)->start_ns, 6);
	end(w, P1, P1 + 1);
	fork_thread(w, P1, P1, P1, P1 + 1);
	assert_string_equal(text(w, thread_at(w, P1, P1 + 1, 7, NULL)->comm), "prog");
	assert_string_equal(text(w, thread_at(w, P1, P1 + 7, 7, NULL)->comm), "prog");
}

static void many_threads_come_and_go(void **state)
{
	struct world *w = *state;
	struct process *p;

	start(w, P1);
	for (pid_t tid = P1 + 1; tid < P1 + 20000; tid++) {
		fork_thread(w, P1, P1, P1, tid);
		end(w, P1, tid);
	}
	p = processes_get(w->ps, P1);
	assert_false(p->dead);
	assert_true(p->threads.n < 1000);
	assert_int_equal(p->nr_live, 1);
}

static void the_dead_are_bounded(void **state)
{
	struct world *w = *state;
	struct process_stats st;
	struct unwind_map m;

	start(w, P1);
	for (pid_t pid = P2; pid < P2 + 20000; pid++) {
		fork_thread(w, P1, P1, pid, pid);
		comm(w, pid, pid, "short", true);
		map(w, pid, 1, 1, "/bin/short", (uint64_t)pid);
		end(w, pid, pid);
	}
	processes_stats(w->ps, &st);
	assert_true(st.processes <= 2 * 4096 + 1);
	assert_int_equal(st.processes + st.retired, 20001);
	assert_true(look(w, P1, 1, &m));
	assert_true(look(w, P2 + 19999, 1, &m));
}

/* Each child changes its mappings, and so has a copy of all that its parent has; which its own child shares. */
static void mappings_of_the_dead_are_bounded(void **state)
{
	enum { MAPS = 50000, CHILDREN = 400 };
	struct world *w = *state;
	struct process_stats st;
	struct unwind_map m;

	start(w, P1);
	for (uint64_t i = 0; i < MAPS; i++)
		map(w, P1, 10 + 2 * i, 1, "/bin/many", 1);
	for (pid_t pid = P2; pid < P2 + CHILDREN; pid++) {
		fork_thread(w, P1, P1, pid, pid);
		map(w, pid, 1, 1, "/bin/own", 2);
		fork_thread(w, pid, pid, pid + CHILDREN, pid + CHILDREN);
		end(w, pid, pid);
		end(w, pid + CHILDREN, pid + CHILDREN);
	}
	processes_stats(w->ps, &st);
	assert_int_equal(st.processes + st.retired, 2 * CHILDREN + 1);
	assert_true((st.processes - 1) / 2 * MAPS <= 2 * (2u << 20) + MAPS);
	assert_true(look(w, P1, 10, &m));
	assert_true(look(w, P2 + CHILDREN - 1, 1, &m));
}

static void files_that_nobody_runs_are_forgotten(void **state)
{
	struct world *w = *state;
	struct files_stats fs;
	struct unwind_map m;

	start(w, P1);
	m = settled(w, P1, 1);
	for (uint64_t i = 0; i < 50000; i++)
		map(w, P1, 2, 1, "/lib/x.so", 100 + i);
	files_stats(w->ps->files, &fs);
	assert_true(fs.entries < 10000);
	assert_int_equal(settled(w, P1, 1).module, m.module);
	assert_int_equal(settled(w, P1, 2).state, MAP_READY);
}

static void a_failure_is_tried_again_elsewhere(void **state)
{
	struct world *w = *state;
	struct process_stats st;
	struct unwind_map m;

	start(w, P1);
	map(w, P1, 10, 1, "/missing", 2);
	m = settled(w, P1, 10);
	assert_int_equal(m.state, MAP_NO_FILE);
	assert_string_equal(path_of(w, m.module), "/missing");
	look(w, P1, 10, &m);
	processes_stats(w->ps, &st);
	assert_int_equal(st.load_failures, 1);
	assert_int_equal(st.loading, 0);

	/* Another process maps it where it can be read; not at once, lest a broken file be read all the time. */
	start(w, P2);
	map(w, P2, 10, 1, "/present", 2);
	look(w, P2, 10, &m);
	assert_int_equal(m.state, MAP_NO_FILE);
	for (const uint64_t limit = clock_mono_ns() + 10 * NSEC_PER_SEC; m.state == MAP_NO_FILE;
	     m = settled(w, P2, 10)) {
		assert_true(clock_mono_ns() < limit);
		poll(NULL, 0, 20);
	}
	assert_int_equal(m.state, MAP_READY);
	m = settled(w, P1, 10);
	assert_int_equal(m.state, MAP_READY);
}

static void a_file_system_that_does_not_answer(void **state)
{
	struct world *w = *state;
	struct unwind_map m;
	uint64_t limit;

	assert_int_equal(pipe(gate), 0);
	start(w, P1);
	map(w, P1, 10, 1, "/hang", 2);
	map(w, P1, 20, 1, "/hang/too", 3);
	map(w, P1, 30, 1, "/lib/a.so", 4);
	look(w, P1, 10, &m);
	look(w, P1, 20, &m);
	assert_int_equal(settled(w, P1, 30).state, MAP_READY);
	assert_int_equal(settled(w, P1, 10).state, MAP_NO_FILE);
	assert_int_equal(settled(w, P1, 20).state, MAP_NO_FILE);

	/* It answers after all. */
	close(gate[1]);
	limit = clock_mono_ns() + 10 * NSEC_PER_SEC;
	do {
		assert_true(clock_mono_ns() < limit);
		poll(NULL, 0, 5);
		processes_poll(w->ps);
	} while (settled(w, P1, 10).state != MAP_READY || settled(w, P1, 20).state != MAP_READY);
	close(gate[0]);
}

static void one_that_ended_unseen(void **state)
{
	struct world *w = *state;
	struct process *p = processes_get(w->ps, P3);
	struct unwind_map m;

	assert_non_null(p);
	assert_true(process_gone(p));
	assert_false(p->denied);
	assert_false(look(w, P3, 1, &m));
	assert_false(process_reread(w->ps, p));
	/* Mappings that come by event are kept when /proc has nothing. */
	map(w, P3, 10, 1, "/lib/a.so", 2);
	assert_true(look(w, P3, 10, &m));
}

/* Of what was captured at another time /proc knows nothing, though there may be a process of that number. */
static void what_was_recorded_asks_nobody(void **state)
{
	struct world *w = *state;
	struct process_stats stats;
	struct unwind_map m;
	struct process *p;

	processes_recorded(w->ps);
	assert_int_equal(processes_scan(w->ps, NULL, 0, NULL), 0);
	p = processes_get(w->ps, getpid());
	assert_non_null(p);
	assert_true(process_gone(p));
	comm(w, getpid(), getpid(), "then", true);
	map(w, getpid(), 5, 2, "/bin/then", 99);
	p = processes_get(w->ps, getpid());
	assert_false(process_gone(p));
	assert_true(look(w, getpid(), 5, &m));
	assert_false(process_reread(w->ps, p));
	processes_stats(w->ps, &stats);
	assert_int_equal(stats.maps_read, 0);
}

static void what_was_read_is_not_undone_by_older_events(void **state)
{
	struct world *w = *state;
	const pid_t self = getpid();
	struct process *p = processes_get(w->ps, self);
	const uint64_t here = (uint64_t)(uintptr_t)&what_was_read_is_not_undone_by_older_events / PAGE;
	struct raw_event ev = mmap_event(self, here, 1, "/other", 77);
	struct unwind_map before, after;

	assert_true(look(w, self, here, &before));
	ev.time_ns = p->read_ns - 1;
	apply(w, ev);
	assert_true(look(w, self, here, &after));
	assert_int_equal(after.start, before.start);
	comm(w, self, self, "older", true);
	assert_true(look(w, self, here, &after));
	fork_thread(w, P1, P1, self, self);
	assert_true(look(w, self, here, &after));
	assert_int_equal(after.start, before.start);

	ev.time_ns = clock_mono_ns();
	apply(w, ev);
	assert_true(look(w, self, here, &after));
	assert_int_equal(after.start, here * PAGE);
	/* Reading again shows what is. */
	p->tried_ns = 0;
	assert_true(process_reread(w->ps, p));
	assert_true(look(w, self, here, &after));
	assert_int_equal(after.start, before.start);
	assert_false(process_reread(w->ps, p));

	/* So does asking for it, once, when something that was told may be missing. */
	ev.time_ns = clock_mono_ns();
	apply(w, ev);
	assert_true(look(w, self, here, &after));
	assert_int_equal(after.start, here * PAGE);
	processes_doubt(w->ps);
	assert_true(look(w, self, here, &after));
	assert_int_equal(after.start, before.start);
	ev.time_ns = clock_mono_ns();
	apply(w, ev);
	assert_true(look(w, self, here, &after));
	assert_int_equal(after.start, here * PAGE);
}

static void another_process_behind_a_known_number(void **state)
{
	struct world *w = *state;
	const pid_t self = getpid();
	struct process *p = processes_get(w->ps, self);
	const uint32_t changes = p->exe_changes;
	struct unwind_map m;

	/* Every event of a change of owner was lost: the start time in /proc tells. */
	p->start_ticks--;
	p->tried_ns = 0;
	thread_set_comm(thread_of(p, self), "stale");
	assert_true(process_reread(w->ps, p));
	assert_true(p->exe_changes > changes);
	assert_string_not_equal(thread_of(p, self)->comm, "stale");
	assert_true(look(w, self, (uint64_t)(uintptr_t)&load / PAGE, &m));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_is_loaded_when_asked_for),
		TEST(a_build_id_names_the_module_at_once),
		TEST(files_meet_when_they_are_loaded),
		TEST(an_inode_that_is_used_again_is_another_file),
		TEST(what_is_loaded_of_an_inode),
		TEST(memory_without_a_file),
		TEST(pages_that_the_kernel_made),
		TEST(children_start_with_what_their_parent_has),
		TEST(memory_that_may_no_longer_run),
		TEST(a_process_outlives_its_end),
		TEST(a_number_that_is_used_again),
		TEST(threads_have_names_of_their_own),
		TEST(many_threads_come_and_go),
		TEST(the_dead_are_bounded),
		TEST(mappings_of_the_dead_are_bounded),
		TEST(files_that_nobody_runs_are_forgotten),
		TEST(a_failure_is_tried_again_elsewhere),
		TEST(a_file_system_that_does_not_answer),
		TEST(one_that_ended_unseen),
		TEST(what_was_recorded_asks_nobody),
		TEST(what_was_read_is_not_undone_by_older_events),
		TEST(another_process_behind_a_known_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
