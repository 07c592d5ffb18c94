#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What frames of Python cost: BPF for a sample of 30 of them above the native stack alone, which is that of a copy of the interpreter that
# sberf does not know; and what a program loses at 99 Hz, beside py-spy, and perf with -X perf (from 3.12 on), where they are.
# Interleaved; medians. Then 100,000 samples beside the truth: what a program says of its own stacks at each moment. Root only.
#
#	tests/bench/python.sh [ROUNDS] [HZ]      (environment: SBERF, top_builddir; OTHER: another sberf to measure beside it)
set -eu
rounds=${1:-5}
hz=${2:-3989}
sberf=${SBERF:-$top_builddir/sberf}
python=$(readlink -f /usr/bin/python3)
work=$(mktemp -d)
pids=
trap 'for p in $pids; do kill "$p" 2>/dev/null || :; done; rm -rf "$work"' EXIT

median() {
	sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# The program: DEPTH frames of different functions; with a number of UNITS it ends after so much work and says how long that took.
cat >"$work/deep.py" <<'PY'
import sys, time
depth, units = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
def work():
    begun, x, n = time.monotonic(), 1, 0
    while not units or n < units:
        for i in range(1000):
            x = (x * 3 + i) & 0xffff
        n += 1
    print(time.monotonic() - begun)
last = work
for i in range(depth - 2):
    there = {"last": last}
    exec("\n" * i + "def f%d(a=1, b=2):\n    c = a + b\n    last()\n    return c\n" % i, there)
    last = there["f%d" % i]
last()
PY

# in_kernel PROGRAM DEPTH PYTHON: nanoseconds of BPF for a sample
in_kernel() {
	local pid
	"$3" "$work/deep.py" "$2" &
	pid=$!
	pids="$pids $pid"
	until [ "$(awk '{ print ($14 > 20) }' "/proc/$pid/stat")" = 1 ]; do read -rt 0.05 <> <(:) || :; done
	"$1" record -e cpu-clock -F "$hz" --no-off-cpu --no-kernel -o "$work/s.data" -p "$pid" --duration 2s >/dev/null 2>&1 || :
	kill "$pid"
	wait "$pid" 2>/dev/null || :
	"$sberf" report -i "$work/s.data" --format summary | awk '{ v[$1] = $2 } END { printf "%.0f\n", v["bpf_cpu_seconds:"] * 1e9 / v["oncpu_samples:"] }'
}

# The name by which sberf knows the interpreter is another one.
sed 's/_PyRuntime\x00/_PyRuntimX\x00/g' "$python" >"$work/unknown"
chmod +x "$work/unknown"
for ((r = 0; r < rounds; r++)); do
	for who in sberf ${OTHER:+other}; do
		program=$sberf
		[ "$who" = sberf ] || program=$OTHER
		in_kernel "$program" 30 "$work/unknown" >>"$work/$who.native"
		in_kernel "$program" 2 "$python" >>"$work/$who.2"
		in_kernel "$program" 30 "$python" >>"$work/$who.30"
		paste "$work/$who.native" "$work/$who.30" | tail -n 1 | awk '{ print $2 - $1 }' >>"$work/$who.above"
	done
done
echo "at $hz Hz, medians of $rounds rounds, load $(cut -d' ' -f1 /proc/loadavg), $("$python" --version)"
for who in sberf ${OTHER:+other}; do
	printf '  %-6s %6.0f ns a sample of native frames, %6.0f of 2 frames of Python, %6.0f of 30: %6.0f above native\n' "$who" \
		"$(median <"$work/$who.native")" "$(median <"$work/$who.2")" "$(median <"$work/$who.30")" "$(median <"$work/$who.above")"
done

# whole NAME PYTHON COMMAND...: how long the work takes under COMMAND, and the CPU time of all
whole() {
	local name=$1
	shift
	TIMEFORMAT='%U %S'
	{ time "$@" >"$work/took" 2>"$work/err"; } 2>"$work/cpu" || :
	tail -n 1 "$work/took" >>"$work/$name.took"
	awk '{ print $1 + $2 }' "$work/cpu" >>"$work/$name.cpu"
}

new=
for p in /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
	[ -z "$new" ] && [ -x "$p" ] && "$p" -c 'import sys; sys.exit(not hasattr(sys, "activate_stack_trampoline"))' 2>/dev/null && new=$(readlink -f "$p")
done
units=40000
for ((r = 0; r < rounds; r++)); do
	whole alone "$python" "$work/deep.py" 30 $units
	whole sberf "$sberf" record -F 99 -o "$work/w.data" -- "$python" "$work/deep.py" 30 $units
	if command -v py-spy >/dev/null; then
		whole py-spy py-spy record -r 99 -o "$work/w.svg" -- "$python" "$work/deep.py" 30 $units
	fi
	if [ -n "$new" ]; then
		whole "alone-$("$new" -c 'import platform; print(platform.python_version())')" "$new" "$work/deep.py" 30 $units
		if command -v perf >/dev/null; then
			whole perf-trampolines perf record -q -F 99 -g -o "$work/w.perf" -- "$new" -X perf "$work/deep.py" 30 $units
		fi
	fi
done
command -v py-spy >/dev/null || echo "  py-spy is not installed"
for f in "$work"/*.took; do
	name=$(basename "$f" .took)
	printf '  %-18s the program took %6.2f s, CPU of it and of who looks on %6.2f s\n' "$name" "$(median <"$f")" "$(median <"$work/$name.cpu")"
done

mkfifo "$work/ready"
"$python" "$(dirname "$0")/../workloads/selfreport.py" "$work/truth" t 2 240000 >"$work/ready" &
truth=$!
pids="$pids $truth"
exec {ready}<"$work/ready"
read -rt 60 _ <&"$ready"
"$sberf" record -F 3989 --duration 28s -o "$work/t.data" -p $truth >/dev/null 2>&1 || :
touch "$work/truth.stop"
wait $truth
"$sberf" report -i "$work/t.data" --format folded --python only --group-by comm >"$work/folded"
"$sberf" report -i "$work/t.data" --format summary | awk '{ v[$1] = $2 } END {
	printf "  %d samples, %d of %d stacks with all frames\n", v["oncpu_samples:"], v["script_whole:"], v["script_stacks:"] }'
echo "  us of them, and ppm: $("$python" "$(dirname "$0")/../live/python_judge.py" "$work/truth" "$work/folded" | tail -n 1)"
