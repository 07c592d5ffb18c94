# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# tap.sh - sourced by every shell test: TAP output, a scratch directory, and nothing left behind.
#
#	. "${top_srcdir:?is set by make check}/tests/tap.sh"
#	check "prints its version" test "$("$SBERF" --version)" = "sberf 1"
#	skip "needs root" "reads kernel symbols"
#	finish
set -u
tap_count=0
tap_failed=0
tap_skipped=0
tap_tmp=$(mktemp -d "${TMPDIR:-/tmp}/sberf-test.XXXXXX") || exit 99
# shellcheck disable=SC2034  # used by the tests
SCRATCH=$tap_tmp
tap_pids=()
trap 'tap_cleanup' EXIT

tap_cleanup() {
	for pid in ${tap_pids[@]+"${tap_pids[@]}"}; do
		kill -KILL "$pid" 2>/dev/null && wait "$pid" 2>/dev/null
	done
	rm -rf "$tap_tmp"
}

# also_kill PID: PID is a child of this test, to be killed when it ends.
also_kill() {
	tap_pids+=("$1")
}

# The distribution's python3, where there is one: the first in PATH may be a script that looks for another, most of a second each time.
[ ! -x /usr/bin/python3 ] || python3() { /usr/bin/python3 "$@"; }

# python_with MODULE: prints a python3 that has MODULE; fails when none has.
python_with() {
	local python
	for python in /usr/bin/python3 "$(type -P python3)"; do
		! "$python" -c "import $1" 2>/dev/null || { printf '%s\n' "$python"; return; }
	done
	return 1
}

# note TEXT: a comment in the log.
note() {
	local text=$*
	printf '# %s\n' "${text//$'\n'/$'\n# '}"
}

# result STATUS TITLE: one subtest, passed when STATUS is 0.
result() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %d - %s\n' "$tap_count" "$2"
	else
		tap_failed=$((tap_failed + 1))
		printf 'not ok %d - %s\n' "$tap_count" "$2"
	fi
}

# check TITLE COMMAND...: passed when COMMAND succeeds; its output goes to the log as comments.
check() {
	local title=$1 out rc=0
	shift
	out=$("$@" 2>&1) || rc=$?
	[ -z "$out" ] || note "$out"
	result "$rc" "$title"
}

# equal TITLE WANT GOT: passed when both are the same; shows both when not.
equal() {
	if [ "$2" = "$3" ]; then
		result 0 "$1"
	else
		note "wanted: $2"
		note "got:    $3"
		result 1 "$1"
	fi
}

# matches TITLE REGEX TEXT: passed when the extended REGEX matches somewhere in TEXT.
matches() {
	if [[ $3 =~ $2 ]]; then
		result 0 "$1"
	else
		note "wanted a match of: $2"
		note "got:    $3"
		result 1 "$1"
	fi
}

# skip REASON TITLE: a subtest that this machine cannot run, and why. Reasons stand in the table of tests/skips.sh, with the
# condition that makes them right: a skip for another reason, or where the test could run, fails the suite.
skip() {
	tap_count=$((tap_count + 1))
	tap_skipped=$((tap_skipped + 1))
	printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$2" "$1"
}

# skip_all REASON: nothing in this script can run here.
skip_all() {
	printf '1..0 # SKIP %s\n' "$1"
	exit 0
}

# wait_until SECONDS COMMAND...: runs COMMAND until it succeeds; fails when SECONDS have passed, or four times as many on a machine that is
# emulated, and that others keep waiting. The longer it waits, the less often it looks: a look takes processes, which are taken from what
# is waited for.
wait_until() {
	local end=$((SECONDS + $1 * (${SBERF_EMULATED:-0} * 3 + 1))) pauses=(0.02 0.02 0.02 0.03 0.04 0.06 0.08 0.1) i=0
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep "${pauses[i]}"
		[ $((i + 1)) -eq ${#pauses[@]} ] || i=$((i + 1))
	done
}

finish() {
	printf '1..%d\n' "$tap_count"
	exit 0
}
