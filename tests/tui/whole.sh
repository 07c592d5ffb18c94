#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# whole.sh - one sitting with `sberf top` on a live program, from the first screen to the end of the target: every pane, a search, a zoom,
# a flame graph saved, sizes, Ctrl-Z and fg. Then a monkey: keys of the key table, sizes and clicks in an order given by a seed
# (SBERF_MONKEY_SEED), on the live program and on a recording; it must neither end the view nor leave anything behind.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

HERE=$SCRATCH/here
mkdir "$HERE"
RANDOM=${SBERF_MONKEY_SEED:-7}
STEPS=${SBERF_MONKEY_STEPS:-400}

pid_of_view() {
	local shell
	shell=$(flag pane_pid)
	cut -d ' ' -f 1 "/proc/$shell/task/$shell/children" 2>/dev/null
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

# Each pane by its key and what its rule says, alone and then beside the others.
panes=('3 numa' '4 threads?' '5 functions' '6 waits' '7 flame' '8 quality' '9 time')

start_workload shares
result $? "a program to look at"
terminal
type_line "cd $HERE; clear"
type_line "$SBERF top -e cpu-clock -F 499 -p $workload"
see "a tree with data" '▾ main .* [0-9.]+ %'
view=$(pid_of_view)
for p in "${panes[@]}"; do
	keys "${p%% *}"
	see "${p%% *} shows its pane" "(──|━━) .*${p#* }"
	keys "${p%% *}"
	see_not "${p%% *} hides it" "━━ .*${p#* }"
done
keys / b u r n _ 2 0 Enter
see "a search" '/burn_20  1 of'
keys Escape
see_not "which is left" '/burn_20'
keys z
see "a zoom" ' · in .*burn_20'
keys S s
see "a flame graph is saved" '^ saved as sberf-1\.svg'
check "with what is zoomed into" grep -q burn_20 "$HERE/sberf-1.svg"
keys Escape
see_not "the zoom is left" ' · in '
resize 20 5
see "20x5 says something" '▌'
resize 100 30
see "and back" '^ shares .*running'
keys C-z
see "Ctrl-Z: the shell is back" 'Stopped'
type_line 'clear; fg'
see "fg: so is the view" '^ shares .*running .*cpu-clock'
keys Home
see "and its tree" '▾ main .* [0-9.]+ %'
see "what came while it was stopped is there, or said to be lost" 'lost [0-9]'

stop_workload
see "the target's end is told, and the view stays" 'killed by SIGKILL'
keys Home
see "with its tree" '▾ main .* [0-9.]+ %'
keys q
restored "after all that"

# A monkey. All keys of the table but q, which ends the view.
mapfile -t known < <(grep -o "'.'" "$top_srcdir/ui/keymap.c" | tr -d "'" | sed 's/^ $/Space/; /^q$/d' | sort -u)
known+=(Up Down Left Right PPage NPage Home End Enter Escape Tab BTab BSpace F1 C-l C-u C-f C-b)

# monkey VIEW
monkey() {
	local i
	for ((i = 0; i < STEPS; i++)); do
		case $((RANDOM % 20)) in
		0) resize $((1 + RANDOM % 140)) $((1 + RANDOM % 45)) ;;
		1) keys -l "$(printf '\e[M %b%b' "\\x$(printf %x $((33 + RANDOM % 90)))" "\\x$(printf %x $((33 + RANDOM % 40)))")" ;;
		*) keys -- "${known[RANDOM % ${#known[@]}]}" ;;
		esac
		gone "$1" && break
	done
	note "$i steps"
	! gone "$1"
}

# calm TITLE VIEW: it still answers.
calm() {
	resize 100 30
	for _ in 1 2 3 4 5 6; do                 # one by one: two at once would be another key
		wait_until 2 shows 'q quit' && break
		keys Escape
	done
	see "$1: the last line is there" 'q quit'
	kill -TERM "$2"
	check "$1: it ends when it is told to" wait_until 20 gone "$2"
	type_line clear
	restored "$1"
}

start_workload shares
type_line "clear; $SBERF top -e cpu-clock -F 499 -p $workload"
see "for the monkey: a live program" '▾ main .* [0-9.]+ %'
view=$(pid_of_view)
check "live: no order of $STEPS keys, clicks and sizes ends it" monkey "$view"
calm "live" "$view"
record "$SCRATCH/monkey.data" -F 499 -p "$workload" --duration 1s
stop_workload
type_line "clear; $SBERF report $SCRATCH/monkey.data"
see "for the monkey: a recording" '▾ main .* [0-9.]+ %'
view=$(pid_of_view)
check "recorded: no order of $STEPS keys, clicks and sizes ends it" monkey "$view"
calm "recorded" "$view"
finish
