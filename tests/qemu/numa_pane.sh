#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The view by node of `sberf top` on real kernels. Two nodes: a program whose memory came to be on node 0 runs on node 1. The guest draws
# into a terminal of its own (ptyrun.c); tmux shows here what it drew. Then the same with automatic NUMA balancing, which makes pages
# of stacks unreadable to the kernel half: stacks are complete all the same. Four nodes, one without memory and one without CPUs: threads
# that read near and far.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/qemu/guest.sh"
. "$top_srcdir/tests/passed.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "qemu-system-x86_64 is not installed"
command -v busybox >/dev/null || skip_all "busybox is not installed"
command -v tmux >/dev/null || skip_all "tmux is not installed"
[ "$(uname -m)" = x86_64 ] || skip_all "the guest is an x86-64 one"
skip_unless_changed tests/qemu/numa_pane.sh tests/qemu/guest.sh 'src/numa/*.[ch]' 'src/query/numa*.[ch]' src/export/numatext.c bpf/{nodes,faults}.bpf.h \
	src/capture/live_nodes.c src/capture/faultentry.[ch] 'src/engine/numa_facts.[ch]' \
	'ui/panes/numa*.[ch]' tests/qemu/ptyrun.c tests/workloads/{arrays,nodes}.c tests/workloads/{switches,truth,workload}.h
kernel=$(guest_kernel "${SBERF_GUEST_CACHE:-$top_builddir/guest}") || skip_all "no kernel image can be downloaded"
terminfo=$(find /lib/terminfo /usr/share/terminfo -path '*/l/linux' 2>/dev/null | head -n 1)
[ -n "$terminfo" ] || skip_all "there is no terminfo of linux"

cat >"$SCRATCH/head.sh" <<'JOB'
export TERM=linux
# What was open is not what the next one opens.
export XDG_CONFIG_HOME=/dev/null
# Verifying the programs that walk stacks takes an emulated machine long, each time.
export SBERF_WITHOUT=walks
mkdir -p /dev/pts && mount -t devpts pts /dev/pts
echo 0 >/proc/sys/kernel/numa_balancing
# What is drawn already is not sent again but when the screen is drawn anew.
anew=$(printf '\014')
enter=$(printf '\015')
alone=m$anew
# screen NAME COLUMNS LINES [TEXT KEYS]...: what was on the screen before q, packed into lines.
screen() {
	name=$1 columns=$2 lines=$3
	shift 3
	# Standing still until it is watched, the program leaves sberf the CPU for its start.
	kill -STOP $pid
	(await 60 sberf-engine "/proc/[0-9]*/task/*/comm"; kill -CONT $pid) &
	/bin/ptyrun $columns $lines /tmp/screen 90 "$@" -- /bin/sberf top -e cpu-clock -F $rate -p $pid
	echo "status $name $?"
	gzip -c /tmp/screen | base64 | sed "s/^/$name:/"
}
JOB
cat "$SCRATCH/head.sh" - >"$SCRATCH/two.sh" <<'JOB'
rate=199
taskset 1 /bin/arrays 300 >/tmp/ready &
pid=$!
await 60 '^array fill' /tmp/ready $pid
taskset -p 8 $pid >/dev/null
screen wide 120 40 running 3 'addressed samples' "$alone" 'addressed samples' "$anew" 'off home' q
screen small 80 24 running 3 'numa' "$alone" 'functions by far' "$anew" 'way_' q
screen filtered 100 30 running 3 'numa' "$alone" 'functions by far' "$anew" 'way_' j 'node 0' j 'node 1' "$enter" 'only' 3 'running' q
echo 1 >/proc/sys/kernel/numa_balancing
# Long enough for the kernel to have looked at all of its memory: kernel's numa_balancing/scan_delay_ms is a second.
/bin/sberf record -e cpu-clock -F 199 --duration 5s -p $pid -o /tmp/x.data
/bin/sberf report -i /tmp/x.data --format summary | grep -v ': 0$' | sed 's/^/balanced /'
kill $pid
JOB
cat "$SCRATCH/head.sh" - >"$SCRATCH/four.sh" <<'JOB'
# Three threads that are busy all the time leave little of an emulated machine.
rate=49
/bin/nodes 0 near_reader:0:0 far_reader:1:0 touched_reader:2:3 >/tmp/ready &
pid=$!
await 60 ready /tmp/ready $pid
screen four 120 40 running 3 'numa' "$alone" 'addressed samples' "$anew" 'touched_reader' q
screen four_small 80 24 running 3 'numa' "$alone" 'far ~' "$anew" 'node 3' q
kill $pid
JOB

