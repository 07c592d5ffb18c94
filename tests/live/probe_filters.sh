#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_filters.sh - conditions of probes, and sums: evaluated in the kernel, exact.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# of METRIC FIELD: of the whole tree of run.data.
of() {
	"$SBERF" report -i run.data --metric "$1" --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["tree"][0].get(sys.argv[1], 0))' "$2"
}

# What is called, and with what, is known: counted(0) to counted(4999).
mkfifo in
"$WORKLOADS/asked" <in >out &
pid=$!
also_kill $pid
exec {to}>in
wait_until 20 grep -q ready out
some='uprobe:asked:counted /arg0 >= 10 && (arg0 < 1K || arg0 == 4095)/'
odd='uprobe:asked:counted /arg0 & 1 == 1/'
named='uprobe:asked:counted /comm == "asked" && pid == tid && cpu < 1000000/'
strange='uprobe:asked:counted /comm != "asked"/'
arithmetic='uprobe:asked:counted /(arg0 << 2) - arg0 * 3 + ~0 >= 99 && !(arg0 > 200)/'
record_placed run.data --budget none --ring-size 64M -p $pid --probe "$some" --probe "$odd" --probe "$named" --probe "$strange" \
	--probe "$arithmetic" --probe 'uprobe:asked:counted sum(arg0)' --probe 'uprobe:asked:counted /arg0 < 10/ sum(-1)'
echo 5000 >&$to
wait_until 60 answered out 1 done
end_record
equal "recorded: status" 0 $?
note "$(cat err)"
equal "lost" 0 "$(value run.data lost_ring_full)"
equal "from 10 to 1,023, and one more" 1015 "$(of "$some" count)"
equal "odd ones" 2500 "$(of "$odd" count)"
equal "by name, process and CPU" 5000 "$(of "$named" count)"
equal "by another name" 0 "$(of "$strange" count)"
equal "arithmetic: 100 to 200" 101 "$(of "$arithmetic" count)"
sum='uprobe:asked:counted sum(arg0)'
equal "sum: hits" 5000 "$(of "$sum" count)"
equal "sum of the argument" $((5000 * 4999 / 2)) "$(of "$sum" total)"
equal "a sum of what is below 0 is 0" 10 "$(of 'uprobe:asked:counted /arg0 < 10/ sum(-1)' count)"
exec {to}>&-

# System calls: by arguments, result and time.
few='sys:read /arg0 == 0 && arg2 == 1 && retval == 1/'
record run.data --budget none --ring-size 64M --probe "$few" -- dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none
equal "reads of one byte" 2000 "$(of "$few" count)"
record run.data --budget none --probe 'sys:write sum(retval)' -- dd if=/dev/zero of=/dev/null bs=100 count=50 status=none
equal "bytes written" 5000 "$(of 'sys:write sum(retval)' total)"
long='sys:clock_nanosleep /latency > 10ms/'
record run.data --budget none --probe "$long" -- python3 -c 'import time
for i in range(20): time.sleep(0.02 if i % 4 == 0 else 0.001)'
equal "sleeps of more than 10 ms" 5 "$(of "$long" count)"
between "they took, in ms" 100 130 "$(($(of "$long" total_ns) / 1000000))"

# Tracepoints, by the fields of their records; a wildcard means two that have the field at different places.
few='t:syscalls:sys_enter_read /fd == 0 && args->count == 1/'
raw='t:raw_syscalls:sys_enter /id == 1 && args[0] == 1/ sum(args[2])'
record run.data --budget none --ring-size 64M --probe "$few" --probe 't:syscalls:sys_enter_write sum(count)' \
	--probe "$raw" \
	--probe 't:syscalls:sys_exit_read /ret < 0/' \
	-- dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none
equal "reads of one byte, by name" 2000 "$(of "$few" count)"
equal "bytes to be written, by name" 2000 "$(of 't:syscalls:sys_enter_write sum(count)' total)"
equal "bytes to be written, by an element" 2000 "$(of "$raw" total)"
equal "failed reads" 0 "$(of 't:syscalls:sys_exit_read /ret < 0/' count)"
equal "values that could not be read" 0 "$(value run.data lost_value)"
ends='t:sched:sched_process_ex* /args->pid == tid/'
record run.data --probe "$ends" -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done'
between "programs that begin, and threads that end" 21 22 "$(of "$ends" count)"

# Functions up to their return.
slow='call:timed:slow /latency > 190us && arg0 < 100/'
mkfifo in2
"$WORKLOADS/timed" <in2 >out2 &
pid=$!
also_kill $pid
exec {to}>in2
wait_until 20 grep -q ready out2
record_placed run.data --budget none -p $pid --probe "$slow"
echo slow 500 >&$to
wait_until 60 answered out2 1 slow
end_record
equal "calls by time and argument" 100 "$(of "$slow" count)"

# Static probes, by the notes of two places that have the arguments elsewhere.
mkfifo in3
"$WORKLOADS/noted" <in3 >out3 &
pid=$!
also_kill $pid
exec {to}>in3
wait_until 20 grep -q ready out3
record_placed run.data --budget none --ring-size 64M -p $pid --probe 'usdt:noted:sberf:step sum(arg0)' \
	--probe 'usdt:noted:sberf:step /arg0 >= 10 && arg0 < 20/' --probe 'usdt:noted:sberf:step /arg1 == -7/ sum(0 - arg2)'
