#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# agent.sh - what an agent that captures the whole machine costs at 19 and 97 Hz, and at 19 Hz below --max-cpu 1%, beside perf record of
# the same: CPU in percent of one (sberf: with its BPF programs; perf: as the kernel counts it, without what its interrupts take), and bytes
# a second that are pushed to a store, or that perf writes. Where nothing runs (idle); where a program computes and naps (busy); and where,
# besides, two processes hand over to each other as fast as they can (storm). A row is what SECONDS_EACH seconds showed, behind a start of
# START seconds and until it takes less than 4 % for two seconds, as names are read then; with a ceiling three times as many of each, which
# is when it has done what it can. Rounds are interleaved. SECONDS_EACH=18 ROUNDS=1 takes seven and a half minutes.
set -eu
work=$(mktemp -d)
store=$(cd "$(dirname "$0")" && pwd)/store.py
sberf=${SBERF:?is set by make bench}
seconds=${SECONDS_EACH:-30} rounds=${ROUNDS:-3} start=${START:-10}
busy='' pipe=''
end_load() {
	[ -z "$pipe" ] || kill -- "-$pipe" 2>/dev/null || :
	[ -z "$busy" ] || { kill "$busy"; wait "$busy"; } 2>/dev/null || :
	busy='' pipe=''
}
# shellcheck disable=SC2317  # by trap
end_agent() {
	end_load
	# shellcheck disable=SC2046  # one word each
	kill $(jobs -p) 2>/dev/null || :
	wait 2>/dev/null || :
	sysctl -qw "kernel.bpf_stats_enabled=$stats"
	rm -rf "$work"
}
stats=$(sysctl -n kernel.bpf_stats_enabled)
trap end_agent EXIT
cd "$work"
# Without it nobody knows what BPF programs take.
sysctl -qw kernel.bpf_stats_enabled=1

mkfifo port
/usr/bin/python3 "$store" >port &
read -r port <port

# cpu PID: hundredths of a second of its threads so far.
cpu() {
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}
# bpf: microseconds of all BPF programs so far.
bpf() {
	cat /proc/[0-9]*/fdinfo/* 2>/dev/null | awk '/^prog_id:/ { id = $2 } /^run_time_ns:/ && !seen[id]++ { ns += $2 } END { printf "%d", ns / 1000 }'
}
hz=$(getconf CLK_TCK)
# settle PID SECONDS: until it has started: so long, and for 20 seconds more at most.
settle() {
	local tries=10 from
	sleep "$2"
	while from=$(cpu "$1"); sleep 2; [ $((($(cpu "$1") - from) * 100)) -gt $((8 * hz)) ] && [ $((tries -= 1)) -gt 0 ]; do
		:
	done
}
# agent LOAD HZ NAME FACTOR [OPTIONS...]
agent() {
	local load=$1 f=$2 name=$3 factor=$4 begin pid stat bytes s
	shift 4
	s=$((seconds * factor))
	: >pushed
	"$sberf" agent -a -F "$f" "$@" --push "pyroscope+http://127.0.0.1:$port" 2>err &
	pid=$!
	settle $pid $((start * factor))
	begin=$(cpu $pid) stat=$(bpf) bytes=$(awk '{ n += $1 } END { print n + 0 }' pushed)
	sleep $s
	awk -v load="$load" -v f="$f" -v name="$name" -v cpu=$(($(cpu $pid) - begin)) -v bpf=$(($(bpf) - stat)) -v hz="$hz" -v s=$s \
		-v b=$(($(awk '{ n += $1 } END { print n + 0 }' pushed) - bytes)) -v rss="$(awk '/^VmRSS/ { print $2 }' /proc/$pid/status)" \
		'BEGIN { printf "%s %s %d Hz: cpu_percent %.2f bpf_percent %.2f bytes_per_s %d rss_mb %d\n", load, name, f, cpu * 100 / hz / s,
			bpf / 1e4 / s, b / s, rss / 1024 }' | tee -a rows
	kill -INT $pid
	wait $pid || :
	grep -E 'max-cpu|took' err || :
}
# peer LOAD HZ. perf has one thread, of which the kernel counts nanoseconds: in hundredths of a second it takes nothing. It writes when its
# buffers are half full, at 19 Hz after 12 seconds and more, so bytes are of its whole life, but for what it writes of processes at first;
# its CPU time is that of the row.
peer() {
	local begin pid size from ns tries=20
	command -v perf >/dev/null || return 0
	rm -f perf.data
	from=$(date +%s%N)
	perf record -q -B -N -a -e cpu-clock -F "$2" -g -o perf.data 2>perf.err &
	pid=$!
	until [ -s perf.data ] || [ $((tries -= 1)) -lt 0 ]; do
		sleep 0.5
	done
	sleep 3
	if [ ! -s perf.data ] || [ ! -r /proc/$pid/schedstat ]; then
		echo "$1 perf-record-g $2 Hz: not measured: $(head -c 200 perf.err)"
		kill -INT $pid 2>/dev/null || :
		wait $pid || :
		return 0
	fi
	begin=$(cut -d ' ' -f 1 /proc/$pid/schedstat) size=$(stat -c %s perf.data)
	sleep "$seconds"
	ns=$(($(cut -d ' ' -f 1 /proc/$pid/schedstat) - begin))
	kill -INT $pid
	wait $pid || :
	awk -v load="$1" -v f="$2" -v ns=$ns -v s="$seconds" -v b=$(($(stat -c %s perf.data) - size)) -v life=$(($(date +%s%N) - from)) \
		'BEGIN { printf "%s perf-record-g %d Hz: cpu_percent %.3f bpf_percent 0 bytes_per_s %d rss_mb 0\n", load, f, ns / 1e7 / s, b * 1e9 / life }' |
		tee -a rows
}
for ((round = 0; round < rounds; round++)); do
	for load in idle busy storm; do
		if [ $load != idle ]; then
			/usr/bin/python3 -c 'import json, time
while True:
    for i in range(100): json.loads(json.dumps({"a": list(range(200))}))
    time.sleep(0.001)' &
			busy=$!
		fi
		if [ $load = storm ]; then
			# In a group of its own: its other half outlives the first.
			setsid perf bench sched pipe -l 1000000000 >/dev/null 2>&1 &
			pipe=$!
		fi
		agent $load 19 agent 1
		agent $load 19 agent-max-cpu-1% 3 --max-cpu 1%
		if [ $load != storm ]; then
			agent $load 97 agent 1
			peer $load 19
			peer $load 97
		fi
		end_load
	done
done
echo "medians of $rounds:"
sort -k1,4 rows | awk '{ key = $1 " " $2 " " $3 " " $4 } key != last { show() ; n = 0; last = key } { c[n] = $6; b[n] = $8; y[n] = $10; r[n] = $12; n++ }
	function median(a, i, k, t) { for (i = 1; i < n; i++) for (k = i; k && a[k - 1] > a[k]; k--) { t = a[k]; a[k] = a[k - 1]; a[k - 1] = t } return a[int(n / 2)] }
	function show() { if (n) printf "%s cpu_percent %s bpf_percent %s bytes_per_s %s rss_mb %s\n", last, median(c), median(b), median(y), median(r) }
	END { show() }'
