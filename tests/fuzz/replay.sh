#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# replay.sh - every fuzz target survives every file of its corpus.
. "${top_srcdir:?is set by make check}/tests/tap.sh"

for source in "$top_srcdir"/tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	corpus=$top_srcdir/tests/fuzz/corpus/${name#fuzz_}
	check "$name has a corpus" test -n "$(ls -A "$corpus")"
	check "$name survives its corpus" "${top_builddir:?}/tests/fuzz/$name" "$corpus"/*
done
finish
