#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_traces.sh - tracepoints of the kernel: each hit of the target is counted, with its whole stack.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# of METRIC: how many hits are in run.data.
of() {
	"$SBERF" report -i run.data --metric "$1" --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["tree"][0].get("count", 0))'
}

grep -qs '^[^ ]* [^ ]* tracefs ' /proc/self/mounts || skip_all "tracefs is not mounted"

# What a program does is known: 20,000 reads of a byte, and what its start takes.
record run.data --ring-size 64M --probe t:syscalls:sys_enter_read --probe tracepoint:raw_syscalls:sys_enter --probe rawtracepoint:sys_exit \
	-- dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none
equal "recorded, status" 0 $?
note "$(cat run.data.err)"
lost=$(($(value run.data lost_ring_full) + $(value run.data lost_nested)))
note "lost: $lost"
between "reads" $((20000 - lost)) 20010 "$(of tracepoint:syscalls:sys_enter_read)"
between "all calls" $((40000 - lost)) 40200 "$(of tracepoint:raw_syscalls:sys_enter)"
between "all returns, raw" $((40000 - lost)) 40200 "$(of rawtracepoint:sys_exit)"
"$SBERF" report -i run.data --metric t:syscalls:sys_enter_read --format folded --no-inline >folded
at_least "percent with the whole stack of the program" 99.9 "$(share folded '^dd;[^;]*;__libc_start_main;.*;read[; ]')"
note "$(head -n 2 folded)"

# As perf counts it.
if perf stat -e sched:sched_process_fork true 2>/dev/null; then
	record run.data --probe 't:sched:sched_process_fo*' -- perf stat -x, -o perf.out -e sched:sched_process_fork \
		sh -c 'for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done'
	note "$(cat perf.out)"
	# perf itself forks once.
	equal "forks, as perf counts them" $(($(awk -F , '/sched_process_fork/ { print $1 }' perf.out) + 1)) "$(of 'tracepoint:sched:sched_process_fo*')"
else
	skip "perf does not count tracepoints here" "forks, as perf counts them"
fi

# Those of the kernel have its side of the stack, too.
record run.data --probe tracepoint:sched:sched_switch -- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done'
"$SBERF" report -i run.data --metric tracepoint:sched:sched_switch --format folded --no-inline >folded
at_least "switches" 10 "$(of tracepoint:sched:sched_switch)"
at_least "switches: in the kernel, below the call" 5 "$(grep -E 'clock_nanosleep.*;.*schedule' folded | awk '{ n += $NF } END { print n + 0 }')"
note "$(head -n 3 folded)"

# What cannot be placed is said in a sentence.
for bad in t:sched:sched_swich t:nothing:at_all 'tracepoint:*:*' rawtracepoint:sys_enter_read t:sched 'rawtracepoint:sched_swich'; do
	"$SBERF" record -o bad.data --probe "$bad" -- true 2>err
	check "$bad: it does not record" test $? -ne 0
	at_least "$bad: a sentence, and at most a hint" 1 "$((3 - $(wc -l <err)))"
	note "$(cat err)"
done
"$SBERF" record -o bad.data --probe 'tracepoint:*:*' -- true 2>err
matches "too many: their number is said" 'means [0-9]* tracepoints' "$(cat err)"
"$SBERF" record -o bad.data --probe t:sched:sched_swich -- true 2>err
matches "the nearest name is said" sched_switch "$(cat err)"
check "no recording is left behind" test ! -e bad.data
finish
