/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_dict.c - the dictionaries: equality, ids, limits, memory per trie node, and reading while
 * another thread adds.
 */
#include "config.h"

#include "base/hash.h"
#include "model/dict.h"
#include "model/memory.h"
#include "model/wait.h"
#include "tests/unit/cmocka_all.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static struct module file_module(struct dict *d, const char *path, uint64_t dev, uint64_t ino)
{
	return (struct module){ .kind = MODULE_FILE, .path = strtab_adds(dict_strings(d), path),
				.dev = dev, .ino = ino };
}

static void test_module_identity(void **state)
{
	AUTO(dict_free) struct dict *d = dict_new();
	struct module a = file_module(d, "/a", 1, 2), b = file_module(d, "/b", 1, 2), c = file_module(d, "/a", 1, 3);
	struct module with_id = a, copy = c;
	module_id id;

	id = dict_module(d, &a);
	assert_int_equal(dict_module(d, &b), id);
	assert_int_not_equal(dict_module(d, &c), id);
	b.generation = 7;
	assert_int_not_equal(dict_module(d, &b), id);

	/* A build-id outweighs where the file is; having one and having none are not equal. */
	with_id.build_id_len = copy.build_id_len = 20;
	memset(with_id.build_id, 9, 20);
	memset(copy.build_id, 9, 20);
	assert_int_not_equal(dict_module(d, &with_id), id);
	assert_int_equal(dict_module(d, &with_id), dict_module(d, &copy));
	copy.build_id[19] = 8;
	assert_int_not_equal(dict_module(d, &with_id), dict_module(d, &copy));
	copy.build_id_len = BUILD_ID_MAX + 1;
	assert_int_equal(dict_module(d, &copy), ID_NONE);
	assert_string_equal(strtab_get(dict_strings(d), dict_get_module(d, id)->path), "/a");
}

static void test_module_kinds(void **state)
{
	AUTO(dict_free) struct dict *d = dict_new();
	struct module anon = { .kind = MODULE_ANON, .pid = 10, .start_ns = 5 };
	struct module kernel = { .kind = MODULE_KERNEL, .path = strtab_adds(dict_strings(d), "[kernel]") };
	const module_id id = dict_module(d, &anon);

	assert_int_equal(dict_module(d, &anon), id);
	anon.start_ns = 6;
	assert_int_not_equal(dict_module(d, &anon), id);
	assert_int_equal(dict_module(d, &kernel), dict_module(d, &kernel));
	assert_int_equal(dict_modules(d), 3);
}

static void test_frames_and_stacks(void **state)
{
	AUTO(dict_free) struct dict *d = dict_new();
	struct module m = file_module(d, "/a", 1, 2);
	const module_id mod = dict_module(d, &m);
	const frame_id f = dict_frame(d, mod, 0x1234), g = dict_frame(d, mod, 0x1235);
	const stack_id s = dict_stack(d, STACK_ROOT, f), t = dict_stack(d, s, g);

	assert_int_not_equal(f, g);
	assert_int_equal(dict_frame(d, mod, 0x1234), f);
	assert_int_equal(dict_stack(d, STACK_ROOT, f), s);
	assert_int_equal(dict_stack(d, s, g), t);
	assert_int_not_equal(dict_stack(d, t, g), t);       /* recursion is another node */
	assert_int_equal(dict_get_stack(d, t)->parent, s);
	assert_int_equal(dict_get_stack(d, t)->frame, g);
	assert_int_equal(dict_get_frame(d, g)->offset, 0x1235);
	assert_int_equal(dict_get_stack(d, STACK_ROOT)->frame, ID_NONE);

	assert_int_equal(dict_frame(d, mod + 1, 0), ID_NONE);
	assert_int_equal(dict_stack(d, dict_stacks(d), f), ID_NONE);
	assert_int_equal(dict_stack(d, STACK_ROOT, dict_frames(d)), ID_NONE);
	dict_frame_flag(d, g, FRAME_F_NO_TABLE);
	assert_int_equal(dict_frame(d, mod, 0x1235), g);    /* a mark is no part of the key */
	assert_int_equal(dict_frame_flags(d, g), FRAME_F_NO_TABLE);
	assert_int_equal(dict_frame_flags(d, f), 0);
	assert_int_equal(dict_frame_flags(d, ID_NONE), 0);
	dict_frame_flag(d, ID_NONE, FRAME_F_NO_TABLE);      /* nobody is marked */
	assert_null(dict_get_frame(d, dict_frames(d)));
	assert_null(dict_get_stack(d, ID_NONE));
	assert_null(dict_get_module(d, 1));
	assert_null(dict_get_thread(d, 0));
}

