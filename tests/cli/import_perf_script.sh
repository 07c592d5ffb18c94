#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# import_perf_script.sh - what perf prints, read again: the functions and totals of perf. tests/data/perf was made by perf 6.1:
#   perf record -e cpu-clock -F 299 --call-graph dwarf,16384 -- python3 ...
#   inlined.txt: perf script; plain.txt: --no-inline and with pid; flat.txt: -G; srcline.txt: with CPU and source lines, another run
#   self.txt: perf report --no-children --no-inline -g none -F period,sym
. "${top_srcdir:?is set by make check}/tests/export/round.sh"
data=$top_srcdir/tests/data/perf
cd "$SCRATCH" || exit 99

folded() {
	"$sberf" report --import perf-script --format folded --group-by comm "$@" 2>err
}

for name in inlined plain srcline; do
	zcat "$data/$name.txt.gz" >in
	folded in | folded_functions >want
	grep -v '^  [^ ]' in | sed 's/^\t  *\([0-9a-f]* .*\)/\t\1/' | collapse "" | folded_functions | microseconds >got
	same_functions "$name.txt: functions and times" want got
	equal "$name.txt: nothing to be said" "" "$(cat err)"
	check "$name.txt: standard input, compressed" cmp <(folded in) <(folded - <"$data/$name.txt.gz")
done
folded "$data/plain.txt.gz" | folded_functions | sort >got
while IFS=$'\t' read -r period name; do
	us=$((period / 1000))
	check "perf report agrees on $name" awk -F '\t' -v name="$name" -v us=$us '$1 == name { d = $2 - us; ok = d * d <= 400 }
		END { exit !ok }' got
done <"$data/self.txt"
sum() {
	folded "$@" | awk '{ n += $NF } END { print n + 0 }'
}
equal "without stacks: the same total" "$(sum "$data/plain.txt.gz")" "$(sum "$data/flat.txt.gz")"
total=$(sum "$data/plain.txt.gz")
equal "times: halves add up" "$total" "$(($(sum --time ,50% "$data/plain.txt.gz") + $(sum --time 50%, "$data/plain.txt.gz")))"
check "the first half is not all" test "$(sum --time ,50% "$data/plain.txt.gz")" -lt "$total"
check "without the kernel: the same total" test "$(sum --no-kernel "$data/plain.txt.gz")" -eq "$total"
check "without libraries: the same total" test "$(sum --no-libraries "$data/plain.txt.gz")" -eq "$total"
equal "no function of libc is left then" 0 "$(folded --no-libraries "$data/plain.txt.gz" | grep -c '__libc_start')"
check "there was one" test "$(folded "$data/plain.txt.gz" | grep -c '__libc_start')" -gt 0
equal "no kernel function is left then" 0 "$(folded --no-kernel "$data/plain.txt.gz" | grep -c '_\[k\]')"
matches "modules" ' python3\.11 +_PyEval_EvalFrameDefault$' "$("$sberf" report --import perf-script --format flat "$data/plain.txt.gz" | grep EvalFrameDefault)"
matches "time is time" '^  total    self      time$' "$("$sberf" report --import perf-script "$data/plain.txt.gz" | head -1)"

# What else perf may print.
cat >in <<'END'
# ========
# captured on    : somewhere
# ========
my prog 2 1234/1240 [001] 12.500000: 7 cycles:u:
	    7f12 inner (inlined)
	    7f12 operator new(unsigned long)+0x1c (/usr/lib/libstdc++.so.6.0.30)
  new_op.cc:50
	    7f34 [unknown] (/memfd:x (deleted))
	ffffffffc0001000 nf_hook+0x1 ([nf_tables])

my prog 2 1234/1240 [001] d..h. 12.600000:          5 cycles:u: 
	    7f34 main+0x1 (/tmp/perf-1234.map)

other 77 12.700000000: 3 cycles:
cafe 78 12.7: 2 cycles:u:  7f34 main+0x1 (/bin/cafe)
cafe 79 12.8: 9 instructions:u: 7f34 main+0x1 (/bin/cafe)
:-1 0 [000] 12.9: 4 cycles: 
	0 
END
equal "every kind of line" ":-1;[unknown] 4
cafe;main 2
my prog 2;main_[j] 5
my prog 2;nf_hook_[k];[unknown];operator new(unsigned long);inner_[i] 7
other 3" "$(folded in)"
matches "what is said" 'in: left out: 1 sample of instructions \(--event chooses another one\); samples without a stack: 1' "$(cat err)"
matches "what is counted" '^  total    self         cycles$' "$("$sberf" report --import perf-script in 2>/dev/null | head -1)"
printf 'a 1 1.0: sched:sched_switch: prev_comm=x prev_pid=1\n\t7f main+0x1 (/bin/a)\n\na 1 2.0: sched:sched_switch: x\n\n' >in
equal "without a period each sample is one" $'a 1\na;main 1' "$(folded in)"

