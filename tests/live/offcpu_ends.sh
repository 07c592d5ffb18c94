#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Waits that end with their thread, process or program, and waits of those that are no ordinary threads.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
. "$top_srcdir/tests/live/truth.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

# off NAME FUNCTION OPTIONS...: the off-CPU time in FUNCTION is what the program measured.
off() {
	near "$1: off-CPU in $2" 3 "$(truth "$1.out" "$2" off)" "$(time_in "$1.data" off-cpu "$2" "${@:3}")"
}

watch leave -- ends 0 leave
off leave leaver_naps
off leave stays_waiting
equal "leave: nothing is lost" 0 "$(lost_of leave.data)"

# Whoever ends a wait of others tells two numbers, between which is how long they were blocked. They go on when there is a CPU for them,
# which is not for him to know.
blocked() {
	between "$1: blocked in $2 ${*:3} (ns)" $(($(truth "$1.out" "$2" off) * 99 / 100)) $(($(truth "$1.out" "$2" most) * 101 / 100)) \
		"$(time_in "$1.data" blocked "$2" "${@:3}")"
}

watch kill -- ends 0 kill 25
blocked kill killed_in_sleep
equal "kill: nothing is lost" 0 "$(lost_of kill.data)"

watch exec -- ends 0 exec
blocked exec stays_waiting
off exec naps_after_exec
equal "exec: nothing is lost" 0 "$(lost_of exec.data)"

# Between two programs there is no user stack, and none that could be cut. Others want the CPU, so that it is preempted there. Kernels
# differ in whether they close files before the memory changes: as long as it is the old one, its stack is whole.
start_workload hog 30 0
record again.data -- taskset -c 0 "$WORKLOADS/ends" 0 again 50
equal "again: recorded, status" 0 $?
stop_workload
at_least "again: waits in the middle of exec (ns)" 1000000 "$(time_in again.data off-cpu 'begin_new_exec_\[k\]')"
equal "again: none of them with a stack that is cut" 0 "$(time_in again.data off-cpu '.*cut:.*begin_new_exec_\[k\].*')"
equal "again: none with a stack of memory that is gone" 0 \
	"$(time_in again.data off-cpu '.*(execve;|main;).*begin_new_exec_\[k\].*;exit_mmap_\[k\].*')"
equal "again: nothing is lost" 0 "$(lost_of again.data)"

watch stop -- ends 0 stop 25
blocked stop stops_itself
blocked stop stops_itself --state stopped
equal "stop: nothing is lost" 0 "$(lost_of stop.data)"

if [ "$(id -u)" -eq 0 ] && [ -w /proc/sys/kernel/ns_last_pid ]; then
	watch reuse -- ends 0 reuse 25
	off reuse first_life
	off reuse second_life
	equal "reuse: nothing is lost" 0 "$(lost_of reuse.data)"
else
	skip "not root: ns_last_pid cannot be set" "reuse"
fi

# Short processes and short threads: running time is theirs, and what waits is little beside it.
"$SBERF" record -e cpu-clock -o storm.data -- "$WORKLOADS/forkstorm" 2 >storm.out 2>storm.err
equal "storm: its status (SIGALRM)" 142 $?
equal "storm: nothing is lost" 0 "$(lost_of storm.data)"
# One that is preempted inside execve has no old stack any more, and no new one yet.
between "storm: percent of off-CPU time in stacks cut elsewhere than in execve" 0 1 \
	"$("$SBERF" report -i storm.data --format folded --metric off-cpu |
		awk '{ all += $NF } /\[cut/ && !/;execve;/ { n += $NF } END { print 100 * n / all }')"
# Tens of thousands of threads a second: those whose totals or state find no room, and what the disk is too slow for, are counted.
"$SBERF" record -e cpu-clock -o threads.data -- "$WORKLOADS/threads_start" 1 >threads.out 2>threads.err
equal "threads: its status (SIGALRM)" 142 $?
note "$(cuts threads.data)"
equal "threads: nothing else is lost" $(($(value threads.data lost_totals) + $(value threads.data lost_task_state) +
	$(value threads.data lost_recorder))) \
	"$(lost_of threads.data)"
at_least "threads: percent of wait stacks complete" 99 "$(value threads.data offcpu_complete_percent)"

# In another pid namespace.
if unshare --pid --fork true 2>/dev/null; then
	"$SBERF" record -e cpu-clock -o inside.data -- unshare --pid --fork "$WORKLOADS/naps" 0 23 60 >inside.out 2>inside.err
	equal "namespace: status" 0 $?
	off inside nap
	equal "namespace: nothing is lost" 0 "$(lost_of inside.data)"
else
	skip "no pid namespaces" "namespace"
fi

# A thread of the kernel: it has no program, but it waits.
kthread=$(pgrep -o -x rcu_preempt || pgrep -o -x rcu_sched)
"$SBERF" record -e cpu-clock -o kthread.data -t "$kthread" --duration 1s 2>kthread.err
equal "kernel thread: status" 0 $?
near "kernel thread: its whole time" 2 "$(lasted kthread.data)" "$(whole kthread.data wall)"
"$SBERF" report -i kthread.data --format folded --metric blocked >kthread.folded
check "kernel thread: with the kernel's stack" grep -q 'kthread_\[k\];rcu_gp_kthread_\[k\]' kthread.folded
near "kernel thread: in no call" 2 "$(whole kthread.data blocked)" "$(whole kthread.data blocked --syscall 'kernel thread')"

# io_uring: the wait for it, and the worker that waits for the disk in its place.
if "$WORKLOADS/uring" 1 ./file >/dev/null 2>&1; then
	watch uring -- uring 2 ./file
	off uring ring_timer --syscall io_uring_enter,preempted
	# Some 100 waits of 40 us are less than a sample; but together with the timers they are exact.
	near "uring: off-CPU in both" 3 $(($(truth uring.out ring_timer off) + $(truth uring.out ring_fsync off))) \
		"$(time_in uring.data off-cpu 'ring_(timer|fsync)' --syscall io_uring_enter,preempted)"
	at_least "uring: its worker waited too (ns)" 1 "$(whole uring.data off-cpu --thread 'iou-wrk-*')"
	equal "uring: nothing is lost" 0 "$(lost_of uring.data)"
else
	skip "no io_uring" "uring"
fi
finish
