#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# numa.sh - where accesses, first touches and memory are, on a machine with one node: real programs, a workload of known truth, and what is
# said when it was not asked for. Machines with several nodes: tests/qemu/numa.sh. Accuracy of addresses: access.sh.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
[ "$(cat /sys/devices/system/node/online 2>/dev/null)" = 0 ] || skip_all "this is about machines with one node"

# percent FILE: of the samples that landed in user code, those with an address whose page was found.
percent() {
	"$SBERF" report -i "$1" --format summary | awk '
		/^numa_accesses: / { a = $2 } /^numa_miss_kernel: / { k = $2 } /^numa_miss_/ { all += $2 }
		END { if (a + all > k) printf "%.1f", 100 * a / (a + all - k) }'
}

# 400 MB, touched page by page in a function of known name, and then nothing.
"$SBERF" record -e cpu-clock -F 997 --numa -o "$SCRATCH/t.data" -- "$WORKLOADS/toucher" 400 3000 >"$SCRATCH/truth" 2>"$SCRATCH/err"
result $? "toucher: recorded"
"$SBERF" report -i "$SCRATCH/t.data" --format numa >"$SCRATCH/t.txt"
note "$(head -n 30 "$SCRATCH/t.txt")"
truth=$(sed -n 's/^truth: first_touch count //p' "$SCRATCH/truth")
between "toucher: faults that the samples stand for" $((truth * 75 / 100)) $((truth * 125 / 100 + 300)) "$(value "$SCRATCH/t.data" numa_faults)"
check "toucher: one node is said to be one" grep -q '^1 node: all memory is near' "$SCRATCH/t.txt"
check "toucher: the first touches are those of first_touch" \
	awk '/^first touches/ { on = 1 } on && /first_touch › main/ { found = 1; exit } on && /›/ { exit } END { exit !found }' "$SCRATCH/t.txt"
# What is resident, by kind: all that was touched is private memory without a file.
between "toucher: MB of private memory, estimated" 380 420 "$("$SBERF" report -i "$SCRATCH/t.data" --format numa |
	awk '/^memory by what it is for/ { on = 1 } on && / anon$/ { v = $1; u = $2; sub(/^~/, "", v); print u == "GB" ? v * 1000 : v; exit }')"

# One that does nothing but wait for memory, for 2 s.
"$SBERF" record -e cpu-clock -F 499 --numa -o "$SCRATCH/a.data" -- "$WORKLOADS/arrays" 2 >/dev/null 2>"$SCRATCH/err"
equal "arrays: its status (SIGALRM)" 142 $?
at_least "arrays: percent of user samples with an address" 60 "$(percent "$SCRATCH/a.data")"
equal "arrays: nothing is far" 0.00 "$(value "$SCRATCH/a.data" numa_far_percent)"

# A target that is gone when its memory is looked at again: what it was like before is still told. The profiler stands still meanwhile.
start_workload arrays 60
"$SBERF" record -e cpu-clock --numa -o "$SCRATCH/gone.data" -p "$workload" 2>"$SCRATCH/gone.err" &
recorder=$!
also_kill "$recorder"
wait_until 20 eval 'grep -qs sberf-engine /proc/$recorder/task/*/comm'
memory_is_told() {
	"$SBERF" report -i "$SCRATCH/gone.data" --format numa | sed -n '/^memory by what it is for/,/^$/p' | grep -Eq '~?[0-9.]+ MB .* anon'
}
check "gone: its memory is looked at while it runs" wait_until 60 memory_is_told
kill -STOP "$recorder"
stop_workload
sleep 2.2                # surveys are 2 s apart: the next one is due when the profiler goes on, however much later that is
kill -CONT "$recorder"
wait "$recorder"
equal "gone: the recording ends with its target" 0 $?
matches "gone: what its memory was is told" '~?[0-9.]+ MB .* anon' "$("$SBERF" report -i "$SCRATCH/gone.data" --format numa |
	sed -n '/^memory by what it is for/,/^$/p' | tr '\n' ' ')"
