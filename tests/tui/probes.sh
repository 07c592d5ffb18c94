#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The pane of probes in a real terminal (tmux), live and of a recording: hits, times, the histogram and the longest call.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 1

mkfifo in
"$WORKLOADS/timed" <in >out &
pid=$!
also_kill $pid
exec {to}>in
wait_until 20 grep -q ready out
terminal
type_line "$SBERF top -e cpu-clock -p $pid --budget none --probe call:timed:slow --probe uprobe:timed:recurse"
see "the view" 'timed'
keys V 0
see "the pane of probes" '[─━] 2 probes [─━].* hits .* longest'
see "both are there before they are hit" 'uprobe:timed:recurse .*·'
echo "slow 2000" >&$to
echo "recurse 100" >&$to
see "calls are counted" 'call:timed:slow +2,000 .*~[0-9.]+ us'
see "and hits" 'uprobe:timed:recurse +2,000'
keys E
see "the histogram" '128 us to 256 us +[0-9,]+ +█'
see "the longest call" 'longest [0-9.]+ [mu]s · timed [0-9]+ · slow › '
see "its functions are lines" '^ +slow *$'
see "where it is placed" 'placed at 1 site in 1 process'
note "$(screen)"
resize 40 10
see "40x10 has it, too" 'call:.*slow'
resize 100 30
keys q
restored "after q"

# Probes that are added while the target runs: it goes on, what cannot be placed is said, and stays to be put right.
type_line "$SBERF top -e cpu-clock -p $pid --budget none"
see "a view without probes" 'timed [0-9]+ · running'
keys V 0
see "says how to add one" 'No probe is placed: A adds one'
keys A
see "the prompt" 'probe: .*sys:openat'
typed 'call:timed:slaw' Enter
see "a wrong name gets its sentence" "did you mean 'slow'"
see "and stays" 'probe: call:timed:slaw'
keys BSpace BSpace
typed 'ow' Enter
see "the price is said" 'call:timed:slow: [0-9,]+ hits/s'
echo "slow 2000" >&$to
see "each call is counted" 'call:timed:slow +2,000 .*~[0-9.]+ us'
keys A
typed 'u:timed:recu' Tab
see "a name is completed" '^ probe: u:timed:recurse *$'
keys Enter
see "another one" 'uprobe:timed:recurse: [0-9,]+ hits/s'
keys A
typed 'sys:openat /fla' Tab
see "a name in a condition is completed" '^ probe: sys:openat /flags *$'
for i in {1..17}; do keys BSpace; done
typed 'sys:write' Enter
see "a system call" 'sys:write: [0-9,]+ hits/s'
keys A
typed 'call:timed:slow' Enter
see "none is placed twice" 'there is this probe already'
keys Escape
see_not "the prompt is left" "^ probe: "
keys C g d
see "one is taken off" 'call.*slow · off +2,000'
echo "slow 500" >&$to
echo "recurse 100" >&$to
see "others go on" 'uprobe:timed:recurse +2,000'
see "what is off is not counted" 'call.*slow · off +2,000'
keys d
see "it is put back" 'call:timed:slow +2,000'
see "and its price is said" 'call:timed:slow: [0-9,]+ hits/s'
echo "slow 300" >&$to
see "and counts on" 'call:timed:slow +2,300'
note "$(screen)"
resize 80 24
see "80x24 has them" '3 probes'
resize 140 40
keys 0
see "the tree has their columns" ' slow .* recurse .* write '
resize 100 30
for i in 1 2 3 4 5 6 7 8 9 10; do
	keys A
	typed "uprobe:timed:slow /arg0 > $i/" Enter
	see "number $i" "> $i/: [0-9,]+ hits/s"
done
began=$(date +%s%N)
keys q
restored "after probes that were added"
note "q took $((($(date +%s%N) - began) / 1000000)) ms"

# A call that has not returned.
type_line "$SBERF top -e cpu-clock --probe sys:clock_nanosleep -- sleep 60"
see "the view of a sleeper" 'sleep [0-9]+ ·'
keys V 0
see "its call is open" '1 call has not returned · the oldest for [1-9][0-9.]* s'
keys q
restored "after a sleeper"

"$SBERF" record -o run.data --budget none -p $pid --probe call:timed:slow --duration 1s 2>err &
recorder=$!
placed() {
	grep -qs sberf-placer /proc/$recorder/task/*/comm
}
wait_until 20 placed
echo "slow 300" >&$to
wait $recorder
type_line "$SBERF report -i run.data"
see "a recording" 'timed'
keys V 0 E
see "has its probes" '[─━] 1 probe [─━]'
see "with their histogram" '128 us to 256 us +[0-9,]+ +█'
keys I
see "what is shown of its calls is asked for" 'time in calls of call:timed:slow:'
keys i
see "only what is inside" 'filter: inside call:timed:slow'
keys I '>'
see "how long is asked for" 'inside calls of at least: p99'
keys Enter
see "only inside slower ones" 'filter: inside call:timed:slow above p99'
keys Escape
see_not "Esc takes it back" 'filter:'
keys q
restored "after a recording"
finish
