#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# big.sh - the view of a recording with 100,000 different stacks and 2,000 threads: everything is there, and adds up.
. "$top_srcdir/tests/tui/tmux.sh"
SBERF=${SBERF:?is set by make check}

check "a recording of that size is made" "${top_builddir:?}/tests/unit/make_recordings" --views "$SCRATCH"
recording=$SCRATCH/views.sberf
read -r running blocked runnable <"$SCRATCH/views.txt"

# report METRIC: the sum of its folded stacks, which each weigh whole microseconds.
report() {
	"$SBERF" report --format folded --metric "$1" "$recording" >"$SCRATCH/folded" 2>"$SCRATCH/err" || note "$(cat "$SCRATCH/err")"
	awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$SCRATCH/folded"
}

# near TITLE WANTED GOT: but for the microseconds that rounding takes from each of at most 100,000 lines.
near() {
	check "$1" test "$3" -le $(($2 + 100000)) -a "$3" -ge $(($2 - 100000))
}

near "running time adds up" $((running / 1000)) "$(report on-cpu)"
equal "all stacks are written" 100000 "$(wc -l <"$SCRATCH/folded")"
near "blocked time adds up" $((blocked / 1000)) "$(report blocked)"
near "time in the run queue adds up" $((runnable / 1000)) "$(report runnable)"

terminal
type_line "$SBERF report $recording"
see "a tree" 'all time · by process'
see "of 250 processes" '1 of [2-9][0-9]{2} rows'
keys t t t t t t
see "all roots together, as soon as that tree is built" ' all time · all together '
keys E
see "what weighs most is opened, and the rest is said" 'too many lines for all: opened what has 0\.0[0-9]+ % or more'
keys G
see "it can be gone through to the end" ' ([5-9],[0-9]{3}|10,000) of \1 rows'
keys g C / f u n c t i o n _ 1 2
see "a search counts in what is closed" '/function_12.* 1 of [0-9]+,[0-9]{3}'
keys Enter n
see "n goes on" '/function_12  2 of'
keys Escape
see_not "Esc leaves the search" '/function'
keys 4
see "4 shows 2,000 threads" '1 of 2,000 rows'
keys 5
see "5 shows functions" 'function_'
keys 6
see "6 shows waits" 'waits'
keys 8 3
see "8 and 3 too: what finds no room is told" 'more: Tab'
keys q
restored "after all panes"
finish
