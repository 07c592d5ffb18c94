#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_functions.sh - functions from their entry to their return: each call is counted, with its time and its whole stack, also where
# functions call themselves, are jumped to, are left by longjmp() or end with their thread.
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

mkfifo in
"$WORKLOADS/timed" <in >out &
pid=$!
also_kill $pid
exec {to}>in
wait_until 20 grep -q ready out
record_placed run.data --budget none --ring-size 64M -p $pid --probe call:timed:slow --probe call:timed:quick --probe call:timed:recurse \
	--probe call:timed:tail --probe call:timed:left --probe call:timed:leaver --probe call:timed:ends
for what in "slow 1000" "quick 20000" "recurse 100" "tail 500" "leave 300" "end 50"; do
	echo "$what" >&$to
done
wait_until 60 answered out 6 '[a-z]* [0-9]'
end_record
equal "recorded: status" 0 $?
note "$(cat err out)"
equal "it has done all of it" 6 "$(grep -c '^[a-z]* [0-9]* [0-9]*$' out)"
equal "lost" 0 "$(value run.data lost_ring_full)"

# Numbers.
equal "calls" 1000 "$(of call:timed:slow count)"
equal "calls of what is called, and jumped to" $((20000 + 500 + 300)) "$(of call:timed:quick count)"
equal "of what calls itself" 2000 "$(of call:timed:recurse count)"
equal "of what jumps away: it returns with the other one" 500 "$(of call:timed:tail count)"
equal "of what is left by longjmp()" "0 0" "$(of call:timed:left count) $(of call:timed:leaver count)"
equal "of what its thread ends in" 0 "$(of call:timed:ends count)"

# Time: what the program's own clock says in the calls.
own=$(awk '$1 == "slow" { print $3 }' out)
took=$(of call:timed:slow total_ns)
note "slow: its own clock $own ns, measured $took"
between "time, percent of what its own clock says" 95 105 $((100 * took / own))
note "a call of nothing takes $(($(of call:timed:quick total_ns) / 20800)) ns with its probe"

# Stacks: that of the call, though it has returned.
"$SBERF" report -i run.data --metric call:timed:slow --format folded --no-inline >folded
at_least "percent of slow() with its whole stack" 100 "$(share folded '^timed;_start;([^;]*;){1,2}main;(act;)?slow ')"
note "$(head -n 2 folded)"
"$SBERF" report -i run.data --metric 'call:timed:recurse' --format folded --no-inline >folded
at_least "percent of recurse() with its whole stack" 100 "$(share folded '^timed;_start;([^;]*;){1,2}main;(act;)?recurse(;recurse)* ')"
equal "stacks of recurse(), one for each depth" 20 "$(wc -l <folded)"
"$SBERF" report -i run.data --metric 'call:timed:quick' --format folded --no-inline >folded
at_least "percent of quick() with its whole stack" 100 "$(share folded '^timed;_start;([^;]*;){1,2}main;(act;)?(leave;)?(tail;)?quick ')"
note "$(cat folded)"

# Copied stacks have it, too.
echo "slow 100000" >&$to
"$SBERF" record -o run.data --budget none --unwind copy -p $pid --probe call:timed:slow --duration 1s 2>err
at_least "copied: calls" 100 "$(of call:timed:slow count)"
"$SBERF" report -i run.data --metric call:timed:slow --format folded --no-inline >folded
at_least "copied: percent with the whole stack" 100 "$(share folded '^timed;_start;([^;]*;){1,2}main;(act;)?slow ')"
note "$(head -n 2 folded)"

# uretprobe: counts returns; two probes of one function are refused.
"$SBERF" record -o run.data --budget none -p $pid --probe ur:timed:slow --duration 1s 2>err
note "$(cat err)"
equal "returns weigh one each" "$(of uretprobe:timed:slow count)" "$(of uretprobe:timed:slow total)"
at_least "returns" 100 "$(of uretprobe:timed:slow count)"
"$SBERF" record -o run.data --budget none -p $pid --probe ur:timed:slow --probe call:timed:slow --duration 500ms 2>err
check "two probes of one function: refused" test $? -ne 0
matches "and named" "two probes.*slow" "$(cat err)"
finish
