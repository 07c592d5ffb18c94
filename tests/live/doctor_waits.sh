#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# doctor_waits.sh - `sberf doctor -p` names who waits for whom in programs that hang: deadlocks of two and five threads and of two
# processes, a chain of three, every kind of lock; owners beside gdb's; and no deadlock where nothing hangs.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 99

# look STATUS MODE...: what doctor says of the program in this mode, in one line for each chain, in the file said; its numbers are taken
# off the threads in the file plain.
look() {
	local want=$1 rc=0
	shift
	start_workload locked 0 "$@" || result 1 "$*: the program runs"
	"$SBERF" doctor -p "$workload" >said 2>err || rc=$?
	equal "$*: status" "$want" $rc
	equal "$*: nothing to complain about" "" "$(cat err)"
	sed -e ':a' -e 'N' -e '$!ba' -e 's/,\n    which/, which/g' said | sed -E 's/ \((0x)?[0-9a-f]+\)//g' >plain
}

# says TITLE LINE: a line of plain is LINE.
says() {
	grep -qxF -- "$2" plain
	result $? "$1"
	grep -qxF -- "$2" plain || note "$(cat plain)"
}

look 3 cycle 2
says "two threads" "  t0 waits for mutex lock[1], held by t1, which waits for mutex lock[0], held by t0"
equal "two threads: one deadlock" "deadlock of 2 threads:" "$(grep deadlock plain)"
says "a lock is taken behind a function with a frame pointer: the function" "t0 waits for mutex lock[1], held by t1"
matches "and its caller, and the root" "takes_next at .*holder at .*start_thread.*clone" "$(sed -n '/^t0 /,/^$/p' said | tr '\n' ' ')"
equal "no stack is truncated" "" "$(grep truncated said)"
stop_workload

look 3 cycle 5
equal "five threads: one deadlock" "deadlock of 5 threads:" "$(grep deadlock plain)"
says "five threads" "  t0 waits for mutex lock[1], held by t1, which waits for mutex lock[2], held by t2, which waits for mutex lock[3], held by t3, which waits for mutex lock[4], held by t4, which waits for mutex lock[0], held by t0"
if command -v gdb >/dev/null; then
	gdb -p "$workload" -batch -ex 'python
for i in range(5): print("owner", i, gdb.parse_and_eval("lock[%d].__data.__owner" % i))' >gdb.out 2>&1
	sed -nE 's/^t[0-9] .* waits for mutex lock\[([0-9])\] .*held by t[0-9] \(([0-9]+)\)$/owner \1 \2/p' said | sort >ours
	grep '^owner' gdb.out | sort >theirs
	equal "five owners" 5 "$(grep -c . ours)"
	equal "gdb sees the same owners" "$(cat theirs)" "$(cat ours)"
else
	skip "gdb is not installed" "gdb sees the same owners"
fi
stop_workload

look 0 chain 3
says "a chain" "  t0 waits for mutex lock[1], held by t1, which waits for mutex lock[2], held by t2, which is in pause"
equal "a chain is no cycle" "no cycle:" "$(head -1 plain)"
stop_workload

look 3 kinds
says "a thread and itself" "  itself waits for mutex itself, held by itself"
says "an rwlock, to read" "  reader waits for rwlock (to read) written, held by owner, which is in pause"
says "an rwlock, to write" "writer waits for rwlock (to write) being_read, held by 1 reader"
says "a mutex that inherits" "  inheritor waits for mutex inheriting, held by owner, which is in pause"
says "a robust mutex" "  robust waits for mutex robust, held by owner, which is in pause"
matches "whose holder has ended" "  heir waits for mutex left, held by thread [0-9]+, which is gone" "$(cat plain)"
says "the end of a thread" "  joiner waits for the end of a thread, owner, which is in pause"
matches "a file, and nobody else's wait" "  file waits for file lock /tmp/sberf-locked[^,]*, held by process locked, which has several threads" "$(cat plain)"
matches "a condition" "condition waits for condition condition\+0x[0-9a-f]+" "$(cat plain)"
says "a semaphore" "semaphore waits for semaphore semaphore"
matches "a barrier" "barrier waits for barrier barrier" "$(cat plain)"
stop_workload

