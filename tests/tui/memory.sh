#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The pane of memory in a real terminal (tmux), live: sites that leak and one that churns, in three sizes, and the way to the tree.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 1

terminal
resize 100 28
type_line "$SBERF top -e cpu-clock --budget none --memory=allocs --sample-bytes 32K -- $WORKLOADS/leaks 120 50"
see "the view" 'leaks [0-9]+ · running'
keys M 0
see "the pane of memory" '[─━] memory · .* allocated · .* in use .*in use'
see "a site that leaks" 'leak_fast › turn › .* [KM]B .* [KM]B +[0-9.]+ [KM]B'
see "one that churns" 'churn › turn › .* [KM]B'
keys C
see "what is in use over time" '^▌? +in use +[▁▂▃▄▅▆▇█]'
note "$(screen)"
resize 60 15
see "60x15 has it, too" 'leak_fast › '
resize 40 10
see "and 40x10" 'in use +verdict'
resize 100 28
see "what is resident" "resident +[▁▂▃▄▅▆▇█]"
keys U
see "U cannot end what the capture began with" 'blocks are followed by --memory until the capture ends'
keys g j j Enter
see "Enter shows the function in the tree" 'memory in use, memory allocated'
keys Escape
see "Esc shows time again" 'time is shown again'
keys q
restored "after q"
# Growth, to which M alone leads, and from there to blocks and back, while the program runs.
"$WORKLOADS/leaks" 120 50 >/dev/null &
workload=$!
also_kill $workload
type_line "$SBERF top -e cpu-clock --budget none -p $workload"
see "a view without memory" 'leaks [0-9]+ · running'
keys M 0
see "M: who makes it grow" '[─━] memory · .* grown'
keys U
see "U: functions are probed" 'blocks of memory are followed: [0-9]+ functions'
see "blocks are in use, by site" 'leak_fast › turn › .* [KM]B .* [KM]B +[0-9.]+ [KM]B'
see "and in all" '[─━] memory · .* in use'
keys U
see "U again: they are not followed any more" '[─━] memory · ([0-9.]+ [KMG]B allocated|.*not followed since [0-9.]+ m?s)'
keys q
restored "after q, again"
finish
