#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# style-report.sh - sizes of functions and files beside our budget. A hint for reviews, not a test: it always succeeds.
#
# Functions are found by their braces in column 0, so tables (which end in "};") are left out.
cd "$(dirname "$0")/.." || exit 1

find src ui bpf -name '*.c' | sort | while read -r file; do
	awk -v file="$file" '
		/^\{/ { start = NR; name = previous }
		/^\}$/ && start { print NR - start - 1, file ":" start, name; start = 0 }
		/^[a-zA-Z_].*\(/ { previous = $0 }' "$file"
done | sort -n >"${TMPDIR:-/tmp}/style-report.$$"
trap 'rm -f "${TMPDIR:-/tmp}/style-report.$$"' EXIT

awk '{ n[NR] = $1 }
	END {
		if (NR)
			printf "functions: %d, median %d (budget 15), p90 %d (45), max %d (80)\n", NR, n[int((NR + 1) / 2)], n[int(NR * 0.9 + 0.5)], n[NR]
	}' "${TMPDIR:-/tmp}/style-report.$$"
awk '$1 > 80 { print "over 80 lines: " $0 }' "${TMPDIR:-/tmp}/style-report.$$"
find src ui bpf tests -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" && $1 > 600 { print "over 600 lines: " $2 " (" $1 ")" }'
find src ui bpf tests -name '*.[ch]' | while read -r file; do
	expand -t8 "$file" | awk -v file="$file" 'length($0) > 128 { print "over 128 columns: " file ":" NR }'
done
