/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapped.bpf.h - what is mapped at an address of the current task, at this very moment: user space
 * looks a little later, when the process may be gone.
 */
#ifndef SBERF_BPF_MAPPED_H
#define SBERF_BPF_MAPPED_H

#include "record.bpf.h"

/* The kernel has bpf_find_vma(). */
const volatile bool finds_vma = false;

/* What is handed to a callback has to be on the stack. */
struct naming {
	struct sb_part_text *p;
};

/* Up to 8 characters as one word: a text of its own would be a map of its own. */
#define MAPPED_WORD(a, b, c, d, e) \
	((__u64)(a) | (__u64)(b) << 8 | (__u64)(c) << 16 | (__u64)(d) << 24 | (__u64)(e) << 32)

/* Writes what VMA is of as the text of the part of N. */
static long name_mapped(struct task_struct *task, struct vm_area_struct *vma, struct naming *n)
{
	struct sb_part_text *p = n->p;
	struct mm_struct *mm = vma->vm_mm;
	struct file *file = vma->vm_file;
	__u64 *to = (__u64 *)(p + 1);
	long got;

	if (file) {
		got = bpf_probe_read_kernel_str(to, SB_MAPPED_MAX, file->f_path.dentry->d_name.name);
		p->got = got > 0 ? got - 1 : 0;
	} else if (vma->vm_start < mm->brk && vma->vm_end > mm->start_brk) {
		*to = MAPPED_WORD('h', 'e', 'a', 'p', 0);
		p->got = 4;
	} else if (vma->vm_start <= mm->start_stack && vma->vm_end >= mm->start_stack) {
		*to = MAPPED_WORD('s', 't', 'a', 'c', 'k');
		p->got = 5;
	} else {
		*to = MAPPED_WORD('a', 'n', 'o', 'n', 0);
		p->got = 4;
	}
	return 0;
}

/*
 * What is mapped at ADDR of TASK, which is current, as the text of argument ARG, at OFF. Returns the offset
 * behind it.
 */
static __always_inline __u32 put_mapped(struct scratch *s, __u32 off, struct task_struct *task, __u32 arg, __u64 addr)
{
	struct sb_part_text *p;
	struct naming n;
	__u32 bytes;

	_Static_assert(SB_MAPPED_MAX <= SB_TEXT_MAX, "there is room for it");
	barrier_var(off);
	if (off > RECORD_MAX - TEXT_BYTES || !finds_vma)
		return off;
	p = (void *)(s->rec + off);
	p->got = 0;
	n.p = p;
	if (bpf_find_vma(task, addr, name_mapped, &n, 0))
		return off;
	bytes = (p->got + 7u) & (2 * SB_MAPPED_MAX - 1) & ~7u;
	p->part.size = sizeof(*p) + bytes;
	p->part.type = SB_PART_TEXT;
	p->part.flags = 0;
	p->arg = arg;
	p->pad = 0;
	return off + sizeof(*p) + bytes;
}

#endif
