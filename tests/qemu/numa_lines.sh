# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# numa_lines.sh - sourced by tests of machines with several nodes, behind guest.sh: what a guest printed, $SCRATCH/out, has the
# lines of each report of each recording with both their names before them.

# lines NAME REPORT: one report of one recording.
lines() {
	sed -n "s/^$1 $2: //p" "$SCRATCH/out"
}

value() {
	lines "$1" summary | sed -n "s/^$2: //p"
}

# between TITLE LOW HIGH NUMBER
between() {
	note "$1: $4 ($2 to $3)"
	result "$(awk -v a="$4" -v l="$2" -v h="$3" 'BEGIN { print (a != "" && a + 0 >= l + 0 && a + 0 <= h + 0) ? 0 : 1 }')" "$1"
}

# resident NAME KIND NODE: MB of it by the report.
resident() {
	lines "$1" numa | awk -v k="$2" -v n="$3" '/^processes/ { on = 1 } on && $1 == k && $2 == "node" && $3 == n {
		v = $4; sub(/^~/, "", v); print $5 == "GB" ? v * 1000 : $5 == "KB" || $5 == "kB" ? v / 1000 : v; found = 1; exit }
		END { if (!found) print 0 }'
}

# cells NAME THREAD COLUMN: what stands in a column of the table of threads, one line for each thread of that name: running away
# share home now moves far accesses.
cells() {
	lines "$1" numa | sed -n '/^threads/,/^$/s/\([0-9]\) \([mun]*s\|%\)/\1\2/gp' | awk -v t="$2" -v c="$3" '
		BEGIN { n = split("running away share home now moves far accesses", a); for (i = 1; i <= n; i++) at[a[i]] = i }
		$(NF - 1) == t && NF == 10 { print $at[c] }'
}

# thread NAME THREAD COLUMN: the same of the first as a number; 0 for nothing.
thread() {
	cells "$1" "$2" "$3" | sed -n '1s/[~%]//g; 1s/^·$/0/; 1p'
}
