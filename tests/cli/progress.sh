#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# progress.sh - long work shows how far it has come: a line on a terminal, which is gone in the end, and nothing anywhere else.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/v1_2.sberf
command -v script >/dev/null || skip_all "script is not installed"
cd "$SCRATCH" || exit 99
mkfifo pipe

# What is read comes byte by byte, until FOUND does: so it takes long enough, however fast the machine is.
feed() {
	tail -c +$((fed + 1)) "$data" | head -c 1 >&9
	fed=$((fed + 1))
	"$@"
}

# slowly FOUND...: opens the pipe that is being read, feeds it, and closes it when all is there.
slowly() {
	local rc=0
	fed=0
	exec 9>pipe
	wait_until 120 feed "$@" || rc=1
	tail -c +$((fed + 1)) "$data" >&9
	exec 9>&-
	return $rc
}

enough() {
	[ "$fed" -gt 50 ]
}

script -qec "'$sberf' check pipe" /dev/null </dev/null >shown 2>&1 &
job=$!
also_kill $job
check "on a terminal there is a line" slowly grep -q "sberf check: reading  [0-9]* B, [0-9]* B/s" shown
wait $job
equal "it ends well" 0 $?
matches "the line is drawn over, and removed before anything else is said" \
	$'\r\e\\[Kpipe: complete, nothing is damaged' "$(tr '\n' ' ' <shown)"

"$sberf" check pipe >out 2>err &
job=$!
also_kill $job
check "as long without a terminal" slowly enough
wait $job
equal "it ends well, too" 0 $?
equal "there is no line" "sberf check: waiting for what is written into the pipe pipe" "$(cat err)"
check "and none in what is said" grep -q "^pipe: complete" out
finish
