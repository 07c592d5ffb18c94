#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Time off the CPU, against what programs measured of themselves: totals of functions within 3 %, sums of kinds within 2 %,
# system calls and states, stacks from the root in at least 99 % of the waits, nothing lost.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
. "$top_srcdir/tests/live/truth.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

# well NAME START: of the waits, at least 99 % of the stacks are complete, of the blocked time at least 99 % is below START (a function), and
# so it is of all time off the CPU that has a stack. (A thread that was preempted for less than is told one by one, and ended before it was
# told, has none for that. There are many such children.)
#
# What cannot be there is not asked for: before the thread is the program's (sberf's child), between two programs (execve), in the loader
# (below _start), when the memory is gone (do_exit).
well() {
	local metric below="(;|^)($2|_start|[a-z_0-9]*execve_\[k\]|do_exit_\[k\])(;| [0-9]+$)"
	for metric in blocked off-cpu; do
		folded "$1.data" $metric | grep -v '^sberf;' >$metric.folded
	done
	sed -i '/;\[no stack\]/d' off-cpu.folded
	at_least "$1: percent of wait stacks complete" 99 "$(value "$1.data" offcpu_complete_percent)"
	# Before main the pages of its program may have to be read: some milliseconds, which weigh much in what blocks little.
	at_least "$1: percent of blocked time below $2" "$(awk '{ all += $NF } END { p = all ? 100 - 1e6 / all : 0; print p < 99 ? p : 99 }' \
		blocked.folded)" "$(share blocked.folded "$below")"
	at_least "$1: percent of stacks off the CPU below $2" 99 "$(share off-cpu.folded "$below")"
	equal "$1: nothing is lost" 0 "$(lost_of "$1.data")"
}

# sums NAME THREAD: the thread's running, runnable and blocked time make up its whole, which is what it measured itself, and perhaps what
# it takes to begin and to end: no more than there was from before to after (told by the program, or the recording's whole length). What
# sberf does within each switch, no more than bpf_ns in all, the thread's own clock counts as time off its CPU.
sums() {
	local running runnable blocked wall off around
	running=$(whole "$1.data" on-cpu --thread "$2")
	runnable=$(whole "$1.data" runnable --thread "$2")
	blocked=$(whole "$1.data" blocked --thread "$2")
	wall=$(truth "$1.out" "thread:$2" wall)
	off=$(truth "$1.out" "thread:$2" off)
	around=$(truth "$1.out" "thread:$2" life)
	around=$((${around:-$(lasted "$1.data")} - wall))
	between "$1: thread $2: running + runnable + blocked (ns)" $((wall * 99 / 100)) $((wall * 101 / 100 + around)) \
		$((running + runnable + blocked))
	between "$1: thread $2: off its CPU (ns)" $((off * 99 / 100 - $(bpf_ns "$1.data"))) $((off * 101 / 100 + around)) \
		$((runnable + blocked))
	near "$1: thread $2: --metric wall is their sum" 0.1 $((running + runnable + blocked)) \
		"$(whole "$1.data" wall --thread "$2")"
	near "$1: thread $2: --metric off-cpu is theirs" 0.1 $((runnable + blocked)) "$(whole "$1.data" off-cpu --thread "$2")"
}

# bpf_ns DATA: what the BPF programs took.
bpf_ns() {
	value "$1" bpf_cpu_seconds | awk '{ printf "%.0f", $1 * 1e9 }'
}

# ran NAME WHAT NS: NS is how long it ran by its own clock, or with what sberf does within each switch, which its clock leaves out.
ran() {
	local running
	running=$(truth "$1.out" "$2" running)
	between "$1: $2 ran (ns)" $((running * 99 / 100)) $((running * 101 / 100 + $(bpf_ns "$1.data"))) "$3"
}

watch naps -- naps
well naps main
sums naps naps
near "naps: blocked in nap" 3 "$(truth naps.out nap blocked)" "$(time_in naps.data blocked nap)"
# What it measures begins and ends outside of nap, where it may be preempted too.
naps_off=$(truth naps.out nap off)
between "naps: off-CPU in nap (ns)" 1 $((naps_off * 101 / 100)) "$(time_in naps.data off-cpu nap)"
at_least "naps: off-CPU in nap and its caller (ns)" $((naps_off * 99 / 100)) "$(time_in naps.data off-cpu main)"
near "naps: all of it in clock_nanosleep" 0.1 "$(time_in naps.data blocked nap)" \
	"$(time_in naps.data blocked nap --syscall clock_nanosleep --state interruptible)"
equal "naps: none of it in another call" 0 "$(time_in naps.data blocked nap --syscall futex,poll,read)"
equal "naps: none of it uninterruptible" 0 "$(time_in naps.data blocked nap --state uninterruptible,killable)"
near "naps: the summary's blocked time" 0.1 "$(whole naps.data blocked)" $(($(value naps.data offcpu_blocked_us) * 1000))
near "naps: the summary's off-CPU time" 0.1 "$(whole naps.data off-cpu)" $(($(value naps.data offcpu_weight_us) * 1000))
at_least "naps: percent in waits with a stack of their own: all naps" $((naps_off * 99 / ($(whole naps.data off-cpu) + 1))) \
	"$(value naps.data offcpu_sampled_percent)"
at_least "naps: waits" 200 "$(value naps.data offcpu_waits)"
equal "naps: --min-block leaves shorter waits out" 0 \
	"$(time_in naps.data blocked nap --min-block $(($(truth naps.out nap longest) / 1000000 + 2))ms)"
