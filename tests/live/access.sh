#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# access.sh - addresses of accesses without a PMU, on a CPU that really waits: how many samples have one, whether it is the right one,
# and the share of far accesses that follows for each function.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture

# Enough samples that 5 points are more than four standard deviations of a share.
SAMPLES=3000

if ! "$top_builddir/tests/live/access" "$WORKLOADS/arrays" all "$SAMPLES" >"$SCRATCH/out" 2>"$SCRATCH/err"; then
	note "$(cat "$SCRATCH/err")"
fi
note "$(cat "$SCRATCH/out")"

# field NAME: the word after NAME in $line.
field() {
	sed -n "s/.* $1 \([0-9.]*\).*/\1/p" <<<"$line"
}

for way in stride gather chase store pair copy fill all; do
	line=$(grep "^$way " "$SCRATCH/out")
	at_least "$way: samples" "$SAMPLES" "$(field samples)"
	at_least "$way: percent of samples that give an address" 60 "$(field address)"
	at_least "$way: percent of these in the right array" 99 "$(field right)"
	[ "$way" = all ] && continue
	# Of an index that is in the caches and what it leads to, the latter is what is waited for. Where a CPU retires both at once (Sapphire
	# Rapids), the index comes last, and up to four of ten samples are taken for it.
	least=95
	[ "$way" != gather ] || least=50
	at_least "$way: percent of these in memory that is waited for" $least "$(field slow)"
	truth=$(field truth)
	# One instruction copies (rep movsb), and some processors let it be interrupted in some places only: 43 to 61 % was seen.
	points=5
	[ "$way" = copy ] && points=15
	between "$way: percent of far accesses" "$((truth - points))" "$((truth + points))" "$(field far)"
done
finish