# Several events: time, on the CPU and off it, when that comes first; else the first alone; or what is asked for.
sample() {
	printf 'a 1 %s: %s:\n\t7f %s+0x1 (/bin/a)\n\n' "$@"
}
{
	sample 1.0 "7 offcpu-blocked" waits
	sample 1.1 "5 cycles:u" works
	sample 1.2 "3000 cpu-clock:ppp" works
	sample 1.3 "sched:sched_switch" switches
	sample 1.4 "2000 offcpu-runnable" queues
	sample 1.5 "4000 task-clock" works
	sample 1.6 "6000 offcpu-time" sleeps
} >in
equal "time comes first: running" "a;works 3" "$(folded in)"
equal "what is left out is said" "left out: 1 sample of cycles, 1 of sched:sched_switch, 1 of task-clock (--event chooses another one)" \
	"$(sed 's/.*in: //' err)"
equal "time comes first: blocked" $'a;sleeps 6\na;waits 0' "$(folded --metric blocked in)"
equal "time comes first: runnable" "a;queues 2" "$(folded --metric runnable in)"
matches "the tree tells them apart" ' 27\.3 % +18\.2 % +54\.6 % +11\.0 us  a 1' "$("$sberf" report --import perf-script in 2>/dev/null)"
matches "what it waited for is not known" 'sleeps' "$("$sberf" report --import perf-script --format waits in 2>/dev/null)"
equal "--event: an event of counts" "a;works 5" "$(folded --event cycles in)"
equal "--event: with its modifier" "a;works 5" "$(folded --event cycles:u in)"
equal "--event: without periods" "a;switches 1" "$(folded --event sched:sched_switch in)"
sample 1.0 "7 sched:sched_switch" switches >long
matches "a long name is a column of its own" '^ +self +total +sched:sched_switch  module ' \
	"$("$sberf" report --import perf-script --format flat long | head -1)"
equal "--event: of time off the CPU" "a;queues 2" "$(folded --event offcpu-runnable --metric off-cpu in)"
equal "--event: another clock" "a;works 4" "$(folded --event task-clock in)"
{ sample 1.0 "5 cycles" works; sample 1.1 "7 offcpu-blocked" waits; sample 1.2 "7 cpu-clock" works; } >counts
equal "counts come first: nothing else is read" "a;works 5" "$(folded counts)"
equal "and no waits" "" "$(folded --metric wall counts | grep waits)"
for i in $(seq 0 20); do sample 1.0 "5 event$i" works; done >many
folded many >got
matches "many events: the first are named" '1 sample of event1, 1 of event2, .*1 of event8, 12 of further events' "$(cat err)"
printf 'a 1 1.0: 5 \303\251:\n\t7f main+0x1 (/bin/a)\n\na 1 1.0: 5 \033[31m:\n\t7f main+0x1 (/bin/a)\n\n' >bad
folded bad >got
equal "events with bytes that are no text" "" "$(tr -d '[:print:]\n' <err)"

printf 'a 1 1.0: 5 cpu-clock:\n\t7f main+0x1 (/bin/a)\n\na 1 2.0: 6 cpu-clock:\n\t7f mai' >in
equal "the end is cut off: exit status" 0 "$(folded in >got; echo $?)"
matches "the end is cut off: the sentence" 'the end was cut off: the last stack is left out' "$(cat err)"

refused() {
	local out rc=0
	out=$(folded "$3") || rc=$?
	equal "$1: exit status" 1 "$rc"
	equal "$1: nothing is written" "" "$out"
	matches "$1: the sentence" "$2" "$(cat err)"
}
printf 'a 1 1.0: 5 cpu-clock:\n\n\napp;main 5\n' >in
refused "folded stacks" "line 4 of in, 'app;main 5', is not text of .perf script., such as 'app 1234 \[000\] 5.000001: 10101010 cpu-clock:'" in
printf 'PERFILE2\001\002\n' >in
refused "perf.data" "is perf's own file: write its text with .perf script. first" in
printf '# nothing\n' >in
refused "no sample" "in holds no stack" in
out=$(folded --event page-faults many) || rc=$?
equal "--event: what is not there" 1 "${rc:-0}"
matches "--event: the sentence" "many holds no sample of the event 'page-faults'; left out: 1 sample of event0" "$(cat err)"
equal "--event: nothing is written" "" "$out"

# What sberf writes in this format itself: each kind of time.
for file in example v1_1 v1_2; do
	recording=$top_srcdir/tests/data/$file.sberf
	"$sberf" report --format perf-script "$recording" >in 2>/dev/null
	for metric in on-cpu blocked runnable; do
		[ $file != example ] || [ $metric = on-cpu ] || continue
		"$sberf" report --format folded --metric $metric "$recording" | folded_functions >want
		folded --metric $metric in | folded_functions >got
		same_functions "$file.sberf through perf-script: $metric" want got
		equal "$file.sberf: nothing is left out" "" "$(grep 'left out' err)"
	done
done

# A name of 20 kB survives; what is longer than 65,535 bytes is cut, and the line is whole.
long=$(printf 'x%.0s' $(seq 20000))
{ sample 1.0 "5000 cpu-clock" "$long"; sample 1.1 "5000 cpu-clock" "$long$long$long$long"; } >in
equal "long names: folded stacks keep all" $'a;20000 5\na;80000 5' "$(folded in | awk -F '[; ]' '{ print $1 ";" length($2), $3 }')"
for format in speedscope json; do
	"$sberf" report --import perf-script --format $format in >out
	equal "long names: $format" "20000 65535" "$(grep -o 'x\{1000,\}' out | awk '{ print length($0) }' | sort -nu | paste -sd ' ')"
done
finish