look 3 shared
says "two processes" "deadlock of 2 threads:"
matches "by shared memory" "  locked waits for mutex[^,]*, held by other, which waits for mutex[^,]*, held by locked" "$(cat plain)"
stop_workload

# What becomes of who holds: stopped, and killed; and a process that was forked while another thread of its parent held a lock.
start_workload locked 0 apart
child=$(pgrep -P "$workload")
also_kill "$child"
kill -STOP "$workload"
"$SBERF" doctor -p "$child" >said 2>err
matches "a holder that is stopped" "held by locked [(]$workload, stopped[)],.*which is stopped in pause" "$(tr '\n' ' ' <said)"
stop_workload
"$SBERF" doctor -p "$child" >said 2>err
matches "and is gone, from shared memory" "other [(]$child[)] waits for mutex [^,]*, held by thread $workload, which is gone" "$(cat said)"
kill "$child"
start_workload locked 0 forked
child=$(pgrep -P "$workload")
also_kill "$child"
"$SBERF" doctor -p "$child" >said 2>err
matches "a lock that was held when it was forked" "other [(]$child[)] waits for mutex lock.0. [^,]*, held by thread [0-9]+ of process $workload when that forked this one" "$(cat said)"
kill "$child"
stop_workload

look 3 files
matches "by locks on files" "  locked waits for file lock [^,]*, held by other, which waits for file lock [^,]*, held by locked" "$(cat plain)"
stop_workload

# A pipe: who can end the wait is whoever has its other end.
sleep 100 | cat >/dev/null &
reader=$!
writer=$(pgrep -n -P $$ sleep)
also_kill "$writer"
wait_until 20 grep -q read /proc/$reader/wchan
"$SBERF" doctor -p $reader >said 2>err
matches "a pipe: who can write into it" "cat [(]$reader[)] is in read of pipe:.[0-9]+., which sleep [(]$writer[)] can write into" "$(cat said)"
kill "$writer"

# Of threads that come and go nobody is said to be in a deadlock, however often they are looked at.
start_workload locked 0 busy 8
deadlocks=0
for ((i = 0; i < 12; i++)); do
	"$SBERF" doctor -p "$workload" >busy 2>err || note "$(cat busy err)"
	! grep deadlock busy || deadlocks=$((deadlocks + 1))
done
equal "no deadlock where nothing hangs" 0 $deadlocks
stop_workload

# Without BPF: the same, with stacks that may end early. And of others' processes nothing is said.
start_workload locked 0 cycle 2
chmod 755 "$SCRATCH" && cp "$SBERF" ./sberf && chmod 755 ./sberf
if command -v setpriv >/dev/null; then
	rc=0
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all ./sberf doctor -p "$workload" >said 2>err || rc=$?
	equal "somebody else's program: status" 1 $rc
	equal "one line" 1 "$(wc -l <err)"
	matches "that says what it takes" "may not be seen.*CAP_SYS_PTRACE" "$(cat err)"
	rc=0
	setpriv --inh-caps=-all --bounding-set=-all,+sys_ptrace ./sberf doctor -p "$workload" >said 2>err || rc=$?
	equal "without BPF: status" 3 $rc
	matches "the note" "stacks may end early" "$(cat err)"
	matches "and the deadlock" "deadlock of 2 threads" "$(cat said)"
else
	skip "setpriv (util-linux) is not installed" "without privileges"
fi
stop_workload
rc=0
"$SBERF" doctor -p "$workload" >said 2>err || rc=$?
equal "a process that has ended: status" 1 $rc
matches "and the sentence" "there is no process $workload" "$(cat err)"
finish