# boot SCRIPT [OPTIONS...]: what the guest printed goes to $SCRATCH/out.
boot() {
	local script=$1 root=$SCRATCH/root.$1 program
	shift
	guest_tree "$root" "$SCRATCH/$script.sh" || skip_all "the guest cannot be built"
	guest_add "$root" "$SBERF" /bin/sberf
	guest_add "$root" "$top_builddir/tests/qemu/ptyrun" /bin/ptyrun
	for program in arrays nodes; do
		guest_add "$root" "$top_builddir/tests/workloads/bin/$program" "/bin/$program"
	done
	guest_add "$root" "$terminfo" /lib/terminfo/l/linux
	guest_run "$kernel" "$root" 240 "$SCRATCH/console.$script" "$@" >"$SCRATCH/out"
	note "$(grep -v '^[a-z_]*:' "$SCRATCH/out")"
}

# show NAME COLUMNS LINES: what the terminal of that name looked like goes to $screen.
show() {
	sed -n "s/^$1://p" "$SCRATCH/out" | base64 -d 2>/dev/null | gunzip >"$SCRATCH/$1.bytes" 2>/dev/null
	tmux -L "numa$$" -f /dev/null new-session -d -x "$2" -y "$3" "cat '$SCRATCH/$1.bytes'; touch '$SCRATCH/$1.shown'; exec sleep 60"
	wait_until 20 test -e "$SCRATCH/$1.shown"
	screen=$(tmux -L "numa$$" capture-pane -p)
	tmux -L "numa$$" kill-server
	note "$screen"
}

mapfile -t machine < <(guest_nodes "0-1:1024 2-3:512" "0-1:21")
boot two "${machine[@]}"
show wide 120 40
matches "wide: it ends well" 'status wide 0' "$(cat "$SCRATCH/out")"
matches "two nodes and their distances" '2 nodes, distances 10/21' "$screen"
matches "nearly everything is far" 'far accesses ~(9[0-9]|100)' "$screen"
matches "both nodes have a line" 'node 0 .*CPUs 0-1' "$screen"
matches "the program runs on the second" 'node 1 .*CPUs 2-3.* 100\.0 %' "$screen"
matches "functions are ranked by far time" 'functions by far time' "$screen"
matches "the ways to wait for memory are among them" '[+] way_[a-z]+ +[# ]*~[0-9.]+ % +~100' "$screen"
matches "the thread is at home on node 1" 'arrays [0-9]+ +100\.0 % +~?1 +1' "$screen"
show small 80 24
matches "small: it ends well" 'status small 0' "$(cat "$SCRATCH/out")"
matches "small: the share is in the title" 'far ~(9[0-9]|100)' "$screen"
show filtered 100 30
matches "filtered by a node: it ends well" 'status filtered 0' "$(cat "$SCRATCH/out")"
matches "filtered by a node: all panes say so" 'filter: node:[01]' "$screen"
balanced=$(sed -n 's/^balanced oncpu_complete_percent: //p' "$SCRATCH/out")
note "with automatic balancing: $balanced % of the stacks are complete"
check "stacks are complete where the kernel takes pages away" test "${balanced%%.*}" -ge 99

mapfile -t machine < <(guest_nodes "0-1:512 2:384 3: :256" "0-1:21 0-2:31 1-2:21 0-3:31")
boot four "${machine[@]}"
show four 120 40
matches "four nodes: it ends well" 'status four 0' "$(cat "$SCRATCH/out")"
matches "four nodes and their distances" '4 nodes, distances 10/20/21/31' "$screen"
matches "the middle one runs threads that read elsewhere" 'node 1 .* ~[0-9.]+ 21 +- 10 +- 21 +- 20' "$screen"
matches "one has no memory" 'node 2 - CPU 3 .* none .* ~[0-9.]+ 20' "$screen"
matches "one has no CPU" 'node 3 .*no CPU .* MB' "$screen"
matches "a thread of the one without memory reads far" 'touched_reader [0-9]+ .*~2 +2 .*~(9[0-9]|100)' "$screen"
show four_small 80 24
matches "four nodes, small: it ends well" 'status four_small 0' "$(cat "$SCRATCH/out")"
matches "four nodes, small: each has a line" 'node 0 .*node 1 - CPU 2.*node 2 - CPU 3.*node 3 +no CPU' "$(tr '\n' ' ' <<<"$screen")"
# The matrix is below the nodes where there is no room beside them, and closed where there is none there.
matches "four nodes, small: the matrix, or where it is" 'accesses from +4|node 3 .* - 31 +- 20 +- 20 +- 10' "$screen"
finish_passed