/*
 * By dict_path() or one by one: the same ids in the same order, whatever is new, and also when
 * there is no room any more.
 */
static void test_paths(void **state)
{
	static const size_t limits[] = { 0, 3u << 20 };
	frame_id frame[300];
	stack_id ret[300];

	for (size_t l = 0; l < 2; l++) {
		AUTO(dict_free) struct dict *one = dict_new();
		AUTO(dict_free) struct dict *path = dict_new();
		struct module m = file_module(one, "/a", 1, 2);
		const module_id mod = dict_module(one, &m);
		uint64_t x = 1;
		bool full = false;

		assert_int_equal(dict_module(path, &m), mod);
		for (uint32_t i = 1; i <= 50; i++)
			assert_int_equal(dict_frame(path, mod, i), dict_frame(one, mod, i));
		if (limits[l])
			assert_int_equal(dict_limit(one, limits[l]) | dict_limit(path, limits[l]), 0);
		for (int i = 0; i < 4000; i++) {
			const uint32_t n = (uint32_t)(hash_u64(x++) % 300);
			stack_id s = STACK_ROOT, got;

			for (uint32_t k = 0; k < n; k++) {
				const uint64_t h = hash_u64(x++);

				/*
				 * Few at the root, so that paths share something; now and then the
				 * one of what has no room.
				 */
				frame[k] = h >> 60 == 0 && k > 250 ? dict_note(path, NOTE_OTHER) :
					(frame_id)(h % (k < 3 ? 2 : 50));
				if (frame[k] >= 50)
					assert_int_equal(dict_note(one, NOTE_OTHER), frame[k]);
			}
			got = dict_path(path, STACK_ROOT, frame, n, ret);
			for (uint32_t k = 0; k < n; k++) {
				s = dict_stack(one, s, frame[k]);
				assert_int_equal(ret[k], s);
			}
			assert_int_equal(got, s);
			full |= limits[l] && dict_refused(one) > 0;
		}
		assert_int_equal(dict_stacks(path), dict_stacks(one));
		assert_int_equal(dict_refused(path), dict_refused(one));
		assert_int_equal(dict_bytes(path), dict_bytes(one));
		assert_int_equal(full, limits[l] != 0);
		frame[0] = 0;
		frame[1] = dict_frames(path);
		assert_int_equal(dict_path(path, STACK_ROOT, frame, 2, ret), ID_NONE);
		assert_int_equal(dict_path(path, dict_stacks(path), frame, 1, ret), ID_NONE);
		assert_int_equal(dict_path(path, 5, frame, 0, ret), 5);
	}
}

static void test_notes(void **state)
{
	AUTO(dict_free) struct dict *d = dict_new();
	const frame_id other = dict_note(d, NOTE_OTHER), cut = dict_note(d, NOTE_CUT + 3);

	assert_int_not_equal(other, cut);
	assert_int_equal(dict_note(d, NOTE_OTHER), other);
	assert_int_equal(dict_modules(d), 1);
	assert_int_equal(dict_get_module(d, dict_get_frame(d, cut)->module)->kind, MODULE_NOTE);
	assert_int_equal(dict_get_frame(d, cut)->offset, NOTE_CUT + 3);
}

