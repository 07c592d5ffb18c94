#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Live tests as they are, on a machine with two nodes and Debian's own kernels, 6.1 and, where apt offers it, 6.12. The subset, and
# what each stands for:
#
#	capture_nodes	loads: the programs of all kinds, faults and nodes among them, with what they tell, and the end of the target
#	growth		what makes memory grow: counters with and without parts for each CPU
#	branches_bpf	BPF programs whose calls are followed: drops for three reasons, by line
#	branches_kernel	branches of functions of the kernel: a system call that is refused in three ways
#	probe_kernel	kprobes: functions of the kernel, counted and traced; and, on 6.1, 64 probes that have a link each, of a view
#	unwind_kernel	walks in the kernel: functions, signals, stubs, and what changes under them
#	verifier	what the verifier makes of all programs, beside what it made of them before
#	permissions	attaches and samples: a process that runs, as root and as a user with four capabilities; says what is missing,
#			and ends with the status it should have
#
# What asks nothing of the one kernel that it does not ask of the other runs on one of them, or half of it on each: each start of a capture
# that walks takes an emulated CPU ten seconds, most of them in the verifier. Scripts ask on_share (tests/live/live.sh).
#
# SBERF_GUEST_SCRIPTS names others in their place, all of which run on both kernels. "split_guest" is --split with each value of the
# settings that are about BPF and about looking at others. "unwind_change unwind_depth" are more of what
# unwind_kernel is about; "record capture_waits" are about more ways to end and about waits, and take minutes each where the machine
# does other things as well; waits on both kernels are also what offcpu.sh is about.
#
# capture_nodes, growth and permissions are those of live_seldom.sh, which runs when what captures has changed, branches_bpf and
# branches_kernel those of live_branches.sh.
#
# Each result of a script in the guest is one here, with the kernel's version and the script's name before it. What a script skips
# there counts as failed: the guest has everything that they need. Both guests run at once, since each is emulated by one thread.
# Also a part of these two, which have done so, and name their SCRIPTS.
[ -n "${part:-}" ] || . "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/qemu/guest.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "qemu-system-x86_64 is not installed"
command -v busybox >/dev/null || skip_all "busybox is not installed"
command -v setpriv >/dev/null || skip_all "setpriv is not installed"
[ "$(uname -m)" = x86_64 ] || skip_all "the guest is an x86-64 one"
cache=${SBERF_GUEST_CACHE:-$top_builddir/guest}
scripts=${SBERF_GUEST_SCRIPTS:-${part_scripts:-probe_kernel unwind_kernel verifier}}
# In a second run (tests/again.sh) what failed in the first, on each kernel.
before=$top_builddir/tests/qemu/live${part:+_$part}.first.log
if [ -z "${SBERF_GUEST_SCRIPTS:-}" ] && [ -e "$before" ]; then
	failed=$(sed -n 's/^not ok [0-9]* - [0-9.]*: \([a-z_]*\): .*/\1/p' "$before" | sort -u | tr '\n' ' ')
	scripts=${failed:-$scripts}
fi
workloads='asked chain dlopen_cycle grows layer_a.so layer_b.so modes mixed naps never pingpong plt plugin_a.so plugin_b.so realign recurse refused shares signals jit
	swaps toucher'
# What busybox has under these names does less.
tools='awk bash cat chmod cmp cp cut date env grep head id kill ln ls mkdir mkfifo mktemp mount mv pgrep rm rmdir sed setcap setpriv sh sleep
	sort stat tail taskset timeout touch tr umount uniq unshare wc xargs'

terminfo=$(find /lib/terminfo /usr/share/terminfo -path '*/l/linux' 2>/dev/null | head -n 1)
[ -n "$terminfo" ] || skip_all "there is no description of the terminal 'linux'"
image=$(guest_kernel "$cache") || skip_all "no kernel image can be downloaded"
newer=$(guest_package linux-image-6.12-amd64)
[ -z "$newer" ] || newer=$(guest_kernel "$cache" "$newer") || newer=
first=all second=all
[ -z "$newer" ] || [ -n "${SBERF_GUEST_SCRIPTS:-}" ] || first=first second=second

