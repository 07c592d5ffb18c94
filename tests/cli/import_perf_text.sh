#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# import_perf_text.sh - what stands in a text of `perf script` beside samples, and what may be missing. tests/data/perf-script/real*.txt
# are of one recording by perf 6.1, `perf record -e cpu-clock -F 199 -g --namespaces --switch-events -- bash -c ...`, as perf script
# prints it: plainly, with --show-task-events and such, with -F +misc, without -F comm; to the fifth sample. The others were reported.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/perf-script
cd "$SCRATCH" || exit 99

folded() {
	"$sberf" report --import perf-script --format folded "$@" 2>err
}

refused() {
	local out rc=0
	out=$(folded "$3") || rc=$?
	equal "$1: exit status" 1 "$rc"
	equal "$1: nothing is written" "" "$out"
	matches "$1: the sentence" "$2" "$(cat err)"
}

folded "$data/real.txt" >want
equal "five samples of perf" 25126 "$(awk '{ n += $NF } END { print n }' want)"
for file in "$data"/real-*.txt; do
	name=${file##*/}
	[ "$name" != real-comm.txt ] || continue
	folded "$file" >got
	check "$name: the same samples" cmp want got
	equal "$name: nothing to be said" "" "$(cat err)"
done
folded --group-by process "$data/real-comm.txt" >got
equal "without names of threads: these are their numbers" "$(folded --group-by process "$data/real.txt" | sed 's/^[a-z]* //')" "$(cat got)"
equal "without names of threads: the group" "[unknown]" "$(folded "$data/real-comm.txt" | cut -d';' -f1 | sort -u)"

# What was reported.
equal "a byte-order mark" "app;main;inner 1000" "$(folded "$data/bom.txt")"
equal "a thread without a name" "99077;foo 250" "$(folded --group-by process "$data/emptycomm.txt")"
equal "names that begin with #" $'#hash;main;burn 5025\nok;burn 5025' "$(folded "$data/hash.txt")"
equal "what ends has pid -1" ":-1;foo 500" "$(folded --group-by process "$data/minus1.txt")"
equal "parentheses in paths" "app;main;operator()(int) const;inner 1000" "$(folded "$data/parenpath.txt")"
equal "and the path" "/opt/My App (x86)/bin/app" \
	"$("$sberf" report --import perf-script --format json "$data/parenpath.txt" | grep -o '/opt/My App[^"]*' | sort -u | head -1)"
equal "no newline at the end" "app;main;inner 1000" "$(folded "$data/nonewline.txt")"
matches "no newline at the end: the sentence" 'the last line has no end: the last stack is read as far as it goes' "$(cat err)"
printf 'a 1 1.0: 5 cpu-clock:\n\t7f main+0x1 (/bin/a)\n\na 1 2.0: 6 cpu-clock:\n\t7f g+0x1 (/opt/App (x86)' >in
equal "cut off in a path" "a;main 0" "$(folded in)"
matches "cut off in a path: the sentence" 'the end was cut off: the last stack is left out' "$(cat err)"

# Which field is missing.
refused "no time and no CPU" "line 1 of .*, 'foobar 21332 cycles: ', has neither a time nor a CPU: write the text with .perf script -F \+time." \
	"$data/notime.txt"

sed 's/cpu-clock: $//' "$data/real.txt" >in
refused "no event" "has no event: write the text with .perf script -F \+event." in
sed 's/^\([a-z]*\) *[0-9]* /\1 /' "$data/real.txt" >in
refused "no number of a thread" "has no number of a thread: write the text with .perf script -F \+tid." in

# What perf says in between, and other lines.
{
	echo 'Warning:'
	echo 'Processed 5 events and lost 1 chunks!'
	echo
	cat "$data/real.txt"
	printf 'failed to open /tmp/perf-1.map, \033[1mcontinuing\033[0m without symbols\n'
} >in
check "messages of perf: the samples" cmp want <(folded in)
folded in >got
matches "messages of perf: how many, and the first" "lines that are no text of .perf script., passed over: 3 \(the first is line 1, 'Warning:'\)" "$(cat err)"
awk '{ print } /^$/ && !done++ { print "[ perf record: Woken up 1 times to write data ]" } NR == 3 { print "addr2line: cannot find it" }' "$data/real.txt" >in
check "in the middle of a stack" cmp want <(folded in)
{ cat "$data/real.txt"; yes 'no text of perf' | head -100; } >in
refused "more unknown lines than known ones" "line 56 of in, 'no text of perf', is not text of .perf script." in
{ yes 'app;main 5' | head -200000; cat "$data/real.txt"; } >in
refused "which need not be read to the end" "line 1 of in, 'app;main 5', is not text of .perf script." in
printf 'a 1 1.0: 5 cpu-clock:\n\t7f main+0x1 (/bin/a)\n\na 1 [000] 2.0: PERF_RECORD_LOST lost 25\n' >in
equal "events that were lost" "a;main 0" "$(folded in)"
matches "events that were lost: the sentence" 'perf says that it lost samples or events: 25' "$(cat err)"

# Names that look like fields.
{
	printf '7 1234 1.0: 5000 cpu-clock:\n\t7f main+0x1 (/bin/a)\n\n'
	printf '   cafe f1 1234 1.1: 5000 cpu-clock:\n\t7f main+0x1 (/bin/a)\n\n'
	printf '# ======== 1234 1.2: 5000 cpu-clock:\n\t7f main+0x1 (/bin/a)\n\n'
	printf '# not a thread: 1234\n# ========\n# a 1 1.0: 5000 cpu-clock:\n# ========\n'
	printf '  1 [000] K 1.3: 5000 cpu-clock:\n\t7f main+0x1 (/bin/a)\n\n'
	printf 'x 12/34 [001] 77/77 [003] Sp 1.4: 5000 cpu-clock:\n\t7f main+0x1 (/bin/a)\n\n'
} >in
equal "names that look like fields" '# ========;main 5
7;main 5
[unknown];main 5
cafe f1;main 5
x 12/34 [001];main 5' "$(folded in)"
equal "nothing is passed over" "" "$(cat err)"
finish
