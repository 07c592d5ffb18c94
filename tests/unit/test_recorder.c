/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_recorder.c - the recorder thread and its file: everything arrives, nothing that exists is
 * overwritten, a full disk leaves what was written, and SIGKILL at any moment costs no more than
 * what came since the last flush.
 */
#include "config.h"

#include "base/clock.h"
#include "numa/state.h"
#include "record/block.h"
#include "tests/unit/cmocka_all.h"
#include "tests/unit/synth.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
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
	if (recorder_open(&(struct recorder_config){ .path = path }, s->dict, s->names, &meta, &r, &e))
		fail_msg("%s", e.text);
	return r;
}

static void close_recorder(struct recorder *r)
{
	struct profile_meta meta;
	struct err e = ERR_INIT;

	synth_meta(&meta);
	meta.late = 4321;
	if (recorder_close(r, &meta, NULL, &e))
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
	load_recording(&l, path);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.event.n, 20000);
	for (uint64_t i = 0; i < 20000; i++)
		assert_int_equal(l.event.v[i].weight, SYNTH_WEIGHT + i);
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

static unsigned int count_blocks(const char *path, unsigned int type)
{
	AUTO_FILE FILE *f = fopen(path, "re");
	uint8_t head[BLOCK_HEADER_SIZE];
	unsigned int n = 0;
	struct block b;

	assert_non_null(f);
	assert_int_equal(fseek(f, HEADER_SIZE, SEEK_SET), 0);
	while (fread(head, sizeof(head), 1, f) == 1) {
		assert_true(block_get(head, &b));
		n += b.type == type;
		assert_int_equal(fseek(f, (long)b.stored_len, SEEK_CUR), 0);
	}
	return n;
}

static void told_states(struct recorder *r, uint64_t n)
{
	for (uint64_t nr = 1; nr <= n; nr++) {
		AUTO(numa_state_unref) struct numa_state *s = synth_numa(nr);

		recorder_numa(r, s);
	}
}

/* Of the states of nodes that come between two flushes the newest is written, and nobody holds on to the others. */
static void the_newest_state(void **state)
{
	AUTO(numa_state_unref) struct numa_state *last = synth_numa(1001);
	AUTO_FREE char *want = synth_numa_text(last), *have = NULL;
	const char *path = in_dir("numa");
	struct recorder *r;
	struct loaded l;
	struct synth s;

	synth_init(&s, 7);
	r = open_recorder(path, &s);
	told_states(r, 1000);
	recorder_numa(r, last);
	close_recorder(r);
	assert_int_equal(last->refs, 1);
	assert_true(count_blocks(path, BLOCK_NUMA) < 1000);
	load_recording(&l, path);
	assert_int_equal(l.code, 0);
	assert_string_equal(l.report.note, "");
	have = loaded_numa(&l);
	assert_string_equal(have, want);
	loaded_free(&l);
	unlink(path);

	/* One is written while the recording goes on, too. */
	r = open_recorder(path, &s);
	recorder_numa(r, last);
	while (count_blocks(path, BLOCK_NUMA) == 0)
		poll(NULL, 0, 10);
	close_recorder(r);
	assert_int_equal(count_blocks(path, BLOCK_NUMA), 1);
	unlink(path);
	synth_free(&s);
}

