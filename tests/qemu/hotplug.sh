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
# Two busy threads, so that the CPU that comes back has work at once.
/bin/shares >/dev/null &
/bin/shares >/dev/null &
cpu1=/sys/devices/system/cpu/cpu1/online

echo "kernel $(uname -r)"
sberf record -a -F 199 -o plain.data --duration 2s
echo "plain status $?"
sberf report -i plain.data --format summary | sed 's/^/plain /'

sberf record -a -C 1 -F 199 -o gap.data --duration 8s &
pid=$!
sleep 2
echo 0 >$cpu1
echo "online while off: $(cat /sys/devices/system/cpu/online)"
sleep 2
echo 1 >$cpu1
wait $pid
echo "gap status $?"
sberf report -i gap.data --format summary | sed 's/^/gap /'
sberf report -i plain.data --format folded | head -3 | sed 's/^/folded /'
JOB

root=$SCRATCH/root
guest_tree "$root" "$SCRATCH/job.sh" || skip_all "the guest cannot be built"
guest_add "$root" "$SBERF" /bin/sberf
guest_add "$root" "$top_builddir/tests/workloads/bin/shares" /bin/shares
guest_run "$kernel" "$root" 150 "$SCRATCH/console" >"$SCRATCH/out"
note "$(cat "$SCRATCH/out")"

figure() {
	sed -n "s/^$1 $2: //p" "$SCRATCH/out"
}
num() {
	awk -v x="$1" -v op="$2" -v y="$3" 'BEGIN { exit !(x != "" && (op == ">=" ? x + 0 >= y + 0 : x + 0 <= y + 0)) }'
}

matches "records on this kernel" "plain status 0" "$(cat "$SCRATCH/out")"
check "samples arrive" num "$(figure plain oncpu_samples)" '>=' 300
check "stacks are complete" num "$(figure plain oncpu_complete_percent)" '>=' 99
matches "the CPU really was off" "online while off: 0" "$(cat "$SCRATCH/out")"
matches "the recording goes on" "gap status 0" "$(cat "$SCRATCH/out")"
# 8 s at 199 Hz on one CPU is 1,592; 2 s of these are the gap, and coming back may take one more second. The emulator drops some on a
# busy machine. A CPU that is not sampled again would leave the 398 of before the gap.
check "the CPU is sampled again within a second" num "$(figure gap oncpu_samples)" '>=' 600
check "the gap is counted" num "$(figure gap lost_cpu_offline)" '>=' 250
check "and only the gap" num "$(figure gap lost_cpu_offline)" '<=' 800
finish
