#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What following waits costs where there is nothing but waits: `perf bench sched pipe` on one CPU, two switches an operation,
# alone and under those who watch the scheduler; interleaved; medians and ratios. Then what sberf costs while nothing happens.
# Root only.
#
#	tests/bench/offcpu.sh [ROUNDS] [LOOPS]      (environment: SBERF, top_builddir)
set -eu
rounds=${1:-5}
loops=${2:-200000}
sberf=${SBERF:-$top_builddir/sberf}
cpu=$(($(nproc) - 1))
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
beside=
trap '[ -z "$beside" ] || kill "$beside" 2>/dev/null; rm -rf "$work"' EXIT
command -v perf >/dev/null || { echo "perf is not installed: no perf bench sched pipe"; exit 0; }

median() {
	sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

value() {
	"$sberf" report -i "$1" --format summary | sed -n "s/^$2: //p"
}

# pipes NAME LOOPS PREFIX...: microseconds an operation go to NAME.us, by the clock, and to NAME.cpu, of CPU time: on a machine
# that has other things to do the latter tells more.
pipes() {
	local name=$1 n=$2
	shift 2
	# shellcheck disable=SC2016  # for the inner shell
	"$@" taskset -c "$cpu" bash -c 'TIMEFORMAT="cpu %U %S"; time perf bench -f simple sched pipe -l "$0"' "$n" \
		>"$work/out" 2>"$work/err" || { cat "$work/err" >&2; return 1; }
	awk -v n="$n" '/^[0-9.]+$/ { printf "%.3f\n", $1 / n * 1e6 }' "$work/out" >>"$work/$name.us"
	awk -v n="$n" '$1 == "cpu" { printf "%.3f\n", ($2 + $3) / n * 1e6 }' "$work/err" >>"$work/$name.cpu"
}

# kept FILE: what a recording holds, lost and cost.
kept() {
	local file=$1
	echo "$(value "$file" oncpu_samples) samples, $(value "$file" offcpu_waits) waits, complete" \
		"$(value "$file" oncpu_complete_percent) % and $(value "$file" offcpu_complete_percent) %," \
		"lost $("$sberf" report -i "$file" --format summary | awk '/^lost_/ { n += $2 } END { print n + 0 }')," \
		"$(value "$file" file_bytes) bytes, $(value "$file" bpf_cpu_seconds) s of BPF," \
		"$(value "$file" user_cpu_seconds) s of sberf"
	rm -f "$file" "$file.old"
}

# under_sberf NAME OPTIONS...
under_sberf() {
	local name=$1
	shift
	pipes "$name" "$loops" "$sberf" record -e cpu-clock -o "$work/s.data" "$@" --
	value "$work/s.data" bpf_cpu_seconds >>"$work/$name.bpf"
	kept "$work/s.data" >"$work/$name.note"
}

# Everything on the machine. It has begun when something is in its file.
under_sberf_all() {
	"$sberf" record -e cpu-clock -a -o "$work/s.data" 2>/dev/null &
	beside=$!
	until [ "$(stat -c %s "$work/s.data" 2>/dev/null || echo 0)" -gt 1000 ]; do read -rt 0.05 <> <(:) || :; done
	pipes sberf-all "$loops" env
	kill -INT "$beside"
	wait "$beside" || :
	beside=
	kept "$work/s.data" >"$work/sberf-all.note"
}

# All user threads, as -u says; it has no other way to follow a command. It has begun when it holds a link to a BPF program.
under_offcputime() {
	$offcputime -u >"$work/offcputime.out" 2>"$work/offcputime.err" &
	beside=$!
	until grep -qs link_id "/proc/$beside/fdinfo/"*; do read -rt 0.05 <> <(:) || :; done
	pipes offcputime "$loops" env
	# It takes signals some time after it has begun.
	while kill -INT "$beside" 2>/dev/null; do read -rt 0.1 <> <(:) || :; done
	wait "$beside" || :
	beside=
	echo "$(grep -c '^ *-  ' "$work/offcputime.out") stacks; $(grep -iE 'lost|could not|missing' "$work/offcputime.err" | sort | uniq -c |
		tr '\n' ' ')" >"$work/offcputime.note"
}

