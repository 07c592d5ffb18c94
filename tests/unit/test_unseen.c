/* SPDX-License-Identifier: BSD-2-Clause */
/* test_unseen.c - programs into which no library can be put: each process of them counts once, however many wait. */
#include "config.h"

#include "engine/unseen.h"

#include "cmocka_all.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MANY 10000u              /* processes: more than there may be different programs that wait */
#define SELF "/proc/self/exe"    /* is linked dynamically */

/* Writes a program that is linked statically, as it has no interpreter, to a new file at PATH. */
static void make_static(char *path)
{
	Elf64_Ehdr head = { .e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(head), .e_phoff = sizeof(head), .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1, .e_shentsize = sizeof(Elf64_Shdr) };
	const Elf64_Phdr text = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x400000 };
	const int fd = mkstemp(path);

	assert_true(fd >= 0);
	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	head.e_ident[EI_VERSION] = EV_CURRENT;
	assert_int_equal(write(fd, &head, sizeof(head)), sizeof(head));
	assert_int_equal(write(fd, &text, sizeof(text)), sizeof(text));
	close(fd);
}

static void each_process_counts(void **state)
{
	char path[] = "/tmp/sberf-unseen-XXXXXX";
	AUTO(unseen_free) struct unseen *u = unseen_new();
	struct err why = ERR_INIT;

	(void)state;
	make_static(path);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_true(unseen_begun(u, path));
		assert_true(unseen_begun(u, SELF));
	}
	assert_int_equal(unseen_count(u, &why), 0);
	unseen_look(u);
	assert_int_equal(unseen_count(u, &why), MANY);
	assert_non_null(strstr(why.text, "linked statically"));
	/* It is remembered, and not read again. */
	assert_int_equal(unlink(path), 0);
	assert_true(unseen_begun(u, path));
	unseen_look(u);
	assert_int_equal(unseen_count(u, &why), MANY + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_process_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
