#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Time in the terminal view, live: the strip, a range, pausing, and the heat map of a program that stalls once a second.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

# The time of the newest column, as the last line but one has it.
newest() {
	screen | sed -n 's/^ \([0-9:.]*\) · running .* · newest$/\1/p'
}

# What the header says has passed.
clock() {
	screen | head -n 1 | grep -Eo '[0-9]{2}:[0-9]{2}:[0-9]{2}$'
}

later() {
	local now
	now=$("$1")
	[ -n "$now" ] && [[ $now > $2 ]]
}

# shades LABEL: the row of the heat map beside LABEL has some.
shades() {
	screen | grep -Eq "^ $1 +.*[░▒▓█]"
}

# Blocked at 500 ms, and at no time near the ends of the second.
is_line() {
	shades '500 ms' && ! shades '1 s' && ! shades '0 ms'
}

start_workload stalls
result $? "a program that stalls from 400 to 600 ms of each second"
terminal
type_line "$SBERF top -e cpu-clock -p $workload"
see "it works in one function" 'first_work'
keys 9
see "9 opens the strip" 'time · 1 s a column'
see "with what was blocked in words" 'running [0-9.]+ · runnable [0-9.]+ · blocked 0\.(1[5-9]|2[0-9]) · newest'
check "later in another" wait_until 60 shows 'second_work .* [0-9.]+ %'
keys g v
see "a range begins" 'a range begins here'
keys Right Right
see "it grows to the cursor" '00:00:00 to 00:00:03 · running .* · Enter shows only this'
keys Enter
see "Enter takes it" 'only 00:00:00 to 00:00:03, in all views'
see "the header names it" 'running · 00:00:00 to 00:00:03'
see_not "what came after it is not in the tree" 'second_work'
see "what was in it is" 'first_work'
keys End
check "the strip goes on" wait_until 20 later newest "$(newest)"
see_not "and the tree stays" 'second_work'
keys Escape
see "Esc shows all again" 'second_work'

keys p
see "p pauses" 'view paused'
# What was being drawn at that moment is drawn to its end, before the clock has gone on; twice, where the machine is busy.
wait_until 30 later clock "$(clock)"
wait_until 30 later clock "$(clock)"
at=$(newest)
check "the clock goes on" wait_until 30 later clock "$(clock)"
check "and on" wait_until 30 later clock "$(clock)"
equal "while the strip stands still" "$at" "$(newest)"
keys p
check "and then has what came meanwhile" wait_until 20 later newest "$at"

# A mouse: pressed at column 21 of line 25, let go at column 23; to a button, 32 is added to each.
keys -l $'\e[M 59'
see "a click goes to a column" '^ 00:00:10 · running'
keys -l $'\e[M#79'
see "drawn over, a range" 'only 00:00:10 to 00:00:13'
keys Escape
see_not "gone" '00:00:10 to 00:00:13'

keys 2 m
see "2 maps blocked time" 'time · heat map, blocked · 1 s a column'
check "the stall is a line" wait_until 20 is_line
note "$(screen)"
resize 20 5
resize 100 30
see "any size" 'heat map, blocked'
keys q
restored "after q"

record "$SCRATCH/stalls" -p "$workload" --duration 4s
stop_workload
type_line "$SBERF report -i $SCRATCH/stalls"
see "the recording" 'second_work'
keys 9 m
see "is on the strip as a whole" '╵00:00:00 .*╵00:00:0[234]'
keys H 2
check "with its stalls" wait_until 20 is_line
keys q
restored "after report"
finish
