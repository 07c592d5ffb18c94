#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# names_late.sh - functions made at run time whose names are written when their process ends are in the recording all the same.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1
mkdir -p dumps

# late TITLE HOW: the process has ended before anything tells what its code is called.
late() {
	record "$2.data" -F 997 --no-off-cpu -- "$WORKLOADS/latenames" 1 "$2" "$SCRATCH/dumps"
	equal "$1: recorded, status" 0 $?
	"$SBERF" report -i "$2.data" --format folded --no-kernel >folded
	at_least "$1: percent with the name that came at the end" 99 "$(share folded 'made_at_run_time')"
}

late "perf map" map
late "jitdump" dump
finish
