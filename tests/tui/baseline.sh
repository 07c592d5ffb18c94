#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# `sberf top`, key b: a program that does something else from now on, and what differs; the options behind o on the way.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

start_workload turns
result $? "workload is ready"
terminal
type_line "$SBERF top -e cpu-clock -F 499 -p $workload"
see "what it does at first" 'burn_first .* [0-9.]+ %'
keys o
see "o asks for an option" ' r fold '
keys l
see "libraries are hidden" 'no libraries'
keys K
see "and the kernel: a few lines are left" 'no kernel'
see "some seconds of it" '00:00:(0[5-9]|[1-5][0-9])'
keys b
see "b: the header says since when" 'baseline 00:0'
see "so does the tree" 'against baseline'
kill -USR1 "$workload"
see "what grew has a plus" 'burn_second .*~?\+[1-9][0-9.]+$'
see "what shrank has a minus" 'burn_first .*~?-[1-9][0-9.]+$'
note "$(screen)"
keys 5
see "functions too" 'self against baseline'
keys 5
resize 40 10
see "40x10: the change of what has room" '(_start|main|burn_first|burn_second) .*~?[+-][0-9.]+$'
resize 100 30
keys Escape
see_not "Escape ends it" 'against baseline'
see "as many columns as before" 'self .*total|running'
keys b
see "b marks again" 'against baseline'
stop_workload
see "the end is told" 'killed by SIGKILL'
keys b
see "nothing new comes: it says so" 'sberf diff'
keys q
restored "after q"

finish
