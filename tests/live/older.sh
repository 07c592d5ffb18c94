#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# older.sh - what kernels may lack, forced off, each by itself and all together: everything works that the table of docs/kernels.md
# promises, and it is said what is done without. Kernels that lack it for real: tests/qemu/live.sh.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

# names USE: of the features of that use, as the source has them.
names() {
	sed -n "s/^\tX(\([a-z_]*\), \"[0-9.]*\", FEATURE_$1,.*/\1/p" "$top_srcdir/src/capture/features.h"
}

# without FILE: what its summary says that was done without.
without() {
	"$SBERF" report -i "$1" --format summary | sed -n 's/^kernel_without: //p'
}

start_workload chain
record plain.data --duration 0.2s -p "$workload"
stop_workload
here=$(without plain.data)
note "this kernel goes without: $here"

# lacking NAMES: samples walked in the kernel, waits, page faults and their totals, without them.
lacking() {
	local file=w.data walked list
	start_workload mixed 60
	SBERF_WITHOUT=$1 record "$file" -F 997 --numa --unwind auto --verify-unwind 2 -p "$workload" --duration 1s
	result $? "without $1: samples, waits and nodes are recorded"
	stop_workload
	"$SBERF" report -i "$file" --format summary >summary
	list=$1
	[ "$1" != all ] || list=$(names SPARED | paste -sd,)
	equal "without $1: that is said" "$list" "$(sed -n 's/^kernel_without: //p' summary | tr , '\n' |
		grep -vxFf <(tr , '\n' <<<"$here" | grep -vxFf <(tr , '\n' <<<"$list")) | paste -sd,)"
	at_least "without $1: samples" 20 "$(sed -n 's/^oncpu_samples: //p' summary)"
	at_least "without $1: waits" 100 "$(sed -n 's/^offcpu_waits: //p' summary)"
	at_least "without $1: percent of waits' stacks that are complete" 90 "$(sed -n 's/^offcpu_complete_percent: //p' summary)"
	walked=$(sed -n 's/^unwound_kernel_percent: //p' summary)
	note "without $1: $walked % walked in the kernel"
	case ,$list, in
	*,walks,*)
		check "without $1: all stacks are copied" awk -v w="$walked" 'BEGIN { exit w + 0 != 0 }'
		equal "without $1: no wait is summed" 0 "$(sed -n 's/^offcpu_summed_waits: //p' summary)"
		;;
	*)
		check "without $1: stacks are walked in the kernel" awk -v w="$walked" 'BEGIN { exit !(w > 0) }'
		at_least "without $1: of them compared" 5 "$(sed -n 's/^verify_checked: //p' summary)"
		equal "without $1: of them different" 0 "$(sed -n 's/^verify_different: //p' summary)"
		;;
	esac
	case ,$list, in
	*,run_stats,*) equal "without $1: the programs' CPU time is not known" unknown "$(sed -n 's/^bpf_cpu_seconds: //p' summary)" ;;
	esac
}
for name in $(names SPARED) "$(names SPARED | grep -vx walks | paste -sd,)" all; do
	lacking "$name"
done

# refused NAMES REGEX OPTIONS...: capturing ends with one sentence.
refused() {
	local list=$1 regex=$2 status
	shift 2
	SBERF_WITHOUT=$list "$SBERF" record -o r.data --duration 0.2s "$@" -- true 2>err
	status=$?
	equal "without $list: the status $*" 1 "$status"
	equal "without $list: one line $*" 1 "$(wc -l <err)"
	matches "without $list: the sentence $*" "$regex" "$(cat err)"
}
for name in $(names NEEDED); do
	refused "$name" 'is too old: BPF programs cannot read user registers in it; 5[.]15 or later is needed'
	refused "$name" 'is too old' --no-off-cpu
done
for name in $(names WAITS); do
	refused "$name" "waits cannot be followed on kernel .*$name, Linux 5[.].*: use --no-off-cpu"
	start_workload chain
	SBERF_WITHOUT=$name record n.data -F 997 --no-off-cpu --unwind auto --duration 0.5s -p "$workload"
	result $? "without $name: samples are recorded when waits are not asked for"
	stop_workload
	at_least "without $name: samples" 20 "$(value n.data oncpu_samples)"
done
refused walks 'does not take the program that walks stacks: leave --unwind kernel out' --unwind kernel
refused prev_state,nonsense "SBERF_WITHOUT names 'nonsense'"
matches "doctor refuses what is no feature" "SBERF_WITHOUT names 'nonsense'" "$(SBERF_WITHOUT=nonsense "$SBERF" doctor 2>&1)"
matches "doctor says what is done without" 'done without *prev_state,exit_code' "$(SBERF_WITHOUT=prev_state,exit_code "$SBERF" doctor)"
check "every name is on the page about kernels" eval 'for name in $(names NEEDED) $(names WAITS) $(names SPARED); do
	grep -q "^| \`$name\` " "$top_srcdir/docs/kernels.md" || { echo "$name is not"; exit 1; }; done'
finish