static void test_threads(void **state)
{
	AUTO(dict_free) struct dict *d = dict_new();
	struct thread t = { .pid = 5, .tid = 6, .start_ns = 7, .comm = strtab_adds(dict_strings(d), "one") };
	const thread_id id = dict_thread(d, &t);

	assert_int_equal(dict_thread(d, &t), id);
	t.comm = strtab_adds(dict_strings(d), "two");
	assert_int_equal(dict_thread(d, &t), id + 1);
	t.start_ns = 8;
	assert_int_equal(dict_thread(d, &t), id + 2);
	t.cgroup = t.comm;
	assert_int_equal(dict_thread(d, &t), id + 3);
	assert_int_equal(dict_threads(d), 4);
	assert_int_equal(dict_get_thread(d, id + 2)->start_ns, 8);
}

static void test_waits(void **state)
{
	AUTO(dict_free) struct dict *d = dict_new();
	const struct thread thread = { .tid = 6 };
	struct module m = file_module(d, "/a", 1, 2);
	struct wait w = { .call = CALL_SYSCALL + 202, .state = WAIT_INTERRUPTIBLE, .bucket = 5, .waker = ID_NONE };
	const struct wait *none = dict_get_wait(d, WAIT_EMPTY);
	const stack_id s = dict_stack(d, STACK_ROOT, dict_frame(d, dict_module(d, &m), 1));
	const wait_id id = dict_wait(d, &w);
	wait_id woken;

	assert_true(none->call == 0 && none->state == 0 && none->bucket == 0 && none->context == 0 && none->flags == 0);
	assert_true(none->waker == ID_NONE && none->waker_stack == STACK_ROOT);
	assert_int_not_equal(id, WAIT_EMPTY);
	assert_int_equal(dict_wait(d, &w), id);
	assert_int_equal(dict_wakerless(d, id), id);
	w.flags = 4;
	assert_int_equal(dict_wait(d, &w), id + 1);
	w.context = WAKER_TASK;
	w.waker = 0;
	assert_int_equal(dict_wait(d, &w), ID_NONE);     /* no such thread yet */
	assert_int_equal(dict_thread(d, &thread), 0);
	w.waker_stack = s + 1;
	assert_int_equal(dict_wait(d, &w), ID_NONE);
	w.waker_stack = s;
	woken = dict_wait(d, &w);
	assert_int_equal(woken, id + 2);
	assert_int_equal(dict_get_wait(d, woken)->waker_stack, s);
	assert_int_equal(dict_get_wait(d, dict_wakerless(d, woken))->waker, ID_NONE);
	assert_int_equal(dict_get_wait(d, dict_wakerless(d, woken))->context, WAKER_TASK);
	assert_int_equal(dict_waits(d), 5);
	assert_null(dict_get_wait(d, 5));
	assert_int_equal(dict_wakerless(d, 5), 5);
}

static void test_places(void **state)
{
	AUTO(dict_free) struct dict *d = dict_new();
	struct module m = file_module(d, "/a", 1, 2);
	struct memory_place p = { .node = 3, .mapping = MAPPING_FILE, .how = ACCESS_AT, .file = ID_NONE };
	const struct memory_place *none = dict_get_place(d, PLACE_EMPTY), *less;
	const place_id id = dict_place(d, &p);
	place_id with_file;

	assert_true(none->node == NODE_UNKNOWN && !none->mapping && !none->how && none->file == ID_NONE);
	assert_int_not_equal(id, PLACE_EMPTY);
	assert_int_equal(dict_place(d, &p), id);
	assert_int_equal(dict_fileless(d, id), id);
	p.file = 0;
	assert_int_equal(dict_place(d, &p), ID_NONE);    /* no such module yet */
	assert_int_equal(dict_module(d, &m), 0);
	with_file = dict_place(d, &p);
	assert_int_equal(with_file, id + 1);
	assert_int_equal(dict_fileless(d, with_file), id);
	p.node = 4;
	assert_int_equal(dict_place(d, &p), id + 2);
	less = dict_get_place(d, dict_fileless(d, id + 2));
	assert_true(less->node == 4 && less->mapping == MAPPING_FILE && less->how == ACCESS_AT &&
		    less->file == ID_NONE);
	assert_int_equal(dict_places(d), 5);
	assert_null(dict_get_place(d, 5));
	assert_int_equal(dict_fileless(d, 5), 5);
}

