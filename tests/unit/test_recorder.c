/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_recorder.c - the recorder thread and its file: everything arrives, nothing that exists is overwritten, a full disk
 * leaves what was written, and SIGKILL at any moment costs less than a second.
 */
#include "config.h"

#include "base/clock.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/synth.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char dir[] = "/tmp/sberf-test-recorder.XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[16][256];
	static unsigned int turn;
	char *p = path[turn++ % 16];

	snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
	return p;
}

static int make_dir(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	return rmdir(dir);
}

static struct recorder *open_recorder(const char *path, const struct synth *s)
{
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;

	synth_meta(&meta);
	if (recorder_open(path, s->dict, s->names, &meta, &r, &e))
		fail_msg("%s", e.text);
	return r;
}

static void close_recorder(struct recorder *r)
{
	struct profile_meta meta;
	struct err e = ERR_INIT;

	synth_meta(&meta);
	meta.late = 4321;
	if (recorder_close(r, &meta, &e))
		fail_msg("%s", e.text);
}

/* Offers EV until it is taken: a queue that is full is emptied by the recorder. */
static void record(struct recorder *r, const struct event *ev)
{
	while (!recorder_event(r, ev))
		assert_int_equal(recorder_status(r, NULL), 0);
}

static void everything_arrives(void **state)
{
	const char *path = in_dir("all");
	unsigned int named;
	struct synth s;
	struct recorder *r;
	struct loaded l;
	struct event ev;
	struct stat st;

	synth_init(&s, 1);
	r = open_recorder(path, &s);
	for (uint64_t i = 0; i < 20000; i++) {
		synth_event(&s, i, &ev);
		record(r, &ev);
		if (i % 4000 == 0)
			synth_name(&s, dict_frames(s.dict), i > 10000);
	}
	synth_name(&s, dict_frames(s.dict), true);
	close_recorder(r);
	load_file(&l, path);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.event.n, 20000);
	for (uint64_t i = 0; i < 20000; i++)
		assert_int_equal(l.event.v[i].weight_ns, SYNTH_WEIGHT + i);
	assert_true(synth_names_right(profile_dict(l.profile), l.names, &named));
	assert_in_range(named, dict_frames(s.dict) - 1, dict_frames(s.dict) + 1);
	assert_true(l.meta.complete);
	assert_int_equal(l.meta.late, 4321);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(l.meta.file_bytes, st.st_size);
	assert_int_equal(st.st_mode & 07777, 0600);
	loaded_free(&l);
	synth_free(&s);
	unlink(path);
}

static void write_file(const char *path, const char *text)
{
	AUTO_FILE FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
}

static bool file_is(const char *path, const char *text)
{
	AUTO_FILE FILE *f = fopen(path, "re");
	char have[64] = "";

	return f && fread(have, 1, sizeof(have) - 1, f) == strlen(text) && !strcmp(have, text);
}

static void refused_path(const char *path, const struct synth *s, int code, const char *words)
{
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;

	synth_meta(&meta);
	assert_int_equal(recorder_open(path, s->dict, s->names, &meta, &r, &e), -code);
	assert_null(r);
	assert_non_null(strstr(e.text, words));
	assert_non_null(strstr(e.text, path));
}

static void nothing_is_overwritten(void **state)
{
	const char *path = in_dir("file"), *old = in_dir("file.old"), *link = in_dir("link");
	struct synth s;

	synth_init(&s, 2);
	write_file(path, "a letter");
	refused_path(path, &s, EEXIST, "is a file that is not a recording and stays as it is");
	assert_true(file_is(path, "a letter"));
	assert_int_equal(symlink("file", link), 0);
	refused_path(link, &s, EEXIST, "is a symbolic link");
	unlink(link);
	assert_int_equal(symlink("nowhere", link), 0);
	refused_path(link, &s, EEXIST, "is a symbolic link");
	unlink(link);
	refused_path(dir, &s, EEXIST, "is a directory");
	refused_path(in_dir("no/such/dir"), &s, ENOENT, "choose another file with -o");
	refused_path(in_dir("file/x"), &s, ENOTDIR, "choose another file with -o");
	assert_int_equal(mkfifo(link, 0600), 0);
	refused_path(link, &s, EEXIST, "not a regular file");
	unlink(link);
	unlink(path);

	/* A recording is kept as .old, unless that would cost something else. */
	close_recorder(open_recorder(path, &s));
	write_file(old, "another letter");
	refused_path(path, &s, EEXIST, "is a file that is not a recording");
	assert_true(file_is(old, "another letter"));
	unlink(old);
	close_recorder(open_recorder(path, &s));
	close_recorder(open_recorder(path, &s));
	assert_int_equal(access(old, R_OK), 0);
	assert_int_equal(unlink(old), 0);
	unlink(path);

	/* An empty file, as mktemp makes it, holds nothing. */
	write_file(path, "");
	close_recorder(open_recorder(path, &s));
	assert_int_equal(access(old, F_OK), -1);
	unlink(path);
	synth_free(&s);
}

