/* SPDX-License-Identifier: BSD-2-Clause */
/* test_moved.c - memory is text of a file when its bytes say so, and where it begins there. */
#include "config.h"

#include "process/moved.h"

#include "base/cleanup.h"

#include "tests/unit/cmocka_all.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 8u
#define PAGE 4096u
#define TEXT_AT (2 * PAGE)       /* in the file; its address is TEXT_AT + SHIFT */
#define SHIFT 0x10000u

struct world {
	int fd;
	uint8_t *text;           /* memory that may be the file's text */
	struct moved m;
};

/* A file of a page of headers, and text of PAGES that say something; the same in memory. */
static int set_up(void **state)
{
	static struct world w;
	static uint8_t file[TEXT_AT + PAGES * PAGE];
	Elf64_Ehdr h = { .e_ident = ELFMAG, .e_phoff = sizeof(h), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2 };
	const Elf64_Phdr p[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = PAGE, .p_memsz = PAGE },
		{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = TEXT_AT, .p_vaddr = TEXT_AT + SHIFT,
		  .p_filesz = PAGES * PAGE, .p_memsz = PAGES * PAGE },
	};

	h.e_ident[EI_CLASS] = ELFCLASS64;
	memcpy(file, &h, sizeof(h));
	memcpy(file + sizeof(h), p, sizeof(p));
	for (size_t i = TEXT_AT; i < sizeof(file); i++)
		file[i] = (uint8_t)(i * 2654435761u >> 13);
	w.fd = memfd_create("elf", MFD_CLOEXEC);
	if (w.fd < 0 || write(w.fd, file, sizeof(file)) != (ssize_t)sizeof(file))
		return -1;
	w.text = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w.text == MAP_FAILED)
		return -1;
	memcpy(w.text, file + TEXT_AT, PAGES * PAGE);
	/* The headers are mapped where they belong beside it. */
	w.m = (struct moved){ .start = (uintptr_t)w.text, .end = (uintptr_t)w.text + PAGES * PAGE,
			      .addr = (uintptr_t)w.text - TEXT_AT - SHIFT };
	*state = &w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	close(w->fd);
	return munmap(w->text, PAGES * PAGE);
}

static int check(const struct world *w, const struct moved *m, uint64_t *ret)
{
	return moved_check(w->fd, getpid(), m, ret, NULL);
}

static void its_bytes_agree(void **state)
{
	struct world *w = *state;
	struct moved part = w->m;
	uint64_t at = 0;

	assert_int_equal(check(w, &w->m, &at), 0);
	assert_int_equal(at, TEXT_AT);
	part.start += 2 * PAGE;
	assert_int_equal(check(w, &part, &at), 0);
	assert_int_equal(at, TEXT_AT + 2 * PAGE);
	/* Of its text, where that was mapped before. */
	part.addr = w->m.start;
	part.pgoff = TEXT_AT;
	part.exec = true;
	assert_int_equal(check(w, &part, &at), 0);
	assert_int_equal(at, TEXT_AT + 2 * PAGE);
}

static void a_breakpoint_makes_no_other_text(void **state)
{
	struct world *w = *state;
	uint64_t at = 0;

	w->text[0] = 0xcc;
	assert_int_equal(check(w, &w->m, &at), 0);
	assert_int_equal(at, TEXT_AT);
}

static void other_bytes_are_other_text(void **state)
{
	struct world *w = *state;
	uint64_t at = 77;

	memset(w->text, 0x90, PAGES * PAGE / 2);
	assert_int_equal(check(w, &w->m, &at), -ESTALE);
	memset(w->text, 0, PAGES * PAGE);
	assert_int_equal(check(w, &w->m, &at), -ESTALE);
	assert_int_equal(at, 77);
}

/* Two pieces that say something, beside each other and at no place that is looked at first. */
static void nearly_all_is_filling(void **state)
{
	struct world *w = *state;
	uint8_t page[PAGE];
	uint64_t at = 77;

	memset(page, 0x90, sizeof(page));
	for (unsigned int i = 0; i < PAGES; i++)
		assert_int_equal(pwrite(w->fd, page, PAGE, TEXT_AT + i * PAGE), PAGE);
	memset(w->text, 0x90, PAGES * PAGE);
	assert_int_equal(check(w, &w->m, &at), -ESTALE);
	for (unsigned int i = 0; i < 128; i++)
		w->text[5 * PAGE + 1024 + i] = (uint8_t)(i * 7);
	assert_int_equal(pwrite(w->fd, w->text + 5 * PAGE, PAGE, TEXT_AT + 5 * PAGE), PAGE);
	assert_int_equal(check(w, &w->m, &at), 0);
	assert_int_equal(at, TEXT_AT);
	w->text[5 * PAGE + 1024 + 70]++;
	at = 77;
	assert_int_equal(check(w, &w->m, &at), -ESTALE);
	assert_int_equal(at, 77);
}

static void another_place_is_other_text(void **state)
{
	struct world *w = *state;
	struct moved m = w->m;
	uint64_t at;

	m.addr += PAGE;
	assert_int_equal(check(w, &m, &at), -ESTALE);
	m.addr = w->m.addr - 64 * PAGE;
	assert_int_equal(check(w, &m, &at), -ESTALE);
	m = w->m;
	m.pgoff = 64 * PAGE;
	assert_int_equal(check(w, &m, &at), -ESTALE);
	m = w->m;
	m.exec = true;
	assert_int_equal(check(w, &m, &at), -ESTALE);
}

static void headers_that_lie(void **state)
{
	struct world *w = *state;
	uint64_t at;

	for (size_t i = 0; i < sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr); i++) {
		const uint8_t all = 0xff;
		uint8_t had;

		assert_int_equal(pread(w->fd, &had, 1, (off_t)i), 1);
		assert_int_equal(pwrite(w->fd, &all, 1, (off_t)i), 1);
		(void)check(w, &w->m, &at);
		assert_int_equal(pwrite(w->fd, &had, 1, (off_t)i), 1);
	}
	assert_int_equal(ftruncate(w->fd, TEXT_AT + PAGE), 0);
	assert_int_equal(check(w, &w->m, &at), -EIO);
	assert_int_equal(ftruncate(w->fd, 10), 0);
	assert_int_equal(check(w, &w->m, &at), -ESTALE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
		TEST(its_bytes_agree),
		TEST(a_breakpoint_makes_no_other_text),
		TEST(other_bytes_are_other_text),
		TEST(nearly_all_is_filling),
		TEST(another_place_is_other_text),
		TEST(headers_that_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
