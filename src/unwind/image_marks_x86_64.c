// SPDX-License-Identifier: BSD-2-Clause
/*
 * image_marks_x86_64.c - the code bytes of the marks on x86-64.
 *
 *  sigreturn   mov $15,%rax; syscall: what Linux makes every handler return to; glibc has CFI for it, musl
 *              and Go have none.
 *  clone       syscall; test %rax,%rax; jl; je; ret: glibc ends its CFI before the system call, because behind it two
 *              different stacks run the same code. musl: test %eax,%eax; jne; xor %ebp,%ebp; pop %rdi; call *%r9.
 *  context     mov %rbx,%rsp; mov (%rsp),%rdi; test %rdi,%rdi; je: what makecontext() of glibc lets a coroutine's first
 *              function return to. Boost.Context's: xor %rdi,%rdi; call _exit, behind push %rbp; jmp *%rbx,
 *              which puts it there.
 *  musl entry  call *reg; mov %eax,%edi; call exit: main was called here.
 *              call *(reg) or *N(reg); mov %rax,%rdi, or of C11's threads movslq %eax,%rdi; call
 *              pthread_exit: a thread's function
 *              was called here.
 *              call *%r9; mov %eax,%edi; xor %eax,%eax; mov $60,%al; syscall: what clone() started returned.
 *              The bytes are common ones, so they count only in a musl program, told by the first instructions of its
 *              entry point (xor %rbp,%rbp; mov %rsp,%rdi; lea _DYNAMIC(%rip),%rsi), and only where there is no CFI.
 */
#include "config.h"

#include "unwind/arch.h"
#include "unwind/image_impl.h"

#include <string.h>

#define MUSL_ENTRY 64u                   /* bytes of _start, and of _start_c, which it goes on in */

static const uint8_t sigreturn[] = { 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05 };
static const uint8_t start_context[] = { 0x48, 0x89, 0xdc, 0x48, 0x8b, 0x3c, 0x24, 0x48, 0x85, 0xff, 0x74 };
static const uint8_t boost_context[] = { 0x55, 0xff, 0xe3, 0x48, 0x31, 0xff, 0xe8 };
#define BOOST_END 3u                     /* there it is where it returns to */
static const uint8_t musl_clone[] = { 0x85, 0xc0, 0x75, 0x0f, 0x31, 0xed, 0x5f, 0x41, 0xff, 0xd1 };
static const uint8_t musl_start[] = { 0x48, 0x31, 0xed, 0x48, 0x89, 0xe7, 0x48, 0x8d, 0x35 };

static bool bytes_at(const uint8_t *p, const uint8_t *end, const void *want, size_t n)
{
	return (size_t)(end - p) >= n && memcmp(p, want, n) == 0;
}

/* Steps over an instruction of LEN bytes that begins with the N at WANT. */
static bool step_over(const uint8_t **p, const uint8_t *end, const void *want, size_t n, size_t len)
{
	if (!bytes_at(*p, end, want, n) || (size_t)(end - *p) < len)
		return false;
	*p += len;
	return true;
}

/*
 * P stands at a system call instruction: is it the one of clone()? Returns the bytes from behind it
 * to the ret, or 0.
 */
static size_t clone_tail(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *q = p + 2;

	if (bytes_at(q, end, musl_clone, sizeof(musl_clone)))
		return sizeof(musl_clone);
	if (!step_over(&q, end, "\x48\x85\xc0", 3, 3))
		return 0;
	if (!step_over(&q, end, "\x7c", 1, 2) && !step_over(&q, end, "\x0f\x8c", 2, 6))
		return 0;
	if (end - q < 3 || q[0] != 0x74 || q[2] != 0xc3)
		return 0;
	return (size_t)(q + 3 - (p + 2));
}

static void syscall_marks(struct image *im, const uint8_t *text, const uint8_t *end, uint64_t vaddr)
{
	for (const uint8_t *p = text; (p = memmem(p, (size_t)(end - p), "\x0f\x05", 2)); p += 2) {
		uint64_t at = vaddr + (uint64_t)(p - text);
		size_t tail = clone_tail(p, end);

		if (tail)
			image_add_mark(im, MARK_CLONE, at + 2, at + 2 + tail);
		if ((size_t)(p - text) >= sizeof(sigreturn) - 2 &&
		    bytes_at(p + 2 - sizeof(sigreturn), end, sigreturn, sizeof(sigreturn)))
			image_add_sigreturn(im, at + 2 - sizeof(sigreturn), at + 2);
	}
}

static void context_marks(struct image *im, const uint8_t *text, const uint8_t *end, uint64_t vaddr)
{
	const uint8_t *p = memmem(text, (size_t)(end - text), start_context, sizeof(start_context));
	const uint8_t *b = memmem(text, (size_t)(end - text), boost_context, sizeof(boost_context));

	if (p)
		image_add_mark(im, MARK_CONTEXT, vaddr + (uint64_t)(p - text), vaddr + (uint64_t)(p - text) + 1);
	if (b)
		image_add_mark(im, MARK_CONTEXT, vaddr + (uint64_t)(b - text) + BOOST_END,
			       vaddr + (uint64_t)(b - text) + BOOST_END + 1);
}

/* Each mark of an entry is the one return address behind its call. */
static void musl_marks(struct image *im, const uint8_t *text, const uint8_t *end, uint64_t vaddr)
{
	for (const uint8_t *p = text + 2; p < end; p++) {
		uint64_t at = vaddr + (uint64_t)(p - text);
		bool call_reg = p[-2] == 0xff && (p[-1] & 0xf8) == 0xd0;
		bool call_mem = (p[-2] == 0xff && (p[-1] & 0xf8) == 0x10) ||
			(p - text >= 3 && p[-3] == 0xff && (p[-2] & 0xf8) == 0x50);

		if (call_reg && bytes_at(p, end, "\x89\xc7\xe8", 3))
			image_add_mark(im, MARK_ROOT, at, at + 1);
		else if ((call_reg || call_mem) &&
			 (bytes_at(p, end, "\x48\x89\xc7\xe8", 4) || bytes_at(p, end, "\x48\x63\xf8\xe8", 4)))
			image_add_mark(im, MARK_ROOT, at, at + 1);
		else if (call_reg && bytes_at(p, end, "\x89\xc7\x31\xc0\xb0\x3c\x0f\x05", 8))
			image_add_mark(im, MARK_ROOT, at, at + 1);
	}
}

/* push %rbp; mov %rsp,%rbp in its two encodings */
size_t x86_64_count_prologues(const uint8_t *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i + 4 <= len; i++)
		n += memcmp(text + i, "\x55\x48\x89\xe5", 4) == 0 || memcmp(text + i, "\x55\x48\x8b\xec", 4) == 0;
	return n;
}

void x86_64_find_marks(struct image *im, const uint8_t *text, size_t len, uint64_t vaddr)
{
	const uint8_t *end = text + len;

	syscall_marks(im, text, end, vaddr);
	context_marks(im, text, end, vaddr);
	if (im->entry >= vaddr && im->entry - vaddr < len &&
	    bytes_at(text + (im->entry - vaddr), end, musl_start, sizeof(musl_start)) && len > 2) {
		im->entry_end = im->entry + MUSL_ENTRY;
		musl_marks(im, text, end, vaddr);
	}
}
