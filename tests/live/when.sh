#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# when.sh - a flight recorder is written when a condition is met, and not when it only looks like that: waits in a function, time on the CPU.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 99

# flies COMMAND OPTIONS...: with a flight recorder that writes by itself, as process $recorder, which speaks to the file err.
flies() {
	local command=$1
	shift
	: >err
	"$SBERF" "$command" -e cpu-clock -F 499 --keep 1s -p "$workload" "$@" 2>err &
	recorder=$!
	also_kill $recorder
}
says() {
	grep -qE "$1" err || ! kill -0 $recorder 2>/dev/null
}
ends() {
	kill -INT $recorder
	wait $recorder
	equal "$1 ends well" 0 $?
	note "$(cat err)"
}

# In each 20th request it sleeps 20 ms in slow_wait(); the rest of the time it spins.
"$WORKLOADS/requests" 300 20 1 >/dev/null &
workload=$!
also_kill $workload
flies record -o w.data --max-files 2 --when 'blocked > 15ms in slow_w*' --when 'blocked > 15ms in fast_path' \
	--when 'blocked > 10s in slow_wait' --when 'blocked > 15ms'
wait_until 60 says 'w\.data\.2'
ends record
matches "a wait in a function" "^sberf record: blocked > 15ms in slow_w\*: requests $workload( \(thread [0-9]+\))? was blocked for [0-9.]+ ms; the last .* are in w\.data\.1 " "$(cat err)"
equal "neither one in another function, nor a longer one, nor one that sleeps because nothing is to be done" 2 "$(grep -c 'the last .* are in' err)"
equal "both files are of that" 2 "$(grep -c '^sberf record: blocked > 15ms in slow_w\*: .* the last' err)"
check "each is sound" "$SBERF" check w.data.1 w.data.2 w.data
matches "and says what it is for" "^written_when: blocked > 15ms in slow_w\*: requests $workload( \(thread [0-9]+\))? was blocked for" "$("$SBERF" report -i w.data.1 --format summary | grep written_when)"
check "the one at the end is for nothing" test -z "$("$SBERF" report -i w.data --format summary | grep written_when)"
matches "a wait that met it is in it" slow_wait "$("$SBERF" report -i w.data.1 --format folded --metric blocked)"
check "no third one" test ! -e w.data.3
matches "all of it counted" "conditions were met [0-9]+ times: 2 files written, [1-9][0-9]* times within the pause after one, [0-9]+ after" "$(cat err)"

flies agent -o c.data --when 'cpu > 3% for 1.5s' --when 'cpu > 900%' --when 'cpu < 1% for 1s'
wait_until 60 says 'c\.data\.1'
matches "time on the CPU, for a while" "^sberf agent: cpu > 3% for 1\.5s; the last .* are in c\.data\.1 " "$(cat err)"
equal "neither more than there is, nor less" 0 "$(grep -cE 'cpu (> 900%|< 1%)' err)"
kill -STOP $workload
wait_until 60 says 'cpu < 1%'
ends agent
matches "less of it than that" "^sberf agent: cpu < 1% for 1s; the last .* are in c\.data\.[0-9]+ " "$(grep 'cpu < 1%' err)"
matches "and at the end" "the last .* are in c\.data " "$(cat err)"
kill -KILL $workload
finish
