#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A machine with two nodes whose kernel balances memory by itself, as kernels do unless told otherwise. Its faults, by which it
# sees who uses pages that were there before, are no first touches. Where threads are at home is what the kernel says in
# /proc/PID/task/TID/sched: read while the program is stopped, as that changes by faults alone. And a program that may only have
# memory of one node, by its cpuset: on which nodes and CPUs it may be, and where it is. Debian's kernels 6.1 and, where apt
# offers it, 6.12.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/qemu/guest.sh"
. "$top_srcdir/tests/passed.sh"
. "$top_srcdir/tests/qemu/numa_lines.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "qemu-system-x86_64 is not installed"
command -v busybox >/dev/null || skip_all "busybox is not installed"
[ "$(uname -m)" = x86_64 ] || skip_all "the guest is an x86-64 one"
skip_unless_changed tests/qemu/numa_auto.sh tests/qemu/guest.sh 'src/numa/*.[ch]' 'src/query/numa*.[ch]' src/export/numatext.c bpf/{nodes,faults}.bpf.h \
	src/capture/live_nodes.c src/capture/faultentry.[ch] 'src/engine/numa_facts.[ch]' \
	tests/qemu/numa_lines.sh tests/workloads/{arrays,toucher}.c tests/workloads/{switches,truth,workload}.h
cache=${SBERF_GUEST_CACHE:-$top_builddir/guest}
kernel=$(guest_kernel "$cache") || skip_all "no kernel image can be downloaded"

cat >"$SCRATCH/job.sh" <<'JOB'
echo "kernel $(uname -r)"
# Verifying the programs that walk stacks takes an emulated machine long, each time.
export SBERF_WITHOUT=walks
# A page of 2 MB is one fault.
echo never >/sys/kernel/mm/transparent_hugepage/enabled
# Balancing begins when the capture has.
echo 0 >/proc/sys/kernel/numa_balancing
# attach NAME PID [OPTION]...
attach() {
	name=$1 target=$2
	shift 2
	/bin/sberf record -e cpu-clock -F 99 --no-off-cpu -o /tmp/$name.data -p $target "$@" >/tmp/$name.rec 2>&1 &
	rec=$!
	await 120 sberf-engine "/proc/$rec/task/*/comm" $rec
}
# reports NAME
reports() {
	sed "s/^/$1 said: /" /tmp/$1.rec
	/bin/sberf report -i /tmp/$1.data --format summary | sed "s/^/$1 summary: /"
	/bin/sberf report -i /tmp/$1.data --format numa | sed "s/^/$1 numa: /"
}
# preferred PID: of each thread, its number and the node that the kernel prefers.
preferred() {
	for task in /proc/$1/task/*; do
		echo "${task##*/} $(sed -n 's/^numa_preferred_nid.*: *//p' $task/sched)"
	done
}
# hints: faults of balancing on the machine.
hints() {
	sed -n 's/^numa_hint_faults //p' /proc/vmstat
}

# Memory that is on node 0 is used on node 1.
taskset 1 /bin/arrays 0 >/tmp/ready &
pid=$!
await 60 '^array fill' /tmp/ready $pid
taskset -p 8 $pid >/dev/null
# Standing still it leaves sberf the CPU for its start.
kill -STOP $pid
attach auto $pid
kill -CONT $pid
before=$(hints)
echo 1 >/proc/sys/kernel/numa_balancing
tries=600
until [ $(($(hints) - before)) -ge 10000 ] && ! preferred $pid | grep -qE ' (-1)?$' || [ $((tries -= 1)) -eq 0 ]; do
	usleep 100000
done
kill -STOP $pid
await 60 '^State:.T' "/proc/$pid/task/*/status" $pid
echo "auto hints $(($(hints) - before))"
preferred $pid | sed 's/^/auto prefers: /'
kill -INT $rec
wait $rec
echo "auto status $?"
preferred $pid | sed 's/^/auto still prefers: /'
kill -KILL $pid
reports auto

