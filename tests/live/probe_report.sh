#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_report.sh - the list of probes says of a program of known truth how often it called what, how long that took, and where the
# longest call was; also when most calls were summed in the kernel, and after a merge.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

mkfifo in
"$WORKLOADS/timed" <in >out &
pid=$!
also_kill $pid
exec {to}>in
wait_until 20 grep -q ready out
record_placed run.data --budget none --ring-size 64M -p $pid --probe call:timed:slow --probe call:timed:quick --probe uprobe:timed:recurse \
	--probe sys:openat
for what in "slow 1000" "quick 20000" "recurse 100"; do
	echo "$what" >&$to
done
wait_until 60 answered out 3 '[a-z]* [0-9]'
end_record
equal "recorded: status" 0 $?
note "$(cat err out)"
equal "lost" 0 "$(value run.data lost_ring_full)"

"$SBERF" report -i run.data --format probes --ascii >probes
note "$(cat probes)"

# cell PROBE COLUMN [FILE]: of its line, where a time is one word.
cell() {
	sed -E 's/([0-9]) ([num]?s)\>/\1\2/g' "${3:-probes}" | awk -v probe="$1" -v column="$2" '$9 == probe { print $column; exit }' | tr -d ,
}
equal "hits of slow" 1000 "$(cell call:timed:slow 1)"
equal "hits of quick" 20000 "$(cell call:timed:quick 1)"
equal "hits of what only counts" 2000 "$(cell uprobe:timed:recurse 1)"
equal "what only counts has no time" "." "$(cell uprobe:timed:recurse 4)"
own=$(awk '$1 == "slow" { print $3 }' out)
took=$("$SBERF" report -i run.data --format json | sed -n 's/.*"name":"call:timed:slow".*"total_ns":\([0-9]*\).*/\1/p')
between "the time of slow, in percent of what its own clock says" 95 110 $((100 * took / own))
matches "half of the calls took as long" '^~(1[2-9][0-9]|2[0-5][0-9])us$' "$(cell call:timed:slow 5)"

# buckets PROBE [FILE]: sums of its histogram: all calls, and those of 128 us and longer.
buckets() {
	sed -n "/^$1\$/,/^\$/p" "${2:-probes}" | sed -nE 's/^ {6}(.{22}) +([0-9,]+)(  #*)?$/\1|\2/p' | tr -d , |
		awk -F'|' '{ all += $2; if ($1 ~ /^(128|256|512) us|^[0-9.]+ m?s/) long += $2 } END { print all + 0, long + 0 }'
}
equal "every call of slow is in its histogram, and none in less than 128 us" "1000 1000" "$(buckets call:timed:slow)"
matches "the longest call has its stack" '^ +slow > (act > )?main > ' "$(sed -n '/^call:timed:slow$/,/^$/p' probes | grep -A1 '^  longest' | tail -n 1)"
matches "and its thread" '^  longest .*, timed [0-9]+:$' "$(sed -n '/^call:timed:slow$/,/^$/p' probes | grep '^  longest')"

# With another recording, merged.
record_placed other.data -p $pid --budget none --probe call:timed:slow
echo "slow 500" >&$to
wait_until 60 answered out 4 '[a-z]* [0-9]'
end_record
"$SBERF" merge run.data other.data -o both.data 2>err
equal "merged: status" 0 $?
"$SBERF" report -i both.data --format probes --ascii >both
"$SBERF" report -i other.data --format probes --ascii >other
equal "merged: hits" 1500 "$(cell call:timed:slow 1 both)"
equal "merged: the histogram" "1500 1500" "$(buckets call:timed:slow both)"
check "merged: the longest call is one of them" grep -qxF "$(sed -n '/^call:timed:slow$/,/^$/p' both | grep '^  longest')" probes other

