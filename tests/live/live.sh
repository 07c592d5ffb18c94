# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# live.sh - sourced after tap.sh by tests that capture for real: what they need, and how they read recordings.

WORKLOADS=$top_builddir/tests/workloads/bin

# need_capture: skips the whole script where capturing is not possible at all. Where it should be possible, it must work.
need_capture() {
	[ "$(id -u)" -eq 0 ] || skip_all "capturing needs root or capabilities"
	[ -r /sys/kernel/btf/vmlinux ] || skip_all "the kernel has no BTF"
	grep -q '^CapEff:.*' /proc/self/status && [ $((0x$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status) >> 39 & 1)) -eq 1 ] ||
		skip_all "CAP_BPF is missing (a container?)"
}

# on_share first|second: whether what only one of two kernels has to show is shown on this one. tests/qemu/live.sh boots two, and says by
# SBERF_SHARE which of them this is; anywhere else it is all shown.
on_share() {
	case ${SBERF_SHARE:-all} in all | "$1") ;; *) return 1 ;; esac
}

# start_workload NAME [ARGS...]: runs a workload in the background and waits for its "ready"; its pid is in $workload.
start_workload() {
	local name=$1 fifo=$SCRATCH/ready.$RANDOM word
	shift
	mkfifo "$fifo"
	"$WORKLOADS/$name" "$@" >"$fifo" &
	workload=$!
	also_kill "$workload"
	# The descriptor stays open, so that a workload that prints more does not get a SIGPIPE.
	exec {workload_out}<"$fifo"
	rm -f "$fifo"
	read -rt 60 word <&"$workload_out" && [ "$word" = ready ]
}

stop_workload() {
	kill -KILL "$workload" 2>/dev/null
	wait "$workload" 2>/dev/null
	exec {workload_out}<&-
}

# record FILE OPTIONS...: captures; its stderr is kept in FILE.err. The status is sberf's. By cpu-clock, whose rate is exact: the
# kernel finds the rate of cycles by trying, and counters of virtual machines make it lower its limits.
record() {
	local file=$1
	shift
	"$SBERF" record -e cpu-clock -o "$file" "$@" 2>"$file.err" || {
		local status=$?
		note "record failed with status $status: $(cat "$file.err")"
		return $status
	}
}

# summary FILE: that of a recording, made once as long as the file is the same. Where tests emulate a machine that is seconds each.
summary() {
	local kept=$SCRATCH/.summary.${1//\//_}
	[ "$kept" -nt "$1" ] || "$SBERF" report -i "$1" --format summary >"$kept"
	cat "$kept"
}

# value FILE NAME: one figure of a recording's summary.
value() {
	summary "$1" | sed -n "s/^$2: //p"
}

# at_least TITLE MINIMUM NUMBER: passed when NUMBER >= MINIMUM (decimals allowed); says both.
at_least() {
	note "$1: $3 (at least $2)"
	result "$(awk -v a="$3" -v b="$2" 'BEGIN { print (a != "" && a + 0 >= b + 0) ? 0 : 1 }')" "$1"
}

# between TITLE LOW HIGH NUMBER
between() {
	note "$1: $4 ($2 to $3)"
	result "$(awk -v x="$4" -v l="$2" -v h="$3" 'BEGIN { print (x != "" && x + 0 >= l + 0 && x + 0 <= h + 0) ? 0 : 1 }')" "$1"
}

# share FOLDED REGEX: percent of the weight of FOLDED whose stack matches the extended REGEX.
share() {
	local all hit
	all=$(awk '{ n += $NF } END { print n + 0 }' "$1")
	hit=$(grep -E -- "$2" "$1" | awk '{ n += $NF } END { print n + 0 }')
	awk -v all="$all" -v hit="$hit" 'BEGIN { if (all) printf "%.2f\n", 100 * hit / all }'
}

# cuts FILE: the reasons of incomplete stacks, for the log.
cuts() {
	summary "$1" | grep -E '^(cut|lost|offcpu_cut)_' | grep -v ': 0$' | tr '\n' ' '
}

# reasons FILE: why stacks were copied, those that are.
reasons() {
	summary "$1" | sed -n '/: 0$/d; s/^walk_\([a-z_]*\): /\1 /p' | tr '\n' ',' | sed 's/^/ /; s/,$//'
}
