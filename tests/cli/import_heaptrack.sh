#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# import_heaptrack.sh - files of heaptrack: sums of a small stored one, as heaptrack_print 1.4 says them; what is damaged or of another
# kind; and, where heaptrack is installed, a program that says itself what it allocated. tests/data/heaptrack/sites.gz is of a program
# that leaks 100 blocks of 100 bytes, has 50 pairs of malloc() and free() that the compiler left out, and frees ten blocks of 10,000.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/heaptrack/sites.gz
cd "$SCRATCH" || exit 99

# totals FILE: blocks and bytes allocated, bytes at the peak, leaked, and blocks that were temporary.
totals() {
	"$sberf" report --import heaptrack --metric allocated,allocated-blocks,peak,leaked,temporary-blocks --format json "$1" 2>err |
		jq -r '.tree[0] | [.allocated_blocks, .allocated_bytes, .peak_bytes, .leaked_bytes, .temporary_blocks // 0] | join(" ")'
}

# printed FILE: blocks, kilobytes at the peak and leaked, temporary blocks, as heaptrack_print says.
printed() {
	heaptrack_print "$1" 2>/dev/null | sed -n -e 's/^calls to allocation functions: \([0-9]*\).*/\1/p' \
		-e 's/^peak heap memory consumption: //p' -e 's/^total memory leaked: //p' \
		-e 's/^temporary memory allocations: \([0-9]*\).*/\1/p' | tr '\n' ' '
}

# refused TITLE REGEX STATUS ARGUMENT...
refused() {
	local out rc=0
	out=$("$sberf" report --import heaptrack "${@:4}" 2>err) || rc=$?
	equal "$1: exit status" "$3" "$rc"
	equal "$1: nothing is written" "" "$out"
	matches "$1: the sentence" "$2" "$(cat err)"
}

need_program() {
	command -v "$1" >/dev/null
}

need_program jq || skip_all "jq is not installed"
equal "sums of the stored file" "115 183295 182704 10500 4" "$(totals "$data")"
equal "nothing to be said" "" "$(cat err)"
"$sberf" report --import heaptrack --format memory --ascii "$data" >got
matches "a site that leaks" ' 9\.8 KB .* 100  .*leak > main > ' "$(cat got)"
matches "what was inlined is in the path" 'call_init > call_init > _dl_init' "$(tr -s '\n ' ' ' <got)"
matches "without errors" 'in use 10 KB in 101 blocks, of 179 KB allocated' "$(cat got)"
"$sberf" report --import heaptrack --format folded --metric leaked "$data" >got
equal "in all formats: bytes leaked, by stack" 10500 "$(awk '{ n += $NF } END { print n }' got)"
zcat "$data" >plain
equal "plain text, from a pipe" "115 183295 182704 10500 4" "$(totals - <plain)"
"$sberf" diff --import heaptrack --metric leaked "$data" plain >got 2>&1
equal "two are compared" 0 $?

head -c 701 plain >cut
totals cut >got
matches "cut off: it is said" 'the end was cut off' "$(cat err)"
printf 'v 10400 4\n' >newer
refused "a newer format" 'has format 4 of heaptrack, and sberf reads format 3' 1 --format memory newer
printf 'v 10400 3\nx ./a\nm 1 2 3\n' >raw
refused "a raw file" 'is what heaptrack --raw writes' 1 --format memory raw
printf 'main;work 3\n' >folded
refused "folded stacks" "is not the beginning of a file of heaptrack" 1 --format memory folded
printf 'v 10400 3\n+ 7\n# end\n' >missing
refused "an allocation of nothing" "'\\+ 7', is not a line of heaptrack" 1 --format memory missing
printf 'v 10400 3\ns ff short\n# end\n' >short
refused "a string that is longer than its line" 'is not a line of heaptrack' 1 --format memory short
refused "what is not about memory" '--metric is not about memory' 2 --format tree --metric wall plain
refused "waits" '--format waits is not about memory' 2 --format waits plain
printf 'v 10400 3\ns 1 a\ni 1 1 1\nt 1 0\na 10 1\n+ 0\n- 0\n- 0\nZ 1\n' >odd
equal "a free of nothing" "1 16 16 0 1" "$(totals odd | sed 's/  / 0 /')"
matches "is counted" 'frees of what was not allocated: 1; lines that are not known, passed over: 1' "$(cat err)"

# In all ways that C has: sites as the program says, and sums as heaptrack_print has them.
if ! need_program heaptrack; then
	skip "heaptrack is not installed" "sums of a program as heaptrack_print has them"
	finish
fi
equal "the stored file by heaptrack_print" "115 5 182.70K 10.50K" "$(printed "$data" | awk '{ print $1, $2, $3, $4 }')"
heaptrack -o run "${top_builddir:?}/tests/workloads/bin/blocks_plain" 300 1 >said 2>err
file=$(echo run.*)
"$sberf" report --import heaptrack --metric allocated,in-use --format json "$file" >json 2>err
jq -r '.functions[] | select(.name | startswith("site_")) | "\(.name) \(.allocated_bytes // 0) \(.in_use_bytes // 0)"' json | sort >got
note "$(comm -3 got <(grep ^site_ said | sort))"
# heaptrack does not see reallocarray() and pvalloc(), which glibc resolves by itself.
check "sites are as the program says" test 7 -le "$(comm -12 got <(grep ^site_ said | sort) | wc -l)"
read -r blocks temporary peak leaked < <(printed "$file")
read -r our_blocks bytes our_peak our_leaked our_temporary < <(totals "$file")
note "$blocks $temporary $peak $leaked: $our_blocks $bytes $our_peak $our_leaked $our_temporary"
thousands() { awk -v n="$1" 'BEGIN { u = n >= 1e6 ? 1e6 : 1e3; printf "%.2f%s", n / u, u == 1e6 ? "M" : "K" }'; }
equal "blocks as heaptrack_print says" "$blocks" "$our_blocks"
equal "the peak" "$peak" "$(thousands "$our_peak")"
equal "leaked" "$leaked" "$(thousands "$our_leaked")"
# It counts a free behind another free as temporary when its kind is the first one of all: one more at most for each such free.
check "temporary blocks" test "$our_temporary" -le "$temporary"
check "temporary blocks, but for those behind a free" \
	test "$our_temporary" -ge "$((temporary - $(zstd -dcq "$file" 2>/dev/null | grep -c '^- 0$')))"
finish
