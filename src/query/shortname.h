/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shortname.h - shortens demangled function names. Pure text; knows no profile. Private to queries.
 */
#ifndef SBERF_QUERY_SHORTNAME_H
#define SBERF_QUERY_SHORTNAME_H

#include <stddef.h>

/*
 * Writes NAME, LEN raw bytes as a demangler gave them, without parameter lists, template arguments,
 * return types and what follows a parameter list ("const", "&&"), wherever in the name they are;
 * DST holds LEN + 1 bytes and ends in NUL. Returns the length.
 *
 *	std::vector<int, std::allocator<int> >::push_back(int const&)    std::vector::push_back
 *	void f<g>(int)::{lambda(int)#1}::operator()(int) const           f::{lambda#1}::operator()
 *	<alloc::vec::Vec<T> as core::ops::Drop>::drop                    <alloc::vec::Vec as core::ops::Drop>::drop
 *
 * What says which function it is stays: operators, "(anonymous namespace)", thunks, clones, and
 * names of languages that have none of this: Go's "main.(*Server).Serve", "<module>" and "<init>".
 * What cannot be taken apart stays as a whole.
 */
size_t shortname(const char *name, size_t len, char *dst);

#endif
