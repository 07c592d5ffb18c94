#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# scale.sh - what grows with threads and with samples, as docs/sizes.md scales it to machines that are not at hand: a crowd of threads
# that wake about twice a second, and a program that is sampled seldom and often. Root only.
#
#	tests/bench/scale.sh [SECONDS]      (environment: SBERF, top_builddir; CROWDS: numbers of threads)
set -eu
seconds=${1:-6}
sberf=${SBERF:-$top_builddir/sberf}
crowds=${CROWDS:-500 1000 2000}
work=$(mktemp -d)
load=
trap '[ -z "$load" ] || kill "$load" 2>/dev/null || :; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# shellcheck source=tests/bench/peers.sh
. "$(dirname "${BASH_SOURCE[0]}")/peers.sh"

# run OPTIONS...: a recording of $load; its beginning, when all that is there has been seen, is kept.
run() {
	local recorder
	"$sberf" record -e cpu-clock --unwind kernel --duration "$((seconds + 2))s" -o "$work/s.data" -p "$load" "$@" >/dev/null 2>&1 &
	recorder=$!
	until [ "$(stat -c %s "$work/s.data" 2>/dev/null || echo 0)" -gt 1000 ]; do
		kill -0 $recorder 2>/dev/null || return 0
		pause 0.05
	done
	pause 2
	cp "$work/s.data" "$work/begin.data"
	wait $recorder || :
}

# since FIGURE: how much more of it there is than at the beginning.
since() {
	minus "$(value "$work/s.data" "$1")" "$(value "$work/begin.data" "$1")"
}

a_second() {
	awk -v n="$(since "$1")" -v d="$(since duration_seconds)" 'BEGIN { print n / d }'
}

finish_run() {
	rm -f "$work"/*.data*
}

declare -A waits engine bpf
echo "a crowd, watched for $seconds s (load $(cut -d' ' -f1 /proc/loadavg)):"
for n in $crowds; do
	: >"$work/ready"
	"$top_builddir/tests/bench/crowd" "$n" 0 >>"$work/ready" 2>/dev/null &
	load=$!
	until grep -q ready "$work/ready"; do
		kill -0 "$load" 2>/dev/null || { echo "  $n threads are more than this machine has room for"; load=; break; }
		pause 0.1
	done
	[ -n "$load" ] || continue
	run -F 99
	if [ -s "$work/begin.data" ]; then
		awk -v n="$n" -v d="$(since duration_seconds)" -v w="$(since offcpu_waits)" -v e="$(since engine_cpu_seconds)" \
			-v b="$(since bpf_cpu_seconds)" -v rss="$(value "$work/s.data" rss_bytes)" \
			-v sampled="$(value "$work/s.data" offcpu_sampled_percent)" 'BEGIN {
			printf "  %6d threads, %6.0f waits a second: engine %5.1f %% of a core, BPF %5.1f %%; sberf has %d MB;", n, w / d,
				100 * e / d, 100 * b / d, rss / 1048576
			printf " %s %% of the time off the CPU on stacks of its own\n", sampled }'
		waits[$n]=$(a_second offcpu_waits) engine[$n]=$(a_second engine_cpu_seconds) bpf[$n]=$(a_second bpf_cpu_seconds)
		summary "$work/s.data" | awk '/^lost_/ && $2 > 0 { printf "         %s %s\n", $1, $2 }'
	fi
	kill "$load"
	wait "$load" 2>/dev/null || :
	load=
	finish_run
done

read -ra all <<<"$crowds"
few=${all[0]} many=${all[-1]}
[ -z "${waits[$few]-}" ] || [ -z "${waits[$many]-}" ] || [ "$few" = "$many" ] ||
	awk -v w="$(minus "${waits[$many]}" "${waits[$few]}")" -v e0="${engine[$few]}" -v e1="${engine[$many]}" -v b0="${bpf[$few]}" -v b1="${bpf[$many]}" 'BEGIN { us = (e1 - e0) / w * 1e6
		printf "each more of these waits: %.1f us of the engine thread, %.1f us of BPF; %.0f a second are one core of the engine\n",
			us, (b1 - b0) / w * 1e6, 1e6 / us }'

command -v python3 >/dev/null || exit 0
python3 -c 'def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
while True: f(24)' &
load=$!
for hz in 499 4999; do
	run -F $hz --no-off-cpu
	for figure in engine_cpu_seconds oncpu_samples duration_seconds; do since $figure >"$work/$figure.$hz"; done
	finish_run
done
at() {
	cat "$work/$1.$2"
}
awk -v e0="$(at engine_cpu_seconds 499)" -v e1="$(at engine_cpu_seconds 4999)" -v n0="$(at oncpu_samples 499)" \
	-v n1="$(at oncpu_samples 4999)" 'BEGIN { us = (e1 - e0) / (n1 - n0) * 1e6
	printf "a sample of python3, walked in the kernel: %.1f us of the engine thread; ", us
	printf "512 CPUs at 99 Hz: %.0f %% of a core, at 997 Hz: %.0f %%\n", 512 * 99 * us / 1e4, 512 * 997 * us / 1e4 }'
