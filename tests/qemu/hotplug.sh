#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# On Debian's own kernel, in a guest with two CPUs: sberf loads, samples and ends cleanly; a CPU that goes off and comes back
# is sampled again within a second, and the gap is counted. A node that is plugged in while sberf records is seen, with the memory
# that is on it and the accesses to it.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/qemu/guest.sh"
. "$top_srcdir/tests/passed.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "qemu-system-x86_64 is not installed"
command -v busybox >/dev/null || skip_all "busybox is not installed"
[ "$(uname -m)" = x86_64 ] || skip_all "the guest is an x86-64 one"
skip_unless_changed tests/qemu/hotplug.sh tests/qemu/guest.sh 'src/numa/*.[ch]' 'src/query/numa*.[ch]' src/export/numatext.c bpf/{nodes,faults}.bpf.h \
	src/capture/live_nodes.c src/capture/faultentry.[ch] 'src/engine/numa_facts.[ch]' \
	src/capture/{live_cpus,percpu,perf_record}.c tests/live/capture-dump.c tests/workloads/{shares,modes,nodes}.c tests/workloads/{switches,truth,workload}.h
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

# The programs that walk stacks have been loaded, and an emulated verifier takes ten seconds for them.
export SBERF_WITHOUT=walks
sberf record -a -C 1 -F 199 -o gap.data &
pid=$!
off_and_on sh -c "sberf report -i gap.data --format summary | grep -q \"^oncpu_samples: [1-9]\""
# Until the CPU that came back is watched again.
sleep 3
kill -INT $pid
wait $pid
echo "gap status $?"
sberf report -i gap.data --format summary | sed 's/^/gap /'
sberf report -i plain.data --format folded | sed 's/^/folded /'

capture-dump -C 1 -F 199 -- modes threads 8000 >dump.out &
pid=$!
off_and_on pidof modes | sed 's/^/dump /'
wait $pid
sed 's/^/dump /' dump.out

# Busy threads leave sberf a fraction of one real CPU, and here they are not needed.
killall shares
# Memory of a node that had none. Whoever runs the guest plugs it in when asked to.
echo "nodes before: $(cat /sys/devices/system/node/online)"
sberf record -a --numa -F 99 -o node.data --duration 120s &
pid=$!
await 120 sberf-engine "/proc/$pid/task/*/comm" $pid
echo "plug memory in"
tries=300
until [ "$(cat /sys/devices/system/node/has_memory)" = 0-1 ] || [ $((tries -= 1)) -eq 0 ]; do
	usleep 100000
	for state in $(grep -l offline /sys/devices/system/memory/memory*/state); do
		echo online_movable >$state
	done
done
echo "nodes after: $(cat /sys/devices/system/node/online)"
nodes 6 far_reader:0:1 | sed 's/^/node /'
kill -INT $pid
wait $pid
echo "node status $?"
sberf report -i node.data --format numa | sed 's/^/node /'
JOB

root=$SCRATCH/root
guest_tree "$root" "$SCRATCH/job.sh" || skip_all "the guest cannot be built"
guest_add "$root" "$SBERF" /bin/sberf
guest_add "$root" "$top_builddir/tests/workloads/bin/shares" /bin/shares
guest_add "$root" "$top_builddir/tests/live/capture-dump" /bin/capture-dump
guest_add "$root" "$top_builddir/tests/workloads/bin/modes" /bin/modes
guest_add "$root" "$top_builddir/tests/workloads/bin/nodes" /bin/nodes
mkfifo "$SCRATCH/plug.in" "$SCRATCH/plug.out"
guest_run "$kernel" "$root" 600 "$SCRATCH/console" -m 1024M,slots=1,maxmem=2048M -object memory-backend-ram,id=first,size=1024M \
	-numa node,nodeid=0,cpus=0-1,memdev=first -numa node,nodeid=1 \
	-chardev "pipe,id=plug,path=$SCRATCH/plug" -mon chardev=plug >"$SCRATCH/out" &
guest=$!
until grep -q '^plug memory in' "$SCRATCH/console.out" 2>/dev/null || ! kill -0 $guest 2>/dev/null; do
	sleep 0.2
done
printf '%s\n' 'object_add memory-backend-ram,id=late,size=256M' 'device_add pc-dimm,id=late0,memdev=late,node=1' |
	timeout 10 tee "$SCRATCH/plug.in" >"$SCRATCH/plugged"
wait $guest
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

matches "the node was not there" "nodes before: 0" "$(grep '^nodes before' "$SCRATCH/out")"
matches "a node is plugged in" "nodes after: 0-1" "$(grep '^nodes after' "$SCRATCH/out")"
matches "the recording goes on with it" "node status 0" "$(cat "$SCRATCH/out")"
matches "its memory is known" '^node  *1 .* 2[0-9][0-9] MB ' "$(grep -E '^node +1 ' "$SCRATCH/out" | head -n 1)"
matches "what is on it is far from the CPUs" '^node  *0  .*~[0-9]' "$(sed -n '/accesses from the CPUs/,/^node $/p' "$SCRATCH/out" | grep -E '^node +0 ')"
matches "whose fault that is" '~.* far_reader' "$(sed -n '/functions by what/,/^node $/p' "$SCRATCH/out")"
finish_passed
