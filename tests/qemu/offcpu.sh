#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Time off the CPU on Debian's own kernels, 6.1 and, where apt offers it, 6.12: the programs load, with
# and without the state that sched_switch tells; waits have their length, stack and names; timers are named as wakers; a deadlock
# from before the start shows, with the stacks of both.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/passed.sh"
skip_unless_changed tests/qemu/offcpu.sh tests/qemu/guest.sh 'bpf/*.[ch]' 'src/'{capture,engine,process,system,unwind}'/*.[ch]' \
	tests/workloads/{naps,deadlock,held,locked}.c tests/live/capture-dump.c
. "$top_srcdir/tests/qemu/guest.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "qemu-system-x86_64 is not installed"
command -v busybox >/dev/null || skip_all "busybox is not installed"
[ "$(uname -m)" = x86_64 ] || skip_all "the guest is an x86-64 one"
cache=${SBERF_GUEST_CACHE:-$top_builddir/guest}
# A guest that loses its CPU in the midst of reading a clock, beside other tests, measures that too.
export GUEST_NICE=-10

cat >"$SCRATCH/job.sh" <<'JOB'
# summary NAME: where its time went, what was lost.
summary() {
	sberf report -i $1.data --format summary | grep -E '^(offcpu|oncpu|lost)_' | sed "s/^/$1 /"
}
# waited NAME OPTIONS...: stacks that waited, with microseconds.
waited() {
	name=$1
	shift
	sberf report -i $name.data --format folded --metric off-cpu "$@" | sed "s/^/$name stack /"
}
echo "kernel $(uname -r)"
# The other ways are those of tests/live/verifier.sh, which live.sh runs on the same kernels.
for how in "-t -f" "-c /"; do
	capture-dump $how -o -W -F 99 -- sleep 0.05 >dump.out 2>&1
	echo "load $? $how $(grep ^capture-dump: dump.out)"
done
# Waits are counted here. What the program says goes elsewhere: it would cut the lines of whoever watches it.
for how in told read; do
	capture-dump -o $([ $how = told ] && echo -W || echo -P) -v -F 99 -- sh -c 'exec naps 0 23 40 >said' >dump.out
	echo "$how states: $(grep -cE '^wait [0-9]+ naps: clock_nanosleep, interruptible, ' dump.out)"
	grep -E '^(waits|long_waits|irq_wakes|lost|inferred|[a-z]*_us): ' dump.out | sed "s/^/$how /"
done

sberf record -o naps.data -- naps 0 23 60 >naps.out
echo "naps status $?"
sed 's/^/naps /' naps.out
summary naps
waited naps
waited naps --syscall clock_nanosleep | sed 's/^naps/sleeps/'

# The programs that walk stacks have been loaded, and an emulated verifier takes ten seconds for them.
export SBERF_WITHOUT=walks
mkfifo ready
deadlock >ready &
read word <ready
sberf record -p $! -o deadlock.data --duration 2s
echo "deadlock status $?"
kill -9 $!
summary deadlock
waited deadlock

# held NAME STATE LETTER CALL: microseconds for which the thread NAME was in STATE and in CALL, also by the letter, and its class.
held() {
	for state in $2 $3; do
		sberf report -i held.data --format folded --metric blocked --thread $1 --syscall $4 --state $state |
			awk -v what="held $1 $state" '{ us += $NF } END { print what ": " us + 0 }'
	done
	sberf report -i held.data --format waits --thread $1 | grep -q "^ .* $2\$" && echo "held $1 class: $2"
}
mkdir /sys/fs/cgroup/held v1
mount -t cgroup -o freezer freezer v1 && mkdir v1/held
sberf record -o held.data -- held 1000 $PWD/v1/held /sys/fs/cgroup/held >held.out
echo "held status $?"
sed 's/^/held /' held.out
held stopped stopped T stopped
held traced traced t traced
held frozen frozen F frozen
held frozen2 frozen F frozen

