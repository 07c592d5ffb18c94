#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# perf_data.sh - perf reads --format perf-data, with the addresses and times of --format perf-script.
. "${top_srcdir:?is set by make check}/tests/export/round.sh"
command -v perf >/dev/null || skip_all "perf is not installed"
cd "$SCRATCH" || exit 99

# by_address: what `perf script` prints, with addresses instead of names. What is no place in a file, perf is not told.
by_address() {
	awk '/^\t/ { if (!/\(\[sberf\]\)$/) printf "\t%s 0x%s (x)\n", $1, $1; next } { print }'
}

# round TITLE FILE EVENT ARGS...
round() {
	local title=$1 file=$2 event=$3
	shift 3
	"$sberf" report --format perf-script --no-inline "$@" "$file" | by_address | collapse "$event" | folded_functions >want
	"$sberf" report --format perf-data "$@" -o got.perf.data "$file"
	perf_script got.perf.data "" | by_address | collapse "$event" | folded_functions >got
	same_functions "$title: $event" want got
}

for file in "${recordings[@]}"; do
	name=${file##*/}
	round "$name" "$file" cpu-clock
	case $name in
	v1_*)
		round "$name" "$file" offcpu-blocked
		round "$name" "$file" offcpu-runnable
		round "$name --metric blocked --node 1" "$file" offcpu-blocked --metric blocked --node 1
		round "$name --thread *3 --no-kernel" "$file" cpu-clock --thread '*3' --no-kernel
		;;
	esac
done

data=$top_srcdir/tests/data/v1_2.sberf
"$sberf" report -o x.perf.data "$data"
check "to a pipe: the same bytes" cmp x.perf.data <("$sberf" report --format perf-data "$data" | cat)
check "from a pipe" cmp x.perf.data <(cat "$data" | "$sberf" report --format perf-data -)
header=$(perf report -i x.perf.data --header-only 2>&1)
matches "the header: host" "hostname : host.example" "$header"
matches "the header: kernel" "os release : 6.18.0" "$header"
matches "the header: events" "name = cpu-clock.*name = offcpu-blocked.*name = offcpu-runnable" "$header"
"$sberf" report --format perf-data -o example.perf.data "$top_srcdir/tests/data/example.sberf"
matches "build-ids" "^deadbeef0* +/bin/x" "$(perf buildid-list -i example.perf.data)"
"$sberf" report --format perf-data --thread nosuch -o none.perf.data "$data" 2>/dev/null
equal "without samples: perf script" "" "$(perf script -i none.perf.data 2>&1)"
check "without samples: perf report" perf report -i none.perf.data --stdio
# thread_names: how many samples each thread has, by its name then.
thread_names() {
	sed -n 's/^\([^\t ].*[^ ]\) \+[0-9]*\/\([0-9]*\) .*/\1 \2/p' | sort | uniq -c
}
equal "names of threads at their time" "$("$sberf" report --format perf-script "$data" | thread_names)" \
	"$(perf_script x.perf.data "" | thread_names)"
finish