/* A recording that is being written is not moved away, neither from its place nor from that of the one before. */
static void a_busy_recording_stays(void **state)
{
	const char *path = in_dir("busy"), *old = in_dir("busy.old");
	struct recorder *first, *second;
	struct stat before, after;
	struct synth s;

	synth_init(&s, 5);
	first = open_recorder(path, &s);
	assert_int_equal(stat(path, &before), 0);
	refused_path(path, &s, EBUSY, "is being written by another sberf record; choose another file with -o");
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(access(old, F_OK), -1);

	assert_int_equal(rename(path, old), 0);
	second = open_recorder(path, &s);
	close_recorder(second);
	refused_path(path, &s, EBUSY, "busy.old is being written by another");
	close_recorder(first);
	close_recorder(open_recorder(path, &s));
	assert_int_equal(unlink(old), 0);
	assert_int_equal(unlink(path), 0);
	synth_free(&s);
}

static void sudo_owns_the_file(void **state)
{
	const char *path = in_dir("sudo");
	struct synth s;
	struct stat st;

	synth_init(&s, 3);
	setenv("SUDO_UID", "12345", 1);
	setenv("SUDO_GID", "54321", 1);
	close_recorder(open_recorder(path, &s));
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	assert_int_equal(stat(path, &st), 0);
	/* Only root can have been called by sudo; for others the variables mean nothing. */
	assert_int_equal(st.st_uid, geteuid() ? geteuid() : 12345);
	assert_int_equal(st.st_gid, geteuid() ? getegid() : 54321);
	unlink(path);
	synth_free(&s);
}

/* RLIMIT_FSIZE stands for a full disk: writes become short, then fail. */
static void a_full_disk(void **state)
{
	const char *path = in_dir("full");
	struct rlimit before, small;
	struct profile_meta meta;
	struct err e = ERR_INIT, at_close = ERR_INIT;
	struct recorder *r;
	struct synth s;
	struct loaded l;
	struct event ev;
	struct stat st;
	uint64_t i = 0;

	signal(SIGXFSZ, SIG_IGN);
	synth_init(&s, 4);
	synth_meta(&meta);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ 300001, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	r = open_recorder(path, &s);
	while (!recorder_status(r, &e)) {
		synth_event(&s, i, &ev);
		i += recorder_event(r, &ev);
	}
	assert_false(recorder_event(r, &ev));
	assert_int_equal(e.code, EFBIG);
	assert_non_null(strstr(e.text, path));
	assert_int_equal(recorder_close(r, &meta, &at_close), -EFBIG);
	assert_string_equal(e.text, at_close.text);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	load_file(&l, path);
	assert_int_equal(l.code, 0);
	assert_true(l.report.cut_off);
	/* Cut back to whole blocks: nothing is damaged, not even a tail. */
	assert_int_equal(l.report.damaged_blocks + l.report.damaged_bytes, 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size <= 300001);
	assert_in_range(l.event.n, 1000, i);
	loaded_free(&l);
	synth_free(&s);
	unlink(path);
}