#define MANY 3000000u        /* the worst load factor of the index lies just after a doubling: at 3,145,728 */
#define BYTES_EACH 32u       /* 8 for the node, at most 2.7 slots of 8 bytes */

static void test_memory_of_a_node(void **state)
{
	AUTO(dict_free) struct dict *d = dict_new();
	struct module m = file_module(d, "/a", 1, 2);
	const module_id mod = dict_module(d, &m);
	frame_id f[64];
	stack_id s = STACK_ROOT;
	size_t before;

	for (unsigned int i = 0; i < 64; i++)
		f[i] = dict_frame(d, mod, i);
	before = dict_bytes(d);
	for (unsigned int i = 0; i < MANY; i++) {
		s = dict_stack(d, i % 100 ? s : i / 64, f[i % 64]);
		assert_int_not_equal(s, ID_NONE);
	}
	assert_true(dict_bytes(d) - before <= (size_t)dict_stacks(d) * BYTES_EACH);
	for (stack_id id = 1; id < dict_stacks(d); id++)
		assert_true(dict_get_stack(d, id)->parent < id);
}

struct reading {
	const struct dict *d;
	atomic_bool stop;
	uint64_t read, bad;
};

/* Follows every node that it can see to the root; each frame's offset is the depth at which it was added. */
static void *reader(void *arg)
{
	struct reading *r = arg;
	uint32_t seen = 1;
	bool last;

	do {
		const uint32_t n = (last = atomic_load(&r->stop), dict_stacks(r->d));

		for (; seen < n; seen++) {
			const struct stack *s = dict_get_stack(r->d, seen);
			const struct frame *f = dict_get_frame(r->d, s->frame);
			const struct module *m = f ? dict_get_module(r->d, f->module) : NULL;

			r->bad += s->parent >= seen || !m || m->kind != MODULE_FILE || f->offset != seen ||
				  strcmp(strtab_get(dict_strings(r->d), m->path), "/some/file") != 0;
			r->read++;
		}
	} while (!last);
	return NULL;
}

static void test_concurrent_reader(void **state)
{
	AUTO(dict_free) struct dict *d = dict_new();
	struct reading r = { .d = d };
	pthread_t thread;
	const uint32_t n = 200000;

	assert_int_equal(pthread_create(&thread, NULL, reader, &r), 0);
	for (uint32_t i = 1; i <= n; i++) {
		struct module m = file_module(d, "/some/file", 1, 1 + i % 100);
		const frame_id f = dict_frame(d, dict_module(d, &m), i);

		assert_int_equal(dict_stack(d, i - 1, f), i);
	}
	atomic_store(&r.stop, true);
	pthread_join(thread, NULL);
	assert_int_equal(r.bad, 0);
	assert_int_equal(r.read, n);
}

/* A chain that finds no room ends in "(other)" under its deepest known caller; what is known stays known. */
static void test_limit(void **state)
{
	const size_t limit = 3u << 20;
	AUTO(dict_free) struct dict *d = dict_new();
	struct module m = file_module(d, "/a", 1, 2);
	const module_id mod = dict_module(d, &m);
	const frame_id known = dict_frame(d, mod, 1), other = dict_note(d, NOTE_OTHER);
	const thread_id first = dict_thread(d, &(struct thread){ .pid = -2 });
	stack_id s = dict_stack(d, STACK_ROOT, known), t, full;
	const struct thread last = { .pid = -1, .comm = strtab_adds(dict_strings(d), "late") };
	uint64_t offset = 2;

	assert_int_equal(dict_other_stack(d), ID_NONE);
	assert_int_equal(dict_limit(d, limit), 0);
	assert_int_equal(dict_get_stack(d, dict_other_stack(d))->frame, other);
	for (full = s; dict_get_stack(d, full)->frame != other; offset++)
		full = dict_stack(d, s, dict_frame(d, mod, offset));
	assert_true(offset > 10000);
	assert_int_equal(dict_get_stack(d, full)->parent, s);
	assert_int_equal(dict_get_stack(d, dict_get_stack(d, full)->parent)->frame, known);
	assert_int_equal(dict_stack(d, full, known), full);
	assert_int_equal(dict_refused(d), 1);

	/* Frames or stacks, whichever was full first: in the end everything new has its stand-in, within the limit. */
	for (uint64_t i = 0; i < 100000; i++) {
		t = dict_stack(d, dict_stack(d, s, dict_frame(d, mod, 2 + i % 1000)), dict_frame(d, mod, 1u << 30 | i));
		assert_int_not_equal(t, ID_NONE);
	}
	for (int i = 0; i < 100000; i++)
		assert_int_not_equal(dict_thread(d, &(struct thread){ .pid = i }), ID_NONE);
	assert_int_equal(dict_frame(d, mod, 1ull << 40), other);
	assert_int_equal(dict_frame(d, mod, 1), known);
	assert_int_equal(dict_stack(d, STACK_ROOT, known), s);
	assert_int_equal(dict_thread(d, &last), dict_other_thread(d));
	assert_int_equal(dict_thread(d, &(struct thread){ .pid = -2 }), first);
	assert_string_equal(strtab_get(dict_strings(d), dict_get_thread(d, dict_other_thread(d))->comm), "(other)");
	assert_int_equal(dict_frame(d, dict_modules(d), 0), ID_NONE);    /* no such module is still an error */
	assert_true(dict_bytes(d) <= limit);
}

