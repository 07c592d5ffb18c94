#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probes.sh - what an event costs a program (probed.c) that does nothing else: counted, timed, and with its stack, by sberf and by others. ns an
# event, without those of the program itself; each tool in each of ROUNDS rounds, medians; CPU seconds of the tool beside it in a second.
set -eu
work=$(mktemp -d)
sberf=${SBERF:?is set by make bench}
begins=x beside='' load=''
trap 'kill $beside $load 2>/dev/null || :; rm -rf "$work"' EXIT
. "$top_srcdir/tests/bench/peers.sh"
probed=$top_builddir/tests/bench/probed
rounds=${ROUNDS:-3}

# told: ns an event in the next seconds.
told() {
	: >"$work/out"
	pause 2.7
	sed 1d "$work/out" | median
}

# measure NAME READY COMMAND...: while COMMAND looks at $pid. READY: a regular expression of what it says when it does, "" = wait for a second.
measure() {
	local name=$1 ready=$2 before after
	shift 2
	"$@" >"$work/said" 2>&1 &
	beside=$!
	if [ -n "$ready" ]; then await grep -q "$ready" "$work/said" || :; fi
	pause 1.5
	before=$(cpu_of $beside)
	told >>"$work/$name"
	after=$(cpu_of $beside)
	minus "$after" "$before" | awk '{ print 100 * $1 / 2.7 }' >>"$work/$name.cpu"
	kill -TERM $beside 2>/dev/null || :
	wait $beside 2>/dev/null || :
	beside=''
}

has() {
	command -v "$1" >/dev/null
}

# priced NAME: what the capture that was measured last has said of an event, in ns.
priced() {
	sed -n 's/.*probes: \([0-9,]*\) hits a second, which cost the target \([0-9.]*\) % of one CPU.*/\1 \2/p' "$work/said" | tr -d , |
		awk '{ print $2 * 1e7 / $1 }' >>"$work/$1.price"
}

begin() {
	"$probed" "$1" >>"$work/out" &
	pid=$!
	load=$pid
}

# In the background only: in place of the shell that is told to end.
record() {
	exec "$sberf" record -o "$work/run.data" --no-off-cpu --budget none -p $pid "$@"
}

# losses NAME: of the recording that was measured last: hits a second, and those that are without a stack of their own.
losses() {
	"$sberf" report -i "$work/run.data" --format summary 2>/dev/null |
		awk -F ': ' '{ f[$1] = $2 } END { print f["probe_hits_per_second"], f["lost_hit_stack"] + f["lost_ring_full"] }' >>"$work/$1.lost"
}

# lost TEXT NAME
lost() {
	[ ! -s "$work/$2.lost" ] || printf '%-58s %9s %9s\n' "$1" "$(cut -d ' ' -f 1 "$work/$2.lost" | median)" "$(cut -d ' ' -f 2 "$work/$2.lost" | median)"
}

row() {
	printf '%-58s %9s %9s %8s %8s\n' "$1" "$(m "$2")" "$(minus "$(m "$2")" "$(m "$3")")" "$(m "$2.cpu")" "$([ ! -s "$work/$2.price" ] || m "$2.price")"
}

for ((round = 0; round < rounds; round++)); do
	begin call
	told >>"$work/call"
	f=$probed:probed
	measure sberf_count '' record --probe "u:$f count()" --every 1000000
	priced sberf_count
	! has bpftrace || measure bpf_count Attaching bpftrace -e "uprobe:$f { @ = count(); }" -p $pid
	measure sberf_stack '' record --probe "u:$f"
	losses sberf_stack
	! has bpftrace || measure bpf_stack Attaching bpftrace -e "uprobe:$f { @[ustack] = count(); }" -p $pid
	measure sberf_time '' record --probe "call:$f" --every 1000000
	! has bpftrace || measure bpf_time Attaching bpftrace -p $pid \
		-e "uprobe:$f { @s[tid] = nsecs; } uretprobe:$f /@s[tid]/ { @ = hist(nsecs - @s[tid]); delete(@s[tid]); }"
	measure sberf_call '' record --probe "call:$f"
	end_load

	begin read
	told >>"$work/read"
	measure sberf_sys '' record --probe sys:read --every 1000000
	priced sberf_sys
	measure sberf_point '' record --probe t:syscalls:sys_enter_read --every 1000000
	priced sberf_point
	measure sberf_raw '' record --probe rawtracepoint:sys_enter --every 1000000
	priced sberf_raw
	measure sberf_sys_stack '' record --probe sys:read
	losses sberf_sys_stack
	! has bpftrace || measure bpf_sys Attaching bpftrace -p $pid \
		-e "tracepoint:syscalls:sys_enter_read /pid == $pid/ { @s[tid] = nsecs; } tracepoint:syscalls:sys_exit_read /@s[tid]/ { @ = hist(nsecs - @s[tid]); delete(@s[tid]); }"
	measure sberf_trace '' "$sberf" trace -p $pid --probe sys:read -o /dev/null
	! has perf || measure perf_trace '' perf trace -s -p $pid
	! has strace || measure strace attached strace -c -p $pid
	end_load
done

printf '%-58s %9s %9s %8s %8s\n' 'a function of the program, in a stack of ten' 'ns' 'more' 'CPU %' 'said, ns'
row 'not probed' call call
row 'counted: sberf u: count()' sberf_count call
row 'counted: bpftrace count()' bpf_count call
row 'with its stack: sberf u:' sberf_stack call
row 'with its stack (frame pointers): bpftrace ustack' bpf_stack call
row 'timed: sberf call:, few stacks' sberf_time call
row 'timed: bpftrace, hist()' bpf_time call
row 'timed, with its stack: sberf call:' sberf_call call
printf '%-58s %9s %9s %8s %8s\n' 'a read of one byte' 'ns' 'more' 'CPU %' 'said, ns'
row 'not probed' read read
row 'timed: sberf sys:read, few stacks' sberf_sys read
row 'timed: bpftrace, hist()' bpf_sys read
row 'timed, with its stack: sberf sys:read' sberf_sys_stack read
row 'counted: sberf t:syscalls:sys_enter_read' sberf_point read
row 'counted: sberf rawtracepoint:sys_enter' sberf_raw read
row 'a line each: sberf trace, to /dev/null' sberf_trace read
row 'summed: perf trace -s' perf_trace read
row 'summed: strace -c' strace read
printf '%-58s %9s %9s\n' 'one thread whose stacks repeat, as fast as it can' 'hits/s' 'lost'
lost 'sberf u:, with its stack' sberf_stack
lost 'sberf sys:read, with its stack' sberf_sys_stack