# Eight KB of stack a switch: a tenth of the loops is 300 MB.
under_perf() {
	pipes perf $((loops / 10)) perf record -q -e sched:sched_switch --call-graph dwarf -o "$work/perf.data" --
	perf report -i "$work/perf.data" --stats >"$work/stats" 2>/dev/null || :
	echo "$(awk '$1 == "SAMPLE" { print $3; exit }' "$work/stats") samples," \
		"lost chunks $(awk '/ LOST events:/ { n += $3 } END { print n + 0 }' "$work/stats")," \
			"$(stat -c %s "$work/perf.data") bytes (a tenth of the loops)" >"$work/perf.note"
	rm -f "$work/perf.data"*
}

# Fedora's package calls it bpf-offcputime.
offcputime=$(command -v offcputime || command -v bpf-offcputime) ||
	echo "offcputime (libbpf-tools) is not installed: no comparison with it"
for ((r = 0; r < rounds; r++)); do
	pipes alone "$loops" env
	# In turn: who comes second found 5 % more, whoever it was.
	if ((r % 2)); then
		under_sberf sberf
		under_sberf sberf-kernel-locks --kernel-locks
	else
		under_sberf sberf-kernel-locks --kernel-locks
		under_sberf sberf
	fi
	under_sberf sberf-no-off-cpu --no-off-cpu
	under_sberf sberf-wakers --wakers
	# Calls have begun, so each switch looks whether it is inside of one: it is in none; or in one all the time.
	under_sberf sberf-probed --budget none --probe call:libc.so.6:getenv
	under_sberf sberf-inside --budget none --probe span:u:libc.so.6:getenv~~u:libc.so.6:abort
	under_sberf_all
	[ -z "$offcputime" ] || under_offcputime
	under_perf
done

ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { print a / b }'
}

alone=$(median <"$work/alone.us")
alone_cpu=$(median <"$work/alone.cpu")
echo "perf bench sched pipe on CPU $cpu, us an operation (two switches): medians of $rounds rounds of $loops," \
	"load $(cut -d' ' -f1 /proc/loadavg)"
printf '  %-19s %7s %12s %7s\n' "" clock "" CPU
for name in alone sberf sberf-no-off-cpu sberf-wakers sberf-kernel-locks sberf-probed sberf-inside sberf-all offcputime perf; do
	[ -s "$work/$name.us" ] || continue
	us=$(median <"$work/$name.us")
	used=$(median <"$work/$name.cpu")
	printf '  %-19s %7.2f  %5.2f times %7.2f  %5.2f times  %s\n' "$name" "$us" "$(ratio "$us" "$alone")" "$used" \
		"$(ratio "$used" "$alone_cpu")" "$(cat "$work/$name.note" 2>/dev/null || :)"
done

# What locks cost where nobody waits for one. Holders cost nothing more: they are found when a recording is shown (--holders, D, O).
for how in kernel-locks wakers; do
	awk -v waits="$(median <"$work/sberf.bpf")" -v locks="$(median <"$work/sberf-$how.bpf")" -v n="$loops" -v how=$how \
		'BEGIN { printf "  BPF time with --%s: %.3f us an operation, %+.1f %% beside waits alone%s\n", how, locks / n * 1e6,
			waits ? 100 * (locks / waits - 1) : 0, how == "wakers" ? "" : " (at most 5 %)" }'
done

# idle NAME OPTIONS...: percent of one CPU, of the whole and of its BPF programs.
idle() {
	local name=$1 file=$work/idle.data
	shift
	"$sberf" record -e cpu-clock -o "$file" -a --duration 5s "$@" >/dev/null 2>&1
	awk -v n="$name" -v u="$(value "$file" user_cpu_seconds)" -v b="$(value "$file" bpf_cpu_seconds)" \
		-v d="$(value "$file" duration_seconds)" \
		'BEGIN { printf "  %-19s %5.2f %% sberf, %5.2f %% BPF\n", n, 100 * u / d, 100 * b / d }'
	rm -f "$file" "$file.old"
}
echo "sberf record -a while nothing is asked of the machine (load $(cut -d' ' -f1 /proc/loadavg)), percent of one CPU"
idle off-cpu
idle no-off-cpu --no-off-cpu