/* A wait that finds no room loses its waker, then everything: what is added by then is one of the few ways to wait. */
static void test_limit_of_waits(void **state)
{
	const size_t limit = 3200u << 10;    /* a page of threads has room in a sixteenth */
	AUTO(dict_free) struct dict *d = dict_new();
	struct wait w = { .call = CALL_SYSCALL, .waker = ID_NONE };
	uint32_t threads = 0, without = 0, empty = 0;

	assert_int_equal(dict_limit(d, limit), 0);
	for (; !dict_refused(d); threads++)
		assert_int_equal(dict_thread(d, &(struct thread){ .pid = (pid_t)threads }), threads);
	for (uint32_t i = 0; i < 40000; i++) {
		w = (struct wait){ .call = CALL_SYSCALL + i % 50, .context = WAKER_TASK, .waker = i % (threads - 1) };
		w.bucket = dict_get_wait(d, dict_wait(d, &w))->waker == ID_NONE;
		without += w.bucket;
	}
	assert_true(without > 10000);
	for (uint32_t i = 0; i < 500000; i++) {
		w = (struct wait){ .call = i, .state = 200, .waker = ID_NONE };
		empty += dict_wait(d, &w) == WAIT_EMPTY;
	}
	assert_true(empty > 0);
	assert_true(dict_bytes(d) <= limit);
}

/* A place that finds no room loses its file, then everything. */
static void test_limit_of_places(void **state)
{
	const size_t limit = 3u << 20;
	AUTO(dict_free) struct dict *d = dict_new();
	struct module m = file_module(d, "/a", 1, 2);
	const module_id mod = dict_module(d, &m);
	struct memory_place p = { .file = mod };
	uint32_t n = 0, without = 0, empty = 0;

	assert_int_equal(dict_limit(d, limit), 0);
	while (!dict_refused(d))
		dict_frame(d, mod, n++);
	for (uint32_t i = 0; i < 100000; i++) {
		place_id id;

		p.node = (uint16_t)(i % 64);
		p.mapping = (uint8_t)(i / 64);
		p.how = (uint8_t)(i / 64 / 256);
		id = dict_place(d, &p);
		assert_int_not_equal(id, ID_NONE);
		empty += id == PLACE_EMPTY;
		without += id != PLACE_EMPTY && dict_get_place(d, id)->file == ID_NONE;
		if (id != PLACE_EMPTY)
			assert_int_equal(dict_get_place(d, id)->node, p.node);
	}
	assert_true(without > 0);
	assert_true(empty > 0);
	assert_true(dict_bytes(d) <= limit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_limit_of_waits),
		cmocka_unit_test(test_limit_of_places),
		cmocka_unit_test(test_module_identity),
		cmocka_unit_test(test_module_kinds),
		cmocka_unit_test(test_frames_and_stacks),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_memory_of_a_node),
		cmocka_unit_test(test_concurrent_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
