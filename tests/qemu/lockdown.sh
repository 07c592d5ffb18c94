#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# On Debian's own kernel, locked down to confidentiality: capture works all the same. And at Debian's kernel.perf_event_paranoid
# of 3 the four capabilities are not enough for a plain user: the sysctl is named, and with it they are.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/qemu/guest.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "qemu-system-x86_64 is not installed"
command -v busybox >/dev/null || skip_all "busybox is not installed"
command -v setpriv >/dev/null || skip_all "setpriv is not installed"
[ "$(uname -m)" = x86_64 ] || skip_all "the guest is an x86-64 one"
kernel=$(guest_kernel "${SBERF_GUEST_CACHE:-$top_builddir/guest}") || skip_all "no kernel image can be downloaded"

cat >"$SCRATCH/job.sh" <<'JOB'
mount -t securityfs security /sys/kernel/security
echo "lockdown: $(cat /sys/kernel/security/lockdown)"
chmod 755 / /bin
dump() {
	"$@" /bin/capture-dump -F 199 -- /bin/modes "$mode" 1000
}
for mode in syscall altstack; do
	dump | sed "s/^/$mode /"
done
/bin/capture-dump -o -W -F 99 -- /bin/naps 0 23 25 | sed 's/^/waits /'
cp /bin/naps /tmp/named
/bin/sberf record -e cpu-clock -F 49 -o named.data -n named --wait 2>err &
tries=300
until grep -q waiting err || [ $((tries -= 1)) -eq 0 ]; do
	usleep 100000
done
/tmp/named 0 20 15 >/dev/null
killall -INT sberf
wait
/bin/sberf report -i named.data --format summary | sed -n 's/^offcpu_waits/named waits/p'
caps=-all,+bpf,+perfmon,+sys_ptrace,+syslog
user="/bin/setpriv.real --reuid 65534 --regid 65534 --clear-groups --inh-caps $caps --ambient-caps $caps"
mode=spin
echo "paranoid: $(cat /proc/sys/kernel/perf_event_paranoid)"
dump $user | sed 's/^/paranoid /'
sysctl -w kernel.perf_event_paranoid=2
dump $user | sed 's/^/user /'
$user /bin/capture-dump -o -W -F 99 -- /bin/naps 0 23 25 | sed 's/^/user_waits /'
JOB

root=$SCRATCH/root
guest_tree "$root" "$SCRATCH/job.sh" || skip_all "the guest cannot be built"
guest_add "$root" "$SBERF" /bin/sberf
guest_add "$root" "$top_builddir/tests/live/capture-dump" /bin/capture-dump
guest_add "$root" "$top_builddir/tests/workloads/bin/modes" /bin/modes
guest_add "$root" "$top_builddir/tests/workloads/bin/naps" /bin/naps
guest_add "$root" "$(command -v setpriv)" /bin/setpriv.real
guest_run "$kernel" "$root" 600 "$SCRATCH/console" \
	-append "$GUEST_APPEND lockdown=confidentiality" >"$SCRATCH/out"
out=$(cat "$SCRATCH/out")
note "$out"

# On a busy machine the emulator lets most of a fast timer's ticks pass, so little is asked for.
# figure WHICH NAME: 0 when it was not printed.
figure() {
	local v
	v=$(sed -n "s/^$1 $2: //p" <<<"$out")
	printf '%d' "${v:-0}"
}

matches "the kernel is locked down" 'lockdown: none integrity \[confidentiality\]' "$out"
check "samples arrive" test "$(figure syscall samples)" -ge 10
check "with the kernel's stack" test "$(figure syscall kernel_frames)" -ge 2
check "with registers and stack of the user" test "$(figure syscall sp_inside)" -ge 5
check "with the stack that a signal handler interrupted" test "$(figure altstack interrupted_far)" -ge 3
equal "nothing is lost" 0 "$(figure syscall lost)"
check "waits are told, with stacks and wakers" \
	test "$(figure waits wait_stacks)" -ge 20 -a "$(figure waits wait_kernel)" -ge 20 -a "$(figure waits irq_wakes)" -ge 20
equal "and none is lost" 0 "$(figure waits lost)"
check "processes are followed by a name that they get later" test "$(figure named waits)" -ge 15
matches "Debian's default is named, with the command" \
	'kernel\.perf_event_paranoid is 3 .*sudo sysctl kernel\.perf_event_paranoid=2' "$out"
check "after that, four capabilities are enough" test "$(figure user sp_inside)" -ge 5
check "for waits too" test "$(figure user_waits wait_stacks)" -ge 20 -a "$(figure user_waits irq_wakes)" -ge 20
finish
