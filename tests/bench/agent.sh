#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# agent.sh - what an agent that captures the whole machine costs at 19 and 97 Hz, where nothing runs and where two programs do, beside
# perf record of the same: CPU in percent of one (sberf: with its BPF programs; perf: as the kernel counts it, without what its interrupts
# take), and bytes a second that are pushed to a store of each kind, or that perf writes. A row is what SECONDS showed, after as long a
# start as the first window takes; rounds are interleaved.
set -eu
work=$(mktemp -d)
store=$(cd "$(dirname "$0")" && pwd)/store.py
sberf=${SBERF:?is set by make bench}
seconds=${SECONDS_EACH:-30} rounds=${ROUNDS:-3}
# shellcheck disable=SC2317  # by trap
end_agent() {
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
# agent LOAD HZ KIND
agent() {
	local begin pid stat bytes
	: >pushed
	"$sberf" agent -a -F "$2" --push "$3+http://127.0.0.1:$port" 2>err &
	pid=$!
	sleep 12
	begin=$(cpu $pid) stat=$(bpf) bytes=$(awk '{ n += $1 } END { print n + 0 }' pushed)
	sleep "$seconds"
	awk -v load="$1" -v f="$2" -v kind="$3" -v cpu=$(($(cpu $pid) - begin)) -v bpf=$(($(bpf) - stat)) -v hz="$hz" -v s="$seconds" \
		-v b=$(($(awk '{ n += $1 } END { print n + 0 }' pushed) - bytes)) -v rss="$(awk '/^VmRSS/ { print $2 }' /proc/$pid/status)" \
		'BEGIN { printf "%s agent-%s %d Hz: cpu_percent %.2f bpf_percent %.2f bytes_per_s %d rss_mb %d\n", load, kind, f, cpu * 100 / hz / s,
			bpf / 1e4 / s, b / s, rss / 1024 }' | tee -a rows
	kill -INT $pid
	wait $pid || :
}
# peer LOAD HZ
peer() {
	local begin pid size
	command -v perf >/dev/null || return 0
	perf record -q -a -e cpu-clock -F "$2" -g -o perf.data 2>/dev/null &
	pid=$!
	sleep 3
	begin=$(cpu $pid) size=$(stat -c %s perf.data)
	sleep "$seconds"
	awk -v load="$1" -v f="$2" -v cpu=$(($(cpu $pid) - begin)) -v hz="$hz" -v s="$seconds" -v b=$(($(stat -c %s perf.data) - size)) \
		'BEGIN { printf "%s perf-record-g %d Hz: cpu_percent %.2f bpf_percent 0 bytes_per_s %d rss_mb 0\n", load, f, cpu * 100 / hz / s, b / s }' |
		tee -a rows
	kill -INT $pid
	wait $pid || :
}
for ((round = 0; round < rounds; round++)); do
	for load in idle busy; do
		busy=
		if [ $load = busy ]; then
			/usr/bin/python3 -c 'import json
while True: json.loads(json.dumps({"a": list(range(200))}))' &
			busy=$!
			perf bench sched pipe -l 1000000000 >/dev/null 2>&1 &
			busy="$busy $!"
		fi
		for f in 19 97; do
			agent $load $f pyroscope
			peer $load $f
		done
		[ -z "$busy" ] || { kill $busy; wait $busy 2>/dev/null || :; }
	done
done
echo "medians of $rounds:"
sort -k1,4 rows | awk '{ key = $1 " " $2 " " $3 " " $4 } key != last { show() ; n = 0; last = key } { c[n] = $6; b[n] = $8; y[n] = $10; r[n] = $12; n++ }
	function median(a, i, k, t) { for (i = 1; i < n; i++) for (k = i; k && a[k - 1] > a[k]; k--) { t = a[k]; a[k] = a[k - 1]; a[k - 1] = t } return a[int(n / 2)] }
	function show() { if (n) printf "%s cpu_percent %s bpf_percent %s bytes_per_s %s rss_mb %s\n", last, median(c), median(b), median(y), median(r) }
	END { show() }'
