#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What --split costs: the first screen, keys, CPU time, and what is lost, beside one process; in turns, so that whatever else
# the machine does meets both. Medians, and of them the second in percent of the first. Root only.
#
#	tests/bench/split.sh [ROUNDS [SECONDS]]      (environment: SBERF, top_builddir)
#
# SECONDS, 10, are what a capture is looked at for once all of it runs.
set -eu
rounds=${1:-5} seconds=${2:-10}
sberf=${SBERF:-$top_builddir/sberf}
bench=$top_builddir/tests/bench
work=$(mktemp -d)
workload=
cleanup() {
	[ -z "$workload" ] || kill "$workload" 2>/dev/null || :
	rm -rf "$work"
}
trap cleanup EXIT
chmod 777 "$work"
export SUDO_UID=65534 SUDO_GID=65534

median() {
	sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}
# compare WHAT UNIT FIGURE
compare() {
	awk -v what="$1" -v unit="$2" -v a="$(median <"$work/one.$3")" -v b="$(median <"$work/split.$3")" \
		'BEGIN { printf "%-44s %9.2f %-4s %9.2f %-4s", what, a, unit, b, unit; if (a) printf " %6.1f %%", 100 * b / a; print "" }'
}

"$top_builddir/tests/workloads/bin/shares" 3000 >/dev/null &
workload=$!

# view NAME OPTIONS...: the start of a view, and keys in it.
view() {
	local name=$1
	shift
	"$bench/bench_tty" start 1 "$sberf" top "$@" -e cpu-clock -p "$workload" >"$work/said"
	sed -n 's/^the first screen.*: *\([0-9.]*\) ms in the middle.*/\1/p' "$work/said" >>"$work/$name.screen"
	sed -n 's/^the first tree.*: *\([0-9.]*\) ms in the middle.*/\1/p' "$work/said" >>"$work/$name.tree"
	"$bench/bench_tty" keys 10 'jkEG' "$sberf" top "$@" -e cpu-clock -p "$workload" >"$work/said"
	sed -n 's/^last byte.*: *\([0-9.]*\) ms in the middle.*/\1/p' "$work/said" >>"$work/$name.key"
}

# ran PID: ns of CPU that it has taken so far, and all processes that work for it, theirs too.
ran() {
	local all=$1 next=$1 parent
	while [ -n "$next" ]; do
		parent=$(tr ' ' ',' <<<"$next")
		next=$(pgrep -P "$parent" | xargs)
		all+=" $next"
	done
	for parent in $all; do
		cat "/proc/$parent/task"/*/schedstat 2>/dev/null
	done | awk '{ ns += $1 } END { printf "%d", ns }'
}
# capture NAME WHAT OPTIONS...: CPU time of all processes of sberf, in ms: of its first three seconds, and for one further second; events lost.
capture() {
	local name=$1 what=$2 recorder first last
	shift 2
	rm -f "$work/data"
	"$sberf" record -e cpu-clock -F 997 -o "$work/data" --duration $((seconds + 4))s "$@" >/dev/null 2>&1 &
	recorder=$!
	sleep 3
	first=$(ran $recorder)
	sleep "$seconds"
	last=$(ran $recorder)
	wait $recorder
	awk -v a="$first" 'BEGIN { print a / 1e6 }' >>"$work/$name.$what.start"
	awk -v a="$first" -v b="$last" -v s="$seconds" 'BEGIN { print (b - a) / s / 1e6 }' >>"$work/$name.$what.second"
	"$sberf" report -i "$work/data" --format summary | awk '/^lost_/ { n += $2 } END { print n + 0 }' >>"$work/$name.$what.lost"
}

for ((i = 0; i < rounds; i++)); do
	for name in one split; do
		way=(--no-split)
		[ $name = one ] || way=(--split)
		view $name "${way[@]}"
		capture $name program "${way[@]}" -p "$workload"
		capture $name machine "${way[@]}" -a
	done
done
printf '%-44s %14s %14s\n' "medians of $rounds" "one process" "--split"
compare "the first screen" ms screen
compare "the first tree" ms tree
compare "a key, to the end of its answer" ms key
for what in program machine; do
	echo "$what:"
	compare "CPU of the first 3 s, at 997 Hz" ms $what.start
	compare "CPU of a further second" ms $what.second
	compare "events lost" "" $what.lost
done
