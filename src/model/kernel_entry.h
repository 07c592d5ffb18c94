/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_entry.h - knows the functions through which a kernel is entered, by their names.
 *
 * Every stack that goes into the kernel begins there with a few of them, each of which does hardly
 * more than call the next. They say how the kernel was entered, and not what it did. Architectures
 * give them different names, so a name alone says which one it is.
 */
#ifndef SBERF_MODEL_KERNEL_ENTRY_H
#define SBERF_MODEL_KERNEL_ENTRY_H

enum kernel_entry {
	KERNEL_ENTRY_NONE,       /* it is none of them */
	KERNEL_ENTRY_CALL,       /* by the thread itself: a system call, a fault, its own start */
	KERNEL_ENTRY_INTERRUPT,  /* by a device, a timer or another CPU */
};

/* What the function NAME of any kernel is; a suffix of the compiler (".isra.0") may follow it. */
enum kernel_entry kernel_entry_of(const char *name);

#endif
