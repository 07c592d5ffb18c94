/* SPDX-License-Identifier: BSD-2-Clause */
/* test_symbolizer.c - the worker: kinds of modules, order, retries, files that hang, and leaving at any moment. */
#include "config.h"

#include "symbol/symbolizer.h"

#include "base/clock.h"
#include "model/reasons.h"
#include "symbol/elffile.h"
#include "symbol/vdso.h"
#include "tests/unit/cmocka_all.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LONG (60 * NSEC_PER_SEC)

struct world {
	struct dict *dict;
	struct names *names;
	struct symbolizer *sy;
	struct module_opener opener;
	int map_fd;                      /* the perf map of MODULE_ANON; -1 = none */
	const char *file;                /* in place of this program; NULL */
	_Atomic int opens;
};

/* MODULE_FILE: this program. */
static int open_module(void *ctx, module_id module, uid_t *ret_uid, struct err *e)
{
	struct world *w = ctx;
	const struct module *m = dict_get_module(w->dict, module);
	char path[64];

	atomic_fetch_add(&w->opens, 1);
	*ret_uid = getuid();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", w->map_fd);
	return open(m->kind == MODULE_ANON ? path : w->file ? w->file : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

static void setup(struct world *w)
{
	*w = (struct world){ .dict = dict_new(), .names = names_new(), .map_fd = -1 };
	w->opener = (struct module_opener){ .open = open_module, .ctx = w };
}

static bool in_worker;           /* files are read in sberf-worker */

static void start(struct world *w, const struct symbolizer_options *o)
{
	struct symbolizer_options options = o ? *o : (struct symbolizer_options){ .no_details = false };

	options.in_worker = in_worker;
	assert_int_equal(symbolizer_new(w->dict, w->names, &w->opener, &options, &w->sy, NULL), 0);
}

static void teardown(struct world *w)
{
	symbolizer_free(w->sy);
	names_free(w->names);
	dict_free(w->dict);
	if (w->map_fd >= 0)
		close(w->map_fd);
}

static module_id add_module(struct world *w, enum module_kind kind, const char *path)
{
	return dict_module(w->dict, &(struct module){ .kind = kind, .path = strtab_adds(dict_strings(w->dict), path) });
}

static const char *called(const struct world *w, frame_id frame)
{
	const struct frame_names *fn = names_get(w->names, frame);

	return fn ? names_text(w->names, names_func(w->names, fn->name[fn->n - 1].func)->name) : "?";
}

static uint8_t kind_of(const struct world *w, frame_id frame)
{
	return names_func(w->names, names_get(w->names, frame)->name[0].func)->kind;
}

/* The file offset of an address of this program: it is mapped as /proc/self/maps says. */
static uint64_t own_offset(const void *p)
{
	AUTO_FILE FILE *f = fopen("/proc/self/maps", "re");
	unsigned long from, to, offset;
	char line[4096];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && (uintptr_t)p >= from &&
		    (uintptr_t)p < to)
			return (uintptr_t)p - from + offset;
	fail();
	return 0;
}

__attribute__((noinline)) static int known_function(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static void names_functions_of_files(void **state)
{
	const int line = __LINE__;
	struct world w;
	frame_id frame;

	setup(&w);
	frame = dict_frame(w.dict, add_module(&w, MODULE_FILE, "/bin/this"), own_offset(known_function));
	start(&w, NULL);
	assert_true(symbolizer_wait(w.sy, LONG));
	assert_int_equal(symbolizer_pending(w.sy), 0);
	assert_string_equal(called(&w, frame), "known_function");
	assert_int_equal(kind_of(&w, frame), FUNC_USER);
	assert_true(names_get(w.names, frame)->detailed);
	assert_non_null(strstr(names_text(w.names, names_get(w.names, frame)->name[0].file), "test_symbolizer.c"));
	assert_in_range(names_get(w.names, frame)->name[0].line, line - 9, line - 2);
	teardown(&w);
}

static void names_the_vdso(void **state)
{
	AUTO(elf_file_free) struct elf_file *f = NULL;
	size_t len, functions = 0;
	const void *image = vdso_image(&len);
	struct world w;
	module_id vdso;

	assert_non_null(image);
	assert_int_equal(elf_file_memory(image, len, &f, NULL), 0);
	setup(&w);
	vdso = add_module(&w, MODULE_VDSO, "[vdso]");
	for (uint64_t offset = 0; offset < len; offset += 4)
		dict_frame(w.dict, vdso, offset);
	start(&w, NULL);
	assert_true(symbolizer_wait(w.sy, LONG));
	for (frame_id i = 0; i < dict_frames(w.dict); i++)
		functions += strstr(called(&w, i), "clock_gettime") != NULL;
	assert_true(functions > 0);
	teardown(&w);
}

static void names_notes(void **state)
{
	frame_id cut, other, unknown;
	struct world w;

	setup(&w);
	cut = dict_note(w.dict, NOTE_CUT + CUT_NO_CFI);
	other = dict_note(w.dict, NOTE_OTHER);
	unknown = dict_note(w.dict, 99);
	start(&w, NULL);
	assert_true(symbolizer_wait(w.sy, LONG));
	assert_string_equal(called(&w, cut), "[cut: the code has no unwind information]");
	assert_string_equal(called(&w, other), "(other)");
	assert_int_equal(kind_of(&w, cut), FUNC_NOTE);
	assert_string_equal(called(&w, unknown), "?");
	teardown(&w);
}

static void write_map(const struct world *w, const char *text)
{
	assert_int_equal(write(w->map_fd, text, strlen(text)), strlen(text));
}

/* A frame that its map does not tell yet is settled, and named as soon as the map does. */
static void asks_again_for_what_a_compiler_tells_late(void **state)
{
	const uint64_t end = clock_mono_ns() + 10 * NSEC_PER_SEC;
	frame_id early, late;
	struct world w;
	module_id anon;

	setup(&w);
	w.map_fd = memfd_create("map", MFD_CLOEXEC);
	write_map(&w, "1000 10 early\n");
	anon = dict_module(w.dict, &(struct module){ .kind = MODULE_ANON, .pid = 42 });
	early = dict_frame(w.dict, anon, 0x1004);
	late = dict_frame(w.dict, anon, 0x2004);
	start(&w, NULL);
	assert_true(symbolizer_wait(w.sy, LONG));
	assert_string_equal(called(&w, early), "early");
	assert_int_equal(kind_of(&w, early), FUNC_JIT);
	assert_string_equal(called(&w, late), "?");
	assert_int_equal(symbolizer_pending(w.sy), 0);
	write_map(&w, "2000 10 late\n");
	while (!names_get(w.names, late) && clock_mono_ns() < end)
		poll(NULL, 0, 10);
	assert_string_equal(called(&w, late), "late");
	teardown(&w);
}

static void follows_the_dictionary(void **state)
{
	struct world w;
	module_id file;

	setup(&w);
	file = add_module(&w, MODULE_FILE, "/bin/this");
	start(&w, NULL);
	assert_true(symbolizer_wait(w.sy, LONG));
	for (uint64_t round = 0; round < 3; round++) {
		const frame_id frame = dict_frame(w.dict, file, own_offset(known_function) + round);

		symbolizer_prefer(w.sy, &frame, 1);
		symbolizer_kick(w.sy);
		assert_true(symbolizer_wait(w.sy, LONG));
		assert_int_equal(symbolizer_pending(w.sy), 0);
		assert_string_equal(called(&w, frame), "known_function");
	}
	assert_int_equal(w.opens, 1);
	teardown(&w);
}

/* A function without a name is called by its file: when that turns out to run by another name, by this one. */
static void nameless_functions_follow_their_file(void **state)
{
	char file[] = "/tmp/sberf-stripped-XXXXXX", command[128], name[64];
	const int fd = mkstemp(file);
	const uint64_t offset = own_offset(known_function);
	struct world w;
	module_id module;
	frame_id frame, later;

	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "strip -o %s /proc/%d/exe", file, (int)getpid());
	if (system(command)) {
		unlink(file);
		print_message("# no strip to make a file without symbols\n");
		skip();
	}
	setup(&w);
	w.file = file;
	module = add_module(&w, MODULE_FILE, "/bin/this");
	frame = dict_frame(w.dict, module, offset);
	start(&w, NULL);
	assert_true(symbolizer_wait(w.sy, LONG));
	snprintf(name, sizeof(name), "this+0x%" PRIx64, offset);
	assert_string_equal(called(&w, frame), name);
	dict_module_run_as(w.dict, module, strtab_adds(dict_strings(w.dict), "/bin/that"));
	later = dict_frame(w.dict, module, offset + 1);
	assert_true(symbolizer_wait(w.sy, LONG));
	snprintf(name, sizeof(name), "that+0x%" PRIx64, offset);
	assert_string_equal(called(&w, frame), name);
	assert_string_equal(called(&w, later), name);
	assert_int_equal(names_get(w.names, frame)->name[0].func, names_get(w.names, later)->name[0].func);
	teardown(&w);
	unlink(file);
}

/* A run-time compiler tells its functions when its process ends: just after a look that found none of them. */
static void the_last_look_does_not_wait(void **state)
{
	static const char map[] = "1000 10 late\n";
	struct world w;
	frame_id frame;

	setup(&w);
	w.map_fd = memfd_create("map", MFD_CLOEXEC);
	assert_true(w.map_fd >= 0);
	frame = dict_frame(w.dict, add_module(&w, MODULE_ANON, ""), 0x1004);
	start(&w, NULL);
	assert_true(symbolizer_wait(w.sy, LONG));
	assert_null(names_get(w.names, frame));
	assert_int_equal(write(w.map_fd, map, sizeof(map) - 1), sizeof(map) - 1);
	symbolizer_look_again(w.sy);
	assert_true(symbolizer_wait(w.sy, LONG));
	assert_string_equal(called(&w, frame), "late");
	assert_int_equal(w.opens, 2);
	teardown(&w);
}

static int open_nothing(void *ctx, module_id module, uid_t *ret_uid, struct err *e)
{
	return -ENOENT;
}

static void what_cannot_be_opened_is_settled_and_counted(void **state)
{
	struct symbolizer_stats stats;
	struct world w;
	frame_id frame;

	setup(&w);
	w.opener.open = open_nothing;
	frame = dict_frame(w.dict, add_module(&w, MODULE_FILE, "/gone"), 0x1000);
	dict_frame(w.dict, add_module(&w, MODULE_FILE, "/gone"), 0x2000);
	start(&w, NULL);
	assert_true(symbolizer_wait(w.sy, LONG));
	assert_null(names_get(w.names, frame));
	/* counts are published when the worker looks for work */
	symbolizer_kick(w.sy);
	assert_true(symbolizer_wait(w.sy, LONG));
	symbolizer_stats(w.sy, &stats);
	assert_int_equal(stats.unreadable_modules, 1);
	teardown(&w);
}

/* A file system that does not answer. */
struct stuck {
	int pipe[2];
	_Atomic bool inside, outside;
};

static int open_for_ever(void *ctx, module_id module, uid_t *ret_uid, struct err *e)
{
	struct stuck *s = ctx;
	char c;

	atomic_store(&s->inside, true);
	if (read(s->pipe[0], &c, 1) < 0)
		abort();
	atomic_store(&s->outside, true);
	return -EIO;
}

static void a_hanging_file_does_not_hold_anybody_up(void **state)
{
	struct stuck s = { .inside = false };
	struct world w;
	uint64_t before;

	assert_int_equal(pipe(s.pipe), 0);
	setup(&w);
	w.opener = (struct module_opener){ .open = open_for_ever, .ctx = &s };
	dict_frame(w.dict, add_module(&w, MODULE_FILE, "/fuse/file"), 0x1000);
	start(&w, NULL);
	while (!atomic_load(&s.inside))
		poll(NULL, 0, 1);
	before = clock_mono_ns();
	symbolizer_kick(w.sy);
	symbolizer_prefer(w.sy, (frame_id[]){ 0 }, 1);
	assert_int_equal(symbolizer_pending(w.sy), 1);
	assert_false(symbolizer_wait(w.sy, NSEC_PER_MSEC));
	symbolizer_cancel(w.sy);
	assert_false(symbolizer_wait(w.sy, LONG));
	teardown(&w);
	assert_true(clock_mono_ns() - before < 2 * NSEC_PER_SEC);
	/* the worker comes back to a world that is gone, and ends without touching it */
	assert_int_equal(write(s.pipe[1], "x", 1), 1);
	while (!atomic_load(&s.outside))
		poll(NULL, 0, 1);
	close(s.pipe[0]);
	close(s.pipe[1]);
}

static void can_be_freed_at_any_moment(void **state)
{
	for (int i = 0; i < 30; i++) {
		struct world w;
		module_id file;

		setup(&w);
		file = add_module(&w, MODULE_FILE, "/bin/this");
		for (uint64_t at = 0; at < 200; at++)
			dict_frame(w.dict, file, own_offset(known_function) + at);
		start(&w, NULL);
		symbolizer_wait(w.sy, (uint64_t)i * 100 * NSEC_PER_USEC);
		teardown(&w);
	}
	symbolizer_free(NULL);
}

/* The pid of this thread's sberf-worker, 0 = it has none. */
static pid_t own_worker(const char *children)
{
	AUTO_FILE FILE *f = fopen(children, "re");
	int pid = 0;

	return f && fscanf(f, "%d", &pid) == 1 ? pid : 0;
}

static int fatal_signal;

/* A file that is fatal to read, by that signal: of the module called "bad", or of process 41. */
static int open_fatal(void *ctx, module_id module, uid_t *ret_uid, struct err *e)
{
	struct world *w = ctx;
	const struct module *m = dict_get_module(w->dict, module);

	if (m->pid == 41 || !strcmp(strtab_get(dict_strings(w->dict), m->path), "/bin/bad"))
		assert_int_equal(kill(own_worker("/proc/thread-self/children"), fatal_signal), 0);
	return open_module(ctx, module, ret_uid, e);
}

/* What is told of a worker that FATAL_SIGNAL has ended twice. */
static void is_told(const struct world *w, const char *file, const char *where)
{
	struct symbolizer_stats stats;
	struct unread unread;
	char sentence[256];

	symbolizer_stats(w->sy, &stats);
	assert_int_equal(stats.workers_ended, 2);
	assert_int_equal(stats.files_left, 1);
	symbolizer_unread(w->sy, &unread);
	assert_int_equal(unread.n, 1);
	snprintf(sentence, sizeof(sentence), "%s: no more of it is read: sberf-worker ended twice while it read it: it "
		 "crashed (signal %d, %s)%s", file, fatal_signal, strsignal(fatal_signal), where);
	assert_string_equal(unread.text[0], sentence);
}

static void a_perf_map_that_is_fatal_twice_is_left_alone(void)
{
	frame_id good, bad;
	struct world w;

	setup(&w);
	w.opener.open = open_fatal;
	w.map_fd = memfd_create("map", MFD_CLOEXEC);
	write_map(&w, "1000 10 a_function\n");
	bad = dict_frame(w.dict, dict_module(w.dict, &(struct module){ .kind = MODULE_ANON, .pid = 41 }), 0x1004);
	good = dict_frame(w.dict, dict_module(w.dict, &(struct module){ .kind = MODULE_ANON, .pid = 42 }), 0x1004);
	start(&w, NULL);
	assert_true(symbolizer_wait(w.sy, LONG));
	/* The second time. The third it is not opened. */
	for (int i = 0; i < 2; i++) {
		symbolizer_look_again(w.sy);
		assert_true(symbolizer_wait(w.sy, LONG));
	}
	assert_null(names_get(w.names, bad));
	assert_string_equal(called(&w, good), "a_function");
	is_told(&w, "what process 41 tells of code that it made", " in changed");
	teardown(&w);
}

static void a_file_that_is_fatal_twice_is_left_alone(void)
{
	struct world w;
	frame_id good, bad;

	setup(&w);
	w.opener.open = open_fatal;
	bad = dict_frame(w.dict, add_module(&w, MODULE_FILE, "/bin/bad"), own_offset(known_function));
	good = dict_frame(w.dict, add_module(&w, MODULE_FILE, "/bin/good"), own_offset(known_function));
	start(&w, NULL);
	assert_true(symbolizer_wait(w.sy, LONG));
	assert_null(names_get(w.names, bad));
	assert_string_equal(called(&w, good), "known_function");
	symbolizer_kick(w.sy);
	assert_true(symbolizer_wait(w.sy, LONG));
	is_told(&w, "bad", "");
	teardown(&w);
}

/* A truncated mapping, a damaged pointer, the limit of time. */
static void files_that_are_fatal_twice_are_left_alone(void **state)
{
	static const int signals[] = { SIGBUS, SIGSEGV, SIGXCPU };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		fatal_signal = signals[i];
		a_file_that_is_fatal_twice_is_left_alone();
		a_perf_map_that_is_fatal_twice_is_left_alone();
	}
}

