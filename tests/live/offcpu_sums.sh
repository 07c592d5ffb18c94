#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Short waits that the kernel half sums up (--unwind kernel): all of them are there, each with its stack, and none is sampled. Against
# what programs measured of themselves, and the same totals as without sums.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
. "$top_srcdir/tests/live/truth.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

# A storm of two threads that hand over to each other.
watch handoff --unwind kernel -- handoff
note "$("$SBERF" report -i handoff.data --format summary | grep -E '^(offcpu|unwound|walk|lost)_' | grep -v ': 0$')"
equal "handoff: nothing is lost" 0 "$(lost_of handoff.data)"
# Each of 500 waits of 4 ms may have had another holder of what it is for.
at_least "handoff: waits that were told one by one" 450 $(($(value handoff.data offcpu_waits) - $(value handoff.data offcpu_summed_waits)))
equal "handoff: there was room for all" 0 "$(value handoff.data offcpu_unsummed_waits)"
at_least "handoff: percent of stacks complete" 99 "$(value handoff.data offcpu_complete_percent)"
for side in ping pong; do
	near "handoff: blocked in ${side}_waits" 2 "$(truth handoff.out ${side}_waits blocked)" "$(time_in handoff.data blocked ${side}_waits)"
	near "handoff: and that in futex" 0.1 "$(time_in handoff.data blocked ${side}_waits)" \
		"$(time_in handoff.data blocked ${side}_waits --syscall futex)"
done
check "handoff: what the kernel did meanwhile is there" eval 'folded handoff.data blocked | grep -q "ping_waits;.*futex_wait[a-z_]*_\[k\]"'

# Waits of one call, thread and user's stack, which only the kernel's stack tells apart.
watch apart --unwind kernel -- apart 3
at_least "apart: percent of waits that were summed" 80 \
	"$((100 * $(value apart.data offcpu_summed_waits) / ($(value apart.data offcpu_waits) + 1)))"
near "apart: off the CPU in the pipe" 5 "$(truth apart.out pipe off)" "$(time_in apart.data off-cpu 'waits;([^;]*;)*[a-z_]*pipe_read_\[k\]')"
near "apart: off the CPU in the socket" 5 "$(truth apart.out socket off)" \
	"$(time_in apart.data off-cpu 'waits;([^;]*;)*unix_stream_recvmsg_\[k\]')"

# Short and long waits in one call: what is extrapolated above all without sums.
"$WORKLOADS/mixed" first "$SBERF" record --unwind kernel -e cpu-clock -o mixed.data -- taskset -c 0 "$WORKLOADS/mixed" 5 >mixed.out 2>mixed.err
equal "mixed: recorded, status" 0 $?
note "$(tail -n 1 mixed.err)"
near "mixed: off-CPU in long_waits" 3 "$(truth mixed.out long_waits off)" "$(time_in mixed.data off-cpu long_waits)"
if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	near "mixed: off-CPU in short_waits" 2 "$(truth mixed.out short_waits off)" "$(time_in mixed.data off-cpu short_waits)"
else
	skip "no tracefs is mounted" "mixed: off-CPU in short_waits"
fi
at_least "mixed: waits" $(($(truth mixed.out short_waits count) + $(truth mixed.out long_waits count))) "$(value mixed.data offcpu_waits)"
at_least "mixed: percent of waits that were summed" 80 \
	"$((100 * $(value mixed.data offcpu_summed_waits) / ($(value mixed.data offcpu_waits) + 1)))"
between "mixed: percent extrapolated" 0 10 "$(value mixed.data offcpu_extrapolated_percent)"

# Stopped long after the kernel's sums were read last, which is done once a second: nothing of them is missing, or there twice.
start_workload handoff 0 1 100000000
result $? "stopped: handoff is ready"
record stopped.data --unwind kernel -p "$workload" --duration 1.9s
equal "stopped: recorded, status" 0 $?
near "stopped: what three threads did all the time" 8 $((3 * $(lasted stopped.data))) "$(whole stopped.data wall)"
near "stopped: and so say the figures" 1 "$(whole stopped.data off-cpu)" "$(($(value stopped.data offcpu_weight_us) * 1000))"

# Live, sums are seen when they are read: who waits in them may be behind, by them, who waits all the time is not, and nobody is ahead.
# When the target has ended all is there.
if command -v python3 >/dev/null; then
	cat >walls.py <<'END'
import json, sys
text, at, decoder = open(sys.argv[1]).read(), 0, json.JSONDecoder()
while at < len(text):
    doc, at = decoder.raw_decode(text, at)
    at += 1
    wall = {t["name"]: sum(t.get(k + "_ns", 0) for k in ("running", "runnable", "blocked")) for t in doc["threads"]}
    print(*("%s %d" % (name, wall.get(name, 0)) for name in ("handoff", "ping", "pong")), doc["figures"]["offcpu_summed_waits"])
END
	"$SBERF" top -e cpu-clock --unwind kernel -b -n 5 -d 700ms --format json --metric wall -p "$workload" >live.json 2>live.err
	equal "live: five documents, status" 0 $?
	python3 walls.py live.json >live.walls
	note "$(cat live.walls)"
	equal "live: five documents" 5 "$(grep -c . live.walls)"
	# A wait of which nobody has told yet that it ended goes on, until it is looked for again: a quarter of a second.
	check "live: no thread is ahead of the one that does nothing but wait" awk -v late=300000000 '
		$4 > $2 * 1.02 + late || $6 > $2 * 1.02 + late { bad = 1 } END { exit bad || !NR }' live.walls
	check "live: none loses what it had" awk -v late=300000000 '
		$4 < ping - late || $6 < pong - late { bad = 1 } { ping = $4; pong = $6 } END { exit bad || !NR }' live.walls
	at_least "live: waits that were summed" 1 "$(tail -n 1 live.walls | cut -d ' ' -f 7)"
	"$SBERF" top -e cpu-clock --unwind kernel -b -d 1h --format json --metric wall -- "$WORKLOADS/handoff" 0 1 900 >ended.json 2>ended.out
	equal "ended: status" 0 $?
	python3 walls.py ended.json >ended.walls
	note "$(cat ended.walls)"
	for i in 4:ping 6:pong; do
		near "ended: what ${i#*:} did all its life" 8 "$(truth ended.out "thread:${i#*:}" life)" "$(cut -d ' ' -f ${i%:*} ended.walls)"
	done
else
	skip "python3 is not installed" "live: five documents"
fi
stop_workload

# With wakers each wait has its own, and none is summed.
record wakers.data --unwind kernel --wakers --duration 1s -- "$WORKLOADS/handoff" 2 >/dev/null
equal "wakers: nothing is summed" 0 "$(value wakers.data offcpu_summed_waits)"
# Without walks nothing is, either.
record copy.data --unwind copy --duration 1s -- "$WORKLOADS/handoff" 2 >/dev/null
equal "--unwind copy: nothing is summed" 0 "$(value copy.data offcpu_summed_waits)"
finish
