#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# `sberf top` on real processes in a real terminal (tmux): what a person sees from the command to the target's end.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

# policies PID: the scheduling policy of the first thread, then those that the others have (proc(5): policy; 0 is the usual one).
policies() {
	sed 's/.*) //' "/proc/$1/task/$1/stat" | cut -d' ' -f39
	cat /proc/"$1"/task/*/stat | grep -v "^$1 " | sed 's/.*) //' | cut -d' ' -f39 | sort -u
}

# view_of COMMAND: the process of this terminal that was started so, the oldest: it has children. Other tests may run the same beside it.
view_of() {
	pgrep -o -x -f -s "$(flag pane_pid)" "$1"
}

# A process that runs already.
start_workload shares
result $? "workload is ready"
terminal
begin=$(date +%s%N)
type_line "$SBERF top -e cpu-clock -F 499 -p $workload"
see "the header names the target" "^ shares $workload .*running"
see "a tree with data" '▾ main .* [0-9.]+ %'
if chrt -f 1 true 2>/dev/null && [[ $(nice) -le 0 && $(chrt -p $$) == *SCHED_OTHER* ]]; then
	equal "the thread that answers keys runs before others, and only that" "1 0" \
		"$(policies "$(view_of "$SBERF top -e cpu-clock -F 499 -p $workload")" | tr '\n' ' ' | sed 's/ $//')"
fi
note "first tree $((($(date +%s%N) - begin) / 1000000)) ms after Enter"
keys E
see "E opens everything" 'burn_50'
see "event and rate are named" "(cpu-clock|cycles) .* 499 Hz"
see "completeness is shown" "stacks [0-9.]+ %"
see "losses are shown" " lost [0-9]"
see "sberf's own cost is shown" "sberf [<0-9.]+ % CPU"
note "$(screen)"
keys '?'
see "? shows the keys" 'pause the view'
keys Escape
see_not "Escape leaves them" 'pause the view'
keys '/'
keys b u r n _ 2 0
see "search finds a function" '1 of 1|1/1'
keys Enter
resize 40 10
see "40x10 still shows the target" 'shares'
resize 100 30
see "and back" '^ shares .*running'
stop_workload
see "the target's end is told, and the view stays" 'killed by SIGKILL'
see "with its tree" 'burn_20'
note "$(screen)"
keys q
restored "after q"

# A command of one's own; it ends with the view.
type_line "$SBERF top -e cpu-clock -- $WORKLOADS/shares"
see "top -- COMMAND shows its tree" '▾ main'
child=$(started "$WORKLOADS/shares")
equal "the command has the usual policy" 0 "$(policies "$child" | tail -n 1)"
keys q
restored "after a command"
wait_until 60 gone "$child"
result $? "the command ends with the view"

# With what it has started.
resize 100 70
type_line "$SBERF top -e cpu-clock -- sh -c '$WORKLOADS/shares; true'"
see "top -- sh -c COMMAND shows its tree" '▾ main'
resize 100 30
child=$(started "$WORKLOADS/shares")
keys q
restored "after a shell"
wait_until 60 gone "$child"
result $? "what the shell had started ends with the view"
kill -KILL "$child" 2>/dev/null

# Also when the terminal goes away right after the key.
${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o "$SCRATCH/hangup.so" "$top_srcdir/tests/tui/hangup.c" || exit 99
type_line "ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=$SCRATCH/hangup.so $SBERF top -e cpu-clock -- $WORKLOADS/shares"
see "top -- COMMAND again" '▾ main'
child=$(started "$WORKLOADS/shares")
keys q
see "a hang-up after q: the shell is back" "^$PROMPT *\$"
wait_until 60 gone "$child"
result $? "the command ends with the terminal"
kill -KILL "$child" 2>/dev/null

# And when whoever closes it lets nobody clean up.
type_line "$SBERF top -e cpu-clock -- sh -c '$WORKLOADS/shares; true'"
resize 100 70
see "top -- sh -c COMMAND again" '▾ main'
resize 100 30
child=$(started "$WORKLOADS/shares")
kill -KILL "$(view_of "$SBERF top -e cpu-clock -- sh -c $WORKLOADS/shares; true")"
wait_until 60 gone "$child"
result $? "what the command had started ends with a view that was killed"
kill -KILL "$child" 2>/dev/null
type_line 'stty sane; tput rmcup; clear'

# A target that does not run says what is waited for. It waited before: one that is begun here may be seen while it begins.
start_workload never
type_line "$SBERF top -e cpu-clock --no-off-cpu -p $workload"
see "nothing runs: it says what it waits for" '[Ww]aiting for'
keys q
restored "after waiting"
stop_workload

# A name that nobody has yet: it says so, and shows who has it as soon as there is one.
ln -s "$(readlink -f "$WORKLOADS/shares")" "$SCRATCH/latecomer"
type_line "$SBERF top -e cpu-clock -n latecomer --wait"
see "nobody has the name: it says what it waits for" '[Ww]aiting for .*latecomer'
"$SCRATCH/latecomer" 60 >/dev/null &
also_kill $!
see "and who begins to have it is shown" '▾ main'
keys q
restored "after waiting for a name"

# Bad starts leave the terminal as it was and say one sentence.
type_line "$SBERF top -p 4194001; echo status=\$?"
see "no such process: a sentence" '^sberf top: .*4194001'
see "status 1" '^status=1'

# A signal from outside ends it and gives the terminal back.
start_workload shares
type_line "$SBERF top -e cpu-clock -p $workload"
see "another target" "^ shares $workload .*running"
kill -TERM "$(view_of "$SBERF top -e cpu-clock -p $workload")"
restored "after SIGTERM"
stop_workload

# report opens the same view on a recording.
start_workload shares
record "$SCRATCH/view.data" -F 499 -p "$workload" --duration 1s
stop_workload
type_line "$SBERF report $SCRATCH/view.data"
see "report shows a recording" 'burn_50|▾ main'
keys q
restored "after report"
finish
