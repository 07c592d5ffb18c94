/* SPDX-License-Identifier: BSD-2-Clause */
/* test_execmaps.c - what is executable of this process by questions is what the text of its maps says. */
#include "config.h"

#include "base/cleanup.h"
#include "system/procfs.h"

#include "tests/unit/cmocka_all.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPS_MAX 256u

struct seen {
	size_t n;
	struct maps_line m[MAPS_MAX];
	enum map_what what[MAPS_MAX];
};

static void take(void *ctx, const struct maps_line *m)
{
	struct seen *s = ctx;

	/*
	 * Where there are no questions the text has all of them. And it has a page of the kernel's
	 * own, which is no mapping.
	 */
	if (!m->exec || (m->name_len == strlen("[vsyscall]") && !memcmp(m->name, "[vsyscall]", m->name_len)))
		return;
	assert_true(s->n < MAPS_MAX);
	s->what[s->n] = m->ino ? WHAT_FILE : map_what(m->name, m->name_len);
	s->m[s->n++] = *m;
}

static void as_the_text(void **state)
{
	static struct seen asked, text;
	void *jit = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	AUTO_FD int dir = proc_open(getpid());
	bool vdso = false, own = false;

	assert_ptr_not_equal(jit, MAP_FAILED);
	assert_true(proc_read_exec_maps(getpid(), take, &asked) > 0);
	assert_true(proc_read_maps(dir, take, &text) > 0);
	assert_int_equal(asked.n, text.n);
	for (size_t i = 0; i < asked.n; i++) {
		const struct maps_line *a = &asked.m[i], *b = &text.m[i];

		assert_int_equal(a->start, b->start);
		assert_int_equal(a->end, b->end);
		assert_int_equal(a->ino, b->ino);
		assert_int_equal(asked.what[i], text.what[i]);
		assert_true(a->read == b->read && a->write == b->write && a->shared == b->shared);
		assert_true(a->maj == b->maj && a->min == b->min);
		/* The text has an offset for what is no file, too, which says nothing. */
		assert_true(!a->ino || a->pgoff == b->pgoff);
		vdso |= asked.what[i] == WHAT_VDSO;
		own |= a->start <= (uintptr_t)jit && (uintptr_t)jit < a->end && asked.what[i] == WHAT_ANON && a->write;
	}
	assert_true(vdso && own);
	munmap(jit, 8192);
}

static void nobody(void **state)
{
	struct seen s = { 0 };

	assert_int_equal(proc_read_exec_maps(0x3fffffff, take, &s), -ENOENT);
	assert_int_equal(s.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_the_text),
		cmocka_unit_test(nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
