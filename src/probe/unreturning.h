/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unreturning.h - what would not survive a return probe.
 *
 * A return probe replaces the return address of the function that it follows, until that has
 * returned (uprobes, Linux 3.10 and later). Who walks the stack by itself meanwhile finds an address
 * that no table knows: an exception of C++ or a panic of Rust that passes such a function ends in
 * std::terminate() or abort(), and Go, which moves its stacks, stops with "unexpected return pc". A
 * function that returns twice comes to the replaced address a second time, when the kernel has
 * forgotten what it stood for, and sends SIGILL. So a return probe would end the program that it is
 * to watch, and is not placed: the instructions that leave the function are probed instead
 * (leaves.h), as far as that can tell calls apart.
 */
#ifndef SBERF_PROBE_UNRETURNING_H
#define SBERF_PROBE_UNRETURNING_H

#include "symbol/elffile.h"

#include <stdbool.h>

/*
 * What in FILE would not survive a return probe, in words that go on with "would not survive it":
 * "exceptions of C++", "panics of Rust", "stacks of Go"; NULL when nothing is known: code in C, and
 * what has no symbols at all. By the names that such code needs in a symbol table, that of dynamic
 * symbols too, so that stripped programs are recognised.
 */
const char *unreturning_file(const struct elf_file *file);

/*
 * Whether PATH, of a file that a process has mapped, is a library that unwinds stacks for exceptions: that of GCC or of
 * LLVM, or the one of C++ above it.
 */
bool unreturning_library(const char *path);

/*
 * Whether the function called SYMBOL of the C library at PATH calls back what its caller gave it, so that an exception
 * may pass it: qsort(). Of a file that is no C library any may.
 */
bool unreturning_caller(const char *path, const char *symbol);

/*
 * Whether the function called SYMBOL returns twice, or on another stack than it was called on:
 * setjmp(), vfork(), getcontext(), swapcontext(), with underscores before them or without (those of
 * which GCC knows it by their name, and the last).
 */
bool unreturning_function(const char *symbol);

/*
 * Why the calls of SYMBOL in FILE cannot be told apart by thread and stack pointer, as a clause; NULL
 * when they can.
 */
const char *unreturning_stack(const struct elf_file *file, const char *symbol);

#endif
