#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What a stack costs in the kernel: walked there by learnt rules, and copied from there. On stacks like python3's, on a compiler's and on
# redis-server's; interleaved; medians. Root only.
#
#	tests/bench/walk.sh [ROUNDS] [HZ]      (environment: SBERF, top_builddir; OTHER: another sberf to measure beside it)
set -eu
rounds=${1:-3}
hz=${2:-3989}
sberf=${SBERF:-$top_builddir/sberf}
unit=$(cd "$(dirname "$0")" && pwd)/unit.cc
work=$(mktemp -d)
pids=
trap 'for p in $pids; do kill "$p" 2>/dev/null || :; done; rm -rf "$work"' EXIT

median() {
	sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

value() {
	"$sberf" report -i "$1" --format summary | sed -n "s/^$2: //p"
}

# in_kernel FILE: nanoseconds of BPF for each sample; $nothing is what a run for something that is not the target costs.
in_kernel() {
	awk -v b="$(value "$1" bpf_cpu_seconds)" -v hz="$(value "$1" rate_got_hz)" -v cpus="$(value "$1" cpus)" \
		-v d="$(value "$1" duration_seconds)" -v n="$(value "$1" oncpu_samples)" -v nothing="$nothing" \
		'BEGIN { rest = hz * cpus * d - n; printf "%.0f\n", n ? (b * 1e9 - (rest > 0 ? rest : 0) * nothing) / n : 0 }'
}

frames() {
	"$sberf" report -i "$1" --format folded --no-inline | awk '{ w = $NF; n += w; f += w * (split($0, x, ";") - 1) } END { printf "%.1f\n", f / n }'
}

record() {
	local program=$1
	shift
	"$program" record -e cpu-clock -F "$hz" --no-off-cpu --no-kernel -o "$work/s.data" "$@" >/dev/null 2>&1 || :
}

# one NAME PROGRAM WAY TARGET...: one recording.
one() {
	local name=$1 program=$2 way=$3 ns n
	shift 3
	record "$program" --unwind "$way" "$@"
	ns=$(in_kernel "$work/s.data")
	n=$(frames "$work/s.data")
	echo "$ns" >>"$work/$name.ns"
	echo "$n" >>"$work/$name.frames"
	awk -v ns="$ns" -v n="$n" 'BEGIN { printf "%.1f\n", ns / n }' >>"$work/$name.each"
	value "$work/s.data" unwound_kernel_percent >>"$work/$name.percent"
}

# compare NAME TARGET...
compare() {
	local name=$1 m r
	shift
	for ((r = 0; r < rounds; r++)); do
		one "$name.walked" "$sberf" kernel "$@"
		one "$name.copied" "$sberf" copy "$@"
		[ -z "${OTHER-}" ] || one "$name.other" "$OTHER" kernel "$@"
	done
	for m in walked copied other; do
		[ -s "$work/$name.$m.ns" ] || continue
		printf '  %-8s %-7s %6.0f ns a sample of %5.1f frames, %6.1f ns a frame; %6.2f %% walked in the kernel\n' "$name" "$m" \
			"$(median <"$work/$name.$m.ns")" "$(median <"$work/$name.$m.frames")" "$(median <"$work/$name.$m.each")" \
			"$(median <"$work/$name.$m.percent")"
	done
}

cat >"$work/deep.py" <<'PY'
import functools
def f(n, x):
    if n == 0:
        s = 0
        for i in range(200):
            s += i * x
        return s
    return functools.reduce(lambda a, b: a + f(n - 1, b), (x,), 0)
while True:
    f(8, 3)
PY

g++ -E -O2 -o "$work/unit.ii" "$unit"
sleep 1000 &
pids="$pids $!"
nothing=0
record "$sberf" -p $! --duration 3s
nothing=$(awk -v b="$(value "$work/s.data" bpf_cpu_seconds)" -v hz="$(value "$work/s.data" rate_got_hz)" \
	-v cpus="$(value "$work/s.data" cpus)" -v d="$(value "$work/s.data" duration_seconds)" 'BEGIN { print b * 1e9 / (hz * cpus * d) }')
echo "at $hz Hz, medians of $rounds rounds, load $(cut -d' ' -f1 /proc/loadavg); a run for what is not the target: $nothing ns"

/usr/bin/python3 "$work/deep.py" &
python=$!
pids="$pids $python"
compare python3 -p "$python" --duration 4s
kill "$python"

compare cc1plus -- sh -c "for i in 1 2 3; do $(g++ -print-prog-name=cc1plus) -quiet -fpreprocessed -O2 -o /dev/null $work/unit.ii; done"

if command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; then
	redis-server --port 0 --unixsocket "$work/redis" --save '' >/dev/null &
	redis=$!
	pids="$pids $redis"
	until [ -S "$work/redis" ]; do read -rt 0.05 <> <(:) || :; done
	redis-benchmark -s "$work/redis" -q -l -t set,get,lpush,lrange_100,zadd >/dev/null &
	pids="$pids $!"
	compare redis -p "$redis" --duration 4s
fi
