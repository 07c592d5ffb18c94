// SPDX-License-Identifier: BSD-2-Clause
/*
 * movedtext.c - a program whose text moves to other memory at the same address, as it does for huge
 * pages: movedtext S HOW [FILE]
 *
 * HOW is "mremap", anonymous memory moved over it; "memfd", a file in memory; "copy", fresh
 * anonymous memory; "huge", the same of huge pages (MAP_HUGETLB); "file", a file on a mounted
 * hugetlbfs, which the third argument names. What moves are whole pages of 2 MB, in which the
 * functions are that take the time. "orphan" is "copy" of a program that ends while a child of it
 * goes on.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HUGE_PAGE (2ul << 20)

/* With FILLING nearly all of the text is one byte, again and again. */
#ifdef FILLING
#define FILL "0x9090909090909090"
#else
#define FILL "0x0b0fcccc"
#endif

#if defined(__x86_64__)
/*
 * move_text(TO, FROM, N, FD, FLAGS): maps N bytes of FD over TO, by system calls alone, copies FROM
 * there, and makes it code. It runs from a copy of itself, as the text may be gone meanwhile.
 * Before it and behind the functions of this file lies what fills the pages that move.
 */
asm(".text\n"
    ".globl text_start, text_end, move_text, move_text_end\n"
    "text_start: .fill 0x50000, 8, " FILL "\n"
    "move_text:\n"
    "	push %rdi\n push %rsi\n push %rdx\n"
    "	mov %r8d, %r10d\n movslq %ecx, %r8\n mov %rdx, %rsi\n mov $3, %edx\n xor %r9d, %r9d\n mov $9, %eax\n syscall\n"
    "	pop %rcx\n pop %rsi\n pop %rdi\n"
    "	cmp %rdi, %rax\n jne 1f\n"
    "	push %rdi\n push %rcx\n rep movsb\n pop %rsi\n pop %rdi\n"
    "	mov $5, %edx\n mov $10, %eax\n syscall\n"
    "1:	ret\n"
    "move_text_end:\n");
#else
#error "movedtext: write the code of this architecture"
#endif

extern char text_start[], text_end[], move_text[], move_text_end[];

NOINLINE void text_leaf(void)
{
	burn(100000);
	sink++;
}

NOINLINE void text_middle(void)
{
	text_leaf();
	sink++;
}

NOINLINE void text_outer(void)
{
	text_middle();
	sink++;
}

asm(".text\n .fill 0x50000, 8, " FILL "\n text_end:\n");

static void fail(const char *what)
{
	perror(what);
	_exit(2);
}

static void move(char *to, size_t n, int fd, int flags)
{
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *copy = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long (*mover)(void *to, const void *from, size_t n, int fd, int flags);

	if (code == MAP_FAILED || copy == MAP_FAILED)
		fail("mmap");
	memcpy(code, move_text, (size_t)(move_text_end - move_text));
	memcpy(copy, to, n);
	if (mprotect(code, 4096, PROT_READ | PROT_EXEC))
		fail("mprotect");
	memcpy(&mover, &code, sizeof(code));
	if (mover(to, copy, n, fd, flags))
		fail("the text does not move");
}

static void move_by(const char *how, const char *path, char *to, size_t n)
{
	int fd = -1;

	if (!strcmp(how, "memfd"))
		fd = memfd_create("hugetext", MFD_CLOEXEC);
	else if (!strcmp(how, "file"))
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 && !strcmp(how, "file"))
		fail(path);
	if (fd >= 0 && ftruncate(fd, (off_t)n))
		fail("ftruncate");
	if (!strcmp(how, "mremap")) {
		char *copy = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (copy == MAP_FAILED)
			fail("mmap");
		memcpy(copy, to, n);
		if (mprotect(copy, n, PROT_READ | PROT_EXEC) ||
		    mremap(copy, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
			fail("mremap");
		return;
	}
	move(to, n, fd, MAP_FIXED | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED) |
			(!strcmp(how, "huge") ? MAP_HUGETLB : 0));
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "copy";
	const uintptr_t from = ((uintptr_t)text_start + HUGE_PAGE - 1) & -HUGE_PAGE,
		to = (uintptr_t)text_end & -HUGE_PAGE;

	end_after(argc, argv);
	move_by(how, argc > 3 ? argv[3] : "", (char *)from, to - from);
	if (!strcmp(how, "orphan")) {
		if (fork())
			_exit(0);
		end_after(argc, argv);
		printf("%d\n", (int)getpid());
		fflush(stdout);
	}
	ready();
	for (;;)
		text_outer();
}
