// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_files.c - files that are written to, and images that nobody needs: real ELF files in a
 * directory of their own.
 */
#include "config.h"

#include "base/clock.h"
#include "process/files_impl.h"
#include "tests/unit/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

struct world {
	struct dict *dict;
	struct files *fs;
	char dir[32], path[64], other[64];
};

/* Writes this program over what is at PATH, with MORE bytes behind it. */
static void write_elf(const char *path, const char *more)
{
	const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	struct stat st;

	assert_true(from >= 0 && to >= 0);
	assert_int_equal(fstat(from, &st), 0);
	for (off_t left = st.st_size; left > 0;) {
		const ssize_t n = sendfile(to, from, NULL, (size_t)left);

		assert_true(n > 0);
		left -= n;
	}
	assert_int_equal(write(to, more, strlen(more)), strlen(more));
	close(from);
	close(to);
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->dict = dict_new();
	assert_non_null(w->dict);
	assert_int_equal(files_new(w->dict, load_file, NULL, 5 * NSEC_PER_SEC, &w->fs, NULL), 0);
	strcpy(w->dir, "/tmp/sberf-test-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->path, sizeof(w->path), "%s/program", w->dir);
	snprintf(w->other, sizeof(w->other), "%s/copy", w->dir);
	write_elf(w->path, "");
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	files_free(w->fs);
	dict_free(w->dict);
	unlink(w->path);
	unlink(w->other);
	rmdir(w->dir);
	free(w);
	return 0;
}

/* PATH as a process maps it at SINCE_NS that has just begun, whose number is none. */
static backing_id map_since(struct world *w, const char *path, uint64_t since_ns)
{
	const struct place p = { .pid = 1 << 30, .path = (char *)(uintptr_t)path };
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return files_add(w->fs, &(struct file_id){ .dev = st.st_dev, .ino = st.st_ino, .generation = 7 }, &p, since_ns);
}

static backing_id map(struct world *w, const char *path)
{
	return map_since(w, path, clock_mono_ns());
}

static struct unwind_map load(struct world *w, backing_id b)
{
	const uint64_t until = clock_mono_ns() + 20 * NSEC_PER_SEC;
	struct unwind_map m;

	for (files_state(w->fs, b, &m); m.state == MAP_LOADING && clock_mono_ns() < until; files_state(w->fs, b, &m)) {
		usleep(1000);
		files_poll(w->fs);
	}
	return m;
}

static void what_is_written_to_is_another_file(void **state)
{
	struct world *w = *state;
	const backing_id first = map(w, w->path);
	const struct unwind_map before = load(w, first);
	struct unwind_map after;
	backing_id second;

	assert_int_equal(before.state, MAP_READY);
	assert_int_equal(map(w, w->path), first);
	write_elf(w->path, "more");
	second = map(w, w->path);
	assert_int_not_equal(second, first);
	after = load(w, second);
	assert_int_equal(after.state, MAP_READY);
	/* Its build-id says that it is the same program. */
	assert_int_equal(after.module, before.module);
	assert_int_equal(map(w, w->path), second);
	/* Another program altogether. */
	assert_int_equal(truncate(w->path, 0), 0);
	assert_int_equal(map(w, w->path) == second, false);
	assert_int_equal(load(w, map(w, w->path)).state, MAP_ANON);
	assert_int_equal(load(w, first).module, before.module);
}

/*
 * Many mappings of a library are told of together, when all of them are older than the look at it
 * for the first of them.
 */
static void a_file_is_looked_at_once_for_older_mappings(void **state)
{
	struct world *w = *state;
	const backing_id first = map(w, w->path);

	assert_int_equal(load(w, first).state, MAP_READY);
	assert_int_equal(map(w, w->path), first);
	write_elf(w->path, "more");
	assert_int_equal(map_since(w, w->path, w->fs->entry.v[first]->looked_ns - 1), first);
	assert_int_not_equal(map_since(w, w->path, w->fs->entry.v[first]->looked_ns), first);
}

static void images_without_users_go(void **state)
{
	struct world *w = *state;
	const backing_id b = map(w, w->path);
	const struct unwind_map before = load(w, b);
	struct files_stats stats;
	struct unwind_map now;

	assert_int_equal(before.state, MAP_READY);
	assert_false(files_crowded(w->fs));
	w->fs->image_limit = 1;
	assert_true(files_crowded(w->fs));
	w->fs->entry.v[b]->marked = true;
	files_sweep(w->fs);
	assert_ptr_equal(files_image(w->fs, before.module), before.image);
	w->fs->image_limit = 1;
	files_sweep(w->fs);
	assert_null(files_image(w->fs, before.module));
	assert_false(files_crowded(w->fs));
	files_stats(w->fs, &stats);
	assert_int_equal(stats.loads, 1);
	assert_int_equal(map(w, w->path), b);
	now = load(w, b);
	assert_int_equal(now.state, MAP_READY);
	assert_int_equal(now.module, before.module);
	assert_non_null(now.image);
	files_stats(w->fs, &stats);
	assert_int_equal(stats.loads, 2);
}

/* What is mapped under one of its names keeps the image, which the entry of the other one has. */
static void an_equal_file_keeps_the_image(void **state)
{
	struct world *w = *state;
	const backing_id first = map(w, w->path);
	const struct unwind_map elder = load(w, first);
	backing_id younger;

	write_elf(w->other, "");
	younger = map(w, w->other);
	assert_int_equal(load(w, younger).module, elder.module);
	w->fs->image_limit = 1;
	w->fs->entry.v[younger]->marked = true;
	files_sweep(w->fs);
	assert_ptr_equal(files_image(w->fs, elder.module), elder.image);
	w->fs->image_limit = 1;
	files_sweep(w->fs);
	assert_null(files_image(w->fs, elder.module));
	assert_int_equal(load(w, map(w, w->other)).state, MAP_READY);
	/* The younger brought it anew, which says nothing of when the elder's own file was written to. */
	assert_int_equal(map(w, w->path), first);
	assert_int_equal(map(w, w->other), younger);
	write_elf(w->path, "more");
	assert_int_not_equal(map(w, w->path), first);
	assert_int_equal(map(w, w->other), younger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_written_to_is_another_file, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_is_looked_at_once_for_older_mappings, setup, teardown),
		cmocka_unit_test_setup_teardown(images_without_users_go, setup, teardown),
		cmocka_unit_test_setup_teardown(an_equal_file_keeps_the_image, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
