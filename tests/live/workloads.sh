#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs of known truth, captured live: shares within 3 points, completeness of at least 99.5 % of user stacks.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"
need_capture
cd "$SCRATCH" || exit 99

# complete NAME REGEX [ARGS...]: records the workload; its stacks are complete and go through REGEX (of a folded line).
complete() {
	local name=$1 regex=$2
	shift 2
	if [ ! -x "$WORKLOADS/$name" ]; then
		skip "$name could not be built on this machine" "$name"
		return
	fi
	start_workload "$name" "$@" || { result 1 "$name: is ready"; return; }
	record "$name.data" -F 997 -p "$workload" --duration 2s
	result $? "$name: recording"
	stop_workload
	note "$name: $(value "$name.data" oncpu_samples) samples $(cuts "$name.data")"
	at_least "$name: samples" 100 "$(value "$name.data" oncpu_samples)"
	at_least "$name: percent of user stacks complete" 99.5 "$(value "$name.data" oncpu_complete_percent)"
	"$SBERF" report -i "$name.data" --format folded >"$name.folded"
	at_least "$name: percent of time in stacks like $regex" 90 "$(share "$name.folded" "$regex")"
}