# Limits of a cgroup: a program that computes, and one that fills memory.
echo "+cpu +memory" >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/limited
echo "5000 100000" >/sys/fs/cgroup/limited/cpu.max
sh -c 'echo $$ >/sys/fs/cgroup/limited/cgroup.procs; while :; do :; done' &
spins=$!
mkfifo turns
sh -c 'echo $$ >/sys/fs/cgroup/limited/cgroup.procs; exec locked 1000 kmutex 4' >turns &
read word <turns
sberf record -o quota.data --duration 2s --cgroup /limited --kernel-locks 2>&1 | sed -n "s/^sberf record: pressure/pressed/p"
sberf report -i quota.data --format waits | grep -A1 ' throttled$' | sed 's/^/limit /'
kill $spins
killall locked
sberf report -i quota.data --format locks | grep -A9 ' kernel mutex ' | sed 's/^/locks /'
echo "mixed: $(sberf report -i quota.data --format folded --metric off-cpu | grep -c 'reads_hole;.*nanosleep')"
# Threads that are woken while their group has no time, on one CPU and on two.
for how in alone moves; do
	echo "$([ $how = alone ] && echo 20000 || echo 40000) 100000" >/sys/fs/cgroup/limited/cpu.max
	before=$(sed -n 's/throttled_usec //p' /sys/fs/cgroup/limited/cpu.stat)
	sberf record -o woken.data -- limited /sys/fs/cgroup/limited 2000 $how | sed "s/^/$how /"
	echo "$how cpu.stat: $(($(sed -n 's/throttled_usec //p' /sys/fs/cgroup/limited/cpu.stat) - before))"
	for what in "sleeper --syscall clock_nanosleep" burner0; do
		sberf report -i woken.data --format folded --metric off-cpu --state throttled --thread $what |
			awk -v what="$how ${what%% *}" '{ us += $NF } END { print what ": " us + 0 }'
	done
done
echo max >/sys/fs/cgroup/limited/cpu.max
echo 8M >/sys/fs/cgroup/limited/memory.high
sberf record -o high.data -- sh -c 'echo $$ >/sys/fs/cgroup/limited/cgroup.procs; exec dd if=/dev/zero of=/dev/null bs=24M count=1'
sberf report -i high.data --format waits | grep -A1 ' memory limit$' | sed 's/^/limit /'
JOB

root=$SCRATCH/root
guest_tree "$root" "$SCRATCH/job.sh" || skip_all "the guest cannot be built"
guest_add "$root" "$SBERF" /bin/sberf
guest_add "$root" "$top_builddir/tests/live/capture-dump" /bin/capture-dump
for program in naps deadlock held limited locked; do
	guest_add "$root" "$top_builddir/tests/workloads/bin/$program" "/bin/$program"
done

# figure WHICH NAME: what the guest printed; nothing when it did not.
figure() {
	sed -n "s/^$1 $2: //p" "$SCRATCH/out"
}
# within TITLE LOW HIGH NUMBER
within() {
	note "$1: $4 ($2 to $3)"
	result "$(awk -v x="$4" -v l="$2" -v h="$3" 'BEGIN { print (x != "" && x + 0 >= l + 0 && x + 0 <= h + 0) ? 0 : 1 }')" "$1"
}
# lines REGEX
lines() {
	grep -cE "$1" "$SCRATCH/out"
}
# stack NAME REGEX: microseconds on stacks that match.
stack() {
	awk -v name="$1" -v regex="$2" '$1 == name && $2 == "stack" && $0 ~ regex { us += $NF } END { print us + 0 }' "$SCRATCH/out"
}
# lost NAME: events lost in a recording, of all kinds; nothing without a summary.
lost() {
	awk -v name="$1" '$1 == name && $2 ~ /^lost_/ { n++; lost += $3 } END { if (n) print lost }' "$SCRATCH/out"
}

# held_truth NAME KEY: how long the thread NAME was held, in us.
held_truth() {
	sed -n "s/^held truth: $1 .*$2 \([0-9]*\)[0-9][0-9][0-9] .*/\1/p" "$SCRATCH/out"
}
# is_held NAME STATE LETTER: the thread NAME was in STATE, by name, letter and class, for as long as it was held; of the freezers of both
# versions of cgroups, "frozen2" is in one of version 2.
is_held() {
	within "$v: $1 is $2 (us)" "$(held_truth "$1" least)" "$(held_truth "$1" most)" "$(figure "held $1" "$2")"
	equal "$v: $1: state $3" "$(figure "held $1" "$2")" "$(figure "held $1" "$3")"
	equal "$v: $1: class" "$2" "$(figure "held $1" class)"
}