/* Somebody else ends the worker again and again: whatever it was at is read by the next one. */
static void killed_workers_cost_no_names(void **state)
{
	struct symbolizer_stats stats;
	char children[64] = "";
	struct unread unread;
	struct world w;
	module_id file;
	unsigned int killed = 0;
	pid_t last = 0;

	setup(&w);
	file = add_module(&w, MODULE_FILE, "/bin/this");
	start(&w, NULL);
	for (uint64_t at = 0; killed < 50; at++) {
		pid_t worker;
		DIR *tasks = opendir("/proc/self/task");

		/* Which thread that is, is not told. */
		for (struct dirent *d; tasks && (d = readdir(tasks));) {
			snprintf(children, sizeof(children), "/proc/self/task/%.20s/children", d->d_name);
			worker = own_worker(children);
			if (worker && worker != last && !kill(worker, SIGKILL)) {
				last = worker;
				killed++;
			}
		}
		closedir(tasks);
		/* Something new to ask, and a moment in which it may be asked. */
		dict_frame(w.dict, file, own_offset(known_function) + 64 * at);
		symbolizer_wait(w.sy, at % 7 * NSEC_PER_MSEC);
	}
	assert_true(symbolizer_wait(w.sy, LONG));
	assert_string_equal(called(&w, 0), "known_function");
	symbolizer_stats(w.sy, &stats);
	symbolizer_unread(w.sy, &unread);
	assert_int_equal(stats.files_left, 0);
	assert_int_equal(unread.n, 0);
	assert_true(stats.workers_ended);
	teardown(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_functions_of_files),
		cmocka_unit_test(names_the_vdso),
		cmocka_unit_test(names_notes),
		cmocka_unit_test(asks_again_for_what_a_compiler_tells_late),
		cmocka_unit_test(follows_the_dictionary),
		cmocka_unit_test(nameless_functions_follow_their_file),
		cmocka_unit_test(the_last_look_does_not_wait),
		cmocka_unit_test(what_cannot_be_opened_is_settled_and_counted),
		cmocka_unit_test(a_hanging_file_does_not_hold_anybody_up),
		cmocka_unit_test(can_be_freed_at_any_moment),
	}, tests_of_worker[] = {
		cmocka_unit_test(files_that_are_fatal_twice_are_left_alone),
		cmocka_unit_test(killed_workers_cost_no_names),
	};
	int failed = cmocka_run_group_tests_name("here", tests, NULL, NULL);

	in_worker = true;
	failed += cmocka_run_group_tests_name("in a worker", tests, NULL, NULL);
	failed += cmocka_run_group_tests_name("workers that end", tests_of_worker, NULL, NULL);
	return known_function(-1) + failed;
}
