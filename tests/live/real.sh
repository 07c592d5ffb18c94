#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs from the distribution, as they are installed: 3 s at 3989 Hz each, at least 5,000 samples, at least 99 % of the user
# stacks complete.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

# long_enough FILE OPTIONS...: records for 3 s; where the machine is so busy that this gives less than 5,000 samples, for longer.
long_enough() {
	local file=$1 seconds
	shift
	for seconds in 3 9 30; do
		record "$file" -F 3989 --duration ${seconds}s "$@" || return 1
		[ "$(value "$file" oncpu_samples)" -lt 5000 ] || return 0
		note "only $(value "$file" oncpu_samples) samples in $seconds s"
	done
}

# judge NAME FILE FUNCTION: the figures of one recording.
judge() {
	local name=$1 file=$2 function=$3
	note "$name: $(cat "$file.err")"
	note "$name: $(value "$file" oncpu_samples) samples, $(cuts "$file")"
	at_least "$name: samples" 5000 "$(value "$file" oncpu_samples)"
	at_least "$name: percent of user stacks complete" 99 "$(value "$file" oncpu_complete_percent)"
	at_least "$name: bytes per sample on disk leave room below 64" 0 \
		"$(awk -v b="$(value "$file" file_bytes)" -v n="$(value "$file" oncpu_samples)" 'BEGIN { print 64 - b / n }')"
	"$SBERF" report -i "$file" --format folded >"$file.folded"
	check "$name: $function is in its stacks" grep -q "[;_]$function" "$file.folded"
}

redis() {
	local port=$((20000 + $$ % 20000)) server load
	redis-server --port "$port" --save '' --appendonly no --dir "$SCRATCH" >"$SCRATCH/redis.log" 2>&1 &
	server=$!
	also_kill "$server"
	wait_until 20 redis-cli -p "$port" ping || { result 1 "redis: server is up"; return; }
	redis-benchmark -p "$port" -q -l -t lrange,set,get -P 16 >"$SCRATCH/load.log" 2>&1 &
	load=$!
	also_kill "$load"
	long_enough "$SCRATCH/redis.data" -p "$server"
	result $? "redis: recording"
	kill "$load" "$server"
	judge redis "$SCRATCH/redis.data" processCommand
}

compiler() {
	# Enough source for more than three seconds of one compiler after another.
	cat >"$SCRATCH/unit.cc" <<-'CC'
		#include <algorithm>
		#include <functional>
		#include <iostream>
		#include <map>
		#include <regex>
		#include <string>
		#include <vector>
		int main(int argc, char **argv)
		{
			std::map<std::string, std::vector<std::function<int(int)>>> m;
			std::regex r("(a|b)*c[[:alpha:]]+");
			for (int i = 0; i < argc; i++)
				if (std::regex_match(argv[i], r))
					m[argv[i]].push_back([i](int x) { return x + i; });
			for (auto &[k, v] : m)
				std::cout << k << v.size() << std::endl;
		}
	CC
	# The command is sberf's own, so that every compiler belongs to the target from its first instruction.
	local seconds
	for seconds in 3 9 30; do
		record "$SCRATCH/cc.data" -F 3989 -- bash -c \
			'end=$((SECONDS + $2)); while [ $SECONDS -lt $end ]; do g++ -O2 -c -o "$1.o" "$1" & g++ -O1 -c -o "$1.p" "$1"; wait; done' \
			- "$SCRATCH/unit.cc" $seconds || break
		[ "$(value "$SCRATCH/cc.data" oncpu_samples)" -lt 5000 ] || break
		note "only $(value "$SCRATCH/cc.data" oncpu_samples) samples in $seconds s"
	done
	result $? "C++ compile: recording"
	judge "C++ compile" "$SCRATCH/cc.data" cc1plus
}

python() {
	/usr/bin/python3 "$top_srcdir/tests/workloads/busy.py" &
	also_kill $!
	long_enough "$SCRATCH/py.data" -p $!
	result $? "python3: recording"
	judge python3 "$SCRATCH/py.data" fib
}

if command -v redis-server >/dev/null; then redis; else skip "redis-server is not installed" "redis"; fi
if command -v g++ >/dev/null; then compiler; else skip "g++ is not installed" "C++ compile"; fi
if [ -x /usr/bin/python3 ]; then python; else skip "python3 is not installed" "python3"; fi
finish
