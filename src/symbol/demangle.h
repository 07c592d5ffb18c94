/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle.h - turns mangled names of C++, Rust and D into names that people write; bounded in
 * time, stack and length.
 */
#ifndef SBERF_SYMBOL_DEMANGLE_H
#define SBERF_SYMBOL_DEMANGLE_H

#include <stddef.h>

#define DEMANGLE_IN_MAX 8192u        /* longer names stay as they are */
#define DEMANGLE_OUT_MAX 65535u      /* what would become longer stays as it is */
#define DEMANGLE_STACK (24u << 20)   /* bytes of stack that a thread which demangles must have for the longest input */

/*
 * The demangled form of the NUL-terminated NAME, malloc'ed; NULL when it is not mangled, too long,
 * or memory is out. Suffixes of clones are kept ("f() [clone .cold]"); the hash that ends a Rust
 * name is left out.
 */
char *demangle(const char *name);

/*
 * NAME, a symbol's or "SYMBOL@plt", as people write it, malloc'ed; as it is when it is not mangled.
 * NULL when out of memory.
 */
char *demangle_symbol(const char *name);

#endif
