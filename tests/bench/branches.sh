#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# branches.sh - what a hit of a followed function of the kernel costs beside bpftrace's kfunc (fentry) and pairs of kprobe and kretprobe,
# in a guest, whose processor is emulated: so the times are ratios, the least of them that of bpftrace's kfunc. Each round has all of them,
# one after the other, and a line is a median. It also says how long hundreds of functions take to attach, entry and return of each,
# by sberf and by bpftrace.
#
# What sberf tells of each call it handles on the same emulated thread, so that is in its figures; bpftrace counts in the kernel.
#
#	bash tests/bench/branches.sh [ROUNDS]         in the build directory, with top_srcdir and top_builddir set
#
# BENCH_RAW=FILE keeps all that was measured.
set -eu
top_srcdir=${top_srcdir:-..} top_builddir=${top_builddir:-.}
SBERF=${SBERF:-$top_builddir/sberf}
rounds=${1:-5}
command -v bpftrace >/dev/null || { echo "bpftrace is not installed" >&2; exit 1; }
SCRATCH=$(mktemp -d)
trap 'rm -rf "$SCRATCH"' EXIT
. "$top_srcdir/tests/qemu/guest.sh"
image=$(guest_kernel "${SBERF_GUEST_CACHE:-$top_builddir/guest}")

cat >"$SCRATCH/job.sh" <<JOB
ln -s /proc/self/fd /dev/fd
mount -t tracefs tracefs /sys/kernel/tracing
export PATH=/usr/bin:/bin LC_ALL=C BPFTRACE_MAX_PROBES=4096 BPFTRACE_MAX_BPF_PROGS=4096
# bpftrace holds more than 1,024 files for them, sberf raises its limit itself.
ulimit -n 16384
bash /measure.bash $rounds
JOB
cat >"$SCRATCH/measure.bash" <<'MEASURE'
calls=50000
mkfifo in
refused <in >out & pid=$!
exec {to}>in
said() { grep -c "$1" out; }
# ms since the boot.
now() { awk '{ printf "%d\n", $1 * 1000 }' /proc/uptime; }
# measure NAME: how long a call takes now.
measure() {
	local had; had=$(said '^done')
	echo "time $calls" >&$to
	until [ "$(said '^done')" -gt "$had" ]; do usleep 100000; done
	echo "$1 $(grep took out | tail -n 1 | cut -d' ' -f2)"
}
# beside NAME SIGN COMMAND...: the same while COMMAND runs, which has said SIGN.
beside() {
	local name=$1 sign=$2 begin tool
	shift 2
	: >told; begin=$(now)
	"$@" >told 2>&1 & tool=$!
	until grep -q "$sign" told || ! kill -0 $tool; do usleep 50000; done
	echo "attach_$name $(($(now) - begin))"
	measure "$name"
	kill -INT $tool && wait $tool || cat told
}
placed='probes placed' attached=^ready
measure warm
for ((round = 0; round < $1; round++)); do
	measure nothing
	beside kfunc $attached bpftrace -B line -e "BEGIN { printf(\"ready\n\"); } kfunc:ksys_dup3 /pid == $pid/ { @ = count(); } kretfunc:ksys_dup3 /pid == $pid/ { @r = count(); }"
	beside bpftrace_pair $attached bpftrace -B line -e "BEGIN { printf(\"ready\n\"); } kprobe:ksys_dup3 /pid == $pid/ { @ = count(); } kretprobe:ksys_dup3 /pid == $pid/ { @r = count(); }"
	beside sberf_pair "$placed" sberf record -p $pid --budget none --call-graph off --probe k:ksys_dup3 --probe kr:ksys_dup3 -o /tmp/r.sberf
	beside graph "$placed" sberf branches k:ksys_dup3 --how graph --depth 1 --count --budget none -p $pid
	beside step "$placed" sberf branches k:ksys_dup3 --count --budget none -p $pid
	beside step_unmet "$placed" sberf branches 'k:ksys_dup3 /newfd == 12345/' --count --budget none -p $pid
	rm -f /tmp/r.sberf*
	# Hundreds of functions, entry and return of each: how many both have is said.
	beside many_sberf "$placed" sberf branches 'k:tcp_*' --count --budget none -p $pid
	echo "many_functions $(sed -n 's/^sberf branches: \([0-9]*\) functions of the kernel.*/\1/p' told)"
	beside many_bpftrace $attached bpftrace -B line -e "BEGIN { printf(\"ready\n\"); } kprobe:tcp_* /pid == $pid/ { @[probe] = count(); } kretprobe:tcp_* /pid == $pid/ { @r[probe] = count(); }"
	echo "many_probes $(sed -n 's/^Attaching \([0-9]*\) probes.*/\1/p' told)"
done
kill $pid
MEASURE
root=$SCRATCH/root
guest_tree "$root" "$SCRATCH/job.sh"
cp "$SCRATCH/measure.bash" "$root"
guest_add "$root" "$SBERF" /bin/sberf
guest_add "$root" "$top_builddir/tests/workloads/bin/refused" /bin/refused
for tool in bpftrace bash; do
	guest_add "$root" "$(type -P $tool)" "/usr/bin/$tool"
done
mapfile -t machine < <(guest_nodes "0:1536 1:512" "0-1:21")
guest_run "$image" "$root" 3000 "$SCRATCH/console" "${machine[@]}" >"$SCRATCH/out"
grep -v '^[a-z_]* [0-9]*$' "$SCRATCH/out" >&2 || :
[ -z "${BENCH_RAW:-}" ] || cp "$SCRATCH/out" "$BENCH_RAW"
awk '/^[a-z_]+ [0-9]+$/ { v[$1, ++n[$1]] = $2 }
	function median(name,  i, j, t, m) {
		m = n[name]
		for (i = 1; i <= m; i++) for (j = i + 1; j <= m; j++) if (v[name, j] < v[name, i]) { t = v[name, i]; v[name, i] = v[name, j]; v[name, j] = t }
		return m ? m % 2 ? v[name, (m + 1) / 2] : (v[name, m / 2] + v[name, m / 2 + 1]) / 2 : 0
	}
	function line(name, what) { printf "%-60s %8.2f\n", what, (median(name) - base) / kfunc }
	END {
		base = v["warm", 1]
		# The least: what was changed in the code is emulated slowly for a while.
		for (i = 1; i <= n["nothing"]; i++) if (v["nothing", i] < base) base = v["nothing", i]
		kfunc = median("kfunc") - base
		if (!n["many_bpftrace"] || kfunc <= 0) { print "the guest has not measured all"; exit 1 }
		printf "a call more, emulated, as a multiple of bpftrace kfunc + kretfunc\n"
		line("kfunc", "bpftrace kfunc + kretfunc"); line("bpftrace_pair", "bpftrace kprobe + kretprobe")
		line("sberf_pair", "sberf record, k: and kr:, without stacks"); line("graph", "sberf branches --how graph, 1 deep")
		line("step", "sberf branches, all blocks"); line("step_unmet", "the same, condition not met")
		printf "entries and returns of k:tcp_* attached, medians: sberf %d functions in %.1f s, bpftrace %d probes in %.1f s\n",
			median("many_functions"), median("attach_many_sberf") / 1000, median("many_probes"), median("attach_many_bpftrace") / 1000
	}' "$SCRATCH/out"
