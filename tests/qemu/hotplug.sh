#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# On Debian's own kernel, in a guest with two CPUs: sberf loads, samples and ends cleanly; a CPU that goes off and comes back
# is sampled again within a second, and the gap is counted.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/qemu/guest.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "qemu-system-x86_64 is not installed"
command -v busybox >/dev/null || skip_all "busybox is not installed"
[ "$(uname -m)" = x86_64 ] || skip_all "the guest is an x86-64 one"
kernel=$(guest_kernel "${SBERF_GUEST_CACHE:-$top_builddir/guest}") || skip_all "no kernel image can be downloaded"

cat >"$SCRATCH/job.sh" <<'JOB'
now_ms() {
	awk '{ print int($1 * 1000) }' /proc/uptime
}
# off_and_on COMMAND...: two seconds after COMMAND says that the capture has begun, the CPU goes off for two.
off_and_on() {
	local tries=60
	until "$@" >/dev/null 2>&1 || [ $((tries -= 1)) -eq 0 ]; do
		sleep 1
	done
	sleep 2
	off=$(now_ms)
	echo 0 >$cpu1
	echo "online while off: $(cat /sys/devices/system/cpu/online)"
	sleep 2
	echo 1 >$cpu1
	echo "off_ms: $(($(now_ms) - off))"
}

# Two busy threads, so that the CPU that comes back has work at once; and sberf comes first, where there is one CPU.
for i in 1 2; do
	/bin/shares >/dev/null &
	renice -n 19 -p $! >/dev/null
done
cpu1=/sys/devices/system/cpu/cpu1/online

echo "kernel $(uname -r)"
sberf record -a -F 199 -o plain.data --duration 2s
echo "plain status $?"
sberf report -i plain.data --format summary | sed 's/^/plain /'

sberf record -a -C 1 -F 199 -o gap.data --duration 20s &
pid=$!
off_and_on sh -c "sberf report -i gap.data --format summary | grep -q \"^oncpu_samples: [1-9]\""
wait $pid
echo "gap status $?"
sberf report -i gap.data --format summary | sed 's/^/gap /'
sberf report -i plain.data --format folded | sed 's/^/folded /'

capture-dump -C 1 -F 199 -- modes threads 8000 >dump.out &
pid=$!
off_and_on pidof modes | sed 's/^/dump /'
wait $pid
sed 's/^/dump /' dump.out
JOB

root=$SCRATCH/root
guest_tree "$root" "$SCRATCH/job.sh" || skip_all "the guest cannot be built"
guest_add "$root" "$SBERF" /bin/sberf
guest_add "$root" "$top_builddir/tests/workloads/bin/shares" /bin/shares
guest_add "$root" "$top_builddir/tests/live/capture-dump" /bin/capture-dump
guest_add "$root" "$top_builddir/tests/workloads/bin/modes" /bin/modes
guest_run "$kernel" "$root" 600 "$SCRATCH/console" >"$SCRATCH/out"
note "$(cat "$SCRATCH/out")"

figure() {
	sed -n "s/^$1 $2: //p" "$SCRATCH/out"
}
num() {
	awk -v x="$1" -v op="$2" -v y="$3" 'BEGIN { exit !(x != "" && (op == ">=" ? x + 0 >= y + 0 : x + 0 <= y + 0)) }'
}

matches "records on this kernel" "plain status 0" "$(cat "$SCRATCH/out")"
# On a busy machine the emulator lets most of a fast timer's ticks pass: counts here say that there are samples, not how many.
check "samples arrive" num "$(figure plain oncpu_samples)" '>=' 20
# Everything is sampled, also programs without unwind information; shares has it, and was there before.
matches "stacks have names" "folded shares;_start;.*;main;share;burn_" "$(cat "$SCRATCH/out")"
equal "stacks are complete" "" "$(grep '^folded shares;\[cut' "$SCRATCH/out")"
matches "the CPU really was off" "online while off: 0" "$(cat "$SCRATCH/out")"
matches "the recording goes on" "gap status 0" "$(cat "$SCRATCH/out")"
# 2 s at 199 Hz are 398, and coming back may take one more second.
off=$(sed -n 's/^off_ms: //p' "$SCRATCH/out")
check "the gap is counted" num "$(figure gap lost_cpu_offline)" '>=' $((off * 199 / 1000 * 8 / 10))
check "and only the gap" num "$(figure gap lost_cpu_offline)" '<=' $(((off + 1500) * 199 / 1000))
check "the CPU is sampled again" num "$(figure dump after_gap)" '>=' 10
check "within a second" num "$(figure dump longest_gap_ms)" '<=' $(($(figure dump off_ms) + 1000))
check "after it was off" num "$(figure dump longest_gap_ms)" '>=' 1500
finish
