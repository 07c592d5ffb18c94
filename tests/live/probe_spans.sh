#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_spans.sh - spans: from a hit of one probe to a hit of another one by the same thread, with their number, time and stack; what has
# no end, or no begin, is counted apart.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# of METRIC FIELD: of the whole tree of run.data.
of() {
	"$SBERF" report -i run.data --metric "$1" --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["tree"][0].get(sys.argv[1], 0))' "$2"
}

# canonical PROBE: with long names of kinds.
canonical() {
	local text=${1//:t:/:tracepoint:}
	printf '%s\n' "${text//\~t:/~tracepoint:}"
}

mkfifo in
"$WORKLOADS/spanned" <in >out &
pid=$!
also_kill $pid
exec {to}>in
wait_until 20 grep -q ready out
all='span:uprobe:spanned:begins~~uprobe:spanned:ends'
slow='span:uprobe:spanned:begins~~uprobe:spanned:ends /latency > 300us/'
some='span:uprobe:spanned:begins /arg0 < 10/~~uprobe:spanned:ends count()'
sum='span:uprobe:spanned:begins~~uprobe:spanned:ends sum(arg0)'
record_placed run.data --budget none --ring-size 64M -p $pid --probe "$all" --probe "$slow" --probe "$some" --probe "$sum"
for what in "pair 1000" "nest 500" "open 7" "stray 5"; do
	echo "$what" >&$to
done
wait_until 60 answered out 4 '[a-z]* [0-9]'
end_record
equal "recorded: status" 0 $?
note "$(cat err out)"
equal "it has done all of it" 4 "$(grep -c '^[a-z]* [0-9]* [0-9]* [0-9]*$' out)"
equal "lost" "0 0" "$(value run.data lost_ring_full) $(value run.data lost_task_state)"

equal "spans" 2000 "$(of "$all" count)"
read -r least most < <(awk '{ least += $3; most += $4 } END { printf "%.0f %.0f\n", least, most }' out)
between "time, as its own clock says" "$least" "$most" "$(of "$all" total_ns)"
# Where a CPU is hard to get others take longer, too.
between "those of more than 300 us" 500 1500 "$(of "$slow" count)"
equal "a condition at the begin" 30 "$(of "$some" count)"
equal "a sum at the end" $((1000 * 999 / 2 + 2 * (500 * 499 / 2))) "$(of "$sum" total)"
"$SBERF" report -i run.data --metric "$all" --format folded --no-inline >folded
at_least "percent with the whole stack of the end" 100 "$(share folded '^spanned;_start;([^;]*;){1,2}main;(act;)?(pair;)*ends ')"
note "$(head -n 3 folded)"
matches "what did not end, and what did not begin" 'spanned:ends: 7 begun and not ended, 5 ends without a begin' "$(cat err)"

# Where the probes are in place for a part of the time only, no end belongs to a begin of an earlier part.
record_placed run.data --budget 1 -p $pid --probe "$all" --duration 4s
echo "pair 25000" >&$to
wait $recorder
note "$(cat err)"
at_least "a small budget: in place for one of so many parts of the time" 2 "$(value run.data probe_slices)"
spans=$(of "$all" count)
at_least "spans, as they are estimated" 1000 "$spans"
wait_until 60 grep -q '^pair 25000 ' out
most=$(awk '$2 == 25000 { printf "%.0f\n", $4 / $2 }' out)
# Those that are seen are not all; one from part to part would take a hundred times as long as all others of its part.
between "each takes, in ns, about as its own clock says" 200000 $((most * 3)) $(($(of "$all" total_ns) / (spans + !spans)))

# There is room for 32 that have no end: then the oldest one is forgotten, which is said.
record_placed open.data --budget none -p $pid --probe "$all"
echo "begin 40" >&$to
wait_until 20 grep -q '^begin 40 ' out
end_record
equal "spans that are forgotten" "8 0" "$(value open.data lost_open_calls) $(value open.data lost_task_state)"
matches "why" 'lost 8: a thread had more open calls or spans of probes than there is room for' "$(cat err)"

# Lines, with the time of each and the arguments at the end.
: >err
"$SBERF" trace --budget none -p $pid --probe "$all" >lines 2>err &
recorder=$!
wait_until 60 probes_placed trace
echo "pair 100" >&$to
wait_until 20 grep -q '^pair 100 ' out
wait_until 20 answered lines 100 '.* [mu]s  *span:'
end_record
equal "lines" 100 "$(grep -cE ' [0-9.]+ [mu]s +span:uprobe:spanned:begins~~uprobe:spanned:ends\(' lines)"
note "$(head -n 2 lines; cat err)"
exec {to}>&-

# Probes of the kernel: a system call from its entry to its return, and to the next one.
sleeps='span:sys:clock_nanosleep~~sys:clock_nanosleep'
turn='span:t:syscalls:sys_exit_clock_nanosleep~~t:syscalls:sys_enter_clock_nanosleep'
same='span:t:syscalls:sys_exit_read~~sys:read'
if grep -qs '^[^ ]* [^ ]* tracefs ' /proc/self/mounts; then
	record run.data --probe "$sleeps" --probe sys:clock_nanosleep -- python3 -c 'import time
for i in range(20): time.sleep(0.01)'
	equal "sleeps" 20 "$(of "$sleeps" count)"
	between "their time, percent of that of the calls" 99 101 $((100 * $(of "$sleeps" total_ns) / $(of sys:clock_nanosleep total_ns)))
	record run.data --probe "$turn" -- python3 -c 'import time
for i in range(20): time.sleep(0.001)'
	equal "from a sleep to the next one" 19 "$(of "$(canonical "$turn")" count)"
	"$SBERF" record -o bad.data --probe "$same" -- true 2>err
	check "from a tracepoint to itself: it does not record" test $? -ne 0
	matches "and says why" 'two probes are about syscalls:sys_exit_read' "$(cat err)"
	note "$(cat err)"
else
	skip "tracefs is not mounted" "sleeps"
fi

# What cannot be placed is said in a sentence.
for bad in 'span:u:spanned:begins~~call:spanned:ends' 'span:sys:/read/~~sys:read' 'span:sys:reed~~sys:read' \
	'span:u:spanned:begins~~u:spanned:ends_not'; do
	"$SBERF" record -o bad.data -p $$ --probe "$bad" --duration 1s 2>err
	check "$bad: it does not record" test $? -ne 0
	at_least "$bad: a sentence, and at most a hint" 1 "$((3 - $(wc -l <err)))"
	note "$(cat err)"
done
finish