echo 1000 >&$to
wait_until 60 answered out3 1 done
end_record
equal "static probes: hits" 2000 "$(of 'usdt:noted:sberf:step sum(arg0)' count)"
equal "sum of what is in a register, and in memory" $((1000 * 999)) "$(of 'usdt:noted:sberf:step sum(arg0)' total)"
equal "at both places" 20 "$(of 'usdt:noted:sberf:step /arg0 >= 10 && arg0 < 20/' count)"
equal "constants differ" 1000 "$(of 'usdt:noted:sberf:step /arg1 == -7/ sum(0 - arg2)' count)"
equal "sum of 2 bytes with a sign" $((1000 * 999 / 2)) "$(of 'usdt:noted:sberf:step /arg1 == -7/ sum(0 - arg2)' total)"
equal "values that could not be read" 0 "$(value run.data lost_value)"
"$SBERF" record -o run.data -p $pid --probe 'usdt:noted:sberf:step /arg3 == 1/' --duration 1s 2>err
check "an argument that the note does not have" test $? -ne 0
matches "it is said" "arg3 of static probe sberf:step cannot be read: it has 3 arguments" "$(cat err)"

# Parameters by name, and what they lead to: at the entry, also where they are asked for when the function returns.
own='uprobe:noted:handle /req->own.kind == 107 && req->own.level == -3/ sum(req->own.size)'
other='call:noted:handle /count < 0/ sum(req->other->size)'
next='uprobe:noted:handle /req->unsigned_number > 0xfffffff0/ sum(req->next->number)'
list='call:noted:handle /req->number < -100 && req->list[2] >= 0/ sum(req[0].list[2])'
nowhere='uprobe:noted:handle /nowhere->level == 0/'
record_placed run.data --budget none --ring-size 64M -p $pid --probe "$own" --probe "$next" --probe "$nowhere"
echo 1000 >&$to
wait_until 60 answered out3 2 done
end_record
note "$(cat err)"
equal "by a member: hits" 100 "$(of "$own" count)"
equal "sum of a member" $((100 * 3 + 10 * 99 * 100 / 2)) "$(of "$own" total)"
equal "by a member of what has no name: hits" 15 "$(of "$next" count)"
equal "sum through two pointers" $((3 * 15 * 16 / 2)) "$(of "$next" total)"
equal "pointers that lead somewhere" 500 "$(of "$nowhere" count)"
equal "pointers that lead nowhere" 500 "$(value run.data lost_value)"
"$SBERF" report -i run.data --format probes --ascii >probes
equal "of which probe is said" "$nowhere: 500" "$(awk '/^[a-z]+:/ { probe = $0 } /^  lost: / { print probe ": " $2 }' probes)"
for calls in "$other" "$list"; do
	record_placed run.data --budget none --ring-size 64M -p $pid --probe "$calls"
	had=$(grep -c done out3)
	echo 1000 >&$to
	wait_until 60 answered out3 $((had + 1)) done
	end_record
	note "$(cat err)"
	if [ "$calls" = "$other" ]; then
		equal "calls by a parameter" 500 "$(of "$other" count)"
		equal "sum through a pointer, before the call" $((500 * 499)) "$(of "$other" total)"
	else
		equal "calls by a member" 899 "$(of "$list" count)"
		equal "sum of an element, before the call" $((1000 * 999 / 2 - 100 * 101 / 2)) "$(of "$list" total)"
	fi
done
while read -r bad why; do
	"$SBERF" record -o bad.data -p $pid --probe "uprobe:noted:handle /$bad/" --duration 1s 2>err
	check "$bad: it does not record" test $? -ne 0
	matches "$bad: it is said" "$why" "$(cat err)"
done <<'EOS'
size function 'handle' has no parameter 'size': it has req, ratio, count, nowhere
ratio parameter 'ratio' is no number|parameter 'ratio' cannot be read|is in a register in which none
req->sizes 'sizes' in the path from parameter 'req' is no member of 'request'
req->bits member 'bits' is a field of bits
req.own stands behind a pointer: write ->own
req->own is no number
count->own is no pointer
count[1] neither an array nor a pointer
EOS
exec {to}>&-

# So is it where a command is started, whose files are not there before.
record run.data --probe 'uprobe:noted:handle /sizes > 1/' -- "$WORKLOADS/noted" < <(sleep 3)
matches "of a command that is started" "no place was found.*has no parameter 'sizes'" "$(cat run.data.err)"

# What is not known is said.
for bad in 'kprobe:vfs_read /size > 1/' 't:sched:sched_switch /prev_pod == 1/' 't:sched:sched_switch /common_pid/' \
	'sys:openat /retval == "x"/' \
	'sys:read /comm == "a-name-of-17-bytes"/'; do
	"$SBERF" record -o bad.data --probe "$bad" -- true 2>err
	check "$bad: it does not record" test $? -ne 0
	at_least "$bad: a sentence, and at most a hint" 1 "$((3 - $(wc -l <err)))"
	note "$(cat err)"
done
finish
