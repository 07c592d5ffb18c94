#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# unwind_returns.sh - return probes of somebody else are pending in three functions of each stack, which replace their return addresses:
# stacks of what runs, what waits and what hits a probe are complete all the same, walked in the kernel and copied.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1
program=$(readlink -f "$WORKLOADS/returning")
functions=(first second third)

# whole TITLE PERCENT METRIC LEAST STACK: stacks of METRIC come to main, and so do all those of STACK, of which there are some.
whole() {
	"$SBERF" report -i pending.data --metric "$3" --format folded --no-inline >folded
	at_least "$1: percent that come to main" "$2" "$(share folded '^returning;_start;([^;]*;){1,2}main[; ]')"
	grep -E "[;]$5[; ]" folded >part
	at_least "$1: there are such stacks" "$4" "$(awk '{ n += $NF } END { print n + 0 }' part)"
	at_least "$1: percent of these with all callers" 100 "$(share part "main;first;second;third;$5[; ]")"
	note "$(grep -vE 'main;first;second;third;|main [0-9]|main;first;second;third [0-9]' folded | head -n 5)"
}

# pending TITLE OPTIONS...: records while the return probes are there.
pending() {
	local title=$1
	shift
	start_workload returning 20
	wait_until 10 grep -q '\[uprobes\]' "/proc/$workload/maps"
	result $? "$title: return probes are pending"
	# It runs for a while before, so that its code is known.
	check "$title: recorded" record pending.data --budget none -F 997 --probe uprobe:returning:counted --duration 2s -p "$workload" "$@"
	stop_workload
	note "$title: $(cuts pending.data)"
	equal "$title: stacks of waits that end at a return probe" 0 "$(value pending.data offcpu_cut_uretprobe)"
	# A sample may come when the kernel has replaced an address, and has not noted it yet: some nanoseconds in each call.
	at_least "$title: percent of what runs complete" 99.5 "$(value pending.data oncpu_complete_percent)"
	whole "$title, what runs" 99.5 on-cpu 1 computes
	whole "$title, what waits" 100 blocked 1 sleeps
	whole "$title, what hits a probe" 100 uprobe:returning:counted 50 counted
}

# compared TITLE: what was walked in the kernel is what is walked from copies.
compared() {
	at_least "$1: stacks walked in two ways" 20 "$(value pending.data verify_checked)"
	equal "$1: that differ" 0 "$(value pending.data verify_different)"
}

if [ -r /sys/bus/event_source/devices/uprobe/type ]; then
	${CC:-cc} -o retprobe "$top_srcdir/tests/live/retprobe.c" || exit 99
	mkfifo hold
	./retprobe "$program" $(for f in "${functions[@]}"; do nm "$program" | awk -v f="$f" '$3 == f { print $1 }'; done) <hold >set &
	also_kill $!
	exec 3>hold
	wait_until 20 grep -q ready set
	result $? "three return probes are set"
	pending "walked in the kernel" --verify-unwind 4
	compared "walked in the kernel"
	pending "copied" --unwind copy
	exec 3>&-
else
	note "this kernel sets no probes by perf"
fi

# The same by a tool that people use.
if command -v bpftrace >/dev/null; then
	bpftrace -e "$(printf "uretprobe:$program:%s { @n = count(); } " "${functions[@]}")" >trace 2>&1 &
	also_kill $!
	wait_until 30 grep -q Attach trace
	pending "bpftrace"
else
	for part in pending recorded "end at a probe" complete; do
		skip "bpftrace is not installed" "bpftrace: $part"
	done
fi
finish
