#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# `sberf top` on programs that wait, in a real terminal (tmux): sleepers, a deadlock, threads that hand over to each other.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

# A deadlock that is older than sberf's look at it.
start_workload deadlock
result $? "two threads wait for each other"
terminal
begin=$(date +%s%N)
type_line "$SBERF top -e cpu-clock -p $workload"
see "a tree of time that was only waited" '▾ deadlock'
note "first tree $((($(date +%s%N) - begin) / 1000000)) ms after Enter"
see "with a column for each kind" 'all time · by process .* running runnable  blocked'
see "one thread with its stack" 'lock_a_then_b'
# Below the frames of the kernel, in which the first one waits.
resize 100 70
see "and the other" 'lock_b_then_a'
resize 100 30
see "still waiting, it says" 'still waiting [0-9.]+ s'
see "after a while the header names both" '2 threads waiting for locks for ([5-9]|[1-9][0-9])(\.[0-9]+)? s'
keys 6 m
see "6 lists them" 'first [0-9]+ · waiting for a lock for at least [0-9.]+ s · '
see "each of them" 'second [0-9]+ · waiting for a lock for at least [0-9.]+ s · '
note "$(screen)"
resize 40 10
see "40x10 still says so" 'locks [0-9]+(\.[0-9]+)? s'
resize 100 30
keys Escape
see "Esc leads back to the tree" 'all time · by process'
keys O E / w h i c h Enter
see "O: below a wait for a lock, what its holder waited for" '\[held by (first|second), which waited\]'
keys Escape
see_not "Esc leaves the search" '/which'
keys O D m
see "D has the deadlock on top" '▾ deadlock of 2 threads'
see "as a chain" 'first [0-9]+ waits for mutex lock_b, held by second [0-9]+ · '
see "that is closed" 'second [0-9]+ waits for mutex lock_a, held by first [0-9]+ · '
see "and below it each lock with its time" 'mutex lock_a · lock_b_then_a .* [0-9.]+ m?s +1 +[0-9.]+ m?s'
resize 40 10
see "40x10 has it, too" '▾ deadlock of 2 threads'
resize 100 30
keys q
restored "after q"
stop_workload

# Only idle waits: better than nothing; w says which.
start_workload never
type_line "$SBERF top -e cpu-clock -p $workload"
see "a thread that is never woken has its stack" 'waits_for_eventfd'
keys q
restored "after a program that never runs"
stop_workload
type_line "$SBERF top -e cpu-clock -- sleep 60"
see "a sleeper that sberf started" '⋯ idle waits of 1 thread|clock_nanosleep'
keys w
see "w changes what is shown" 'idle waits are (shown|hidden)'
keys q
restored "after a sleeper"

# Goes on searching, and looks for running, runnable and blocked time under the cursor.
found_waiting() {
	keys n
	shows '▌.* ping_waits .* [0-9.]+ %( |$)'
}

# Work and waits side by side, and who wakes whom.
start_workload handoff 60 2 1000000
type_line "$SBERF top -e cpu-clock -p $workload"
see "a tree of who works and waits" '▾ play .* [0-9.]+ %'
see "who works has a name" 'ping_works .* [0-9.]+ %'
keys / g _ w o r k s Enter
see "who works has running time" '▌.*(ping|pong)_works .* [0-9.]+ %'
keys Escape
see_not "Esc leaves that search" '/g_works'
keys / p i n g _ w a i t s Enter
check "who waits has blocked time" wait_until 20 found_waiting
keys Escape
see_not "Esc leaves the search" '/ping'
keys W 6 m E
see "wakers are told once asked for" 'woken by (ping|pong) '
note "$(screen)"
keys q
restored "after wakers"
stop_workload
finish
