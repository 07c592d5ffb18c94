#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# again.sh LOG... - after a `make check` with failures: are they worth a second run? Status 0 says yes, and the logs of the
# failed scripts are kept beside them as NAME.first.log.
#
# Scripts watch real programs on real clocks, and a machine that is shared can take a CPU away for longer than any of them
# expects. What is wrong with sberf fails again; what the machine did does not. Programs of unit tests depend on no clock: one
# that fails once is broken, and so is a suite of which much fails.
set -eu

most=4

scripts=()
for log; do
	trs=${log%.log}.trs
	grep -q '^:recheck: yes' "$trs" 2>/dev/null || continue
	if [ ! -f "${AGAIN_SOURCES:-.}/${log%.log}.sh" ]; then
		echo "not run again: $log is no script"
		exit 1
	fi
	scripts+=("$log")
done
if [ ${#scripts[@]} -eq 0 ] || [ ${#scripts[@]} -gt $most ]; then
	echo "not run again: ${#scripts[@]} scripts failed"
	exit 1
fi
for log in "${scripts[@]}"; do
	cp "$log" "${log%.log}.first.log"
	echo "run again alone: ${log%.log}.sh"
	grep '^not ok\|^Bail out' "$log" | sed 's/^/    failed at first: /' || :
done
