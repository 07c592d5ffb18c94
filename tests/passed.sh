# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# passed.sh - sourced after tap.sh by tests whose subject changes seldom, and which take long: tests of the workloads, say, and not of
# sberf. Such a test runs when a file that it depends on is another than when it passed last, by passed.sums, and is skipped otherwise.
# A pass of all of it writes the new sums there, to be committed with the change; where the source tree cannot be written they are only
# shown. SBERF_CHECK_ALL=yes runs all of them.
#
#	. "$top_srcdir/tests/passed.sh"
#	skip_unless_changed tests/live/offcpu_truth.sh tests/workloads/naps.c ...
#	...
#	finish_passed
PASSED_SUMS=$top_srcdir/tests/passed.sums

# passed_sum PATTERN...: of the files, by their names below the source tree and what is in them.
passed_sum() {
	(
		set -o pipefail
		# shellcheck disable=SC2068  # patterns
		cd "$top_srcdir" && sha256sum -- $@ | sha256sum | cut -d ' ' -f 1
	)
}

# passed_before SCRIPT SUM: did it pass with such files?
passed_before() {
	grep -qxF "$2 $1" "$PASSED_SUMS" 2>/dev/null
}

# skip_unless_changed SCRIPT PATTERN...: the script itself and this file count, too.
skip_unless_changed() {
	passed_script=$1
	passed_sum=$(passed_sum tests/passed.sh "$@") || exit 99
	[ -z "${SBERF_CHECK_ALL:-}" ] || return 0
	! passed_before "$passed_script" "$passed_sum" || skip_all "$passed_script has passed with these files: passed.sums"
}

# finish_passed: in place of finish.
finish_passed() {
	local new=$SCRATCH/passed.sums
	if [ "$tap_failed" -eq 0 ] && [ "$tap_skipped" -eq 0 ] && ! passed_before "$passed_script" "$passed_sum"; then
		{ grep -v " $passed_script\$" "$PASSED_SUMS"; echo "$passed_sum $passed_script"; } 2>/dev/null | LC_ALL=C sort -k 2 >"$new"
		note "to be committed in tests/passed.sums: $passed_sum $passed_script"
		[ ! -w "$PASSED_SUMS" ] || cat "$new" >"$PASSED_SUMS"
	fi
	finish
}
