#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_calls.sh - system calls that are probed: each is counted, with its time and its whole stack, and costs no samples.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# of METRIC FIELD: of the whole tree of calls.data.
of() {
	"$SBERF" report -i calls.data --metric "$1" --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["tree"][0].get(sys.argv[1], 0))' "$2"
}

# What a program does is known: 20,000 reads and writes of a byte, and what its start takes (strace -c has 20,003 and 20,000 and less than 20).
record calls.data --probe sys:read --probe 'sys:writ[e]' --ring-size 64M -- \
	dd if=/dev/zero of=/dev/null bs=1 count=20000 status=none
equal "recorded, status" 0 $?
note "$(cat calls.data.err)"
between "reads" 20000 20010 "$(of sys:read count)"
between "writes" 20000 20010 "$(of 'sys:writ[e]' count)"
at_least "few stacks are lost" "$(value calls.data lost_hit_stack)" 4000
at_least "they took some time, in ns" 20000 "$(of sys:read sys_read_ns)"
equal "what was not asked for is not counted" 0 "$(of sys:openat count)"
"$SBERF" report -i calls.data --metric sys:read --format folded >folded
at_least "percent of their time in read, with all callers" 95 "$(share folded '^dd;[^;]*;__libc_start_main;.*;read ')"
equal "no frames of the kernel are shown, which are ours" 0 "$(grep -c 'sb_call' folded)"
equal "samples lost, because a probe was at work" 0 "$(value calls.data lost_nested)"

# Columns of both beside each other, each of its own.
"$SBERF" report -i calls.data --metric 'sys:read,sys:writ[e]' --format tree >tree
matches "each has a column" ' read .*writ' "$(head -n 1 tree)"

# A call that takes a while is told with how long it took: sleeps of 20 ms.
record calls.data --probe sys:clock_nanosleep -- python3 -c 'import time
for _ in range(20): time.sleep(0.02)'
equal "sleeps" 20 "$(of sys:clock_nanosleep count)"
between "they took, in ms" 400 800 "$(($(of sys:clock_nanosleep sys_clock_nanosleep_ns) / 1000000))"

# One that only counts weighs no time.
record calls.data --probe 'sys:read count()' -- dd if=/dev/zero of=/dev/null bs=1 count=500 status=none
equal "counted alone: each weighs one" "$(of 'sys:read count()' count)" "$(of 'sys:read count()' total)"

# Many that are alike are summed: they need no room in a ring. Until its code is known, which is some milliseconds, stacks are copied, and
# where the ring has no room for one, its hit counts with the next.
record calls.data --probe sys:read -- dd if=/dev/zero of=/dev/null bs=1 count=400000 status=none
at_least "summed: less than one in ten has lost its stack" "$(value calls.data lost_hit_stack)" 40000
"$SBERF" report -i calls.data --format probes | grep '^  lost: ' | tr -d , >lost
equal "summed: of which probe that is, is said" "$(value calls.data lost_hit_stack)" "$(awk '{ n = $2 } END { print n + 0 }' lost)"
between "summed: reads" 400000 400010 "$(of sys:read count)"
note "$(of sys:read sys_read_ns) ns in them"
"$SBERF" report -i calls.data --metric sys:read --format folded >folded
at_least "summed: percent of their time with all callers" 95 "$(share folded '^dd;[^;]*;__libc_start_main;.*;read ')"

# Fewer stacks, the same totals.
for how in "--every 100" "--max-rate 500"; do
	record calls.data $how --probe sys:read --probe 'sys:write count()' -- dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none
	equal "$how: lost" 0 $(($(value calls.data lost_ring_full) + $(value calls.data lost_nested)))
	between "$how: reads" 100000 100010 "$(of sys:read count)"
	between "$how: writes" 99990 100000 "$(of 'sys:write count()' total)"
	at_least "$how: they took some time, in ns" 1000000 "$(of sys:read total_ns)"
done

# What cannot be placed is said in a sentence, before anything runs.
for bad in sys:raed sys:%disk 'sys:read /size < 0/' fault:minor signal:9 nothing; do
	"$SBERF" record -o bad.data --probe "$bad" -- true 2>err
	check "$bad: it does not record" test $? -ne 0
	at_least "$bad: a sentence, and at most a hint" 1 "$((3 - $(wc -l <err)))"
	note "$(cat err)"
done
"$SBERF" record -o bad.data --every 10 -- true 2>err
matches "what is about probes needs some" "by --probe" "$(cat err)"
"$SBERF" record -o bad.data --probe sys:raed -- true 2>err
matches "the nearest name is said" read "$(cat err)"
"$SBERF" record -o bad.data --probe sys:read --probe sys:re* -- true 2>err
matches "two probes of one call are named" "sys:read.*sys:re" "$(cat err)$(cat err)"
check "no recording is left behind" test ! -e bad.data

# The view shows what is probed.
dd if=/dev/zero of=/dev/null bs=1 status=none &
also_kill $!
"$SBERF" top -b --iterations 2 -d 500ms --probe sys:read -p $! >view 2>err
equal "in the view: status" 0 $?
note "$(head -n 30 view)"
matches "in the view: who reads" 'read' "$(grep -A 30 main view)"
finish
