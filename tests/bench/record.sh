#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What a recording costs, beside what a user would run instead: sberf record, and perf record --call-graph dwarf with
# perf report --no-inline, on the same command, interleaved; medians and ratios. Root only.
#
#	tests/bench/record.sh [ROUNDS]      (environment: SBERF, top_builddir)
set -eu
rounds=${1:-3}
sberf=${SBERF:-$top_builddir/sberf}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v perf >/dev/null && have_perf=yes || { have_perf=no; echo "perf is not installed: no comparison"; }
hz=997

# cpu COMMAND...: runs it with its output discarded; prints user + system seconds, children included.
cpu() {
	local out
	out=$( { TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>"$work/cpu.err"; } 2>&1 ) || { cat "$work/cpu.err" >&2; return 1; }
	awk '{ print $1 + $2 }' <<<"$out"
}

median() {
	sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

value() {
	"$sberf" report -i "$1" --format summary | sed -n "s/^$2: //p"
}

one_sberf() {
	local name=$1 n
	shift
	"$sberf" record -F $hz -o "$work/s.data" -- "$@" >/dev/null 2>&1
	n=$(value "$work/s.data" oncpu_samples)
	echo "$n" >>"$work/$name.s.samples"
	awk -v c="$(value "$work/s.data" user_cpu_seconds)" -v n="$n" 'BEGIN { print c / n * 1e6 }' >>"$work/$name.s.us"
	awk -v c="$(value "$work/s.data" bpf_cpu_seconds)" -v n="$n" 'BEGIN { print c / n * 1e6 }' >>"$work/$name.s.bpf"
	awk -v c="$(value "$work/s.data" file_bytes)" -v n="$n" 'BEGIN { print c / n }' >>"$work/$name.s.bytes"
	value "$work/s.data" oncpu_complete_percent >>"$work/$name.s.complete"
}

one_perf() {
	local name=$1 n
	shift
	perf record -q -e cpu-clock -F $hz --call-graph dwarf,16384 -o "$work/p.data" -- "$@" >/dev/null 2>&1
	n=$(perf script -i "$work/p.data" -F time --no-inline 2>/dev/null | grep -c .) || n=0
	[ "$n" -gt 0 ] || return 0
	awk -v c="$(cpu perf report -i "$work/p.data" --no-inline --stdio)" -v n="$n" 'BEGIN { print c / n * 1e6 }' >>"$work/$name.p.us"
	awk -v c="$(stat -c %s "$work/p.data")" -v n="$n" 'BEGIN { print c / n }' >>"$work/$name.p.bytes"
}

compare() {
	local name=$1 su sb pu pb
	shift
	for _ in $(seq "$rounds"); do
		one_sberf "$name" "$@"
		[ $have_perf = no ] || one_perf "$name" "$@"
	done
	su=$(median <"$work/$name.s.us") sb=$(median <"$work/$name.s.bytes")
	printf '%-12s sberf: %d samples, %.2f us of its own CPU a sample (ring to file, names included), BPF %.2f us, %.1f bytes on disk, %.2f %% complete\n' \
		"$name" "$(median <"$work/$name.s.samples")" "$su" "$(median <"$work/$name.s.bpf")" "$sb" "$(median <"$work/$name.s.complete")"
	[ -s "$work/$name.p.us" ] || return 0
	pu=$(median <"$work/$name.p.us") pb=$(median <"$work/$name.p.bytes")
	printf '%-12s perf:  %.2f us a sample in perf report --no-inline alone (%.1f times), %.0f bytes on disk (%.0f times)\n' \
		"" "$pu" "$(awk -v a="$pu" -v b="$su" 'BEGIN { print a / b }')" "$pb" "$(awk -v a="$pb" -v b="$sb" 'BEGIN { print a / b }')"
}

cat >"$work/unit.cc" <<'CC'
#include <iostream>
#include <map>
#include <regex>
int main(int argc, char **argv)
{
	std::map<std::string, int> m;
	std::regex r("(a|b)*c[[:alpha:]]+");
	for (int i = 0; i < argc; i++)
		m[argv[i]] += std::regex_match(argv[i], r);
	for (auto &[k, v] : m)
		std::cout << k << v << std::endl;
}
CC
cat >"$work/work.py" <<'PY'
import json
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
for i in range(12):
    fib(24)
    for j in range(40):
        json.loads(json.dumps({str(k): [k] * 20 for k in range(300)}))
PY
echo "medians of $rounds rounds at $hz Hz"
compare c++ g++ -O2 -c -o "$work/unit.o" "$work/unit.cc"
compare python3 /usr/bin/python3 "$work/work.py"
