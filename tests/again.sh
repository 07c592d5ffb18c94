#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# again.sh LOG... - after a `make check` with failures: are they worth a second run? Status 0 says yes, and the logs of the
# failed tests are kept beside them as NAME.first.log.
#
# Tests watch real programs on real clocks, or order threads, and a machine that is shared can take a CPU away for longer than any of
# them expects. What is wrong with sberf fails again; what the machine did does not. What failed and then passed is named in the last
# lines (totals.sh), so that who passes by chance is found. A suite of which much fails is broken, and is not run again.
set -eu

most=8

failed=()
for log; do
	trs=${log%.log}.trs
	grep -q '^:recheck: yes' "$trs" 2>/dev/null || continue
	failed+=("$log")
done
if [ ${#failed[@]} -eq 0 ] || [ ${#failed[@]} -gt $most ]; then
	echo "not run again: ${#failed[@]} tests failed"
	exit 1
fi
for log in "${failed[@]}"; do
	cp "$log" "${log%.log}.first.log"
	echo "run again alone: ${log%.log}"
	grep '^not ok\|^Bail out\|^\[  FAILED  \]' "$log" | sed 's/^/    failed at first: /' || :
done
