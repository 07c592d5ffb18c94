#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# replay.sh - a raw capture that is replayed makes the same profile as the capture that wrote it: samples, waits and their sums, hits of a
# probe.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 99

# folded FILE [OPTIONS...]: its stacks. BPF programs have names as long as they run: those of the capture are gone when it is replayed.
folded() {
	"$SBERF" report --format folded "${@:2}" -i "$1" | sed -E 's/;(bpf_prog_[^;]*|\[kernel\]\+0x[0-9a-f]+)_\[k\]/;[bpf]/g' |
		awk '{ weight = $NF; sub(/ [0-9]+$/, ""); sum[$0] += weight } END { for (stack in sum) print stack, sum[stack] }' | sort
}

# same NAME RECORD-OPTIONS...: records with a raw capture beside, replays that, and compares. What frames of Python are called is in the
# memory of a process that is gone when it is replayed.
same() {
	local name=$1
	shift
	record "$name.data" -F 997 --no-off-cpu --raw-capture "$name.raw" "$@"
	result $? "$name: a raw capture is written beside a recording"
	"$SBERF" record --replay "$name.raw" -o "$name.again" 2>"$name.err" &
	replay=$!
	# What reads the files of code has no privilege, and no file that it could open by itself.
	has_reader() {
		reader=$(pgrep -P $replay -f '^sberf-worker names$') &&
			[ "$(sed -n 's/^Seccomp:[[:space:]]*//p' "/proc/$reader/status")" = 2 ] || ! kill -0 $replay 2>/dev/null
	}
	wait_until 60 has_reader
	[ -z "$reader" ] || readers=$((readers + 1))
	wait $replay
	result $? "$name: it can be replayed"
	note "$(tail -1 "$name.err")"
	folded "$name.data" --python native >"$name.1"
	folded "$name.again" --python native >"$name.2"
	at_least "$name: stacks" "$stacks" "$(wc -l <"$name.1")"
	check "$name: the replay has the same stacks, each with the same weight" diff "$name.1" "$name.2"
	equal "$name: and lost the same" "$(value "$name.data" lost_ring_full)" "$(value "$name.again" lost_ring_full)"
	equal "$name: with as many samples" "$(value "$name.data" oncpu_samples)" "$(value "$name.again" oncpu_samples)"
}

stacks=3 readers=0 reader=
# A workload ends by SIGALRM.
# shellcheck disable=SC2016
for_a_second='"$0" 1 >/dev/null || :'
same copies -- sh -c "$for_a_second" "$WORKLOADS/chain"
same deep -- sh -c "$for_a_second" "$WORKLOADS/recurse"
# Processes that come and go, each with its mappings.
same children -- sh -c "$for_a_second" "$WORKLOADS/forkstorm"
# What had begun before.
start_workload mixed
same attached -p "$workload" --duration 1s
stop_workload
# shellcheck disable=SC2016
[ -x /usr/bin/python3 ] && same python -- sh -c 'timeout 2 /usr/bin/python3 "$0" || :' "$top_srcdir/tests/workloads/busy.py"

# near FILE1 FILE2: whether both have the same stacks, the same sum, and each its weight nearly. Samples that waited for files to be loaded
# were given their share of what a thread ran later than others; a replay waits for files itself. Nothing else may differ.
near() {
	awk '
		{ weight = $NF; sub(/ [0-9]+$/, "") }
		NR == FNR { was[$0] = weight; sum += weight; next }
		{ sum -= weight }
		!($0 in was) { print "only in the replay: " $0; bad++ }
		$0 in was {
			off = weight - was[$0]
			if (off < 0)
				off = -off
			if (off > 1003 + was[$0] / 20) {
				print $0 ": " was[$0] ", replayed " weight
				bad++
			}
			delete was[$0]
		}
		END {
			for (stack in was) {
				print "only in the capture: " stack
				bad++
			}
			if (sum > NR || sum < -NR) {
				print "the sums differ by " sum
				bad++
			}
			exit bad > 0
		}' "$1" "$2"
}

# same_waits NAME RECORD-OPTIONS...: the same with waits, and system calls counted by a probe.
same_waits() {
	local name=$1 metric
	shift
	record "$name.data" -F 997 --probe sys:clock_nanosleep --raw-capture "$name.raw" "$@"
	result $? "$name: a raw capture is written beside a recording"
	"$SBERF" record --replay "$name.raw" -o "$name.again" 2>"$name.err"
	result $? "$name: it can be replayed"
	for metric in on-cpu blocked runnable sys:clock_nanosleep; do
		folded "$name.data" --metric "$metric" >"$name.$metric.1"
		folded "$name.again" --metric "$metric" >"$name.$metric.2"
		at_least "$name: stacks of $metric" 1 "$(wc -l <"$name.$metric.1")"
		check "$name: the replay has the same stacks of $metric" near "$name.$metric.1" "$name.$metric.2"
	done
	for figure in oncpu_samples offcpu_waits offcpu_weight_us offcpu_blocked_us offcpu_runnable_us offcpu_open_waits \
		offcpu_outside_stacks offcpu_summed_waits lost_ring_full rate_asked_hz kernel_without; do
		equal "$name: $figure" "$(value "$name.data" $figure)" "$(value "$name.again" $figure)"
	done
}

start_workload mixed
same_waits waits -p "$workload" --duration 1200ms
same_waits sums -p "$workload" --duration 1200ms --unwind kernel
stop_workload

# Names of frames of Python were in the memory of the process: a replay says that they are missing.
if [ -x /usr/bin/python3 ]; then
	/usr/bin/python3 -c 'while True: pass' &
	python=$!
	also_kill $python
	wait_until 10 test "$(readlink "/proc/$python/exe")" != "$(readlink /proc/$$/exe)"
	# It is looked at before the first sample, if it is there already; else soon.
	for _ in 1 2 3 4 5; do
		record python.data -F 997 --duration 300ms --raw-capture python.raw -p $python
		[ "$(value python.data script_stacks)" -eq 0 ] || break
	done
	kill $python
	at_least "stacks with frames of Python" 1 "$(value python.data script_stacks)"
	"$SBERF" record --replay python.raw -o python.again 2>python.err
	matches "a replay has none, and says so" "sberf record: frames of Python are left out of [0-9]+ stacks: " "$(cat python.err)"
	equal "and counts none" 0 "$(value python.again script_stacks)"
fi

# Nothing else is taken for one.
head -c 100 /dev/zero >zeros
"$SBERF" record --replay zeros -o none.data 2>err
equal "another file: status 1" 1 $?
matches "and one sentence" "^sberf record: cannot replay 'zeros': it is no raw capture$" "$(cat err)"
size=$(stat -c %s copies.raw)
head -c $((size * 2 / 3)) copies.raw >cut.raw
check "one that is cut is replayed up to there" "$SBERF" record --replay cut.raw -o cut.data
at_least "samples of it" 20 "$(value cut.data oncpu_samples)"
at_least "replays whose names a process without privileges has read" 1 "$readers"
finish