# New memory is touched first while the kernel balances.
/bin/sberf record -e cpu-clock -F 99 --no-off-cpu -o /tmp/fresh.data -- /bin/toucher 100 3000 >/tmp/fresh.rec 2>&1
reports fresh

echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/narrow
echo 1 >/sys/fs/cgroup/narrow/cpuset.mems
echo 2-3 >/sys/fs/cgroup/narrow/cpuset.cpus
cat >/tmp/narrow.sh <<'SH'
echo $$ >/sys/fs/cgroup/narrow/cgroup.procs
exec /bin/toucher 64 1000000
SH
/bin/busybox sh /tmp/narrow.sh >/tmp/ready &
pid=$!
await 60 '^truth' /tmp/ready $pid
attach narrow $pid --duration 3s
wait $rec
kill -KILL $pid
reports narrow
JOB
root=$SCRATCH/root
guest_tree "$root" "$SCRATCH/job.sh" || skip_all "the guest cannot be built"
guest_add "$root" "$SBERF" /bin/sberf
guest_add "$root" "$top_builddir/tests/workloads/bin/arrays" /bin/arrays
guest_add "$root" "$top_builddir/tests/workloads/bin/toucher" /bin/toucher
mapfile -t machine < <(guest_nodes "0-1:512 2-3:512" "0-1:21")

# on_kernel IMAGE
on_kernel() {
	local v hints told first
	guest_run "$1" "$root" 300 "$SCRATCH/console" "${machine[@]}" >"$SCRATCH/out"
	v=$(sed -n 's/^kernel \([0-9]*\.[0-9]*\).*/\1/p' "$SCRATCH/out")
	v=${v:-no kernel}
	note "$(grep -E ' said: |prefers|numa: |hints|status|fault|^kernel' "$SCRATCH/out")"
	equal "$v: it ends well" 0 "$(sed -n 's/^auto status //p' "$SCRATCH/out")"
	hints=$(sed -n 's/^auto hints //p' "$SCRATCH/out")
	told=$(value auto numa_balancing_faults) first=$(value auto numa_faults)
	between "$v: the kernel looked at who uses memory" 10000 1e9 "$hints"
	# Where the kernel lets but few events be sampled it misses some in a storm; and each may have another one follow from it.
	between "$v: its faults are counted" 170 "$((2 * hints + hints / 4))" "$told"
	between "$v: and are no first touches" 0 "$((told / 20))" "${first/unknown/0}"
	matches "$v: the report says so" "automatic balancing: ~[0-9,]+ page faults, which are no first touches" "$(lines auto numa)"
	equal "$v: a thread is at home where the kernel says" "$(sed -n 's/^auto prefers: [0-9]* //p' "$SCRATCH/out")" \
		"$(cells auto arrays home)"
	equal "$v: and has been while that was read" "$(sed -n 's/^auto prefers: //p' "$SCRATCH/out")" \
		"$(sed -n 's/^auto still prefers: //p' "$SCRATCH/out")"
	between "$v: what is touched first while it balances is told" 170 40000 "$(value fresh numa_faults)"
	matches "$v: and by whom" 'first_touch › main' "$(lines fresh numa | sed -n '/^first touches/,/^$/p')"
	matches "$v: migrations are not known where waits are not followed" '^migrations: not known' \
		"$(lines fresh numa | grep '^migrations: ')"
	matches "$v: a cpuset's nodes and CPUs" 'policy default; memory of nodes 1, CPUs 2-3' "$(lines narrow numa)"
	between "$v: what is there, of 64 MB" 57 80 "$(resident narrow anon 1)"
	equal "$v: and nothing of it elsewhere" 0 "$(resident narrow anon 0)"
}

on_kernel "$kernel"
newer=$(guest_package linux-image-6.12-amd64)
if [ -n "$newer" ] && image=$(guest_kernel "$cache" "$newer"); then
	on_kernel "$image"
else
	skip "no kernel image can be downloaded" "6.12: balancing on a newer kernel"
fi
finish_passed
