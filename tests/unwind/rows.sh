#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# rows.sh - rows by the page (src/unwind/rows.h) are the rules that the walk asks for one by one, in the files that are on every machine
# and in those of the workloads. See rows.c.
. "${top_srcdir:?is set by make check}/tests/tap.sh"

rows=${top_builddir:?}/tests/unwind/rows
bin=$top_builddir/tests/workloads/bin

file_of() {
	ldd "$SBERF" | awk -v name="$1" '$1 == name { print $3 }'
}

check "the C library, every byte" "$rows" 1 "$(file_of libc.so.6)"
check "libdw" "$rows" 3 "$(file_of libdw.so.1)"
check "sberf itself" "$rows" 3 "$SBERF"
for program in chain chain_static chain_lld chain_debug_frame realign slots plt signals gochain gochain_stripped chain_musl chain_musl_static \
	signals_musl threads_musl coroutines fpcode_first fpcode_last fpcode_between libfpcode.so bare_fp bare; do
	if [ -s "$bin/$program" ]; then
		check "$program" "$rows" 1 "$bin/$program"
	fi
done
# Its text holds a megabyte and a half of code that keeps frame pointers and has no call-frame information.
if node=$(command -v node); then
	check "node" "$rows" 61 "$node"
fi
finish