check "gone: and where its thread was" \
	eval '"$SBERF" report -i "$SCRATCH/gone.data" --format numa | sed -n "/^threads/,/^$/p" | grep -q arrays'

# A server from the distribution, whose keys are on its heap or in anonymous memory.
redis() {
	local port=$((20000 + $$ % 20000)) server load file=$SCRATCH/redis.data rss
	redis-server --port "$port" --save '' --appendonly no --dir "$SCRATCH" >"$SCRATCH/redis.log" 2>&1 &
	server=$!
	also_kill "$server"
	wait_until 20 redis-cli -p "$port" ping || { result 1 "redis: server is up"; return; }
	redis-benchmark -p "$port" -q -t set -r 500000 -n 1000000 -d 100 -P 64 >/dev/null
	redis-benchmark -p "$port" -q -l -t get -r 500000 -P 16 >"$SCRATCH/load.log" 2>&1 &
	load=$!
	also_kill "$load"
	record "$file" --numa -F 1997 --duration 3s -p "$server"
	result $? "redis: recorded"
	rss=$(awk '/^VmRSS/ { print $2 * 1024 }' "/proc/$server/status")
	kill "$load" "$server"
	note "$("$SBERF" report -i "$file" --format summary | grep '^numa_')"
	at_least "redis: percent of user samples with an address" 60 "$(percent "$file")"
	"$SBERF" report -i "$file" --format numa >"$SCRATCH/redis.txt"
	note "$(grep -A12 '^memory by' "$SCRATCH/redis.txt")"
	between "redis: what is resident, of VmRSS, in percent" 85 115 "$(awk -v rss="$rss" '
		/^memory by what it is for/ { on = 1; next } on && /^$/ { exit }
		on && $2 ~ /^[kMGT]?B$/ { v = $1; sub(/^~/, "", v); f = $2 == "GB" ? 1e9 : $2 == "MB" ? 1e6 : $2 == "kB" ? 1e3 : 1; sum += v * f }
		END { printf "%.1f", 100 * sum / rss }' "$SCRATCH/redis.txt")"
	check "redis: those who wait for memory look up keys" grep -qE '(dictFind|lookupKey|dictSdsKeyCompare|dictSdsHash|siphash)' "$SCRATCH/redis.txt"
}
if command -v redis-server >/dev/null && command -v redis-benchmark >/dev/null; then
	redis
else
	skip "redis is not installed" "redis"
fi

# Code that a run-time compiler made has no file: it is read from memory.
if command -v node >/dev/null; then
	cat >"$SCRATCH/gather.js" <<-'JS'
		const a = new Float64Array(8 << 20).fill(1.5), at = new Int32Array(8 << 20);
		for (let i = 0; i < at.length; i++) at[i] = Math.imul(i, 2654435761) & (8 << 20) - 1;
		function gather() { let s = 0; for (let i = 0; i < at.length; i++) s += a[at[i]]; return s; }
		const end = Date.now() + 2500;
		while (Date.now() < end) gather();
	JS
	record "$SCRATCH/node.data" --numa -F 997 -- node "$SCRATCH/gather.js"
	result $? "node: recorded"
	at_least "node: percent of user samples with an address" 60 "$(percent "$SCRATCH/node.data")"
else
	skip "node is not installed" "node"
fi

# Not asked for, on one node: nothing is sampled, and what asks for it is told why there is nothing.
record "$SCRATCH/none.data" -- "$WORKLOADS/toucher" 20 300 >/dev/null
equal "one node: accesses are not sampled unasked" no "$(value "$SCRATCH/none.data" numa_sampled)"
record "$SCRATCH/never.data" --no-numa -- "$WORKLOADS/toucher" 20 300 >/dev/null
matches "--no-numa: --far says that there are no accesses in it" 'without --numa' \
	"$("$SBERF" report -i "$SCRATCH/never.data" --far 2>&1 >/dev/null)"
finish
