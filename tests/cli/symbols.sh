#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# symbols.sh - the program shows libraries none of its functions, and none of them is called like one of theirs: a library that
# calls its own by the procedure linkage table would call ours.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
command -v nm >/dev/null && command -v ldd >/dev/null || skip_all "needs nm (binutils) and ldd"

# What libnuma lets a program define, so that it does not print (src/system/topology.c).
meant='numa_error
numa_warn'

ours() {
	nm --defined-only "$SBERF" | awk '$2 == "T" { print $3 }' | grep -v '^_' | sort -u
}

theirs() {
	ldd "$SBERF" | awk '$3 ~ "^/" { print $3 }' | while read -r library; do
		nm -D --defined-only "$library" 2>/dev/null
	done | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u
}

# Libraries with the run-time parts of sanitizers define what they please.
visible() {
	nm -D --defined-only "$SBERF" | awk '$2 == "T" || $2 == "W" { print $3 }' | grep -vE '^(_|.*(asan|ubsan|sanitizer|interceptor))' | sort
}

ours >"$SCRATCH/ours"
theirs >"$SCRATCH/theirs"
check "there are functions to compare" test "$(wc -l <"$SCRATCH/ours")" -gt 100 -a "$(wc -l <"$SCRATCH/theirs")" -gt 1000
equal "no function is called like one of a library" "$meant" "$(comm -12 "$SCRATCH/ours" "$SCRATCH/theirs")"
equal "libraries see those two and nothing else" "$meant" "$(visible)"
finish
