#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The flame graph of `sberf top` (7) in a real terminal (tmux): on a program whose shares are known, and one that is deep.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

# width NAME: the columns of the block that begins with NAME; behind it stands the right half of a column.
width() {
	screen | awk -v name="$1" 'BEGIN { half = "▐" }
		{ at = index($0, name); if (at && index($0, half)) { print index(substr($0, at), half); exit } }'
}

# shares_right: the blocks of burn_50, burn_30 and burn_20 are as wide as they should be, within four of the hundred columns.
shares_right() {
	local a b c
	a=$(width burn_50) b=$(width burn_30) c=$(width burn_20)
	[ -n "$a" ] && [ -n "$b" ] && [ -n "$c" ] || return
	[ "$a" -ge 46 ] && [ "$a" -le 54 ] && [ "$b" -ge 26 ] && [ "$b" -le 34 ] && [ "$c" -ge 16 ] && [ "$c" -le 24 ]
}

fills_the_screen() {
	[ "$(width "$1")" -eq 100 ]
}

start_workload shares
result $? "workload is ready"
mkdir -p "$SCRATCH/saved"
terminal "XDG_CONFIG_HOME=$SCRATCH/config"
type_line "cd '$SCRATCH/saved'"
type_line "$SBERF top -e cpu-clock -F 499 -p $workload"
see "a tree with data" '▾ main .* [0-9.]+ %'
keys 7 0
see "7 shows the flame graph, 0 leaves it alone" '^── flame · .*by process'
see "with the functions side by side" '^ *burn_50 .*burn_30 .*burn_20'
check "as wide as their shares" wait_until 60 shares_right
note "$(screen)"
matches "running time is green" $'\e\\[38;5;(28|65)m' "$(screen -e)"
matches "on the blocks themselves" $'\e\\[7m' "$(screen -e)"
see "the cursor is on all" '^ all · 100\.0 % · .*level 1 of [0-9]+'

keys / b u r n _ 2 0
see "a search says which share matches" '1 of 1 · [12][0-9]\.[0-9] %'
keys Enter Escape
see "and leads to the function" '^ burn_20 · [12][0-9]\.[0-9] % .* samples.* of its parent'
keys h
see "Left leads to the sibling" '^ burn_30 · '
keys k
see "Up to the parent" '^ share · '
keys j
see "Down to the heaviest child" '^ burn_50 · '
keys Right Enter
see "Enter zooms" '^── flame .* in burn_30'
check "the function is all there is to see" wait_until 20 fills_the_screen burn_30
keys S
see "S asks what to save" 'save'
keys s
see "and saves" 'saved as sberf-1\.svg'
check "what is shown, says the picture" grep -q 'in burn_30' "$SCRATCH/saved/sberf-1.svg"
keys Escape
see_not "Escape zooms out" 'in burn_30'
see "what was under the cursor still is" '^ burn_30 · '

# press COLUMN: a click on the line of burn_50, as terminals tell it: button and place, counted from blank; and its end.
row=$(screen | grep -n 'burn_50' | head -n 1 | cut -d : -f 1)
press() {
	local place
	place=$(printf "\\$(printf %o $((32 + $1)))\\$(printf %o $((32 + row)))")
	keys -l $'\e[M '"$place"$'\e[M#'"$place"
}
press 85
see "a click goes to the frame" '^ burn_20 · '
press 10
see "and another one" '^ burn_50 · '
press 10
press 10
see "twice zooms in" '^── flame .* in burn_50'
keys Escape
see_not "and Escape out" 'in burn_50'

resize 20 5
see "20x5 shows it" '^burn_50 +▐bu'
resize 200 60
see "200x60 too" 'burn_50 .*▐burn_30'
resize 100 30
keys 6
see "beside the waits" '^[━─]+ waits '
see "on the same screen" '^[━─]+ flame · '
keys 6
stop_workload
see "the target's end is told, and the view stays" 'killed by SIGKILL'
see "with its flame graph" '▐burn_30'
keys q
restored "after q"
check "that it was open is kept" grep -qx 'panes flame' "$SCRATCH/config/sberf/view"

# As deep as it goes.
start_workload recurse 120 600
type_line "$SBERF top -e cpu-clock -F 499 --stack-size 65528 -p $workload"
see "it is there again" '^── flame · '
see "hundreds of levels" 'level [0-9]+ of [6-9][0-9][0-9]'
keys G
see "G goes down to the last one" 'level [6-9][0-9][0-9] of [6-9][0-9][0-9]'
# What is inlined there is known when its module has been looked at: then there is one level more.
wait_until 60 eval 'keys G; screen | grep -q burn'
result $? "which is where the time goes"
keys g
see "g is back" '^ all · .*level 1 of '
keys NPage NPage
see "a page at a time" 'level 4[0-9] of '
keys q
restored "after a deep one"
stop_workload
finish
