#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# export.sh - bytes on disk for each sample of a recording, beside those of perf for the same program, and what the formats cost
# that tell of each sample. Root only.
set -eu
seconds=4
hz=4999
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=$top_builddir/tests/workloads/bin/shares

TIMEFORMAT=%R

# line TITLE SECONDS FILE SAMPLES
line() {
	awk -v title="$1" -v s="$2" -v bytes="$(stat -c %s "$3")" -v n="$4" 'BEGIN {
		printf "  %-36s %8s %12d %10.1f\n", title, s, bytes, n ? bytes / n : 0 }'
}

"$SBERF" record -e cpu-clock -F $hz -o "$work/s.data" -- "$program" $seconds >/dev/null 2>&1 || :
n=$("$SBERF" report --format summary "$work/s.data" | sed -n 's/^oncpu_samples: //p')
printf '%s s at %s Hz: %s samples\n' $seconds $hz "$n"
printf '  %-36s %8s %12s %10s\n' "" seconds bytes "a sample"
line "sberf record" "" "$work/s.data" "$n"
if command -v perf >/dev/null; then
	for how in fp dwarf; do
		# The program ends by an alarm, and perf after its manner.
		{ perf record -q -e cpu-clock -F $hz --call-graph $how -o "$work/p.data" -- "$program" $seconds; } \
			>/dev/null 2>&1 || :
		got=$(perf script -i "$work/p.data" -F time --no-inline -G 2>/dev/null | grep -c .) || got=0
		line "perf record --call-graph $how" "" "$work/p.data" "$got"
	done
else
	echo "  (perf is not installed: nothing to compare with)"
fi
for format in folded svg pprof firefox perf-script perf-data; do
	took=$({ time "$SBERF" report --format $format "$work/s.data" -o "$work/out" 2>/dev/null; } 2>&1)
	line "sberf report --format $format" "$took" "$work/out" "$n"
done
