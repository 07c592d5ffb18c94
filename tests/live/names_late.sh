#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# names_late.sh - functions made at run time whose names are written when their process ends are in the recording all the same.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1
mkdir -p dumps

# late TITLE HOW: the process has ended before anything tells what its code is called. What the code calls is always called by it: what is not is
# the start of the program, which takes the longer the busier the machine is.
late() {
	record "$2.data" -F 997 --no-off-cpu -- "$WORKLOADS/latenames" 1 "$2" "$SCRATCH/dumps"
	equal "$1: recorded, status" 0 $?
	"$SBERF" report -i "$2.data" --format folded --no-kernel >folded
	at_least "$1: percent of samples that are of that code, or of what it calls" 50 "$(share folded 'called_by_jit|made_at_run_time|anon')"
	grep -E 'called_by_jit|made_at_run_time|anon' folded >made
	at_least "$1: percent of these with the name that came at the end" 99.9 "$(share made 'made_at_run_time')"
}

late "perf map" map
late "jitdump" dump
# The code has no frame pointer, but says how to unwind it.
late "jitdump that says how to unwind" unwind
at_least "its stacks: percent that come to main" 99.9 "$(share made ';main;call_jit;made_at_run_time')"
at_least "its stacks: percent complete of all" 99 "$(value unwind.data oncpu_complete_percent)"
equal "its frames: percent without a table" 0.00 "$(value unwind.data frames_no_table_percent)"
# The same of a program that runs when sberf comes, and looked at while both go on.
start_workload latenames 60 unwind "$SCRATCH/dumps"
result $? "it runs"
check "attached" record attached.data -F 997 --no-off-cpu --duration 1s -p "$workload"
"$SBERF" report -i attached.data --format folded --no-kernel >folded
at_least "attached: percent that come to main" 99 "$(share folded ';main;call_jit;made_at_run_time')"
"$SBERF" top -e cpu-clock -F 499 -b -n 1 -d 2s --no-off-cpu -p "$workload" >top.txt 2>top.err </dev/null
check "live: main is above it" grep -qE 'call_jit' top.txt
check "live: the name is there" grep -q 'made_at_run_time' top.txt
stop_workload
finish
