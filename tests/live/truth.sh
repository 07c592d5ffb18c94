# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# truth.sh - sourced after live.sh by tests of time off the CPU: what programs measured of themselves (tests/workloads/truth.h), and
# what reports say of the same.

# truth FILE NAME KEY: a figure (ns, or a count) that a workload told in its output FILE of the function or "thread:NAME".
truth() {
	awk -v name="$2" -v key="$3" '$1 == "truth:" && $2 == name { for (i = 3; i < NF; i += 2) if ($i == key) print $(i + 1) }' "$1"
}

# near TITLE PERCENT WANTED GOT: passed when GOT is within PERCENT of WANTED, which is not 0; says both, and by how much they differ.
near() {
	note "$1: $4, in truth $3: $(awk -v w="$3" -v g="$4" 'BEGIN { if (w + 0 != 0) printf("%+.2f %%", 100 * (g - w) / w) }')"
	result "$(awk -v w="$3" -v g="$4" -v p="$2" 'BEGIN { d = g - w
		print (w + 0 > 0 && g != "" && (d < 0 ? -d : d) <= w * p / 100) ? 0 : 1 }')" "$1"
}
