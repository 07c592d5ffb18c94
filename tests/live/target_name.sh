#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# target_name.sh - -n NAME is of processes that get the name later, too, from the moment they get it: by exec, under a name that is longer
# than the kernel's or that a process gives itself; and ends with the last of them, or never with --wait.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
. "$top_srcdir/tests/live/truth.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

short=sberf-svc-$$
long=sberf-service-of-a-long-name-$$
cp "$WORKLOADS/naps" "$short"
cp "$WORKLOADS/naps" "$long"

# started FILE TEXT: within 20 s, it is in the file.
started() {
	for ((i = 0; i < 1000; i++)); do
		grep -q "$2" "$1" 2>/dev/null && return 0
		sleep 0.02
	done
	return 1
}

# follow NAME OPTIONS...: records NAME in the background; its messages are in NAME.err.
follow() {
	rm -f "$1.err"
	"$SBERF" record -e cpu-clock -o "$1.data" -n "$1" "${@:2}" 2>"$1.err" &
	recorder=$!
}

# processes DATA: how many are in it.
processes() {
	folded "$1" wall --group-by process | sed 's/;.*//' | sort -u | wc -l
}

# samples PID: `record` has opened what it samples by, which is after it has begun to follow the name.
samples() {
	for ((i = 0; i < 1000; i++)); do
		find "/proc/$1/fd" -lname '*perf_event*' 2>/dev/null | grep -q . && return 0
		sleep 0.02
	done
	return 1
}

# Nothing runs, then something, and again: a service that is started twice.
for name in "$short" "$long"; do
	follow "$name" --wait
	also_kill "$recorder"
	started "$name.err" "waiting for a process called '$name'"
	result $? "$name: it says what it waits for"
	"./$name" 0 20 15 >one.out
	"./$name" 0 20 15 >two.out
	kill -INT "$recorder"
	wait "$recorder"
	equal "$name: --wait ends by a signal only, status" 0 $?
	# What is before main() is not in the programs' own sums.
	least=$((($(truth one.out thread:naps wall) + $(truth two.out thread:naps wall)) * 99 / 100))
	between "$name: all time of both, from the first moment (ns)" "$least" $((least + 1000000000)) "$(whole "$name.data" wall)"
	equal "$name: two processes" 2 "$(processes "$name.data")"
	equal "$name: nothing is lost" 0 "$(lost_of "$name.data")"
done

# The name that a process gives itself.
follow "$short" --wait
also_kill "$recorder"
started "$short.err" "waiting for"
python3 -c 'import sys; open("/proc/self/comm", "w").write(sys.argv[1]); import time; time.sleep(0.4)' "$short"
kill -INT "$recorder"
wait "$recorder"
between "a process that calls itself so: its time (ns)" 380000000 1500000000 "$(whole "$short.data" blocked)"

# Without --wait: the second one begins before the first has ended, and with it the recording ends.
"./$short" 0 20 100000 >/dev/null &
first=$!
also_kill "$first"
follow "$short"
also_kill "$recorder"
samples "$recorder"
result $? "it samples"
"./$short" 0 20 60 >two.out &
second=$!
started "/proc/$second/comm" "$short"
# It has to have had something that is recorded.
switches() { sed -n 's/^voluntary_ctxt_switches:\t//p' "/proc/$first/status"; }
enough=$(($(switches) + 15))
wait_until 30 eval '[ "$(switches)" -ge $enough ]'
kill "$first"
wait "$second"
wait "$recorder"
equal "without --wait it ends with the last one, status" 0 $?
equal "two processes" 2 "$(processes "$short.data")"
at_least "it went on after the first one (ns)" $(($(truth two.out thread:naps wall) / 2)) \
	"$(whole "$short.data" wall --process "$second")"
finish
