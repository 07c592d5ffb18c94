#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# unwind_short.sh - programs of a tenth of a second, one after the other: each is made known when it is first seen, not in its turn, which
# comes some milliseconds later. What it was before is left alone: machines differ in how many samples they take then. And children of a
# program that forks without end. Alone, since beside others the kernel takes more of the time of each fork.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

cat >short.sh <<'SH'
end=$((${EPOCHREALTIME/./} + 100000))
while ((${EPOCHREALTIME/./} < end)); do :; done
SH
# shellcheck disable=SC2016  # for the inner shell
record short.data -F 997 --no-off-cpu --unwind kernel -- "$BASH" -c 'for i in {1..30}; do "$BASH" short.sh; done'
note "short programs: $(value short.data unwound_kernel_percent) % walked in the kernel, copied because of:$(reasons short.data)"
at_least "short programs: stacks" 1500 "$(value short.data user_samples)"
check "short programs: at most 5 % are copied as nothing is known of them" \
	test $((20 * $(value short.data walk_no_space))) -le "$(value short.data user_samples)"
equal "short programs: none is stale" 0 "$(value short.data cut_stale)"

if start_workload forkstorm; then
	record forks.data -F 997 -p "$workload" --duration 2s
	result $? "forks: recording"
	stop_workload
	"$SBERF" report -i forks.data --format folded --no-inline >forks.folded
	at_least "forks: samples" 50 "$(value forks.data oncpu_samples)"
	at_least "forks: percent of user stacks complete" 99.5 "$(value forks.data oncpu_complete_percent)"
	# What the kernel takes to fork, execute and exit is as the machine has it: 87.8 to 91 % of all time was seen under child_burn.
	grep -v '_\[k\]' forks.folded >user.folded
	at_least "forks: percent of the time in user code under main;child_burn" 90 "$(share user.folded ';main;child_burn')"
else
	result 1 "forks: is ready"
fi
finish
