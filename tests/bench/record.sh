#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What a recording costs, beside what a user would run instead: sberf record, and perf record --call-graph dwarf with
# perf report --no-inline, on the same commands, interleaved; medians and ratios. Root only.
#
#	tests/bench/record.sh [ROUNDS]      (environment: SBERF, top_builddir)
set -eu
rounds=${1:-3}
sberf=${SBERF:-$top_builddir/sberf}
unit=$(cd "$(dirname "$0")" && pwd)/unit.cc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
have_perf=no
if command -v perf >/dev/null; then have_perf=yes; else echo "perf is not installed: no comparison"; fi

median() {
	sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

value() {
	"$sberf" report -i "$1" --format summary | sed -n "s/^$2: //p"
}

# per_sample SECONDS SAMPLES: microseconds of CPU for each.
per_sample() {
	awk -v c="$1" -v n="$2" 'BEGIN { printf "%.2f\n", c / n * 1e6 }'
}

frames() {
	"$sberf" report -i "$1" --format folded --no-inline | awk '{ w = $NF; n += w; f += w * (split($0, x, ";") - 1) } END { printf "%.1f\n", f / n }'
}

# one_sberf NAME HZ COMMAND...
one_sberf() {
	local name=$1 hz=$2 n s=$work/s.data
	shift 2
	"$sberf" record -F "$hz" -o "$s" -- "$@" >/dev/null 2>&1 || :
	n=$(value "$s" oncpu_samples)
	echo "$n" >>"$work/$name.samples"
	per_sample "$(value "$s" engine_cpu_seconds)" "$n" >>"$work/$name.engine"
	per_sample "$(value "$s" user_cpu_seconds)" "$n" >>"$work/$name.user"
	per_sample "$(value "$s" bpf_cpu_seconds)" "$n" >>"$work/$name.bpf"
	awk -v c="$(value "$s" file_bytes)" -v n="$n" 'BEGIN { printf "%.1f\n", c / n }' >>"$work/$name.bytes"
	value "$s" oncpu_complete_percent >>"$work/$name.complete"
	frames "$s" >>"$work/$name.frames"
}

# one_perf NAME HZ COMMAND...: the cost of perf report, its user and system seconds added by bash's time.
one_perf() {
	local name=$1 hz=$2 n p=$work/p.data times
	shift 2
	perf record -q --no-bpf-event -e cpu-clock -F "$hz" --call-graph dwarf,16384 -o "$p" -- "$@" >/dev/null 2>&1 || :
	n=$(perf script -i "$p" -F time --no-inline -G 2>/dev/null | grep -c .) || n=0
	[ "$n" -gt 0 ] || { echo "perf recorded nothing" >&2; return; }
	times=$( { TIMEFORMAT='%U %S'; time perf report -i "$p" --no-inline --stdio >/dev/null 2>&1; } 2>&1 )
	per_sample "$(awk '{ print $1 + $2 }' <<<"$times")" "$n" >>"$work/$name.p.user"
	awk -v c="$(stat -c %s "$p")" -v n="$n" 'BEGIN { printf "%.0f\n", c / n }' >>"$work/$name.p.bytes"
}

ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.0f", a / b }'
}

# compare NAME HZ COMMAND...
compare() {
	local name=$1 hz=$2 m
	for ((m = 0; m < rounds; m++)); do
		one_sberf "$@"
		[ $have_perf = no ] || one_perf "$@"
	done
	m() { median <"$work/$name.$1"; }
	echo "$name at $hz Hz: $(m samples) samples of $(m frames) frames, $(m complete) % complete"
	echo "  sberf  $(m engine) us of CPU a sample from ring to profile, $(m user) us with start, names and file," \
		"$(m bpf) us in the kernel; $(m bytes) bytes on disk"
	[ -s "$work/$name.p.user" ] || return 0
	echo "  perf   $(m p.user) us a sample in perf report --no-inline alone ($(ratio "$(m p.user)" "$(m user)") times sberf's whole)," \
		"$(m p.bytes) bytes on disk ($(ratio "$(m p.bytes)" "$(m bytes)") times)"
}

cat >"$work/work.py" <<'PY'
import json
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
for i in range(100):
    fib(20)
    for j in range(25):
        json.loads(json.dumps({str(k): [k] * 20 for k in range(300)}))
PY
echo "medians of $rounds rounds, $(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg)"
compare c++ 997 sh -c "g++ -O2 -c -o $work/a.o $unit; g++ -O1 -c -o $work/b.o $unit"
compare python3 997 /usr/bin/python3 "$work/work.py"
compare python3-fast 9973 /usr/bin/python3 "$work/work.py"