# One in ten is told: hits and total are exact, the histogram is that of those that were told.
record_placed tenth.data -p $pid --budget none --every 10 --probe call:timed:slow --probe call:timed:quick
echo "quick 20000" >&$to
echo "slow 1000" >&$to
wait_until 60 answered out 6 '[a-z]* [0-9]'
end_record
"$SBERF" report -i tenth.data --format probes --ascii >tenth
note "$(cat tenth)"
equal "--every 10: hits" "20000 1000" "$(cell call:timed:quick 1 tenth) $(cell call:timed:slow 1 tenth)"
dropped=$(cell call:timed:quick 8 tenth)
between "--every 10: of which were dropped" 17900 18100 "$dropped"
equal "--every 10: the histogram has the others" $((20000 - dropped)) "$(buckets call:timed:quick tenth | cut -d' ' -f1)"
equal "--every 10: each told call of slow is as long as it was" "$(buckets call:timed:slow tenth | cut -d' ' -f1)" \
	"$(buckets call:timed:slow tenth | cut -d' ' -f2)"

# What was not hit has a row all the same, and what could not be placed says why; so it is in what is merged.
: >err
mkfifo in2
"$SBERF" record -o none.data --budget none --probe uprobe:timed:slow --probe call:timed:nosuch --probe sys:mount -- "$WORKLOADS/timed" \
	<in2 >none.out 2>err &
recorder=$!
exec {too}>in2
wait_until 60 probes_placed record
exec {too}>&-
wait $recorder
"$SBERF" report -i none.data --format probes --ascii >none
note "$(cat none err)"
equal "no hit: the rows" "uprobe:timed:slow call:timed:nosuch sys:mount" \
	"$(sed -nE 's/^ {10}\. .* ([a-z]+:[a-z:]+)$/\1/p' none | tr '\n' ' ' | sed 's/ $//')"
matches "no hit: where it is" '^  placed at 1 site in 1 process' "$(grep -A1 '^uprobe:timed:slow$' none | tail -n 1)"
matches "no place: why" "^  placed nowhere: there is no function 'nosuch'" "$(grep -A1 '^call:timed:nosuch$' none | tail -n 1)"
matches "JSON has them" '"name":"call:timed:nosuch","hits":0,"not_placed":"there is no function' "$("$SBERF" report -i none.data --format json)"
"$SBERF" merge run.data none.data -o all.data 2>err
equal "merged: all of both" "call:timed:slow call:timed:quick uprobe:timed:recurse sys:openat uprobe:timed:slow call:timed:nosuch sys:mount" \
	"$("$SBERF" report -i all.data --format probes | sed -nE '/^$/q; s/^ .* ([a-z]+:[a-z:]+)$/\1/p' | tr '\n' ' ' | sed 's/ $//')"

# Each process that runs before it has its probe, says for how long it did.
"$SBERF" record -o born.data --budget none --probe uprobe:timed:quick -- sh -c 'for i in 1 2 3; do sleep 0.5 | "$0"; done' "$WORKLOADS/timed" \
	>/dev/null 2>err
"$SBERF" report -i born.data --format probes --ascii >born
note "$(cat born)"
equal "processes that ran without" 3 "$(grep -cE '^    (timed, |sh, )?pid [0-9]+: first [0-9.]+ ms not seen$' born)"
matches "which are so many" ', 3 ran without it for up to [0-9.]+ ms$' "$(grep placed born)"
matches "JSON has each" '"unseen":\[\{"pid":[0-9]+,"comm":"[a-z]*","ns":[0-9]+\}(,[^]]*){2,}\]' "$("$SBERF" report -i born.data --format json)"

# Calls that have not returned are known at the end.
"$SBERF" record -o open.data --probe sys:clock_nanosleep --duration 1s -- sleep 3 2>err
matches "a call that did not return" '^  1 call has not returned, the oldest for [0-9]+ ms$' \
	"$("$SBERF" report -i open.data --format probes | grep returned)"

# Nothing is an answer, too, and what is no choice is refused.
record none.data -- true
matches "without probes: it says so" "no probe was placed" "$("$SBERF" report -i none.data --format probes)"
got=$("$SBERF" report -i run.data --format probes --metric call:timed:slow 2>&1)
equal "--metric: status" 2 $?
matches "--metric: the sentence" "lists all probes side by side" "$got"
finish
