#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# diff.sh - `diff` of programs of known truth, recorded here: the same program twice, the same without its names, another build of it
# that does the same, and one in which a function takes 30 points more.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"
need_capture
cd "$SCRATCH" || exit 99

# enough NAME FILE: records the workload until there are samples enough to tell 30 points from chance; a busy machine takes longer.
enough() {
	start_workload "$1" || return 1
	for seconds in 1 6 20; do
		record "$2" -F 1997 --no-off-cpu --duration "$seconds" -p "$workload" || break
		[ "$(value "$2" oncpu_samples)" -lt 400 ] || break
	done
	stop_workload
	[ "$(value "$2" oncpu_samples)" -ge 400 ]
}

for name in shares shares_stripped shares_moved shares_grown; do
	check "$name is recorded" enough $name $name.data
done
check "shares is recorded again" enough shares again.data

# The limit is far above what a busy machine makes of two recordings, and far below the 30 points.
gate() {
	"$SBERF" diff --no-kernel --fail-above 8 "$@" >out 2>err
	equal "--fail-above 8 $*" "$status" $?
	note "$(cat err)"
	note "$(grep burn_ out)"
}
status=0
gate shares.data again.data
gate shares.data shares_stripped.data
gate shares.data shares_moved.data
status=3
gate shares.data shares_grown.data
matches "the function that grew is named" 'burn_20 (itself takes|and what it calls take) [0-9.]+ points more' "$(cat err)"
"$SBERF" diff --no-kernel --format flat shares.data shares_stripped.data >out 2>/dev/null
equal "a stripped binary has its names from the other recording" "" "$(grep -F 'shares_stripped+0x' out)"
"$SBERF" diff --no-kernel shares.data shares_moved.data >out
check "programs of two names are one group" grep -q ' shares → shares_moved$' out
check "functions at other places are found by their names" grep -qE '[0-9] %( +[^ ]+){6,9} +- burn_50$' out
finish
