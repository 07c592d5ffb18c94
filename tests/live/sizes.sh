#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# sizes.sh - docs/sizes.md says how large the maps of the BPF programs are: its table is what this kernel has made them, for a small
# and for a large machine. `make sizes-table` writes it anew (sizes.sh write).
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
export LC_ALL=C
page=$top_srcdir/docs/sizes.md
begin='<!-- table -->'
end='<!-- end of table -->'

# maps TARGET CPUS THREADS: what tests/live/sizes prints.
maps() {
	"$top_builddir/tests/live/sizes" "$@" | sort
}

# table SMALL LARGE: of both, as it stands on the page.
table() {
	echo "| map | bytes each | small: entries | KB | large: entries | KB |"
	echo "|---|--:|--:|--:|--:|--:|"
	join -t '	' <(sort "$1") <(sort "$2") | sort -t '	' -k 8,8nr -k 1,1 | awk -F '\t' '
		function kb(n) { return n ? sprintf("%.0f", n < 1024 ? 1 : n / 1024) : "as they come" }
		function each(a, b) { return a == b ? a : a " to " b }
		{ printf "| `%s` | %s | %d | %s | %d | %s |\n", $1, each($3, $7), $2, kb($4), $6, kb($8); small += $4; large += $8 }
		END { printf "| all | | | %.0f | | %.0f |\n", small / 1024, large / 1024 }'
}

maps pids 2 300 >"$SCRATCH/small" 2>"$SCRATCH/small.err"
result $? "the maps of a small machine can be made"
maps all 512 100000 >"$SCRATCH/large" 2>"$SCRATCH/large.err"
result $? "and those of a large one"
note "$(cat "$SCRATCH"/*.err)"
table "$SCRATCH/small" "$SCRATCH/large" >"$SCRATCH/table"
if [ "${1-}" = write ]; then
	sed -i -e "/^$begin/,/^$end/{//!d}" -e "/^$begin/r $SCRATCH/table" "$page"
fi
sed -n "/^$begin/,/^$end/p" "$page" | sed '1d;$d' >"$SCRATCH/page"
at_least "maps" 20 "$(wc -l <"$SCRATCH/small")"
check "the table is that of the maps as they are (else: make sizes-table)" diff "$SCRATCH/page" "$SCRATCH/table"

# What is computed here is what the kernel charges. Before 6.4 it says a number of its own for hashes: entries times key and value.
charged() {
	awk -F '\t' '{ computed += $4; charged += $5 } END { printf "%.3f\n", charged / computed }' "$1"
}
if [ "$(awk -F '\t' '$1 == "page_of" { print ($5 >= $4) }' "$SCRATCH/large")" = 1 ]; then
	for machine in small large; do
		matches "$machine: the kernel charges what is computed, within 1 %" '^(0[.]99|1[.]00)' "$(charged "$SCRATCH/$machine")"
	done
else
	note "this kernel estimates what maps take: not compared"
fi

# Every map is explained, and every figure that the page names is one of the summary.
while read -r map; do
	grep -q "^| .*\`$map\`.* | .* | .* |\$" <(sed "/^$begin/,/^$end/d" "$page") || missing="${missing-} $map"
done < <(cut -f 1 "$SCRATCH/small")
equal "every map is explained" "" "${missing-}"
"$SBERF" record -e cpu-clock -o "$SCRATCH/s.data" --unwind kernel -- true 2>"$SCRATCH/err" || note "$(cat "$SCRATCH/err")"
unknown=
for name in $(grep -o '`[a-z]*_[a-z_]*`' "$page" | tr -d '`' | sort -u); do
	cut -f 1 "$SCRATCH/small" | grep -qx "$name" && continue
	[ -n "$(value "$SCRATCH/s.data" "$name")" ] || unknown="$unknown $name"
done
equal "every figure that it names is in the summary" "" "$unknown"
finish
