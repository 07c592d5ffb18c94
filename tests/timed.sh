#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# timed.sh COMMAND... - runs a test, and says at the end of its log how long it took, and how long its processes ran, those that it
# waited for. totals.sh shows the slowest. The status is that of COMMAND.
#
# One test that does not end must not take the others down with it: after CHECK_LIMIT seconds it is killed, and has failed. And who reads
# its output waits until nobody has that open any more, so what a test leaves behind is named and killed.
limit=${CHECK_LIMIT:-1200}

# holders PIPE: the processes that have PIPE open and are none of this script's own, one a line.
holders() {
	find /proc/[0-9]*/fd -lname "${1//[\[\]]/?}" 2>/dev/null | cut -d / -f 3 | sort -u | grep -vx "$$\|$reader"
}

exec 4> >(exec cat)
reader=$!
pipe=$(readlink /proc/$$/fd/4)
TIMEFORMAT='# took %1R s: CPU %1U s, %1S s of the kernel'
# The time is said behind all that the test said.
took=$({ time timeout --kill-after=10 "$limit" "$@" >&4 2>&4 4>&-; } 2>&1)
status=$?
exec 4>&-

for ((tries = 0; tries < 100; tries++)); do
	kill -0 "$reader" 2>/dev/null || break
	sleep 0.02
done
if kill -0 "$reader" 2>/dev/null; then
	for pid in $(holders "$pipe"); do
		echo "# left running, and killed: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline")"
		kill -KILL "$pid"
	done
	kill "$reader" 2>/dev/null
fi
[ $status -ne 124 ] && [ $status -ne 137 ] || echo "# killed, as it took longer than $limit s"
echo "$took"
exit $status
