#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_budget.sh - what hits of probes in a program cost is said, and kept within --budget: the probes are in place for a part of the time.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

probe=uprobe:paced:paced
# calls FILE: how many are in the recording, in percent of what the program did in its time, as it says each second: 20 in each ms, or
# fewer where it does not get its CPU.
calls() {
	"$SBERF" report -i "$1" --metric "$probe" --format json | python3 -c 'import json, sys
r = json.load(sys.stdin)
rates = [int(x) for x in sys.argv[1].split()]
print(100 * r["tree"][0].get("count", 0) * len(rates) / (sum(rates) * r["figures"]["duration_seconds"]))' "$rates" 2>&1
}
# rates: what it said since this was asked last.
rates() {
	timeout 1.2 cat <&"$workload_out" | tr '\n' ' '
}
start_workload paced 60 20

rates=$(rates)
check "within a budget: recorded" record few.data -p "$workload" --probe $probe --duration 3s
rates=$(rates)
note "$(cat few.data.err)" "calls a second: $rates"
# Its first instruction is single-stepped: 12.7 us 20,000 times a second are a quarter of a CPU.
between "it says how often it is hit" 12000 25000 "$(value few.data probe_hits_per_second)"
between "and what that costs, in percent" 10 60 "$(value few.data probe_cost_percent)"
between "in place for one of so many parts of the time" 3 12 "$(value few.data probe_slices)"
matches "the price is said at once" 'probes: [0-9,]+ hits a second, which cost the target [0-9.]+ % of one CPU: more than --budget.*1/' "$(cat few.data.err)"
matches "when it was off is recorded" '  from [0-9.]+ m?s to [0-9.]+ m?s in place for [0-9.]+ % of the time \(--budget\)' \
	"$("$SBERF" report -i few.data --format probes)"
between "percent of the calls, as they are estimated" 70 135 "$(calls few.data)"

check "without one: recorded" record all.data -p "$workload" --probe $probe --duration 2s --budget none
rates=$(rates)
note "$(cat all.data.err)" "calls a second: $rates"
equal "never off" 0 "$("$SBERF" report -i all.data --format probes | grep -c ' of the time (--budget)')"
equal "always in place" 1 "$(value all.data probe_slices)"
# In the first moments a target is looked at, it is not probed yet.
between "percent of the calls" 85 115 "$(calls all.data)"
equal "the price is said, too" 1 "$(grep -c 'hits a second, which cost the target [0-9.]* % of one CPU$' all.data.err)"

# What costs little stays in place.
check "a budget that suffices: recorded" record enough.data -p "$workload" --probe $probe --duration 1s --budget 90
equal "always in place, too" 1 "$(value enough.data probe_slices)"
stop_workload

# Of a system call that is made too often fewer stacks are taken; it is counted as ever, as with any budget.
sum() {
	"$SBERF" report -i "$1" --metric sys:read --format json | python3 -c 'import json, sys
r = json.load(sys.stdin)
print(r["tree"][0].get("count", 0))'
}
for budget in 5 none; do
	check "system calls, --budget $budget: recorded" record sys.data --budget $budget --probe sys:read -- \
		dd if=/dev/zero of=/dev/null bs=1 count=600000
	note "$(cat sys.data.err)"
	# The loader reads headers of libraries.
	between "--budget $budget: each call is counted" 600000 600020 "$(sum sys.data)"
	"$SBERF" report -i sys.data --format probes >probes
	equal "the price of a hit is known" 1 "$(grep -c '^  a hit costs [0-9.]* [nu]s$' probes)"
	equal "in place all the time" 1 "$(value sys.data probe_slices)"
done
equal "with no budget each is told" 1 "$(value sys.data probe_told_each)"
equal "and nothing else is said" 1 "$(grep -c 'hits a second, which cost the target [0-9.]* % of one CPU$' sys.data.err)"
record sys.data --budget 1 --probe sys:read --probe t:syscalls:sys_enter_write --probe fault -- \
	dd if=/dev/zero of=/dev/null bs=1 count=600000
at_least "else one in so many" 2 "$(value sys.data probe_told_each)"
matches "which is said" 'more than --budget, so of one hit in [0-9]* the stack is taken; totals are exact' "$(cat sys.data.err)"
"$SBERF" report -i sys.data --format probes >probes
equal "a price has each" 3 "$(grep -c '^  a hit costs [0-9.]* [nu]s$' probes)"

# A trace has a line for each, and says the price alone.
"$SBERF" trace --budget 1 --probe sys:read -o lines -- dd if=/dev/zero of=/dev/null bs=1 count=100000 2>err >/dev/null
between "a trace: a line for each" 100000 100020 "$(grep -c ' read(' lines)"
equal "and nothing is said of stacks" "1 0" "$(grep -c 'hits a second, which cost' err) $(grep -c 'the stack is taken' err)"

for bad in -1 much 5x; do
	"$SBERF" record -o bad.data --budget "$bad" --probe $probe -- true 2>err
	equal "--budget $bad, status" 2 $?
	equal "--budget $bad: one sentence, and a hint at most" 1 "$(($(wc -l <err) < 3))"
done

# A recording without probes in programs knows nothing of it.
record none.data -- true
equal "without probes" unknown "$(value none.data probe_slices)"
finish
