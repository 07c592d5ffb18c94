#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Waits that have not ended: those from before the capture, those that never end, those that are open when it looks or stops.
# Each counts for as long as it was watched, once, with its stack.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
. "$top_srcdir/tests/live/truth.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

# attach NAME SECONDS OPTIONS...: records the running workload into NAME.data; more than 20 seconds beyond is a failure.
attach() {
	timeout $(($2 + 20)) "$SBERF" record -e cpu-clock -o "$1.data" -p "$workload" --duration "$2s" "${@:3}" 2>"$1.err"
	equal "$1: recorded, status" 0 $?
	note "$(tail -n 1 "$1.err"); $(cuts "$1.data")"
}

# The whole time in FUNCTION, below START, of THREADS threads.
all_in() {
	near "$1: $2 waits from the beginning to the end" 2 $((${4:-1} * $(lasted "$1.data"))) \
		"$(time_in "$1.data" blocked "$2")"
	"$SBERF" report -i "$1.data" --format folded --no-inline --metric blocked >"$1.folded"
	check "$1: below $3" grep -qE ";$3;.*$2;" "$1.folded"
}

# in_kernel NAME CALL: all waits of all_in end in the kernel, below the entry of system calls and CALL.
in_kernel() {
	check "$1: $2 waits in the kernel" grep -qE ";do_syscall_64_\[k\];.*$2[^;]*_\[k\]" "$1.folded"
	equal "$1: and no stack is without its kernel frames" "" "$(grep -v -e '_\[k\] [0-9]*$' -e '\[no stack\]' "$1.folded")"
}

start_workload deadlock
result $? "deadlock: is ready"
attach deadlock 2
all_in deadlock lock_a_then_b first_worker
all_in deadlock lock_b_then_a second_worker
all_in deadlock main __libc_start_main.*
in_kernel deadlock futex_wait
for side in 'first lock_a_then_b' 'second lock_b_then_a'; do
	read -r thread function <<<"$side"
	near "deadlock: thread $thread, in futex, interruptible" 2 "$(lasted deadlock.data)" \
		"$(time_in deadlock.data blocked "$function" --thread "$thread" --syscall futex --state interruptible)"
done
equal "deadlock: waits that have not ended" 3 "$(value deadlock.data offcpu_open_waits)"
near "deadlock: all time is in them" 2 $((3 * $(lasted deadlock.data))) $(($(value deadlock.data offcpu_open_us) * 1000))
at_least "deadlock: percent of wait stacks complete" 99 "$(value deadlock.data offcpu_complete_percent)"
equal "deadlock: nothing is lost" 0 "$(lost_of deadlock.data)"
stop_workload

start_workload never
result $? "never: is ready"
attach never 2
all_in never waits_for_eventfd on_eventfd
all_in never waits_for_futex on_futex
all_in never waits_for_pipe on_pipe
all_in never main_pauses main
in_kernel never eventfd_read
in_kernel never pipe_read
near "never: eventfd: in read" 2 "$(lasted never.data)" "$(time_in never.data blocked waits_for_eventfd --syscall read)"
near "never: futex: in futex" 2 "$(lasted never.data)" "$(time_in never.data blocked waits_for_futex --syscall futex)"
near "never: main: in pause" 2 "$(lasted never.data)" "$(time_in never.data blocked main_pauses --syscall pause)"
equal "never: waits that have not ended" 4 "$(value never.data offcpu_open_waits)"
equal "never: nothing is lost" 0 "$(lost_of never.data)"
stop_workload

# Open at several looks, then over: told once.
watch long -- naps 0 2300 2
near "long: two naps, open at several looks" 3 "$(truth long.out nap blocked)" "$(time_in long.data blocked nap)"
"$SBERF" report -i long.data --format folded --no-inline --metric blocked --thread naps >long.folded
in_kernel long nanosleep
near "long: the thread's whole time" 2 "$(truth long.out thread:naps wall)" "$(whole long.data wall --thread naps)"
equal "long: nothing is open any more" 0 "$(value long.data offcpu_open_waits)"
near "long: kept by --min-block, whatever pieces it was told in" 3 "$(truth long.out nap blocked)" \
	"$(time_in long.data blocked nap --min-block 100ms)"

