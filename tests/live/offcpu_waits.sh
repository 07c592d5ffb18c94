#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Time off the CPU, against what programs measured of themselves: totals of functions within 3 %, sums of kinds within 2 %,
# system calls and states, stacks from the root in at least 99 % of the waits, nothing lost.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
. "$top_srcdir/tests/live/truth.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

# well NAME START: of the waits, at least 99 % of the stacks are complete and of their time is below START (a function).
well() {
	at_least "$1: percent of wait stacks complete" 99 "$(value "$1.data" offcpu_complete_percent)"
	at_least "$1: percent of off-CPU time below $2" 99 \
		"$(awk -v n="$(time_in "$1.data" off-cpu "$2")" -v all="$(whole "$1.data" off-cpu)" 'BEGIN { print 100 * n / all }')"
	equal "$1: nothing is lost" 0 "$(lost_of "$1.data")"
}

# sums NAME THREAD: the thread's running, runnable and blocked time make up its whole, which is what it measured itself; running
# is what it ran.
sums() {
	local running runnable blocked
	running=$(whole "$1.data" on-cpu --thread "$2")
	runnable=$(whole "$1.data" runnable --thread "$2")
	blocked=$(whole "$1.data" blocked --thread "$2")
	near "$1: thread $2: running + runnable + blocked" 2 \
		"$(truth "$1.out" "thread:$2" wall)" $((running + runnable + blocked))
	near "$1: thread $2: off its CPU" 2 "$(truth "$1.out" "thread:$2" off)" $((runnable + blocked))
	near "$1: thread $2: --metric wall is their sum" 0.1 $((running + runnable + blocked)) \
		"$(whole "$1.data" wall --thread "$2")"
	near "$1: thread $2: --metric off-cpu is theirs" 0.1 $((runnable + blocked)) "$(whole "$1.data" off-cpu --thread "$2")"
}

watch naps -- naps
well naps main
sums naps naps
near "naps: blocked in nap" 3 "$(truth naps.out nap blocked)" "$(time_in naps.data blocked nap)"
near "naps: off-CPU in nap" 3 "$(truth naps.out nap off)" "$(time_in naps.data off-cpu nap)"
near "naps: all of it in clock_nanosleep" 0.1 "$(time_in naps.data blocked nap)" \
	"$(time_in naps.data blocked nap --syscall clock_nanosleep --state interruptible)"
equal "naps: none of it in another call" 0 "$(time_in naps.data blocked nap --syscall futex,poll,read)"
equal "naps: none of it uninterruptible" 0 "$(time_in naps.data blocked nap --state uninterruptible,killable)"
near "naps: the summary's blocked time" 0.1 "$(whole naps.data blocked)" $(($(value naps.data offcpu_blocked_us) * 1000))
near "naps: the summary's off-CPU time" 0.1 "$(whole naps.data off-cpu)" $(($(value naps.data offcpu_weight_us) * 1000))
at_least "naps: percent in waits with a stack of their own" 99 "$(value naps.data offcpu_sampled_percent)"
at_least "naps: waits" 200 "$(value naps.data offcpu_waits)"
equal "naps: --min-block leaves shorter waits out" 0 "$(time_in naps.data blocked nap --min-block 40ms)"
near "naps: and keeps longer ones" 3 "$(truth naps.out nap blocked)" "$(time_in naps.data blocked nap --min-block 20ms)"

watch handoff -- handoff
well handoff 'main|play'
for side in ping pong; do
	sums handoff $side
	near "handoff: thread $side ran" 2 "$(truth handoff.out thread:$side running)" \
		"$(whole handoff.data on-cpu --thread $side)"
	near "handoff: blocked in ${side}_waits" 3 "$(truth handoff.out ${side}_waits blocked)" \
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
	others=none,interruptible,killable,uninterruptible,stopped,traced,exiting,idle
	equal "waits: $way: in no other state" 0 "$(time_in waits.data blocked "wait_$way" --thread "$way" --syscall "$call" \
		--state "${others/,$state/}")"
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
near "hog: the victim ran" 3 "$(truth hog.out victim_spins running)" "$(time_in hog.data on-cpu victim_spins)"

# Short and long waits in one call at full storm: nearly all of the short ones are extrapolated.
"$SBERF" record -e cpu-clock -o mixed.data -- taskset -c 0 "$WORKLOADS/mixed" 5 >mixed.out 2>mixed.err
equal "mixed: recorded, status" 0 $?
note "$(tail -n 1 mixed.err)"
well mixed 'main|partner|execve'
sums mixed mixed
near "mixed: off-CPU in long_waits" 3 "$(truth mixed.out long_waits off)" "$(time_in mixed.data off-cpu long_waits)"
near "mixed: off-CPU in short_waits" 3 "$(truth mixed.out short_waits off)" "$(time_in mixed.data off-cpu short_waits)"
at_least "mixed: waits" $(($(truth mixed.out short_waits count) + $(truth mixed.out long_waits count))) \
	"$(value mixed.data offcpu_waits)"
between "mixed: percent in waits with a stack of their own: all long ones" \
	$(($(truth mixed.out long_waits off) * 98 / ($(truth mixed.out thread:mixed off) + 1))) 100 \
	"$(value mixed.data offcpu_sampled_percent)"
at_least "mixed: percent extrapolated" 2 "$(value mixed.data offcpu_extrapolated_percent)"

# A process that ends has no user stack any more; the disk space of its file is given back then.
watch fsyncs -- fsyncs 2 ./file 1024
well fsyncs 'main|do_exit_\[k\]'
near "fsyncs: off-CPU in write_through" 3 "$(truth fsyncs.out write_through off)" "$(time_in fsyncs.data off-cpu write_through)"
at_least "fsyncs: uninterruptible in fsync, of what is blocked there (ns)" $(($(time_in fsyncs.data blocked write_through) * 99 / 100)) \
	"$(time_in fsyncs.data blocked write_through --syscall fsync --state uninterruptible)"

watch faults -- faults 2 ./file
well faults 'main|do_exit_\[k\]'
near "faults: off-CPU in touch_pages" 3 "$(truth faults.out touch_pages off)" "$(time_in faults.data off-cpu touch_pages)"
at_least "faults: in page faults, of what is blocked there (ns)" $(($(time_in faults.data blocked touch_pages) * 99 / 100)) \
	"$(time_in faults.data blocked touch_pages --syscall 'page fault')"
finish
