#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# perf_script.sh - --format perf-script, collapsed as flamegraph.pl's companion does, has the functions and times of --format folded.
. "${top_srcdir:?is set by make check}/tests/export/round.sh"
cd "$SCRATCH" || exit 99

# round TITLE FILE EVENT METRIC ARGS...
round() {
	local title=$1 file=$2 event=$3 metric=$4
	shift 4
	"$sberf" report --format folded --metric "$metric" "$@" "$file" | folded_functions >want
	"$sberf" report --format perf-script "$@" "$file" | collapse "$event" | folded_functions | microseconds >got
	same_functions "$title: $event" want got
}

for file in "${recordings[@]}"; do
	name=${file##*/}
	round "$name" "$file" cpu-clock on-cpu
	round "$name --no-inline --no-kernel" "$file" cpu-clock on-cpu --no-inline --no-kernel
	case $name in
	v1_*)
		round "$name" "$file" 'offcpu-.*' off-cpu
		round "$name" "$file" offcpu-blocked blocked
		round "$name" "$file" offcpu-runnable runnable
		round "$name --metric runnable" "$file" offcpu-runnable runnable --metric runnable
		round "$name --metric blocked --node 1" "$file" offcpu-blocked blocked --metric blocked --node 1
		round "$name --thread *3" "$file" cpu-clock on-cpu --thread '*3'
		round "$name --state D" "$file" 'offcpu-.*' off-cpu --state D
		round "$name --syscall futex" "$file" 'offcpu-.*' off-cpu --syscall futex
		round "$name --focus" "$file" cpu-clock on-cpu --focus 'fn80_[13]'
		round "$name --ignore" "$file" 'offcpu-.*' off-cpu --ignore 'fn80_3'
		round "$name --min-block" "$file" 'offcpu-.*' off-cpu --min-block 1500us
		;;
	esac
done

# A recording is read twice; what can be read once is copied aside first.
data=$top_srcdir/tests/data/v1_2.sberf
"$sberf" report --format perf-script "$data" >want
check "events are in the order of time" awk '/^[^\t]/ { for (i = 1; $i !~ /:$/; i++); if ($i + 0 < last) exit 1; last = $i + 0; n++ }
	END { exit !n }' want
check "from a pipe" cmp want <(cat "$data" | "$sberf" report --format perf-script -)
check "from standard input" cmp want <("$sberf" report --format perf-script - <"$data")
check "by its extension" "$sberf" report -o by-name.perf "$data"
check "the same" cmp want by-name.perf
got=$(cat "$data" | TMPDIR=$SCRATCH/none "$sberf" report --format perf-script - 2>&1)
matches "no room for the copy" "cannot make a file in .*/none for a copy of [^:]+: .*; name another directory with TMPDIR" "$got"
got=$("$sberf" report --import folded --format perf-script "$top_srcdir/tests/data/folded/rustc-1k.folded.gz" 2>&1)
matches "sums are refused" "this format needs the single events of a recording, and what is read here has only sums" "$got"
check "nothing stays in TMPDIR" test -z "$(mkdir tmp; TMPDIR=$SCRATCH/tmp "$sberf" report --format perf-script - < <(cat "$data") | wc -l >/dev/null; ls tmp)"
head -c 5000 "$data" >cut.data
check "what is left of a recording that was cut off" grep -q 'cpu-clock:$' <("$sberf" report --format perf-script cut.data 2>/dev/null)
finish
