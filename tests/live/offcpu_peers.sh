#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The same run, watched by three: totals of threads within 5 % of what perf sched timehist and offcputime say of them.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
. "$top_srcdir/tests/live/truth.sh" || exit 99
need_capture
PATH=$PATH:/usr/sbin:/sbin
cd "$SCRATCH" || exit 99
perf=$(command -v perf) || note "perf is not installed"
# Fedora's package calls it bpf-offcputime.
offcputime=$(command -v offcputime || command -v bpf-offcputime) || note "offcputime is not installed"

# watched NAME PROGRAM ARGS...: sberf and perf, around the workload, and offcputime beside it; NAME.data, perf.data,
# offcputime.txt. On the first CPU: where the kernel's trace misses what an idle task switches to on another one, as has been
# seen, perf counts a wait less each time.
watched() {
	local name=$1 around=()
	shift
	if [ -n "$offcputime" ]; then
		"$offcputime" -u >offcputime.txt 2>/dev/null &
		peer=$!
		also_kill $peer
		# It watches when it holds a link to a BPF program.
		wait_until 20 sh -c "grep -qs link_id /proc/$peer/fdinfo/*"
		result $? "$name: offcputime watches"
	fi
	[ -z "$perf" ] || around=("$perf" sched record -o perf.data --)
	"${around[@]}" "$SBERF" record -e cpu-clock -o "$name.data" -- taskset -c 0 \
		"$WORKLOADS/$1" "${@:2}" >"$name.out" 2>"$name.err"
	equal "$name: status" 0 $?
	note "$(tail -n 3 "$name.err")"
	if [ -n "$offcputime" ]; then
		# It takes signals some time after it has begun.
		while kill -INT $peer 2>/dev/null; do read -rt 0.1 <> <(:) || :; done
		wait $peer
	fi
}

# off PERCENT TRUTH VALUE: is VALUE within PERCENT of TRUTH?
off() {
	awk -v p="$1" -v t="$2" -v v="$3" 'BEGIN { exit !(t > 0 && v >= t * (1 - p / 100) && v <= t * (1 + p / 100)) }'
}

# agrees NAME THREAD [FUNCTION]: on its time off the CPU, from each switch that takes it off to the one that brings it back. With
# one of the two at least: each has been seen to be far from the program itself, on a kernel that does not tell every switch.
agrees() {
	local ours theirs agree=0
	ours=$(whole "$1.data" off-cpu --thread "$2")
	note "$1: thread $2: $ours by sberf, $(truth "$1.out" "${3-thread:$2}" off) by itself"
	if [ -z "$perf" ] && [ -z "$offcputime" ]; then
		skip "perf is not installed" "$1: thread $2: as others see it"
		return
	fi
	if [ -n "$perf" ]; then
		theirs=$("$perf" sched timehist -i perf.data 2>/dev/null |
			awk -v comm="$2" 'index($3, comm "[") == 1 { n += $4 } END { printf "%.0f\n", n * 1e6 }')
		note "$1: thread $2: $theirs by perf sched timehist"
		off 5 "$theirs" "$ours" && agree=1
	fi
	if [ -n "$offcputime" ]; then
		theirs=$(awk -v comm="$2" '$1 == "-" && $2 == comm { getline; n += $1 } END { printf "%.0f\n", n * 1000 }' offcputime.txt)
		note "$1: thread $2: $theirs by offcputime"
		off 5 "$theirs" "$ours" && agree=1
	fi
	equal "$1: thread $2: within 5 % of what perf or offcputime say" 1 $agree
}

watched naps naps 0 23 100
agrees naps naps
watched handoff handoff 0 4 200
agrees handoff ping
agrees handoff pong
watched waits waits 3 condition epoll select lock socket
for thread in condition epoll select lock socket; do
	agrees waits $thread wait_$thread
done
finish
