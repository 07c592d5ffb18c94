#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# symbols.sh [FILE...] - what names and details of frames cost, run by hand in the build directory:
#
#	../tests/bench/symbols.sh
#
# Every instruction of .text is a frame (at most 100,000 of them); without arguments, of the C++ compiler, which has names only,
# and of sberf itself. Times are the best of three and include the thread, the opening, and the tables.
set -eu
symname=${top_builddir:-.}/tests/symbol/symname
[ $# -gt 0 ] || set -- "$(gcc -print-prog-name=cc1plus)" "${top_builddir:-.}/sberf"

# best ARGS...: milliseconds of the quickest of three.
best() {
	for _ in 1 2 3; do "$symname" -t "$@" <"$pcs" 2>&1; done | sed 's/.*frames, \(.*\) ms.*/\1/' | sort -n | head -n 1
}

pcs=$(mktemp)
trap 'rm -f "$pcs"' EXIT
for file; do
	objdump -d --no-show-raw-insn -j .text "$file" | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p' >"$pcs.all"
	awk -v step="$(($(wc -l <"$pcs.all") / 100000 + 1))" 'NR % step == 0' "$pcs.all" >"$pcs"
	rm -f "$pcs.all"
	n=$(wc -l <"$pcs")
	names=$(best -n "$file")
	details=$(best "$file")
	awk -v f="$file" -v n="$n" -v a="$names" -v b="$details" 'BEGIN {
		printf "%s: %d frames: names %.1f ms, %.2f us each; with details %.1f ms, %.2f us each\n", f, n, a, a * 1000 / n, b, b * 1000 / n }'
done
