#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# command_line.sh - help, version, usage errors and their exit statuses; nothing here captures anything.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
commands="top record report merge check doctor trace list"

# fails_with STATUS TITLE REGEX ARGS...: exit status, nothing on stdout, a sentence on stderr.
fails_with() {
	local want=$1 title=$2 regex=$3 out rc=0
	shift 3
	out=$("$sberf" "$@" 2>"$SCRATCH/err") || rc=$?
	equal "$title: exit status" "$want" "$rc"
	equal "$title: nothing on standard output" "" "$out"
	matches "$title: the sentence" "$regex" "$(cat "$SCRATCH/err")"
}

matches "--version" '^sberf [0-9]+\.[0-9]+\.[0-9]+$' "$("$sberf" --version)"
equal "-V is the same" "$("$sberf" --version)" "$("$sberf" -V)"
check "--help succeeds" "$sberf" --help
equal "help is the same" "$("$sberf" --help)" "$("$sberf" help)"
for command in $commands; do
	matches "--help lists $command" "  $command +[a-z]" "$("$sberf" --help)"
	help=$("$sberf" "$command" --help)
	equal "$command --help succeeds" 0 $?
	matches "$command --help says how it is used" "^Usage: sberf $command" "$help"
	equal "$command --help fits 80 columns" "" "$(printf '%s\n' "$help" | awk 'length($0) > 80')"
	equal "$command --help has no blanks at line ends" "" "$(printf '%s\n' "$help" | grep ' $')"
	equal "$command -h is the same" "$help" "$("$sberf" "$command" -h)"
	equal "help $command is the same" "$help" "$("$sberf" help "$command")"
	equal "--help $command is the same" "$help" "$("$sberf" --help "$command")"
	equal "$command --version is that of sberf" "$("$sberf" --version)" "$("$sberf" "$command" --version)"
	equal "$command -V too" "$("$sberf" --version)" "$("$sberf" "$command" -V)"
done
matches "record --help names its default rate" 'freq HZ .*\(99\)' "$("$sberf" record --help)"

fails_with 2 "no command" 'the commands are top, record, report, serve, agent, merge, check, diff, doctor, trace, list' </dev/null
fails_with 2 "unknown command" "there is no command 'fly'.*Try 'sberf --help'" fly
fails_with 2 "hostile command name" "there is no command '.\[2J'" $'\e[2J'
fails_with 2 "option before the command" "there is no option '-p' without a command" -p 1
fails_with 2 "an argument of --version" "'x' is one argument too many for --version" --version x
fails_with 2 "help for no command" "there is no command 'fly'" help fly
fails_with 2 "help for two commands" "'report' is one argument too many for help" help top report
fails_with 2 "an id that is none" "process id '-1' is not a list of ids such as 12,34" record -p -1
fails_with 2 "record without a target" "^sberf record: say what to observe: .*Try 'sberf record --help'" record
fails_with 2 "bad rate" "rate '0' is out of range: it must be from 1 to" record -a -F 0
fails_with 2 "bad stack size" "stack size '100' is out of range: it must be from 4K to 64K" top -a --stack-size 100
fails_with 2 "two targets" "-p and -n both say what to observe" top -p 1 -n init
fails_with 2 "a number of documents without -b" 'only --batch \(-b\) prints; a process .* is --name N' top -n 3
fails_with 2 "a command without --" "to run a command, put -- before it" record ls
fails_with 2 "unknown option" "there is no option --colour" top --colour
fails_with 2 "unknown format" "format 'docx' is unknown: it must be one of tree\|folded\|svg\|" report --format docx

fails_with 2 "--wait for nobody" "--wait waits for processes of a name: say which, with -n NAME" record --wait -a
fails_with 1 "a name that nobody has" "no process is called 'no-such-name' .see .ps -e.; --wait waits for one" record -n no-such-name

# A process that has ended, which its parent (a shell that has become somebody else) never asks about.
exec {zombies}< <(exec sh -c '(until read -r comm </proc/$$/comm && [ "$comm" = sleep ]; do sleep 0.02; done) & echo $!; exec sleep 100')
parent=$!
read -r zombie <&"$zombies"
for ((i = 0; i < 500; i++)); do
	grep -q '^State:.Z' "/proc/$zombie/status" && break
	sleep 0.02
done
fails_with 1 "a zombie" "process $zombie has ended: it is a zombie until its parent, (sleep|sh) \($parent\), asks how" record -p "$zombie"
fails_with 1 "its thread" "thread $zombie has ended: it is a zombie" top -t "$zombie"
kill "$parent"
fails_with 1 "nobody" 'there is no process 4194300 \(see `ps -e`\)' record -p 4194300

# A reader that stops early is no error and no noise.
rc=$({ "$sberf" record --help; echo $? >"$SCRATCH/rc"; } 2>"$SCRATCH/err" | head -1 >/dev/null; cat "$SCRATCH/rc")
equal "help into a closed pipe: exit status" 0 "$rc"
equal "help into a closed pipe: no noise" "" "$(cat "$SCRATCH/err")"
if [ -w /dev/full ]; then
	"$sberf" --help >/dev/full 2>"$SCRATCH/err"
	equal "help onto a full disk: exit status" 1 $?
	matches "help onto a full disk: the sentence" 'cannot write to standard output: No space left' "$(cat "$SCRATCH/err")"
else
	skip "there is no /dev/full" "help onto a full disk"
fi
finish
