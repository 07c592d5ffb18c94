#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What it costs to ask where accesses go: a program that waits for memory all the time and touches nothing new, recorded with and
# without --numa, interleaved; medians of sberf's own CPU time in user space, all threads and all work included (samples, decoding of
# what is new, questions about pages, a survey of the memory every two seconds). Three things are told apart, as differences of two
# recordings cancel what both have: what a sample costs (a high rate against a lower one), what a second costs at 99 Hz (a long
# recording against a short one), and what is left, the start. Then surveys of a large process that sleeps. Root only.
#
#	tests/bench/numa.sh [ROUNDS] [SECONDS]      (environment: SBERF, top_builddir)
set -eu
rounds=${1:-5}
seconds=${2:-5}
sberf=${SBERF:-$top_builddir/sberf}
bin=$top_builddir/tests/workloads/bin
work=$(mktemp -d)
beside=
trap '[ -z "$beside" ] || kill "$beside" 2>/dev/null; rm -rf "$work"' EXIT

median() {
	sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

value() {
	"$sberf" report -i "$1" --format summary | sed -n "s/^$2: //p"
}

# one NAME SECONDS OPTIONS...: figures of one recording, appended to NAME.*
one() {
	local name=$1 file=$work/s.data figure
	"$sberf" record -e cpu-clock --no-off-cpu --duration "$2s" -o "$file" "${@:3}" >/dev/null 2>&1 || :
	for figure in user_cpu_seconds engine_cpu_seconds oncpu_samples numa_address_percent; do
		value "$file" "$figure" >>"$work/$name.$figure"
	done
	rm -f "$file" "$file.old"
}

figure() {
	median <"$work/$1.$2"
}

# both RATE SECONDS: one recording with and one without.
both() {
	one "without.$1.$2" "$2" -F "$1" --no-numa -p "$beside"
	one "with.$1.$2" "$2" -F "$1" --numa -p "$beside"
}

# extra RATE SECONDS FIGURE: how much more of it there is with addresses.
extra() {
	awk -v a="$(figure "with.$1.$2" "$3")" -v b="$(figure "without.$1.$2" "$3")" 'BEGIN { print a - b }'
}

long=$((seconds * 4))
"$bin/arrays" 100000 >"$work/ready" &
beside=$!
until grep -q '^array fill' "$work/ready"; do kill -0 "$beside" && sleep 0.1 || exit 1; done
for ((i = 0; i < rounds; i++)); do
	both 999 "$seconds"
	both 4999 "$seconds"
	both 99 "$seconds"
	both 99 "$long"
done
kill "$beside"
beside=
echo "data addresses, medians of $rounds rounds:"
awk -v n0="$(figure "with.999.$seconds" oncpu_samples)" -v n1="$(figure "with.4999.$seconds" oncpu_samples)" \
	-v u0="$(extra 999 "$seconds" user_cpu_seconds)" -v u1="$(extra 4999 "$seconds" user_cpu_seconds)" \
	-v e0="$(extra 999 "$seconds" engine_cpu_seconds)" -v e1="$(extra 4999 "$seconds" engine_cpu_seconds)" \
	-v a="$(figure "with.4999.$seconds" numa_address_percent)" 'BEGIN {
	printf "a sample, %d of them against %d, %.1f %% with address: %+.2f us, of the engine thread %+.2f\n", n1, n0, a,
		(u1 - u0) / (n1 - n0) * 1e6, (e1 - e0) / (n1 - n0) * 1e6 }'
awk -v s="$seconds" -v l="$long" -v u0="$(extra 99 "$seconds" user_cpu_seconds)" -v u1="$(extra 99 "$long" user_cpu_seconds)" 'BEGIN {
	printf "a second at 99 Hz, %d s against %d: %+.2f %% of a CPU; the start: %.0f ms\n", l, s, (u1 - u0) / (l - s) * 100,
		(u0 - (u1 - u0) / (l - s) * s) * 1000 }'

# Nothing is sampled in a program that sleeps: what is left are the state of nodes and the survey of its memory.
"$bin/toucher" 1000 1000000 >/dev/null &
beside=$!
for ((i = 0; i < rounds; i++)); do
	one idle_without "$seconds" --no-numa -p "$beside"
	one idle_with "$seconds" --numa -p "$beside"
done
kill "$beside"
beside=
awk -v s="$seconds" -v u0="$(figure idle_without user_cpu_seconds)" -v u1="$(figure idle_with user_cpu_seconds)" 'BEGIN {
	printf "surveys of 1,000 MB that sleep: CPU time of sberf %.3f s, without %.3f s in %d s: %+.2f %% of a CPU\n", u1, u0, s, (u1 - u0) / s * 100 }'
