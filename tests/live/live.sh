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
	read -rt 60 word <&"$workload_out" && [ "$word" = ready ] && return
	result 1 "$name says that it is ready"
	return 1
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

# record_placed FILE OPTIONS...: begins to capture as process $recorder, which speaks to the file err, and waits until its probes are in
# place. Whatever happens after that is counted, until end_record ends it, whose status is sberf's.
record_placed() {
	: >err
	"$SBERF" record -o "$@" 2>err &
	recorder=$!
	also_kill $recorder
	wait_until 60 probes_placed record
}
# probes_placed COMMAND: whether $recorder, which is `sberf COMMAND`, has said so in the file err, or has ended.
probes_placed() {
	grep -q "^sberf $1: probes placed" err || ! kill -0 "$recorder" 2>/dev/null
}
end_record() {
	kill -INT "$recorder"
	wait "$recorder"
}
# answered FILE N [WHAT]: whether FILE has N lines that begin with WHAT, as programs answer what they have done.
answered() {
	[ "$(grep -c "^${3-}" "$1")" -ge "$2" ]
}

# summary_kept FILE: where the summary of a recording is, made once as long as the file is the same. Where tests emulate a machine that is
# half a second each, and so are the processes that would read it: what follows asks the shell.
summary_kept() {
	kept=$SCRATCH/.summary.${1//\//_}
	[ "$kept" -nt "$1" ] || "$SBERF" report -i "$1" --format summary >"$kept"
}

summary() {
	local kept
	summary_kept "$1"
	cat "$kept"
}

# value FILE NAME: one figure of a recording's summary.
value() {
	local kept line
	summary_kept "$1"
	while IFS= read -r line; do
		[ "${line%%: *}" != "$2" ] || printf '%s\n' "${line#*: }"
	done <"$kept"
}

# is_less NUMBER NUMBER: whether the first is less; decimals allowed. What is no plain number is less than any.
is_less() {
	local plain='^-?[0-9]+([.][0-9]+)?$' a b
	[[ $1 =~ $plain && $2 =~ $plain ]] || return 0
	# In ten thousandths.
	[[ $1 = *.* ]] && a=${1#*.}0000 || a=0000
	[[ $2 = *.* ]] && b=${2#*.}0000 || b=0000
	a=${1%.*}${a:0:4} b=${2%.*}${b:0:4}
	[ "$a" -lt "$b" ]
}

# at_least TITLE MINIMUM NUMBER: passed when NUMBER >= MINIMUM (decimals allowed); says both.
at_least() {
	note "$1: $3 (at least $2)"
	! is_less "$3" "$2"
	result $? "$1"
}

# between TITLE LOW HIGH NUMBER
between() {
	note "$1: $4 ($2 to $3)"
	! is_less "$4" "$2" && ! is_less "$3" "$4"
	result $? "$1"
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
	local kept line said=
	summary_kept "$1"
	while IFS= read -r line; do
		case $line in
		*': 0') ;;
		walk_*': '*) line=${line#walk_} said=${said:+$said,}${line%%: *}" "${line#*: } ;;
		esac
	done <"$kept"
	printf ' %s' "$said"
}
