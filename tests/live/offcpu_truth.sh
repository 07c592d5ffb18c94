#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Do the programs that wait know what they did? Their own figures, without sberf: against what they were asked to do, against
# each other, and against what the kernel tells from outside. No upper bounds on what a busy machine may take.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
. "$top_srcdir/tests/live/truth.sh" || exit 99
. "$top_srcdir/tests/passed.sh" || exit 99
skip_unless_changed tests/live/offcpu_truth.sh tests/live/truth.sh \
	tests/workloads/{badstack,deadlock,ends,faults,fsyncs,handoff,hog,mixed,naps,never,pingpong,pool,waits}.c \
	tests/workloads/{switches,truth,workload}.h
cd "$SCRATCH" || exit 99

# runs NAME ARGS...: a workload to its end, its output in NAME.out.
runs() {
	"$WORKLOADS/$1" "${@:2}" >"$1.out" 2>"$1.err"
	equal "$*: status" 0 $?
	note "$(cat "$1.err")"
}

# adds_up OUT NAME: running + off = wall, and blocked + runnable = off.
adds_up() {
	near "$2: running and off make up the whole" 0.01 "$(truth "$1" "$2" wall)" \
		$(($(truth "$1" "$2" running) + $(truth "$1" "$2" off)))
	near "$2: blocked and runnable make up off" 0.01 "$(truth "$1" "$2" off)" \
		$(($(truth "$1" "$2" blocked) + $(truth "$1" "$2" runnable)))
}

runs naps 0 23 20
adds_up naps.out nap
equal "naps: as many as asked for" 20 "$(truth naps.out nap count)"
at_least "naps: none was shorter than asked for" $((20 * 23000000)) "$(truth naps.out nap blocked)"

runs handoff 0 4 25
adds_up handoff.out ping_waits
# While one works the other cannot run: in all but its first turn it waits, or, when it was preempted on its way there, is to
# run.
for side in ping pong; do
	at_least "handoff: $side is off its CPU while the other works" $((24 * 4000000 * 99 / 100)) \
		"$(truth handoff.out thread:$side off)"
done

runs hog 1
adds_up hog.out victim_spins
near "hog: the victim off its CPU was in the run queue" 3 "$(truth hog.out victim_spins off)" \
	"$(truth hog.out victim_spins runnable)"
longest=$(($(truth hog.out victim_spins wall) > $(truth hog.out hog_spins wall) ?
	$(truth hog.out victim_spins wall) : $(truth hog.out hog_spins wall)))
at_least "hog: the two did not run at once" "$(($(truth hog.out victim_spins running) + $(truth hog.out hog_spins running)))" \
	$((longest * 101 / 100))

runs pingpong 0 2000
adds_up pingpong.out ping_rounds
equal "pingpong: rounds" 2000 "$(truth pingpong.out ping_rounds count)"

runs mixed 1 200
adds_up mixed.out long_waits
at_least "mixed: long waits of 50 ms" $(($(truth mixed.out long_waits count) * 50000000)) \
	"$(truth mixed.out long_waits blocked)"

runs waits 1
for way in sleep condition epoll poll select signal child vfork semaphore lock pipe socket eventfd accept; do
	at_least "waits: wait_$way, how often" 5 "$(truth waits.out wait_$way count)"
	at_least "waits: wait_$way mostly waits (ns)" $(($(truth waits.out wait_$way wall) * 8 / 10)) \
		"$(truth waits.out wait_$way off)"
done

runs pool 1 8
adds_up pool.out busy_rest

runs fsyncs 1 ./file 1024
adds_up fsyncs.out write_through
at_least "fsyncs: fsync waits" 1 "$(truth fsyncs.out write_through blocked)"
runs faults 1 ./file
adds_up faults.out touch_pages
at_least "faults: of the pages touched, those that blocked" $(($(truth faults.out touch_pages count) / 8)) \
	"$(truth faults.out major count)"
check "fsyncs, faults: no file is left" test ! -e file

runs ends 0 leave 5
equal "ends: 5 threads left" 5 "$(truth ends.out leaver_naps count)"
at_least "ends: while three waited (ns)" $((3 * $(truth ends.out leaver_naps off))) "$(truth ends.out stays_waiting off)"
runs ends 0 kill 5
at_least "ends: killed after 40 ms" $((5 * 40000000)) "$(truth ends.out killed_in_sleep off)"
runs ends 0 exec
at_least "ends: waited before execve" 300000000 "$(truth ends.out stays_waiting off)"
at_least "ends: napped after it" 300000000 "$(truth ends.out naps_after_exec off)"
runs ends 0 stop 5
at_least "ends: stopped for 30 ms" $((5 * 30000000)) "$(truth ends.out stops_itself off)"
if [ "$(id -u)" -eq 0 ] && [ -w /proc/sys/kernel/ns_last_pid ]; then
	runs ends 0 reuse 5
	equal "ends: lives of one tid" "5 5" "$(truth ends.out first_life count) $(truth ends.out second_life count)"
else
	skip "not root: ns_last_pid cannot be set" "ends: one tid for all"
fi

# switches PID: how often each of its threads has left its CPU.
switches() {
	sed -n 's/.*ctxt_switches:[[:space:]]*//p' "/proc/$1"/task/*/status | tr '\n' ' '
}

# states PID: of all its threads, each state once.
states() {
	sed 's/.*) \(.\).*/\1/' "/proc/$1"/task/*/stat | sort -u
}

# rests PID: all its threads sleep, and none has done anything else for a while: on its way to sleep each may wait for something.
rests() {
	local before
	[ "$(states "$1")" = S ] && before=$(switches "$1") && ! read -rt 0.3 <> <(:) && [ "$(switches "$1")" = "$before" ]
}

# For ever: seen from outside, no thread moves once the main thread, which said "ready", has gone to sleep too.
for name in deadlock never; do
	start_workload $name
	result $? "$name: is ready"
	wait_until 60 rests "$workload"
	result $? "$name: all threads sleep"
	before=$(switches "$workload")
	read -rt 0.3 <> <(:) || :
	equal "$name: and go on sleeping" "$before" "$(switches "$workload")"
	stop_workload
done

# Stacks that cannot be read at once. (They need userfaultfd and a file system that writes pages out.)
for mode in userfault userfault_naps pagedout; do
	if [ $mode != pagedout ] && [ "$(id -u)" -ne 0 ]; then
		skip "not root: userfaultfd may be refused" "badstack $mode"
		continue
	fi
	start_workload badstack 0 $mode ./stack
	result $? "badstack $mode: is ready"
	read -rt 20 line <&"$workload_out"
	at_least "badstack $mode: pages of 64 that are not in memory" 16 $((64 - $(sed 's/.*resident \([0-9]*\) .*/\1/' <<<"$line")))
	stop_workload
done
finish_passed
