#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# manual.sh - the man pages render without complaints and tell what --help tells.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
pages="sberf sberf-top sberf-record sberf-report sberf-merge sberf-check sberf-diff sberf-doctor sberf-list sberf-trace
sberf-symbolize sberf-bpf sberf-branches sberf-serve sberf-agent"

for page in $pages; do
	file=${top_builddir:?}/docs/$page.1
	if ! command -v mandoc >/dev/null; then
		skip "mandoc is not installed" "$page.1 renders"
		continue
	fi
	check "$page.1 has nothing to complain about" mandoc -Tlint -Wwarning "$file"
	# Bold and underlined text is overstruck.
	mandoc -Tascii "$file" | sed 's/.\x08//g' >"$SCRATCH/$page.txt"
	check "$page.1 renders" grep -q "SEE ALSO" "$SCRATCH/$page.txt"
	[ "$page" != sberf ] || continue
	for name in $("$sberf" "${page#sberf-}" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -e '--[a-z-]+'); do
		check "$page.1 describes $name" grep -qE -e "^ +(-[a-zA-Z], )?$name" "$SCRATCH/$page.txt"
	done
done

# How probes are written, with every kind.
if command -v mandoc >/dev/null; then
	probe=${top_builddir:?}/docs/sberf-probe.7
	check "sberf-probe.7 has nothing to complain about" mandoc -Tlint -Wwarning "$probe"
	mandoc -Tascii "$probe" | sed 's/.\x08//g' >"$SCRATCH/probe.txt"
	for kind in sys tracepoint rawtracepoint uprobe uretprobe call usdt fault signal kprobe span; do
		check "sberf-probe.7 describes $kind" grep -qE "^ +$kind" "$SCRATCH/probe.txt"
	done
else
	skip "mandoc is not installed" "sberf-probe.7 renders"
fi

# What other programs may call is in section 3, each function of it.
if command -v mandoc >/dev/null; then
	for page in sberf-unwind sberf-symbolize sberf-plugin; do
		check "$page.3 has nothing to complain about" mandoc -Tlint -Wwarning "$top_builddir/docs/$page.3"
		mandoc -Tascii "$top_builddir/docs/$page.3" | sed 's/.\x08//g' >"$SCRATCH/$page.txt"
	done
	missing=
	while read -r name; do
		grep -qE "[ *]$name\(struct|[ *]$name\(" "$SCRATCH/sberf-unwind.txt" "$SCRATCH/sberf-symbolize.txt" || missing+=" $name"
	done < <(grep -oE 'sberf_[a-z_]+' "$top_srcdir/src/lib/libsberf.map")
	equal "section 3 has every function of libsberf" "" "$missing"
else
	skip "mandoc is not installed" "sberf-unwind.3 renders"
fi

# Each figure has its line in the manual.
report=${top_builddir:?}/docs/sberf-report.1
figures=$("$sberf" report --format summary "$top_srcdir/tests/data/v1_1.sberf" | sed 's/:.*//')
check "there are figures" test "$(wc -l <<<"$figures")" -gt 50
missing=
for figure in $figures; do
	case $figure in
	offcpu_cut_*) figure=cut_${figure#offcpu_cut_} ;;
	esac
	sed 's/\\-/-/g; s/\\f[BR]//g; s/,//g' "$report" | grep -qE "(^| )$figure( |$)" || missing+=" $figure"
done
equal "the manual has every figure of the summary" "" "$missing"

# The keys are those of the terminal view's own table.
for page in sberf-top sberf-report; do
	if command -v mandoc >/dev/null; then
		check "$page.1 tells how to quit" grep -qE '^ +q +' "$SCRATCH/$page.txt"
		check "$page.1 tells how to search" grep -qE '^ +/ +' "$SCRATCH/$page.txt"
	else
		skip "mandoc is not installed" "$page.1 has the keys"
	fi
done
finish