near "naps: and keeps longer ones" 3 "$(truth naps.out nap blocked)" "$(time_in naps.data blocked nap --min-block 20ms)"

watch handoff -- handoff
well handoff 'main|play'
for side in ping pong; do
	sums handoff $side
	ran handoff thread:$side "$(whole handoff.data on-cpu --thread $side)"
	near "handoff: blocked in ${side}_waits" 2 "$(truth handoff.out ${side}_waits blocked)" \
		"$(time_in handoff.data blocked ${side}_waits)"
	near "handoff: and that in futex" 0.1 "$(time_in handoff.data blocked ${side}_waits)" \
		"$(time_in handoff.data blocked ${side}_waits --syscall futex)"
done

# Each way of waiting: its call and state, and no other one.
ways='sleep clock_nanosleep interruptible
condition futex interruptible
epoll epoll_wait interruptible
poll poll interruptible
select pselect6 interruptible
signal rt_sigtimedwait interruptible
child wait4 interruptible
vfork vfork killable
semaphore futex interruptible
lock futex interruptible
pipe read interruptible
socket recvfrom interruptible
eventfd read interruptible
accept accept interruptible'
watch waits -- waits 4
well waits 'main|waits_one_way|feeds'
while read -r way call state; do
	near "waits: $way: off-CPU in wait_$way ($call, $state, and the run queue)" 3 "$(truth waits.out wait_$way off)" \
		"$(time_in waits.data off-cpu "wait_$way" --thread "$way" --syscall "$call,preempted" \
			--state "$state,preempted")"
	near "waits: $way: blocked in wait_$way" 3 "$(truth waits.out wait_$way blocked)" \
		"$(time_in waits.data blocked wait_$way --thread "$way" --syscall "$call")"
	# A page that is not there, or a lock of the kernel on the way, is another state in the same call.
	near "waits: $way: blocked as $state" 1 "$(time_in waits.data blocked "wait_$way" --thread "$way" --syscall "$call")" \
		"$(time_in waits.data blocked "wait_$way" --thread "$way" --syscall "$call" --state "$state")"
done <<<"$ways"

watch hog -- hog 2
well hog 'main|compute'
near "hog: the victim was in the run queue" 3 "$(truth hog.out victim_spins runnable)" \
	"$(time_in hog.data runnable victim_spins)"
near "hog: and for nothing else off its CPU" 3 "$(truth hog.out victim_spins off)" "$(time_in hog.data off-cpu victim_spins)"
near "hog: it was preempted" 0.1 "$(time_in hog.data runnable victim_spins)" \
	"$(time_in hog.data runnable victim_spins --state preempted)"
near "hog: in no call" 0.1 "$(time_in hog.data runnable victim_spins)" \
	"$(time_in hog.data runnable victim_spins --syscall preempted)"
ran hog victim_spins "$(time_in hog.data on-cpu victim_spins)"

# Short and long waits in one call at full storm, with copies: nearly all of the short ones are extrapolated (offcpu_sums.sh has
# them summed). Their truth is that of their switches.
"$WORKLOADS/mixed" first "$SBERF" record -e cpu-clock --unwind copy -o mixed.data -- taskset -c 0 "$WORKLOADS/mixed" 5 >mixed.out 2>mixed.err
equal "mixed: recorded, status" 0 $?
note "$(tail -n 1 mixed.err)"
well mixed 'main|partner'
sums mixed mixed
near "mixed: off-CPU in long_waits" 3 "$(truth mixed.out long_waits off)" "$(time_in mixed.data off-cpu long_waits)"
if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	equal "mixed: measured by its switches" 1 "$(truth mixed.out clock switches)"
	near "mixed: off-CPU in short_waits" 2 "$(truth mixed.out short_waits off)" "$(time_in mixed.data off-cpu short_waits)"
else
	skip "no tracefs is mounted" "mixed: off-CPU in short_waits"
fi
at_least "mixed: waits" $(($(truth mixed.out short_waits count) + $(truth mixed.out long_waits count))) \
	"$(value mixed.data offcpu_waits)"
between "mixed: percent in waits with a stack of their own: all long ones" \
	$(($(truth mixed.out long_waits off) * 98 / ($(truth mixed.out thread:mixed off) + 1))) 100 \
	"$(value mixed.data offcpu_sampled_percent)"
at_least "mixed: percent extrapolated" 2 "$(value mixed.data offcpu_extrapolated_percent)"

# The kernel stops a thread's clock when it begins to choose the next one, and tells of the switch when it has chosen: some 4 us of each wait
# where the CPU has nothing else to do. So that these are small beside 3 percent on fast disks, too, much is written.
watch fsyncs -- fsyncs 2 ./file 4096
well fsyncs main
near "fsyncs: off-CPU in write_through" 3 "$(truth fsyncs.out write_through off)" "$(time_in fsyncs.data off-cpu write_through)"
at_least "fsyncs: uninterruptible in fsync, of what is blocked there (ns)" $(($(time_in fsyncs.data blocked write_through) * 99 / 100)) \
	"$(time_in fsyncs.data blocked write_through --syscall fsync --state uninterruptible)"

watch faults -- faults 2 ./file
well faults main
near "faults: off-CPU in touch_pages" 3 "$(truth faults.out touch_pages off)" "$(time_in faults.data off-cpu touch_pages)"
at_least "faults: in page faults, of what is blocked there (ns)" $(($(time_in faults.data blocked touch_pages) * 99 / 100)) \
	"$(time_in faults.data blocked touch_pages --syscall 'page fault')"
finish