# Begun before, ended in between, begun, and open at the end: all in one.
start_workload naps 0 700 1000
result $? "middle: is ready"
attach middle 3
near "middle: naps, whole and in part" 2 "$(lasted middle.data)" "$(time_in middle.data blocked nap)"
near "middle: and nothing twice" 2 "$(lasted middle.data)" "$(whole middle.data wall)"
equal "middle: one is open at the end" 1 "$(value middle.data offcpu_open_waits)"
equal "middle: nothing is lost" 0 "$(lost_of middle.data)"
stop_workload

# One that began when nothing was watched, and one that began while it was: open at the end, nobody knows how long it will be.
start_workload naps 0 60000 1
attach sleeper 1
near "sleeper: a nap of a minute, of which a second was seen" 2 "$(lasted sleeper.data)" "$(time_in sleeper.data blocked nap)"
stop_workload

# Not asked for.
start_workload naps 0 23 1000
attach without 1 --no-off-cpu
matches "--no-off-cpu: no time off the CPU, and it says why" 'no waits in this recording: it was made without them' \
	"$("$SBERF" report -i without.data --format folded --metric off-cpu 2>&1)"
equal "--no-off-cpu: and its figures are not known" unknown "$(value without.data offcpu_weight_us)"
stop_workload

watch short --min-block 20ms -- waits 1 epoll sleep
near "record --min-block 20ms: waits of 29 ms are there" 3 "$(truth short.out wait_sleep blocked)" \
	"$(time_in short.data blocked wait_sleep)"
# Of 5 ms asked for, a busy machine makes 10 at times: the bound lies well between both lengths.
between "record --min-block 20ms: waits of 5 ms are not (ns)" 0 $(($(truth short.out wait_epoll blocked) / 10)) \
	"$(time_in short.data blocked wait_epoll)"
at_least "record --min-block 20ms: but counted (us)" $(($(truth short.out wait_epoll blocked) * 8 / 10000)) \
	"$(value short.data offcpu_short_us)"

# Stacks that block or fail whoever reads them.
for mode in userfault userfault_naps pagedout; do
	start_workload badstack 0 $mode ./stack
	result $? "$mode: is ready"
	attach $mode 2
	near "$mode: the thread's whole time is there" 2 "$(lasted $mode.data)" \
		"$(whole $mode.data wall --thread badstack-thread)"
	"$SBERF" report -i $mode.data --format folded --no-inline --metric off-cpu --thread badstack-thread >$mode.folded
	note "$(cat $mode.folded)"
	if [ $mode = pagedout ]; then
		check "$mode: its stack was read from the disk" grep -q 'thread_on_bad_stack;with_room;waits_beyond' $mode.folded
	elif [ $mode = userfault_naps ]; then
		# Nobody needs the pages that do not answer: a walk by rules comes past them, and what is complete is the true stack.
		equal "$mode: no other stack than the true one is called complete" 0 \
			"$(grep thread_on_bad_stack $mode.folded | grep -vc 'thread_on_bad_stack;with_room;waits_beyond;')"
	else
		equal "$mode: no stack that could not be read is called complete" 0 \
			"$(grep -c thread_on_bad_stack $mode.folded)"
		at_least "$mode: that one is incomplete is counted" 1 "$("$SBERF" report -i $mode.data --format summary |
			awk '/^offcpu_cut_/ { n += $2 } /^offcpu_no_stack_percent/ { n += $2 } END { print n }')"
	fi
	check "$mode: the target lives on" kill -0 "$workload"
	stop_workload
done
finish