cat >"$SCRATCH/job.sh" <<JOB
ln -s /proc/self/fd /dev/fd
ip link set lo up
# ptyrun asks for terminals.
mkdir -p /dev/pts && mount -t devpts pts /dev/pts
chmod 755 / /bin /usr /usr/bin
export PATH=/usr/bin:/bin LC_ALL=C top_srcdir=/sberf top_builddir=/sberf SBERF=/bin/sberf CC=false SBERF_EMULATED=1
echo "kernel \$(uname -r)"
case \$(uname -r) in
6.1.*) SBERF_SHARE=$first ;;
*) SBERF_SHARE=$second ;;
esac
export SBERF_SHARE
mount -t tracefs tracefs /sys/kernel/tracing
mkdir -p /usr/lib/debug/boot && mv /excerpt "/usr/lib/debug/boot/vmlinux-\$(uname -r)"
# With automatic balancing stacks are on pages that the kernel half cannot read: tests/qemu/numa_pane.sh is about that.
echo 0 >/proc/sys/kernel/numa_balancing
# Debian's default is 3 (tests/qemu/lockdown.sh).
sysctl -qw kernel.perf_event_paranoid=2
for script in $scripts; do
	begin=\$(date +%s)
	bash /sberf/tests/live/\$script.sh 2>&1 | while IFS= read -r line; do printf '%s: %s\n' \$script "\$line"; done
	echo "took \$script \$((\$(date +%s) - begin)) s"
done
JOB

root=$SCRATCH/root
guest_tree "$root" "$SCRATCH/job.sh" || skip_all "the guest cannot be built"
for program in sberf sberf-collector sberf-worker; do
	guest_add "$root" "${SBERF%/*}/$program" "/bin/$program"
done
guest_add "$root" "$top_builddir/tests/qemu/ptyrun" /bin/ptyrun
guest_add "$root" "$terminfo" /lib/terminfo/l/linux
for program in capture-dump drops verifier; do
	guest_add "$root" "$top_builddir/tests/live/$program" "/sberf/tests/live/$program"
done
for program in $workloads; do
	guest_add "$root" "$top_builddir/tests/workloads/bin/$program" "/sberf/tests/workloads/bin/$program"
done
for tool in $tools; do
	! path=$(PATH=$PATH:/usr/sbin:/sbin type -P "$tool") || guest_add "$root" "$path" "/usr/bin/$tool"
done
cp "$top_srcdir/tests/tap.sh" "$root/sberf/tests"
cp "$top_srcdir/tests/live/verifier.tsv" "$root/sberf/tests/live"
for script in $scripts live dump tracefs; do
	cp "$top_srcdir/tests/live/$script.sh" "$root/sberf/tests/live"
done
# Debug information of the kernel, or of one of another build: branches_kernel says lines by it, or why there are none.
guest_add "$root" "$top_srcdir/tests/data/symbol/vmlinux-6.1.0-57-amd64" /excerpt
mapfile -t machine < <(guest_nodes "0:768 1:512" "0-1:21")

# judge VERSION SCRIPT: its lines in the guest's output on standard input become results.
judge() {
	local line title last=none
	while IFS= read -r line; do
		title=${line#* - }
		case $line in
		'ok '*' # SKIP '*) note "$line"; result 1 "$1: $2: $title" ;;
		'ok '*) result 0 "$1: $2: $title" ;;
		'not ok '*) result 1 "$1: $2: $title" ;;
		1..*) last=$line ;;
		*) note "$2: $line" ;;
		esac
		[ "${line#ok }" = "$line" ] && [ "${line#not ok }" = "$line" ] || seen=$((seen + 1))
	done
	equal "$1: $2: it came to its end" "1..$seen" "$last"
}

# on_kernel VERSION: what came from its guest.
on_kernel() {
	local out=$SCRATCH/out.$1 script
	matches "$1: the kernel is that one" "^kernel $1[.]" "$(head -n 1 "$out")"
	note "$(grep -v '^[a-z_]*: ' "$out")"
	for script in $scripts; do
		seen=0
		judge "$1" "$script" < <(sed -n "s/^$script: //p" "$out")
	done
}

# boot VERSION IMAGE: in the background; its output goes to out.VERSION.
boot() {
	guest_run "$2" "$root" 1200 "$SCRATCH/console.$1" "${machine[@]}" >"$SCRATCH/out.$1" &
	guests+=($!)
}

guests=()
boot 6.1 "$image"
[ -z "$newer" ] || boot 6.12 "$newer"
wait "${guests[@]}"
on_kernel 6.1
if [ ${#guests[@]} -eq 2 ]; then
	on_kernel 6.12
else
	skip "no kernel image can be downloaded" "6.12: live tests on a newer kernel"
fi
[ -z "${part:-}" ] || finish_passed
finish