/* More than a block of text may have: it is left out, and the recording says so. */
static void a_state_without_room(void **state)
{
	AUTO(numa_state_unref) struct numa_state *large = synth_numa(1);
	const char *path = in_dir("large");
	struct recorder *r;
	struct loaded l;
	struct synth s;

	topology_free(&large->topology);
	assert_int_equal(topology_make(&large->topology, NODES_MAX, NULL), 0);
	for (uint32_t i = 0; i < NODES_MAX; i++)
		large->topology.node[i].id = (uint16_t)i;
	synth_init(&s, 8);
	r = open_recorder(path, &s);
	recorder_numa(r, large);
	close_recorder(r);
	load_recording(&l, path);
	assert_int_equal(l.code, 0);
	assert_int_equal(count_blocks(path, BLOCK_NUMA), 0);
	assert_int_equal(l.meta.numa_too_large, 1);
	assert_string_equal(l.report.note, "states of the NUMA nodes that found no room in the recording: 1");
	loaded_free(&l);
	unlink(path);
	synth_free(&s);
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

#define PART_BYTES 300000u
#define QUEUE_MARGIN (2 * 65536u)         /* events that wait, when figures are told */
#define PART_SLACK (256u << 10)          /* what is written at once */

static const char *part_path(const char *path, unsigned int nr)
{
	static char part[300];

	snprintf(part, sizeof(part), nr ? "%s.%u" : "%s", path, nr);
	return part;
}

/* N events into files of PART_BYTES, FILES of them at most; each event counts as lost, too. */
static void record_parts(const char *path, unsigned int files, uint64_t n, struct synth *s)
{
	const struct recorder_config c = { .path = path, .max_bytes = PART_BYTES, .max_files = files };
	AUTO(numa_state_unref) struct numa_state *numa = synth_numa(1);
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	struct event ev;

	synth_meta(&meta);
	memset(&meta.lost, 0, sizeof(meta.lost));
	meta.late = 0;
	meta.duration_ns = 0;
	if (recorder_open(&c, s->dict, s->names, &meta, &r, &e))
		fail_msg("%s", e.text);
	numa->figures.moves = 7;
	recorder_numa(r, numa);
	for (uint64_t i = 0; i < n; i++) {
		synth_event(s, i, &ev);
		record(r, &ev);
		if (i % 1000)
			continue;
		meta.lost.n[LOST_RING_FULL] = meta.duration_ns = i;
		recorder_meta(r, &meta);
		synth_name(s, dict_frames(s->dict), true);
	}
	synth_name(s, dict_frames(s->dict), true);
	meta.lost.n[LOST_RING_FULL] = meta.duration_ns = n;
	if (recorder_close(r, &meta, NULL, &e))
		fail_msg("%s", e.text);
}

/* What is in the files of PATH, oldest first: all of them are whole, and events go on from one to the next up to N. */
static unsigned int check_parts(const char *path, unsigned int files, uint64_t n, uint64_t *ret_first,
				uint64_t *ret_lost, uint64_t *ret_ns)
{
	uint64_t next = UINT64_MAX, end_ns = 0;
	unsigned int found = 0;

	*ret_lost = *ret_ns = 0;
	for (int nr = (int)files; nr >= 0; nr--) {
		const char *part = part_path(path, (unsigned int)nr);
		unsigned int named;
		struct loaded l;
		struct stat st;

		if (stat(part, &st))
			continue;
		found++;
		assert_true(st.st_size < PART_BYTES + PART_SLACK);
		load_recording(&l, part);
		assert_int_equal(l.code, 0);
		assert_string_equal(l.report.note, "");
		assert_true(l.meta.complete);
		assert_true(synth_names_right(profile_dict(l.profile), l.names, &named));
		for (size_t i = 0; i < l.event.n; i++, next++) {
			if (next == UINT64_MAX)
				*ret_first = next = l.event.v[i].weight - SYNTH_WEIGHT;
			assert_int_equal(l.event.v[i].weight, SYNTH_WEIGHT + next);
		}
		/* One begins where the one before has ended. */
		if (end_ns)
			assert_int_equal(l.meta.start_mono_ns, end_ns);
		end_ns = l.meta.start_mono_ns + l.meta.duration_ns;
		*ret_lost += l.meta.lost.n[LOST_RING_FULL];
		*ret_ns += l.meta.duration_ns;
		{
			AUTO_FREE char *numa = loaded_numa(&l);

			assert_non_null(strstr(numa, "state time_ns="));
		}
		loaded_free(&l);
		unlink(part);
	}
	assert_int_equal(next, n);
	return found;
}

static void many_files(void **state)
{
	const char *path = in_dir("parts");
	uint64_t first, lost, ns;
	struct synth s;

	/* Room for all: the parts are the whole, and what they counted adds up. */
	synth_init(&s, 12);
	record_parts(path, 1000, 100000, &s);
	assert_true(check_parts(path, 1000, 100000, &first, &lost, &ns) > 3);
	assert_int_equal(first, 0);
	assert_int_equal(lost, 100000);
	assert_int_equal(ns, 100000);
	synth_free(&s);

	/* The oldest go. What was there before takes part. */
	synth_init(&s, 13);
	record_parts(path, 3, 100000, &s);
	synth_free(&s);
	synth_init(&s, 14);
	record_parts(path, 3, 100000, &s);
	assert_int_equal(check_parts(path, 1000, 100000, &first, &lost, &ns), 3);
	assert_true(first > 0);
	synth_free(&s);

	synth_init(&s, 15);
	record_parts(path, 1, 100000, &s);
	assert_int_equal(check_parts(path, 1000, 100000, &first, &lost, &ns), 1);
	synth_free(&s);
}

/* What is no recording is in the way: nothing is touched. */
static void parts_that_must_stay(void **state)
{
	const char *path = in_dir("parts");
	const struct recorder_config c = { .path = path, .max_bytes = PART_BYTES, .max_files = 4 };
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	struct synth s;

	synth_init(&s, 16);
	synth_meta(&meta);
	close_recorder(open_recorder(path, &s));
	write_file(part_path(path, 3), "a letter");
	assert_int_equal(recorder_open(&c, s.dict, s.names, &meta, &r, &e), -EEXIST);
	assert_non_null(strstr(e.text, "parts.3 is a file that is not a recording"));
	assert_true(file_is(part_path(path, 3), "a letter"));
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(access(part_path(path, 1), F_OK), -1);
	unlink(part_path(path, 3));
	unlink(path);
	synth_free(&s);
}

/* What is in the way of the next file ends the recording with the one before. */
static void no_further_file(void **state)
{
	const char *path = in_dir("parts");
	const struct recorder_config c = { .path = path, .max_bytes = PART_BYTES, .max_files = 4 };
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	struct event ev;
	struct loaded l;
	struct synth s;

	synth_init(&s, 18);
	synth_meta(&meta);
	if (recorder_open(&c, s.dict, s.names, &meta, &r, &e))
		fail_msg("%s", e.text);
	write_file(part_path(path, 1), "a letter");
	for (uint64_t i = 0; !recorder_status(r, NULL); i++) {
		synth_event(&s, i, &ev);
		recorder_event(r, &ev);
	}
	assert_int_equal(recorder_close(r, &meta, NULL, &e), -EEXIST);
	assert_non_null(strstr(e.text, "cannot begin another file: "));
	assert_non_null(strstr(e.text, "parts.1 is a file that is not a recording and stays as it is"));
	assert_true(file_is(part_path(path, 1), "a letter"));
	load_recording(&l, path);
	assert_int_equal(l.code, 0);
	assert_string_equal(l.report.note, "");
	assert_true(l.meta.complete && l.event.n > 0);
	loaded_free(&l);
	unlink(part_path(path, 1));
	unlink(path);
	synth_free(&s);
}

/* Waits until a file was saved. */
static void wait_saved(struct recorder *r, struct recorder_saved *ret)
{
	recorder_save(r);
	while (!recorder_saved(r, ret))
		poll(NULL, 0, 1);
}

/* What is in a file that was kept: events without a gap up to N. Returns the number of the first one. */
static uint64_t check_kept(const char *path, uint64_t n)
{
	uint64_t first, next;
	unsigned int named;
	struct loaded l;

	load_recording(&l, path);
	assert_int_equal(l.code, 0);
	assert_string_equal(l.report.note, "");
	assert_true(l.meta.complete);
	assert_true(synth_names_right(profile_dict(l.profile), l.names, &named));
	assert_true(l.event.n > 0);
	first = next = l.event.v[0].weight - SYNTH_WEIGHT;
	for (size_t i = 0; i < l.event.n; i++, next++)
		assert_int_equal(l.event.v[i].weight, SYNTH_WEIGHT + next);
	assert_int_equal(next, n);
	/* It lost as much as came since its first event, or what the figures of then say of that. */
	assert_in_range(l.meta.lost.n[LOST_RING_FULL], 1, n - first + QUEUE_MARGIN);
	loaded_free(&l);
	unlink(path);
	return first;
}

/* The last of what came is in memory, and in a file whenever somebody wants it, and at the end. */
static void a_flight_recorder(void **state)
{
	const char *path = in_dir("flight"), *saved_path = in_dir("flight.1"), *second = in_dir("flight.2");
	const struct recorder_config c = { .path = path, .keep_ns = 3600 * NSEC_PER_SEC, .keep_bytes = 2u << 20 };
	AUTO(numa_state_unref) struct numa_state *numa = synth_numa(3);
	struct recorder_saved saved;
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	struct event ev;
	struct synth s;
	uint64_t n = 0;

	synth_init(&s, 17);
	synth_meta(&meta);
	memset(&meta.lost, 0, sizeof(meta.lost));
	if (recorder_open(&c, s.dict, s.names, &meta, &r, &e))
		fail_msg("%s", e.text);
	assert_int_equal(access(path, F_OK), -1);
	recorder_numa(r, numa);
	while (n < 200000) {
		synth_event(&s, n, &ev);
		record(r, &ev);
		if (++n % 1000)
			continue;
		synth_name(&s, dict_frames(s.dict), true);
		meta.lost.n[LOST_RING_FULL] = n;
		recorder_meta(r, &meta);
		/* Little enough for all of it, and then not any more. */
		if (n != 10000 && n != 200000)
			continue;
		wait_saved(r, &saved);
		assert_string_equal(saved.path, n == 10000 ? saved_path : second);
		if (n == 10000)
			assert_int_equal(check_kept(saved_path, n), 0);
		else
			assert_true(check_kept(second, n) > 0);
		assert_int_equal(access(path, F_OK), -1);
		/* The name is taken. */
		if (n == 10000)
			write_file(saved_path, "a letter");
	}
	assert_true(file_is(saved_path, "a letter"));
	unlink(saved_path);
	if (recorder_close(r, &meta, NULL, &e))
		fail_msg("%s", e.text);
	assert_true(check_kept(path, n) > 0);
	synth_free(&s);
}

/* Names that nobody chose: each file gets the first that is free, the last one too. */
static void a_flight_recorder_that_numbers_its_files(void **state)
{
	const char *taken = in_dir("watch-1.sberf"), *first = in_dir("watch-2.sberf"), *last = in_dir("watch-3.sberf");
	const struct recorder_config c = {
		.path = in_dir("watch"), .keep_ns = 3600 * NSEC_PER_SEC, .keep_bytes = 2u << 20, .numbered = true,
	};
	struct recorder_saved saved;
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	struct event ev;
	struct synth s;

	synth_init(&s, 17);
	synth_meta(&meta);
	memset(&meta.lost, 0, sizeof(meta.lost));
	write_file(taken, "a letter");
	if (recorder_open(&c, s.dict, s.names, &meta, &r, &e))
		fail_msg("%s", e.text);
	for (uint64_t n = 0; n < 1000; n++) {
		synth_event(&s, n, &ev);
		record(r, &ev);
	}
	synth_name(&s, dict_frames(s.dict), true);
	meta.lost.n[LOST_RING_FULL] = 1000;
	recorder_meta(r, &meta);
	wait_saved(r, &saved);
	assert_string_equal(saved.path, first);
	assert_true(saved.kept && saved.bytes > 0);
	while (!recorder_held(r))
		poll(NULL, 0, 10);
	assert_int_equal(check_kept(first, 1000), 0);
	write_file(first, "taken, too");
	if (recorder_end(r, &meta, &saved, &e))
		fail_msg("%s", e.text);
	assert_string_equal(saved.path, last);
	assert_true(saved.kept);
	assert_int_equal(check_kept(last, 1000), 0);
	assert_true(file_is(taken, "a letter") && file_is(first, "taken, too"));
	unlink(taken);
	unlink(first);
	synth_free(&s);
}

/* One that begins while the capture goes on has what was counted from then on. */
static void a_recording_from_midway_on(void **state)
{
	const char *path = in_dir("midway");
	const struct recorder_config c = { .path = path, .midway = true };
	AUTO(numa_state_unref) struct numa_state *numa = synth_numa(1);
	struct numa_figures before = numa->figures;
	struct recorder_saved saved;
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	struct loaded l;
	struct event ev;
	struct synth s;
	uint64_t began;

	synth_init(&s, 23);
	synth_meta(&meta);
	meta.duration_ns = 100 * NSEC_PER_SEC;
	meta.lost.n[LOST_RING_FULL] = 1000;
	if (recorder_open(&c, s.dict, s.names, &meta, &r, &e))
		fail_msg("%s", e.text);
	/* It took a while. */
	meta.duration_ns = 101 * NSEC_PER_SEC;
	meta.lost.n[LOST_RING_FULL] = 1010;
	began = meta.start_mono_ns + meta.duration_ns;
	before.moves = 50;
	recorder_since(r, &meta, &before, NULL);
	numa->figures.moves = 72;
	recorder_numa(r, numa);
	for (uint64_t i = 0; i < 300; i++) {
		synth_event(&s, i, &ev);
		record(r, &ev);
	}
	meta.duration_ns = 104 * NSEC_PER_SEC;
	meta.lost.n[LOST_RING_FULL] = 1013;
	if (recorder_end(r, &meta, &saved, &e))
		fail_msg("%s", e.text);
	assert_string_equal(saved.path, path);
	assert_int_equal(saved.ns, 3 * NSEC_PER_SEC);
	assert_false(saved.kept);
	load_recording(&l, path);
	assert_int_equal(l.code, 0);
	assert_int_equal(l.event.n, 300);
	assert_int_equal(l.meta.start_mono_ns, began);
	assert_int_equal(l.meta.duration_ns, 3 * NSEC_PER_SEC);
	assert_int_equal(l.meta.lost.n[LOST_RING_FULL], 3);
	assert_true(l.meta.complete);
	{
		AUTO_FREE char *text = loaded_numa(&l);

		assert_non_null(strstr(text, " moves=22"));
	}
	loaded_free(&l);
	unlink(path);
	synth_free(&s);
}

/* Reads what comes through FD as standard input, and tells how many events came by its exit status. */
static _Noreturn void count_from_stdin(int fd)
{
	struct loaded l;

	dup2(fd, STDIN_FILENO);
	load_recording(&l, "-");
	_exit(!l.code && l.meta.complete && !l.report.damaged_bytes && l.meta.late == 4321 ? (int)l.event.n : 0);
}

/* Written to something that is no file and has no name, such as ssh's socket, whose other end is standard input. */
static void through(int fd[2])
{
	const struct recorder_config c = { .path = "a pipe", .fd = fd[1] };
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	struct synth s;
	struct event ev;
	int status;
	pid_t pid;

	synth_init(&s, 9);
	synth_meta(&meta);
	pid = fork();
	if (!pid) {
		close(fd[1]);
		count_from_stdin(fd[0]);
	}
	close(fd[0]);
	assert_int_equal(recorder_open(&c, s.dict, s.names, &meta, &r, &e), 0);
	for (uint64_t i = 0; i < 200; i++) {
		synth_event(&s, i, &ev);
		record(r, &ev);
	}
	close_recorder(r);
	/* It was lent. */
	assert_int_equal(close(fd[1]), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 200);
	synth_free(&s);
}

static void through_pipes_and_sockets(void **state)
{
	int fd[2];

	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	through(fd);
	/* One that does not wait for room, either. */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	assert_int_equal(fcntl(fd[1], F_SETFL, O_NONBLOCK), 0);
	through(fd);
}

/* Nobody reads any more: an error that says so, and who lent the descriptor still has it. */
static void a_reader_that_is_gone(void **state)
{
	struct recorder_config c = { .path = "standard output" };
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	struct synth s;
	int fd[2];

	synth_init(&s, 10);
	synth_meta(&meta);
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	c.fd = fd[1];
	assert_int_equal(recorder_open(&c, s.dict, s.names, &meta, &r, &e), 0);
	close(fd[0]);
	assert_int_equal(recorder_close(r, &meta, NULL, &e), -EPIPE);
	assert_non_null(strstr(e.text, "cannot write to standard output: Broken pipe; the recording breaks off after"));
	assert_int_equal(close(fd[1]), 0);
	synth_free(&s);
}

/* A file that somebody else made, and that has something in it already, is not cut back when it has no room. */
static void a_lent_file_is_not_cut(void **state)
{
	const char *path = in_dir("lent");
	struct recorder_config c = { .path = "standard output" };
	struct rlimit before, small;
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;
	char text[6] = "";
	struct synth s;

	signal(SIGXFSZ, SIG_IGN);
	synth_init(&s, 11);
	synth_meta(&meta);
	write_file(path, "diary");
	c.fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	assert_true(c.fd > 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){ 60, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(recorder_open(&c, s.dict, s.names, &meta, &r, &e), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(pread(c.fd, text, 5, 0), 5);
	assert_string_equal(text, "diary");
	close(c.fd);
	unlink(path);
	synth_free(&s);
}

static void refused_path(const char *path, const struct synth *s, int code, const char *words)
{
	struct recorder *r = NULL;
	struct profile_meta meta;
	struct err e = ERR_INIT;

	synth_meta(&meta);
	assert_int_equal(recorder_open(&(struct recorder_config){ .path = path }, s->dict, s->names, &meta,
				       &r, &e), -code);
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
	assert_int_equal(recorder_close(r, &meta, NULL, &at_close), -EFBIG);
	assert_string_equal(e.text, at_close.text);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	load_recording(&l, path);
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
#define EVENTS_MAX 65536u                /* of a child that nobody kills */

/* What the killer sees of a child: how many events it has offered. */
struct diary {
	_Atomic uint32_t n;
};

/*
 * Records an event each EVENT_EVERY_MS until it is killed. The figures say how many there are: what
 * is flushed ends with them.
 */
static void live_until_killed(const char *path, struct diary *diary, uint64_t seed)
{
	struct profile_meta meta;
	struct recorder *r;
	struct event ev;
	struct synth s;

	synth_init(&s, seed);
	synth_meta(&meta);
	r = open_recorder(path, &s);
	for (uint32_t i = 0; i < EVENTS_MAX; i++) {
		poll(NULL, 0, EVENT_EVERY_MS);
		synth_event(&s, i, &ev);
		record(r, &ev);
		meta.late = i + 1;
		recorder_meta(r, &meta);
		atomic_store(&diary->n, i + 1);
		if (i % 64 == 0)
			synth_name(&s, dict_frames(s.dict), i % 128 == 0);
	}
	_exit(1);
}

/* The next block of F, with its payload; false at the end of what is whole. */
static bool next_block(FILE *f, struct block *b, byte_vec *payload)
{
	uint8_t head[BLOCK_HEADER_SIZE];
	AUTO_FREE uint8_t *stored = NULL;

	if (fread(head, sizeof(head), 1, f) != 1 || !block_get(head, b))
		return false;
	stored = malloc(b->stored_len + 1);
	assert_non_null(stored);
	return fread(stored, 1, b->stored_len, f) == b->stored_len && !block_unpack(b, stored, payload);
}

/*
 * How many events must be in the file at PATH: those that had been offered when the figures were
 * written that come before the last ones. What was offered up to then was there when the last flush
 * began, and the last figures say that it has ended.
 */
static uint32_t sure_events(const char *path)
{
	AUTO_FILE FILE *f = fopen(path, "re");
	unsigned int late[2] = { 0, 0 };
	byte_vec payload = { 0 };
	struct block b;

	if (!f || fseek(f, HEADER_SIZE, SEEK_SET))
		return 0;
	while (next_block(f, &b, &payload)) {
		char text[4096], *line;

		snprintf(text, sizeof(text), "%.*s", (int)payload.n, (const char *)payload.v);
		line = b.type == BLOCK_META ? strstr(text, "late=") : NULL;
		if (!line)
			continue;
		late[0] = late[1];
		assert_int_equal(sscanf(line, "late=%u", &late[1]), 1);
	}
	vec_free(&payload);
	return late[0];
}

/* Returns whether anything had to be there. */
static bool check_killed(const char *path, const struct diary *diary)
{
	const uint32_t sure = sure_events(path);
	unsigned int named;
	struct loaded l;

	load_recording(&l, path);
	if (sure)
		assert_int_equal(l.code, 0);
	assert_in_range(l.event.n, sure, atomic_load(&diary->n) + 1);
	for (size_t i = 0; i < l.event.n; i++)
		assert_int_equal(l.event.v[i].weight, SYNTH_WEIGHT + i);
	assert_true(synth_names_right(profile_dict(l.profile), l.names, &named));
	assert_int_equal(l.report.damaged_blocks + l.report.damaged_bytes, 0);
	loaded_free(&l);
	unlink(path);
	return sure;
}

/* AT_ONCE children, each killed after its own random number of events, the first not before something must be there. */
static void kill_some(struct diary *diary, struct synth *random)
{
	struct { pid_t pid; uint32_t events; bool killed; char path[256]; } child[AT_ONCE];
	int left = AT_ONCE;
	char beside[300];

	memset(diary, 0, AT_ONCE * sizeof(*diary));
	for (int i = 0; i < AT_ONCE; i++) {
		snprintf(child[i].path, sizeof(child[i].path), "%s/kill%d", dir, i);
		child[i].events = (uint32_t)(synth_random(random) % 2500);
		child[i].killed = false;
		child[i].pid = fork();
		assert_true(child[i].pid >= 0);
		if (!child[i].pid)
			live_until_killed(child[i].path, &diary[i], 100 + (uint64_t)i);
	}
	while (left) {
		for (int i = 0; i < AT_ONCE; i++) {
			const uint32_t n = atomic_load(&diary[i].n);
			int status;

			if (child[i].killed || n < child[i].events ||
			    (!i && n < EVENTS_MAX && !sure_events(child[i].path)))
				continue;
			child[i].killed = true;
			assert_int_equal(kill(child[i].pid, SIGKILL), 0);
			assert_int_equal(waitpid(child[i].pid, &status, 0), child[i].pid);
			assert_true(WIFSIGNALED(status));
			left--;
		}
		poll(NULL, 0, 1);
	}
	for (int i = 0; i < AT_ONCE; i++) {
		assert_true(check_killed(child[i].path, &diary[i]) || i);
		/* One that was killed before the header was written. */
		snprintf(beside, sizeof(beside), "%s.%d.part", child[i].path, (int)child[i].pid);
		unlink(beside);
	}
}

static void killed_at_any_moment(void **state)
{
	const size_t size = AT_ONCE * sizeof(struct diary);
	struct diary *diary = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct synth random;

	assert_ptr_not_equal(diary, MAP_FAILED);
	synth_init(&random, clock_mono_ns());
	for (int i = 0; i < KILLS / AT_ONCE; i++)
		kill_some(diary, &random);
	synth_free(&random);
	munmap(diary, size);
}

static void bad_files_to_load(void **state)
{
	struct loaded l;

	load_recording(&l, dir);
	assert_int_equal(l.code, -EISDIR);
	assert_non_null(strstr(l.err.text, "is a directory"));
	loaded_free(&l);
	load_recording(&l, in_dir("nothing"));
	assert_int_equal(l.code, -ENOENT);
	assert_non_null(strstr(l.err.text, "cannot open"));
	loaded_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_arrives),
		cmocka_unit_test(many_files),
		cmocka_unit_test(parts_that_must_stay),
		cmocka_unit_test(no_further_file),
		cmocka_unit_test(a_flight_recorder),
		cmocka_unit_test(a_flight_recorder_that_numbers_its_files),
		cmocka_unit_test(a_recording_from_midway_on),
		cmocka_unit_test(through_pipes_and_sockets),
		cmocka_unit_test(a_reader_that_is_gone),
		cmocka_unit_test(a_lent_file_is_not_cut),
		cmocka_unit_test(the_newest_state),
		cmocka_unit_test(a_state_without_room),
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
