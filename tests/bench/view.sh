#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# view.sh - the view from outside: start, keys and cost, of a recording of 100,000 stacks and 2,000 threads, and live, on 2,000 threads
# that are sampled so often that the engine has 50,000 events a second to unwind, or as many as it can.
set -u
bench=${top_builddir:?}/tests/bench
sberf=${SBERF:?}
work=$(mktemp -d)
crowd=

cleanup() {
	[ -n "$crowd" ] && kill "$crowd" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT

# gather THREADS BUSY [WAYS]: threads of which BUSY compute all the time.
gather() {
	"$bench/crowd" "$@" >"$work/ready" &
	crowd=$!
	until grep -q ready "$work/ready"; do kill -0 "$crowd" && sleep 0.1 || exit 1; done
}

scatter() {
	kill "$crowd"
	wait "$crowd" 2>/dev/null
	crowd=
}

"$top_builddir/tests/unit/make_recordings" --views "$work"
echo "a recording:"
"$bench/bench_tty" start 11 "$sberf" report "$work/views.sberf"
echo "its keys: moving, opening, searching:"
"$bench/bench_tty" keys 20 'jjkEGgCnN' "$sberf" report "$work/views.sberf"
"$bench/bench_tty" keys 1 '/function_123' "$sberf" report "$work/views.sberf"
echo "its keys while trees are built for other questions:"
"$bench/bench_tty" keys 20 'tjikjtjijkw' "$sberf" report "$work/views.sberf"
echo "all panes: what a key needs to open and close them:"
"$bench/bench_tty" keys 3 '44.55.66.77.88.99.33.' "$sberf" report "$work/views.sberf"
echo "its keys while all of it is saved as pprof:"
(cd "$work" && "$bench/bench_tty" keys 5 'Spjkjkjkjkjk..' "$sberf" report views.sberf)

if [ "$(id -u)" -ne 0 ]; then
	echo "the rest needs root"
	exit
fi
gather 2000 0
echo "live, 2,000 threads that mostly sleep:"
"$bench/bench_tty" start 11 "$sberf" top -p "$crowd"
"$bench/bench_tty" keys 5 '....jkjk' "$sberf" top -p "$crowd"
scatter
gather 2000 1
echo "live, 2,000 threads, one of which computes; 20,000 samples a second and CPU:"
"$bench/bench_tty" keys 5 '..EjkjkGgC' "$sberf" top -p "$crowd" -F 20000
scatter
# One CPU computes and is sampled at 50,000 Hz, and the threads that sleep wait twice a second each. How many stacks that makes is told.
last=$(($(nproc) - 1))
gather 2000 1 80000
taskset -acp "$last" "$crowd" >/dev/null
often=(-p "$crowd" -C "$last" -F 50000 --unwind auto)
echo "live, 2,000 threads on one CPU that is sampled 50,000 times a second, with 80,000 paths: what is unwound meanwhile:"
(cd "$work" && "$bench/bench_tty" keys 1 '...R..........' "$sberf" top "${often[@]}" >/dev/null)
"$sberf" report -i "$work"/sberf-1.sberf --format summary | awk '/^(oncpu_samples|offcpu_waits|duration_seconds):/ { v[$1] = $2 }
	/^lost_/ { lost += $2 }
	END { printf "%.0f samples and %.0f waits a second, %d lost\n", v["oncpu_samples:"] / v["duration_seconds:"],
		v["offcpu_waits:"] / v["duration_seconds:"], lost }'
"$sberf" report -i "$work"/sberf-1.sberf --format folded | awk 'END { print NR " stacks of functions" }'
echo "its keys:"
"$bench/bench_tty" keys 8 '..EjkjkGgC' "$sberf" top "${often[@]}"
echo "its keys while a filter is typed, and while it runs:"
"$bench/bench_tty" keys 8 $'...fstep_a\r.jkjk\x1b' "$sberf" top "${often[@]}"
scatter
# Not 2,000 threads: some kernels (6.18) let other sessions wait for seconds beside so many where each CPU is taken, whatever runs there.
gather 500 "$(nproc)"
echo "live, 50,000 samples a second asked for in all (fewer are unwound), beside threads that take every CPU:"
"$bench/bench_tty" keys 5 '..EjkjkGgC' "$sberf" top -p "$crowd" -F "$((50000 / $(nproc)))"
scatter
