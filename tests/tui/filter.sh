#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Filters in `sberf top` on a program with several threads, in a real terminal (tmux): they add up, say what is wrong, go one by one, and
# what is saved is what they leave; and the same of a recording on the command line.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

"$WORKLOADS/demo" &
workload=$!
also_kill $workload

terminal
type_line "cd $SCRATCH; $SBERF top -e cpu-clock -F 499 -p $workload"
see "a tree of all threads" ' (compare_numbers|sorter|shuffle) .* %'
keys g f
see "f asks, and begins with what is under the cursor" "^ filter: process:$workload "
keys Escape
see_not "Esc leaves it" '^ filter: '
keys 5 m
see "functions, with what the searcher does" ' search_below .* %'
keys f
keys C-u
keys t h r Tab
see "Tab completes" '^ filter: thread: '
type_line 'writ'
see "what matches nobody is explained" "no thread is called 'writ' \(all of the name or tid counts"
see "and the header says what is filtered" ' filter: thread:writ '
keys f
keys C-u
keys Up
see "Up brings it back" '^ filter: thread:writ '
type_line 'er-*'
see "both stand in the header" ' filter: thread:writ thread:writer-\* '
keys F
see "F lists them" '^ *1  thread:writ'
keys k d
see "one is removed" 'not filtered by thread:writ any more'
keys Escape
see "the other is there" ' filter: thread:writer-\* '
see "and leaves two threads" ' book .* %'
see_not "no others" 'search_below'
keys f C-u
type_line '!balance(ledger'
see "a wrong pattern is said, and can be mended" "'balance\(ledger' is no regular expression: "
keys C-u
type_line '!balance_ledger'
see "two stacked filters" ' filter: thread:writer-\* !balance_ledger'
see_not "without the function" ' balance_ledger .* %'
keys f C-u
type_line 'state:S,D'
see "three of them" ' filter: thread:writer-\* !balance_ledger state:S,D'
keys 5
see "in the tree too" '^▌ ▾ demo'
keys S f
see "what is shown is saved" 'saved as sberf-1.folded'
check "only those threads are in it" grep -q writer "$SCRATCH/sberf-1.folded"
check_not() {
	local title=$1
	shift
	! "$@"
	result $? "$title"
}
check_not "no other thread" grep -Eq 'sort|search' "$SCRATCH/sberf-1.folded"
check_not "nor the function" grep -q balance_ledger "$SCRATCH/sberf-1.folded"
resize 40 10
see "40x10 says how many" ' 3 filters'
resize 20 5
see "20x5 too" ' 3 filters'
resize 100 30
keys Escape
see "Esc takes back the latest" 'not filtered by state:S,D any more'
see "which leaves two" ' filter: thread:writer-\* !balance_ledger( |$)'
keys Escape
see "then the one before" 'not filtered by !balance_ledger any more'
see "which leaves one" ' filter: thread:writer-\*( |$)'
keys 4
see "the list of threads heeds it" '2 threads · all time'
keys Enter
see "Enter leaves one thread, and the list has both" ' filter: thread:writer-\* thread:[0-9]+'
keys Escape
see_not "Esc takes that back" ' thread:[0-9]+'
keys Escape
see "all threads again" '[5-9] threads · all time'
see_not "nothing is filtered" ' filter: '
keys q
restored "after q"

# The command line says the same.
record "$SCRATCH/x.data" --duration 1500ms -p $workload
result $? "a recording"
type_line "$SBERF report --thread 'writer-*' --ignore balance_ledger x.data"
see "report begins with its filters" ' filter: thread:writer-\* !balance_ledger'
keys F d
see "F removes them too" 'not filtered by !balance_ledger any more'
keys Escape
see_not "Esc closes the list" 'all of them must hold'
keys q
restored "after report"
type_line "$SBERF report --state S,D --syscall nanosleep,clock_nanosleep --node 0 x.data"
see "so does every option that filters" ' filter: state:S,D '
keys F
see "states can be removed" '^ *1  state:S,D  \(command line\)'
see "calls" '^ *2  syscall:nanosleep,clock_nanosleep  \(command line\)'
see "and nodes" '^ *3  node:0  \(command line\)'
keys q q
restored "after all of them"
type_line "$SBERF report --syscall mlock2 x.data"
see "what the command line left nothing of is explained" 'there are no waits in mlock2; F lists the filters'
keys q
restored "after nothing"
"$SBERF" report --thread 'writer-*' --ignore balance_ledger --format folded --metric wall "$SCRATCH/x.data" >"$SCRATCH/x.folded" 2>"$SCRATCH/err"
check_not "on a pipe too" grep -Eq 'balance_ledger|search|sorter' "$SCRATCH/x.folded"
"$SBERF" report --process demo --thread nobody --format folded "$SCRATCH/x.data" >"$SCRATCH/x.folded" 2>"$SCRATCH/err"
matches "nobody is said" "sberf report: no thread is called 'nobody'" "$(cat "$SCRATCH/err")"
"$SBERF" report --syscall mlock2 --format flat "$SCRATCH/x.data" >"$SCRATCH/x.flat" 2>"$SCRATCH/err"
matches "so is a call" "sberf report: there are no waits in mlock2" "$(cat "$SCRATCH/err")"
equal "the process is" 100.0 "$("$SBERF" report --process "dem*" --format folded "$SCRATCH/x.data" 2>&1 >"$SCRATCH/x.folded" | sed -n 's/.*shown: \([0-9.]*\) %.*/\1/p')"
finish