/* A disk without room for the header: no empty file, and the recording before stays where it is. */
static void a_disk_that_was_full_before(void **state)
{
	const char *path = in_dir("early"), *old = in_dir("early.old");
	struct rlimit before, small;
	struct stat was, is;
	struct synth s;

	signal(SIGXFSZ, SIG_IGN);
	synth_init(&s, 6);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	for (rlim_t room = 0; room <= 100; room += 50) {
		small = (struct rlimit){ room, before.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		refused_path(path, &s, EFBIG, "nothing was recorded");
		assert_int_equal(access(path, F_OK), -1);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	}
	close_recorder(open_recorder(path, &s));
	assert_int_equal(stat(path, &was), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	refused_path(path, &s, EFBIG, "nothing was recorded");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(stat(path, &is), 0);
	assert_int_equal(was.st_ino, is.st_ino);
	assert_int_equal(access(old, F_OK), -1);
	/* remove_dir() sees that nothing else is left. */
	assert_int_equal(unlink(path), 0);
	synth_free(&s);
}

#define KILLS 50
#define AT_ONCE 10
#define EVENT_EVERY_MS 1

/* What the killer sees of a child: when each event was offered. */
struct diary {
	_Atomic uint32_t n;
	uint64_t offered_ns[8192];
};

/* Records an event each EVENT_EVERY_MS until it is killed. */
static void live_until_killed(const char *path, struct diary *diary, uint64_t seed)
{
	struct recorder *r;
	struct event ev;
	struct synth s;

	synth_init(&s, seed);
	r = open_recorder(path, &s);
	for (uint32_t i = 0; i < 8192; i++) {
		poll(NULL, 0, EVENT_EVERY_MS);
		synth_event(&s, i, &ev);
		ev.time_ns = clock_mono_ns();
		if (!recorder_event(r, &ev))
			break;
		diary->offered_ns[i] = ev.time_ns;
		atomic_store(&diary->n, i + 1);
		if (i % 64 == 0)
			synth_name(&s, dict_frames(s.dict), i % 128 == 0);
	}
	_exit(1);
}

static void check_killed(const char *path, const struct diary *diary, uint64_t killed_ns)
{
	const uint32_t n = atomic_load(&diary->n);
	unsigned int named;
	struct loaded l;
	uint32_t old = 0;

	while (old < n && diary->offered_ns[old] + NSEC_PER_SEC < killed_ns)
		old++;
	load_file(&l, path);
	if (access(path, F_OK) == 0 && old)
		assert_int_equal(l.code, 0);
	assert_true(l.event.n >= old);
	for (size_t i = 0; i < l.event.n; i++)
		assert_int_equal(l.event.v[i].weight_ns, SYNTH_WEIGHT + i);
	assert_true(synth_names_right(profile_dict(l.profile), l.names, &named));
	assert_int_equal(l.report.damaged_blocks + l.report.damaged_bytes, 0);
	loaded_free(&l);
	unlink(path);
}

/* AT_ONCE children, each killed after its own random time of up to 2.5 s. Returns how many lived for more than a second. */
static int kill_some(struct diary *diary, struct synth *random)
{
	struct { pid_t pid; uint64_t due_ns, killed_ns; char path[256]; } child[AT_ONCE];
	const uint64_t start = clock_mono_ns();
	int old = 0, left = AT_ONCE;
	char beside[300];

	memset(diary, 0, AT_ONCE * sizeof(*diary));
	for (int i = 0; i < AT_ONCE; i++) {
		snprintf(child[i].path, sizeof(child[i].path), "%s/kill%d", dir, i);
		child[i].due_ns = start + synth_random(random) % (2500 * NSEC_PER_MSEC);
		child[i].killed_ns = 0;
		child[i].pid = fork();
		assert_true(child[i].pid >= 0);
		if (!child[i].pid)
			live_until_killed(child[i].path, &diary[i], 100 + (uint64_t)i);
	}
	while (left) {
		for (int i = 0; i < AT_ONCE; i++) {
			int status;

			if (child[i].killed_ns || clock_mono_ns() < child[i].due_ns)
				continue;
			child[i].killed_ns = clock_mono_ns();
			assert_int_equal(kill(child[i].pid, SIGKILL), 0);
			assert_int_equal(waitpid(child[i].pid, &status, 0), child[i].pid);
			assert_true(WIFSIGNALED(status));
			left--;
		}
		poll(NULL, 0, 1);
	}
	for (int i = 0; i < AT_ONCE; i++) {
		old += child[i].due_ns - start > NSEC_PER_SEC;
		check_killed(child[i].path, &diary[i], child[i].killed_ns);
		/* One that was killed before the header was written. */
		snprintf(beside, sizeof(beside), "%s.%d.part", child[i].path, (int)child[i].pid);
		unlink(beside);
	}
	return old;
}

static void killed_at_any_moment(void **state)
{
	const size_t size = AT_ONCE * sizeof(struct diary);
	struct diary *diary = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct synth random;
	int old = 0;

	assert_ptr_not_equal(diary, MAP_FAILED);
	synth_init(&random, clock_mono_ns());
	for (int i = 0; i < KILLS / AT_ONCE; i++)
		old += kill_some(diary, &random);
	assert_true(old > 0);
	synth_free(&random);
	munmap(diary, size);
}

static void bad_files_to_load(void **state)
{
	struct loaded l;

	load_file(&l, dir);
	assert_int_equal(l.code, -EISDIR);
	assert_non_null(strstr(l.err.text, "is a directory"));
	loaded_free(&l);
	load_file(&l, in_dir("nothing"));
	assert_int_equal(l.code, -ENOENT);
	assert_non_null(strstr(l.err.text, "cannot open"));
	loaded_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_arrives),
		cmocka_unit_test(nothing_is_overwritten),
		cmocka_unit_test(a_busy_recording_stays),
		cmocka_unit_test(sudo_owns_the_file),
		cmocka_unit_test(a_full_disk),
		cmocka_unit_test(a_disk_that_was_full_before),
		cmocka_unit_test(killed_at_any_moment),
		cmocka_unit_test(bad_files_to_load),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
