#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# `sberf top` by NUMA node in a real terminal (tmux), on whatever machine this is: key 3 begins to sample accesses and faults, functions
# and their call paths open, searching finds them, a node can be looked at alone, Escape leads back.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

nodes=$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' 2>/dev/null | wc -l)
[ "$nodes" -gt 1 ] || nodes=1

start_workload arrays 300
result $? "a program that waits for memory"
terminal
type_line "$SBERF top -e cpu-clock -F 499 -p $workload"
see "the tree comes first" '▾ arrays'
keys 3 m
if [ "$nodes" = 1 ]; then
	see "one node: it says so" '^▌? +One NUMA node: no memory is far\.'
	see "in the rule too" '^(──|━━) numa · 1 node'
	see "accesses are sampled now" '· [0-9,]+ addressed samples'
	see "functions are ranked by them" 'functions by accesses .* share'
else
	see "it says how many nodes there are" "^(──|━━) numa · $nodes nodes"
	see "accesses are sampled now" 'far .*~[0-9.<]+ % of [0-9,]+'
	see "functions are ranked by far time" 'functions by far time .* far'
fi
see "with shares, which are estimates, and numbers of accesses" 'way_[a-z]+ .* ~[0-9.]+ % +[0-9,]+'
see "each node has a line" '^▌? +▸? +node 0 .* [0-9.]+ %'
see "why samples gave no address" 'samples without an address'
note "$(screen)"

keys / w a y _ g a t h e r Enter
see "searching finds a function" '▌ .*way_gather .*~[0-9.]+ %'
keys Escape
see_not "Escape leaves the search" '/way_gather'
keys Right
see "its call paths open" '› main'
keys Right Right
see "down to functions with their lines" 'way_gather  arrays\.c:[0-9]+'
keys j j
see "each of the path" 'main  arrays\.c:[0-9]+'

keys g
keys / n o d e Space 0 Enter
see "a node is found" '^▌ .*node 0'
keys Escape
see_not "and the search left" '/node 0'
keys Enter
see "Enter leaves only a node" 'filter: node:0'
keys 3
see "in the tree too" 'filter: node:0'
keys Escape
see_not "until Escape" 'filter: '
keys T
see "T splits the tree by node" '▾ node 0'
keys T 3 m
resize 40 10
see "40x10 still has the nodes" 'node 0 .* [0-9.]+ %'
resize 100 30
see "and back" 'functions by'
keys Escape
see "Escape leads back to the tree" '^── .*by process'
keys q
restored "after q"
stop_workload

# Not wanted: nothing is sampled, and it says so.
start_workload shares
type_line "$SBERF top -e cpu-clock --no-numa -p $workload"
see "another target" '▾ main'
keys 3
see "with --no-numa it says what is missing" 'Nothing is known of nodes and memory: --numa tells'
keys q
restored "after --no-numa"
stop_workload

# First touches.
type_line "$SBERF top -e cpu-clock --numa -- $WORKLOADS/toucher 400 60000"
keys 3 m
see "who touched memory first is listed" 'memory first touched by .* pages'
see "by call path, with estimated pages and their samples" 'first_touch › main .* ~[0-9,.k]+ .* [0-9,]+$'
keys q
restored "after first touches"
finish
