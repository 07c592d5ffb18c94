#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What for, who woke it, and who has nothing to do: the list of waits, wakers, idle threads.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
. "$top_srcdir/tests/live/truth.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

# waits NAME OPTIONS...: the list of waits into NAME.waits.
waits() {
	"$SBERF" report -i "$1.data" --format waits "${@:2}" >"$1.waits"
	result $? "$1: list of waits"
}

# below FILE LABEL: the line behind the one that holds LABEL.
below() {
	grep -F -A1 -- "$2" "$1" | sed -n 2p
}

# Every class with its calls: "class|call".
classes() {
	awk -F'   *' '{ label = $NF }
		label ~ /^(I\/O|lock|sleep|event wait|pipe and socket|child wait|run queue|other)$/ { class = label; next }
		class { print class "|" label }' "$1"
}

watch ways -- waits 1
waits ways
classes ways.waits >classes
for pair in 'sleep|clock_nanosleep' 'lock|futex' 'event wait|epoll_wait' 'event wait|poll' 'event wait|pselect6' \
	'event wait|rt_sigtimedwait' 'event wait|accept' 'child wait|wait4' 'child wait|vfork' 'pipe and socket|read' \
	'pipe and socket|recvfrom' 'run queue|preempted'; do
	check "ways: ${pair#*|} is under ${pair%|*}" grep -qxF "$pair" classes
done
equal "ways: wakers are not told when nobody asked" 0 "$(grep -c 'woken by' ways.waits)"
equal "ways: and the summary says so" no "$(value ways.data wakers)"
# The lengths of 98 sleeps of 29 ms.
waits ways --syscall clock_nanosleep --thread sleep
# Total, count, longest, average, each with its unit; one of them may have been stopped on its way.
read -r _ _ count longest _ average _ <<<"$(grep wait_sleep ways.waits)"
between "ways: as many sleeps as there were" "$(truth ways.out wait_sleep count)" $(($(truth ways.out wait_sleep count) + 2)) "$count"
at_least "ways: the longest (ms)" 29 "$longest"
between "ways: the average (ms)" 27 60 "$average"

watch ioways -- fsyncs 1 ./file 1024
waits ioways
classes ioways.waits >classes
check "fsync is under I/O" grep -qxF 'I/O|fsync' classes
watch faultways -- faults 1 ./file
waits faultways
classes faultways.waits >classes
check "page fault is under I/O" grep -qxF 'I/O|page fault' classes

# Who woke it: the other side of a hand-off, in the function that does.
watch handoff --wakers -- handoff
waits handoff
equal "handoff: the summary says that wakers were told" yes "$(value handoff.data wakers)"
for pair in 'ping_waits pong pong_wakes' 'pong_waits ping ping_wakes'; do
	read -r waits waker function <<<"$pair"
	matches "handoff: $waits is woken by $waker in $function" "woken by $waker [0-9]+ \(handoff [0-9]+\): .*$function › play" \
		"$(below handoff.waits "$waits › play")"
done
near "handoff: wakers do not change how long waits are" 3 "$(truth handoff.out ping_waits blocked)" \
	"$(time_in handoff.data blocked ping_waits)"

# A timer wakes, whichever program it interrupts.
watch timer --wakers -- naps 0 23 40
waits timer
matches "timer: a nap is ended by an interrupt" "woken by interrupt or timer" "$(below timer.waits 'nap › main')"
equal "timer: and by nobody else" 1 "$(grep -A3 'nap › main' timer.waits | grep -c 'woken by')"

# A waker outside the target.
mkfifo fifo
cat fifo >/dev/null &
reader=$!
also_kill $reader
exec {feeder}>fifo
"$SBERF" record -e cpu-clock -o outside.data --wakers -p $reader --duration 1s 2>outside.err &
recorder=$!
also_kill $recorder
while kill -0 $recorder 2>/dev/null; do
	echo line >&"$feeder"
	read -rt 0.02 <> <(:) || :
done
wait $recorder
equal "outside: recorded, status" 0 $?
exec {feeder}>&-
waits outside
matches "outside: the reader of a pipe is woken by this shell" "woken by [^ ]+ ${$}( |:|$)" "$(grep 'woken by' outside.waits)"

# Idle workers beside one that is busy; a deadlock is not idle.
start_workload pool
result $? "pool: is ready"
record pool.data -p "$workload" --duration 2s
result $? "pool: recorded"
stop_workload
near "pool: 64 workers wait all the time" 3 $((64 * $(lasted pool.data))) "$(time_in pool.data blocked next_job)"
"$SBERF" report -i pool.data --format folded --no-inline --metric wall --hide-idle >pool.folded
note "$(cut -c1-150 pool.folded)"
near "pool: folded into one line when asked for" 3 $((64 * $(lasted pool.data))) \
	"$(awk '/^idle: / { n += $NF } END { printf "%.0f\n", n * 1000 }' pool.folded)"
equal "pool: and nothing of it left elsewhere (percent of it)" 0 \
	"$(awk -v all="$((64 * $(lasted pool.data)))" '/next_job/ { n += $NF } END { printf "%d\n", 100 * n * 1000 / all }' pool.folded)"
check "pool: while the busy one stays" grep -q ';main;busy_work' pool.folded
near "pool: the whole stays what it was" 0.1 "$(whole pool.data wall)" \
	"$(awk '{ n += $NF } END { printf "%.0f\n", n * 1000 }' pool.folded)"
waits pool
# One of the workers may just have been given something.
matches "pool: the list counts those that still wait" "6[345] threads with nothing to do" "$(cat pool.waits)"
start_workload deadlock
record deadlock.data -p "$workload" --duration 1s
stop_workload
"$SBERF" report -i deadlock.data --format folded --no-inline --metric wall --hide-idle >deadlock.folded
for side in lock_a_then_b lock_b_then_a; do
	check "deadlock: $side is not idle" grep -q ";$side;" deadlock.folded
done
waits deadlock
for side in 'first [0-9]+ +futex.*lock_a_then_b' 'second [0-9]+ +futex.*lock_b_then_a'; do
	matches "deadlock: still waiting: ${side##*.}" "still waiting.*>[0-9.]+ (m?s).*$side" "$(tr '\n' ' ' <deadlock.waits)"
done
finish
