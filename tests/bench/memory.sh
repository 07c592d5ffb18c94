#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# memory.sh - what a pair of malloc() and free() costs a program (pairs.c) that does nothing else, by who looks at it: ns of its own CPU time,
# medians of ROUNDS, each tool in each round, and what is more than alone. And what --memory=growth costs a compiler (unit.cc), in
# milliseconds of CPU time of all that it starts, beside a recording without.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sberf=${SBERF:?is set by make bench}
pairs=$top_builddir/tests/bench/pairs
library=$top_builddir/libsberf-memory.so
rounds=${ROUNDS:-5}

. "$top_srcdir/tests/bench/peers.sh"

# of NAME COMMAND...: one figure more.
of() {
	local name=$1
	shift
	"$@" 2>"$work/err" | grep -E '^[0-9]+\.[0-9]+$' >>"$work/$name" || echo "$name failed: $(tail -n 1 "$work/err")" >&2
}

sampled() {
	local level=$1
	shift
	"$sberf" record --no-off-cpu --budget none --memory "$level" -o "$work/run.data" -- "$@"
}

# compiles NAME COMMAND...: the compiler below COMMAND; what the rest of COMMAND takes is left out.
compiles() {
	local name=$1
	shift
	"$@" bash -c 'TIMEFORMAT="%U %S"; time "$@" 2>/dev/null' - g++ -O2 -c "$(dirname "$0")/unit.cc" -o "$work/unit.o" 2>"$work/err"
	awk '/^[0-9.]+ [0-9.]+$/ { print 1000 * ($1 + $2) }' "$work/err" >>"$work/$name"
}

for ((round = 0; round < rounds; round++)); do
	if command -v g++ >/dev/null; then
		compiles compiler
		compiles recorded "$sberf" record --no-off-cpu -o "$work/run.data" --
		compiles grown "$sberf" record --no-off-cpu --memory -o "$work/run.data" --
	fi
	of alone "$pairs" 20
	of library env LD_PRELOAD="$library" "$pairs" 20
	of preload sampled preload "$pairs" 20
	of allocs sampled allocs "$pairs" 1
	if command -v heaptrack >/dev/null; then of heaptrack heaptrack -o "$work/heaptrack" "$pairs" 1; fi
done

row() {
	[ ! -s "$work/$2" ] || printf '%-46s %9.1f %9.1f\n' "$1" "$(m "$2")" "$(minus "$(m "$2")" "$(m alone)")"
}

printf '%-46s %9s %9s\n' "ns a pair" is more
row "alone" alone
row "with libsberf-memory.so, nobody looks" library
row "record --memory=preload, 512K" preload
row "record --memory=allocs, 512K" allocs
row "heaptrack" heaptrack
if [ -s "$work/compiler" ]; then
	printf '%-46s %9s %9s\n' "ms of a compiler" is more
	printf '%-46s %9.0f\n' "alone" "$(m compiler)"
	printf '%-46s %9.0f %9.0f\n' "record" "$(m recorded)" "$(minus "$(m recorded)" "$(m compiler)")"
	printf '%-46s %9.0f %9.0f\n' "record --memory, 64K" "$(m grown)" "$(minus "$(m grown)" "$(m recorded)")"
fi
