#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# record --split in a guest (tests/qemu/live.sh, on request): with each value of kernel.unprivileged_bpf_disabled and kernel.yama.ptrace_scope,
# by sudo, and by the capabilities of sberf-collector; and probes of each kind, as this kernel attaches them.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
cd "$SCRATCH" || exit 99
chmod 755 "$SCRATCH" /tmp
mkdir -m 777 out
start_workload shares
nobody=65534
note "memory that a user's perf events may lock: $(cat /proc/sys/kernel/perf_event_mlock_kb) KB for each CPU"

# try NAME COMMAND...: it records, names are there, the recording is the user's.
try() {
	local name=$1 begin
	shift
	begin=$(date +%s%N)
	"$@" record --split -e cpu-clock -F 99 --unwind copy -o "out/$name.data" -p "$workload" --duration 1s 2>err
	equal "$name: status" 0 $?
	note "$name took $((($(date +%s%N) - begin) / 1000000)) ms: $(cat err)"
	"$SBERF" report -i "out/$name.data" --format folded >folded
	check "$name: functions have names" grep -q 'main;share;burn' folded
	equal "$name: it is the user's" $nobody "$(stat -c %u "out/$name.data")"
}
by_sudo() {
	SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" "$@"
}
by_group() {
	setpriv --reuid $nobody --regid $nobody --clear-groups "$SBERF" "$@"
}
# 1 stays until the next boot.
for bpf in 2 0 1; do
	echo $bpf >/proc/sys/kernel/unprivileged_bpf_disabled
	try "bpf-$bpf" by_sudo
done
# The same of 3.
for yama in 0 1 2 3; do
	if [ -e /proc/sys/kernel/yama/ptrace_scope ]; then
		echo $yama >/proc/sys/kernel/yama/ptrace_scope
		try "yama-$yama" by_sudo
	fi
done

# probed NAME PROBE: there are hits of it.
probed() {
	SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --split -e cpu-clock -F 99 --unwind copy --budget none -o out/probed.data -p "$workload" \
		--duration 2s --probe "$2" 2>err
	equal "$1: status" 0 $?
	note "$(cat err)"
	at_least "$1: hits" 1 "$("$SBERF" report -i out/probed.data --metric "$2" --format folded | awk '{ n += $NF } END { print n + 0 }')"
}
case $(uname -r) in
6.1.*)
	SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --split -o out/none.data -p "$workload" --duration 100ms --probe uprobe:shares:burn_30 2>err
	equal "a function: status 1" 1 $?
	matches "and it says what to do" "lets nobody probe programs who has not cap_sys_admin, .*: use --no-split" "$(cat err)"
	;;
*)
	probed "a function" uprobe:shares:burn_30
	probed "calls of a function" call:shares:burn_30
	probed "returns of a function" uretprobe:shares:burn_30
	;;
esac
probed "a function of the kernel" kprobe:update_process_times
probed "a tracepoint" tracepoint:sched:sched_switch
setcap cap_bpf,cap_perfmon,cap_dac_read_search,cap_sys_ptrace,cap_syslog,cap_checkpoint_restore=ep "${SBERF%/*}/sberf-collector"
try group by_group
stop_workload
finish