# on_kernel IMAGE: boots it and looks at what came.
on_kernel() {
	local image=$1 v truth late
	guest_run "$image" "$root" 600 "$SCRATCH/console" >"$SCRATCH/out"
	note "$(grep -vE '^(told|read) ([a-z_]*: 0|wait)' "$SCRATCH/out")"
	v=$(sed -n 's/^kernel \([0-9]*\.[0-9]*\).*/\1/p' "$SCRATCH/out")
	v=${v:-no kernel}

	equal "$v: the programs load for threads by frame pointers, and copying for a cgroup" 2 "$(lines '^load 0 ')"
	within "$v: every sleep is told" 40 1000 "$(figure told long_waits)"
	within "$v: in its state and system call" 40 1000 "$(figure told states)"
	within "$v: ended by an interrupt" 40 1000 "$(figure told irq_wakes)"
	within "$v: the same where the state has to be read" 36 1000 \
		"$(figure read states)"
	equal "$v: nothing is lost" "0 0" "$(figure told lost) $(figure read lost)"

	matches "$v: records" "naps status 0" "$(cat "$SCRATCH/out")"
	# Off the CPU: what of it is blocked the program knows less well than that (truth.h). A guest that gets little of a CPU
	# also loses it while it reads its clocks, which is within what it measures, but for the opening of its counter.
	truth=$(sed -n 's/^naps truth: nap off \([0-9]*\) .*/\1/p' "$SCRATCH/out")
	truth=$((${truth:-0} / 1000))
	within "$v: what is told is as long as it was (us)" $((truth * 97 / 100)) $((truth * 103 / 100)) \
		"$(($(stack naps 'naps;.*main;(nap|truth_begin|truth_end)') - $(stack naps 'naps;.*main;truth_begin.*perf_event_open')))"
	within "$v: there is a truth (us)" $((60 * 23000)) 600000000 "$truth"
	# Others need not be: the loader's, on a page of the stack that is only coming; those of code without unwind information.
	equal "$v: stacks of sleeps are complete (us of those that are cut)" 0 "$(stack sleeps 'cut:')"
	equal "$v: nothing is lost in a recording" 0 "$(lost naps)"

	matches "$v: a deadlock is recorded" "deadlock status 0" "$(cat "$SCRATCH/out")"
	within "$v: the first thread waits for the second" 1900000 60000000 \
		"$(stack deadlock 'first;.*first_worker;lock_a_then_b;.*pthread_mutex_lock')"
	within "$v: the second waits for the first" 1900000 60000000 \
		"$(stack deadlock 'second;.*second_worker;lock_b_then_a;.*pthread_mutex_lock')"
	equal "$v: all of them still wait" 3 "$(figure deadlock offcpu_open_waits)"
	equal "$v: nothing is lost of it" 0 "$(lost deadlock)"

	matches "$v: threads that are held are recorded" "held status 0" "$(cat "$SCRATCH/out")"
	is_held stopped stopped T
	is_held traced traced t
	is_held frozen frozen F
	is_held frozen2 frozen F
	equal "$v: waits for limits of a cgroup, by its name" "throttled
cpu.max of /limited
memory limit
memory.high of /limited" "$(sed -n 's/^limit .*[^ ]  \+\(.*\)/\1/p' "$SCRATCH/out")"
	matches "$v: a lock of the kernel, by who takes it" ' kernel mutex of _*fdget_pos, 0xffff[0-9a-f]+: reads_hole ' "$(grep '^locks' "$SCRATCH/out")"
	equal "$v: no wait has the kernel's stack of another one" 0 "$(sed -n 's/^mixed: //p' "$SCRATCH/out")"
	check "$v: and who held it" test "$(lines '^locks .* held by turns [0-9]+')" -ge 3
	matches "$v: pressure of the cgroup" \
		'^pressed of /limited: CPU ([5-9][0-9][.][0-9]|100[.]0) %, memory [<0-9.]+ %, I/O [<0-9.]+ % of the time$' \
		"$(grep '^pressed' "$SCRATCH/out")"
	# What the sleeper came late includes turns of the burner behind the quota, and what the end of the program takes.
	late=$(sed -n 's/^alone truth: late \([0-9]*\)[0-9][0-9][0-9] .*/\1/p' "$SCRATCH/out")
	within "$v: a thread that is woken while its group is throttled waits for that (us)" $((late * 70 / 100)) $((late * 105 / 100)) \
		"$(figure alone sleeper)"
	truth=$(figure alone cpu.stat)
	within "$v: one that is preempted for it, as cpu.stat says (us)" $((truth * 70 / 100)) $((truth * 105 / 100)) "$(figure alone burner0)"
	late=$(sed -n 's/^moves truth: late \([0-9]*\)[0-9][0-9][0-9] .*/\1/p' "$SCRATCH/out")
	within "$v: so does one that is woken to another CPU than it left (us)" $((late * 40 / 100)) $((late * 105 / 100)) \
		"$(figure moves sleeper)"
	check "$v: most of the time, with 5 percent of a CPU (ms)" \
		test "$(awk '/^limit .* throttled$/ { print int($3 == "s" ? 1000 * $2 : $2) }' "$SCRATCH/out")" -ge 1300
}

image=$(guest_kernel "$cache") || skip_all "no kernel image can be downloaded"
on_kernel "$image"
newer=$(guest_package linux-image-6.12-amd64)
if [ -n "$newer" ] && image=$(guest_kernel "$cache" "$newer"); then
	on_kernel "$image"
else
	skip "no kernel image can be downloaded" "6.12: waits on a newer kernel"
fi
finish_passed
