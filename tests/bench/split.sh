#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What --split costs: the first screen, keys, CPU time, and what is lost, beside one process; in turns, so that whatever else
# the machine does meets both. Medians, and of them the second in percent of the first. Root only.
#
#	tests/bench/split.sh [ROUNDS [SECONDS]]      (environment: SBERF, top_builddir)
#
# SECONDS, 10, are those of each capture: with few of them what the processes take to start is most of it.
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

# capture NAME HZ TIME WHAT OPTIONS...: CPU time of all processes of sberf, in ms, and for a sample, in us; events lost; in the figures WHAT.
capture() {
	local name=$1 hz=$2 time=$3 what=$4 n times
	shift 4
	rm -f "$work/$name.data"
	times=$( { TIMEFORMAT='%U %S'; time "$sberf" record -e cpu-clock -F "$hz" -o "$work/$name.data" --duration "$time" "$@" >/dev/null 2>&1; } 2>&1 )
	"$sberf" report -i "$work/$name.data" --format summary >"$work/summary"
	n=$(sed -n 's/^oncpu_samples: //p' "$work/summary")
	awk -v t="$times" 'BEGIN { split(t, x, " "); print (x[1] + x[2]) * 1000 }' >>"$work/$name.$what"
	awk -v t="$times" -v n="$n" 'BEGIN { split(t, x, " "); print (x[1] + x[2]) / n * 1e6 }' >>"$work/$name.$what.sample"
	awk '/^lost_/ { n += $2 } END { print n + 0 }' "$work/summary" >>"$work/$name.$what.lost"
}

for ((i = 0; i < rounds; i++)); do
	for name in one split; do
		way=(--no-split)
		[ $name = one ] || way=(--split)
		view $name "${way[@]}"
		capture $name 997 "${seconds}s" program "${way[@]}" -p "$workload"
		capture $name 997 "${seconds}s" machine "${way[@]}" -a
	done
done
printf '%-44s %14s %14s\n' "medians of $rounds" "one process" "--split"
compare "the first screen" ms screen
compare "the first tree" ms tree
compare "a key, to the end of its answer" ms key
compare "CPU, a program, $seconds s at 997 Hz" ms program
compare "CPU for a sample" us program.sample
compare "events lost" "" program.lost
compare "CPU, the whole machine, $seconds s at 997 Hz" ms machine
compare "CPU for a sample" us machine.sample
compare "events lost" "" machine.lost
