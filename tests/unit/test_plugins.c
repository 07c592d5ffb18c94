/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_plugins.c - plug-ins in their process: what they may see, and that none of what they do wrong harms who
 * asks them. The plug-in is tests/plugin/misbehaves.c.
 */
#include "config.h"

#include "cmocka_all.h"

#include "base/cleanup.h"
#include "plugin/hosted.h"
#include "plugin/plugins.h"
#include "symbol/byname.h"
#include "symbol/runtime_names.h"
#include "system/procfs.h"
#include "tests/plugin/misbehaves.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define CRASHED "it ended by itself (status 1)"  /* AddressSanitizer catches the signal */
#else
#define CRASHED "it crashed (signal 11"
#endif

static const struct plugin_elf elf = { .symbol = elf_symbol_named, .vaddr = elf_vaddr_at };
int test_plugins_variable = 4711;

/* A file beside this program. */
static const char *beside(const char *name)
{
	static char path[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	assert_true(n > 0);
	path[n] = '\0';
	slash = strrchr(path, '/');
	snprintf(slash + 1, sizeof(path) - (size_t)(slash + 1 - path), "%s", name);
	return path;
}

static int open_self(void *ctx, uint32_t id)
{
	return proc_open(getpid());
}

static const struct plugin_source self = { .pid = 1, .process = open_self };

struct heard {
	size_t n;
	struct sberf_said last;
	char function[4 * SBERF_PLUGIN_TEXT_MAX], file[256];
};

static void hear(void *ctx, size_t i, const struct sberf_said *said)
{
	struct heard *h = ctx;

	assert_int_equal(i, 0);
	h->n++;
	h->last = *said;
	snprintf(h->function, sizeof(h->function), "%s", said->function);
	snprintf(h->file, sizeof(h->file), "%s", said->file);
}

struct world {
	struct plugins *ps;
	struct plugin_process *process;
	struct heard heard;
};

static void world_begin(struct world *w)
{
	struct err e = ERR_INIT;

	memset(w, 0, sizeof(*w));
	w->ps = plugins_new(&elf);
	assert_non_null(w->ps);
	if (plugins_add_file(w->ps, beside("misbehaves.so"), false, &e))
		fail_msg("%s", e.text);
	w->process = plugin_process_new(w->ps, &self);
	assert_non_null(w->process);
}

static void world_end(struct world *w)
{
	plugin_process_free(w->process);
	plugins_free(w->ps);
}

static size_t world_ask(struct world *w, uint64_t pc)
{
	w->heard.n = 0;
	return plugin_process_name(w->process, &pc, 1, hear, &w->heard);
}

/* What the one plug-in is now. */
static struct plugin_info world_info(struct world *w)
{
	struct plugin_info info;

	assert_int_equal(plugins_count(w->ps), 1);
	plugins_info(w->ps, 0, &info);
	return info;
}

static void names_a_place(void **state)
{
	struct plugin_info info;
	struct world w;

	world_begin(&w);
	assert_int_equal(world_ask(&w, WRONG_NOT), 1);
	assert_string_equal(w.heard.function, "fine");
	assert_string_equal(w.heard.file, "a.toy");
	assert_int_equal(w.heard.last.line, 7);
	info = world_info(&w);
	assert_string_equal(info.name, "misbehaves");
	assert_null(strchr(info.versions, '\x1b'));
	assert_int_equal(info.processes, 1);
	assert_int_equal(info.names, 1);
	assert_int_equal(info.faults, 0);
	world_end(&w);
}

/* PC is a fault that is called SENTENCE; after it places are named again, and after the third one none is. */
static void is_a_fault(uint64_t pc, const char *sentence)
{
	struct plugin_info info;
	struct world w;

	world_begin(&w);
	assert_int_equal(world_ask(&w, pc), 0);
	info = world_info(&w);
	assert_int_equal(info.faults, 1);
	if (!strstr(info.trouble, sentence))
		fail_msg("'%s' does not say '%s'", info.trouble, sentence);
	assert_int_equal(world_ask(&w, WRONG_NOT), 1);
	world_end(&w);
}

static void crashes(void **state)
{
	is_a_fault(WRONG_CRASH, CRASHED);
	is_a_fault(WRONG_STACK, CRASHED);
	is_a_fault(WRONG_EXIT, "it ended by itself (status 0)");
}

static void hangs(void **state)
{
	is_a_fault(WRONG_SPIN, "it used too much CPU time in resolve");
	is_a_fault(WRONG_SLEEP, "it did not answer within two seconds");
}

static void floods(void **state)
{
	is_a_fault(WRONG_FLOOD, "it sent too many messages");
	is_a_fault(WRONG_UNASKED, "in resolve");
}

static void lies_to_the_host(void **state)
{
	struct sberf_plan plan;
	struct world w;
	size_t plugin;

	is_a_fault(WRONG_MESSAGE, "it sent a message that makes no sense");
	world_begin(&w);
	assert_int_equal(plugin_process_plan(w.process, &plan, &plugin), -ENOENT);
	assert_int_equal(world_info(&w).faults, 1);
	/* a result that there is not */
	assert_false(plugin_process_changed(w.process, SBERF_CHANGED_MAPPINGS));
	assert_int_equal(world_info(&w).faults, 2);
	assert_true(plugin_process_changed(w.process, SBERF_CHANGED_CODE));
	world_end(&w);
}

static void lies_in_what_it_says(void **state)
{
	struct world w;

	world_begin(&w);
	assert_int_equal(world_ask(&w, WRONG_NUMBERS), 0);
	assert_int_equal(world_ask(&w, WRONG_HUGE), 1);
	assert_int_equal(strlen(w.heard.function), SBERF_PLUGIN_TEXT_MAX);
	assert_int_equal(world_ask(&w, WRONG_CONTROL), 1);
	for (const char *p = w.heard.function; *p; p++)
		assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	assert_int_equal(world_ask(&w, WRONG_MANY), SBERF_PLUGIN_SAID_MAX);
	assert_int_equal(world_ask(&w, WRONG_READS), 1);
	assert_string_equal(w.heard.function, "no more reads");
	assert_int_equal(world_info(&w).faults, 0);
	world_end(&w);
}

static void may_not_do_anything(void **state)
{
	struct world w;

	world_begin(&w);
	assert_int_equal(world_ask(&w, WRONG_ATTEMPTS), 1);
#ifdef __SANITIZE_ADDRESS__
	/* memory is not limited then */
	assert_non_null(strstr(w.heard.function, "file 0 socket 0 fork 0"));
#else
	assert_string_equal(w.heard.function, "file 0 socket 0 fork 0 memory 0 signal 0 user 0");
#endif
	world_end(&w);
}

/* A program in Python that has begun; *RET_OUT is its standard output. */
static pid_t start_python(int *ret_out)
{
	int out[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(out), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(out[1], 1);
		close(out[0]);
		execl("/usr/bin/python3", "python3", "-c", "import time; print(1, flush=True); time.sleep(60)", NULL);
		_exit(127);
	}
	close(out[1]);
	assert_int_equal(read(out[0], &byte, 1), 1);
	*ret_out = out[0];
	return pid;
}

static int open_pid(void *ctx, uint32_t id)
{
	return proc_open((pid_t)id);
}

/* One that is built in, and runs in the worker all the same. */
static void plans_python_in_the_worker(void **state)
{
	AUTO(plugins_free) struct plugins *ps = plugins_new(&elf);
	struct plugin_source source = { .process = open_pid };
	struct plugin_process *p;
	struct plugin_info info;
	struct sberf_plan plan;
	size_t plugin;
	AUTO_FD int out = -1;
	bool found;
	pid_t pid;

	if (access("/usr/bin/python3", X_OK))
		skip();
	pid = start_python(&out);
	source.pid = pid;
	source.id = (uint32_t)pid;
	assert_int_equal(plugins_add_built_in(ps, runtime_built_in_named("python"), true, NULL), 0);
	p = plugin_process_new(ps, &source);
	memset(&plan, 0, sizeof(plan));
	found = !plugin_process_plan(p, &plan, &plugin);
	plugin_process_free(p);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	plugins_info(ps, 0, &info);
	if (!found || info.faults)
		fail_msg("%s, %s", info.trouble, info.log);
	assert_true(plan.nr_steps && plan.nr_ranges);
	assert_int_equal(info.place, PLUGIN_IN_WORKER);
}

static void is_given_up_after_three_faults(void **state)
{
	struct plugin_info info;
	struct world w;

	world_begin(&w);
	for (unsigned int i = 0; i < PLUGIN_FAULTS_MAX; i++) {
		assert_false(world_info(&w).off);
		world_ask(&w, WRONG_CRASH);
	}
	info = world_info(&w);
	assert_true(info.off);
	assert_non_null(strstr(info.trouble, "it is not asked any more after its third fault: " CRASHED));
	assert_int_equal(world_ask(&w, WRONG_NOT), 0);
	world_end(&w);
}

/* Whoever kills the worker delays what it says: that is no fault of the plug-in. */
static void workers_that_are_killed_are_no_fault(void **state)
{
	struct world w;

	world_begin(&w);
	for (unsigned int i = 0; i < 3 * PLUGIN_FAULTS_MAX; i++) {
		AUTO_FILE FILE *f = fopen("/proc/thread-self/children", "re");
		int worker;

		assert_int_equal(world_ask(&w, WRONG_NOT), 1);
		assert_non_null(f);
		assert_int_equal(fscanf(f, "%d", &worker), 1);
		assert_int_equal(kill(worker, SIGKILL), 0);
	}
	assert_int_equal(world_ask(&w, WRONG_NOT), 1);
	assert_int_equal(world_info(&w).faults, 0);
	world_end(&w);
}

static void refuses_what_is_no_plugin(void **state)
{
	AUTO(plugins_free) struct plugins *ps = plugins_new(&elf);
	struct err e = ERR_INIT;

	assert_int_equal(plugins_add_file(ps, beside("wrong_abi.so"), false, &e), -ENOEXEC);
	assert_non_null(strstr(e.text, "version 99 of the interface"));
	assert_int_equal(plugins_add_file(ps, "/proc/self/exe", false, &e), -ENOEXEC);
	assert_true(plugins_add_file(ps, "/nowhere.so", false, &e) < 0);
	assert_non_null(strstr(e.text, "/nowhere.so"));
	assert_true(plugins_add_file(ps, "/dev/zero", false, &e) < 0);
	assert_non_null(strstr(e.text, "no regular file"));
}

static int attach_nothing(const struct sberf_host *host, const struct sberf_process *process, void **ret_state)
{
	return 0;
}

static void accepts_older_structures(void **state)
{
	struct sberf_plugin p = { .abi = SBERF_PLUGIN_ABI,
				  .size = offsetof(struct sberf_plugin, detach),
				  .name = "a-B_1",
				  .attach = attach_nothing,
				  .detach = (void (*)(void *))1 },
			    got;
	struct plugin_hello hello;

	assert_int_equal(hosted_accept(&p, &got, &hello, NULL), 0);
	assert_null(got.detach);
	assert_string_equal(hello.name, "a-B_1");
	p.size = 8;
	assert_int_equal(hosted_accept(&p, &got, &hello, NULL), -EINVAL);
	p.size = sizeof(p) + 4096;
	p.detach = NULL;
	/* a newer one: what is behind is not looked at */
	assert_int_equal(hosted_accept(&p, &got, &hello, NULL), 0);
	p.name = "a b";
	assert_int_equal(hosted_accept(&p, &got, &hello, NULL), -EINVAL);
	p.name = NULL;
	assert_int_equal(hosted_accept(&p, &got, &hello, NULL), -EINVAL);
	assert_int_equal(hosted_accept(NULL, &got, &hello, NULL), -ENOTSUP);
}

static void reads_the_process_alone(void **state)
{
	static char room[SBERF_PLUGIN_READ_MAX + 1];
	struct plugin_target t;
	void *hole = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t address, size;
	int value;

	munmap((char *)hole + 4096, 4096);
	plugin_target_init(&t, &self, &elf);
	plugin_target_begin(&t);
	assert_int_equal(plugin_target_read(&t, (uintptr_t)&test_plugins_variable, &value, sizeof(value)), 0);
	assert_int_equal(value, 4711);
	assert_int_equal(plugin_target_read(&t, (uintptr_t)room, room, sizeof(room)), -EINVAL);
	assert_int_equal(plugin_target_read(&t, (uintptr_t)hole + 4090, room, 8), -EFAULT);
	assert_int_equal(plugin_target_read(&t, UINT64_MAX - 3, room, 8), -EFAULT);
	assert_int_equal(plugin_target_symbol(&t, NULL, "test_plugins_variable", &address, &size), 0);
	assert_int_equal(address, (uintptr_t)&test_plugins_variable);
	assert_int_equal(size, sizeof(test_plugins_variable));
	assert_int_equal(plugin_target_symbol(&t, "libc.so.6", "environ", &address, NULL), 0);
	assert_int_equal(plugin_target_symbol(&t, "c.so.6", "environ", &address, NULL), -ENOENT);
	assert_int_equal(plugin_target_symbol(&t, NULL, "there is no such symbol", &address, NULL), -ENOENT);
	plugin_target_end(&t);
	/* one that has ended, or executes another program */
	t.exe_ino++;
	assert_int_equal(plugin_target_read(&t, (uintptr_t)&test_plugins_variable, &value, sizeof(value)), -EIO);
	plugin_target_clear(&t);
}

static int names_fd;
static uid_t names_owner;

static int open_names(void *ctx, uint32_t id, uid_t *ret_owner)
{
	*ret_owner = names_owner;
	return fcntl(names_fd, F_DUPFD_CLOEXEC, 3);
}

static void opens_files_of_the_owner_or_root(void **state)
{
	const struct plugin_source source = { .names = open_names };
	struct plugin_target t;
	int pipes[2], fd;

	plugin_target_init(&t, &source, &elf);
	names_fd = memfd_create("map", MFD_CLOEXEC);
	names_owner = getuid();
	fd = plugin_target_file(&t, SBERF_FILE_NAMES);
	assert_true(fd >= 0);
	close(fd);
	/* a file of a user who is neither */
	if (getuid() == 0)
		assert_int_equal(fchown(names_fd, 12345, 12345), 0);
	names_owner = 54321;
	assert_int_equal(plugin_target_file(&t, SBERF_FILE_NAMES), -EPERM);
	close(names_fd);
	assert_int_equal(pipe(pipes), 0);
	names_fd = pipes[0];
	names_owner = getuid();
	assert_int_equal(plugin_target_file(&t, SBERF_FILE_NAMES), -EPERM);
	assert_int_equal(t.refused_files, 2);
	assert_int_equal(plugin_target_file(&t, 77), -EINVAL);
	close(pipes[0]);
	close(pipes[1]);
	plugin_target_clear(&t);
}

static void checks_plans(void **state)
{
	struct sberf_plan p = { .nr_steps = 4,
				.steps = { { .op = SBERF_STEP_ADDRESS },
					   { .op = SBERF_STEP_LOOP, .count = 2 },
					   { .op = SBERF_STEP_COPY, .count = 16 },
					   { .op = SBERF_STEP_END } } };

	assert_true(plugin_plan_check(&p));
	p.steps[2].count = SBERF_PLAN_RECORD_MAX + 8;
	assert_false(plugin_plan_check(&p));
	p.steps[2].count = 16;
	p.nr_steps = 3;                  /* a loop without end */
	assert_false(plugin_plan_check(&p));
	p.nr_steps = 4;
	p.steps[0].op = SBERF_STEP_LOOP;
	assert_false(plugin_plan_check(&p));
	p.steps[0].op = SBERF_STEP_COPIED;       /* of what the record cannot have, or not of a word of it */
	p.steps[0].value = SBERF_PLAN_RECORD_MAX;
	assert_false(plugin_plan_check(&p));
	p.steps[0].value = 4;
	assert_false(plugin_plan_check(&p));
	p.steps[0].value = 8;
	assert_true(plugin_plan_check(&p));
	p.steps[0].count = SBERF_PLAN_TAG_MAX + 1;
	assert_false(plugin_plan_check(&p));
	p.steps[0].op = 77;
	assert_false(plugin_plan_check(&p));
	p.steps[0] = (struct sberf_step){ .op = SBERF_STEP_OWN, .count = 8 };
	assert_true(plugin_plan_check(&p));
	p.flags = SBERF_PLAN_INNER_FIRST << 1;   /* of a later version */
	assert_false(plugin_plan_check(&p));
	p.flags = 0;
	p.steps[2].op = SBERF_STEP_THEN;         /* in the loop */
	assert_false(plugin_plan_check(&p));
	p.nr_steps = SBERF_PLAN_STEPS_MAX + 1;
	assert_false(plugin_plan_check(&p));
	p = (struct sberf_plan){ .nr_ranges = 1, .ranges = { { 10, 10 } } };
	assert_false(plugin_plan_check(&p));
	p = (struct sberf_plan){ .lock = { 10, 10 + SBERF_PLAN_LOCK_MAX } };
	assert_true(plugin_plan_check(&p));
	p.lock.end++;
	assert_false(plugin_plan_check(&p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_a_place),
		cmocka_unit_test(crashes),
		cmocka_unit_test(hangs),
		cmocka_unit_test(floods),
		cmocka_unit_test(lies_to_the_host),
		cmocka_unit_test(lies_in_what_it_says),
		cmocka_unit_test(may_not_do_anything),
		cmocka_unit_test(plans_python_in_the_worker),
		cmocka_unit_test(is_given_up_after_three_faults),
		cmocka_unit_test(workers_that_are_killed_are_no_fault),
		cmocka_unit_test(refuses_what_is_no_plugin),
		cmocka_unit_test(accepts_older_structures),
		cmocka_unit_test(reads_the_process_alone),
		cmocka_unit_test(opens_files_of_the_owner_or_root),
		cmocka_unit_test(checks_plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
