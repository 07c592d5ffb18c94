#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# call_graph.sh - --call-graph: code without unwind tables is followed by frame pointers and marked, is where stacks end with force, and off
# takes the function alone.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

# capture HOW: HOW.data and its stacks as HOW.folded, without what is inlined: each frame is one name.
capture() {
	check "$1: recorded" record "$1.data" -F 997 --call-graph "$1" --no-inline --duration 1s -p "$workload"
	"$SBERF" report -i "$1.data" --format folded --no-inline --metric on-cpu >"$1.folded"
}

# among FILE WHERE REGEX: percent of the weight of the stacks that match WHERE, which match REGEX too.
among() {
	grep -E -- "$2" "$1" >"$1.part"
	share "$1.part" "$3"
}

start_workload fpcode_last 60
result $? "it runs"
capture fallback
"$SBERF" report -i fallback.data --format tree --no-inline --metric on-cpu >tree
for name in fp_1 fp_5 fp_leaf; do
	check "fallback: $name, which has no table, is marked" grep -qE "[ -]$name \[fp\]" tree
done
check "fallback: what has a table is not" grep -qE '[ -]call_code$' tree
at_least "fallback: percent of frames that have none" 20 "$(value fallback.data frames_no_table_percent)"
"$SBERF" report -i fallback.data --format json | tr -d '\n\t ' >json
check "fallback: they are told apart in JSON" grep -q '"no_table":true' json
at_least "fallback: percent of samples there that come to main through them" 95 "$(among fallback.folded 'fp_leaf ' ';main;.*fp_1;.*fp_leaf ')"

# Where formats have a place for it, and where they have none.
"$SBERF" report -i fallback.data --format pprof --metric on-cpu -o marked.pb.gz
check "fallback: samples of pprof have a label that says so" sh -c 'gunzip -c marked.pb.gz | grep -qa no_table'
check "fallback: and the share is a comment there" sh -c 'gunzip -c marked.pb.gz | grep -qa "frames_no_table_percent: [1-9]"'
"$SBERF" report -i fallback.data --format perf-script --metric on-cpu >script
equal "fallback: the share is in the comments before perf's samples" "# ========|# frames_no_table_percent: $(value fallback.data frames_no_table_percent)|# ========|#||" \
	"$(head -n 5 script | tr '\n' '|')"
"$SBERF" report --import perf-script script --format folded 2>script.err | sed 's/ [0-9]*$//; s/^[^;]*;//' | sort -u >back
equal "fallback: which is read back without a word" "" "$(cat script.err)"
check "fallback: and with the same functions" grep -q ';main;.*;fp_1;.*;fp_leaf' back
equal "fallback: nothing reads otherwise in folded stacks" 0 "$(grep -cE 'fp\]|no_table' fallback.folded)"
"$SBERF" top -e cpu-clock -F 997 -b --iterations 1 -d 500ms -p "$workload" >view
check "fallback: the header of the view has the share" grep -qE '[0-9.]+ % of frames by frame pointer|fp [0-9.]+ %' view

capture force
at_least "force: percent of samples there that end in the first of them" 99 "$(among force.folded 'fp_leaf ' ';\[cut: no_cfi\];fp_leaf ')"

capture off
equal "off: stacks of more than one frame" 0 "$(grep -cE '^[^;]*;[^;]*;' off.folded)"
equal "off: the same of waits" 0 "$("$SBERF" report -i off.data --format folded --no-inline --metric off-cpu | grep -cE '^[^;]*;[^;]*;')"
at_least "off: percent of samples that are in the function which takes the time" 90 "$(share off.folded ';fp_leaf ')"
equal "off: percent complete" 100.00 "$(value off.data oncpu_complete_percent)"
check "off: no label says so" sh -c "! '$SBERF' report -i off.data --format pprof | gunzip -c | grep -qa no_table.yes"
stop_workload
equal "off: cuts" 0 "$(summary off.data | awk -F ': ' '/^cut_/ { n += $2 } END { print n + 0 }')"
finish
