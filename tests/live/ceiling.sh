#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# ceiling.sh - an agent keeps what it takes below --max-cpu in a storm of switches: rates are lowered with right weights, then waits are left out.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 99

start_workload pingpong 300 4000000000
# Of all threads, in us.
used() {
	awk '{ ns += $1 } END { printf "%d\n", ns / 1000 }' /proc/"$workload"/task/*/schedstat
}
says() {
	grep -q "$1" err || ! kill -0 $agent 2>/dev/null
}
captures() {
	grep -qs sberf-engine /proc/$agent/task/*/comm
}
: >err
"$SBERF" agent -e cpu-clock -F 99 -p "$workload" --max-cpu 0.1% --keep 1h -o f.data --when 'cpu > 900%' 2>err &
agent=$!
also_kill $agent
wait_until 60 captures
before=$(used)
wait_until 60 says "Hz instead of 99"
check "rates are lowered, and that is said" grep -qE "takes [0-9.]+ % of one CPU, and --max-cpu is 0\.1%: from now on [0-9]+ Hz instead of 99, and one of [0-9]+ waits" err
wait_until 60 says "waits are left out"
after=$(used)
check "then waits are left out" grep -q "still takes more than --max-cpu 0.1%: from now on waits are left out" err
wait_until 60 test -s f.data
told=$(value f.data oncpu_weight_us)
note "of $((after - before)) us on the CPU, $told are told"
check "weights are right all the same" test $((told * 100)) -gt $(((after - before) * 70)) -a $((told * 100)) -lt $(((after - before) * 140))
wait_until 60 captures
kill -INT $agent
wait $agent
equal "ends well" 0 $?
note "$(cat err)"
matches "says what it took" "sberf agent: took [0-9.]+ % of one CPU in all, with its start" "$(cat err)"
stop_workload
finish
