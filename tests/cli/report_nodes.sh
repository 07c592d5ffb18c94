#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# report_nodes.sh - what `report` shows by NUMA node: nodes add up to the whole, and what is not there is said.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/v1_1.sberf

# folded ARGS...: the sum of all folded stacks, in us.
folded() {
	"$sberf" report --format folded "$@" "$data" | awk '{ sum += $NF } END { print sum + 0 }'
}

# about TITLE WANT GOT: the same but for rounding.
about() {
	check "$1 ($2)" awk -v want="$2" -v got="$3" 'BEGIN { exit !(want > 0 && got >= want - 20 && got <= want + 20) }'
}

for metric in on-cpu off-cpu; do
	all=$(folded --metric $metric)
	zero=$(folded --metric $metric --node 0)
	check "$metric: a node is a part" test "$zero" -gt 0 -a "$zero" -lt "$all"
	about "$metric: nodes add up" "$all" $((zero + $(folded --metric $metric --node 1)))
	about "$metric: a list of nodes" "$all" "$(folded --metric $metric --node 0-1,7)"
	equal "$metric: no such node" 0 "$(folded --metric $metric --node 2,900)"
	about "$metric: --by-node changes no sum" "$all" "$(folded --metric $metric --by-node)"
done
text=$("$sberf" report --format folded --by-node "$data")
equal "nodes are the first frames" "node 0 node 1" "$(cut -d';' -f1 <<<"$text" | sort -u | paste -sd' ')"
about "a node's frames are its part" "$(folded --node 1)" "$(grep '^node 1;' <<<"$text" | awk '{ sum += $NF } END { print sum }')"
equal "the tree has nodes" 2 "$("$sberf" report --format tree --by-node "$data" | grep -c '  - node [01]$')"
equal "so has the list of waits" 2 "$("$sberf" report --format waits --by-node "$data" | grep -c '    node [01]$')"
equal "not unless asked for" 0 "$("$sberf" report --format waits "$data" | grep -c ' node [01]$')"

# frames OPTIONS...: what the frames of a flame graph are called, and how much they are.
frames() {
	"$sberf" report --format svg --no-script --metric on-cpu "$@" "$data" | grep -o '<title>[^<]*' | sed 's/^<title>//'
}
# amount FRAME: how much it is in $text.
amount() {
	sed -n "s/^$1 · \([0-9.]* [mu]*s\) · .*/\1/p" <<<"$text"
}
text=$(frames)
equal "a flame graph has no frame for a node unless asked for" "" "$(amount 'node [0-9]*')"
text=$(frames --by-node)
equal "a flame graph has a frame for each node" "node 0 node 1" "$(grep -o '^node [0-9]*' <<<"$text" | sort | paste -sd' ')"
for node in 0 1; do
	part=$(amount "node $node")
	equal "that of node $node is the whole of node $node alone" "${part:-nothing}" "$(text=$(frames --node $node); amount all)"
done

# A recording with migrations, faults and accesses.
numa=$top_srcdir/tests/data/v1_2.sberf
numa_figure() {
	"$sberf" report --format summary "$numa" | sed -n "s/^$1: //p"
}

text=$("$sberf" report --format numa --ascii "$numa")
equal "by node: ASCII" 0 "$(LC_ALL=C sed 's/\xef\xbf\xbd/?/g; s/\xc3\xa9/e/g' <<<"$text" | LC_ALL=C grep -c '[^ -~]')"
matches "by node: the machine" "^$(numa_figure numa_nodes) nodes, distances [0-9/]+" "$(head -1 <<<"$text")"
matches "by node: accesses" "^far ~[0-9.]+ % of the time of $(numa_figure numa_accesses) accesses, ~[0-9.]+ % weighed" "$(sed -n 2p <<<"$text")"
for section in nodes "accesses from" functions "first touches" "migrations between" threads "memory by" processes; do
	matches "by node: $section" $'\n\n'"$section" "$text"
done
equal "by node: twice the same" "$text" "$("$sberf" report --format numa --ascii "$numa")"
equal "by node: far stacks add up" "$(numa_figure numa_far_us)" \
	"$("$sberf" report --far --format folded "$numa" | awk '{ sum += $NF } END { print sum }')"
got=$("$sberf" report --node 7 --format folded "$numa" 2>&1 >/dev/null)
matches "a node that the machine has not" "the machine of this recording has no node 7; it has 0,1,5" "$got"
text=$("$sberf" report --format numa "$data" 2>&1)
matches "by node: a recording from before" '^the nodes of this machine are not known' "$text"
matches "by node: it has threads and nodes" 'running +not at home' "$text"

got=$("$sberf" report --node none "$data" 2>&1)
equal "a bad list of nodes: exit status" 2 $?
matches "a bad list of nodes: the sentence" "node list 'none' is not a list such as 3 or 0-3,8" "$got"
got=$("$sberf" report --node 1024 "$data" 2>&1)
matches "a node that there cannot be" "node list '1024' is out of range: it must be from 0 to 1023" "$got"
got=$("$sberf" report --far --format tree "$data" 2>&1 >"$SCRATCH/far")
equal "--far without accesses: exit status" 0 $?
matches "--far without accesses: the sentence" "there are no accesses to memory in this recording: it was made without --numa" "$got"
matches "--far without accesses: nothing" ' 0 ns +0  all$' "$(cat "$SCRATCH/far")"
got=$("$sberf" report --far --metric blocked "$data" 2>&1)
matches "--far is a metric of its own" '--far and --metric both say what to count: give one of them' "$got"
got=$("$sberf" report --format numa --metric off-cpu "$numa" 2>&1)
equal "--format numa has all metrics: exit status" 2 $?
matches "--format numa has all metrics: the sentence" 'counts running, waiting and accesses side by side: leave out --metric' "$got"
finish
