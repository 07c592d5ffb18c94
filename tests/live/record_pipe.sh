#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Recordings through a pipe: `record -o - | report -i -`, with nothing else in it, and Ctrl-C that reaches both sides.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

# The command's own output does not get into it.
"$SBERF" record -e cpu-clock -F 997 -o - -- sh -c 'echo from the command; exit 3' 2>err >piped.data
equal "the status is the command's" 3 $?
check "the recording is whole" "$SBERF" check piped.data
matches "the command's output is on standard error" $'(^|\n)from the command($|\n)' "$(cat err)"
matches "and that is said" "standard output is the recording's; that of the command goes to standard error" "$(cat err)"
matches "where it was written is said" "samples, .* in standard output" "$(cat err)"

start_workload shares
result $? "workload is ready"
"$SBERF" record -e cpu-clock -F 997 -o - -p "$workload" --duration 500ms 2>err | cat | cat |
	"$SBERF" report -i - --format summary >summary 2>report.err
equal "both sides end well" "0 0 0 0" "${PIPESTATUS[*]}"
at_least "samples came through" 50 "$(sed -n 's/^oncpu_samples: //p' summary)"
equal "complete" yes "$(sed -n 's/^complete: //p' summary)"
equal "and report has nothing to say" "" "$(cat report.err)"

# Ctrl-C for the recorder (what it does to the reader: tests/cli/report_output.sh).
mkfifo pipe
"$SBERF" report -i - --format summary <pipe >summary 2>report.err &
reader=$!
also_kill $reader
"$SBERF" record -e cpu-clock -F 997 -o - -p "$workload" 2>err >pipe &
recorder=$!
also_kill $recorder
wait_until 20 sh -c "grep -qs . /proc/$recorder/io && [ \"\$(sed -n 's/^wchar: //p' /proc/$recorder/io)\" -gt 4000 ]"
kill -INT $recorder
wait $recorder
equal "Ctrl-C: the recorder ends well" 0 $?
wait $reader
equal "Ctrl-C: the reader too" 0 $?
equal "Ctrl-C: the recording has its end" yes "$(sed -n 's/^complete: //p' summary)"
stop_workload

# A reader that ends early ends the recording, which is said at once, and not the command. (head has its ten bytes as soon as anything is
# written, and nothing is written before the command is sure to be started.)
mkfifo gone enough
exec 7<>enough
head -c 10 gone >/dev/null &
also_kill $!
"$SBERF" record -e cpu-clock -F 997 -o - -- sh -c 'read line; echo "$line" >ended' 2>err >gone <&7 &
recorder=$!
also_kill $recorder
check "a reader that is gone: it is said while the command runs" wait_until 120 grep -q "^sberf record: cannot write to standard output: Broken pipe; the recording breaks off" err
check "a reader that is gone: the command is waited for" wait_until 60 grep -q "waiting for 'sh' to end" err
echo well >&7
wait $recorder
equal "a reader that is gone: status 1" 1 $?
equal "a reader that is gone: the command went on to its end" well "$(cat ended)"

# Gone before anything could be written: then the command is not started.
exec 8<>gone 9>gone 8<&-
"$SBERF" record -e cpu-clock -F 997 -o - -- sh -c 'echo begun >begun' 2>err >&9
equal "no reader from the beginning: status 1" 1 $?
exec 7<&- 9>&-
matches "no reader from the beginning: the sentence" "cannot write to standard output: Broken pipe; nothing was recorded" "$(cat err)"
check "no reader from the beginning: the command was not started" test ! -e begun

# On a terminal it would be noise.
if command -v script >/dev/null; then
	script -qec "'$SBERF' record -a -o - --duration 1s" /dev/null </dev/null >tty.out 2>&1
	equal "a terminal: status 1" 1 $?
	matches "a terminal: the sentence" "nothing to read on a terminal; name a file with -o, or send it on" "$(cat tty.out)"
	script -qec "'$SBERF' report -i - </dev/tty" /dev/null </dev/null >tty.out 2>&1
	matches "nor is one read from there" "standard input is a terminal" "$(cat tty.out)"
else
	skip "script is not installed" "a terminal"
fi
finish
