#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Picking a process: what `sberf top` without a target begins with, and key P. On real processes in a real terminal (tmux).
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

start_workload shares
result $? "a workload is ready"
one=$workload
start_workload recurse
result $? "another one is ready"
two=$workload
cd "$SCRATCH" || exit 99

# pick PID: leaves only this process in the list, and takes it.
pick() {
	keys /
	tm send-keys -l "$1"
	see "$1 is found" "^(▌| ) *$1 .*"
	keys Enter
}

# Nothing is captured until something is picked.
terminal
type_line "cd $SCRATCH; $SBERF top -e cpu-clock; echo status=\$?"
see "without a target: a list of processes" '^▌ +all .*the whole machine'
see "which says who takes how much now" 'processes · [0-9,]+ · by CPU of the last'
see_not "without kernel threads" 'kthreadd'
keys K /
tm send-keys -l kthreadd
see "K and a search show them" '^▌ +[0-9]+ root .* kthreadd'
keys Escape
see "Escape shows all again" 'processes · [0-9,]+ · '
keys K
see_not "K hides them again" 'kthreadd'
keys s
see "s sorts by memory" 'by memory'
keys s s s
see "and round again" 'by CPU'
keys '?'
see "? shows the keys of the list" 'hide or show kernel threads'
keys Escape
see "Escape leaves the help" 'processes · [0-9,]+ · '
resize 20 5
see "20x5 still has it" '^▌ +[0-9]+ '
resize 100 30
pick "$one"
see "Enter looks at it" "^ shares $one .*running"
see "with its tree" '▾ main .* [0-9.]+ %'

# Another one, in the same panes; the recording that goes on is ended.
keys 5 Tab
see "a pane more" 'functions · '
keys R
see "a recording goes on" 'recording [0-9]'
keys P
see "P: the list again" '^▌ +[0-9]* .*the whole machine'
keys Escape
see "Escape leaves it" 'functions · '
keys P
pick "$two"
see "Enter goes on with another one" "^ recurse $two .*running"
see "in the same panes" 'functions · '
see "the recording was ended, which is said" 'are recorded in sberf-1.sberf'
see "and is not going on" "^ recurse $two · running  "
check "it can be read" "$SBERF" check sberf-1.sberf
matches "it is one of the target before" "shares $one" "$("$SBERF" report -i sberf-1.sberf --format summary)"

# The target's end, and going on from there.
kill -KILL "$two"
see "its end is told" 'killed by SIGKILL'
keys P
pick "$one"
see "P goes on from there" "^ shares $one .*running"
keys P a
see "a: the whole machine" '^ all tasks .*running'
keys q
restored "after q"
see "status 0" '^status=0'

# Nothing picked.
type_line "$SBERF top; echo status=\$?"
see "the list again" 'the whole machine'
keys Escape
restored "after Escape"
see "status 0" '^status=0'

# What has ended meanwhile: a sentence, and what there was stays. The list is not read anew in this time.
sleep 600 &
gone=$!
also_kill "$gone"
type_line "$SBERF top -d 3600"
see "a list that stays" 'by CPU of the last'
keys /
tm send-keys -l "$gone"
see "one that is going to end" "^▌ *$gone .*"
kill -KILL "$gone"
wait "$gone" 2>/dev/null
keys Enter
see "is told to have ended" "there is no process $gone"
see "the list stays" 'processes · '
keys Escape
see "Escape shows all again" 'processes · [0-9,]+ · '
keys Escape
restored "after an end"
sleep 600 &
gone=$!
also_kill "$gone"
type_line "$SBERF top -e cpu-clock -d 3600 -p $one"
see "a target" "^ shares $one"
keys P
see "a list that stays" 'by CPU of the last'
keys /
tm send-keys -l "$gone"
see "one that is going to end" "^▌ *$gone .*"
kill -KILL "$gone"
wait "$gone" 2>/dev/null
keys Enter
see "is told to have ended" "there is no process $gone"
see "the old view goes on" "^ shares $one .*running"
keys q
restored "after a failure"

# A command behind -- goes on when another target is looked at, and ends with the view.
type_line "$SBERF top -e cpu-clock -- $WORKLOADS/shares"
see "a command" '▾ main'
child=$(started "$WORKLOADS/shares")
keys P
pick "$one"
see "another target" "^ shares $one .*running"
kill -0 "$child"
result $? "the command goes on"
keys q
restored "after a command"
wait_until 60 gone "$child"
result $? "the command ends with the view"

# A target that executes another program says so; that a command does it is no news.
mkfifo gate
bash -c 'read -r _ <gate; exec "$0"' "$WORKLOADS/shares" >/dev/null &
shell=$!
also_kill "$shell"
type_line "$SBERF top -e cpu-clock -p $shell"
see "a shell" "^ bash $shell · "
echo >gate
see "which executes something else" "^ bash $shell .*exec'd shares"
see "whose stacks are seen" 'burn_50|▾ main'
keys q
restored "after another program"
kill -KILL "$shell"
type_line "$SBERF top -e cpu-clock -- $WORKLOADS/shares"
see "a command" '▾ main'
matches "has executed nothing else" "^ shares [0-9]+ · running  " "$(screen | head -n 1)"
keys q
restored "after a command that stays"

# With --split privileges are given up before the first screen, and there is no other target.
chmod 755 "$SCRATCH"
mkdir -m 777 user
type_line "cd user; SUDO_UID=65534 SUDO_GID=65534 $SBERF top --split -e cpu-clock -p $one; echo status=\$?; cd .."
see "--split: a tree with names" '▾ main .* [0-9.]+ %'
view=$(pgrep -o -x -f "$SBERF top --split -e cpu-clock -p $one")
equal "no thread of the view has a capability, and all are the caller's" "65534 0000000000000000" \
	"$(for task in /proc/"$view"/task/*; do
		echo "$(sed -n 's/^Uid:\t\([0-9]*\)\t.*/\1/p' "$task/status") $(sed -n 's/^CapPrm:\t//p' "$task/status")"
	done | sort -u)"
if chrt -f 1 true 2>/dev/null; then
	equal "the thread that draws runs before others all the same" 1 "$(awk '{ print $41 }' "/proc/$view/stat")"
else
	skip "SCHED_FIFO may not be asked for" "the thread that draws runs before others all the same"
fi
keys P
see "P does nothing" 'that key does nothing here'
keys 3
see "3 shows where its memory is" 'node|near'
keys 1
see "and 1 the tree again" '▾ main .* [0-9.]+ %'
keys R
see "a recording goes on" 'recording [0-9]'
keys R
see "and is saved" 'are recorded in sberf-1.sberf|in sberf-1.sberf'
equal "it is the caller's" 65534 "$(stat -c %u user/sberf-1.sberf)"
keys q
restored "after --split"
see "status 0" '^status=0'
type_line "SUDO_UID=65534 SUDO_GID=65534 $SBERF top --split"
see "--split without a target: a sentence" 'gives up root once one target is captured: say which'

# Without rights the list is there, and the sentence comes when something is picked.
if command -v setpriv >/dev/null && setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all test -x "$SBERF"; then
	type_line "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all $SBERF top"
	see "without rights: the list" 'the whole machine'
	keys Enter
	see "and what is missing" 'root|CAP_|permission|sudo'
	see "the list stays" 'processes · '
	keys q
	restored "without rights"
fi

# Where there is no terminal.
"$SBERF" top </dev/null >out 2>err
equal "no terminal: status 1" 1 "$?"
matches "no terminal: a sentence" '^sberf top: .*sberf top -b needs no terminal' "$(cat err)"
finish
