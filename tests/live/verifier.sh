#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# verifier.sh - how many instructions the kernel's verifier looks at for each BPF program, beside what verifier.tsv has of this kernel's
# version. Growth is seen here long before the verifier gives up, at a million. The table is written by `make verifier-figures`, which
# also does so for the kernels of the guests, and never by hand.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
table=$top_srcdir/tests/live/verifier.tsv
growth=20                        # percent, beside which
slack=300                        # instructions do not matter
most=500000
kernel=$(uname -r | sed -n 's/^\([0-9]*[.][0-9]*\).*/\1/p')

# Of two kernels in guests each is asked for half of the kinds: the second one for all that the first one is not.
first=(fp verify tids older trace allocs)
kinds=()
on_share second || kinds=("${first[@]}")
on_share first || kinds=("${first[@]/#/-}")
"$top_builddir/tests/live/verifier" "${kinds[@]}" >"$SCRATCH/figures" 2>"$SCRATCH/err"
result $? "Linux $kernel: the verifier takes the programs of every kind of capture"
note "$(cat "$SCRATCH/err")"
while IFS= read -r line; do
	note "verified	$kernel	$line"
done <"$SCRATCH/figures"

# judge KIND WHICH: lines about its programs that have outgrown the table or a limit; WHICH is "table" or "limit".
judge() {
	awk -F '\t' -v kernel="$kernel" -v kind="$1" -v which="$2" -v growth=$growth -v slack=$slack -v most=$most '
		function say(text) { print $2 ": the verifier looks at " $3 " instructions, " text; bad = 1 }
		FILENAME == ARGV[1] { if ($1 == kernel && $2 == kind) kept[$3] = $4; next }
		$1 != kind { next }
		which == "limit" { if ($3 > most) say("which is more than " most ", half of what it bears"); next }
		!($2 in kept) { say("of which verifier.tsv knows nothing: run make verifier-figures"); next }
		$3 > kept[$2] * (1 + growth / 100) + slack {
			say(sprintf("%.0f %% more than the %d of verifier.tsv: if that is meant, run make verifier-figures",
				100 * ($3 / kept[$2] - 1), kept[$2]))
		}
		END { exit bad }' "$table" "$SCRATCH/figures"
}
for kind in $(cut -f 1 "$SCRATCH/figures" | uniq); do
	check "Linux $kernel, $kind: no program is near the limit" judge "$kind" limit
	if grep -q "^$kernel	" "$table"; then
		check "Linux $kernel, $kind: no program has grown by more than $growth %" judge "$kind" table
	else
		skip "no figures of Linux $kernel are kept" "Linux $kernel, $kind: no program has grown by more than $growth %"
	fi
done
finish
